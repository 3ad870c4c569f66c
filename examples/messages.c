/* Lines of text of any length go to PE 0, which writes them one by one.
 *
 * New here: shmemx_queue. Every PE has a queue to which any PE appends; messages stay whole, and
 * those of one PE stay in order. PE 0 reads them in place. */
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 100 };

static void check(int status) {
    if (status == 0) return;
    fprintf(stderr, "%s\n", isthmus_error_text());
    shmem_global_exit(1);
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    shmemx_queue_t lines;
    check(shmemx_queue_create(64 * 1024, &lines));

    for (int number = 0; me != 0 && number < LINES; ++number) {
        char line[200];
        const int length = snprintf(line, sizeof line, "%d %d %.*s", me, number, number,
                                    "........................................"
                                    "............................................................");
        check(shmemx_queue_enqueue(lines, line, (size_t)length + 1, 0)); /* waits for room */
    }

    int wrong = 0;
    if (me == 0) {
        size_t bytes = 0;
        int next[256] = {0}; /* line of each PE */
        for (int left = (pes - 1) * LINES; left > 0; --left) {
            const void* message;
            size_t size;
            int pe, number;
            check(shmemx_queue_dequeue(lines, &message, &size)); /* waits for one */
            wrong += sscanf(message, "%d %d", &pe, &number) != 2 || number != next[pe]++ ||
                     strlen(message) + 1 != size;
            bytes += size;
            check(shmemx_queue_release(lines));
        }
        printf("%d lines from %d PEs, %zu bytes, %d wrong\n", (pes - 1) * LINES, pes - 1, bytes,
               wrong);
    }
    check(shmemx_queue_destroy(lines, NULL));
    shmem_finalize();
    return wrong != 0;
}
