/* Work of uneven size is handed out piece by piece: a counter at PE 0 says which piece is next.
 *
 * New here: fetch-add as a queue. There is no master that answers: whoever is free takes the next
 * number from PE 0's memory, and PE 0 works like the others. */
#include <shmem.h>
#include <stdio.h>

enum { PIECES = 200 };

static int next_piece = 0;
static long result[PIECES]; /* at PE 0 */

/* Steps of the Collatz sequence of all numbers of one piece: long for some, short for others. */
static long work(int piece) {
    long steps = 0;
    for (long start = 1 + 50L * piece; start <= 50L * (piece + 1); ++start)
        for (long n = start; n != 1; ++steps)
            n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

int main(void) {
    shmem_init();
    int done = 0;
    for (;;) {
        const int piece = shmem_int_atomic_fetch_inc(&next_piece, 0);
        if (piece >= PIECES) break;
        shmem_long_p(&result[piece], work(piece), 0);
        ++done;
    }
    static int mine[1], all[1];
    mine[0] = done;
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, all, mine, 1);
    shmem_barrier_all(); /* the last results have arrived */

    int wrong = 0;
    if (shmem_my_pe() == 0) {
        long total = 0, expected = 0;
        for (int piece = 0; piece < PIECES; ++piece) {
            total += result[piece];
            expected += work(piece);
        }
        wrong = total != expected || all[0] != PIECES;
        printf("%d pieces done, %ld steps in all\n", all[0], total);
    }
    shmem_finalize();
    return wrong;
}
