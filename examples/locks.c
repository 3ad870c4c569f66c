/* Money moves between two accounts at PE 0, under a lock, so that nobody sees half a transfer.
 *
 * New here: locks. A lock is one symmetric long that begins as 0; the lock is one for all PEs, and
 * those that wait get it in the order in which they came. */
#include <shmem.h>
#include <stdio.h>

enum { TRANSFERS = 500 };

static long lock = 0;
static long savings = 1000; /* at PE 0 */
static long wallet = 0;     /* at PE 0 */
static int torn = 0;        /* at PE 0: times that somebody saw money missing */

static void transfer(long amount) {
    shmem_set_lock(&lock);
    const long from = shmem_long_g(&savings, 0);
    const long to = shmem_long_g(&wallet, 0);
    if (from + to != 1000) shmem_int_atomic_inc(&torn, 0);
    shmem_long_p(&savings, from - amount, 0);
    shmem_long_p(&wallet, to + amount, 0);
    shmem_clear_lock(&lock); /* completes the puts before the next PE has the lock */
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    for (int i = 0; i < TRANSFERS; ++i)
        transfer(me % 2 == 0 ? 1 : -1);
    shmem_barrier_all();

    int wrong = 0;
    if (me == 0) {
        const int odd = shmem_n_pes() % 2; /* an odd PE takes back what an even one moves */
        wrong = torn != 0 || wallet != (odd ? TRANSFERS : 0) || savings + wallet != 1000;
        printf("savings %ld, wallet %ld, torn transfers %d\n", savings, wallet, torn);
    }
    shmem_finalize();
    return wrong;
}
