// What teams.cpp, collectives.cpp and active_set.cpp share: the checks in front of a collective.
#pragma once

#include <type_traits>
#include <utility>

#include "api/shmem/export.hpp"
#include "api/shmem/turn.hpp"
#include "core/teams/collective/check.hpp"
#include "core/teams/collective/collective.hpp"

namespace isthmus::shmem {

using collective::Meet;
using collective::Signature;

// Ends the job with a message: not initialised, no team, or one that has been destroyed.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_team(const Team& team, const char* routine);

// SHMEM_TEAM_INVALID: the standard leaves undefined what follows. Here -1, and in checked mode a
// line.
[[gnu::cold, gnu::noinline]] int refuse_no_team(const char* routine);

inline Team& live(shmem_team_t team, const char* routine) {
    if (team->slot < 0) [[unlikely]]
        refuse_team(*team, routine);
    return *team;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_root(Routine routine, int root, int size);
[[noreturn, gnu::cold, gnu::noinline]] void refuse_stride(Routine routine, const char* name,
                                                          std::ptrdiff_t stride);

// What a collective's dest and source are.
struct Operands {
    const void* dest;
    std::size_t dest_bytes;
    const void* source;
    std::size_t source_bytes;
    Meet meet = Meet::nowhere;
};

// Where there are none. True if all have met, as check_signature().
[[gnu::noinline]] bool check_meeting(Team& team, const Signature& signature);
[[gnu::noinline]] bool check_call(Team& team, Signature& signature, const Operands& operands,
                                  const collective::Laid& laid = {},
                                  std::uint64_t* counts = nullptr);

// One PE's own block, whichever collective moves it: nobody to meet, and no turn.
void check_alone(Team& team, Routine routine, const Operands& operands);

// Made where it stands: a copy would read in wide words what has just been written in narrow ones.
struct Call {
    Signature signature;
    Operands operands;
};
// A collective in checked mode: what is passed is compared, then `move` does the rest.
template <typename Describe, typename Move>
[[gnu::noinline]] void run_checked(Team& team, Routine routine, Describe describe, Move move) {
    if constexpr (std::is_same_v<std::invoke_result_t<Describe>, Signature>) {
        const Turn turn(team, routine);
        if (!check_meeting(team, describe())) move();
    } else {
        Call call = describe();
        if (team.size == 1 && (routine == Routine::fcollect || routine == Routine::alltoall)) {
            check_alone(team, routine, call.operands);
            return move();
        }
        const Turn turn(team, routine);
        check_call(team, call.signature, call.operands);
        move();
    }
}
// A collective. `describe` makes what to check, and is not called when there is nothing to check: a
// Signature if it is all there is to do once all have met. Both hold what they need by value, so
// that nothing is kept for them where nothing is checked.
template <typename Describe, typename Move>
inline void run(Team& team, Routine routine, Describe describe, Move move) {
    if (job.checked) [[unlikely]]
        return run_checked(team, routine, describe, move);
    move();
}

// The collectives on untyped memory, checks included; the faces for teams and for active sets add
// only where the team comes from. `unit`: bytes of an element.
// Of an active set, without a turn: where threads may meet, a set has no team of its own.
void checked_barrier(Team& team, Routine routine);
[[gnu::noinline]] void checked_broadcast_otherwise(Team& team, void* dest, const void* source,
                                                   std::size_t nelems, std::size_t unit, int root,
                                                   bool root_dest);
// Budget: 120 instructions at the root for 8 bytes, the active set's arguments included.
inline void checked_broadcast(Team& team, void* dest, const void* source, std::size_t nelems,
                              std::size_t unit, int root, bool root_dest) {
    note(Routine::broadcast);
    const std::size_t bytes = saturated_bytes(nelems, unit);
    if (team.my_index == root && root_only_posts(team, bytes) && !job.checked)
        return broadcast_from_root(team, dest, source, bytes, root_dest);
    checked_broadcast_otherwise(team, dest, source, nelems, unit, root, root_dest);
}
void checked_collect(Team& team, void* dest, const void* source, std::size_t nelems,
                     std::size_t unit);
void checked_fcollect(Team& team, void* dest, const void* source, std::size_t nelems,
                      std::size_t unit);
void checked_alltoall(Team& team, void* dest, const void* source, std::size_t nelems,
                      std::size_t unit);
void checked_alltoalls(Team& team, void* dest, const void* source, std::ptrdiff_t dst,
                       std::ptrdiff_t sst, std::size_t nelems, std::size_t unit);
// The caller has noted itself: by its type.
void checked_reduce(Team& team, Operation operation, Kind kind, void* dest, const void* source,
                    std::size_t nelems);

}  // namespace isthmus::shmem
