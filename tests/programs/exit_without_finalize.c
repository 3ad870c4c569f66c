/* Returns from main, and from a function called by it, without finalising; puts are in flight. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

static long late;

static void leave(void) {
    exit(0);
}

int main(void) {
    start_pes(0);
    int me = _my_pe(), npes = _num_pes();
    shmem_long_put_nbi(&late, (long[]){5}, 1, (me + 1) % npes);
    printf("leaving %d\n", me);
    if (me % 2) leave();
    return 0;
}
