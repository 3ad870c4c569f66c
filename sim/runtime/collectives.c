/* Collectives over teams and active sets (9.10), but for the reductions (reductions.c).
 *
 * Sync is a dissemination barrier; broadcast runs down a binomial tree, or from the root to all;
 * everything else is each PE's puts between two syncs. No copy is made on the way.
 *
 * In a team with a slot a flag says which operation its writer has come to. An active set has its
 * pSync only: counters that a barrier raises and lowers again, so its collectives are made of
 * barriers and transfers. */
#include "collectives.h"

#include <string.h>

static void isthmus_counter_sync(struct isthmus_team* set) {
    isthmus_road_fence();
    for (int round = 0, step = 1; step < set->size; ++round, step <<= 1) {
        uint64_t* const counter = (uint64_t*)&set->counters[round];
        isthmus_road_post_add64(isthmus_world_pe(set, (set->me + step) % set->size), counter, 1);
        isthmus_wait_reached(counter, 1);
        /* Not a plain store: the partner may already be in the next barrier. */
        isthmus_road_post_add64(isthmus_me(), counter, -UINT64_C(1));
    }
    isthmus_road_fence();
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
        isthmus_road_flag64(isthmus_world_pe(team, to), (void*)&arrived[me], operation);
        isthmus_wait_reached(&arrived[from], operation);
    }
    isthmus_acquire();
}

/* Few PEs and little data: the root does it all, nobody passes anything on. */
enum { kIsthmusFlatPes = 8, kIsthmusFlatBytes = 512 };

void isthmus_team_shape(struct isthmus_team* team) {
    team->flat_bytes = team->size <= kIsthmusFlatPes ? kIsthmusFlatBytes : 0;
    team->end = isthmus_world_pe(team, team->size);
    int half = 1;
    while (half < team->size)
        half <<= 1;
    team->half = half >> 1;
}

static inline int isthmus_is_word(const void* dest, const void* from, size_t bytes) {
    return bytes == 8 && (((uintptr_t)dest | (uintptr_t)from) & 7) == 0;
}
/* The distance from the root in the team. */
static inline int isthmus_place(const struct isthmus_team* team, int root) {
    const int distance = team->me - root;
    return distance >= 0 ? distance : distance + team->size;
}

/* Data and flags from `place` down the binomial tree: all data first, then all flags, the first of
 * them behind the data and the others behind it. `word`: one aligned word, else bytes. */
static inline __attribute__((always_inline)) int isthmus_send_below(struct isthmus_team* team,
                                                                    void* dest, const void* from,
                                                                    size_t bytes, int place,
                                                                    int word) {
    const int size = team->size, me = team->me;
    int last = place == 0 ? team->half : (place & -place) >> 1;
    while (place + last >= size) /* children that the team is too small for */
        last >>= 1;
    if (last == 0) return 0;
    /* The child `step` places on is as many strides away in the world, and less by a ring where the
     * team begins again: the furthest ones, if any. */
    const int own = isthmus_me(), stride = team->stride, left = size - me;
    const int first = own + (last < left ? last : last - size) * stride;
    const uint64_t operation = team->operation;
    volatile uint64_t* const flag = &team->area.arrived[me];
    const uint64_t value = word ? *(const uint64_t*)from : 0;
#define ISTHMUS_OTHERS_(SEND)                   \
    do {                                        \
        int step = last >> 1;                   \
        for (; step >= left; step >>= 1)        \
            SEND(own + (step - size) * stride); \
        for (; step != 0; step >>= 1)           \
            SEND(own + step * stride);          \
    } while (0)
#define ISTHMUS_SEND_WORD_(to)  isthmus_road_store64(to, dest, value)
#define ISTHMUS_SEND_BLOCK_(to) isthmus_road_put_block_nbi(to, dest, from, bytes)
#define ISTHMUS_SEND_FLAG_(to)  isthmus_road_store64(to, (void*)flag, operation)
    if (word) {
        ISTHMUS_SEND_WORD_(first);
        ISTHMUS_OTHERS_(ISTHMUS_SEND_WORD_);
    } else if (bytes != 0) {
        ISTHMUS_SEND_BLOCK_(first);
        ISTHMUS_OTHERS_(ISTHMUS_SEND_BLOCK_);
    }
    isthmus_road_flag64(first, (void*)flag, operation);
    ISTHMUS_OTHERS_(ISTHMUS_SEND_FLAG_);
#undef ISTHMUS_OTHERS_
#undef ISTHMUS_SEND_WORD_
#undef ISTHMUS_SEND_BLOCK_
#undef ISTHMUS_SEND_FLAG_
    if (!word) isthmus_road_local();
    return 0;
}
/* One choice a function, so that it costs a branch and leaves the arguments of the broadcast where
 * they are; some functions are handed an argument for that alone. */
