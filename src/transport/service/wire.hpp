// What PEs send each other beside the provider's own puts and gets: requests to the peer's progress
// thread, and answers. Bytes from a network are not trusted: Seals::open() proves the sender,
// parse() checks all that can be checked without knowing the memory, and the server checks the
// place.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transport/service/seal.hpp"
#include "transport/transport.hpp"

namespace isthmus::transport::service {

enum class RequestKind : std::uint8_t {
    post_atomic,
    fetch_atomic,  // answered
    put_signal,    // payload, then the signal
    flush,         // answered when all that came before is done
    answer,
    core,         // payload for Services::serve; `operand` is the handler
    ask,          // the same, answered
    long_answer,  // payload: what serve() answers
    // Says only that its sender lives; `width`: it holds something back. `operand`: why it asks
    // (Asking), 0 in an answer.
    heartbeat,
    // Of links that do not write and read: the place is data_segment and data_offset.
    put,      // payload; confirmed if it has a token
    get,      // of `operand` bytes, answered by data
    data,     // payload
    confirm,  // the put is done
    post,     // as core, in a frame (Posted)
    count
};

// In the byte order of the machine: a job is one executable.
struct Request {
    std::uint64_t tag[2] = {};  // these three are a Seal
    std::uint64_t number = 0;
    std::uint32_t from = 0;
    RequestKind kind = RequestKind::count;
    AtomicKind atomic = AtomicKind::fetch;
    std::uint8_t width = 0;
    std::uint8_t segment = 0;
    std::uint64_t token = 0;    // of the one who asks; comes back in the answer
    std::uint64_t offset = 0;   // of the atomic's word in `segment`
    std::uint64_t operand = 0;  // of the answer: the value
    std::uint64_t compare = 0;
    // Only those with a payload send what follows.
    std::uint64_t data_offset = 0;
    std::uint32_t data_segment = 0;
    std::uint32_t bytes = 0;
};
inline constexpr std::size_t kShortRequest = offsetof(Request, data_offset);
static_assert(kShortRequest == 64, "fits the inject of most providers");
static_assert(sizeof(Request) == 80);
static_assert(offsetof(Request, number) == offsetof(Seal, number) &&
              offsetof(Request, from) == offsetof(Seal, from));

// A request without payload, its four short fields as one number.
struct ShortRequest {
    std::uint64_t tag[2];
    std::uint64_t number;
    std::uint32_t from;
    std::uint32_t code;
    std::uint64_t token;
    std::uint64_t offset;
    std::uint64_t operand;
    std::uint64_t compare;
};
static_assert(sizeof(ShortRequest) == kShortRequest);
static_assert(offsetof(ShortRequest, code) == offsetof(Request, kind) &&
              offsetof(Request, atomic) == offsetof(Request, kind) + 1 &&
              offsetof(Request, width) == offsetof(Request, kind) + 2 &&
              offsetof(Request, segment) == offsetof(Request, kind) + 3);
static_assert(offsetof(ShortRequest, compare) == offsetof(Request, compare));
static_assert(std::endian::native == std::endian::little, "the first field is the lowest byte");
constexpr std::uint32_t short_code(RequestKind kind, std::uint32_t atomic, std::uint32_t segment) {
    return static_cast<std::uint32_t>(kind) | atomic | segment << 24;
}

// How a request in a frame begins; its payload is what follows.
struct Posted {
    std::uint64_t tag[2];
    std::uint64_t number;
    std::uint32_t from;
    std::uint32_t code;  // RequestKind::post, and above it the handler
};
static_assert(sizeof(Posted) == kFrameRoom && offsetof(Posted, from) == kFrameWord);
static_assert(offsetof(Posted, code) == offsetof(Request, kind) &&
              offsetof(Posted, from) == offsetof(Request, from));
// Both short fields as one number, without the handler.
constexpr std::uint64_t posted_word(int from) {
    return static_cast<std::uint32_t>(from) | static_cast<std::uint64_t>(RequestKind::post) << 32;
}

inline bool has_payload(RequestKind kind) {
    return kind == RequestKind::put_signal || kind == RequestKind::core ||
           kind == RequestKind::ask || kind == RequestKind::long_answer ||
           kind == RequestKind::put || kind == RequestKind::data || kind == RequestKind::post;
}
// Those that have no payload, but a place of data.
inline bool has_long_form(RequestKind kind) {
    return has_payload(kind) || kind == RequestKind::get;
}
// Of a put or of data.
inline constexpr std::size_t kPartBytes = 16384;
inline std::size_t most_payload(RequestKind kind) {
    return kind == RequestKind::put || kind == RequestKind::data ? kPartBytes : kRequestBytes;
}

// False unless the bytes are a whole request. `payload` points into them.
inline bool parse(const void* bytes, std::size_t length, std::uint32_t pes, Request& request,
                  const char*& payload) {
    if (length < sizeof(Posted)) return false;
    request = Request{};
    Posted posted;
    std::memcpy(&posted, bytes, sizeof posted);
    if (static_cast<RequestKind>(posted.code & 0xff) == RequestKind::post) {
        const std::size_t count = length - sizeof posted;
        if (posted.from >= pes || count > kRequestBytes) return false;
        request.number = posted.number;
        request.from = posted.from;
        request.kind = RequestKind::post;
        request.operand = posted.code >> 8;
        request.bytes = static_cast<std::uint32_t>(count);
        payload = static_cast<const char*>(bytes) + sizeof posted;
        return true;
    }
    if (length < kShortRequest) return false;
    std::memcpy(&request, bytes, length < sizeof(Request) ? kShortRequest : sizeof(Request));
    payload = static_cast<const char*>(bytes) + sizeof(Request);
    if (request.from >= pes || request.kind >= RequestKind::count) return false;
    if (!has_long_form(request.kind)) return length == kShortRequest;
    if (!has_payload(request.kind) && request.bytes != 0) return false;
    return length >= sizeof(Request) && request.bytes <= most_payload(request.kind) &&
           length == sizeof(Request) + request.bytes;
}

// A request and its payload in one piece, as the hash wants them.
template <std::size_t kMost>
struct Message {
    Message(const Request& head, const void* payload, std::size_t payload_bytes)
        : request(head), bytes(sizeof head + payload_bytes) {
        if (payload_bytes != 0) std::memcpy(data, payload, payload_bytes);
    }
    Request request;
    char data[kMost];  // as much as there is
    std::size_t bytes;
};
static_assert(offsetof(Message<1>, data) == sizeof(Request));

// The memory of [offset, offset + bytes) in one of the segments, or null.
inline char* locate(const Segment* segments, std::uint32_t segment, std::uint64_t offset,
                    std::uint64_t bytes) {
    if (segment >= kSegments) return nullptr;
    const Segment& within = segments[segment];
    if (offset > within.size || bytes > within.size - offset) return nullptr;
    return within.base + offset;
}

}  // namespace isthmus::transport::service
