/* Columns of matrices with iput and iget of every width, transposed on the way. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { N = 16 };
static short s[N * N];
static int i4[N * N];
static double d[N * N];
static struct { double re, im; } z[N * N], zsource[N * N];

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes(), to = npes - 1 - me;
    short ss[N * N];
    int is[N * N];
    double ds[N * N];
    for (int k = 0; k < N * N; k++) {
        ss[k] = (short)(k + me);
        is[k] = k * 3 + me;
        ds[k] = k * 0.5 + me;
        zsource[k].re = k;
        zsource[k].im = -k - me;
    }
    shmem_barrier_all();
    for (int row = 0; row < N; row++) {
        shmem_short_iput(s + row, ss + row * N, N, 1, N, to);
        shmem_iput32(i4 + row, is + row * N, N, 1, N, to);
        shmem_double_iput(d + row, ds + row * N, N, 1, N, to);
        shmem_iput128(z + row, zsource + row * N, N, 1, N, to);
    }
    shmem_barrier_all();
    int bad = 0;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) {
            const int k = c * N + r;
            bad += s[r * N + c] != (short)(k + to) || i4[r * N + c] != k * 3 + to;
            bad += d[r * N + c] != k * 0.5 + to;
            bad += z[r * N + c].re != k || z[r * N + c].im != -k - to;
        }
    double back[N];
    shmem_iget64(back, d, 1, N + 1, N, to);
    for (int k = 0; k < N; k++)
        bad += back[k] != (k * N + k) * 0.5 + me;
    printf("PE %d: %s\n", me, bad ? "WRONG" : "ok");
    shmem_finalize();
    return 0;
}
