/* Every generic routine with every type it has, plain and with a context in front, from sources
 * that are const, volatile, arrays or literals. One text for C11 (macros) and C++ (overloads); the
 * files generics.c and generics_overloads.cpp include it. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static int failures;
static int me;
static int pes;
static int next;
static int previous;
static shmem_ctx_t context; /* numbers PEs backwards */
static int evaluations;

static void check(int condition, int line, const char* what) {
    if (condition) return;
    ++failures;
    printf("generics, line %d, PE %d: %s\n", line, me, what);
}
#define CHECK(condition) check((condition), __LINE__, #condition)

static int back(int pe) {
    return pes - 1 - pe;
}

/* What does not fetch may come late, on each context for itself. */
static void all_quiet(void) {
    shmem_quiet();
    shmem_ctx_quiet(context);
}

/* An argument that counts how often it is evaluated. */
static void count_evaluation(void) {
    ++evaluations;
}
#define ONCE(expression) (count_evaluation(), (expression))
#define CHECK_ONCE(count)              \
    do {                               \
        CHECK(evaluations == (count)); \
        evaluations = 0;               \
    } while (0)

#define TEST_RMA(T, N)                                                                           \
    static void rma_##N(void) {                                                                  \
        static T a[24], b[24];                                                                   \
        static volatile T flag;                                                                  \
        static uint64_t signal;                                                                  \
        static const T constant[6] = {(T)1, (T)2, (T)3, (T)4, (T)5, (T)6};                       \
        static volatile const T changing[2] = {(T)21, (T)22};                                    \
        T local[6];                                                                              \
        const T* pointer = constant;                                                             \
        int i;                                                                                   \
        shmem_p(ONCE(a), (T)(me + 1), ONCE(next));                                               \
        CHECK_ONCE(2);                                                                           \
        shmem_p(context, &a[1], (T)(me + 2), back(next));                                        \
        shmem_p(&flag, (T)(me + 3), next);                                                       \
        shmem_barrier_all();                                                                     \
        CHECK(a[0] == (T)(previous + 1) && a[1] == (T)(previous + 2));                           \
        CHECK(flag == (T)(previous + 3));                                                        \
        CHECK(shmem_g(ONCE(a), ONCE(next)) == (T)(me + 1));                                      \
        CHECK_ONCE(2);                                                                           \
        CHECK(shmem_g(&flag, next) == (T)(me + 3));                                              \
        CHECK(shmem_g(context, a + 1, back(next)) == (T)(me + 2));                               \
        CHECK(shmem_g(constant + 3, next) == (T)4);                                              \
        shmem_barrier_all();                                                                     \
        shmem_put(ONCE(a), ONCE(constant), ONCE((size_t)6), ONCE(next));                         \
        CHECK_ONCE(4);                                                                           \
        shmem_put(context, a + 6, pointer, 6, back(next));                                       \
        shmem_put_nbi(a + 12, constant, 2, next);                                                \
        shmem_put_nbi(context, a + 14, constant + 2, 2, back(next));                             \
        shmem_put(a + 16, changing, 2, next);                                                    \
        shmem_put(&flag, constant + 4, 1, next);                                                 \
        shmem_iput(a + 18, constant, 2, 1, 2, next);                                             \
        shmem_iput(context, a + 19, constant, 2, 1, 2, back(next));                              \
        shmem_quiet();                                                                           \
        shmem_ctx_quiet(context);                                                                \
        shmem_barrier_all();                                                                     \
        for (i = 0; i < 6; ++i)                                                                  \
            CHECK(a[i] == constant[i] && a[6 + i] == constant[i]);                               \
        for (i = 0; i < 4; ++i)                                                                  \
            CHECK(a[12 + i] == constant[i]);                                                     \
        CHECK(a[16] == changing[0] && a[17] == changing[1] && flag == constant[4]);              \
        CHECK(a[18] == (T)1 && a[19] == (T)1 && a[20] == (T)2 && a[21] == (T)2);                 \
        shmem_get(local, a, 3, next);                                                            \
        shmem_get(context, local + 3, &a[3], 3, back(next));                                     \
        for (i = 0; i < 6; ++i)                                                                  \
            CHECK(local[i] == constant[i]);                                                      \
        shmem_get_nbi(local, constant + 2, 2, next);                                             \
        shmem_get_nbi(context, local + 2, constant + 2, 2, back(next));                          \
        shmem_quiet();                                                                           \
        shmem_ctx_quiet(context);                                                                \
        CHECK(local[0] == (T)3 && local[3] == (T)4);                                             \
        shmem_iget(local, constant, 1, 2, 3, next);                                              \
        shmem_iget(context, local + 3, constant, 1, 2, 3, back(next));                           \
        CHECK(local[0] == (T)1 && local[2] == (T)5 && local[5] == (T)5);                         \
        shmem_ibget(local, constant, 2, 3, 2, 2, next);                                          \
        CHECK(local[0] == (T)1 && local[1] == (T)2 && local[2] == (T)4 && local[3] == (T)5);     \
        shmem_ibget(context, local, constant, 2, 3, 1, 2, back(next));                           \
        CHECK(local[2] == (T)4);                                                                 \
        shmem_barrier_all();                                                                     \
        shmem_ibput(a, constant, 3, 2, 2, 2, next);                                              \
        shmem_ibput(context, a + 6, constant, 3, 2, 2, 2, back(next));                           \
        shmem_put_signal(b, constant, 6, &signal, 1, SHMEM_SIGNAL_ADD, next);                    \
        shmem_put_signal(context, b + 6, constant, 6, &signal, 1, SHMEM_SIGNAL_ADD, back(next)); \
        shmem_put_signal_nbi(b + 12, constant, 6, &signal, 1, SHMEM_SIGNAL_ADD, next);           \
        shmem_put_signal_nbi(context, b + 18, constant, 6, &signal, 1, SHMEM_SIGNAL_ADD,         \
                             back(next));                                                        \
        shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 4);                                       \
        for (i = 0; i < 24; ++i)                                                                 \
            CHECK(b[i] == constant[i % 6]);                                                      \
        shmem_barrier_all();                                                                     \
        CHECK(a[0] == (T)1 && a[1] == (T)2 && a[3] == (T)3 && a[4] == (T)4 && a[10] == (T)4);    \
    }