#define ISTHMUS_STEP __attribute__((noinline, noclone))

static ISTHMUS_STEP int isthmus_send_block_down(struct isthmus_team* team, void* dest,
                                                const void* source, size_t bytes, int root) {
    return isthmus_send_below(team, dest, source, bytes, isthmus_place(team, root), 0);
}
int isthmus_send_down(struct isthmus_team* team, void* dest, const void* source, size_t bytes,
                      int root) {
    if (!isthmus_is_word(dest, source, bytes))
        return isthmus_send_block_down(team, dest, source, bytes, root);
    return isthmus_send_below(team, dest, source, bytes, isthmus_place(team, root), 1);
}

/* The root of a flat broadcast. Everything is read before the first put: the compiler must take it
 * that a put changes memory. */
#define ISTHMUS_FLAT_(team, root)                                                \
    const int stride = (team)->stride, start = (team)->start, end = (team)->end; \
    const int own = isthmus_me();                                                \
    const uint64_t operation = (team)->operation;                                \
    volatile uint64_t* const flag = &(team)->area.arrived[root]
static inline void isthmus_flag_all(int pe, int stride, int own, int end, volatile uint64_t* flag,
                                    uint64_t operation) {
    const int behind = pe != own;
    if (!behind) pe += stride;
    if (pe == end) return;
    isthmus_road_flag64(pe, (void*)flag, operation);
    pe += stride;
    if (behind) {
        for (; pe != own; pe += stride)
            isthmus_road_store64(pe, (void*)flag, operation);
        pe += stride;
    }
    for (; pe != end; pe += stride)
        isthmus_road_store64(pe, (void*)flag, operation);
}
/* `dest` of the root's own, too, is copied by the road. */
static ISTHMUS_STEP int isthmus_flat_block(struct isthmus_team* team, void* dest,
                                           const void* source, size_t bytes, int root) {
    ISTHMUS_FLAT_(team, root);
    const int skipped = dest == source ? own : -1;
    for (int pe = start; pe != end; pe += stride)
        if (pe != skipped) isthmus_road_put_block_nbi(pe, dest, source, bytes);
    isthmus_flag_all(start, stride, own, end, flag, operation);
    isthmus_road_quiet();
    return 0;
}
static ISTHMUS_STEP int isthmus_flat_word(struct isthmus_team* team, void* dest, const void* source,
                                          size_t bytes, int root) {
    if (!isthmus_is_word(dest, source, 8))
        return isthmus_flat_block(team, dest, source, bytes, root);
    ISTHMUS_FLAT_(team, root);
    const uint64_t word = *(const uint64_t*)source;
    *(uint64_t*)dest = word;
    int pe = start;
    for (; pe != own; pe += stride)
        isthmus_road_store64(pe, dest, word);
    for (pe += stride; pe != end; pe += stride)
        isthmus_road_store64(pe, dest, word);
    isthmus_flag_all(start, stride, own, end, flag, operation);
    return 0;
}
#undef ISTHMUS_FLAT_
/* The root of a tree. */
static ISTHMUS_STEP int isthmus_tree_block(struct isthmus_team* team, void* dest,
                                           const void* source, size_t bytes, int root) {
    (void)root;
    if (dest != source && bytes != 0) isthmus_road_put_block_nbi(isthmus_me(), dest, source, bytes);
    if (team->size != 1) return isthmus_send_below(team, dest, source, bytes, 0, 0);
    isthmus_road_quiet();
    return 0;
}
static ISTHMUS_STEP int isthmus_tree_word(struct isthmus_team* team, void* dest, const void* source,
                                          size_t bytes, int root) {
    if (!isthmus_is_word(dest, source, 8))
        return isthmus_tree_block(team, dest, source, bytes, root);
    *(uint64_t*)dest = *(const uint64_t*)source;
    return isthmus_send_below(team, dest, source, bytes, 0, 1);
}
static inline int isthmus_takes_tree(const struct isthmus_team* team, size_t bytes) {
    return bytes - 1 >= team->flat_bytes;
}
static ISTHMUS_STEP int isthmus_tree_root(struct isthmus_team* team, void* dest, const void* source,
                                          size_t bytes, int root) {
    if (bytes == 8) return isthmus_tree_word(team, dest, source, bytes, root);
    return isthmus_tree_block(team, dest, source, bytes, root);
}
static ISTHMUS_STEP int isthmus_broadcast_root(struct isthmus_team* team, void* dest,
                                               const void* source, size_t bytes, int root) {
    ++team->operation;
    if (isthmus_takes_tree(team, bytes)) return isthmus_tree_root(team, dest, source, bytes, root);
    if (bytes == 8) return isthmus_flat_word(team, dest, source, bytes, root);
    return isthmus_flat_block(team, dest, source, bytes, root);
}

