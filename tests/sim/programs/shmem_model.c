/* Every kind of routine against what arithmetic says must come out, on any number of PEs. Prints
 * "ok" on PE 0, or a line for each mistake. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, npes;
static long mistakes;

#define CHECK(condition, ...)                         \
    do {                                              \
        if (!(condition)) {                           \
            ++mistakes;                               \
            printf("WRONG on PE %d: ", me);           \
            printf(__VA_ARGS__);                      \
            printf(" (%s:%d)\n", __FILE__, __LINE__); \
        }                                             \
    } while (0)

/* What element i of PE p is, small enough for a signed char and for exact products. */
static int element(int p, size_t i) {
    return (int)((p * 7 + (int)i * 3) % 11) - 2;
}

/* Element and block transfers of every type. */
#define MOVES(T, N)                                                                                \
    static void moves_##N(void) {                                                                  \
        static T box[64], from[64];                                                                \
        const int right = (me + 1) % npes, left = (me + npes - 1) % npes;                          \
        for (int i = 0; i < 64; ++i)                                                               \
            from[i] = (T)element(me, (size_t)i);                                                   \
        shmem_barrier_all();                                                                       \
        shmem_##N##_p(&box[0], from[5], right);                                                    \
        shmem_##N##_put(&box[1], &from[1], 3, right);                                              \
        shmem_##N##_put(&box[4], &from[4], (size_t)(me - me + 13), right);                         \
        shmem_##N##_put_nbi(&box[17], &from[17], 1, right);                                        \
        shmem_##N##_iput(&box[20], &from[20], 2, 3, 5, right);                                     \
        shmem_##N##_ibput(&box[32], &from[32], 4, 5, 2, 3, right);                                 \
        shmem_##N##_put(&box[60], &from[60], 0, right);                                            \
        shmem_barrier_all();                                                                       \
        CHECK(box[0] == (T)element(left, 5), "%s p", #N);                                          \
        for (int i = 1; i < 18; ++i)                                                               \
            CHECK(box[i] == (T)element(left, (size_t)i), "%s put %d", #N, i);                      \
        for (int i = 0; i < 5; ++i)                                                                \
            CHECK(box[20 + 2 * i] == (T)element(left, (size_t)(20 + 3 * i)), "%s iput", #N);       \
        for (int i = 0; i < 6; ++i)                                                                \
            CHECK(                                                                                 \
                box[32 + i / 2 * 4 + i % 2] == (T)element(left, (size_t)(32 + i / 2 * 5 + i % 2)), \
                "%s ibput", #N);                                                                   \
        CHECK(shmem_##N##_g(&from[9], right) == (T)element(right, 9), "%s g", #N);                 \
        T got[32];                                                                                 \
        memset(got, 0, sizeof got);                                                                \
        shmem_##N##_get(got, from, 17, right);                                                     \
        shmem_##N##_get_nbi(got + 17, from + 17, 2, right);                                        \
        shmem_##N##_iget(got + 20, from + 20, 1, 2, 4, right);                                     \
        shmem_quiet();                                                                             \
        for (int i = 0; i < 19; ++i)                                                               \
            CHECK(got[i] == (T)element(right, (size_t)i), "%s get %d", #N, i);                     \
        for (int i = 0; i < 4; ++i)                                                                \
            CHECK(got[20 + i] == (T)element(right, (size_t)(20 + 2 * i)), "%s iget", #N);          \
        uint64_t* const signal = shmem_calloc(2, sizeof(uint64_t));                                \
        shmem_##N##_put_signal(box, from, 8, &signal[0], 1, SHMEM_SIGNAL_ADD, right);              \
        shmem_##N##_put_signal_nbi(box + 8, from + 8, 8, &signal[1], 9, SHMEM_SIGNAL_SET, right);  \
        shmem_signal_wait_until(&signal[0], SHMEM_CMP_EQ, 1);                                      \
        shmem_signal_wait_until(&signal[1], SHMEM_CMP_EQ, 9);                                      \
        for (int i = 0; i < 16; ++i)                                                               \
            CHECK(box[i] == (T)element(left, (size_t)i), "%s put_signal", #N);                     \
        shmem_free(signal);                                                                        \
    }
SHMEM_RMA_TYPES(MOVES)

/* Atomics: all PEs on one word of the last PE. */
#define ATOMICS(T, N)                                                                      \
    static void atomics_##N(void) {                                                        \
        static T sum, count, last, swapped, cas, fetched[2];                               \
        const int at = npes - 1;                                                           \
        sum = count = last = swapped = cas = 0;                                            \
        shmem_barrier_all();                                                               \
        shmem_##N##_atomic_add(&sum, (T)(me + 1), at);                                     \
        const T before = shmem_##N##_atomic_fetch_inc(&count, at);                         \
        CHECK(before < (T)npes, "%s fetch_inc", #N);                                       \
        shmem_##N##_atomic_fetch_add_nbi(&fetched[0], &sum, (T)1, at);                     \
        shmem_##N##_atomic_inc(&sum, at);                                                  \
        T seen;                                                                            \
        do                                                                                 \
            seen = shmem_##N##_atomic_fetch(&cas, at);                                     \
        while (shmem_##N##_atomic_compare_swap(&cas, seen, (T)(seen + 2), at) != seen);    \
        const T old = shmem_##N##_atomic_swap(&swapped, (T)(me + 1), at);                  \
        CHECK(old <= (T)npes, "%s swap", #N);                                              \
        if (me == 0) shmem_##N##_atomic_set(&last, (T)77, at);                             \
        shmem_barrier_all();                                                               \
        CHECK(shmem_##N##_atomic_fetch(&sum, at) == (T)(npes * (npes + 1) / 2 + 2 * npes), \
              "%s add", #N);                                                               \
        CHECK(shmem_##N##_g(&count, at) == (T)npes, "%s inc", #N);                         \
        CHECK(shmem_##N##_g(&cas, at) == (T)(2 * npes), "%s compare_swap", #N);            \
        CHECK(shmem_##N##_g(&last, at) == 77, "%s set", #N);                               \
        shmem_barrier_all();                                                               \
        if (me == 0) shmem_##N##_p(&last, (T)-1, at);                                      \
        if (me == 0 && npes > 1) shmem_##N##_p(&count, (T)-5, 0);                          \
        shmem_barrier_all();                                                               \
        const T minus = shmem_##N##_atomic_fetch(&last, at);                               \
        CHECK(minus == (T)-1, "%s keeps its sign", #N);                                    \
    }
SHMEM_STANDARD_AMO_TYPES(ATOMICS)

#define BITS(T, N)                                                            \
    static void bits_##N(void) {                                              \
        static T all, any, odd;                                               \
        all = (T)-1;                                                          \
        any = odd = 0;                                                        \
        shmem_barrier_all();                                                  \
        shmem_##N##_atomic_and(&all, (T) ~((T)1 << me % 31), 0);              \
        shmem_##N##_atomic_fetch_or(&any, (T)((T)1 << me % 31), 0);           \
        shmem_##N##_atomic_xor(&odd, (T)3, 0);                                \
        shmem_barrier_all();                                                  \
        T expected = 0;                                                       \
        for (int p = 0; p < npes; ++p)                                        \
            expected |= (T)((T)1 << p % 31);                                  \
        CHECK(shmem_##N##_g(&any, 0) == expected, "%s or", #N);               \
        CHECK(shmem_##N##_g(&all, 0) == (T)~expected, "%s and", #N);          \
        CHECK(shmem_##N##_g(&odd, 0) == (T)(npes % 2 ? 3 : 0), "%s xor", #N); \
        shmem_barrier_all();                                                  \
    }
SHMEM_BITWISE_AMO_TYPES(BITS)

static void floating_atomics(void) {
    static double box;
    static float narrow;
    shmem_double_atomic_set(&box, 2.5 * me, (me + 1) % npes);
    const float old = shmem_float_atomic_swap(&narrow, 1.5f, me);
    shmem_barrier_all();
    CHECK(old == 0 && shmem_float_atomic_fetch(&narrow, me) == 1.5f, "float swap");
    CHECK(box == 2.5 * ((me + npes - 1) % npes), "double set");
}

/* Collectives over a team whose member k is PE start + k * stride. */
static char heap_source[1 << 17] __attribute__((aligned(64)));
static char heap_dest[1 << 17] __attribute__((aligned(64)));
static const size_t kLengths[] = {0, 1, 5, 33, 700};

#define REDUCE(T, N, OP, FIRST, COMBINE)                                        \
    for (size_t l = 0; l < sizeof kLengths / sizeof *kLengths; ++l)             \
        for (int in_place = 0; in_place < 2; ++in_place) {                      \
            const size_t n = kLengths[l];                                       \
            T* const from = (T*)heap_source;                                    \
            T* const to = in_place ? from : (T*)heap_dest;                      \
            shmem_team_sync(team);                                              \
            for (size_t i = 0; i < n; ++i)                                      \
                from[i] = (T)element(me, i);                                    \
            shmem_team_sync(team);                                              \
            CHECK(shmem_##N##_##OP##_reduce(team, to, from, n) == 0, "status"); \
            for (size_t i = 0; i < n; ++i) {                                    \
                T x = (T)element(start, i);                                     \
                for (int k = 1; k < size; ++k) {                                \
                    const T y = (T)element(start + k * stride, i);              \
                    x = (T)(COMBINE);                                           \
                }                                                               \
                CHECK(to[i] == x, "%s " #OP " of %zu, element %zu", #N, n, i);  \
                if (to[i] != x) break;                                          \
            }                                                                   \
        }
#define TEAM const shmem_team_t team, const int start, const int stride, const int size
#define ORDERED(T, N)                      \
    static void ordered_##N(TEAM) {        \
        REDUCE(T, N, max, , x < y ? y : x) \
        REDUCE(T, N, min, , x < y ? x : y) \
        REDUCE(T, N, sum, , x + y)         \
    }
SHMEM_ORDERED_REDUCE_TYPES(ORDERED)
#define BITWISE(T, N)               \
    static void bitwise_##N(TEAM) { \
        REDUCE(T, N, and, , x& y)   \
        REDUCE(T, N, or, , x | y)   \
        REDUCE(T, N, xor, , x ^ y)  \
    }
SHMEM_BITWISE_REDUCE_TYPES(BITWISE)
static void products(TEAM) {
    REDUCE(long, long, prod, , x* y)
    REDUCE(unsigned char, uchar, prod, , x* y)
    REDUCE(double _Complex, complexd, sum, , x + y)
}

static void moving(TEAM) {
    const int index = shmem_team_my_pe(team);
    long* const from = (long*)heap_source;
    long* const to = (long*)heap_dest;
    for (size_t l = 0; l < sizeof kLengths / sizeof *kLengths; ++l) {
        const size_t n = kLengths[l] > 40 ? 40 : kLengths[l];
        for (int root = 0; root<size; root += size> 3 ? 3 : 1) {
            for (size_t i = 0; i < n; ++i)
                from[i] = element(me, i) + root, to[i] = -99;
            shmem_team_sync(team);
            shmem_long_broadcast(team, to, from, n, root);
            for (size_t i = 0; i < n; ++i)
                CHECK(to[i] == element(start + root * stride, i) + root, "broadcast");
            shmem_team_sync(team);
        }
        for (size_t i = 0; i < n * (size_t)size; ++i)
            from[i] = element(me, i), to[i] = -99;
        shmem_team_sync(team);
        shmem_long_alltoall(team, to, from, n);
        for (int k = 0; k < size; ++k)
            for (size_t i = 0; i < n; ++i)
                CHECK(to[(size_t)k * n + i] == element(start + k * stride, (size_t)index * n + i),
                      "alltoall");
        shmem_team_sync(team);
        shmem_long_alltoalls(team, to, from, 2, 1, n);
        for (int k = 0; k < size; ++k)
            for (size_t i = 0; i < n; ++i)
                CHECK(to[2 * ((size_t)k * n + i)] ==
                          element(start + k * stride, (size_t)index * n + i),
                      "alltoalls");
        shmem_team_sync(team);
        shmem_long_fcollect(team, to, from, n);
        for (int k = 0; k < size; ++k)
            for (size_t i = 0; i < n; ++i)
                CHECK(to[(size_t)k * n + i] == element(start + k * stride, i), "fcollect");
        shmem_team_sync(team);
        shmem_long_collect(team, to, from, (size_t)index % 3 * n);
        size_t at = 0;
        for (int k = 0; k < size; ++k)
            for (size_t i = 0; i < (size_t)k % 3 * n; ++i)
                CHECK(to[at++] == element(start + k * stride, i), "collect");
        shmem_team_sync(team);
        for (int inclusive = 0; inclusive < 2; ++inclusive) {
            const size_t m = kLengths[l];
            for (size_t i = 0; i < m; ++i)
                from[i] = element(me, i);
            shmem_team_sync(team);
            if (inclusive)
                shmem_long_sum_inscan(team, from, from, m);
            else
                shmem_long_sum_exscan(team, to, from, m);
            for (size_t i = 0; i < m; ++i) {
                long sum = 0;
                for (int k = 0; k < index + inclusive; ++k)
                    sum += element(start + k * stride, i);
                CHECK((inclusive ? from : to)[i] == sum, "scan of %zu", m);
            }
            shmem_team_sync(team);
        }
    }
}

static void contexts(TEAM) {
    static int box[4];
    shmem_ctx_t ctx;
    CHECK(shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE, &ctx) == 0, "team_create_ctx");
    const int index = shmem_team_my_pe(team), next = (index + 1) % size;
    shmem_ctx_int_p(ctx, &box[0], 100 + index, next);
    shmem_ctx_int_atomic_add(ctx, &box[1], 5, next);
    shmem_ctx_quiet(ctx);
    CHECK(shmem_ctx_int_g(ctx, &box[0], next) == 100 + index, "g with a context");
    CHECK(shmem_ctx_int_atomic_fetch(ctx, &box[1], next) % 5 == 0, "fetch with a context");
    shmem_ctx_destroy(ctx);
    shmem_team_sync(team);
    CHECK(box[0] == 100 + (index + size - 1) % size, "p with a context");
    (void)start, (void)stride;
}

static void on_team(TEAM) {
#define CALL_ORDERED(T, N) ordered_##N(team, start, stride, size);
#define CALL_BITWISE(T, N) bitwise_##N(team, start, stride, size);
    SHMEM_ORDERED_REDUCE_TYPES(CALL_ORDERED)
    SHMEM_BITWISE_REDUCE_TYPES(CALL_BITWISE)
    products(team, start, stride, size);
    moving(team, start, stride, size);
    contexts(team, start, stride, size);
}

static void teams(void) {
    on_team(SHMEM_TEAM_WORLD, 0, 1, npes);
    /* Over and over, so that slots are used again. */
    for (int round = 0; round < 70; ++round) {
        shmem_team_t evens = SHMEM_TEAM_INVALID;
        const int size = (npes + 1) / 2;
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, size, NULL, 0, &evens) == 0,
              "split");
        CHECK((evens != SHMEM_TEAM_INVALID) == (me % 2 == 0), "membership");
        if (me % 2 == 0) {
            CHECK(shmem_team_translate_pe(evens, 0, SHMEM_TEAM_WORLD) == 0, "translate");
            if (round == 0) on_team(evens, 0, 2, size);
            static long one, sum;
            one = 1;
            shmem_long_sum_reduce(evens, &sum, &one, 1);
            CHECK(sum == size, "round %d", round);
        }
        shmem_team_destroy(evens);
    }
    shmem_team_t row, column, none;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column) == 0, "2d");
    static int mine, total;
    mine = me;
    shmem_int_sum_reduce(row, &total, &mine, 1);
    CHECK(total == (me / 2 * 2 + 1 < npes ? me / 2 * 4 + 1 : me), "row");
    shmem_int_max_reduce(column, &total, &mine, 1);
    CHECK(total % 2 == me % 2 && total + 2 >= npes, "column");
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes + 1, NULL, 0, &none) != 0,
          "a team larger than its parent");
    shmem_team_destroy(row);
    shmem_team_destroy(column);
}

static void locks_and_waits(void) {
    static long lock, counter;
    static int flags[4];
    for (int i = 0; i < 5; ++i) {
        if (i == 2)
            while (shmem_test_lock(&lock)) {
            }
        else
            shmem_set_lock(&lock);
        shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(&counter, 0) == 5L * npes, "lock");
    for (int i = 0; i < 4; ++i)
        shmem_int_atomic_set(&flags[i], i + 1, (me + 1) % npes);
    int values[4] = {1, 2, 3, 4}, status[4] = {0, 0, 1, 0};
    shmem_int_wait_until_all_vector(flags, 4, NULL, SHMEM_CMP_EQ, values);
    CHECK(shmem_int_test_any(flags, 4, status, SHMEM_CMP_EQ, 3) == SIZE_MAX, "excluded");
    CHECK(shmem_int_wait_until_any(flags, 4, NULL, SHMEM_CMP_EQ, 3) == 2, "any");
    size_t found[4];
    CHECK(shmem_int_wait_until_some(flags, 4, found, NULL, SHMEM_CMP_GT, 2) == 2 && found[0] == 2,
          "some");
    CHECK(shmem_int_test(&flags[0], SHMEM_CMP_LT, 1) == 0, "test");
    /* Two sets in turn: each element of both gets its turn. */
    static int first[2] = {1, 1}, second[2] = {1, 1};
    int times[2][2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < 200; ++i) {
        ++times[0][shmem_int_test_any(first, 2, NULL, SHMEM_CMP_EQ, 1)];
        ++times[1][shmem_int_test_any(second, 2, NULL, SHMEM_CMP_EQ, 1)];
    }
    for (int i = 0; i < 4; ++i)
        CHECK(times[i / 2][i % 2] > 50, "any of set %d: %d", i / 2, times[i / 2][i % 2]);
    CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, first, me) == first, "team_ptr");
    CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, first, npes) == NULL, "team_ptr beyond");
    CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, first, -1) == NULL, "team_ptr before");
    shmem_barrier_all();
}

static void heap(void) {
    for (int round = 0; round < 20; ++round) {
        char* a = shmem_malloc(1000 + (size_t)round * 37);
        char* b = shmem_align(4096, 10000);
        char* c = shmem_calloc(100, 8);
        CHECK(((uintptr_t)b & 4095) == 0, "align");
        for (int i = 0; i < 800; ++i)
            CHECK(c[i] == 0, "calloc");
        memset(a, 5, 1000);
        memset(b, 6, 10000);
        memset(c, 7, 800);
        a = shmem_realloc(a, 3000);
        CHECK(a[0] == 5 && a[999] == 5 && b[0] == 6 && b[9999] == 6 && c[799] == 7, "contents");
        CHECK(shmem_addr_accessible(a, 0) && !shmem_addr_accessible(&round, 0), "accessible");
        /* The same address everywhere. */
        static uint64_t address;
        address = (uint64_t)a;
        shmem_barrier_all();
        CHECK(shmem_uint64_g(&address, (me + 1) % npes) == (uint64_t)a, "symmetric");
        shmem_free(b);
        shmem_free(a);
        shmem_free(c);
    }
    char* whole = shmem_malloc(32 << 20);
    CHECK(whole != NULL, "freed blocks are joined");
    shmem_free(whole);
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
#define CALL_MOVES(T, N)   moves_##N();
#define CALL_ATOMICS(T, N) atomics_##N();
#define CALL_BITS(T, N)    bits_##N();
    SHMEM_RMA_TYPES(CALL_MOVES)
    SHMEM_STANDARD_AMO_TYPES(CALL_ATOMICS)
    SHMEM_BITWISE_AMO_TYPES(CALL_BITS)
    floating_atomics();
    heap();
    locks_and_waits();
    teams();
    static long all;
    shmem_long_atomic_add(&all, mistakes, 0);
    shmem_barrier_all();
    if (me == 0) puts(all == 0 ? "all of it is ok" : "WRONG");
    const int bad = mistakes != 0;
    shmem_finalize();
    return bad;
}
