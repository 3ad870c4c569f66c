// Where a thread waits for the answers to its requests. Each thread has one slot; its token names
// the slot and the request, so that an answer that is late, doubled or invented changes nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace isthmus::transport::service {

struct AnswerSlot {
    std::atomic<std::uint64_t> token{0};
    std::atomic<int> left{0};  // answers still to come
    std::uint64_t value = 0;   // of the last one; published by `left`
    // Where a long answer goes, and how many bytes of it; `value` is its whole length. Published by
    // `token`.
    void* into = nullptr;
    std::size_t room = 0;
};

inline constexpr std::size_t kAnswerSlots = 4096;

// Takes one for this thread, until its thread_local objects are destroyed. Null if too many threads
// are alive.
AnswerSlot* take_slot();
extern __thread AnswerSlot* taken_slot;  // not thread_local: that would ask for a constructor
// This thread's. Null if too many threads (kAnswerSlots) are alive.
inline AnswerSlot* own_slot() {
    return taken_slot ? taken_slot : take_slot();
}

// Arms the slot for `answers` and returns the token to send along: the number of the slot, and
// above it a number that no request of it had before.
inline std::uint64_t arm(AnswerSlot& slot, int answers) {
    const std::uint64_t token = slot.token.load(std::memory_order_relaxed) + kAnswerSlots;
    slot.left.store(answers, std::memory_order_relaxed);
    slot.token.store(token, std::memory_order_release);  // partner: deliver(), acquire
    return token;
}

// Tokens of questions that no thread waits for in its slot: their place, and above it a number that
// no other of that place has had.
inline constexpr std::uint64_t kPartToken = std::uint64_t{1} << 63;
inline constexpr unsigned kPartBits = 24;
constexpr std::uint64_t part_token(std::uint64_t number, std::size_t place) {
    return kPartToken | number << kPartBits | place;
}
constexpr bool is_of_part(std::uint64_t token) {
    return (token & kPartToken) != 0;
}
constexpr std::size_t part_index(std::uint64_t token) {
    return token & ((std::uint64_t{1} << kPartBits) - 1);
}

// From the thread that reads the queue. False if nobody waits for it.
bool deliver(std::uint64_t token, std::uint64_t value);
bool deliver(std::uint64_t token, const void* answer, std::size_t bytes);

}  // namespace isthmus::transport::service
