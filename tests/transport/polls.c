/* With ISTHMUS_PROGRESS=0 calls of the library serve others, those included that look at this PE's
 * own memory: each case polls for what a far PE sends, by another routine. The first argument: the
 * most seconds that a case may take. */
#include <isthmus.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t word;
static long locks[2];
static int flags[4];
static isthmus_queue* queue;
static shmem_ctx_t context;

static int by_test(void) {
    return shmem_uint64_test(&word, SHMEM_CMP_NE, 0);
}
static int by_test_all(void) {
    const int excluded[4] = {0, 1, 1, 1};
    return shmem_int_test_all(flags, 4, excluded, SHMEM_CMP_NE, 0);
}
static int by_test_any(void) {
    return shmem_int_test_any(flags, 4, NULL, SHMEM_CMP_NE, 0) != SIZE_MAX;
}
static int by_test_some(void) {
    size_t found[4];
    return shmem_int_test_some(flags, 4, found, NULL, SHMEM_CMP_NE, 0) != 0;
}
static int by_signal_fetch(void) {
    return shmem_signal_fetch(&word) != 0;
}
static int by_g(void) {
    return shmem_uint64_g(&word, shmem_my_pe()) != 0;
}
static int by_get(void) {
    uint64_t seen;
    shmem_uint64_get(&seen, &word, 1, shmem_my_pe());
    return seen != 0;
}
static int by_fetch(void) {
    return shmem_uint64_atomic_fetch(&word, shmem_my_pe()) != 0;
}
static int by_fetch_add(void) {
    return shmem_uint64_atomic_fetch_add(&word, 0, shmem_my_pe()) != 0;
}
static int by_compare_swap(void) {
    return shmem_uint64_atomic_compare_swap(&word, 0, 0, shmem_my_pe()) != 0;
}
/* Each is at home at another PE of two: one of them here, where all that the calls look at is. */
static int by_test_lock(long* lock) {
    if (shmem_test_lock(lock) == 0) shmem_clear_lock(lock);
    return *(volatile uint64_t*)&word != 0;
}
static int by_set_lock(long* lock) {
    shmem_set_lock(lock);
    shmem_clear_lock(lock);
    return *(volatile uint64_t*)&word != 0;
}
static int by_test_first_lock(void) {
    return by_test_lock(&locks[0]);
}
static int by_test_second_lock(void) {
    return by_test_lock(&locks[1]);
}
static int by_set_first_lock(void) {
    return by_set_lock(&locks[0]);
}
static int by_set_second_lock(void) {
    return by_set_lock(&locks[1]);
}

static int by_quiet(void) {
    shmem_quiet();
    return *(volatile uint64_t*)&word != 0;
}
static int by_fence(void) {
    shmem_fence();
    return *(volatile uint64_t*)&word != 0;
}
static int by_ctx_quiet(void) {
    shmem_ctx_quiet(context);
    return *(volatile uint64_t*)&word != 0;
}
static int by_ctx_fence(void) {
    shmem_ctx_fence(context);
    return *(volatile uint64_t*)&word != 0;
}
static int by_pe_quiet(void) {
    const int other = 1;
    shmem_pe_quiet(&other, 1);
    return *(volatile uint64_t*)&word != 0;
}

/* Collectives that wait for nobody: those of a team of this PE alone. */
static shmem_team_t alone, all;
enum { kLong = 4096 }; /* more than is passed by way of the stage */
static long numbers[2], block[2][kLong];
static int by_collective(int failed) {
    if (failed) shmem_global_exit(5);
    return *(volatile uint64_t*)&word != 0;
}
static int by_sync(void) {
    return by_collective(shmem_team_sync(alone));
}
static int by_broadcast(void) {
    return by_collective(shmem_long_broadcast(alone, &numbers[1], &numbers[0], 1, 0));
}
static int by_long_broadcast(void) {
    return by_collective(shmem_long_broadcast(alone, block[1], block[0], kLong, 0));
}
static int by_collect(void) {
    return by_collective(shmem_long_collect(alone, &numbers[1], &numbers[0], 1));
}
static int by_fcollect(void) {
    return by_collective(shmem_long_fcollect(alone, &numbers[1], &numbers[0], 1));
}
static int by_alltoall(void) {
    return by_collective(shmem_long_alltoall(alone, &numbers[1], &numbers[0], 1));
}
static int by_alltoalls(void) {
    return by_collective(shmem_long_alltoalls(alone, &numbers[1], &numbers[0], 2, 2, 1));
}
static int by_reduce(void) {
    return by_collective(shmem_long_sum_reduce(alone, &numbers[1], &numbers[0], 1));
}
static int by_inscan(void) {
    return by_collective(shmem_long_sum_inscan(alone, &numbers[1], &numbers[0], 1));
}
static int by_exscan(void) {
    return by_collective(shmem_long_sum_exscan(alone, &numbers[1], &numbers[0], 1));
}

