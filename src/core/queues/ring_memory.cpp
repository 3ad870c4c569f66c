#include "core/queues/ring_memory.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/lasting.hpp"
#include "base/thread_sanitizer.hpp"
#include "core/queues/far_queue.hpp"
#include "core/segments/arena.hpp"
#include "core/segments/directory.hpp"

namespace isthmus {
namespace {

std::mutex guard;
Lasting<std::vector<char*>> retired_rings;
constinit std::vector<char*>& retired = *retired_rings;  // destroyed, but clones are left
std::size_t look_at = 16;  // how many of them make it worth looking who is left

bool is_unused(const char* memory) {
    // Acquire: pairs with detach_ring. No clone comes any more, for the ring is withdrawn.
    return reinterpret_cast<const RingControl*>(memory)->clones.load(std::memory_order_acquire) ==
           0;
}

void release_unused() {
    std::erase_if(retired, [](char* memory) {
        if (!is_unused(memory)) return false;
        arena_release(memory);
        return true;
    });
}

}  // namespace

char* allocate_ring(std::uint64_t capacity) {
    const std::lock_guard lock(guard);
    const auto allocate = [&] {
        return static_cast<char*>(arena_allocate(kRingOffset + capacity, ISTHMUS_QUEUE));
    };
    char* const memory = allocate();
    if (memory || retired.empty()) return memory;
    release_unused();
    return allocate();
}

void release_ring(char* memory) {
    arena_release(memory);
}

void retire_ring(char* memory) {
    const std::uint64_t capacity = reinterpret_cast<const RingControl*>(memory)->capacity;
    discard_pages(reinterpret_cast<std::uintptr_t>(memory) + kRingOffset, capacity);
    const std::lock_guard lock(guard);
    if (is_unused(memory)) return arena_release(memory);
    retired.push_back(memory);
    // Now and then, so that each is looked at a few times, however many there are.
    if (retired.size() < look_at) return;
    release_unused();
    look_at = std::max<std::size_t>(16, 2 * retired.size());
}

RingControl* attach_ring(const Segment& segment) {
    auto* control = reinterpret_cast<RingControl*>(segment.base);
    thread_sanitizer::acquired(&job.header->pe[segment.owner]);
    return count_if_published(segment.owner, segment.generation_now, segment.generation,
                              control->clones)
               ? control
               : nullptr;
}

void detach_ring(const Segment& segment) {
    auto& control = *reinterpret_cast<RingControl*>(segment.base);
    // Its owner may give this memory to another ring.
    thread_sanitizer::released(&job.header->pe[segment.owner]);
    control.clones.fetch_sub(1, std::memory_order_release);  // partner: is_unused
}

void forget_retired_rings() {
    forget_far_rings();
    const std::lock_guard lock(guard);
    retired.clear();
}

}  // namespace isthmus