SHMEM_DISTINCT_TYPES(TEST_RMA)

/* Collectives that move; and the two reductions that all these types have. */
#define TEST_COLLECTIVE(T, N)                                                                    \
    static void collective_##N(void) {                                                           \
        static T from[32], to[64];                                                               \
        static const T constant[2] = {(T)7, (T)9};                                               \
        int i;                                                                                   \
        for (i = 0; i < 32; ++i)                                                                 \
            from[i] = (T)(me + 1);                                                               \
        shmem_barrier_all();                                                                     \
        CHECK(shmem_broadcast(ONCE(SHMEM_TEAM_WORLD), ONCE(to), ONCE(constant), ONCE((size_t)2), \
                              ONCE(0)) == 0);                                                    \
        CHECK_ONCE(5);                                                                           \
        CHECK(to[0] == (T)7 && to[1] == (T)9);                                                   \
        shmem_barrier_all();                                                                     \
        shmem_collect(SHMEM_TEAM_WORLD, to, from, 1);                                            \
        for (i = 0; i < pes; ++i)                                                                \
            CHECK(to[i] == (T)(i + 1));                                                          \
        shmem_barrier_all();                                                                     \
        shmem_fcollect(SHMEM_TEAM_WORLD, to + 32, from, 2);                                      \
        for (i = 0; i < 2 * pes; ++i)                                                            \
            CHECK(to[32 + i] == (T)(i / 2 + 1));                                                 \
        shmem_barrier_all();                                                                     \
        shmem_alltoall(SHMEM_TEAM_WORLD, to, from, 2);                                           \
        for (i = 0; i < 2 * pes; ++i)                                                            \
            CHECK(to[i] == (T)(i / 2 + 1));                                                      \
        shmem_barrier_all();                                                                     \
        shmem_alltoalls(SHMEM_TEAM_WORLD, to, from, 2, 1, 1);                                    \
        for (i = 0; i < pes; ++i)                                                                \
            CHECK(to[2 * i] == (T)(i + 1));                                                      \
        shmem_barrier_all();                                                                     \
        shmem_max_reduce(SHMEM_TEAM_WORLD, to, from, 1);                                         \
        shmem_min_reduce(SHMEM_TEAM_WORLD, to + 1, from, 1);                                     \
        CHECK(to[0] == (T)pes && to[1] == (T)1);                                                 \
        shmem_barrier_all();                                                                     \
    }
