// Handler-safe locks: a word that is 0 when the lock is free. It says whose it is, as far as that
// is known (checked mode), and whether threads are queued for it.
//
// Who finds it taken looks for a while, then sleeps in the lock's queue (handler_lock.cpp). A lock
// that is given back is anyone's, until the first of the queue has waited for long: then it is
// handed to it, so nobody waits for ever beside a thread that takes it again at once.
#pragma once

#include <cstdint>

#include "core/job/job.hpp"

namespace isthmus::messages {

inline constexpr std::uint32_t kFreeLock = 0;
inline constexpr std::uint32_t kTakenLock = 1;  // by somebody; another number: by that thread

// In checked mode, and when it is not as simple as that.
void take_lock_otherwise(std::uint32_t& word, const char* routine);
bool try_lock_otherwise(std::uint32_t& word);
void give_back_lock_otherwise(std::uint32_t& word, const char* routine);

// In checked mode ends the job if this thread has it, and would wait for itself. Budget of a free
// one: 7, without checked mode.
[[gnu::always_inline]] inline void take_lock(std::uint32_t& word, const char* routine) {
    std::uint32_t seen = kFreeLock;
    // Acquire: partner is the release of who gave it back.
    if (job.checked || !__atomic_compare_exchange_n(&word, &seen, kTakenLock, false,
                                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        [[unlikely]]
        take_lock_otherwise(word, routine);
}

// Whether it was free and is this thread's now. Budget of a free one: 11.
[[gnu::always_inline]] inline bool try_lock(std::uint32_t& word) {
    std::uint32_t seen = kFreeLock;
    // Acquire: as above. The look before it, which takes the line from nobody, is relaxed.
    if (!job.checked && __atomic_load_n(&word, __ATOMIC_RELAXED) == kTakenLock) return false;
    return (!job.checked && __atomic_compare_exchange_n(&word, &seen, kTakenLock, false,
                                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) ||
           try_lock_otherwise(word);
}

// In checked mode ends the job if it is free. Budget of one that nobody is queued for: 7.
[[gnu::always_inline]] inline void give_back_lock(std::uint32_t& word, const char* routine) {
    std::uint32_t seen = kTakenLock;
    // Release: partner is the acquire of who takes it. It fails if threads are queued.
    if (job.checked || !__atomic_compare_exchange_n(&word, &seen, kFreeLock, false,
                                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        [[unlikely]]
        give_back_lock_otherwise(word, routine);
}

}  // namespace isthmus::messages
