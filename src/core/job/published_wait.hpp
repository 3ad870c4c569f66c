// The wait that a PE tells others of its host in its status: one record, whose parts belong
// together.
#pragma once

#include <cstdint>

#include "base/os.hpp"
#include "core/job/job_layout.hpp"

namespace isthmus {

struct PublishedWait {
    std::uint64_t since = 0;  // 0: none
    std::uint64_t tested_at = 0;
    std::uint64_t at = 0;
    std::uint64_t value = 0;
    Routine routine = Routine::none;
    std::int32_t peer = -1;
    std::uint32_t words = 0;
    std::uint8_t condition = 0;
    std::uint8_t width = 0;
};

// One thread of the PE at a time. Release, each: who sees a part of it, with acquire, sees that
// waits_told has moved before.
inline void write_wait(PeStatus& status, const PublishedWait& wait) {
    constexpr auto kRelease = std::memory_order_release;
    const std::uint32_t before = status.waits_told.load(std::memory_order_relaxed);
    status.waits_told.store(before + 1, std::memory_order_relaxed);
    status.waiting_in.store(wait.routine, kRelease);
    status.waiting_for.store(wait.peer, kRelease);
    status.waiting_at.store(wait.at, kRelease);
    status.waiting_condition.store(wait.condition, kRelease);
    status.waiting_width.store(wait.width, kRelease);
    status.waiting_value.store(wait.value, kRelease);
    status.waiting_words.store(wait.words, kRelease);
    status.tested_at.store(wait.tested_at, kRelease);
    status.waiting_since.store(wait.since, kRelease);
    status.waits_told.store(before + 2, kRelease);
}

// The other fields tell from then on what it fetches (core/job/fetch_watch.hpp).
inline void write_no_wait(PeStatus& status) {
    const std::uint32_t before = status.waits_told.load(std::memory_order_relaxed);
    status.waits_told.store(before + 1, std::memory_order_relaxed);
    status.tested_at.store(0, std::memory_order_release);
    status.waiting_since.store(0, std::memory_order_release);
    status.waits_told.store(before + 2, std::memory_order_release);
}

// Reads again what was written meanwhile, a few times: a PE may be stopped amid that.
inline PublishedWait wait_of(const PeStatus& status) {
    constexpr auto kAcquire = std::memory_order_acquire;  // partner: write_wait
    constexpr int kTries = 100;
    PublishedWait wait;
    for (int tries = 0; tries < kTries; ++tries) {
        const std::uint32_t before = status.waits_told.load(kAcquire);
        wait.routine = status.waiting_in.load(kAcquire);
        wait.peer = status.waiting_for.load(kAcquire);
        wait.at = status.waiting_at.load(kAcquire);
        wait.condition = status.waiting_condition.load(kAcquire);
        wait.width = status.waiting_width.load(kAcquire);
        wait.value = status.waiting_value.load(kAcquire);
        wait.words = status.waiting_words.load(kAcquire);
        wait.tested_at = status.tested_at.load(kAcquire);
        wait.since = status.waiting_since.load(kAcquire);
        if (before % 2 == 0 && status.waits_told.load(kAcquire) == before) break;
        os::yield();
    }
    return wait;
}

}  // namespace isthmus
