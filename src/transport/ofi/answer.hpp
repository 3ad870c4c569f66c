// Where a thread waits for the answers to its requests. Each thread has one slot; its token names
// the slot and the request, so that an answer that is late, doubled or invented changes nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace isthmus::transport::ofi {

struct AnswerSlot {
    std::atomic<std::uint64_t> token{0};
    std::atomic<int> left{0};  // answers still to come
    std::uint64_t value = 0;   // of the last one; published by `left`
};

// This thread's. Null if too many threads (kAnswerSlots) are alive.
AnswerSlot* own_slot();
inline constexpr std::size_t kAnswerSlots = 4096;

// Arms the slot for `answers` and returns the token to send along.
std::uint64_t arm(AnswerSlot& slot, int answers);
// From the thread that reads the queue. False if nobody waits for it.
bool deliver(std::uint64_t token, std::uint64_t value);

}  // namespace isthmus::transport::ofi
