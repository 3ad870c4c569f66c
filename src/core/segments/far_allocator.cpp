// Allocation in segments of far PEs: their progress threads do it, under the lock that their own
// PEs take.
#include <bit>

#include "core/reach/far.hpp"
#include "core/reach/request.hpp"
#include "core/segments/segment_allocator.hpp"

namespace isthmus {
namespace {

struct Question {
    transport::Place place;   // of the memory
    std::uint64_t bytes;      // of it
    std::uint64_t alignment;  // of what is wanted; 0: something is freed
    std::uint64_t size;       // of what is wanted, or the offset of what is freed
};
struct Answer {
    AllocatorResult result;
    std::uint64_t offset;
    AllocatorReport report;
};

Answer ask_owner(int pe, const AllocatorMemory& home, std::uint64_t alignment, std::uint64_t size) {
    const Question question{far::place_of(home.base, home.size, "isthmus_segment_malloc"),
                            home.size, alignment, size};
    return ask<Answer>(pe, RequestId::allocate, question);
}

Answer serve(int, const Question& asked, bool& good) {
    char* const base = far::own_memory(asked.place, asked.bytes);
    good = base && asked.bytes >= kSmallestAllocator &&
           reinterpret_cast<std::uintptr_t>(base) % kAllocatorAlignment == 0 &&
           (asked.alignment == 0 ||
            (std::has_single_bit(asked.alignment) && asked.alignment >= kAllocatorAlignment &&
             asked.alignment <= 4096 && asked.size != 0));
    Answer answer{};
    if (!good) return answer;
    const AllocatorMemory memory{base, asked.bytes};
    if (asked.alignment == 0) {
        answer.result = allocator_free(memory, asked.size);
        return answer;
    }
    answer.result = allocator_allocate(memory, asked.size, asked.alignment, answer.offset);
    if (answer.result == AllocatorResult::no_room) answer.report = allocator_report(memory);
    return answer;
}

const RequestServer kServer(RequestId::allocate, serve_sized<Question, Answer, serve>);

}  // namespace

AllocatorResult allocator_allocate_far(int pe, const AllocatorMemory& home, std::uint64_t size,
                                       std::uint64_t alignment, std::uint64_t& offset,
                                       AllocatorReport& report) {
    const Answer answer = ask_owner(pe, home, alignment, size);
    offset = answer.offset;
    report = answer.report;
    return answer.result;
}

AllocatorResult allocator_free_far(int pe, const AllocatorMemory& home, std::uint64_t offset) {
    return ask_owner(pe, home, 0, offset).result;
}

}  // namespace isthmus
