/* PE 0 ends the job in one way and PE 1 in another, so many milliseconds later: FIRST SECOND
 * MILLISECONDS. The first end is the job's. Others wait, PE 2 outside of calls. A fourth argument:
 * `reversed`, PE 1 is the first, and PE 2 waits in a call, too; `threads`, both are threads of PE
 * 0. `vfork` is a fault of the PE behind one of its child; what begins with `broken_` comes while
 * the PE ends the job with 0, and its output is written. */
#define _GNU_SOURCE
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int word;

static void fault(void) {
    volatile int* volatile nowhere = (volatile int*)8;
    *nowhere = 1;
}

static void end_by(const char* way);

static ssize_t write_badly(void* way, const char* bytes, size_t count) {
    (void)bytes;
    end_by(way);
    return (ssize_t)count;
}

static void end_with_broken_output(const char* way) {
    const cookie_io_functions_t functions = {NULL, write_badly, NULL, NULL};
    FILE* const stream = fopencookie((void*)way, "w", functions);
    fputs("result\n", stream);
    shmem_global_exit(0);
}

static void end_by(const char* way) {
    if (strncmp(way, "broken_", 7) == 0) end_with_broken_output(way + 7);
    if (strncmp(way, "print_", 6) == 0) {
        printf("printed\n");
        end_by(way + 6);
    }
    if (strncmp(way, "quick", 5) == 0) quick_exit(atoi(way + 5));
    if (strncmp(way, "_exit", 5) == 0) _exit(atoi(way + 5));
    if (strcmp(way, "sent") == 0) raise(SIGSEGV);
    if (strcmp(way, "pointer") == 0) shmem_int_p(malloc(sizeof word), 1, 1 - shmem_my_pe());
    if (strcmp(way, "error") == 0) shmem_quiet(), shmem_int_p(&word, 1, shmem_n_pes());
    if (strncmp(way, "end", 3) == 0) shmem_global_exit(atoi(way + 3));
    if (strncmp(way, "exit", 4) == 0) exit(atoi(way + 4));
    if (strcmp(way, "abort") == 0) abort();
    if (strcmp(way, "kill") == 0) raise(SIGKILL);
    if (strcmp(way, "vfork") == 0) {
        const pid_t child = vfork();
        if (child == 0) fault();
        waitpid(child, NULL, 0);
    }
    if (strcmp(way, "nothing") != 0) fault();
}

static void* end_in_thread(void* way) {
    end_by(way);
    return NULL;
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const char* const how = argc > 4 ? argv[4] : "";
    const int with_threads = strcmp(how, "threads") == 0;
    int provided = 0;
    shmem_init_thread(with_threads ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
    const int me = shmem_my_pe();
    shmem_barrier_all();
    const int is_reversed = strcmp(how, "reversed") == 0;
    const int first = is_reversed ? 1 : 0;
    if (me == first && with_threads) {
        pthread_t thread;
        pthread_create(&thread, NULL, end_in_thread, argv[1]);
    } else if (me == first) {
        end_by(argv[1]);
    }
    if (me == (with_threads ? first : 1 - first)) {
        usleep((useconds_t)(1000 * atoi(argv[3])));
        end_by(argv[2]);
    }
    if (me == 2 && !is_reversed) pause();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
