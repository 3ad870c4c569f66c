// Segments: making them, finding them, and the checks that stand before every operation on one.
#pragma once

#include <isthmus/segment.h>

#include <cstdint>

#include "base/text.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/wait/sleep.hpp"

namespace isthmus {

using Segment = ::isthmus_segment;

int create_segment(Segment& segment, std::uint64_t id, void* memory, std::uint64_t size,
                   std::uint32_t access, const char* routine);
int clone_segment(Segment& segment, std::uint64_t id, double timeout, const char* routine);
int default_segment(Segment& segment, int pe, const char* routine);
int destroy_segment(Segment& segment, const char* routine);

// All segments that this PE made and has not destroyed; at the end of a session.
void release_segments();

// "segment 0x5 + 16" if the address lies in memory that the library provided for it or that it
// adopted; else empty, also while another thread makes or destroys one.
Text describe_in_segment(const void* address);

// Around a fork: nobody makes or destroys a segment between the two.
void hold_segments();
void let_segments_go();
// In the forked child: each range that a segment has adopted, and where in the job file it lies.
void visit_adopted(void (*visit)(const Range& pages, std::uint64_t offset));
// In the forked child: views of default segments are stale.
void end_default_segments();

// Bits of a view's access beside those of isthmus_access: reading, writing by put and get is
// accepted. One test tells right and kind, of an empty transfer too. Not set in checked mode.
inline constexpr std::uint32_t kTransferBits = 8;  // ISTHMUS_READ, ISTHMUS_WRITE so much higher
inline constexpr std::uint32_t kViewBits = ISTHMUS_READ_WRITE << kTransferBits | ISTHMUS_FAR;
// Of what was created: that it is a view, and in which session, modulo 2^16.
inline constexpr std::uint32_t kOfSession = std::uint32_t{1} << 15;
inline constexpr std::uint32_t kSessionBits = 16;  // the number so much higher

// Longest of the puts that a program sends to another host without a call of the library's.
inline constexpr std::uint64_t kShortPut = 8;

// A view of a segment that the window does not reach. It fails every test that stands before an
// operation, so that near ones pay nothing for it: its ends are 0, and the generation is written
// with all bits turned. Its base is where the window would show it; nothing is mapped there.
inline bool is_far(const Segment& segment) {
    return (segment.access & ISTHMUS_FAR) != 0;
}

// True of a far view as well.
inline bool is_stale(const Segment& segment) {
    // Relaxed: destroying a segment that others are using is a mistake that this finds later.
    return __atomic_load_n(segment.generation_now, __ATOMIC_RELAXED) != segment.generation;
}
// The truth of any view, where is_stale has said yes.
inline bool is_gone(const Segment& segment) {
    return __atomic_load_n(segment.generation_now, __ATOMIC_RELAXED) !=
           (is_far(segment) ? ~segment.generation : segment.generation);
}

// STALE and why, if the view is of a segment that is not there any more, or of none.
[[gnu::cold, gnu::noinline]] int refuse_stale(const Segment& segment, const char* routine);
inline constexpr const char* kSessionEnded =
    "the view is of a session that has ended, by isthmus_finalize or shmem_finalize";

// Why an operation on [offset, offset + size) is refused; says it. `right`: ISTHMUS_READ or WRITE;
// `kind`: ISTHMUS_TRANSFERS or ATOMICS; `width`: alignment that the operation needs.
[[gnu::cold, gnu::noinline]] int refuse_access(const Segment& segment, std::uint64_t offset,
                                               std::uint64_t size, std::uint32_t right,
                                               std::uint32_t kind, std::uint64_t width,
                                               const char* routine);

// True if they overlap in part, in which case a copy may destroy what it has yet to read.
bool overlap(const void* a, const void* b, std::uint64_t size);
int refuse_overlap(const char* routine);

// What a transfer takes: the window, or the road; or it is refused, and `status` says why.
enum class TransferWay : std::uint8_t { loads_and_stores, road, refused };
struct Checked {
    TransferWay way = TransferWay::loads_and_stores;
    int status = 0;  // ISTHMUS_OK
};

// The slow way of check_transfer. In checked mode, where views lack kViewBits and each transfer
// comes here, it also looks whether the bytes at `local` (null: not looked at) overlap the others.
[[gnu::cold, gnu::noinline]] Checked check_transfer_slowly(const Segment& segment,
                                                           std::uint64_t offset, std::uint64_t size,
                                                           std::uint32_t right, const void* local,
                                                           const char* routine);

// A transfer of [offset, offset + size) is legal and can be done by the window. Never in checked
// mode.
inline bool takes_transfer(const Segment& segment, std::uint64_t offset, std::uint64_t size,
                           std::uint32_t right) {
    return offset <= segment.transfer_end && size <= segment.transfer_end - offset &&
           (segment.access & right << kTransferBits) != 0 && !is_stale(segment);
}
// The segment is far, and the operation, which needs these rights and kinds, is legal.
inline bool takes_far(const Segment& segment, std::uint64_t offset, std::uint64_t size,
                      std::uint32_t needed) {
    needed |= ISTHMUS_FAR;
    return (segment.access & needed) == needed && offset <= segment.size &&
           size <= segment.size - offset &&
           __atomic_load_n(segment.generation_now, __ATOMIC_RELAXED) == ~segment.generation;
}

// How a transfer of [offset, offset + size) is done, if it is legal.
inline Checked check_transfer(const Segment& segment, std::uint64_t offset, std::uint64_t size,
                              std::uint32_t right, const void* local, const char* routine) {
    if (takes_transfer(segment, offset, size, right)) [[likely]]
        return {};
    return check_transfer_slowly(segment, offset, size, right, local, routine);
}

// Where the segment's first byte is at its owner, as an address of the heap, the static data or the
// arena here.
inline char* home_of(const Segment& segment) {
    const auto slot =
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(segment.owner) ^ window.me);
    return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(segment.base) -
                                   (slot << window.shift));
}

inline void wake_owner(const Segment& segment) {
    __asm__ __volatile__("" ::: "memory");
    if (__atomic_load_n(segment.sleepers, __ATOMIC_RELAXED) != 0) [[unlikely]]
        wake(segment.owner);
}

}  // namespace isthmus
