/* xbrtime's collectives, over the world. What need not be symmetric passes through blocks that all
 * PEs take from the heap and give back in the same order, so that they lie at one address. */
#define XBRTIME_NO_OVERLOADS
#include "runtime.h"

#include <string.h>
#include <xbrtime.h>

static void* xbrtime_take(const char* routine, size_t bytes) {
    void* const block = isthmus_heap_allocate(bytes != 0 ? bytes : 1, 16);
    if (block == NULL)
        isthmus_fail(routine, "no room for %zu bytes in the shared region: raise --shared", bytes);
    return block;
}
/* For others to put into: only when all have it, as a PE behind may still have headers of released
 * blocks there. */
static void* xbrtime_block(const char* routine, size_t bytes) {
    void* const block = xbrtime_take(routine, bytes);
    isthmus_team_sync(&isthmus_team_world);
    return block;
}
/* All have read what is theirs. */
static void xbrtime_release(void* block) {
    isthmus_team_sync(&isthmus_team_world);
    isthmus_heap_release(block);
}
static void xbrtime_settle(void) {
    isthmus_road_quiet();
    isthmus_team_sync(&isthmus_team_world);
}
static void xbrtime_check_root(const char* routine, int root) {
    isthmus_require_running(routine);
    if (ISTHMUS_UNLIKELY((unsigned)root >= isthmus_window_pes))
        isthmus_fail(routine, "root %d is out of range 0..%d", root, isthmus_pes() - 1);
}

/* Elements between strided and packed memory. Either may be empty. */
static void xbrtime_pack(char* to, const char* from, size_t nelems, ptrdiff_t from_step,
                         ptrdiff_t to_step, size_t unit) {
    if (from_step == (ptrdiff_t)unit && to_step == (ptrdiff_t)unit) {
        if (nelems != 0) memmove(to, from, nelems * unit);
        return;
    }
    for (; nelems != 0; --nelems, to += to_step, from += from_step)
        memcpy(to, from, unit);
}

enum xbrtime_way { kXbrtimeChosen, kXbrtimeTree, kXbrtimeParts, kXbrtimeDoubling, kXbrtimeRing };

static void xbrtime_broadcast_packed(void* dest, const void* src, size_t bytes, int root,
                                     enum xbrtime_way way) {
    const int size = isthmus_pes(), me = isthmus_me();
    if (way == kXbrtimeChosen) {
        shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, src, bytes, root);
        return;
    }
    if (way == kXbrtimeTree) {
        isthmus_broadcast_tree(&isthmus_team_world, dest, src, bytes, root);
        return;
    }
    /* Scattered by the root, then each PE gives its part to all. */
    const size_t first = bytes * (size_t)me / (size_t)size,
                 last = bytes * (size_t)(me + 1) / (size_t)size;
    if (me == root) {
        if (dest != src) memmove(dest, src, bytes);
        for (int pe = 0; pe < size; ++pe) {
            const size_t begin = bytes * (size_t)pe / (size_t)size,
                         end = bytes * (size_t)(pe + 1) / (size_t)size;
            if (pe != root)
                isthmus_road_put_nbi(pe, (char*)dest + begin, (char*)dest + begin, end - begin);
        }
    }
    xbrtime_settle();
    for (int k = 1; k < size; ++k) {
        const int pe = me + k < size ? me + k : me + k - size;
        if (pe != root)
            isthmus_road_put_nbi(pe, (char*)dest + first, (char*)dest + first, last - first);
    }
    xbrtime_settle();
}
static void xbrtime_broadcast(const char* routine, void* dest, const void* src, size_t nelems,
                              int stride, int root, size_t unit, enum xbrtime_way way) {
    xbrtime_check_root(routine, root);
    if (stride == 1) return xbrtime_broadcast_packed(dest, src, nelems * unit, root, way);
    char* const block = xbrtime_block(routine, nelems * unit);
    const ptrdiff_t step = (ptrdiff_t)unit * stride;
    if (isthmus_me() == root) xbrtime_pack(block, src, nelems, step, (ptrdiff_t)unit, unit);
    xbrtime_broadcast_packed(block, block, nelems * unit, root, way);
    xbrtime_pack(dest, block, nelems, (ptrdiff_t)unit, step, unit);
    xbrtime_release(block);
}

