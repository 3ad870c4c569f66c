/* The program of `isthmus doctor --hosts`: each PE puts into the next and looks at what has come.
 */
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

static int from = -1;

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), pes = shmem_n_pes();
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    shmem_int_atomic_set(&from, me, (me + 1) % pes);
    shmem_int_wait_until(&from, SHMEM_CMP_NE, -1);
    const int right = from == (me + pes - 1) % pes;
    printf("PE %d on %s got %d\n", me, host, from);
    shmem_finalize();
    return !right;
}
