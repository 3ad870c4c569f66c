/* PEs in rows and columns: one split makes a team of each row and of each column.
 *
 * New here: teams. A collective on a team involves its members only; PE numbers within a team begin
 * at 0 and are translated with shmem_team_translate_pe. */
#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    int columns = 1; /* the widest grid that is no wider than high and has no gaps */
    for (int c = 1; c * c <= pes; ++c)
        if (pes % c == 0) columns = c;

    shmem_team_t row = SHMEM_TEAM_INVALID;
    shmem_team_t column = SHMEM_TEAM_INVALID;
    shmem_team_split_2d(SHMEM_TEAM_WORLD, columns, NULL, 0, &row, NULL, 0, &column);

    static int number[1], row_sum[1], column_max[1];
    number[0] = me;
    shmem_int_sum_reduce(row, row_sum, number, 1);
    shmem_int_max_reduce(column, column_max, number, 1);

    /* The neighbour to the right in my row, by its number in the whole job. */
    const int right = (shmem_team_my_pe(row) + 1) % shmem_team_n_pes(row);
    const int right_in_world = shmem_team_translate_pe(row, right, SHMEM_TEAM_WORLD);

    /* Output in order: one PE prints, the others' values are fetched. */
    static int line[3];
    line[0] = row_sum[0];
    line[1] = column_max[0];
    line[2] = right_in_world;
    shmem_barrier_all();
    int wrong = 0;
    if (me == 0) {
        printf("%d PEs in %d rows of %d\n", pes, pes / columns, columns);
        for (int pe = 0; pe < pes; ++pe) {
            int theirs[3];
            shmem_int_get(theirs, line, 3, pe);
            printf("PE %d: sum of its row %d, highest of its column %d, to its right PE %d\n", pe,
                   theirs[0], theirs[1], theirs[2]);
            const int first = pe / columns * columns;
            wrong |= theirs[0] != columns * first + columns * (columns - 1) / 2;
            wrong |= theirs[1] != pe % columns + pes - columns;
            wrong |= theirs[2] != first + (pe % columns + 1) % columns;
        }
    }
    shmem_team_destroy(row);
    shmem_team_destroy(column);
    shmem_finalize();
    return wrong;
}
