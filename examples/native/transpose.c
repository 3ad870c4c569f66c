/* A matrix divided by rows becomes its transpose, also divided by rows.
 *
 * New here: geometry. Rows lie side by side, columns do not: a row of this PE is put into a column
 * at another PE by one call, whatever lies between the column's elements. And one event for all the
 * puts, to all the segments: it is true when every one of them is done. */
#include <isthmus.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16 };   /* of each PE */
#define TRANSPOSE 100 /* ids of the segments: TRANSPOSE + PE */
#define SUM       99

static void check(int status) {
    if (status == ISTHMUS_OK) return;
    fprintf(stderr, "PE %d: %s\n", isthmus_pe(), isthmus_error_text());
    isthmus_exit(1);
}

int main(void) {
    isthmus_init();
    const int me = isthmus_pe();
    const int pes = isthmus_pes();
    const uint64_t side = (uint64_t)ROWS * (uint64_t)pes; /* of the whole matrix */
    const uint64_t row = side * sizeof(double);           /* bytes from a row to the next */

    isthmus_segment mine, sum;
    check(isthmus_segment_create(&mine, TRANSPOSE + (uint64_t)me, NULL, ROWS * row, 0));
    if (me == 0) check(isthmus_segment_create(&sum, SUM, NULL, sizeof(int64_t), 0));

    double* matrix = malloc(ROWS * row);
    for (uint64_t i = 0; i < ROWS; ++i)
        for (uint64_t j = 0; j < side; ++j)
            matrix[i * side + j] = (double)(((uint64_t)me * ROWS + i) * side + j);

    isthmus_event all_sent = ISTHMUS_EVENT_TRUE;
    isthmus_segment* theirs = malloc((size_t)pes * sizeof *theirs);
    for (int p = 0; p < pes; ++p) {
        check(isthmus_segment_clone(&theirs[p], TRANSPOSE + (uint64_t)p, ISTHMUS_DEFAULT_TIMEOUT));
        for (uint64_t i = 0; i < ROWS; ++i) {
            /* ROWS elements of row i, the part that PE p will own, as column me * ROWS + i there.
             */
            const double* from = matrix + i * side + (uint64_t)p * ROWS;
            const uint64_t to = ((uint64_t)me * ROWS + i) * sizeof(double);
            check(isthmus_put_strided(from, sizeof(double), &theirs[p], to, row, sizeof(double),
                                      ROWS, &all_sent));
        }
    }
    check(isthmus_event_wait(&all_sent)); /* the matrix may be changed again */
    isthmus_barrier();                    /* all puts of all PEs have arrived */

    int64_t errors = 0;
    const double* transpose = (const double*)mine.base;
    for (uint64_t r = 0; r < ROWS; ++r)
        for (uint64_t c = 0; c < side; ++c)
            errors += transpose[r * side + c] != (double)(c * side + (uint64_t)me * ROWS + r);

    isthmus_segment at_first;
    check(isthmus_segment_clone(&at_first, SUM, ISTHMUS_DEFAULT_TIMEOUT));
    check(isthmus_postadd(&at_first, 0, errors));
    isthmus_barrier();
    check(isthmus_peek(&at_first, 0, &errors, NULL));
    if (me == 0)
        printf("a %d x %d matrix transposed on %d PEs, %d wrong elements\n", (int)side, (int)side,
               pes, (int)errors);
    free(theirs);
    free(matrix);
    isthmus_finalize();
    return errors != 0;
}
