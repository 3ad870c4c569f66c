/* Collectives over teams and active sets (9.10).
 *
 * Sync is a dissemination barrier; broadcast and short reductions run down and up a binomial tree;
 * long reductions give every PE a part of the vector, which it reads from all, combines and writes
 * to all; everything else is each PE's puts between two syncs. No copy is made on the way.
 *
 * In a team with a slot a flag says which operation its writer has come to. An active set has its
 * pSync only: counters that a barrier raises and lowers again, so its collectives are made of
 * barriers and transfers. */
#include "runtime.h"

#include <alloca.h>
#include <string.h>

/* Read what came with a flag only after the flag. */
static inline void isthmus_acquire(void) {
    __asm__ volatile("fence r, rw" ::: "memory");
}

static void isthmus_counter_sync(struct isthmus_team* set) {
    road_fence();
    for (int round = 0, step = 1; step < set->size; ++round, step <<= 1) {
        uint64_t* const counter = (uint64_t*)&set->counters[round];
        road_post_add64(isthmus_world_pe(set, (set->me + step) % set->size), counter, 1);
        isthmus_wait_reached(counter, 1);
        /* Not a plain store: the partner may already be in the next barrier. */
        road_post_add64(isthmus_me(), counter, -UINT64_C(1));
    }
    road_fence();
}

void isthmus_team_sync(struct isthmus_team* team) {
    if (ISTHMUS_UNLIKELY(team->counters != NULL)) return isthmus_counter_sync(team);
    const uint64_t operation = ++team->operation;
    const int size = team->size, me = team->me;
    volatile uint64_t* const arrived = team->area.arrived;
    for (int step = 1; step < size; step <<= 1) {
        const int to = me + step < size ? me + step : me + step - size;
        const int from = me >= step ? me - step : me - step + size;
        /* Behind the last flag to the same PE, and behind what was put before. */
        road_flag64(isthmus_world_pe(team, to), (void*)&arrived[me], operation);
        isthmus_wait_reached(&arrived[from], operation);
    }
    isthmus_acquire();
}

/* Few PEs and little data: the root does it all, nobody passes anything on. */
enum { kIsthmusFlatPes = 8, kIsthmusFlatBytes = 512 };

void isthmus_team_shape(struct isthmus_team* team) {
    team->flat_bytes = team->size <= kIsthmusFlatPes ? kIsthmusFlatBytes : 0;
    int half = 1;
    while (half < team->size)
        half <<= 1;
    team->half = half >> 1;
}

/* Data and flags down the binomial tree of `place`, the distance from the root: all data first,
 * then all flags, the first of them behind the data and the others behind it. `word`: one aligned
 * word, else any other number of bytes. */
static inline int isthmus_send_below(struct isthmus_team* team, void* dest, const void* from,
                                     size_t bytes, int root, int place, int word) {
    const int size = team->size;
    int last = place == 0 ? team->half : (place & -place) >> 1;
    while (place + last >= size) /* children that the team is too small for */
        last >>= 1;
    if (last == 0) return 0;
    const int start = team->start, stride = team->stride, base = place + root, left = size - base;
    const uint64_t operation = team->operation;
    volatile uint64_t* const flag = &team->area.arrived[team->me];
    const uint64_t value = word ? *(const uint64_t*)from : 0;
#define ISTHMUS_CHILD_(step) (start + stride * (base + (step) - ((step) < left ? 0 : size)))
    if (word || bytes != 0) {
        for (int step = last; step != 0; step >>= 1) {
            const int to = ISTHMUS_CHILD_(step);
            if (word)
                road_store64(to, dest, value);
            else
                road_put_block_nbi(to, dest, from, bytes);
        }
    }
    road_flag64(ISTHMUS_CHILD_(last), (void*)flag, operation);
    for (int step = last >> 1; step != 0; step >>= 1)
        road_store64(ISTHMUS_CHILD_(step), (void*)flag, operation);
#undef ISTHMUS_CHILD_
    if (!word) road_local();
    return 0;
}
static __attribute__((noinline)) int isthmus_send_word_down(struct isthmus_team* team, void* dest,
                                                            const void* from, int root, int place) {
    return isthmus_send_below(team, dest, from, 8, root, place, 1);
}
static __attribute__((noinline)) int isthmus_send_block_down(struct isthmus_team* team, void* dest,
                                                             const void* from, size_t bytes,
                                                             int root, int place) {
    return isthmus_send_below(team, dest, from, bytes, root, place, 0);
}
static inline int isthmus_is_word(const void* dest, const void* from, size_t bytes) {
    return bytes == 8 && (((uintptr_t)dest | (uintptr_t)from) & 7) == 0;
}
static inline int isthmus_send_down(struct isthmus_team* team, void* dest, const void* from,
                                    size_t bytes, int root, int place) {
    if (isthmus_is_word(dest, from, bytes))
        return isthmus_send_word_down(team, dest, from, root, place);
    return isthmus_send_block_down(team, dest, from, bytes, root, place);
}