SHMEM_DISTINCT_TYPES(TEST_COLLECTIVE)

#define TEST_SUM(T, N)                                                    \
    static void sum_##N(void) {                                           \
        static T from[1], to[4];                                          \
        static const T one[1] = {(T)1};                                   \
        from[0] = (T)2;                                                   \
        shmem_barrier_all();                                              \
        shmem_sum_reduce(SHMEM_TEAM_WORLD, to, one, 1);                   \
        shmem_prod_reduce(SHMEM_TEAM_WORLD, to + 1, from, 1);             \
        shmem_sum_inscan(SHMEM_TEAM_WORLD, to + 2, one, 1);               \
        shmem_sum_exscan(SHMEM_TEAM_WORLD, to + 3, one, 1);               \
        CHECK(to[0] == (T)pes && to[2] == (T)(me + 1) && to[3] == (T)me); \
        CHECK(pes > 6 || to[1] == (T)(1 << pes));                         \
        shmem_barrier_all();                                              \
    }
SHMEM_DISTINCT_TYPES(TEST_SUM)
SHMEM_COMPLEX_TYPES(TEST_SUM)

#define TEST_BITS(T, N)                                                                       \
    static void bits_##N(void) {                                                              \
        static T from[1], to[3];                                                              \
        from[0] = (T)(me == 0 ? 3 : 1);                                                       \
        shmem_barrier_all();                                                                  \
        shmem_and_reduce(SHMEM_TEAM_WORLD, to, from, 1);                                      \
        shmem_or_reduce(SHMEM_TEAM_WORLD, to + 1, from, 1);                                   \
        shmem_xor_reduce(SHMEM_TEAM_WORLD, to + 2, (const T*)from, 1);                        \
        CHECK(to[0] == (T)(pes > 1 ? 1 : 3) && to[1] == (T)3 && to[2] == (T)(2 | (pes & 1))); \
        shmem_barrier_all();                                                                  \
    }
SHMEM_DISTINCT_BITWISE_REDUCE_TYPES(TEST_BITS)

#define TEST_EXTENDED(T, N)                                                                \
    static void extended_##N(void) {                                                       \
        static T cell[2];                                                                  \
        static volatile T flag;                                                            \
        T fetched = (T)0;                                                                  \
        shmem_atomic_set(ONCE(cell), (T)5, ONCE(next));                                    \
        CHECK_ONCE(2);                                                                     \
        shmem_atomic_set(context, cell + 1, (T)6, back(next));                             \
        shmem_atomic_set(&flag, (T)7, next);                                               \
        all_quiet();                                                                       \
        CHECK(shmem_atomic_fetch((const T*)cell, next) == (T)5);                           \
        CHECK(shmem_atomic_fetch(&flag, next) == (T)7);                                    \
        CHECK(shmem_atomic_fetch(context, cell + 1, back(next)) == (T)6);                  \
        CHECK(shmem_atomic_swap(cell, (T)8, next) == (T)5);                                \
        CHECK(shmem_atomic_swap(context, cell, (T)9, back(next)) == (T)8);                 \
        shmem_atomic_fetch_nbi(&fetched, cell, next);                                      \
        shmem_quiet();                                                                     \
        CHECK(fetched == (T)9);                                                            \
        shmem_atomic_fetch_nbi(context, &fetched, cell + 1, back(next));                   \
        shmem_ctx_quiet(context);                                                          \
        CHECK(fetched == (T)6);                                                            \
        shmem_atomic_swap_nbi(&fetched, cell, (T)10, next);                                \
        shmem_quiet();                                                                     \
        CHECK(fetched == (T)9);                                                            \
        shmem_atomic_swap_nbi(context, &fetched, cell, (T)11, back(next));                 \
        shmem_ctx_quiet(context);                                                          \
        CHECK(fetched == (T)10);                                                           \
        shmem_set(cell, (T)12, next);                                                      \
        all_quiet();                                                                       \
        CHECK(shmem_fetch(cell, next) == (T)12 && shmem_swap(cell, (T)13, next) == (T)12); \
        shmem_barrier_all();                                                               \
    }
