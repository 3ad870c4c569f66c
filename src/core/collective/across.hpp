// Collectives of teams that reach across hosts, and of active sets without a team. The barrier
// knows two levels: the PEs of a host meet by the window, one of each host meets the others' over
// the network. The rest: every PE fetches what it needs, between two barriers; what fits in a cell
// goes without.
//
// Arguments as in collective.hpp. Reductions combine in the order of the team here too, so the
// bits are the same as on one host.
#pragma once

#include <vector>

#include "core/collective/collective.hpp"

namespace isthmus::collective {

// How a team lies on hosts, in numbers of the team.
struct Levels {
    int leader = 0;            // of this PE's host: the lowest one there
    int rank = -1;             // this PE's among the leaders; -1: it is none
    std::vector<int> leaders;  // one a host, the same list at every PE
    std::vector<int> mates;    // of a leader: the others of its host
};
Levels find_levels(const Team& team);

}  // namespace isthmus::collective

namespace isthmus::collective::across {

// Like post(), to a PE near or far. The payload is there before the epoch is.
void tell(const Team& team, Routine routine, int peer, std::uint64_t epoch, const void* data,
          std::size_t bytes);

// Completes this PE's operations first.
void barrier(Team& team, Routine routine);

void broadcast(Team& team, void* dest, const void* source, std::size_t bytes, int root,
               bool root_dest);
void collect(Team& team, void* dest, const void* source, std::size_t bytes);
void fcollect(Team& team, void* dest, const void* source, std::size_t bytes);
void alltoall(Team& team, void* dest, const void* source, std::size_t bytes);
void alltoalls(Team& team, void* dest, const void* source, const Strided& shape);
void reduce(Team& team, void* dest, const void* source, std::size_t elements, Operation operation,
            Kind kind);
void scan(Team& team, void* dest, const void* source, std::size_t elements, Kind kind,
          bool inclusive);

}  // namespace isthmus::collective::across
