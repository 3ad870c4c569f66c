/* A token goes round: each PE waits for it, adds its own number and puts it at the next PE.
 *
 * New here: a static variable is symmetric, so its address means the same object at every PE;
 * shmem_int_atomic_set writes another PE's; shmem_int_wait_until waits until somebody has. The
 * standard lets a PE wait for atomics and signals; a plain put comes without that promise. */
#include <shmem.h>
#include <stdio.h>

static int token = -1; /* nobody has put anything here yet */

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int next = (me + 1) % pes;

    if (me == 0) shmem_int_atomic_set(&token, 0, next);
    shmem_int_wait_until(&token, SHMEM_CMP_NE, -1);
    if (me == 0) {
        printf("the token came back to PE 0 with %d, the sum of all PEs\n", token);
    } else {
        shmem_int_atomic_set(&token, token + me, next);
    }

    const int expected = pes * (pes - 1) / 2;
    const int wrong = me == 0 && token != expected;
    shmem_finalize();
    return wrong;
}
