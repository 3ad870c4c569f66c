/* Every routine of xbrtime on any number of PEs. */
#include "xbrtime_check.h"

#include <string.h>

enum { kWords = 40 };

/* Block, stride, backwards, single, nothing, and the form with four arguments. */
#define TRANSFERS(T, N)                                                                         \
    static void transfers_##N(void) {                                                           \
        T* const there = (T*)xbrtime_malloc(kWords * sizeof(T));                                \
        T here[kWords], back[kWords];                                                           \
        const int to = (me + 1) % pes;                                                          \
        for (int i = 0; i < kWords; ++i) {                                                      \
            here[i] = (T)(i + me);                                                              \
            there[i] = back[i] = (T)99;                                                         \
        }                                                                                       \
        xbrtime_barrier();                                                                      \
        xbrtime_##N##_put(there, here, 10, 1, to);                                              \
        xbrtime_##N##_put(there + 11, here + 11, 4, 3, to);                                     \
        xbrtime_##N##_put(there + 30, here + 30, 3, -2, to);                                    \
        xbrtime_##N##_put(there + 32, here + 32, 1, to);                                        \
        xbrtime_##N##_put(there + 33, here + 33, 0, 1, to);                                     \
        xbrtime_##N##_put_nb(there + 34, here + 34, 2, 1, to);                                  \
        xbrtime_##N##_put_nb(there + 36, here + 36, 2, 2, to);                                  \
        xbrtime_quiet();                                                                        \
        xbrtime_##N##_get(back, there, 10, 1, to);                                              \
        xbrtime_##N##_get(back + 11, there + 11, 4, 3, to);                                     \
        xbrtime_##N##_get(back + 30, there + 30, 3, -2, to);                                    \
        xbrtime_##N##_get(back + 32, there + 32, 1, to);                                        \
        xbrtime_##N##_get_nb(back + 34, there + 34, 2, 1, to);                                  \
        xbrtime_##N##_get_nb(back + 36, there + 36, 2, 2, to);                                  \
        xbrtime_quiet();                                                                        \
        for (int i = 0; i < kWords; ++i) {                                                      \
            const int moved = i < 10 || i == 11 || i == 14 || i == 17 || i == 20 || i == 26 ||  \
                              i == 28 || i == 30 || i == 32 || i == 34 || i == 35 || i == 36 || \
                              i == 38;                                                          \
            CHECK(back[i] == (moved ? here[i] : (T)99));                                        \
        }                                                                                       \
        xbrtime_barrier();                                                                      \
        const int from = (me + pes - 1) % pes;                                                  \
        CHECK(there[3] == (T)(3 + from) && there[10] == (T)99 && there[33] == (T)99);           \
        xbrtime_barrier();                                                                      \
        xbrtime_free(there);                                                                    \
    }
XBRTIME_TYPES(TRANSFERS)

static const int kRoots = 2;
static int root_of(int k) {
    return k == 0 ? 0 : pes - 1;
}