/* The root of a flat broadcast. Everything is read before the first put: the compiler must take it
 * that a put changes memory. */
#define ISTHMUS_FLAT_(team, root)                             \
    const int stride = (team)->stride, start = (team)->start; \
    const int own = start + (root)*stride;                    \
    const int end = start + (team)->size * stride;            \
    const uint64_t operation = (team)->operation;             \
    volatile uint64_t* const flag = &(team)->area.arrived[root]
static inline void isthmus_flag_all(int pe, int stride, int own, int end, volatile uint64_t* flag,
                                    uint64_t operation) {
    const int behind = pe != own;
    if (!behind) pe += stride;
    if (pe == end) return;
    road_flag64(pe, (void*)flag, operation);
    pe += stride;
    if (behind) {
        for (; pe != own; pe += stride)
            road_store64(pe, (void*)flag, operation);
        pe += stride;
    }
    for (; pe != end; pe += stride)
        road_store64(pe, (void*)flag, operation);
}
/* `dest` of the root's own, too, is copied by the road. */
static __attribute__((noinline)) int isthmus_flat_block(struct isthmus_team* team, void* dest,
                                                        const void* source, size_t bytes,
                                                        int root) {
    ISTHMUS_FLAT_(team, root);
    const int skipped = dest == source ? own : -1;
    for (int pe = start; pe != end; pe += stride)
        if (pe != skipped) road_put_block_nbi(pe, dest, source, bytes);
    isthmus_flag_all(start, stride, own, end, flag, operation);
    road_quiet();
    return 0;
}
static __attribute__((noinline)) int isthmus_flat_word(struct isthmus_team* team, void* dest,
                                                       const void* source, size_t bytes, int root) {
    if (!isthmus_is_word(dest, source, bytes))
        return isthmus_flat_block(team, dest, source, bytes, root);
    ISTHMUS_FLAT_(team, root);
    const uint64_t word = *(const uint64_t*)source;
    *(uint64_t*)dest = word;
    int pe = start;
    for (; pe != own; pe += stride)
        road_store64(pe, dest, word);
    for (pe += stride; pe != end; pe += stride)
        road_store64(pe, dest, word);
    isthmus_flag_all(start, stride, own, end, flag, operation);
    return 0;
}
#undef ISTHMUS_FLAT_
/* The root of a tree. */
static __attribute__((noinline)) int isthmus_tree_block(struct isthmus_team* team, void* dest,
                                                        const void* source, size_t bytes,
                                                        int root) {
    if (dest != source && bytes != 0)
        road_put_block_nbi(isthmus_world_pe(team, root), dest, source, bytes);
    if (team->size != 1) return isthmus_send_below(team, dest, source, bytes, root, 0, 0);
    road_quiet();
    return 0;
}
static __attribute__((noinline)) int isthmus_tree_word(struct isthmus_team* team, void* dest,
                                                       const void* source, size_t bytes, int root) {
    if (!isthmus_is_word(dest, source, bytes))
        return isthmus_tree_block(team, dest, source, bytes, root);
    *(uint64_t*)dest = *(const uint64_t*)source;
    return isthmus_send_below(team, dest, source, bytes, root, 0, 1);
}
/* One choice a function, so that it costs a branch and leaves the arguments where they are. */
static __attribute__((noinline)) int isthmus_flat_root(struct isthmus_team* team, void* dest,
                                                       const void* source, size_t bytes, int root) {
    if (bytes == 8) return isthmus_flat_word(team, dest, source, bytes, root);
    return isthmus_flat_block(team, dest, source, bytes, root);
}
static __attribute__((noinline)) int isthmus_tree_root(struct isthmus_team* team, void* dest,
                                                       const void* source, size_t bytes, int root) {
    if (bytes == 8) return isthmus_tree_word(team, dest, source, bytes, root);
    return isthmus_tree_block(team, dest, source, bytes, root);
}
static inline int isthmus_takes_tree(const struct isthmus_team* team, size_t bytes) {
    return bytes - 1 >= team->flat_bytes;
}
static __attribute__((noinline)) int isthmus_broadcast_root(struct isthmus_team* team, void* dest,
                                                            const void* source, size_t bytes,
                                                            int root) {
    ++team->operation;
    if (isthmus_takes_tree(team, bytes)) return isthmus_tree_root(team, dest, source, bytes, root);
    return isthmus_flat_root(team, dest, source, bytes, root);
}
/* Between the root and the leaves of the tree. */
static __attribute__((noinline)) int isthmus_broadcast_middle(struct isthmus_team* team, void* dest,
                                                              size_t bytes, int root) {
    const int place = team->me >= root ? team->me - root : team->me - root + team->size;
    int from = place - (place & -place) + root;
    from = from < team->size ? from : from - team->size;
    const uint64_t operation = ++team->operation;
    isthmus_wait_reached(&team->area.arrived[from], operation);
    isthmus_acquire();
    return isthmus_send_down(team, dest, dest, bytes, root, place);
}

