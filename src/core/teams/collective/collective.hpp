// The collectives of a team on untyped memory. Every PE of the team calls, with the same arguments
// unless said otherwise; dest and source are symmetric addresses. On return the result is in place
// and the source may be changed. Another PE's dest is written only while that PE is in the call.
//
// Three ways by length: a cell (56 bytes), the stage (16 KB), and directly from memory to memory.
// Only the last has a second meeting, because only there a source must stay until others read it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/teams/collective/barrier.hpp"
#include "core/teams/collective/kernels.hpp"

namespace isthmus {

using collective::Kind;
using collective::Operation;

// `root_dest`: the root's dest is written too (teams: yes; active sets: no).
void broadcast(Team& team, void* dest, const void* source, std::size_t bytes, int root,
               bool root_dest);
// The root's part where it is only to post what fits in a cell or in the stage.
inline bool root_only_posts(const Team& team, std::size_t bytes) {
    return bytes - 1 < team.staged && team.meeting == Meeting::flat;
}
void broadcast_from_root(Team& team, void* dest, const void* source, std::size_t bytes,
                         bool root_dest);

// Concatenates the sources in the order of the team. `bytes` may differ from PE to PE.
void collect(Team& team, void* dest, const void* source, std::size_t bytes);
// The same with equal `bytes`.
void fcollect(Team& team, void* dest, const void* source, std::size_t bytes);

// Block i of the source, `bytes` long, goes to PE i, which files it by the number of the sender.
void alltoall(Team& team, void* dest, const void* source, std::size_t bytes);

// The same with strides (in elements, at least 1) between the `count` elements of a block.
struct Strided {
    std::size_t dest_stride;
    std::size_t source_stride;
    std::size_t count;
    std::size_t element_bytes;
};
void alltoalls(Team& team, void* dest, const void* source, const Strided& shape);

// The routine that a reduction is noted as.
Routine routine_of(Operation operation);
// dest[i] = source[i] of PE 0 OP of PE 1 OP ..., in that order at every PE and for every length, so
// floating results have the same bits everywhere. In place (dest == source) is allowed.
void reduce(Team& team, void* dest, const void* source, std::size_t elements, Operation operation,
            Kind kind);
// Sums over PEs 0..me (inclusive) or 0..me-1 (exclusive, zero at PE 0).
void scan(Team& team, void* dest, const void* source, std::size_t elements, Kind kind,
          bool inclusive);

}  // namespace isthmus
