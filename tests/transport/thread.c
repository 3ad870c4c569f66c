/* The thread that makes progress runs where it is told to and uses no more than it is told to,
 * while another PE floods this one, whose program computes; and everything arrives.
 *
 *     thread PROCESSORS PERCENT     as in the settings
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The value of `key` in the status of the thread; its processor time in seconds. */
static int of_thread(const char* key, char* value, size_t size, double* busy) {
    DIR* const threads = opendir("/proc/self/task");
    int found = 0;
    for (struct dirent* each = readdir(threads); each && !found; each = readdir(threads)) {
        char path[300], line[256];
        snprintf(path, sizeof path, "/proc/self/task/%s/status", each->d_name);
        FILE* const status = fopen(path, "r");
        if (!status) continue;
        while (fgets(line, sizeof line, status)) {
            if (strncmp(line, "Name:", 5) == 0) found = strstr(line, "isthmus-ofi") != NULL;
            if (found && strncmp(line, key, strlen(key)) == 0)
                snprintf(value, size, "%s", line + strlen(key) + 2);
        }
        fclose(status);
        if (!found) continue;
        value[strcspn(value, "\n")] = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", each->d_name);
        FILE* const times = fopen(path, "r");
        unsigned long long nanoseconds = 0;
        if (!times || fscanf(times, "%llu", &nanoseconds) != 1) found = 0;
        if (times) fclose(times);
        *busy = (double)nanoseconds * 1e-9;
    }
    closedir(threads);
    return found;
}

enum { kLength = 8192 };
static long block[kLength], counter, flooded;

int main(int argc, char** argv) {
    const char* const processors = argc > 1 ? argv[1] : "";
    const double share = argc > 2 ? atof(argv[2]) / 100 : 1;
    int bad = 0;
    shmem_init();
    const int me = shmem_my_pe();
    shmem_long_atomic_fetch(&counter, 1 - me); /* connects */
    shmem_barrier_all();
    const double begin = seconds(CLOCK_MONOTONIC);
    if (me == 1) {
        char where[256];
        double before = 0, after = 0;
        volatile double sum = 0;
        bad |= !of_thread("Cpus_allowed_list", where, sizeof where, &before);
        if (*processors && strcmp(where, processors) != 0) {
            fprintf(stderr, "the thread may run on %s\n", where);
            bad = 1;
        }
        while (seconds(CLOCK_MONOTONIC) - begin < 2)
            sum = sum + 1;
        bad |= !of_thread("Cpus_allowed_list", where, sizeof where, &after);
        /* Read last: the thread goes on while this one looks, and may be kept from it. */
        const double took = seconds(CLOCK_MONOTONIC) - begin;
        /* Beside its share what it may have saved, and a piece of work that it had begun. */
        if (after - before > share * took + 0.05) {
            fprintf(stderr, "the thread used %.3f s in %.3f s\n", after - before, took);
            bad = 1;
        }
        shmem_long_wait_until(&flooded, SHMEM_CMP_NE, 0);
        if (counter != flooded || block[kLength - 1] != flooded) {
            fprintf(stderr, "%ld of %ld atomics, last put %ld\n", counter, flooded,
                    block[kLength - 1]);
            bad = 1;
        }
    } else {
        long rounds = 0;
        while (seconds(CLOCK_MONOTONIC) - begin < 2) {
            ++rounds;
            for (int i = 0; i < kLength; ++i)
                block[i] = rounds;
            shmem_long_put(block, block, kLength, 1);
            shmem_long_atomic_inc(&counter, 1);
        }
        shmem_quiet();
        shmem_long_p(&flooded, rounds, 1);
        shmem_quiet();
    }
    shmem_barrier_all();
    shmem_finalize();
    return bad;
}