static __attribute__((noinline)) int isthmus_spin_leaf(const volatile uint64_t* flag,
                                                       uint64_t operation) {
    isthmus_spin_reached(flag, operation);
    isthmus_acquire();
    return 0;
}
static ISTHMUS_COLD int isthmus_refuse_broadcast(const char* routine, shmem_team_t team, int root) {
    if (team == SHMEM_TEAM_INVALID) isthmus_fail(routine, "the team is SHMEM_TEAM_INVALID");
    isthmus_live_team(routine, team);
    isthmus_fail(routine, "PE_root %d is out of range 0..%d", root, team->size - 1);
}
/* What most PEs do, without a frame: wait for the root, or as a leaf of the tree for the parent. */
static inline int isthmus_team_broadcast(const char* routine, struct isthmus_team* team, void* dest,
                                         const void* source, size_t bytes, int root) {
    if (ISTHMUS_UNLIKELY(team == SHMEM_TEAM_INVALID || team->slot < 0 ||
                         (unsigned)root >= (unsigned)team->size))
        return isthmus_refuse_broadcast(routine, team, root);
    const int me = team->me;
    int from = root;
    if (me == root) return isthmus_broadcast_root(team, dest, source, bytes, root);
    if (isthmus_takes_tree(team, bytes)) {
        const int place = me >= root ? me - root : me - root + team->size;
        if ((place & 1) == 0) return isthmus_broadcast_middle(team, dest, bytes, root);
        from = me != 0 ? me - 1 : team->size - 1;
    }
    const uint64_t operation = ++team->operation;
    const volatile uint64_t* const flag = &team->area.arrived[from];
    if (*flag < operation) return isthmus_spin_leaf(flag, operation);
    isthmus_acquire();
    return 0;
}

void isthmus_broadcast_tree(struct isthmus_team* team, void* dest, const void* source, size_t bytes,
                            int root) {
    const uint32_t flat = team->flat_bytes;
    team->flat_bytes = 0;
    isthmus_team_broadcast("isthmus_broadcast_tree", team, dest, source, bytes, root);
    team->flat_bytes = flat;
}

/* Of an active set. */
static void isthmus_counter_broadcast(struct isthmus_team* set, void* dest, const void* source,
                                      size_t bytes, int root) {
    for (int i = 0; i < set->size && set->me == root; ++i)
        if (i != root) road_put_nbi(isthmus_world_pe(set, i), dest, source, bytes);
    road_quiet();
    isthmus_counter_sync(set);
}

/* Up the tree into the parents' scratch, down again into dest. A child's next vector cannot come
 * before its parent has used this one: the child waits for the result in between. */
