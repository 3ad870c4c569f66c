// Checked mode (ISTHMUS_CHECK=1): the PEs of a team compare their arguments before a collective.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/routine.hpp"
#include "core/job/team.hpp"

namespace isthmus::collective {

// What must be equal at all PEs; travels in one cell.
struct Signature {
    Routine routine = Routine::none;
    std::uint16_t element_bytes = 0;
    std::uint16_t kind = 0;  // of what is combined: Kind + 1; 0 where bytes are moved
    std::int64_t root = 0;
    std::uint64_t count = 0;  // elements; 0 where they may differ
    std::uint64_t dest = 0;   // symmetric addresses
    std::uint64_t source = 0;
    std::int64_t dest_stride = 0;
    std::int64_t source_stride = 0;
};
static_assert(sizeof(Signature) == 56);

// What is the same at all PEs about a symmetric address.
std::uint64_t symmetric_place(const void* address);

// Ends the job with a message that names both PEs' values if one differs. Collective.
void check_signature(Team& team, const Signature& mine);

// dest and source, of the given lengths, are symmetric; they do not overlap, or (`in_place`) only
// wholly. Ends the job with a message otherwise.
void check_operands(Routine routine, const void* dest, std::size_t dest_bytes, const void* source,
                    std::size_t source_bytes, bool in_place);

// What all PEs contribute, `bytes` here, must find room at dest. Collective, behind
// check_operands and check_signature.
void check_collected(Team& team, Routine routine, const void* dest, std::uint64_t bytes);

// An active set's pSync is symmetric, and holds what is possible: a PE that was early may have
// counted in it already.
void check_psync(const char* routine, const long* psync);
// And its pWrk, which is not used here, is symmetric and of one block.
void check_work(const char* routine, const void* work, std::size_t bytes);
// Where nobody counts in it: each element is SHMEM_SYNC_VALUE.
void check_unused_psync(const char* routine, const long* psync);

}  // namespace isthmus::collective