static int by_peek(void) {
    const void* message;
    uint64_t size;
    return isthmus_queue_peek(queue, &message, &size) == ISTHMUS_OK;
}
static int by_dequeue(void) {
    const void* message;
    uint64_t size;
    return isthmus_dequeue(queue, &message, &size, 0) == ISTHMUS_OK &&
           isthmus_dequeue_release(queue) == ISTHMUS_OK;
}

static const struct {
    const char* name;
    int (*came)(void);
} cases[] = {{"test", by_test},
             {"test_all", by_test_all},
             {"test_any", by_test_any},
             {"test_some", by_test_some},
             {"signal_fetch", by_signal_fetch},
             {"g", by_g},
             {"get", by_get},
             {"atomic_fetch", by_fetch},
             {"atomic_fetch_add", by_fetch_add},
             {"atomic_compare_swap", by_compare_swap},
             {"test_lock, 1", by_test_first_lock},
             {"test_lock, 2", by_test_second_lock},
             {"set_lock, 1", by_set_first_lock},
             {"set_lock, 2", by_set_second_lock},
             {"quiet", by_quiet},
             {"fence", by_fence},
             {"ctx_quiet", by_ctx_quiet},
             {"ctx_fence", by_ctx_fence},
             {"pe_quiet", by_pe_quiet},
             {"team_sync", by_sync},
             {"broadcast", by_broadcast},
             {"broadcast, long", by_long_broadcast},
             {"collect", by_collect},
             {"fcollect", by_fcollect},
             {"alltoall", by_alltoall},
             {"alltoalls", by_alltoalls},
             {"sum_reduce", by_reduce},
             {"sum_inscan", by_inscan},
             {"sum_exscan", by_exscan},
             {"queue_peek", by_peek},
             {"dequeue", by_dequeue}};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
    const double limit = argc > 1 ? atof(argv[1]) : 5;
    shmem_init();
    isthmus_init();
    const int me = shmem_my_pe();
    if (shmem_ctx_create(0, &context) != 0) shmem_global_exit(4);
    if (shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, NULL, 0, &alone, NULL, 0, &all) != 0)
        shmem_global_exit(4);
    if (me == 0 && isthmus_queue_create(&queue, 1, 4096) != ISTHMUS_OK) shmem_global_exit(2);
    if (me != 0 && isthmus_queue_clone(&queue, 1, 20) != ISTHMUS_OK) shmem_global_exit(2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        word = 0;
        flags[0] = 0;
        shmem_barrier_all();
        const double begin = now();
        if (me != 0) {
            shmem_uint64_atomic_set(&word, 1, 0);
            shmem_int_atomic_set(&flags[0], 1, 0);
            if (isthmus_enqueue(queue, "", 1, NULL) != ISTHMUS_OK) shmem_global_exit(3);
            shmem_quiet();
        } else {
            while (!cases[i].came())
                if (now() - begin > limit) {
                    fprintf(stderr, "what a far PE sent does not come while this one polls by %s\n",
                            cases[i].name);
                    shmem_global_exit(1);
                }
        }
        if (me == 0 && cases[i].came != by_dequeue) /* what the other one has enqueued */
            while (!by_dequeue())
                ;
        shmem_barrier_all();
    }
    shmem_team_destroy(alone);
    shmem_team_destroy(all);
    shmem_ctx_destroy(context);
    if (isthmus_queue_destroy(queue, NULL) != ISTHMUS_OK) return 1;
    isthmus_finalize();
    shmem_finalize();
    return 0;
}