/* Everywhere, by exchanges at distances 1, 2, 4, ...; PEs beyond the last power of two give theirs
 * to one below it first and get the result from it. All combine the same pairs in the same order,
 * so that floating values are the same everywhere. */
static void xbrtime_reduce_doubling(char* block, size_t bytes, size_t nelems,
                                    isthmus_combine* combine) {
    const int me = isthmus_me(), pes = isthmus_pes();
    int power = 1;
    while (2 * power <= pes)
        power *= 2;
    char* const theirs = block + bytes;
    if (me >= power) isthmus_road_put_nbi(me - power, theirs, block, bytes);
    xbrtime_settle();
    if (me + power < pes) combine(block, theirs, nelems);
    for (int distance = 1; distance < power; distance *= 2) {
        isthmus_team_sync(&isthmus_team_world); /* the partner has combined what it got before */
        const int partner = me ^ distance;
        if (me < power) isthmus_road_put_nbi(partner, theirs, block, bytes);
        xbrtime_settle();
        if (me >= power) continue;
        if (me < partner) {
            combine(block, theirs, nelems);
        } else {
            combine(theirs, block, nelems);
            memcpy(block, theirs, bytes);
        }
    }
    isthmus_team_sync(&isthmus_team_world);
    if (me + power < pes) isthmus_road_put_nbi(me + power, block, block, bytes);
    xbrtime_settle();
}

/* root -1: everywhere. */
static void xbrtime_reduce(const char* routine, void* dest, const void* src, size_t nelems,
                           int stride, int root, size_t unit, isthmus_combine* combine,
                           enum xbrtime_way way) {
    xbrtime_check_root(routine, root < 0 ? 0 : root);
    const ptrdiff_t step = (ptrdiff_t)unit * stride;
    const size_t bytes = nelems * unit;
    char* const block = xbrtime_block(routine, way == kXbrtimeDoubling ? 2 * bytes : bytes);
    xbrtime_pack(block, src, nelems, step, (ptrdiff_t)unit, unit);
    if (way == kXbrtimeDoubling) {
        xbrtime_reduce_doubling(block, bytes, nelems, combine);
    } else if (way == kXbrtimeTree) {
        const size_t piece = kIsthmusScratch / unit;
        for (size_t at = 0; at < nelems; at += piece) {
            const size_t count = nelems - at < piece ? nelems - at : piece;
            isthmus_reduce(&isthmus_team_world, block + at * unit, block + at * unit, count, unit,
                           combine);
        }
    } else if (way == kXbrtimeParts) {
        isthmus_reduce_parts(&isthmus_team_world, block, block, nelems, unit, combine);
    } else if (bytes != 0) {
        isthmus_reduce(&isthmus_team_world, block, block, nelems, unit, combine);
    }
    if (root < 0 || isthmus_me() == root)
        xbrtime_pack(dest, block, nelems, (ptrdiff_t)unit, step, unit);
    xbrtime_release(block);
}

static void xbrtime_check_parts(const char* routine, const int* sizes, size_t nelems) {
    size_t sum = 0;
    for (int pe = 0; pe < isthmus_pes(); ++pe) {
        if (sizes[pe] < 0) isthmus_fail(routine, "pe_msg_sz[%d] is %d, less than 0", pe, sizes[pe]);
        sum += (size_t)sizes[pe];
    }
    if (sum != nelems)
        isthmus_fail(routine, "nelems is %zu, the sum of pe_msg_sz is %zu", nelems, sum);
}

/* Parts of all PEs one behind the other, that of PE `first` in front. */
struct xbrtime_parts {
    const int* sizes; /* in elements, by PE */
    int first;
    size_t unit;
};
static int xbrtime_pe_at(const struct xbrtime_parts* parts, int place) {
    const int pe = parts->first + place;
    return pe < isthmus_pes() ? pe : pe - isthmus_pes();
}
/* Bytes of the parts at places begin to end; end may be beyond the last. */
static size_t xbrtime_part_bytes(const struct xbrtime_parts* parts, int begin, int end) {
    size_t sum = 0;
    for (int place = begin; place < end && place < isthmus_pes(); ++place)
        sum += (size_t)parts->sizes[xbrtime_pe_at(parts, place)];
    return sum * parts->unit;
}
/* Puts the parts at places begin to end where they are here, at the PE at place `to`. */
static void xbrtime_put_parts(const struct xbrtime_parts* parts, char* block, int begin, int end,
                              int to) {
    char* const from = block + xbrtime_part_bytes(parts, 0, begin);
    isthmus_road_put_nbi(xbrtime_pe_at(parts, to), from, from,
                         xbrtime_part_bytes(parts, begin, end));
}

