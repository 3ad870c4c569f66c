/* More PEs on a machine than a window has slots: compiled for 32 of them and run with more PEs, or
 * for 256 as usual and run with more than that. What crosses from one group to the other, and
 * collectives of all. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

static int me, pes;

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition)) {                                                            \
            fprintf(stderr, "PE %d: %s:%d: %s\n", me, __FILE__, __LINE__, #condition); \
            shmem_global_exit(1);                                                      \
        }                                                                              \
    } while (0)

static void neighbours(void) {
    enum { kFar = 37 };
    long* near_word = shmem_calloc(1, sizeof *near_word);
    long* far_word = shmem_calloc(1, sizeof *far_word);
    long* sum = shmem_calloc(1, sizeof *sum);
    shmem_long_p(near_word, me, (me + 1) % pes);
    shmem_long_p(far_word, me, (me + kFar) % pes);
    shmem_long_atomic_add(sum, me, 0);
    shmem_barrier_all();
    CHECK(*near_word == (me + pes - 1) % pes);
    CHECK(*far_word == (me + pes - kFar % pes) % pes);
    CHECK(shmem_long_g(far_word, pes - 1) == (2 * pes - 1 - kFar % pes) % pes);
    CHECK(shmem_long_atomic_fetch(sum, 0) == (long)pes * (pes - 1) / 2);
}

static void collectives(void) {
    long* dest = shmem_malloc(sizeof(long) * 3 * (size_t)pes);
    long* source = shmem_malloc(sizeof(long) * 3);
    for (int i = 0; i < 3; ++i)
        source[i] = (long)me * (i + 1);
    CHECK(shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, (size_t)me % 4) == 0);
    const long* part = dest;
    for (int pe = 0; pe < pes; ++pe) {
        for (int i = 0; i < pe % 4; ++i)
            CHECK(*part++ == (long)pe * (i + 1));
    }
    CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, 1) == 0);
    for (int pe = 0; pe < pes; ++pe)
        CHECK(dest[pe] == pe);
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 3) == 0);
    CHECK(dest[1] == (long)pes * (pes - 1));
    CHECK(shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 3, pes - 1) == 0);
    CHECK(dest[2] == 3L * (pes - 1));
    shmem_barrier_all();
}

static void teams(void) {
    long* dest = shmem_malloc(sizeof *dest);
    long* source = shmem_malloc(sizeof *source);
    *source = me;
    shmem_team_t odd;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, pes / 2, NULL, 0, &odd) == 0);
    if (odd != SHMEM_TEAM_INVALID) {
        CHECK(shmem_long_max_reduce(odd, dest, source, 1) == 0);
        CHECK(*dest == pes / 2 * 2 - 1);
        shmem_team_destroy(odd);
    }
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    neighbours();
    collectives();
    teams();
    shmem_barrier_all();
    if (me == 0) printf("%d PEs\n", pes);
    shmem_finalize();
    return 0;
}
