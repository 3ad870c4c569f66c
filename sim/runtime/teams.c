/* Teams (9.4), contexts (9.5) and sessions (9.9). A team is a start, a stride and a size in the
 * world; its symmetric part is one of kIsthmusTeams slots. The PEs of the parent agree on a slot
 * that is free on all of them. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

struct isthmus_team isthmus_team_world = {.stride = 1, .size = 1, .slot = -1};
struct isthmus_team isthmus_team_shared = {.stride = 1, .size = 1, .slot = -1};
struct isthmus_context isthmus_context_default = {&isthmus_team_world, 0, true};

static char* isthmus_areas;
static size_t isthmus_area_stride;
/* One bit a slot; symmetric, as it is reduced. Slot 0 is the world's, 1 that of the nodes that
 * share memory: each node alone. */
static uint64_t isthmus_free_slots = ~UINT64_C(3), isthmus_common_slots;
_Static_assert(kIsthmusTeams == 64, "one bit a slot");

static size_t isthmus_one_area(int pes) {
    return ((size_t)pes * sizeof(uint64_t) + 63) / 64 * 64 + kIsthmusRounds * kIsthmusScratch;
}
size_t isthmus_area_bytes(int pes) {
    return kIsthmusTeams * isthmus_one_area(pes);
}
void isthmus_areas_place(struct isthmus_area* area, int slot) {
    char* const begin = isthmus_areas + (size_t)slot * isthmus_area_stride;
    area->scratch = (unsigned char(*)[kIsthmusScratch])begin;
    area->arrived = (volatile uint64_t*)(begin + kIsthmusRounds * kIsthmusScratch);
}
void isthmus_teams_start(void* areas, int pes) {
    isthmus_areas = areas;
    isthmus_area_stride = isthmus_one_area(pes);
    isthmus_team_world.size = pes;
    isthmus_team_world.me = isthmus_me();
    isthmus_areas_place(&isthmus_team_world.area, 0);
    isthmus_team_shape(&isthmus_team_world);
    isthmus_team_shared.start = isthmus_me();
    isthmus_areas_place(&isthmus_team_shared.area, 1);
    isthmus_team_shape(&isthmus_team_shared);
}

void isthmus_refuse_team(const char* routine) {
    isthmus_require_running(routine);
    isthmus_fail(routine, "the team has been destroyed");
}

int pshmem_team_my_pe(shmem_team_t team) {
    return team == SHMEM_TEAM_INVALID ? -1 : isthmus_live_team("shmem_team_my_pe", team)->me;
}
int pshmem_team_n_pes(shmem_team_t team) {
    return team == SHMEM_TEAM_INVALID ? -1 : isthmus_live_team("shmem_team_n_pes", team)->size;
}
int pshmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t* config) {
    if (team == SHMEM_TEAM_INVALID) return -1;
    isthmus_live_team("shmem_team_get_config", team);
    if (config_mask & SHMEM_TEAM_NUM_CONTEXTS) {
        if (!config)
            isthmus_fail("shmem_team_get_config", "config is null and config_mask is not 0");
        config->num_contexts = team->num_contexts;
    }
    return 0;
}
int pshmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team) {
    if (src_team == SHMEM_TEAM_INVALID || dest_team == SHMEM_TEAM_INVALID) return -1;
    isthmus_live_team("shmem_team_translate_pe", src_team);
    isthmus_live_team("shmem_team_translate_pe", dest_team);
    if ((unsigned)src_pe >= (unsigned)src_team->size) return -1;
    const int distance = isthmus_world_pe(src_team, src_pe) - dest_team->start;
    const int index = distance / dest_team->stride;
    return distance % dest_team->stride == 0 && index >= 0 && index < dest_team->size ? index : -1;
}

/* A team to be made of a parent's members; size 0 if this PE is in none. */
struct isthmus_request {
    int start, stride, size; /* of the parent */
    int num_contexts;
};

static bool isthmus_take_config(const shmem_team_config_t* config, long mask,
                                struct isthmus_request* request) {
    if ((mask & SHMEM_TEAM_NUM_CONTEXTS) == 0) return true;
    if (!config || config->num_contexts < 0) return false;
    request->num_contexts = config->num_contexts;
    return true;
}