/* Down a binomial tree: who has a range gives its upper half away. */
static void xbrtime_scatter_tree(const struct xbrtime_parts* parts, char* block) {
    const int pes = isthmus_pes(), me = isthmus_me() - parts->first;
    const int place = me < 0 ? me + pes : me;
    int half = 1;
    while (2 * half < pes)
        half *= 2;
    for (; half != 0; half /= 2) {
        if (place % (2 * half) == 0 && place + half < pes)
            xbrtime_put_parts(parts, block, place + half, place + 2 * half, place + half);
        xbrtime_settle();
    }
}
static void xbrtime_scatter(const char* routine, char* dest, const char* src, const int* sizes,
                            const int* places, size_t nelems, int root, size_t unit,
                            enum xbrtime_way way) {
    xbrtime_check_root(routine, root);
    xbrtime_check_parts(routine, sizes, nelems);
    const int me = isthmus_me(), pes = isthmus_pes();
    const struct xbrtime_parts parts = {sizes, root, unit};
    char* const block = xbrtime_block(routine, nelems * unit);
    char* mine = block;
    if (way == kXbrtimeTree) {
        char* to = block;
        for (int place = 0; me == root && place < pes; ++place) {
            const int pe = xbrtime_pe_at(&parts, place);
            memcpy(to, src + (ptrdiff_t)places[pe] * (ptrdiff_t)unit, (size_t)sizes[pe] * unit);
            to += (size_t)sizes[pe] * unit;
        }
        xbrtime_scatter_tree(&parts, block);
        mine += xbrtime_part_bytes(&parts, 0, me < root ? me - root + pes : me - root);
    } else {
        if (me == root)
            for (int pe = 0; pe < pes; ++pe)
                isthmus_road_put_nbi(pe, block, src + (ptrdiff_t)places[pe] * (ptrdiff_t)unit,
                                     (size_t)sizes[pe] * unit);
        xbrtime_settle();
    }
    memcpy(dest, mine, (size_t)sizes[me] * unit);
    xbrtime_release(block);
}

/* Up a binomial tree: who has a range gives it to the one below. */
static void xbrtime_gather_tree(const struct xbrtime_parts* parts, char* block) {
    const int pes = isthmus_pes(), me = isthmus_me() - parts->first;
    const int place = me < 0 ? me + pes : me;
    for (int range = 1; range < pes; range *= 2) {
        if (place % (2 * range) == range)
            xbrtime_put_parts(parts, block, place, place + range, place - range);
        xbrtime_settle();
    }
}
/* Each PE hands on to the next what it got last. */
static void xbrtime_gather_ring(const struct xbrtime_parts* parts, char* block) {
    const int pes = isthmus_pes(), me = isthmus_me();
    for (int k = 0; k + 1 < pes; ++k) {
        const int part = me >= k ? me - k : me - k + pes;
        xbrtime_put_parts(parts, block, part, part + 1, me + 1 < pes ? me + 1 : 0);
        xbrtime_settle();
    }
}
/* Twice as much each time, from PEs at distances 1, 2, 4, ... */
static void xbrtime_gather_doubling(const struct xbrtime_parts* parts, char* block) {
    const int pes = isthmus_pes(), me = isthmus_me();
    for (int distance = 1; distance < pes; distance *= 2) {
        const int to = me >= distance ? me - distance : me - distance + pes;
        const int count = distance < pes - distance ? distance : pes - distance;
        xbrtime_put_parts(parts, block, me, me + count, to);
        if (me + count > pes) xbrtime_put_parts(parts, block, 0, me + count - pes, to);
        xbrtime_settle();
    }
}
/* Each part at its place in the block, which then is dest; root -1: on every PE. */
static void xbrtime_gather(const char* routine, char* dest, const char* src, const int* sizes,
                           const int* places, size_t nelems, int root, size_t unit,
                           enum xbrtime_way way) {
    xbrtime_check_root(routine, root < 0 ? 0 : root);
    xbrtime_check_parts(routine, sizes, nelems);
    const int me = isthmus_me(), pes = isthmus_pes();
    const struct xbrtime_parts parts = {sizes, way == kXbrtimeTree ? root : 0, unit};
    const int mine = me < parts.first ? me - parts.first + pes : me - parts.first;
    const size_t before = xbrtime_part_bytes(&parts, 0, mine);
    char* const block = xbrtime_block(routine, nelems * unit);
    if (way == kXbrtimeChosen) {
        for (int k = 0; k < pes; ++k) {
            const int pe = (me + k) % pes;
            if (root < 0 || pe == root)
                isthmus_road_put_nbi(pe, block + before, src, (size_t)sizes[me] * unit);
        }
        xbrtime_settle();
    } else {
        memcpy(block + before, src, (size_t)sizes[me] * unit);
        if (way == kXbrtimeTree)
            xbrtime_gather_tree(&parts, block);
        else if (way == kXbrtimeRing)
            xbrtime_gather_ring(&parts, block);
        else
            xbrtime_gather_doubling(&parts, block);
    }
    if (root < 0 || me == root) {
        const char* from = block;
        for (int place = 0; place < pes; ++place) {
            const int pe = xbrtime_pe_at(&parts, place);
            memcpy(dest + (ptrdiff_t)places[pe] * (ptrdiff_t)unit, from, (size_t)sizes[pe] * unit);
            from += (size_t)sizes[pe] * unit;
        }
    }
    xbrtime_release(block);
}

