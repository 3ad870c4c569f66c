/* What it takes to come into a job: one line by PE 0,
 *     op=startup pes=N init_ms=LONGEST first_ms=LONGEST private_kb=LARGEST tables_kb=LARGEST
 * init: shmem_init. first: the first put to the next PE of another host and a quiet, which
 * connects. private: memory that shmem_init has added and no other process shares; tables: the
 * kernel's page tables. */
#define _GNU_SOURCE
#include <shmem.h>

#include "times.h"

/* Kilobytes in the line of a /proc file that begins with `name`; 0 if there is none. */
static long kilobytes(const char* path, const char* name) {
    FILE* file = fopen(path, "r");
    char line[256];
    long found = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) found += strtol(line + strlen(name), NULL, 10);
    }
    if (file) fclose(file);
    return found;
}

static long private_kilobytes(void) {
    return kilobytes("/proc/self/smaps_rollup", "Private_Dirty:") +
           kilobytes("/proc/self/smaps_rollup", "Private_Clean:");
}

static long word;

int main(void) {
    static double mine[4], largest[4];
    const long private_before = private_kilobytes();
    const long tables_before = kilobytes("/proc/self/status", "VmPTE:");
    const double begin = now_ns();
    shmem_init();
    mine[0] = (now_ns() - begin) / 1e6;
    mine[2] = (double)(private_kilobytes() - private_before);
    mine[3] = (double)(kilobytes("/proc/self/status", "VmPTE:") - tables_before);
    const int pes = shmem_n_pes();
    const int me = shmem_my_pe();
    const double put = now_ns();
    shmem_long_p(&word, me, (me + pes / 2) % pes);
    shmem_quiet();
    mine[1] = (now_ns() - put) / 1e6;
    shmem_double_max_reduce(SHMEM_TEAM_WORLD, largest, mine, 4);
    if (me == 0)
        printf("op=startup pes=%d init_ms=%.1f first_ms=%.1f private_kb=%.0f tables_kb=%.0f\n", pes,
               largest[0], largest[1], largest[2], largest[3]);
    shmem_finalize();
    return 0;
}
