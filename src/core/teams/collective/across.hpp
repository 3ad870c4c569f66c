// Collectives of teams that reach across hosts, in two levels: what PEs of one host have for each
// other goes by the window, and each datum crosses to another host once where the operation allows
// that (docs/transport.md has the table).
//
// Arguments as in collective.hpp. Reductions combine in the order of the team here too, so the
// bits are the same as on one host.
#pragma once

#include "core/teams/collective/collective.hpp"

namespace isthmus::collective::across {

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