#define COLLECTIVES(T, N)                                                                          \
    static void collectives_##N(void) {                                                            \
        T* const dest = (T*)xbrtime_malloc(400 * sizeof(T));                                       \
        T source[400], result[400];                                                                \
        for (int k = 0; k < kRoots; ++k) {                                                         \
            const int root = root_of(k);                                                           \
            for (int way = 0; way < 3; ++way)                                                      \
                for (int stride = 1; stride <= 2; ++stride) {                                      \
                    for (int i = 0; i < 200; ++i) {                                                \
                        source[i] = (T)(i % 50 + me);                                              \
                        dest[i] = (T)77;                                                           \
                    }                                                                              \
                    xbrtime_barrier();                                                             \
                    if (way == 0) xbrtime_##N##_broadcast(dest, source, 90, stride, root);         \
                    if (way == 1) xbrtime_##N##_broadcast_tree(dest, source, 90, stride, root);    \
                    if (way == 2)                                                                  \
                        xbrtime_##N##_broadcast_van_de_geijn(dest, source, 90, stride, root);      \
                    for (int i = 0; i < 200; ++i)                                                  \
                        CHECK(dest[i] ==                                                           \
                              (i < 90 * stride && i % stride == 0 ? (T)(i % 50 + root) : (T)77));  \
                    xbrtime_barrier();                                                             \
                }                                                                                  \
            /* Part p lies at 4 p. Private memory. In the second round some parts are empty. */    \
            for (int round = 0; round < 2; ++round) {                                              \
                int sizes[64], places[64];                                                         \
                size_t all = 0;                                                                    \
                for (int p = 0; p < pes; ++p) {                                                    \
                    sizes[p] = p % 3 + 1 - round;                                                  \
                    places[p] = 4 * p;                                                             \
                    all += (size_t)sizes[p];                                                       \
                }                                                                                  \
                for (int way = 0; way < 2; ++way) {                                                \
                    for (int i = 0; i < 4 * pes; ++i) {                                            \
                        source[i] = (T)(i + root + way);                                           \
                        result[i] = (T)77;                                                         \
                    }                                                                              \
                    if (way == 0) xbrtime_##N##_scatter(result, source, sizes, places, all, root); \
                    if (way == 1)                                                                  \
                        xbrtime_##N##_scatter_tree(result, source, sizes, places, all, root);      \
                    for (int i = 0; i < sizes[me]; ++i)                                            \
                        CHECK(result[i] == (T)(places[me] + i + root + way));                      \
                    CHECK(result[sizes[me]] == (T)77);                                             \
                    for (int i = 0; i < 4 * pes; ++i) {                                            \
                        source[i] = (T)(me + i + way);                                             \
                        result[i] = (T)77;                                                         \
                    }                                                                              \
                    if (way == 0) xbrtime_##N##_gather(result, source, sizes, places, all, root);  \
                    if (way == 1)                                                                  \
                        xbrtime_##N##_gather_tree(result, source, sizes, places, all, root);       \
                    for (int p = 0; p < pes; ++p)                                                  \
                        for (int i = 0; i < 4; ++i)                                                \
                            CHECK(result[4 * p + i] ==                                             \
                                  (me == root && i < sizes[p] ? (T)(p + i + way) : (T)77));        \
                }                                                                                  \
                /* Other values each time, as blocks are used again. */                            \
                for (int way = 0; way < 3; ++way) {                                                \
                    for (int i = 0; i < 4 * pes; ++i) {                                            \
                        source[i] = (T)(me + i + way);                                             \
                        result[i] = (T)77;                                                         \
                    }                                                                              \
                    if (way == 0) xbrtime_##N##_gather_all(result, source, sizes, places, all);    \
                    if (way == 1)                                                                  \
                        xbrtime_##N##_gather_all_ring(result, source, sizes, places, all);         \
                    if (way == 2)                                                                  \
                        xbrtime_##N##_gather_all_bruck_concat(result, source, sizes, places, all); \
                    for (int p = 0; p < pes; ++p)                                                  \
                        for (int i = 0; i < 4; ++i)                                                \
                            CHECK(result[4 * p + i] == (i < sizes[p] ? (T)(p + i + way) : (T)77)); \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        for (int way = 0; way < 2; ++way) {                                                        \
            for (int i = 0; i < 6 * pes; ++i) {                                                    \
                source[i] = (T)(me + i);                                                           \
                result[i] = (T)77;                                                                 \
            }                                                                                      \
            if (way == 0)                                                                          \
                xbrtime_##N##_alltoall(result, source, 2, 1, 3);                                   \
            else                                                                                   \
                xbrtime_##N##_alltoall_shift_exchange(result, source, 2, 1, 3);                    \
            for (int p = 0; p < pes; ++p)                                                          \
                for (int i = 0; i < 3; ++i)                                                        \
                    CHECK(result[3 * p + i] == (T)(p + 2 * (3 * me + i)));                         \
            CHECK(result[3 * pes] == (T)77);                                                       \
        }                                                                                          \
        size_t at = 0;                                                                             \
        xbrtime_##N##_collect(result, source, (size_t)(me % 3));                                   \
        for (int p = 0; p < pes; ++p)                                                              \
            for (int i = 0; i < p % 3; ++i)                                                        \
                CHECK(result[at++] == (T)(p + i));                                                 \
        xbrtime_##N##_fcollect(result, source, 2);                                                 \
        for (int p = 0; p < pes; ++p)                                                              \
            CHECK(result[2 * p] == (T)p && result[2 * p + 1] == (T)(p + 1));                       \
        xbrtime_free(dest);                                                                        \
    }
XBRTIME_COLLECTIVE_TYPES(COLLECTIVES)

/* 2 + (me % 2): small enough for products of all types on five PEs. */
#define REDUCTION(T, N, OP, EXPRESSION)                                                        \
    {                                                                                          \
        T expected = (T)2;                                                                     \
        for (int p = 1; p < pes; ++p) {                                                        \
            const T a = expected, b = (T)(2 + p % 2);                                          \
            expected = (T)(EXPRESSION);                                                        \
        }                                                                                      \
        for (int way = 0; way < 6; ++way)                                                      \
            for (int stride = 1; stride <= 2; ++stride) {                                      \
                for (int i = 0; i < 300; ++i)                                                  \
                    result[i] = (T)77;                                                         \
                if (way == 0) xbrtime_##N##_reduce_##OP(result, source, 140, stride, pes - 1); \
                if (way == 1)                                                                  \
                    xbrtime_##N##_reduce_##OP##_tree(result, source, 140, stride, pes - 1);    \
                if (way == 2)                                                                  \
                    xbrtime_##N##_reduce_##OP##_rabenseifner(result, source, 140, stride,      \
                                                             pes - 1);                         \
                if (way == 3) xbrtime_##N##_reduce_all_##OP(result, source, 140, stride);      \
                if (way == 4)                                                                  \
                    xbrtime_##N##_reduce_all_##OP##_recursive_doubling(result, source, 140,    \
                                                                       stride);                \
                if (way == 5)                                                                  \
                    xbrtime_##N##_reduce_all_##OP##_rabenseifner(result, source, 140, stride); \
                const int mine = way >= 3 || me == pes - 1;                                    \
                for (int i = 0; i < 300; ++i)                                                  \
                    CHECK(result[i] ==                                                         \
                          (mine && i < 140 * stride && i % stride == 0 ? expected : (T)77));   \
            }                                                                                  \
    }