static void isthmus_and(void* into, const void* from, size_t nelems) {
    for (size_t i = 0; i < nelems; ++i)
        ((uint64_t*)into)[i] &= ((const uint64_t*)from)[i];
}

/* Makes the requested teams, each with a slot that is free on every PE of the parent. All of the
 * parent call; false on all if the arguments of one are wrong or no slot is left. */
static bool isthmus_split(struct isthmus_team* parent, bool valid,
                          const struct isthmus_request* requests, int count, shmem_team_t* teams) {
    isthmus_team_sync(parent); /* the last split's results have been read */
    const uint64_t mine = valid ? isthmus_free_slots : 0;
    isthmus_common_slots = mine;
    isthmus_reduce(parent, &isthmus_common_slots, &isthmus_common_slots, 1, sizeof(uint64_t),
                   isthmus_and);
    if (__builtin_popcountll(isthmus_common_slots) < count) return false;
    for (int i = 0; i < count; ++i) {
        const int slot = __builtin_ctzll(isthmus_common_slots);
        isthmus_common_slots &= isthmus_common_slots - 1;
        const struct isthmus_request* const request = &requests[i];
        const int distance = parent->me - request->start;
        const int step = request->stride;
        if (request->size == 0 || distance % step != 0 || distance / step < 0 ||
            distance / step >= request->size)
            continue;
        struct isthmus_team* const team = calloc(1, sizeof *team);
        if (!team) isthmus_fail("shmem_team_split", "no memory for a team");
        team->start = isthmus_world_pe(parent, request->start);
        team->stride = parent->stride * step;
        team->size = request->size;
        team->me = distance / step;
        team->num_contexts = request->num_contexts;
        isthmus_areas_place(&team->area, slot);
        isthmus_team_shape(team);
        isthmus_team_open(team, slot);
        isthmus_free_slots &= ~(UINT64_C(1) << slot);
        for (int p = 0; p < isthmus_pes(); ++p)
            team->area.arrived[p] = 0; /* of the slot's last team */
        teams[i] = team;
    }
    isthmus_team_sync(parent); /* nobody sends before the flags are cleared */
    return true;
}

int pshmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                              const shmem_team_config_t* config, long config_mask,
                              shmem_team_t* new_team) {
    *new_team = SHMEM_TEAM_INVALID;
    if (parent_team == SHMEM_TEAM_INVALID) return -1;
    struct isthmus_team* const parent = isthmus_live_team("shmem_team_split_strided", parent_team);
    struct isthmus_request request = {start, stride, size, 0};
    const long last = start + (long)stride * (size - 1);
    bool valid = start >= 0 && start < parent->size && size >= 1 && size <= parent->size &&
                 last >= 0 && last < parent->size && (stride != 0 || size == 1);
    if (size == 1) request.stride = 1;
    valid &= isthmus_take_config(config, config_mask, &request);
    if (!valid) request.stride = 1;
    return isthmus_split(parent, valid, &request, 1, new_team) ? 0 : 1;
}
int pshmem_team_split_2d(shmem_team_t parent_team, int xrange,
                         const shmem_team_config_t* xaxis_config, long xaxis_mask,
                         shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config,
                         long yaxis_mask, shmem_team_t* yaxis_team) {
    *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
    if (parent_team == SHMEM_TEAM_INVALID) return -1;
    struct isthmus_team* const parent = isthmus_live_team("shmem_team_split_2d", parent_team);
    struct isthmus_request requests[2] = {{0, 1, 0, 0}, {0, 1, 0, 0}};
    bool valid = xrange > 0;
    if (valid) {
        /* Row y holds y * columns + (0..columns - 1), the last one perhaps fewer; column x holds
         * every columns-th PE from x on. */
        const int columns = xrange < parent->size ? xrange : parent->size;
        const int x = parent->me % columns, row = parent->me - x;
        requests[0].start = row;
        requests[0].size = parent->size - row < columns ? parent->size - row : columns;
        requests[1].start = x;
        requests[1].stride = columns;
        requests[1].size = (parent->size - x + columns - 1) / columns;
    }
    valid &= isthmus_take_config(xaxis_config, xaxis_mask, &requests[0]);
    valid &= isthmus_take_config(yaxis_config, yaxis_mask, &requests[1]);
    shmem_team_t teams[2] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID};
    if (!isthmus_split(parent, valid, requests, 2, teams)) return 1;
    *xaxis_team = teams[0];
    *yaxis_team = teams[1];
    return 0;
}
/* The handle stays, so that a use of it is told from a valid one. */
void pshmem_team_destroy(shmem_team_t team) {
    if (team == SHMEM_TEAM_INVALID) return;
    isthmus_live_team("shmem_team_destroy", team);
    if (team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED)
        isthmus_fail("shmem_team_destroy",
                     "SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED cannot be destroyed");
    isthmus_team_sync(team);
    isthmus_free_slots |= UINT64_C(1) << team->slot;
    isthmus_team_close(team);
}
void* pshmem_team_ptr(shmem_team_t team, const void* dest, int pe) {
    if (team == SHMEM_TEAM_INVALID) return NULL;
    isthmus_live_team("shmem_team_ptr", team);
    if ((unsigned)pe >= (unsigned)team->size) return NULL; /* as natively */
    return pshmem_ptr(dest, isthmus_world_pe(team, pe));
}
SHMEM_TABLE_TEAMS(ISTHMUS_ALIAS)

