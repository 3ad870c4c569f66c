// Collectives of active sets that have no team behind them (under SHMEM_THREAD_MULTIPLE, or when
// the slots are used up), on one host or several: every PE fetches what it needs, between two
// barriers through the work array.
//
// Arguments as in collective.hpp. Reductions combine in the order of the set.
#pragma once

#include "core/teams/collective/collective.hpp"

namespace isthmus::collective::by_fetch {

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

}  // namespace isthmus::collective::by_fetch