static void xbrtime_alltoall(const char* routine, char* dest, const char* src, int src_stride,
                             int dest_stride, size_t nelems, size_t unit, bool shift) {
    isthmus_require_running(routine);
    const int me = isthmus_me(), pes = isthmus_pes();
    const size_t bytes = nelems * unit, all = nelems * (size_t)pes;
    char* const out = xbrtime_take(routine, bytes * (size_t)pes);
    char* const in = xbrtime_block(routine, bytes * (size_t)pes);
    xbrtime_pack(out, src, all, (ptrdiff_t)unit * src_stride, (ptrdiff_t)unit, unit);
    for (int k = 0; k < pes; ++k) {
        const int pe = me + k < pes ? me + k : me + k - pes;
        isthmus_road_put_nbi(pe, in + (size_t)me * bytes, out + (size_t)pe * bytes, bytes);
        /* Step by step, so that no PE is the target of two at a time. */
        if (shift) xbrtime_settle();
    }
    xbrtime_settle();
    xbrtime_pack(dest, in, all, (ptrdiff_t)unit, (ptrdiff_t)unit * dest_stride, unit);
    xbrtime_release(in);
    isthmus_heap_release(out);
}

static void xbrtime_collect(const char* routine, char* dest, const char* src, size_t nelems,
                            size_t unit) {
    isthmus_require_running(routine);
    const int pes = isthmus_pes(), me = isthmus_me();
    uint64_t* const sizes = xbrtime_block(routine, (size_t)pes * sizeof *sizes);
    for (int k = 0; k < pes; ++k)
        isthmus_road_store64((me + k) % pes, &sizes[me], nelems);
    xbrtime_settle();
    size_t before = 0, all = 0;
    for (int pe = 0; pe < pes; ++pe) {
        if (pe < me) before += sizes[pe];
        all += sizes[pe];
    }
    char* const block = xbrtime_block(routine, all * unit);
    for (int k = 0; k < pes; ++k)
        isthmus_road_put_nbi((me + k) % pes, block + before * unit, src, nelems * unit);
    xbrtime_settle();
    memcpy(dest, block, all * unit);
    xbrtime_release(block);
    isthmus_heap_release(sizes);
}

#define XBRTIME_SCATTER(T, N, NAME, WAY)                                                       \
    void xbrtime_##N##_##NAME(T* dest, const T* src, const int* pe_msg_sz, const int* pe_disp, \
                              size_t nelems, int root) {                                       \
        xbrtime_scatter("xbrtime_" #N "_" #NAME, (char*)dest, (const char*)src, pe_msg_sz,     \
                        pe_disp, nelems, root, sizeof(T), WAY);                                \
    }