static void isthmus_reduce_short(struct isthmus_team* team, void* dest, const void* source,
                                 size_t nelems, size_t bytes, isthmus_combine* combine) {
    _Alignas(16) unsigned char mine[kIsthmusScratch];
    const uint64_t operation = ++team->operation;
    const int size = team->size, me = team->me;
    memcpy(mine, source, bytes);
    for (int round = 0, step = 1; step < size; ++round, step <<= 1) {
        if (me & step) {
            const int to = isthmus_world_pe(team, me - step);
            road_put_nbi(to, team->area.scratch[round], mine, bytes);
            road_flag64(to, (void*)&team->area.arrived[me], operation);
            isthmus_wait_reached(&team->area.arrived[me - step], operation);
            road_local();
            isthmus_acquire();
            break;
        }
        if (me + step >= size) continue;
        isthmus_wait_reached(&team->area.arrived[me + step], operation);
        isthmus_acquire();
        combine(mine, team->area.scratch[round], nelems);
    }
    if (me == 0) memcpy(dest, mine, bytes);
    if ((me & 1) == 0) isthmus_send_down(team, dest, dest, bytes, 0, me);
}

void isthmus_reduce(struct isthmus_team* team, void* dest, const void* source, size_t nelems,
                    size_t unit, isthmus_combine* combine) {
    const size_t bytes = nelems * unit;
    if (team->size == 1) {
        memmove(dest, source, bytes);
        return;
    }
    if (team->counters == NULL && bytes <= kIsthmusScratch)
        return isthmus_reduce_short(team, dest, source, nelems, bytes, combine);
    isthmus_reduce_parts(team, dest, source, nelems, unit, combine);
}
void isthmus_reduce_parts(struct isthmus_team* team, void* dest, const void* source, size_t nelems,
                          size_t unit, isthmus_combine* combine) {
    enum { kPiece = 4096 };
    const int size = team->size, me = team->me;
    isthmus_team_sync(team); /* every source is there */
    /* This PE alone reads these elements of the sources and writes them in the dests, so in-place
     * reductions need no copy. */
    const size_t first = nelems * (size_t)me / (size_t)size;
    const size_t last = nelems * (size_t)(me + 1) / (size_t)size;
    _Alignas(16) unsigned char mine[kPiece], other[kPiece];
    const size_t step = kPiece / unit;
    for (size_t at = first; at < last; at += step) {
        const size_t count = last - at < step ? last - at : step;
        memcpy(mine, (const char*)source + at * unit, count * unit);
        for (int k = 1; k < size; ++k) {
            const int from = isthmus_world_pe(team, (me + k) % size);
            road_get(from, other, (const char*)source + at * unit, count * unit);
            combine(mine, other, count);
        }
        for (int k = 0; k < size; ++k)
            road_put_nbi(isthmus_world_pe(team, (me + k) % size), (char*)dest + at * unit, mine,
                         count * unit);
        road_quiet();
    }
    isthmus_team_sync(team);
}

/* The sum of the PEs up to this one, or before it. */
static void isthmus_scan(struct isthmus_team* team, void* dest, const void* source, size_t nelems,
                         size_t unit, bool inclusive, isthmus_combine* combine) {
    enum { kPiece = 4096 };
    const size_t bytes = nelems * unit;
    isthmus_team_sync(team);
    /* In place, the sources are needed until all have read them. */
    void* const result = alloca(bytes <= kPiece ? bytes + 16 : 16);
    void* const into = bytes <= kPiece ? (void*)(((uintptr_t)result + 15) & -(uintptr_t)16) : dest;
    const bool overlap = into == dest && (const char*)dest < (const char*)source + bytes &&
                         (const char*)source < (const char*)dest + bytes;
    _Alignas(16) unsigned char other[kPiece];
    const size_t step = kPiece / unit;
    /* Long ones in place: the last PE first, each waits until those behind it have read. */
    const int turns = overlap ? team->size : 1;
    for (int turn = turns - 1; turn >= 0; --turn) {
        if (turn == team->me || !overlap) {
            if (inclusive)
                memmove(into, source, bytes);
            else
                memset(into, 0, bytes);
            for (int i = 0; i < team->me; ++i)
                for (size_t at = 0; at < nelems; at += step) {
                    const size_t count = nelems - at < step ? nelems - at : step;
                    road_get(isthmus_world_pe(team, i), other, (const char*)source + at * unit,
                             count * unit);
                    combine((char*)into + at * unit, other, count);
                }
        }
        isthmus_team_sync(team);
    }
    if (into != dest) memcpy(dest, into, bytes);
}