SHMEM_DISTINCT_INTEGERS_64(TEST_EXTENDED)
SHMEM_FLOATING_AMO_TYPES(TEST_EXTENDED)

#define TEST_STANDARD(T, N)                                                          \
    static void standard_##N(void) {                                                 \
        static T c[1];                                                               \
        T fetched = 0;                                                               \
        shmem_barrier_all();                                                         \
        CHECK(shmem_atomic_compare_swap(ONCE(c), (T)0, (T)5, ONCE(next)) == 0);      \
        CHECK_ONCE(2);                                                               \
        CHECK(shmem_atomic_compare_swap(context, c, (T)5, (T)6, back(next)) == 5);   \
        shmem_atomic_compare_swap_nbi(&fetched, c, (T)6, (T)7, next);                \
        shmem_quiet();                                                               \
        CHECK(fetched == 6);                                                         \
        shmem_atomic_compare_swap_nbi(context, &fetched, c, (T)7, (T)8, back(next)); \
        shmem_ctx_quiet(context);                                                    \
        CHECK(fetched == 7);                                                         \
        shmem_atomic_inc(c, next);                                                   \
        shmem_atomic_inc(context, c, back(next));                                    \
        all_quiet();                                                                 \
        CHECK(shmem_atomic_fetch_inc(c, next) == 10);                                \
        CHECK(shmem_atomic_fetch_inc(context, c, back(next)) == 11);                 \
        shmem_atomic_fetch_inc_nbi(&fetched, c, next);                               \
        shmem_quiet();                                                               \
        CHECK(fetched == 12);                                                        \
        shmem_atomic_fetch_inc_nbi(context, &fetched, c, back(next));                \
        shmem_ctx_quiet(context);                                                    \
        CHECK(fetched == 13);                                                        \
        shmem_atomic_add(c, 1, next);                                                \
        shmem_atomic_add(context, c, 1, back(next));                                 \
        all_quiet();                                                                 \
        CHECK(shmem_atomic_fetch_add(c, 2, next) == 16);                             \
        CHECK(shmem_atomic_fetch_add(context, c, 2, back(next)) == 18);              \
        shmem_atomic_fetch_add_nbi(&fetched, c, 2, next);                            \
        shmem_quiet();                                                               \
        CHECK(fetched == 20);                                                        \
        shmem_atomic_fetch_add_nbi(context, &fetched, c, 2, back(next));             \
        shmem_ctx_quiet(context);                                                    \
        CHECK(fetched == 22);                                                        \
        CHECK(shmem_cswap(c, 24, 30, next) == 24);                                   \
        shmem_inc(c, next);                                                          \
        all_quiet();                                                                 \
        CHECK(shmem_finc(c, next) == 31);                                            \
        shmem_add(c, 3, next);                                                       \
        all_quiet();                                                                 \
        CHECK(shmem_fadd(c, 1, next) == 35);                                         \
        shmem_barrier_all();                                                         \
    }
SHMEM_DISTINCT_INTEGERS_64(TEST_STANDARD)

#define DISTINCT_BITWISE(X)          \
    X(unsigned int, uint)            \
    X(unsigned long, ulong)          \
    X(unsigned long long, ulonglong) \
    X(int32_t, int32)                \
    X(int64_t, int64)