#define XBRTIME_GATHER(T, N, NAME, WAY)                                                            \
    void xbrtime_##N##_##NAME(T* dest, const T* src, const int* pe_msg_sz, const int* pe_disp,     \
                              size_t nelems, int root) {                                           \
        xbrtime_check_root("xbrtime_" #N "_" #NAME, root);                                         \
        xbrtime_gather("xbrtime_" #N "_" #NAME, (char*)dest, (const char*)src, pe_msg_sz, pe_disp, \
                       nelems, root, sizeof(T), WAY);                                              \
    }
#define XBRTIME_GATHER_ALL(T, N, NAME, WAY)                                                        \
    void xbrtime_##N##_##NAME(T* dest, const T* src, const int* pe_msg_sz, const int* pe_disp,     \
                              size_t nelems) {                                                     \
        xbrtime_gather("xbrtime_" #N "_" #NAME, (char*)dest, (const char*)src, pe_msg_sz, pe_disp, \
                       nelems, -1, sizeof(T), WAY);                                                \
    }
#define XBRTIME_COLLECTIVE(T, N)                                                                  \
    void xbrtime_##N##_broadcast(T* dest, const T* src, size_t nelems, int stride, int root) {    \
        xbrtime_broadcast("xbrtime_" #N "_broadcast", dest, src, nelems, stride, root, sizeof(T), \
                          kXbrtimeChosen);                                                        \
    }                                                                                             \
    void xbrtime_##N##_broadcast_tree(T* dest, const T* src, size_t nelems, int stride,           \
                                      int root) {                                                 \
        xbrtime_broadcast("xbrtime_" #N "_broadcast_tree", dest, src, nelems, stride, root,       \
                          sizeof(T), kXbrtimeTree);                                               \
    }                                                                                             \
    void xbrtime_##N##_broadcast_van_de_geijn(T* dest, const T* src, size_t nelems, int stride,   \
                                              int root) {                                         \
        xbrtime_broadcast("xbrtime_" #N "_broadcast_van_de_geijn", dest, src, nelems, stride,     \
                          root, sizeof(T), kXbrtimeParts);                                        \
    }                                                                                             \
    XBRTIME_SCATTER(T, N, scatter, kXbrtimeChosen)                                                \
    XBRTIME_SCATTER(T, N, scatter_tree, kXbrtimeTree)                                             \
    XBRTIME_GATHER(T, N, gather, kXbrtimeChosen)                                                  \
    XBRTIME_GATHER(T, N, gather_tree, kXbrtimeTree)                                               \
    XBRTIME_GATHER_ALL(T, N, gather_all, kXbrtimeChosen)                                          \
    XBRTIME_GATHER_ALL(T, N, gather_all_ring, kXbrtimeRing)                                       \
    XBRTIME_GATHER_ALL(T, N, gather_all_bruck_concat, kXbrtimeDoubling)                           \
    void xbrtime_##N##_alltoall(T* dest, const T* src, int src_stride, int dest_stride,           \
                                size_t nelems) {                                                  \
        xbrtime_alltoall("xbrtime_" #N "_alltoall", (char*)dest, (const char*)src, src_stride,    \
                         dest_stride, nelems, sizeof(T), false);                                  \
    }                                                                                             \
    void xbrtime_##N##_alltoall_shift_exchange(T* dest, const T* src, int src_stride,             \
                                               int dest_stride, size_t nelems) {                  \
        xbrtime_alltoall("xbrtime_" #N "_alltoall_shift_exchange", (char*)dest, (const char*)src, \
                         src_stride, dest_stride, nelems, sizeof(T), true);                       \
    }                                                                                             \
    void xbrtime_##N##_collect(T* dest, const T* src, size_t nelems) {                            \
        xbrtime_collect("xbrtime_" #N "_collect", (char*)dest, (const char*)src, nelems,          \
                        sizeof(T));                                                               \
    }                                                                                             \
    void xbrtime_##N##_fcollect(T* dest, const T* src, size_t nelems) {                           \
        xbrtime_collect("xbrtime_" #N "_fcollect", (char*)dest, (const char*)src, nelems,         \
                        sizeof(T));                                                               \
    }
XBRTIME_COLLECTIVE_TYPES(XBRTIME_COLLECTIVE)

