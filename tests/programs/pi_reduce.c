/* Pi by the midpoint rule; pSync and pWrk the way every tutorial has them. */
#include <math.h>
#include <shmem.h>
#include <stdio.h>

long pSync[_SHMEM_REDUCE_SYNC_SIZE];
double pWrk[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];
double partial, pi;

int main(int argc, char* argv[]) {
    int i, n = 100000;
    double h, x;

    (void)argc;
    (void)argv;
    start_pes(0);
    for (i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; i += 1)
        pSync[i] = _SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    h = 1.0 / n;
    partial = 0.0;
    for (i = my_pe(); i < n; i += num_pes()) {
        x = h * (i + 0.5);
        partial += 4.0 / (1.0 + x * x);
    }
    partial *= h;
    shmem_double_sum_to_all(&pi, &partial, 1, 0, 0, num_pes(), pWrk, pSync);
    if (fabs(pi - 3.14159265358979) < 1e-8)
        printf("pi ok on %d\n", my_pe());
    else
        printf("pi WRONG: %.15f\n", pi);
    return 0;
}
