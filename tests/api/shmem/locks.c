/* Locks that are handed over. While PE 0 holds one all others ask for it, and are not let in; then
 * each has it once, in the order in which they asked, and nobody when all are done. Locks at each
 * PE in turn. Two PEs and more. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMost = 64, kPause = 1000000, kPauses = 10000 };

static long lock[kMost]; /* neighbours live at neighbouring PEs */
static int entered;      /* at PE 0: so many have had it */
static int who[kMost];   /* at PE 0: in this order */
static int asked;        /* at a PE: it is its turn to ask */
static int me, pes;

#define NEED(CONDITION, WHAT)                                                            \
    do {                                                                                 \
        if (!(CONDITION)) {                                                              \
            fprintf(stderr, "PE %d, line %d: %s: %s\n", me, __LINE__, WHAT, #CONDITION); \
            shmem_global_exit(1);                                                        \
        }                                                                                \
    } while (0)

/* The lower half of a lock is, at the PE where it lives, the last of those who hold it or wait for
 * it. */
static void wait_until_it_asks(const long* at, int pe) {
    const struct timespec length = {0, kPause};
    for (int i = 0; i < kPauses; ++i, nanosleep(&length, NULL)) {
        for (int home = 0; home < pes; ++home) {
            if ((int)shmem_long_g(at, home) == pe + 1) return;
        }
    }
    NEED(0, "a PE that asks for a lock is not the last of its queue");
}

static void enter(void) {
    const int count = shmem_int_g(&entered, 0);
    shmem_int_p(&who[count], me, 0);
    shmem_int_p(&entered, count + 1, 0);
}

static void hold_while_others_ask(long* at) {
    shmem_set_lock(at);
    /* One after the other, so that their order is known. */
    for (int pe = 1; pe < pes; ++pe) {
        shmem_int_atomic_set(&asked, 1, pe);
        wait_until_it_asks(at, pe);
    }
    NEED(shmem_int_g(&entered, 0) == 0, "a PE has a lock that another one holds");
    enter();
    shmem_clear_lock(at);
}

static void ask_in_turn(long* at) {
    shmem_int_wait_until(&asked, SHMEM_CMP_EQ, 1);
    NEED(shmem_test_lock(at) != 0, "shmem_test_lock has a lock that another one holds");
    shmem_set_lock(at);
    enter();
    shmem_clear_lock(at);
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    for (int round = 0; round < pes; ++round) {
        entered = asked = 0;
        shmem_barrier_all();
        if (me == 0)
            hold_while_others_ask(&lock[round]);
        else
            ask_in_turn(&lock[round]);
        shmem_barrier_all();
        for (int pe = 0; pe < pes && me == 0; ++pe)
            NEED(who[pe] == pe, "a lock is not handed over in the order in which PEs have asked");
        if (me == round) {
            NEED(shmem_test_lock(&lock[round]) == 0, "a lock that all have left is held");
            shmem_clear_lock(&lock[round]);
        }
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
