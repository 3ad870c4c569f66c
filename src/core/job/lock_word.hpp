// The `long` of a lock (api/shmem/locks.cpp), which the stall report reads as well.
#pragma once

#include <cstdint>

#include "core/job/job_layout.hpp"

namespace isthmus {

struct LockWord {
    std::uint32_t tail;   // used at the home PE
    std::uint16_t next;   // used at a waiting PE
    std::uint16_t state;  // of this PE: kIdle, kWaiting until the predecessor hands over, kHolding;
                          // who moves it from kIdle owns the PE's place in the queue
    static constexpr std::uint16_t kIdle = 0;
    static constexpr std::uint16_t kWaiting = 1;
    static constexpr std::uint16_t kHolding = 2;
};
static_assert(sizeof(LockWord) == sizeof(long));
static_assert(kMaxPes < 0xffff);

}  // namespace isthmus
