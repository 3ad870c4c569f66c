/* Targets that are globals of several files, structures, pieces of two-dimensional arrays, and a
 * large array of zeros of which little is touched. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

#include "globals.h"

char huge[1 << 28];
static double grid[10][20];

int main(void) {
    start_pes(0);
    const int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes;
    struct particle p = {{me, 2, 3}, 'x', me * 7};
    shmem_putmem(&particles[3], &p, sizeof p, next);
    shmem_putmem(&settings.name, "somewhere", 10, next);
    shmem_int_p(&initialised, me, next);
    double row[20];
    for (int i = 0; i < 20; i++)
        row[i] = me + i;
    shmem_double_put(grid[4], row, 20, next);
    shmem_double_p(&grid[9][19], -1.0, next);
    shmem_putmem(huge + sizeof huge - 4, "end", 4, next);
    bump(next);
    shmem_barrier_all();
    const int from = (me + npes - 1) % npes;
    int ok = particles[3].position[0] == from && particles[3].id == from * 7 &&
             strcmp(settings.name, "somewhere") == 0 && initialised == from &&
             grid[4][19] == from + 19 && grid[9][19] == -1.0 && grid[4][0] == from &&
             strcmp(huge + sizeof huge - 4, "end") == 0 && bumps() == 1;
    printf("%s\n", ok ? "globals ok" : "WRONG");
    return 0;
}
