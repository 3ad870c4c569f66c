/* A token goes round; each PE adds its number. Old style: declarations first, shmem_wait. */
#include <mpp/shmem.h>
#include <stdio.h>

long token = -1;
long arrived;

int main() {
    int me, npes, next, lap;
    long value;

    start_pes(0);
    me = _my_pe();
    npes = _num_pes();
    next = (me + 1) % npes;
    for (lap = 1; lap <= 10; lap++) {
        if (me == 0) {
            value = lap * 1000;
            if (npes > 1) {
                shmem_long_put(&token, &value, 1, next);
                shmem_fence();
                value = lap;
                shmem_long_put(&arrived, &value, 1, next);
                shmem_long_wait_until(&arrived, SHMEM_CMP_EQ, (long)lap);
            } else {
                token = value;
            }
        } else {
            shmem_wait(&arrived, (long)(lap - 1));
            value = token + me;
            shmem_long_put(&token, &value, 1, next);
            shmem_fence();
            value = lap;
            shmem_long_put(&arrived, &value, 1, next);
        }
    }
    shmem_barrier_all();
    if (me == 0)
        printf("token %ld expected %ld: %s\n", token, 10000L + npes * (npes - 1) / 2,
               token == 10000L + npes * (npes - 1) / 2 ? "ok" : "WRONG");
    return 0;
}
