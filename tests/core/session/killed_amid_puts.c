/* PE 0 is killed while what it has put is still under way, and the others are in a barrier: they
 * are on the road to it when the connection ends. */
#include <shmem.h>
#include <signal.h>

enum { kWords = 100000, kPuts = 50 };
static long words[kWords], mine[kWords];

int main(void) {
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        for (int i = 0; i < kPuts; i++)
            shmem_long_put_nbi(words, mine, kWords, 1);
        raise(SIGKILL);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
