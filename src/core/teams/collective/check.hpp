// Checked mode (ISTHMUS_CHECK=1): the PEs of a team compare their arguments before a collective.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/routine.hpp"
#include "core/job/team.hpp"
#include "core/teams/collective/laid.hpp"

namespace isthmus::collective {

// The routine of an active set that this thread is in, in checked mode: messages name it as it was
// called. Null: that of a team.
extern constinit thread_local const char* set_routine
    __attribute__((visibility("hidden"), tls_model("initial-exec")));
inline const char* called_routine(Routine routine) {
    return set_routine ? set_routine : routine_name(routine);
}

// What must be equal at all PEs; travels in one cell.
struct Signature {
    Routine routine = Routine::none;
    std::uint16_t element_bytes = 0;
    std::uint16_t kind = 0;  // of what is combined: Kind + 1; 0 where bytes are moved
    std::int64_t root = 0;
    std::uint64_t count = 0;  // elements; those of a collect may differ
    std::uint64_t dest = 0;   // symmetric addresses
    std::uint64_t source = 0;
    std::int64_t dest_stride = 0;
    std::int64_t source_stride = 0;
};
static_assert(sizeof(Signature) == 56);

// What is the same at all PEs about a symmetric address.
std::uint64_t symmetric_place(const void* address);

// Ends the job with a message that names both PEs' values if one differs. Collective. True if all
// have met in it, as in a barrier: not in a team without inboxes or with PEs on other hosts. What
// has been `laid` is then on this PE's stage. `counts`: null, or room for everybody's count.
bool check_signature(Team& team, const Signature& mine, const Laid& laid = {},
                     std::uint64_t* counts = nullptr);

// Where dest and source may have bytes in common: not at all; wholly, where they begin alike; or
// their elements lie between each other, as the caller knows.
enum class Meet : std::uint8_t { nowhere, wholly, between };

// dest and source, of the given lengths, are symmetric, and meet as they may. Ends the job with a
// message otherwise.
void check_operands(const char* routine, const void* dest, std::size_t dest_bytes,
                    const void* source, std::size_t source_bytes, Meet meet);

// What all PEs contribute, `bytes` together, must find room at dest.
void check_collected(const char* routine, const void* dest, std::uint64_t bytes);

// An active set's pSync is symmetric, and holds what is possible: a PE that was early may have
// counted in it already. True if nobody has: each element is SHMEM_SYNC_VALUE.
bool check_psync(const char* routine, const long* psync);
// And its pWrk, which is not used here, is symmetric and of one block.
void check_work(const char* routine, const void* work, std::size_t bytes);
// Where nobody counts in it, and an element is not SHMEM_SYNC_VALUE: tells of it.
void check_unused_psync(const char* routine, const long* psync);

}  // namespace isthmus::collective
