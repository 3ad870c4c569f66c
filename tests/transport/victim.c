/* Two PEs that put to each other until the file that is named first appears; then the heap of each
 * must hold nothing but what the other put there. With a second name they begin when that appears.
 */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kWords = 4096 };

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    shmem_init();
    const int me = shmem_my_pe(), other = 1 - me;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    while (argc > 2 && access(argv[2], F_OK) != 0)
        usleep(2000);
    long* words = shmem_calloc(kWords, sizeof *words);
    long round = 0;
    int bad = 0;
    static int stop, stops;
    do {
        ++round;
        for (int i = 0; i < kWords; i += 64)
            shmem_long_p(words + i, round * kWords + i, other);
        shmem_barrier_all();
        for (int i = 0; i < kWords; ++i) {
            if (words[i] != (i % 64 == 0 ? round * kWords + i : 0)) bad = 1;
        }
        stop = access(argv[1], F_OK) == 0;
        shmem_int_max_reduce(SHMEM_TEAM_WORLD, &stops, &stop, 1);
        usleep(2000);
    } while (!stops);
    if (bad) fprintf(stderr, "PE %d: the heap was written by a stranger\n", me);
    shmem_finalize();
    return bad;
}
