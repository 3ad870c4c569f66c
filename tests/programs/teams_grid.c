/* A grid of PEs by split_2d: sums along rows, maxima along columns, contexts of both teams. */
#include <shmem.h>
#include <stdio.h>

static int value, row_sum, column_max;
static long corner;

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    int width = 1, bad = 0;
    while ((width + 1) * (width + 1) <= npes)
        width++;
    shmem_team_t row, column;
    if (shmem_team_split_2d(SHMEM_TEAM_WORLD, width, NULL, 0, &row, NULL, 0, &column)) {
        printf("WRONG: no teams\n");
        return 1;
    }
    value = me + 1;
    shmem_team_sync(row);
    shmem_int_sum_reduce(row, &row_sum, &value, 1);
    shmem_team_sync(column);
    shmem_int_max_reduce(column, &column_max, &value, 1);
    const int y = me / width, x = me % width;
    int expected = 0;
    for (int pe = y * width; pe < (y + 1) * width && pe < npes; pe++)
        expected += pe + 1;
    bad += row_sum != expected;
    int last = x;
    while (last + width < npes)
        last += width;
    bad += column_max != last + 1;
    shmem_ctx_t ctx;
    bad += shmem_team_create_ctx(column, 0, &ctx) != 0;
    shmem_atomic_add(ctx, &corner, (long)me + 1, 0);
    shmem_ctx_quiet(ctx);
    shmem_team_sync(column);
    long sum = 0;
    for (int pe = x; pe < npes; pe += width)
        sum += pe + 1;
    if (y == 0) bad += corner != sum;
    bad += shmem_team_translate_pe(row, 0, SHMEM_TEAM_WORLD) != y * width;
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(row);
    shmem_team_destroy(column);
    printf("(%d, %d) %s\n", x, y, bad ? "WRONG" : "ok");
    shmem_finalize();
    return 0;
}
