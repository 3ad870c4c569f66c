// Handler-safe locks in checked mode: whose they are, which their words tell then.
#pragma once

#include <cstdint>

namespace isthmus::messages {

// Whether the lock was free and is this thread's now. A word that tells whose it is stays.
inline bool take_free(std::uint32_t& word) {
    std::uint32_t free = 0;
    // Acquire: partner is the release of who gave it back.
    return __atomic_compare_exchange_n(&word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
// Behind a lock's word becoming other than 0 by this thread.
void note_taken(std::uint32_t& word);
// Before a wait for it: ends the job if this thread has it, and would wait for itself.
[[gnu::cold]] void refuse_own_lock(const std::uint32_t& word, const char* routine);
// Before it becomes 0: ends the job if it is free.
void note_given_back(const std::uint32_t& word, const char* routine);

}  // namespace isthmus::messages
