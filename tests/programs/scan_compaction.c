/* 1.6: each PE keeps some of its elements; an exclusive scan says where they go. */
#include <shmem.h>
#include <stdio.h>

static size_t kept, offset, total;
static int packed[4096];

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    int mine[200];
    for (int i = 0; i < 200; i++) {
        const int value = me * 200 + i;
        if (value % (me + 2) == 0) mine[kept++] = value;
    }
    shmem_sum_exscan(SHMEM_TEAM_WORLD, &offset, &kept, 1);
    shmem_size_sum_reduce(SHMEM_TEAM_WORLD, &total, &kept, 1);
    shmem_put(packed + offset, mine, kept, 0);
    shmem_barrier_all();
    if (me == 0) {
        size_t at = 0, bad = 0;
        for (int pe = 0; pe < npes; pe++)
            for (int i = 0; i < 200; i++)
                if ((pe * 200 + i) % (pe + 2) == 0) bad += packed[at++] != pe * 200 + i;
        printf("%zu kept: %s\n", total, bad || at != total ? "WRONG" : "ok");
    }
    shmem_finalize();
    return 0;
}