static int isthmus_create(const char* routine, shmem_team_t team, long options, shmem_ctx_t* ctx) {
    isthmus_require_running(routine);
    *ctx = SHMEM_CTX_INVALID;
    if (options & ~(SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE))
        isthmus_fail(routine,
                     "options %ld has bits other than SHMEM_CTX_SERIALIZED, PRIVATE and NOSTORE",
                     options);
    if (team == SHMEM_TEAM_INVALID) return -1;
    struct isthmus_context* const made = malloc(sizeof *made);
    if (!made) return 1;
    *made = (struct isthmus_context){team, options, true};
    *ctx = made;
    return 0;
}
int pshmem_ctx_create(long options, shmem_ctx_t* ctx) {
    return isthmus_create("shmem_ctx_create", SHMEM_TEAM_WORLD, options, ctx);
}
int pshmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx) {
    return isthmus_create("shmem_team_create_ctx", team, options, ctx);
}
void pshmem_ctx_destroy(shmem_ctx_t ctx) {
    if (ctx == SHMEM_CTX_INVALID) return;
    if (ctx == SHMEM_CTX_DEFAULT)
        isthmus_fail("shmem_ctx_destroy", "SHMEM_CTX_DEFAULT cannot be destroyed");
    if (!ctx->live) isthmus_refuse_context("shmem_ctx_destroy");
    isthmus_road_quiet();
    ctx->live = false; /* stays readable, as a team does */
}
int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) {
    *team = ctx == SHMEM_CTX_INVALID ? SHMEM_TEAM_INVALID : ctx->team;
    return ctx == SHMEM_CTX_INVALID ? -1 : 0;
}
/* Sessions are hints. */
void pshmem_ctx_session_start(shmem_ctx_t ctx, long options,
                              const shmem_ctx_session_config_t* config, long config_mask) {
    (void)config;
    if (ctx == SHMEM_CTX_INVALID) return;
    if (options & ~SHMEM_CTX_SESSION_BATCH)
        isthmus_fail("shmem_ctx_session_start",
                     "options %ld has bits other than SHMEM_CTX_SESSION_BATCH", options);
    if (config_mask & ~SHMEM_CTX_SESSION_TOTAL_OPS)
        isthmus_fail("shmem_ctx_session_start",
                     "config_mask %ld has bits other than SHMEM_CTX_SESSION_TOTAL_OPS",
                     config_mask);
}
void pshmem_ctx_session_stop(shmem_ctx_t ctx) {
    (void)ctx;
}
SHMEM_TABLE_CONTEXTS(ISTHMUS_ALIAS)
