/* What the files of the runtime share. Every function here or static in a file is called isthmus_,
 * shmem_ or xbrtime_ something: the simulator counts the instructions of communication by these
 * names, and those of waiting by isthmus_spin_. */
#ifndef ISTHMUS_SIM_RUNTIME_H
#define ISTHMUS_SIM_RUNTIME_H

#define ISTHMUS_NO_INLINE
#include "road.h"

#include <stdbool.h>

/* shmem_NAME is a weak alias of pshmem_NAME, which the same file defines: a tool may replace it. */
#define ISTHMUS_ALIAS(R, NAME, PARAMETERS, ARGUMENTS) \
    R shmem_##NAME PARAMETERS __attribute__((weak, alias("pshmem_" #NAME)));

#define ISTHMUS_COLD                __attribute__((cold, noinline))
#define ISTHMUS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* As the simulator's limit on nodes. */
enum { kIsthmusMaxPes = 1024, kIsthmusTeams = 64, kIsthmusRounds = 10, kIsthmusScratch = 512 };

/* The symmetric part of a team: at the same address on all its PEs. A flag is written by one PE
 * only and only rises, so a PE can tell an early flag of the next operation from a missing one. */
struct isthmus_area {
    volatile uint64_t* arrived;                /* by index in the team */
    unsigned char (*scratch)[kIsthmusScratch]; /* by round of a reduction */
};

struct isthmus_team {
    int start, stride, size; /* PEs of the world: start + i * stride */
    int me;                  /* index of this PE */
    int slot;                /* of isthmus_areas; -1 if destroyed */
    int num_contexts;
    /* Of broadcasts, by isthmus_team_shape(): how many PEs may be the root, 0 while the team does
     * not live, so that one look refuses a wrong root and a dead team; the longest broadcast that
     * the root sends to all itself; the greatest power of two below the size, 0 if there is none;
     * the world's PE that would come behind the last one. */
    uint32_t roots, flat_bytes;
    int half, end;
    uint64_t operation; /* collectives so far, alike on all PEs of the team */
    long* counters;     /* an active set: its pSync, used instead of a slot */
    struct isthmus_area area;
};
struct isthmus_context {
    struct isthmus_team* team;
    long options;
    bool live;
};

static inline int isthmus_me(void) {
    return (int)isthmus_window_me;
}
static inline int isthmus_pes(void) {
    return (int)isthmus_window_pes;
}
static inline int isthmus_world_pe(const struct isthmus_team* team, int index) {
    return team->start + index * team->stride;
}

/* Ends the job with "isthmus: PE n: ROUTINE: text". */
void isthmus_fail(const char* routine, const char* format, ...)
    __attribute__((noreturn, cold, format(printf, 2, 3)));
void isthmus_refuse_pe(const char* routine, int pe, int pes) __attribute__((noreturn, cold));
void isthmus_refuse_context(const char* routine) __attribute__((noreturn, cold));

static inline void isthmus_check_pe(const char* routine, int pe) {
    if (!ROAD_CHECKS_PE && ISTHMUS_UNLIKELY((unsigned)pe >= isthmus_window_pes))
        isthmus_refuse_pe(routine, pe, isthmus_pes());
}
/* The world number of a PE of a context. */
static inline int isthmus_context_pe(const char* routine, shmem_ctx_t context, int pe) {
    if (context == SHMEM_CTX_DEFAULT) return pe;
    if (ISTHMUS_UNLIKELY(context == SHMEM_CTX_INVALID || !context->live))
        isthmus_refuse_context(routine);
    if (ISTHMUS_UNLIKELY((unsigned)pe >= (unsigned)context->team->size))
        isthmus_refuse_pe(routine, pe, context->team->size);
    return isthmus_world_pe(context->team, pe);
}
/* Ends the job: the library does not run, or the team has been destroyed. */
void isthmus_refuse_team(const char* routine) __attribute__((noreturn, cold));
/* No team lives while the library does not run: the world's slot says so, too. */
static inline struct isthmus_team* isthmus_live_team(const char* routine, shmem_team_t team) {
    if (ISTHMUS_UNLIKELY(team->slot < 0)) isthmus_refuse_team(routine);
    return team;
}
void isthmus_require_running(const char* routine);

/* Waiting. The processor is told that there is nothing to do before others have moved. */
static inline void isthmus_pause(void) {
    __asm__ volatile(".4byte 0x0100000f" ::: "memory"); /* pause (Zihintpause) */
}
/* Returns when *flag >= value; kept out of line so that waiting can be told from working. */
void isthmus_spin_reached(const volatile uint64_t* flag, uint64_t value);
static inline void isthmus_wait_reached(const volatile uint64_t* flag, uint64_t value) {
    if (*flag < value) isthmus_spin_reached(flag, value);
}

/* What was put before a flag was set is read after it: loads are not moved up across this. */
static inline void isthmus_acquire(void) {
    __asm__ volatile("fence r, rw" ::: "memory");
}

/* The heap: begins behind the areas of the teams. */
void isthmus_heap_start(void* begin, size_t bytes);
void* isthmus_heap_allocate(size_t bytes, size_t alignment);
bool isthmus_heap_release(void* block);
size_t isthmus_heap_block_bytes(const void* block); /* 0: not a block */
bool isthmus_heap_contains(const void* address);
size_t isthmus_heap_free_bytes(void);
bool isthmus_is_symmetric(const void* address);
/* All of the region that every node has at the same address. */
uint64_t isthmus_shared_base(void), isthmus_shared_size(void);

/* Collectives over a team; indices are those of the team. */
void isthmus_team_sync(struct isthmus_team* team);
enum isthmus_operation {
    kIsthmusAnd,
    kIsthmusOr,
    kIsthmusXor,
    kIsthmusMax,
    kIsthmusMin,
    kIsthmusSum,
    kIsthmusProd
};
/* into[i] = into[i] OP from[i] */
typedef void isthmus_combine(void* into, const void* from, size_t nelems);
void isthmus_reduce(struct isthmus_team* team, void* dest, const void* source, size_t nelems,
                    size_t unit, isthmus_combine* combine);

/* The two ways of isthmus_reduce(), and of a broadcast, by name: parts are for long vectors. */
void isthmus_reduce_parts(struct isthmus_team* team, void* dest, const void* source, size_t nelems,
                          size_t unit, isthmus_combine* combine);
void isthmus_broadcast_tree(struct isthmus_team* team, void* dest, const void* source, size_t bytes,
                            int root);

/* What follows from the start, stride and size of a team. */
void isthmus_team_shape(struct isthmus_team* team);
/* From here on the team may be used, to here. */
static inline void isthmus_team_open(struct isthmus_team* team, int slot) {
    team->slot = slot;
    team->roots = (uint32_t)team->size;
}
static inline void isthmus_team_close(struct isthmus_team* team) {
    team->slot = -1;
    team->roots = 0;
}

/* The world and its slots, see teams.c. */
void isthmus_teams_start(void* areas, int pes);
size_t isthmus_area_bytes(int pes);
void isthmus_areas_place(struct isthmus_area* area, int slot);

extern struct isthmus_team isthmus_team_world;

/* Hands a line to the simulator's standard error and ends the whole job. */
void isthmus_end_job(int status) __attribute__((noreturn));

#endif
