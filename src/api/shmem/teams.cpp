// Team management (9.4).
#include <string>

#include "api/shmem/collectives.hpp"
#include "base/error.hpp"
#include "core/job/private_memory.hpp"
#include "core/reach/far.hpp"
#include "core/teams/team_table.hpp"

namespace isthmus::shmem {
namespace {

// The options of a team to be. False if the mask asks for a configuration that is not there.
bool take_config(const shmem_team_config_t* config, long mask, TeamRequest& request) {
    request.config_mask = mask;
    if ((mask & SHMEM_TEAM_NUM_CONTEXTS) == 0) return true;
    if (!config || config->num_contexts < 0) return false;
    request.num_contexts = config->num_contexts;
    return true;
}

// The caller has the turn.
void check(Team& team, const Signature& signature) {
    if (job.checked) check_meeting(team, signature);
}

}  // namespace
}  // namespace isthmus::shmem

using namespace isthmus;
using namespace isthmus::shmem;

ISTHMUS_API int pshmem_team_my_pe(shmem_team_t team) {
    if (team == SHMEM_TEAM_INVALID) return -1;
    require_open("shmem_team_my_pe");
    return live(team, "shmem_team_my_pe").my_index;
}

ISTHMUS_API int pshmem_team_n_pes(shmem_team_t team) {
    if (team == SHMEM_TEAM_INVALID) return -1;
    require_open("shmem_team_n_pes");
    return live(team, "shmem_team_n_pes").size;
}

ISTHMUS_API int pshmem_team_get_config(shmem_team_t team, long config_mask,
                                       shmem_team_config_t* config) {
    if (team == SHMEM_TEAM_INVALID) return -1;
    require_open("shmem_team_get_config");
    const Team& subject = live(team, "shmem_team_get_config");
    if (config_mask & SHMEM_TEAM_NUM_CONTEXTS) {
        if (!config) refuse("shmem_team_get_config", "config is null and config_mask is not 0");
        config->num_contexts = subject.num_contexts;
    }
    return 0;
}

ISTHMUS_API int pshmem_team_translate_pe(shmem_team_t src_team, int src_pe,
                                         shmem_team_t dest_team) {
    if (src_team == SHMEM_TEAM_INVALID || dest_team == SHMEM_TEAM_INVALID) return -1;
    require_open("shmem_team_translate_pe");
    const Team& from = live(src_team, "shmem_team_translate_pe");
    const Team& to = live(dest_team, "shmem_team_translate_pe");
    if (src_pe < 0 || src_pe >= from.size) return -1;
    return to.index_of(from.world_pe(src_pe));
}

ISTHMUS_API int pshmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                                          const shmem_team_config_t* config, long config_mask,
                                          shmem_team_t* new_team) {
    *new_team = SHMEM_TEAM_INVALID;
    if (parent_team == SHMEM_TEAM_INVALID) return -1;
    constexpr Routine routine = Routine::team_split_strided;
    Team& parent = live(parent_team, routine_name(routine));
    note(routine);
    const Turn turn(parent, routine);
    check(parent, {.routine = routine,
                   .root = start,
                   .count = static_cast<std::uint64_t>(size),
                   .dest_stride = stride});
    TeamRequest request;
    bool valid = split_shape(parent, start, stride, size, request.shape);
    valid &= take_config(config, config_mask, request);
    return create_teams(parent, routine, valid, &request, 1, new_team) ? 0 : 1;
}

ISTHMUS_API int pshmem_team_split_2d(shmem_team_t parent_team, int xrange,
                                     const shmem_team_config_t* xaxis_config, long xaxis_mask,
                                     shmem_team_t* xaxis_team,
                                     const shmem_team_config_t* yaxis_config, long yaxis_mask,
                                     shmem_team_t* yaxis_team) {
    *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
    if (parent_team == SHMEM_TEAM_INVALID) return -1;
    constexpr Routine routine = Routine::team_split_2d;
    Team& parent = live(parent_team, routine_name(routine));
    note(routine);
    const Turn turn(parent, routine);
    check(parent, {.routine = routine, .count = static_cast<std::uint64_t>(xrange)});
    TeamRequest requests[2];
    bool valid = xrange > 0;
    if (valid) {
        // Row y holds PEs y * columns + (0..columns-1), the last row perhaps fewer; column x holds
        // every columns-th PE from x on.
        const int columns = xrange < parent.size ? xrange : parent.size;
        const int x = parent.my_index % columns;
        const int row_start = parent.my_index - x;
        const int row_size = parent.size - row_start < columns ? parent.size - row_start : columns;
        const int column_size = (parent.size - x + columns - 1) / columns;
        valid = split_shape(parent, row_start, 1, row_size, requests[0].shape) &&
                split_shape(parent, x, columns, column_size, requests[1].shape);
    }
    valid &= take_config(xaxis_config, xaxis_mask, requests[0]);
    valid &= take_config(yaxis_config, yaxis_mask, requests[1]);
    Team* teams[2];
    if (!create_teams(parent, routine, valid, requests, 2, teams)) return 1;
    *xaxis_team = teams[0];
    *yaxis_team = teams[1];
    return 0;
}

ISTHMUS_API void pshmem_team_destroy(shmem_team_t team) {
    if (team == SHMEM_TEAM_INVALID) return;
    constexpr Routine routine = Routine::team_destroy;
    require_open(routine_name(routine));
    Team& subject = live(team, routine_name(routine));
    if (team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED)
        refuse(routine_name(routine), "SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED cannot be destroyed");
    note(routine);
    Turn turn(subject, routine);
    check(subject, {.routine = routine});
    turn.end_with_team();
    destroy_team(subject);
}

ISTHMUS_API void* pshmem_team_ptr(shmem_team_t team, const void* dest, int pe) {
    if (team == SHMEM_TEAM_INVALID) return nullptr;
    require_open("shmem_team_ptr");
    const Team& subject = live(team, "shmem_team_ptr");
    if (pe < 0 || pe >= subject.size) return nullptr;
    return point_at(dest, subject.world_pe(pe), "shmem_team_ptr");
}

SHMEM_TABLE_TEAMS(ISTHMUS_ALIAS)
