/* For the tests of slow and lossy links: what every PE writes and what it reads back, words to
 * hundreds of kilobytes, by every way there is, and nobody's answer is taken for granted. The
 * argument is the number of rounds. Writes its process number to RING_MARK as ring.c does. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kLong = 300000 };

static unsigned char from_before[kLong], mine[kLong], fetched[kLong];
static long word, sum, sums, counter;
static uint64_t signalled;

static void require(int holds, const char* what, long round) {
    if (holds) return;
    fprintf(stderr, "PE %d: round %ld: %s is wrong\n", shmem_my_pe(), round, what);
    shmem_global_exit(7);
}

static unsigned char byte_of(int pe, long round, long place) {
    return (unsigned char)(place * 31 + place / 251 + pe * 7 + round);
}

static void fill(unsigned char* bytes, int pe, long round) {
    for (long i = 0; i < kLong; ++i)
        bytes[i] = byte_of(pe, round, i);
}
static int holds(const unsigned char* bytes, int pe, long round) {
    for (long i = 0; i < kLong; ++i) {
        if (bytes[i] != byte_of(pe, round, i)) return 0;
    }
    return 1;
}

static void mark(int me) {
    if (!getenv("RING_MARK")) return;
    char place[4096];
    char name[4200];
    snprintf(place, sizeof place, "%s%d", getenv("RING_MARK"), me);
    snprintf(name, sizeof name, "%s.new", place);
    FILE* file = fopen(name, "w");
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    rename(name, place);
}

int main(int argc, char** argv) {
    const long rounds = argc > 1 ? atol(argv[1]) : 1;
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int next = (me + 1) % pes;
    const int before = (me + pes - 1) % pes;
    shmem_barrier_all();
    mark(me);
    for (long round = 1; round <= rounds; ++round) {
        fill(mine, me, round);
        shmem_barrier_all();
        /* A long put with the signal behind it. */
        shmem_putmem_signal(from_before, mine, kLong, &signalled, (uint64_t)round, SHMEM_SIGNAL_SET,
                            next);
        shmem_long_p(&word, me + round, next);
        shmem_signal_wait_until(&signalled, SHMEM_CMP_EQ, (uint64_t)round);
        require(holds(from_before, before, round), "what was put with a signal", round);
        shmem_quiet();
        require(shmem_long_g(&word, next) == me + round, "a word", round);
        /* A long get, and atomics of everybody on one word. */
        shmem_getmem(fetched, mine, kLong, before);
        require(holds(fetched, before, round), "what was got", round);
        for (int i = 0; i < 5; ++i)
            shmem_long_atomic_inc(&counter, 0);
        shmem_barrier_all();
        require(shmem_long_atomic_fetch(&counter, 0) == 5 * pes * round, "a counter", round);
        sum = me + round;
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sums, &sum, 1);
        require(sums == pes * (pes - 1) / 2 + pes * round, "a sum", round);
    }
    shmem_finalize();
    if (me == 0) printf("%ld rounds held\n", rounds);
    return 0;
}
