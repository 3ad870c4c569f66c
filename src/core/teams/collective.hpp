// What the rest of the library needs of teams and collectives.
#pragma once

#include <cstdint>

namespace isthmus {

// SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED; at initialisation, after the heaps are mapped and behind
// a barrier. `multiple`: threads of some PE may call at once.
void create_first_teams(bool multiple);
// All teams go; at finalisation, after the last barrier.
void release_teams();

// Barrier of all PEs of the job.
void barrier_world();

// Ends the job if `value` differs between PEs: "shmem_malloc: size is 64 here and 128 at PE 1".
// Collective over all PEs; for checked mode. kNull is said as such.
inline constexpr std::uint64_t kNull = ~std::uint64_t{0};
void check_agreement(const char* routine, const char* what, std::uint64_t value);

}  // namespace isthmus
