// Who lives where in the internal part of the symmetric heap: the first kInternalSize bytes of
// every PE's heap, zero at start, the same offsets everywhere, occupied only when touched.
#pragma once

#include <cstdint>

#include "core/job/job.hpp"

namespace isthmus {

inline constexpr std::uint64_t kCollectiveOffset = 0;  // core/teams/collective
inline constexpr std::uint64_t kCollectiveSize = std::uint64_t{48} << 20;
inline constexpr std::uint64_t kDirectoryOffset = kCollectiveOffset + kCollectiveSize;
inline constexpr std::uint64_t kDirectorySize = std::uint64_t{8} << 20;  // core/segments/directory
// A word, on a line of its own: core/queues/far_queue.
inline constexpr std::uint64_t kRoomWordOffset = kDirectoryOffset + kDirectorySize;
inline constexpr std::uint64_t kDepartureOffset = kRoomWordOffset + 64;
inline constexpr std::uint64_t kDepartureSize = std::uint64_t{4} << 10;  // core/session/departure
inline constexpr std::uint64_t kToldWaitOffset = kDepartureOffset + kDepartureSize;
inline constexpr std::uint64_t kToldWaitSize = 128;  // core/session/told_wait
// src/message: two rings, and lanes.
inline constexpr std::uint64_t kMessageOffset =
    (kToldWaitOffset + kToldWaitSize + 4095) & ~std::uint64_t{4095};
inline constexpr std::uint64_t kMessageSize = std::uint64_t{4} << 20;
// The last page is nobody's: checked mode looks whether it was written (core/job/guarded_blocks).
inline constexpr std::uint64_t kSparePage = 4096;
static_assert(kMessageOffset + kMessageSize + kSparePage <= kInternalSize);

template <typename T>
T* internal_object(std::uint64_t offset) {
    return reinterpret_cast<T*>(job.heap.begin + offset);
}

}  // namespace isthmus
