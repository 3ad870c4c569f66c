/* Reductions and scans over teams and active sets.
 *
 * Short reductions run up the binomial tree and down again; long ones give every PE a part of the
 * vector, which it reads from all, combines and writes to all. */
#include "collectives.h"

#include <alloca.h>
#include <string.h>

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
            isthmus_road_put_nbi(to, team->area.scratch[round], mine, bytes);
            isthmus_road_flag64(to, (void*)&team->area.arrived[me], operation);
            isthmus_wait_reached(&team->area.arrived[me - step], operation);
            isthmus_road_local();
            isthmus_acquire();
            break;
        }
        if (me + step >= size) continue;
        isthmus_wait_reached(&team->area.arrived[me + step], operation);
        isthmus_acquire();
        combine(mine, team->area.scratch[round], nelems);
    }
    if (me == 0) memcpy(dest, mine, bytes);
    if ((me & 1) == 0) isthmus_send_down(team, dest, dest, bytes, 0);
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
            isthmus_road_get(from, other, (const char*)source + at * unit, count * unit);
            combine(mine, other, count);
        }
        for (int k = 0; k < size; ++k)
            isthmus_road_put_nbi(isthmus_world_pe(team, (me + k) % size), (char*)dest + at * unit,
                                 mine, count * unit);
        isthmus_road_quiet();
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
                    isthmus_road_get(isthmus_world_pe(team, i), other,
                                     (const char*)source + at * unit, count * unit);
                    combine((char*)into + at * unit, other, count);
                }
        }
        isthmus_team_sync(team);
    }
    if (into != dest) memcpy(dest, into, bytes);
}

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