static void isthmus_alltoall(struct isthmus_team* team, void* dest, const void* source,
                             size_t bytes) {
    const int size = team->size, me = team->me;
    for (int k = 0; k < size; ++k) {
        const int to = me + k < size ? me + k : me + k - size;
        road_put_nbi(isthmus_world_pe(team, to), (char*)dest + (size_t)me * bytes,
                     (const char*)source + (size_t)to * bytes, bytes);
    }
    road_quiet();
    isthmus_team_sync(team);
}
static void isthmus_alltoalls(struct isthmus_team* team, void* dest, const void* source,
                              ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t unit) {
    const int size = team->size, me = team->me;
    for (int k = 0; k < size; ++k) {
        const int to = (me + k) % size;
        for (size_t j = 0; j < nelems; ++j)
            road_put_nbi(isthmus_world_pe(team, to),
                         (char*)dest + ((size_t)me * nelems + j) * (size_t)dst * unit,
                         (const char*)source + ((size_t)to * nelems + j) * (size_t)sst * unit,
                         unit);
    }
    road_quiet();
    isthmus_team_sync(team);
}
static void isthmus_put_to_all(struct isthmus_team* team, void* dest, const void* source,
                               size_t bytes) {
    const int size = team->size, me = team->me;
    for (int k = 0; k < size; ++k)
        road_put_nbi(isthmus_world_pe(team, (me + k) % size), dest, source, bytes);
    road_quiet();
    isthmus_team_sync(team);
}
static void isthmus_fcollect(struct isthmus_team* team, void* dest, const void* source,
                             size_t bytes) {
    isthmus_put_to_all(team, (char*)dest + (size_t)team->me * bytes, source, bytes);
}
/* Each PE's contribution, read by those behind it. */
static volatile uint64_t isthmus_collect_bytes;
static void isthmus_collect(struct isthmus_team* team, void* dest, const void* source,
                            size_t bytes) {
    isthmus_collect_bytes = bytes;
    isthmus_team_sync(team);
    uint64_t before = 0;
    for (int i = 0; i < team->me; ++i)
        before += road_load64(isthmus_world_pe(team, i), (void*)&isthmus_collect_bytes);
    isthmus_put_to_all(team, (char*)dest + before, source, bytes);
}

void pshmem_sync_all(void) {
    isthmus_team_sync(&isthmus_team_world);
}
void pshmem_barrier_all(void) {
    road_quiet();
    isthmus_team_sync(&isthmus_team_world);
}
int pshmem_team_sync(shmem_team_t team) {
    if (team == SHMEM_TEAM_INVALID) return -1;
    isthmus_team_sync(isthmus_live_team("shmem_team_sync", team));
    return 0;
}

static ISTHMUS_COLD __attribute__((noreturn)) void isthmus_refuse_no_team(const char* routine) {
    isthmus_fail(routine, "the team is SHMEM_TEAM_INVALID");
}
static ISTHMUS_COLD __attribute__((noreturn)) void isthmus_refuse_root(const char* routine,
                                                                       int root, int size) {
    isthmus_fail(routine, "PE_root %d is out of range 0..%d", root, size - 1);
}
static inline struct isthmus_team* isthmus_collective_team(const char* routine, shmem_team_t team) {
    if (ISTHMUS_UNLIKELY(team == SHMEM_TEAM_INVALID)) isthmus_refuse_no_team(routine);
    return isthmus_live_team(routine, team);
}
static void isthmus_check_root(const char* routine, const struct isthmus_team* team, int root) {
    if (ISTHMUS_UNLIKELY((unsigned)root >= (unsigned)team->size))
        isthmus_refuse_root(routine, root, team->size);
}
static void isthmus_check_strides(const char* routine, ptrdiff_t dst, ptrdiff_t sst) {
    if (ISTHMUS_UNLIKELY(dst < 1 || sst < 1))
        isthmus_fail(routine, "strides dst %td and sst %td must be at least 1", dst, sst);
}