static __attribute__((noinline)) int isthmus_spin_leaf(const volatile uint64_t* flag,
                                                       uint64_t operation) {
    isthmus_spin_reached(flag, operation);
    isthmus_acquire();
    return 0;
}
/* Waits for what the PE with index `from` sends; passes nothing on. */
static inline int isthmus_receive(struct isthmus_team* team, int from) {
    const uint64_t operation = ++team->operation;
    const volatile uint64_t* const flag = &team->area.arrived[from];
    if (*flag < operation) return isthmus_spin_leaf(flag, operation);
    isthmus_acquire();
    return 0;
}
/* Between the root and the leaves of the tree. */
static __attribute__((noipa)) int isthmus_pass_on(struct isthmus_team* team, void* dest,
                                                  const void* source, size_t bytes, int root) {
    (void)source;
    isthmus_acquire();
    return isthmus_send_down(team, dest, dest, bytes, root);
}
static __attribute__((noinline)) int isthmus_spin_middle(struct isthmus_team* team, void* dest,
                                                         const void* source, size_t bytes, int root,
                                                         const volatile uint64_t* flag) {
    isthmus_spin_reached(flag, team->operation);
    return isthmus_pass_on(team, dest, source, bytes, root);
}
static __attribute__((noipa)) int isthmus_tree_middle(struct isthmus_team* team, void* dest,
                                                      const void* source, size_t bytes, int root) {
    const int place = isthmus_place(team, root);
    int from = place - (place & -place) + root;
    from = from < team->size ? from : from - team->size;
    const uint64_t operation = ++team->operation;
    const volatile uint64_t* const flag = &team->area.arrived[from];
    if (*flag < operation) return isthmus_spin_middle(team, dest, source, bytes, root, flag);
    return isthmus_pass_on(team, dest, source, bytes, root);
}
/* Below the root of the tree: every other place is a leaf under the place before it. */
static __attribute__((noipa)) int isthmus_tree_below(struct isthmus_team* team, void* dest,
                                                     const void* source, size_t bytes, int root) {
    if ((isthmus_place(team, root) & 1) == 0)
        return isthmus_tree_middle(team, dest, source, bytes, root);
    return isthmus_receive(team, team->me != 0 ? team->me - 1 : team->size - 1);
}
static ISTHMUS_COLD int isthmus_refuse_broadcast(const char* routine, shmem_team_t team, int root) {
    if (team == SHMEM_TEAM_INVALID) isthmus_fail(routine, "the team is SHMEM_TEAM_INVALID");
    isthmus_live_team(routine, team);
    isthmus_fail(routine, "PE_root %d is out of range 0..%d", root, team->size - 1);
}
/* What most PEs do, without a frame and with the arguments where they are: wait for the root. */
static inline int isthmus_team_broadcast(const char* routine, struct isthmus_team* team, void* dest,
                                         const void* source, size_t bytes, int root) {
    if (ISTHMUS_UNLIKELY(team == SHMEM_TEAM_INVALID || (unsigned)root >= team->roots))
        return isthmus_refuse_broadcast(routine, team, root);
    if (team->me == root) return isthmus_broadcast_root(team, dest, source, bytes, root);
    if (isthmus_takes_tree(team, bytes)) return isthmus_tree_below(team, dest, source, bytes, root);
    return isthmus_receive(team, root);
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
        if (i != root) isthmus_road_put_nbi(isthmus_world_pe(set, i), dest, source, bytes);
    isthmus_road_quiet();
    isthmus_counter_sync(set);
}

