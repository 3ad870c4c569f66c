/* The program in every introduction: put my number to my right neighbour. */
#include <shmem.h>
#include <stdio.h>

int bb;
short dest_short[10];
float f[3];
long double ld;
char text[8];

int main(void) {
    int nextpe, me, npes, i;
    short source_short[10];
    static const float third[3] = {1.0f / 3, 2.0f / 3, 1};
    long double value = -1.5L;

    start_pes(0);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    nextpe = (me + 1) % npes;
    for (i = 0; i < 10; i++)
        source_short[i] = (short)(me * 10 + i);
    shmem_int_put(&bb, &me, 1, nextpe);
    shmem_short_put(dest_short, source_short, 10, nextpe);
    shmem_float_put(f, third, 3, nextpe);
    shmem_longdouble_p(&ld, value, nextpe);
    shmem_putmem(text, "shifted", 8, nextpe);
    shmem_barrier_all();
    i = (me + npes - 1) % npes;
    printf(
        "%d got %d: %s\n", me, bb,
        bb == i && dest_short[9] == i * 10 + 9 && f[1] == 2.0f / 3 && ld == -1.5L && text[6] == 'd'
            ? "ok"
            : "WRONG");
    return 0;
}
