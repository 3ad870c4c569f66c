// What teams.cpp, collectives.cpp and active_set.cpp share: the checks in front of a collective.
#pragma once

#include "api/shmem/export.hpp"
#include "core/collective/check.hpp"
#include "core/collective/collective.hpp"

namespace isthmus::shmem {

using collective::Signature;

// Ends the job with a message: not initialised, or the team has been destroyed.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_team(const char* routine);

inline Team& live(shmem_team_t team, const char* routine) {
    if (team->slot < 0) [[unlikely]]
        refuse_team(routine);
    return *team;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_root(Routine routine, int root, int size);
[[noreturn, gnu::cold, gnu::noinline]] void refuse_stride(Routine routine, const char* name,
                                                          std::ptrdiff_t stride);

// Checked mode's part; nothing otherwise.
inline void check(Team& team, const Signature& signature) {
    if (job.checked) [[unlikely]]
        check_signature(team, signature);
}

struct Operands {
    const void* dest;
    std::size_t dest_bytes;
    const void* source;
    std::size_t source_bytes;
    bool in_place = false;
};
inline void check(Team& team, Signature signature, const Operands& operands) {
    if (!job.checked) [[likely]]
        return;
    collective::check_operands(signature.routine, operands.dest, operands.dest_bytes,
                               operands.source, operands.source_bytes, operands.in_place);
    signature.dest = reinterpret_cast<std::uint64_t>(operands.dest);
    signature.source = reinterpret_cast<std::uint64_t>(operands.source);
    check_signature(team, signature);
}

// The collectives on untyped memory, checks included; the faces for teams and for active sets add
// only where the team comes from. `unit`: bytes of an element.
void checked_broadcast(Team& team, void* dest, const void* source, std::size_t nelems,
                       std::size_t unit, int root, bool root_dest);
void checked_collect(Team& team, void* dest, const void* source, std::size_t nelems,
                     std::size_t unit);
void checked_fcollect(Team& team, void* dest, const void* source, std::size_t nelems,
                      std::size_t unit);
void checked_alltoall(Team& team, void* dest, const void* source, std::size_t nelems,
                      std::size_t unit);
void checked_alltoalls(Team& team, void* dest, const void* source, std::ptrdiff_t dst,
                       std::ptrdiff_t sst, std::size_t nelems, std::size_t unit);
void checked_reduce(Team& team, Operation operation, Kind kind, void* dest, const void* source,
                    std::size_t nelems);

}  // namespace isthmus::shmem