static void isthmus_alltoall(struct isthmus_team* team, void* dest, const void* source,
                             size_t bytes) {
    const int size = team->size, me = team->me;
    for (int k = 0; k < size; ++k) {
        const int to = me + k < size ? me + k : me + k - size;
        isthmus_road_put_nbi(isthmus_world_pe(team, to), (char*)dest + (size_t)me * bytes,
                             (const char*)source + (size_t)to * bytes, bytes);
    }
    isthmus_road_quiet();
    isthmus_team_sync(team);
}
static void isthmus_alltoalls(struct isthmus_team* team, void* dest, const void* source,
                              ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t unit) {
    const int size = team->size, me = team->me;
    for (int k = 0; k < size; ++k) {
        const int to = (me + k) % size;
        for (size_t j = 0; j < nelems; ++j)
            isthmus_road_put_nbi(
                isthmus_world_pe(team, to),
                (char*)dest + ((size_t)me * nelems + j) * (size_t)dst * unit,
                (const char*)source + ((size_t)to * nelems + j) * (size_t)sst * unit, unit);
    }
    isthmus_road_quiet();
    isthmus_team_sync(team);
}
static void isthmus_put_to_all(struct isthmus_team* team, void* dest, const void* source,
                               size_t bytes) {
    const int size = team->size, me = team->me;
    for (int k = 0; k < size; ++k)
        isthmus_road_put_nbi(isthmus_world_pe(team, (me + k) % size), dest, source, bytes);
    isthmus_road_quiet();
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
        before += isthmus_road_load64(isthmus_world_pe(team, i), (void*)&isthmus_collect_bytes);
    isthmus_put_to_all(team, (char*)dest + before, source, bytes);
}

void pshmem_sync_all(void) {
    isthmus_team_sync(&isthmus_team_world);
}
void pshmem_barrier_all(void) {
    isthmus_road_quiet();
    isthmus_team_sync(&isthmus_team_world);
}
int pshmem_team_sync(shmem_team_t team) {
    if (team == SHMEM_TEAM_INVALID) return -1;
    isthmus_team_sync(isthmus_live_team("shmem_team_sync", team));
    return 0;
}

void isthmus_refuse_no_team(const char* routine) {
    isthmus_fail(routine, "the team is SHMEM_TEAM_INVALID");
}
static ISTHMUS_COLD __attribute__((noreturn)) void isthmus_refuse_root(const char* routine,
                                                                       int root, int size) {
    isthmus_fail(routine, "PE_root %d is out of range 0..%d", root, size - 1);
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

/* Active sets (deprecated). */
struct isthmus_team isthmus_set(const char* routine, int start, int log_stride, int size,
                                long* psync) {
    isthmus_require_running(routine);
    struct isthmus_team set = {
        .start = start, .stride = 1 << (log_stride & 31), .size = size, .counters = psync};
    /* Nothing that is looked at behind these overflows. */
    const bool small = start >= 0 && start < isthmus_pes() && log_stride >= 0 && log_stride <= 10 &&
                       size >= 1 && size <= isthmus_pes();
    const int distance = small ? isthmus_me() - start : -1;
    set.me = distance / set.stride;
    if (distance < 0 || distance % set.stride != 0 || set.me >= size ||
        isthmus_world_pe(&set, size - 1) >= isthmus_pes())
        isthmus_fail(
            routine,
            "PE_start %d, logPE_stride %d, PE_size %d is no set of the PEs 0..%d with this "
            "one in it",
            start, log_stride, size, isthmus_pes() - 1);
    return set;
}
void pshmem_barrier(int PE_start, int logPE_stride, int PE_size, long* pSync) {
    ISTHMUS_IN_SET_(barrier);
    isthmus_road_quiet();
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