#define XBRTIME_REDUCTION(T, N, OP, RESULT)                                                        \
    static void xbrtime_combine_##OP##_##N(void* into, const void* from, size_t nelems) {          \
        T* const a = into;                                                                         \
        const T* const b = from;                                                                   \
        for (size_t i = 0; i < nelems; ++i)                                                        \
            a[i] = (T)(RESULT);                                                                    \
    }                                                                                              \
    void xbrtime_##N##_reduce_##OP(T* dest, const T* src, size_t nelems, int stride, int root) {   \
        xbrtime_check_root("xbrtime_" #N "_reduce_" #OP, root);                                    \
        xbrtime_reduce("xbrtime_" #N "_reduce_" #OP, dest, src, nelems, stride, root, sizeof(T),   \
                       xbrtime_combine_##OP##_##N, kXbrtimeChosen);                                \
    }                                                                                              \
    void xbrtime_##N##_reduce_##OP##_tree(T* dest, const T* src, size_t nelems, int stride,        \
                                          int root) {                                              \
        xbrtime_check_root("xbrtime_" #N "_reduce_" #OP "_tree", root);                            \
        xbrtime_reduce("xbrtime_" #N "_reduce_" #OP "_tree", dest, src, nelems, stride, root,      \
                       sizeof(T), xbrtime_combine_##OP##_##N, kXbrtimeTree);                       \
    }                                                                                              \
    void xbrtime_##N##_reduce_##OP##_rabenseifner(T* dest, const T* src, size_t nelems,            \
                                                  int stride, int root) {                          \
        xbrtime_check_root("xbrtime_" #N "_reduce_" #OP "_rabenseifner", root);                    \
        xbrtime_reduce("xbrtime_" #N "_reduce_" #OP "_rabenseifner", dest, src, nelems, stride,    \
                       root, sizeof(T), xbrtime_combine_##OP##_##N, kXbrtimeParts);                \
    }                                                                                              \
    void xbrtime_##N##_reduce_all_##OP(T* dest, const T* src, size_t nelems, int stride) {         \
        xbrtime_reduce("xbrtime_" #N "_reduce_all_" #OP, dest, src, nelems, stride, -1, sizeof(T), \
                       xbrtime_combine_##OP##_##N, kXbrtimeChosen);                                \
    }                                                                                              \
    void xbrtime_##N##_reduce_all_##OP##_recursive_doubling(T* dest, const T* src, size_t nelems,  \
                                                            int stride) {                          \
        xbrtime_reduce("xbrtime_" #N "_reduce_all_" #OP "_recursive_doubling", dest, src, nelems,  \
                       stride, -1, sizeof(T), xbrtime_combine_##OP##_##N, kXbrtimeDoubling);       \
    }                                                                                              \
    void xbrtime_##N##_reduce_all_##OP##_rabenseifner(T* dest, const T* src, size_t nelems,        \
                                                      int stride) {                                \
        xbrtime_reduce("xbrtime_" #N "_reduce_all_" #OP "_rabenseifner", dest, src, nelems,        \
                       stride, -1, sizeof(T), xbrtime_combine_##OP##_##N, kXbrtimeParts);          \
    }                                                                                              \
    int xbrtime_##N##_##OP##_reduce(T* dest, const T* src, size_t nelems) {                        \
        xbrtime_##N##_reduce_all_##OP(dest, src, nelems, 1);                                       \
        return 0;                                                                                  \
    }
#define XBRTIME_ARITHMETIC(T, N)                            \
    XBRTIME_REDUCTION(T, N, sum, a[i] + b[i])               \
    XBRTIME_REDUCTION(T, N, product, a[i] * b[i])           \
    XBRTIME_REDUCTION(T, N, max, a[i] < b[i] ? b[i] : a[i]) \
    XBRTIME_REDUCTION(T, N, min, b[i] < a[i] ? b[i] : a[i])
#define XBRTIME_BITWISE(T, N)                 \
    XBRTIME_REDUCTION(T, N, and, a[i] & b[i]) \
    XBRTIME_REDUCTION(T, N, or, a[i] | b[i])  \
    XBRTIME_REDUCTION(T, N, xor, a[i] ^ b[i])
XBRTIME_COLLECTIVE_TYPES(XBRTIME_ARITHMETIC)
XBRTIME_INTEGER_TYPES(XBRTIME_BITWISE)