#define TEST_LOGIC(T, N)                                                   \
    static void logic_##N(void) {                                          \
        static T c[1];                                                     \
        T fetched = 0;                                                     \
        shmem_barrier_all();                                               \
        shmem_atomic_or(c, 15, next);                                      \
        shmem_atomic_or(context, c, 16, back(next));                       \
        all_quiet();                                                       \
        CHECK(shmem_atomic_fetch_or(c, 32, next) == 31);                   \
        CHECK(shmem_atomic_fetch_or(context, c, 64, back(next)) == 63);    \
        shmem_atomic_and(c, 126, next);                                    \
        shmem_atomic_and(context, c, 124, back(next));                     \
        all_quiet();                                                       \
        CHECK(shmem_atomic_fetch_and(c, 120, next) == 124);                \
        CHECK(shmem_atomic_fetch_and(context, c, 112, back(next)) == 120); \
        shmem_atomic_xor(c, 1, next);                                      \
        shmem_atomic_xor(context, c, 2, back(next));                       \
        all_quiet();                                                       \
        CHECK(shmem_atomic_fetch_xor(c, 4, next) == 115);                  \
        CHECK(shmem_atomic_fetch_xor(context, c, 8, back(next)) == 119);   \
        shmem_atomic_fetch_or_nbi(&fetched, c, 128, next);                 \
        shmem_quiet();                                                     \
        CHECK(fetched == 127);                                             \
        shmem_atomic_fetch_or_nbi(context, &fetched, c, 0, back(next));    \
        shmem_ctx_quiet(context);                                          \
        CHECK(fetched == 255);                                             \
        shmem_atomic_fetch_and_nbi(&fetched, c, 15, next);                 \
        shmem_quiet();                                                     \
        CHECK(fetched == 255);                                             \
        shmem_atomic_fetch_and_nbi(context, &fetched, c, 7, back(next));   \
        shmem_ctx_quiet(context);                                          \
        CHECK(fetched == 15);                                              \
        shmem_atomic_fetch_xor_nbi(&fetched, c, 1, next);                  \
        shmem_quiet();                                                     \
        CHECK(fetched == 7);                                               \
        shmem_atomic_fetch_xor_nbi(context, &fetched, c, 0, back(next));   \
        shmem_ctx_quiet(context);                                          \
        CHECK(fetched == 6);                                               \
        shmem_barrier_all();                                               \
    }
DISTINCT_BITWISE(TEST_LOGIC)

#define TEST_WAIT(T, N)                                             \
    static void wait_##N(void) {                                    \
        static volatile T flag;                                     \
        static T plain;                                             \
        shmem_p(&flag, 5, next);                                    \
        shmem_p(&plain, 5, next);                                   \
        shmem_wait_until(ONCE(&flag), ONCE(SHMEM_CMP_EQ), ONCE(5)); \
        CHECK_ONCE(3);                                              \
        shmem_wait_until(&plain, SHMEM_CMP_GE, 5);                  \
        CHECK(shmem_test(&flag, SHMEM_CMP_LT, 6) == 1);             \
        CHECK(shmem_test(&plain, SHMEM_CMP_NE, 5) == 0);            \
        shmem_barrier_all();                                        \
    }
SHMEM_DISTINCT_INTEGERS_64(TEST_WAIT)
SHMEM_DEPRECATED_P2P_TYPES(TEST_WAIT)

#define TEST_SETS(T, N)                                                                      \
    static void sets_##N(void) {                                                             \
        static T v[3];                                                                       \
        static volatile T flags[2];                                                          \
        const T values[3] = {1, 2, 3};                                                       \
        const int status[3] = {0, 1, 0};                                                     \
        size_t indices[3];                                                                   \
        shmem_put(v, values, 3, next);                                                       \
        shmem_wait_until_all(v, 3, NULL, SHMEM_CMP_GT, 0);                                   \
        shmem_wait_until_all_vector(v, 3, NULL, SHMEM_CMP_EQ, values);                       \
        CHECK(shmem_wait_until_any(v, 3, status, SHMEM_CMP_EQ, 3) == 2);                     \
        CHECK(shmem_wait_until_any_vector(v, 2, status, SHMEM_CMP_EQ, values) == 0);         \
        CHECK(shmem_wait_until_some(v, 3, indices, status, SHMEM_CMP_GE, 1) == 2);           \
        CHECK(shmem_wait_until_some_vector(v, 3, indices, NULL, SHMEM_CMP_EQ, values) == 3); \
        CHECK(shmem_test_all(v, 3, NULL, SHMEM_CMP_GT, 1) == 0);                             \
        CHECK(shmem_test_all_vector(v, 3, NULL, SHMEM_CMP_EQ, values) == 1);                 \
        CHECK(shmem_test_any(v, 3, NULL, SHMEM_CMP_EQ, 2) == 1);                             \
        CHECK(shmem_test_any_vector(v, 3, NULL, SHMEM_CMP_GT, values) == SIZE_MAX);          \
        CHECK(shmem_test_some(v, 3, indices, NULL, SHMEM_CMP_LE, 2) == 2);                   \
        CHECK(shmem_test_some_vector(v, 3, indices, NULL, SHMEM_CMP_NE, values) == 0);       \
        CHECK(shmem_test_all(flags, 2, NULL, SHMEM_CMP_EQ, 0) == 1);                         \
        shmem_barrier_all();                                                                 \
    }
