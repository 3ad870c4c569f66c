/* Waits that have to go on: the value that just meets the condition comes later, by PE 0, and the
 * wait ends; a value that just misses it does not end it. All comparisons, for one variable and for
 * sets of them. Two PEs. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kSet = 5, kPause = 4000000 };

static const struct {
    int cmp;
    const char* name;
    int before; /* beside 10, in order: does not meet it, nor does the next; the last one does */
    int misses, meets;
} cases[] = {
    {SHMEM_CMP_EQ, "EQ", 8, 11, 10}, {SHMEM_CMP_NE, "NE", 10, 10, 9},
    {SHMEM_CMP_GT, "GT", 9, 10, 11}, {SHMEM_CMP_LE, "LE", 12, 11, 10},
    {SHMEM_CMP_LT, "LT", 11, 10, 9}, {SHMEM_CMP_GE, "GE", 8, 9, 10},
};
enum { kCases = sizeof cases / sizeof *cases };

static int me;
static long turn; /* at PE 1: PE 0 has changed the variable for the last time */

static void pause_shortly(void) {
    const struct timespec length = {0, kPause};
    nanosleep(&length, NULL);
}

#define NEED(CONDITION, WHAT, CASE)                                                     \
    do {                                                                                \
        if (!(CONDITION)) {                                                             \
            fprintf(stderr, "PE %d, line %d: %s, %s: %s\n", me, __LINE__, WHAT, (CASE), \
                    #CONDITION);                                                        \
            shmem_global_exit(1);                                                       \
        }                                                                               \
    } while (0)

/* PE 0's part: what misses, a while later what meets. `turn` says that what meets has been sent. */
#define FEED(T, N, VARIABLE, CASE)                                  \
    do {                                                            \
        pause_shortly();                                            \
        shmem_##N##_atomic_set(VARIABLE, (T)cases[CASE].misses, 1); \
        pause_shortly();                                            \
        shmem_long_atomic_set(&turn, 1, 1);                         \
        shmem_fence();                                              \
        shmem_##N##_atomic_set(VARIABLE, (T)cases[CASE].meets, 1);  \
    } while (0)

#define DEFINE(T, N)                                                                               \
    static T N##_variables[kSet];                                                                  \
    static void N##_reset(int value) {                                                             \
        for (int i = 0; i < kSet; ++i)                                                             \
            N##_variables[i] = (T)value;                                                           \
        turn = 0;                                                                                  \
        shmem_barrier_all();                                                                       \
    }                                                                                              \
    static void N##_waits(void) {                                                                  \
        for (int c = 0; c < kCases; ++c) {                                                         \
            const char* const name = cases[c].name;                                                \
            T* const last = &N##_variables[kSet - 1];                                              \
            const T met = (T)cases[c].meets;                                                       \
            size_t indices[kSet];                                                                  \
            static const int mask[kSet] = {1, 0, 0, 0, 0};                                         \
            const T values[kSet] = {10, 10, 10, 10, 10};                                           \
            for (int form = 0; form < 7; ++form) {                                                 \
                N##_reset(cases[c].before);                                                        \
                if (me == 0) {                                                                     \
                    if (form == 1 || form == 4)                                                    \
                        for (int i = kSet - 2; i >= 0; --i)                                        \
                            shmem_##N##_atomic_set(&N##_variables[i], met, 1);                     \
                    FEED(T, N, last, c);                                                           \
                } else if (me == 1) {                                                              \
                    switch (form) {                                                                \
                        case 0: shmem_##N##_wait_until(last, cases[c].cmp, 10); break;             \
                        case 1:                                                                    \
                            shmem_##N##_wait_until_all(N##_variables, kSet, mask, cases[c].cmp,    \
                                                       10);                                        \
                            NEED(N##_variables[1] == met, "wait_until_all", name);                 \
                            break;                                                                 \
                        case 2:                                                                    \
                            NEED(shmem_##N##_wait_until_any(N##_variables, kSet, mask,             \
                                                            cases[c].cmp, 10) == kSet - 1,         \
                                 "wait_until_any", name);                                          \
                            break;                                                                 \
                        case 3:                                                                    \
                            NEED(shmem_##N##_wait_until_some(N##_variables, kSet, indices, mask,   \
                                                             cases[c].cmp, 10) == 1 &&             \
                                     indices[0] == kSet - 1,                                       \
                                 "wait_until_some", name);                                         \
                            break;                                                                 \
                        case 4:                                                                    \
                            shmem_##N##_wait_until_all_vector(N##_variables, kSet, mask,           \
                                                              cases[c].cmp, values);               \
                            NEED(N##_variables[1] == met, "wait_until_all_vector", name);          \
                            break;                                                                 \
                        case 5:                                                                    \
                            NEED(shmem_##N##_wait_until_any_vector(                                \
                                     N##_variables, kSet, mask, cases[c].cmp, values) == kSet - 1, \
                                 "wait_until_any_vector", name);                                   \
                            break;                                                                 \
                        default:                                                                   \
                            NEED(shmem_##N##_wait_until_some_vector(N##_variables, kSet, indices,  \
                                                                    mask, cases[c].cmp,            \
                                                                    values) == 1,                  \
                                 "wait_until_some_vector", name);                                  \
                    }                                                                              \
                    NEED(turn == 1, "a wait has ended too early", name);                           \
                    NEED(*last == met, "a wait has ended too early", name);                        \
                    NEED(shmem_##N##_test(last, cases[c].cmp, 10) == 1, "test", name);             \
                    *last = (T)cases[c].misses;                                                    \
                    NEED(shmem_##N##_test(last, cases[c].cmp, 10) == 0, "test", name);             \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE(int, int)
DEFINE(unsigned int, uint)
DEFINE(long, long)
DEFINE(unsigned long long, ulonglong)

static uint64_t signal_word;
static void signal_waits(void) {
    for (int c = 0; c < kCases; ++c) {
        signal_word = (uint64_t)cases[c].before;
        turn = 0;
        shmem_barrier_all();
        if (me == 0) {
            pause_shortly();
            shmem_signal_set(&signal_word, (uint64_t)cases[c].misses, 1);
            pause_shortly();
            shmem_long_atomic_set(&turn, 1, 1);
            shmem_fence();
            shmem_signal_set(&signal_word, (uint64_t)cases[c].meets, 1);
        } else if (me == 1) {
            const uint64_t seen = shmem_signal_wait_until(&signal_word, cases[c].cmp, 10);
            NEED(seen == (uint64_t)cases[c].meets, "signal_wait_until", cases[c].name);
            NEED(turn == 1, "signal_wait_until", cases[c].name);
        }
        shmem_barrier_all();
    }
}

/* Wherever a search begins, it looks at all. */
static void searches(void) {
    static long set[kSet];
    for (size_t only = 0; only < kSet; ++only) {
        for (int i = 0; i < 200; ++i) {
            size_t indices[kSet];
            for (size_t each = 0; each < kSet; ++each)
                set[each] = each == only;
            NEED(shmem_long_test_any(set, kSet, NULL, SHMEM_CMP_EQ, 1) == only, "test_any", "EQ");
            NEED(shmem_long_test_some(set, kSet, indices, NULL, SHMEM_CMP_EQ, 1) == 1 &&
                     indices[0] == only,
                 "test_some", "EQ");
            NEED(shmem_long_test_all(set, kSet, NULL, SHMEM_CMP_EQ, 1) == 0, "test_all", "EQ");
        }
    }
}

int main(void) {
    shmem_init();
    alarm(40); /* a wait that does not end */
    me = shmem_my_pe();
    searches();
    int_waits();
    uint_waits();
    long_waits();
    ulonglong_waits();
    signal_waits();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
