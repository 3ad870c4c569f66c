// The barrier of a team, and the two halves from which the collectives with long data are made.
#pragma once

#include "core/teams/collective/inbox.hpp"

namespace isthmus {

// Returns when every PE of the team has called it. What each stored before is visible to all.
void barrier(Team& team, Routine routine);

namespace collective {

// Next epoch for an operation in which not all hear from all. Now and then a barrier goes first,
// which is also what keeps a fast root from running away from its leaves.
inline std::uint64_t open_one_way(Team& team, Routine routine) {
    if (team.epoch + 1 - team.settled >= kDepth - 1) [[unlikely]]
        barrier(team, routine);
    return ++team.epoch;
}

// "I am here, my operands may be read and written." await_arrival says the same of a peer.
std::uint64_t arrive(Team& team, Routine routine);
inline void await_arrival(const Team& team, Routine routine, int peer, std::uint64_t epoch) {
    if (epoch != 0) await(team, routine, peer, epoch);
}
inline void await_arrivals(Team& team, Routine routine, std::uint64_t epoch) {
    if (epoch == 0) return;
    await_all(team, routine, epoch);
    team.settled = epoch;
}

// "I am done with your memory", and the same heard from all: sources may change, dests are
// complete.
void depart(Team& team, Routine routine);

}  // namespace collective
}  // namespace isthmus