SHMEM_DISTINCT_INTEGERS_64(TEST_SETS)

static void others(void) {
    static uint64_t words[4];
    static char text[32];
    static long matrix[3][4];
    static long cells[4];
    static long psync[SHMEM_BARRIER_SYNC_SIZE];
    void (*wait_function)(long*, int, long) = shmem_wait_until;
    void (*set_function)(uint64_t*, uint64_t, int) = &shmem_signal_set;
    int i;
    for (i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i)
        psync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    shmem_signal_set(words, 3, next);
    shmem_signal_set(context, words + 1, 4, back(next));
    shmem_signal_add(words + 2, 5, next);
    shmem_signal_add(context, words + 2, 6, back(next));
    set_function(words + 3, 12, next);
    shmem_put(text, "literal", 8, next);
    shmem_put(matrix[1], matrix[2], 4, next);
    CHECK(shmem_sync(SHMEM_TEAM_WORLD) == 0);
    shmem_sync(0, 0, pes, psync);
    shmem_barrier_all();
    CHECK(words[0] == 3 && words[1] == 4 && words[2] == 11 && words[3] == 12);
    CHECK(strcmp(text, "literal") == 0);
    wait_function(cells, SHMEM_CMP_EQ, 0);
    /* Generics within the arguments of generics. */
    cells[0] = 1;
    cells[1] = 2;
    shmem_barrier_all();
    shmem_p(&cells[shmem_g(&cells[shmem_g(cells, next)], next)], shmem_g(cells + 1, next) + 5,
            next);
    shmem_barrier_all();
    CHECK(cells[2] == 7);
    shmem_barrier_all();
}

static int run(void) {
    shmem_team_t backwards = SHMEM_TEAM_INVALID;
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    next = (me + 1) % pes;
    previous = (me + pes - 1) % pes;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, NULL, 0, &backwards);
    shmem_team_create_ctx(backwards, 0, &context);
#define CALL(T, N)    \
    rma_##N();        \
    collective_##N(); \
    sum_##N();
    SHMEM_DISTINCT_TYPES(CALL)
#undef CALL
#define CALL(T, N) sum_##N();
    SHMEM_COMPLEX_TYPES(CALL)
#undef CALL
#define CALL(T, N) bits_##N();
    SHMEM_DISTINCT_BITWISE_REDUCE_TYPES(CALL)
#undef CALL
#define CALL(T, N) extended_##N();
    SHMEM_DISTINCT_INTEGERS_64(CALL)
    SHMEM_FLOATING_AMO_TYPES(CALL)
#undef CALL
#define CALL(T, N)  \
    standard_##N(); \
    wait_##N();     \
    sets_##N();
    SHMEM_DISTINCT_INTEGERS_64(CALL)
#undef CALL
#define CALL(T, N) logic_##N();
    DISTINCT_BITWISE(CALL)
#undef CALL
#define CALL(T, N) wait_##N();
    SHMEM_DEPRECATED_P2P_TYPES(CALL)
#undef CALL
    others();
    shmem_ctx_destroy(context);
    shmem_team_destroy(backwards);
    shmem_finalize();
    return failures != 0;
}
