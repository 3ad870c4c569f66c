/* Calls before init, after finalize and in a forked child; and a program that does nothing wrong,
 * for what is wrong around it. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <isthmus.h>
#include <shmemx.h>

#include "cases.h"

static long word;
static shmemx_queue_t queue;
static shmemx_aggregate_t aggregate;
volatile long sink;

static void in_child(void (*call)(void)) {
    int status = 0;
    shmem_init();
    fflush(NULL);
    if (shmem_my_pe() == 0) {
        const pid_t child = fork();
        if (child == 0) {
            call();
            _exit(0);
        }
        waitpid(child, &status, 0);
        printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        fflush(NULL);
    }
    shmem_barrier_all();
    shmem_finalize();
}
static void put(void) {
    shmem_long_p(&word, 1, 0);
}
static void barrier(void) {
    shmem_barrier_all();
}
static void ask(void) {
    sink = shmem_my_pe();
}
static void allocate(void) {
    sink = shmem_malloc(8) != NULL;
}
static void team(void) {
    sink = shmem_team_my_pe(SHMEM_TEAM_WORLD);
}
static void finalize(void) {
    shmem_finalize();
}
static void wait_until(void) {
    shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
}
static void fine(void) {}
static void exit_early(void) {
    if (shmem_my_pe() == 1) exit(0);
    shmem_barrier_all();
}
static void finalize_early(void) {
    if (shmem_my_pe() != 1) shmem_barrier_all();
}
/* With a type, which the line names. */
static void finalize_early_typed(void) {
    static long sums[2];
    if (shmem_my_pe() != 1) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, sums + 1, 1);
}
static void print_and_fail(void) {
    if (shmem_my_pe() != 1) return;
    printf("what PE 1 had printed\n");
    shmem_putmem(&word, &word, sizeof word, 7);
}
/* Nothing is moved, so the addresses do not matter. */
static void nothing(void) {
    static uint64_t signal;
    const volatile size_t none = 0;
    const int me = shmem_my_pe();
    shmem_putmem(NULL, NULL, none, me);
    shmem_getmem(NULL, NULL, none, me);
    shmem_int_iput(NULL, NULL, 1, 1, none, me);
    shmem_int_iget(NULL, NULL, 1, 1, none, me);
    shmem_int_ibput(NULL, NULL, 3, 3, 3, none, me);
    shmem_int_ibget(NULL, NULL, 3, 3, 3, none, me);
    shmem_putmem_signal(NULL, NULL, none, &signal, 1, SHMEM_SIGNAL_SET, me);
    if (shmem_signal_fetch(&signal) != 1) exit(66);
}

static void handle(void* argument, int source, const void* items, size_t count) {
    (void)argument;
    (void)source;
    (void)items;
    (void)count;
}
static void make_extensions(void) {
    if (shmemx_queue_create(4096, &queue) != 0) exit(65);
    if (shmemx_aggregate_create(8, 0, handle, NULL, &aggregate) != 0) exit(65);
}
static void* in_thread(void* call) {
    ((void (*)(void))call)();
    return NULL;
}
static void push(void);
static void finish(void);
static void push_in_thread(void) {
    pthread_t thread;
    for (int i = 0; i < 1000; ++i) /* the inlined part of a push looks at nothing */
        push();
    pthread_create(&thread, NULL, in_thread, (void*)finish);
    pthread_join(thread, NULL);
}
/* Its creator has gone, and a later thread may look just like it. */
static void create_aggregate(void) {
    if (shmemx_aggregate_create(8, 0, handle, NULL, &aggregate) != 0) exit(65);
}
static void push_after_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, (void*)create_aggregate);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, in_thread, (void*)finish);
    pthread_join(thread, NULL);
}
static void limit(void) {
    sink = (long)shmemx_queue_limit(queue);
}
static void enqueue(void) {
    sink = shmemx_queue_enqueue(queue, &word, 8, 0);
}
static void try_enqueue(void) {
    sink = shmemx_queue_try_enqueue(queue, &word, 8, 0);
}
static void dequeue(void) {
    const void* message = NULL;
    size_t size = 0;
    sink = shmemx_queue_dequeue(queue, &message, &size);
}
static void try_dequeue(void) {
    const void* message = NULL;
    size_t size = 0;
    sink = shmemx_queue_try_dequeue(queue, &message, &size);
}
static void release(void) {
    sink = shmemx_queue_release(queue);
}
static void close_queue(void) {
    sink = shmemx_queue_close(queue, 0);
}
static void push(void) {
    sink = shmemx_aggregate_push(aggregate, &word, 0);
}
static void flush(void) {
    sink = shmemx_aggregate_flush(aggregate);
}
static void progress(void) {
    sink = shmemx_aggregate_progress(aggregate, NULL);
}
static void finish(void) {
    sink = shmemx_aggregate_finish(aggregate);
}
static void destroy_queue(void) {
    sink = shmemx_queue_destroy(queue, NULL);
}
static void native_barrier(void) {
    isthmus_barrier();
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*call)(void);
    } calls[] = {{"put", put},
                 {"barrier", barrier},
                 {"ask", ask},
                 {"allocate", allocate},
                 {"team", team},
                 {"finalize", finalize},
                 {"wait_until", wait_until},
                 {"fine", fine},
                 {"exit_early", exit_early},
                 {"finalize_early", finalize_early},
                 {"finalize_early_typed", finalize_early_typed},
                 {"print_and_fail", print_and_fail},
                 {"nothing", nothing},
                 {"queue_limit", limit},
                 {"queue_enqueue", enqueue},
                 {"queue_try_enqueue", try_enqueue},
                 {"queue_dequeue", dequeue},
                 {"queue_try_dequeue", try_dequeue},
                 {"queue_release", release},
                 {"queue_close", close_queue},
                 {"aggregate_thread", push_in_thread},
                 {"aggregate_gone", push_after_thread},
                 {"aggregate_push", push},
                 {"aggregate_flush", flush},
                 {"aggregate_progress", progress},
                 {"aggregate_finish", finish},
                 {"queue_destroy", destroy_queue},
                 {"native_barrier", native_barrier}};
    if (argc < 3) return 64;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        if (strcmp(calls[i].name, argv[2]) != 0) continue;
        if (strcmp(argv[1], "fork") == 0) {
            in_child(calls[i].call);
            return 0;
        }
        if (strcmp(argv[1], "again") == 0) { /* before shmem_init, from what is loaded already */
            argv[1] = "during";
            execv("/proc/self/exe", argv);
        }
        if (strcmp(argv[1], "child") == 0) { /* a program that the PE starts is a job of its own */
            int status = 1;
            argv[1] = "during";
            shmem_init();
            const pid_t child = fork();
            if (child == 0) {
                execv("/proc/self/exe", argv);
                _exit(127);
            }
            waitpid(child, &status, 0);
            shmem_finalize();
            return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        }
        if (strcmp(argv[1], "before") == 0) calls[i].call();
        shmem_init();
        if (strncmp(argv[2], "queue", 5) == 0 || strncmp(argv[2], "aggregate", 9) == 0)
            make_extensions();
        if (strcmp(argv[1], "during") == 0) calls[i].call();
        shmem_finalize();
        if (strcmp(argv[1], "later") == 0) shmem_init(); /* with objects of the session before */
        if (strcmp(argv[1], "after") == 0 || strcmp(argv[1], "later") == 0) calls[i].call();
        return 0;
    }
    return 64;
}