#define ARITHMETIC(T, N)                             \
    static void arithmetic_##N(void) {               \
        T source[300], result[300];                  \
        for (int i = 0; i < 300; ++i)                \
            source[i] = (T)(2 + me % 2);             \
        REDUCTION(T, N, sum, a + b)                  \
        REDUCTION(T, N, product, a* b)               \
        REDUCTION(T, N, max, a > b ? a : b)          \
        REDUCTION(T, N, min, a < b ? a : b)          \
        xbrtime_##N##_sum_reduce(result, source, 1); \
        T sum = 0;                                   \
        for (int p = 0; p < pes; ++p)                \
            sum = (T)(sum + 2 + p % 2);              \
        CHECK(result[0] == sum);                     \
    }
#define BITWISE(T, N)                    \
    static void bitwise_##N(void) {      \
        T source[300], result[300];      \
        for (int i = 0; i < 300; ++i)    \
            source[i] = (T)(2 + me % 2); \
        REDUCTION(T, N, and, a& b)       \
        REDUCTION(T, N, or, a | b)       \
        REDUCTION(T, N, xor, a ^ b)      \
    }
XBRTIME_COLLECTIVE_TYPES(ARITHMETIC)
XBRTIME_INTEGER_TYPES(BITWISE)

/* On the next PE's word, which nobody else touches; the upper half of the type is in use. */
#define ATOMICS(T, N)                                                               \
    static void atomics_##N(void) {                                                 \
        static T word;                                                              \
        const int to = (me + 1) % pes;                                              \
        const T high = (T)((T)1 << (8 * sizeof(T) - 2));                            \
        xbrtime_##N##_atomic_set(&word, high, to);                                  \
        xbrtime_quiet();                                                            \
        CHECK(xbrtime_##N##_atomic_fetch(&word, to) == high);                       \
        CHECK(xbrtime_##N##_atomic_add(&word, 5, to) == high);                      \
        CHECK(xbrtime_##N##_atomic_fetch_add(&word, 1, to) == (T)(high + 5));       \
        xbrtime_##N##_atomic_inc(&word, to);                                        \
        xbrtime_quiet();                                                            \
        CHECK(xbrtime_##N##_atomic_fetch_inc(&word, to) == (T)(high + 7));          \
        CHECK(xbrtime_##N##_atomic_swap(&word, 12, to) == (T)(high + 8));           \
        CHECK(xbrtime_##N##_atomic_land(&word, 6, to) == 12);                       \
        CHECK(xbrtime_##N##_atomic_lor(&word, 3, to) == 4);                         \
        CHECK(xbrtime_##N##_atomic_lxor(&word, 1, to) == 7);                        \
        CHECK(xbrtime_##N##_atomic_band(&word, 12, to) == 6);                       \
        CHECK(xbrtime_##N##_atomic_bor(&word, 8, to) == 4);                         \
        CHECK(xbrtime_##N##_atomic_bxor(&word, 5, to) == 12);                       \
        CHECK(xbrtime_##N##_atomic_max(&word, (T)-3, to) == 9);                     \
        const T most = (T)-3 > (T)9 ? (T)-3 : (T)9;                                 \
        CHECK(xbrtime_##N##_atomic_min(&word, (T)-2, to) == most);                  \
        const T least = (T)-2 < most ? (T)-2 : most;                                \
        CHECK(xbrtime_##N##_atomic_compare_swap(&word, (T)1, (T)2, to) == least);   \
        CHECK(xbrtime_##N##_atomic_compare_swap(&word, least, (T)-7, to) == least); \
        CHECK(xbrtime_##N##_atomic_fetch(&word, to) == (T)-7);                      \
        /* All at once: nothing is lost. */                                         \
        static T counter;                                                           \
        xbrtime_barrier();                                                          \
        for (int i = 0; i < 10; ++i)                                                \
            xbrtime_##N##_atomic_add(&counter, 1, 0);                               \
        static T greatest;                                                          \
        xbrtime_##N##_atomic_max(&greatest, (T)(me + 1), 0);                        \
        xbrtime_barrier();                                                          \
        CHECK(me != 0 || (counter == (T)(10 * pes) && greatest == (T)pes));         \
        xbrtime_barrier();                                                          \
    }
XBRTIME_ATOMIC_TYPES(ATOMICS)

#define INNER(SIZE, T)                                                                            \
    {                                                                                             \
        static T there[8];                                                                        \
        T here[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};                                      \
        const int to = (me + 1) % pes;                                                            \
        const uint64_t at = __xbrtime_ltor((uint64_t)(uintptr_t)there, to);                       \
        const uint32_t space = xbrtime_decode_pe(to);                                             \
        CHECK(at == (uint64_t)(uintptr_t)there && space == (uint32_t)to + 1);                     \
        __xbrtime_put_##SIZE##_seq((uint64_t)(uintptr_t)here, at, space, 4, 2 * sizeof(T));       \
        __xbrtime_put_##SIZE##_unr((uint64_t)(uintptr_t)(here + 3), at + 3 * sizeof(T), space, 4, \
                                   sizeof(T));                                                    \
        __xbrtime_get_##SIZE##_seq(at, (uint64_t)(uintptr_t)back, space, 3, sizeof(T));           \
        __xbrtime_get_##SIZE##_unr(at + 3 * sizeof(T), (uint64_t)(uintptr_t)(back + 3), space, 5, \
                                   sizeof(T));                                                    \
        __xbrtime_put_##SIZE##_agg((uint64_t)(uintptr_t)here, at + 7 * sizeof(T), space, 1,       \
                                   sizeof(T));                                                    \
        __xbrtime_get_##SIZE##_agg(at + 7 * sizeof(T), (uint64_t)(uintptr_t)(back + 7), space, 1, \
                                   sizeof(T));                                                    \
        const T expected[8] = {1, 0, 3, 4, 5, 6, 7, 1};                                           \
        CHECK(memcmp(back, expected, sizeof back) == 0);                                          \
        xbrtime_barrier();                                                                        \
    }

#define RUN_TRANSFERS(T, N)   transfers_##N();
#define RUN_COLLECTIVES(T, N) collectives_##N();
#define RUN_ARITHMETIC(T, N)  arithmetic_##N();
#define RUN_BITWISE(T, N)     bitwise_##N();
#define RUN_ATOMICS(T, N)     atomics_##N();

/* The same routines as other versions of the library call them. */
static void other_forms(void) {
    static double shared[8], sums[8];
    static long words[4], flag;
    const int to = (me + 1) % pes;
    double mine[3] = {me, -me, 0.5 * me}, result[3];
    for (int i = 0; i < 3; ++i)
        shared[i] = me == pes - 1 ? 10.5 + i : 0;
    xbrtime_barrier();
    xbrtime_double_broadcast(sums, shared, 3, pes - 1);
    CHECK(sums[0] == 10.5 && sums[2] == 12.5);
    xbrtime_barrier();
    xbrtime_double_broadcast_tree(sums, shared, 2, pes - 1);
    xbrtime_barrier();
    xbrtime_double_broadcast_van_de_geijn(sums, shared, 3, 1, pes - 1);
    CHECK(sums[1] == 11.5);
    CHECK(xbrtime_double_min_reduce(result, mine, 3) == 0);
    CHECK(result[0] == 0 && result[1] == -(pes - 1));
    xbrtime_double_max_reduce(result, mine, 3);
    CHECK(result[0] == pes - 1 && result[1] == 0 && result[2] == 0.5 * (pes - 1));
    const float one[2] = {1, (float)(me + 1)};
    float product[2];
    xbrtime_float_product_reduce(product, one, 2);
    CHECK(product[0] == 1 && (pes > 10 || product[1] >= pes));
    xbrtime_double_reduce_all_sum_recursive_doubling(result, mine, 3, 1);
    CHECK(result[0] == pes * (pes - 1) / 2 && result[1] == -result[0]);
    long of_all[40], from[40];
    for (int p = 0; p < pes && p < 40; ++p)
        of_all[p] = 100 * me + p;
    if (pes <= 40) {
        xbrtime_long_alltoall(from, of_all, 1);
        CHECK(from[pes - 1] == 100 * (pes - 1) + me);
    }
    /* What stands here, there. */
    words[0] = 40 + me;
    xbrtime_barrier();
    if (me == 0) CHECK(xbrtime_long_atomic_compare_swap(&words[0], 40 + to, to) == 40 + to);
    xbrtime_barrier();
    CHECK(words[0] == (me == 1 ? 40 : 40 + me));
    xbrtime_barrier();
    CHECK(xbrtime_double_atomic_swap(&shared[7], 2.5, to) == 0);
    xbrtime_barrier();
    CHECK(xbrtime_double_atomic_fetch(&shared[7], to) == 2.5);
    xbrtime_long_atomic_set(&flag, 7, to);
    xbrtime_long_wait_until(&flag, XBRTIME_CMP_EQ, 7);
    CHECK(xbrtime_size_atomic_fetch_or((size_t*)&words[1], 6, to) == 0);
    CHECK(xbrtime_size_atomic_and((size_t*)&words[1], 3, to) == 6);
    CHECK(xbrtime_size_atomic_xor((size_t*)&words[1], 1, to) == 2);
    CHECK(xbrtime_size_atomic_fetch((size_t*)&words[1], to) == 3);
    xbrtime_barrier();
}

int main(void) {
    CHECK(__XBRTIME_CONFIG == NULL);
    CHECK(xbrtime_mype() == -1 && xbrtime_num_pes() == -1 && !xbrtime_pe_accessible(0));
    CHECK(xbrtime_init() == 0);
    CHECK(xbrtime_init() == 0);
    me = xbrtime_mype();
    pes = xbrtime_num_pes();
    CHECK(__XBRTIME_CONFIG->_ID == me && __XBRTIME_CONFIG->_NPES == pes);
    CHECK(__XBRTIME_CONFIG->_MAP[pes - 1]._LOGICAL == pes - 1);
    CHECK(__XBRTIME_CONFIG->_MAP[pes - 1]._PHYSICAL == pes);
    CHECK(__xbrtime_asm_get_id() == (uint64_t)me && __xbrtime_asm_get_npes() == (uint64_t)pes);
    CHECK(__xbrtime_asm_get_memsize() == __XBRTIME_CONFIG->_MEMSIZE);
    CHECK(__xbrtime_asm_get_startaddr() == __XBRTIME_CONFIG->_START_ADDR);
    __xbrtime_ctor_reg_reset();
    CHECK(xbrtime_pe_accessible(pes - 1) && !xbrtime_pe_accessible(pes) &&
          !xbrtime_pe_accessible(-1));
    CHECK(_XBRTIME_UNROLL_FACTOR_ == 4 && _XBRTIME_MIN_UNR_THRESHOLD_ == 8);
    CHECK(_XBRTIME_MEM_SLOTS_ == 2048);
    other_forms();

    long* const block = (long*)xbrtime_align(256, 4 * sizeof(long));
    long local = 0;
    CHECK(((uintptr_t)block & 255) == 0);
    CHECK(xbrtime_addr_accessible(block, pes - 1) && xbrtime_addr_accessible(&wrong_in_all, 0));
    CHECK(!xbrtime_addr_accessible(&local, 0) && !xbrtime_addr_accessible(block, pes));
    CHECK(__xbrtime_ltor((uint64_t)(uintptr_t)&local, 0) == 0);
    block[0] = 1000 + me;
    xbrtime_barrier_all();
    CHECK(__xbrtime_get_remote_alloc((uint64_t)(uintptr_t)block, pes - 1) ==
          (uint64_t)(1000 + pes - 1));
    __xbrtime_remote_touch((uint64_t)(uintptr_t)block, 0);
    xbrtime_barrier_all();
    xbrtime_putmem(&block[1], &block[0], sizeof(long), (me + 1) % pes);
    xbrtime_putmem_nbi(&block[2], &block[0], sizeof(long), (me + 1) % pes);
    __xbrtime_asm_fence();
    __xbrtime_asm_quiet_fence();
    xbrtime_fence();
    xbrtime_getmem(&local, &block[1], sizeof local, (me + 1) % pes);
    CHECK(local == 1000 + me);
    xbrtime_getmem_nbi(&local, &block[2], sizeof local, me);
    xbrtime_barrier();
    xbrtime_getmem(&local, &block[2], sizeof local, me);
    CHECK(local == 1000 + (me + pes - 1) % pes);

    static long lock, protected_sum;
    for (int i = 0; i < 5; ++i) {
        xbrtime_set_lock(&lock);
        CHECK(xbrtime_test_lock(&lock) != 0);
        long sum;
        xbrtime_long_get(&sum, &protected_sum, 1, 1, 0);
        ++sum;
        xbrtime_long_put(&protected_sum, &sum, 1, 1, 0);
        xbrtime_clear_lock(&lock);
    }
    xbrtime_barrier();
    CHECK(me != 0 || protected_sum == 5 * pes);
    xbrtime_free(block);

    XBRTIME_TYPES(RUN_TRANSFERS)
    XBRTIME_COLLECTIVE_TYPES(RUN_COLLECTIVES)
    XBRTIME_COLLECTIVE_TYPES(RUN_ARITHMETIC)
    XBRTIME_INTEGER_TYPES(RUN_BITWISE)
    XBRTIME_ATOMIC_TYPES(RUN_ATOMICS)
    INNER(u1, uint8_t)
    INNER(u2, uint16_t)
    INNER(u4, uint32_t)
    INNER(u8, uint64_t)
    INNER(s1, int8_t)
    INNER(s2, int16_t)
    INNER(s4, int32_t)
    INNER(s8, int64_t)

    return finish();
}
