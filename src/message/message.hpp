// Active messages: what one is, and how it lies in a ring.
//
// A message is one frame of a ring (core/queues/queue.hpp): 16 bytes of the frame's head, 8 of the
// message's, then the arguments, so that 40 bytes of arguments make one cache line. Behind them lie
// the payload of a medium message, aligned to 16 bytes, or where the payload of a long one was put.
#pragma once

#include <isthmus/message.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/job/job_layout.hpp"
#include "core/queues/queue.hpp"
#include "transport/transport.hpp"

namespace isthmus::messages {

// What a handler sees. One structure for every face: it is what tells messages apart (the token).
using Message = ::isthmus_message;
using Handler = void(void* context, Message* message);

inline constexpr unsigned kShort = ISTHMUS_MESSAGE_SHORT;
inline constexpr unsigned kMedium = ISTHMUS_MESSAGE_MEDIUM;
inline constexpr unsigned kLong = ISTHMUS_MESSAGE_LONG;
inline constexpr unsigned kRequest = ISTHMUS_MESSAGE_REQUEST;
inline constexpr unsigned kReply = ISTHMUS_MESSAGE_REPLY;

// Ids of handlers, of all faces: the native one has those from 0 on, others a range of their own
// behind it.
inline constexpr std::uint32_t kHandlers = 4096;
inline constexpr std::uint32_t kNativeHandlers = ISTHMUS_MESSAGE_HANDLERS;
static_assert(kNativeHandlers <= kHandlers);

inline constexpr std::size_t kArgumentBytes = ISTHMUS_MESSAGE_ARGUMENT_BYTES;

// A message of this id is another in an envelope (message/envelope.hpp), before its arguments.
inline constexpr std::uint32_t kEnveloped = kHandlers - 1;
struct Envelope {
    std::uint32_t handler;    // the id that it is for
    std::int32_t thread;      // that sent it, as a trace counts them; -1: it is not traced
    std::uint64_t counts[2];  // words of the sender's that go up when the handler has returned
    std::uint64_t sent;       // when, in nanoseconds of its host's clock, if it is traced
};
static_assert(sizeof(Envelope) == 32);
inline constexpr std::size_t kEnvelopedArguments = kArgumentBytes + sizeof(Envelope);

inline constexpr std::size_t kLargestMedium = std::size_t{16} << 10;
inline constexpr std::size_t kLargestLong = (std::size_t{1} << 31) - 1;

// The last 8 bytes of what a handler sees.
struct Head {
    std::uint16_t handler;
    std::uint8_t kind;
    std::uint8_t replied;  // 0
    std::uint16_t source;
    std::uint16_t argument_bytes;
};
static_assert(sizeof(Head) == 8 && kMaxPes <= 1 << 16);
static_assert(sizeof(FrameHead) + sizeof(Head) + 40 == kCell);
static_assert(sizeof(Message) == offsetof(Message, handler) + sizeof(Head) &&
              offsetof(Message, kind) - offsetof(Message, handler) == offsetof(Head, kind) &&
              offsetof(Message, replied) - offsetof(Message, handler) == offsetof(Head, replied) &&
              offsetof(Message, source) - offsetof(Message, handler) == offsetof(Head, source) &&
              offsetof(Message, argument_bytes) - offsetof(Message, handler) ==
                  offsetof(Head, argument_bytes));

// As one word.
constexpr std::uint64_t head_word(std::uint32_t handler, std::uint32_t kind, std::uint32_t source,
                                  std::size_t argument_bytes) {
    return handler | kind << 16 | static_cast<std::uint64_t>(source) << 32 |
           static_cast<std::uint64_t>(argument_bytes) << 48;
}
static_assert(std::endian::native == std::endian::little &&
              std::bit_cast<std::uint64_t>(Head{1, 2, 0, 3, 4}) == head_word(1, 2, 3, 4));

// Behind the arguments of a long message: where its payload is, in the segment of the target
// (transport::SegmentId), for executables need not lie at the same address everywhere.
struct Landing {
    std::uint64_t offset;
    std::uint32_t size;
    std::uint32_t segment;
};
static_assert(sizeof(Landing) == 16);

// Where in a message these are; the frame's head before it keeps the alignment.
constexpr std::size_t payload_offset(std::size_t argument_bytes) {
    return (sizeof(Head) + argument_bytes + 15) & ~std::size_t{15};
}
constexpr std::size_t landing_offset(std::size_t argument_bytes) {
    return (sizeof(Head) + argument_bytes + 7) & ~std::size_t{7};
}

// What is to be sent. Operands that have been looked at.
struct Parcel {
    std::uint16_t handler;
    std::uint8_t kind;
    std::uint16_t argument_bytes;
    const void* arguments;
    const void* payload = nullptr;  // of a long one, null: it has been put to its place already
    std::size_t size = 0;
    void* dest = nullptr;         // of a long one, an address of this PE
    transport::Place place = {};  // and where that lies
};

constexpr std::size_t message_bytes(const Parcel& parcel) {
    if ((parcel.kind & kShort) != 0) return sizeof(Head) + parcel.argument_bytes;
    if ((parcel.kind & kMedium) != 0) return payload_offset(parcel.argument_bytes) + parcel.size;
    return landing_offset(parcel.argument_bytes) + sizeof(Landing);
}
inline constexpr std::size_t kLargestMessage = payload_offset(kEnvelopedArguments) + kLargestMedium;

}  // namespace isthmus::messages