#define ISTHMUS_MOVES_(P, UNIT, ALLTOALL, ALLTOALLS, BROADCAST, COLLECT, FCOLLECT)               \
    int pshmem_##ALLTOALL(shmem_team_t team, P* dest, const P* source, size_t nelems) {          \
        isthmus_alltoall(isthmus_collective_team("shmem_" #ALLTOALL, team), dest, source,        \
                         nelems*(UNIT));                                                         \
        return 0;                                                                                \
    }                                                                                            \
    int pshmem_##ALLTOALLS(shmem_team_t team, P* dest, const P* source, ptrdiff_t dst,           \
                           ptrdiff_t sst, size_t nelems) {                                       \
        isthmus_check_strides("shmem_" #ALLTOALLS, dst, sst);                                    \
        isthmus_alltoalls(isthmus_collective_team("shmem_" #ALLTOALLS, team), dest, source, dst, \
                          sst, nelems, UNIT);                                                    \
        return 0;                                                                                \
    }                                                                                            \
    int pshmem_##BROADCAST(shmem_team_t team, P* dest, const P* source, size_t nelems,           \
                           int PE_root) {                                                        \
        return isthmus_team_broadcast("shmem_" #BROADCAST, team, dest, source, nelems * (UNIT),  \
                                      PE_root);                                                  \
    }                                                                                            \
    int pshmem_##COLLECT(shmem_team_t team, P* dest, const P* source, size_t nelems) {           \
        isthmus_collect(isthmus_collective_team("shmem_" #COLLECT, team), dest, source,          \
                        nelems*(UNIT));                                                          \
        return 0;                                                                                \
    }                                                                                            \
    int pshmem_##FCOLLECT(shmem_team_t team, P* dest, const P* source, size_t nelems) {          \
        isthmus_fcollect(isthmus_collective_team("shmem_" #FCOLLECT, team), dest, source,        \
                         nelems*(UNIT));                                                         \
        return 0;                                                                                \
    }
ISTHMUS_MOVES_(void, 1, alltoallmem, alltoallsmem, broadcastmem, collectmem, fcollectmem)
SHMEM_TABLE_COLLECTIVE(ISTHMUS_ALIAS)
#define ISTHMUS_DEFINE_MOVES(T, N)                                                        \
    ISTHMUS_MOVES_(T, sizeof(T), N##_alltoall, N##_alltoalls, N##_broadcast, N##_collect, \
                   N##_fcollect)                                                          \
    SHMEM_TABLE_COLLECTIVE_MOVE(ISTHMUS_ALIAS, T, N)
SHMEM_RMA_TYPES(ISTHMUS_DEFINE_MOVES)

/* The loops of the reductions, one for each type and operation. */
#define ISTHMUS_LOOP_(T, N, NAME, RESULT)                                           \
    static void isthmus_##NAME##_##N(void* into, const void* from, size_t nelems) { \
        T* const a = into;                                                          \
        const T* const b = from;                                                    \
        for (size_t i = 0; i < nelems; ++i)                                         \
            a[i] = (T)(RESULT);                                                     \
    }
#define ISTHMUS_LOOP_BITWISE(T, N)        \
    ISTHMUS_LOOP_(T, N, and, a[i] & b[i]) \
    ISTHMUS_LOOP_(T, N, or, a[i] | b[i])  \
    ISTHMUS_LOOP_(T, N, xor, a[i] ^ b[i])
#define ISTHMUS_LOOP_ORDERED(T, N)                      \
    ISTHMUS_LOOP_(T, N, max, a[i] < b[i] ? b[i] : a[i]) \
    ISTHMUS_LOOP_(T, N, min, b[i] < a[i] ? b[i] : a[i])
#define ISTHMUS_LOOP_ARITHMETIC(T, N)     \
    ISTHMUS_LOOP_(T, N, sum, a[i] + b[i]) \
    ISTHMUS_LOOP_(T, N, prod, a[i] * b[i])
/* Team reductions have a list of bitwise types without the short and int that active sets add. */
SHMEM_BITWISE_REDUCE_TYPES(ISTHMUS_LOOP_BITWISE)
SHMEM_BITWISE_TO_ALL_TYPES(ISTHMUS_LOOP_BITWISE)
SHMEM_ORDERED_REDUCE_TYPES(ISTHMUS_LOOP_ORDERED)
SHMEM_ARITHMETIC_REDUCE_TYPES(ISTHMUS_LOOP_ARITHMETIC)

#define ISTHMUS_REDUCE_(T, N, OP)                                                                  \
    int pshmem_##N##_##OP##_reduce(shmem_team_t team, T* dest, const T* source, size_t nelems) {   \
        isthmus_reduce(isthmus_collective_team("shmem_" #N "_" #OP "_reduce", team), dest, source, \
                       nelems, sizeof(T), isthmus_##OP##_##N);                                     \
        return 0;                                                                                  \
    }
#define ISTHMUS_SCAN_(T, N, NAME, INCLUSIVE)                                                  \
    int pshmem_##N##_sum_##NAME(shmem_team_t team, T* dest, const T* source, size_t nelems) { \
        isthmus_scan(isthmus_collective_team("shmem_" #N "_sum_" #NAME, team), dest, source,  \
                     nelems, sizeof(T), INCLUSIVE, isthmus_sum_##N);                          \
        return 0;                                                                             \
    }
#define ISTHMUS_DEFINE_BITWISE(T, N) \
    ISTHMUS_REDUCE_(T, N, and)       \
    ISTHMUS_REDUCE_(T, N, or)        \
    ISTHMUS_REDUCE_(T, N, xor)       \
    SHMEM_TABLE_REDUCE_BITWISE(ISTHMUS_ALIAS, T, N)
SHMEM_BITWISE_REDUCE_TYPES(ISTHMUS_DEFINE_BITWISE)
#define ISTHMUS_DEFINE_ORDERED(T, N) \
    ISTHMUS_REDUCE_(T, N, max)       \
    ISTHMUS_REDUCE_(T, N, min)       \
    SHMEM_TABLE_REDUCE_ORDERED(ISTHMUS_ALIAS, T, N)
SHMEM_ORDERED_REDUCE_TYPES(ISTHMUS_DEFINE_ORDERED)
#define ISTHMUS_DEFINE_ARITHMETIC(T, N) \
    ISTHMUS_REDUCE_(T, N, sum)          \
    ISTHMUS_REDUCE_(T, N, prod)         \
    ISTHMUS_SCAN_(T, N, inscan, true)   \
    ISTHMUS_SCAN_(T, N, exscan, false)  \
    SHMEM_TABLE_REDUCE_ARITHMETIC(ISTHMUS_ALIAS, T, N)
SHMEM_ARITHMETIC_REDUCE_TYPES(ISTHMUS_DEFINE_ARITHMETIC)

/* Active sets (deprecated). */
static struct isthmus_team isthmus_set(const char* routine, int start, int log_stride, int size,
                                       long* psync) {
    isthmus_require_running(routine);
    struct isthmus_team set = {
        .start = start, .stride = 1 << (log_stride & 31), .size = size, .counters = psync};
    const int distance = isthmus_me() - start;
    set.me = distance / set.stride;
    if (start < 0 || log_stride < 0 || log_stride > 10 || size < 1 ||
        isthmus_world_pe(&set, size - 1) >= isthmus_pes() || distance < 0 ||
        distance % set.stride != 0 || set.me >= size)
        isthmus_fail(
            routine,
            "PE_start %d, logPE_stride %d, PE_size %d is no set of the PEs 0..%d with this "
            "one in it",
            start, log_stride, size, isthmus_pes() - 1);
    return set;
}
#define ISTHMUS_IN_SET_(NAME) \
    struct isthmus_team set = isthmus_set("shmem_" #NAME, PE_start, logPE_stride, PE_size, pSync)

void pshmem_barrier(int PE_start, int logPE_stride, int PE_size, long* pSync) {
    ISTHMUS_IN_SET_(barrier);
    road_quiet();
    isthmus_team_sync(&set);
}
void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long* pSync) {
    ISTHMUS_IN_SET_(sync);
    isthmus_team_sync(&set);
}
#define ISTHMUS_DEFINE_SIZED(BITS)                                                               \
    void pshmem_broadcast##BITS(void* dest, const void* source, size_t nelems, int PE_root,      \
                                SHMEM_ACTIVE_SET_, long* pSync) {                                \
        ISTHMUS_IN_SET_(broadcast##BITS);                                                        \
        isthmus_check_root("shmem_broadcast" #BITS, &set, PE_root);                              \
        isthmus_counter_broadcast(&set, dest, source, nelems*(BITS / 8), PE_root);               \
    }                                                                                            \
    void pshmem_collect##BITS(void* dest, const void* source, size_t nelems, SHMEM_ACTIVE_SET_,  \
                              long* pSync) {                                                     \
        ISTHMUS_IN_SET_(collect##BITS);                                                          \
        isthmus_collect(&set, dest, source, nelems*(BITS / 8));                                  \
    }                                                                                            \
    void pshmem_fcollect##BITS(void* dest, const void* source, size_t nelems, SHMEM_ACTIVE_SET_, \
                               long* pSync) {                                                    \
        ISTHMUS_IN_SET_(fcollect##BITS);                                                         \
        isthmus_fcollect(&set, dest, source, nelems*(BITS / 8));                                 \
    }                                                                                            \
    void pshmem_alltoall##BITS(void* dest, const void* source, size_t nelems, SHMEM_ACTIVE_SET_, \
                               long* pSync) {                                                    \
        ISTHMUS_IN_SET_(alltoall##BITS);                                                         \
        isthmus_alltoall(&set, dest, source, nelems*(BITS / 8));                                 \
    }                                                                                            \
    void pshmem_alltoalls##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,    \
                                size_t nelems, SHMEM_ACTIVE_SET_, long* pSync) {                 \
        ISTHMUS_IN_SET_(alltoalls##BITS);                                                        \
        isthmus_check_strides("shmem_alltoalls" #BITS, dst, sst);                                \
        isthmus_alltoalls(&set, dest, source, dst, sst, nelems, BITS / 8);                       \
    }
ISTHMUS_DEFINE_SIZED(32)
ISTHMUS_DEFINE_SIZED(64)
SHMEM_TABLE_ACTIVE_SET(ISTHMUS_ALIAS)

#define ISTHMUS_TO_ALL_(T, N, OP)                                                             \
    void pshmem_##N##_##OP##_to_all(T* dest, const T* source, int nreduce, SHMEM_ACTIVE_SET_, \
                                    T* pWrk, long* pSync) {                                   \
        ISTHMUS_IN_SET_(N##_##OP##_to_all);                                                   \
        (void)pWrk;                                                                           \
        isthmus_reduce(&set, dest, source, nreduce > 0 ? (size_t)nreduce : 0, sizeof(T),      \
                       isthmus_##OP##_##N);                                                   \
    }
#define ISTHMUS_DEFINE_TO_ALL_BITWISE(T, N) \
    ISTHMUS_TO_ALL_(T, N, and)              \
    ISTHMUS_TO_ALL_(T, N, or)               \
    ISTHMUS_TO_ALL_(T, N, xor)              \
    SHMEM_TABLE_TO_ALL_BITWISE(ISTHMUS_ALIAS, T, N)
SHMEM_BITWISE_TO_ALL_TYPES(ISTHMUS_DEFINE_TO_ALL_BITWISE)
#define ISTHMUS_DEFINE_TO_ALL_ORDERED(T, N) \
    ISTHMUS_TO_ALL_(T, N, max)              \
    ISTHMUS_TO_ALL_(T, N, min)              \
    SHMEM_TABLE_TO_ALL_ORDERED(ISTHMUS_ALIAS, T, N)
SHMEM_ORDERED_TO_ALL_TYPES(ISTHMUS_DEFINE_TO_ALL_ORDERED)
#define ISTHMUS_DEFINE_TO_ALL_ARITHMETIC(T, N) \
    ISTHMUS_TO_ALL_(T, N, sum)                 \
    ISTHMUS_TO_ALL_(T, N, prod)                \
    SHMEM_TABLE_TO_ALL_ARITHMETIC(ISTHMUS_ALIAS, T, N)
SHMEM_ARITHMETIC_TO_ALL_TYPES(ISTHMUS_DEFINE_TO_ALL_ARITHMETIC)
