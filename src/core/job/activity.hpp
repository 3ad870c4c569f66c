// What a PE is doing, as others tell of it: read from its status by PEs of its host, and as one
// word by those of other hosts, who ask for it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/job/departure_word.hpp"
#include "core/job/job.hpp"
#include "core/job/job_layout.hpp"
#include "core/job/published_wait.hpp"

namespace isthmus {

struct Activity {
    enum class Kind : std::uint8_t {
        computes = 1,
        tests,  // waits by a loop of tests of its own
        waits
    };
    // Short operations that wait for an answer note nothing, so that the routine says nothing of
    // them: who is in one computes, with a time and mostly a peer.
    Kind kind = Kind::computes;
    Routine routine{};         // last noted
    std::uint64_t waited = 0;  // nanoseconds
    int peer = -1;             // whom it waits for
    // Of the symmetric word that it watches; alike at all PEs, and only nearly one of a kind.
    std::uint16_t place = 0;
    // Calls of it that allocate or free symmetric memory: the lowest bits.
    static constexpr unsigned kCountBits = 5;
    static constexpr std::uint8_t kCountMask = (1u << kCountBits) - 1;
    std::uint8_t allocations = 0;
};

// `address`: as this PE has it.
inline std::uint16_t place_of(const void* address) {
    constexpr unsigned kBits = 9;
    const std::uint64_t offset = job.heap.contains(address)
                                     ? reinterpret_cast<std::uint64_t>(address) - job.heap.begin
                                 : in_static_data(address) ? ~static_offset(address)
                                                           : 0;
    return static_cast<std::uint16_t>((offset / 4 * 0x9e3779b97f4a7c15u) >> (64 - kBits));
}

// As PEs of this host tell each other an address: PeStatus::waiting_at.
inline std::uint64_t place_word(const void* address) {
    return in_static_data(address) ? kInStaticData | static_offset(address)
                                   : reinterpret_cast<std::uint64_t>(address);
}

// Back again, as this PE has it; null: none.
inline const void* address_at(std::uint64_t place) {
    return reinterpret_cast<const void*>(
        (place & kInStaticData) != 0 ? static_address(place & ~kInStaticData) : place);
}

// Relaxed: what is told may be a moment old.
inline Activity activity_of(const PeStatus& status, const PublishedWait& wait, std::uint64_t now) {
    constexpr std::uint64_t kGivenUp = 1'000'000'000;  // without a test for so long
    Activity activity;
    activity.routine = status.routine.load(std::memory_order_relaxed);
    activity.allocations =
        status.allocations.load(std::memory_order_relaxed) & Activity::kCountMask;
    const bool tests = wait.tested_at != 0;
    if (wait.since == 0 || (tests && now > wait.tested_at + kGivenUp)) return activity;
    const bool is_answer = wait.condition == kAwaitsAnswer;
    activity.kind = tests       ? Activity::Kind::tests
                    : is_answer ? Activity::Kind::computes
                                : Activity::Kind::waits;
    // Other threads call others, and so may a loop of tests in between.
    if (!is_answer || tests) activity.routine = wait.routine;
    activity.waited = now > wait.since ? now - wait.since : 1;
    activity.peer = wait.peer;
    activity.place = place_of(address_at(wait.at));
    return activity;
}
inline Activity activity_of(const PeStatus& status, std::uint64_t now) {
    return activity_of(status, wait_of(status), now);
}

// Tenths of a second as 9 bits and, above them, 3 bits of an exponent of 8: to a tenth for the
// first 51 s, to an eighth of what it is beyond.
inline std::uint64_t shortened(std::uint64_t nanoseconds) {
    std::uint64_t value = nanoseconds / 100'000'000;
    std::uint64_t exponent = 0;
    for (; value >= 512 && exponent < 7; ++exponent)
        value /= 8;
    return exponent << 9 | std::min<std::uint64_t>(value, 511);
}
inline std::uint64_t lengthened(std::uint64_t time) {
    return (time & 0x1ff) * 100'000'000 << 3 * (time >> 9 & 7);
}

// What is answered to a PE of another host: how this one leaves, or else what it does. A word of an
// activity ends with 16 zeroes, which no departure does, and is never 0.
//     63..55 place   54..50 allocations   49..39 peer + 1   38..30 routine   29..18 time   17..16
//     kind
inline std::uint64_t state_word(const PeStatus& status, std::uint64_t now) {
    if (const std::uint64_t word = departure_word(status); word != 0) return word;
    static_assert(static_cast<std::uint32_t>(Routine::count) < 1u << 9);
    static_assert(kMaxPes < 1 << 11);
    const Activity activity = activity_of(status, now);
    return std::uint64_t{activity.place} << 55 | std::uint64_t{activity.allocations} << 50 |
           static_cast<std::uint64_t>(activity.peer + 1) << 39 |
           (static_cast<std::uint64_t>(activity.routine) & 0x1ff) << 30 |
           shortened(activity.waited) << 18 | static_cast<std::uint64_t>(activity.kind) << 16;
}

// False if the word is of a departure, or of nothing. It may come from a network.
inline bool is_activity(std::uint64_t word) {
    return (word & 0xffff) == 0 && (word >> 16 & 3) != 0;
}
inline Activity activity_in(std::uint64_t word) {
    Activity activity;
    activity.kind = static_cast<Activity::Kind>(word >> 16 & 3);
    activity.routine = static_cast<Routine>(word >> 30 & 0x1ff);
    activity.waited = lengthened(word >> 18 & 0xfff);
    activity.peer = static_cast<int>(word >> 39 & 0x7ff) - 1;
    activity.allocations = static_cast<std::uint8_t>(word >> 50 & Activity::kCountMask);
    activity.place = static_cast<std::uint16_t>(word >> 55);
    return activity;
}

}  // namespace isthmus
