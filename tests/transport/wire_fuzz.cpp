// Requests as they come from a network, and what a server does with those it takes: within the
// segments, or not at all.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "transport/perform.hpp"
#include "transport/service/wire.hpp"

using namespace isthmus::transport;
using namespace isthmus::transport::service;

namespace {

constexpr std::uint32_t kPes = 4;
constexpr std::size_t kMemory = 4096;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Of their own, so that a sanitizer sees a byte too many.
    std::vector<char> bytes(reinterpret_cast<const char*>(data),
                            reinterpret_cast<const char*>(data) + size);
    // As if its seal were right: nobody guesses one.
    Request request;
    const char* payload = nullptr;
    if (!parse(bytes.data(), bytes.size(), kPes, request, payload)) return 0;
    if (request.from >= kPes || request.kind >= RequestKind::count) std::abort();
    if (has_payload(request.kind) && payload + request.bytes != bytes.data() + bytes.size())
        std::abort();

    std::vector<char> memory(kMemory);
    Segment segments[kSegments] = {};
    segments[0].base = memory.data();
    segments[0].size = memory.size();
    std::uint64_t before = 0;
    if (request.kind == RequestKind::put_signal) {
        if (char* const to =
                locate(segments, request.data_segment, request.data_offset, request.bytes))
            store_words(to, payload, request.bytes);
    }
    if (char* const word = locate(segments, request.segment, request.offset, request.width);
        word && word != segments[1].base)
        perform(word, {request.atomic, request.width, request.operand, request.compare}, before);
    return 0;
}
