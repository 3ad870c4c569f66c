/* Memory of one process of a job that does little: proportional set size after a barrier, an
 * allocation, a put to every PE and a reduction. Without arguments or library (WITHOUT_SHMEM): of
 * a process that does nothing, as the base to subtract.
 *
 *     memory=pss kib=...        one line a process */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifndef WITHOUT_SHMEM
#include <shmem.h>
static long flags[256];
#endif

static long proportional_kib(void) {
    char text[256];
    long kib = -1;
    FILE* file = fopen("/proc/self/smaps_rollup", "r");
    if (!file) return -1;
    while (fgets(text, sizeof text, file)) {
        if (strncmp(text, "Pss:", 4) == 0) sscanf(text + 4, "%ld", &kib);
    }
    fclose(file);
    return kib;
}

int main(void) {
#ifdef WITHOUT_SHMEM
    usleep(300000); /* the others of its kind share the C library's pages meanwhile */
    printf("memory=pss kib=%ld\n", proportional_kib());
    fflush(stdout);
    usleep(300000);
#else
    shmem_init();
    const int me = shmem_my_pe();
    char* block = (char*)shmem_malloc(4096);
    block[0] = 1;
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        shmem_long_p(flags + me, 1, pe);
    shmem_barrier_all();
    printf("memory=pss kib=%ld\n", proportional_kib());
    fflush(stdout);
    shmem_barrier_all();
    shmem_finalize();
#endif
    return 0;
}
