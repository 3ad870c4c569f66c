/* Compiled with AddressSanitizer, which knows the ends of variables and of what malloc gives. */
#include "cases.h"

#include <shmemx.h>

static long five[5];
static long words[16];

static void nothing(int me, int pes) {
    long* block = shmem_malloc(40);
    long mine[5] = {0};
    (void)pes;
    shmem_long_put(five, words, 5, (me + 1) % 2);
    shmem_long_get(mine, words, 5, (me + 1) % 2);
    block[4] = mine[4];
    shmem_free(block);
    block = shmem_malloc(1 << 20);
    memset(block, 1, 1 << 20);
    if (me == 0) puts("done");
}
/* Past the first moves blocks of this length keep their place. */
static char* grown(size_t size) {
    char* block = shmem_malloc(20000);
    for (int i = 0; i < 70; ++i) {
        const size_t now = i % 2 == 0 ? 30000 : 20000;
        block = shmem_realloc(block, now);
        memset(block, i, now);
    }
    return shmem_realloc(block, size);
}
/* In what a block has left lie others, and rings, which have no guards. */
static void resized(int me, int pes) {
    char* const block = grown(600000);
    const void* message = NULL;
    size_t size = 0;
    shmemx_queue_t queue;
    memset(block, 1, 600000);
    int in_place = shmem_realloc(block, 20000) == block;
    memset(block, 2, 20000);
    for (size_t i = 0; i < 4; ++i) {
        char* const next = shmem_malloc(20000 + i * 13);
        in_place &= next > block && next < block + 600000;
        memset(next, 3, 20000 + i * 13);
    }
    in_place &= shmemx_queue_create(65536, &queue) == ISTHMUS_OK;
    shmemx_queue_enqueue(queue, block, 20000, (me + 1) % pes);
    shmemx_queue_dequeue(queue, &message, &size);
    in_place &= size == 20000 && (const char*)message > block &&
                (const char*)message < block + 600000 && memcmp(message, block, size) == 0;
    if (me == 0) puts(in_place ? "done" : "it lies elsewhere");
}
static void stored_past_grown(int me, int pes) {
    volatile char* block = grown(40013);
    (void)pes;
    if (me == 0) block[40013 + zero] = 1;
    shmem_barrier_all();
}
static void stored_past_shrunk(int me, int pes) {
    volatile char* block = grown(17013);
    (void)pes;
    if (me == 0) block[17013 + zero] = 1;
    shmem_barrier_all();
}
static void variable(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_put(five, words, 6 + (size_t)zero, 1);
}
static void of_malloc(int me, int pes) {
    long* mine = calloc(5, sizeof(long));
    (void)pes;
    if (me == 0) shmem_long_put(words, mine, 6 + (size_t)zero, 1);
    free(mine);
}
static void stack(int me, int pes) {
    long mine[5] = {0};
    (void)pes;
    if (me == 0) shmem_long_get(mine, words, 6 + (size_t)zero, 1);
    sink = mine[zero];
}
static void reduced(int me, int pes) {
    (void)me, (void)pes;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, five, words, 6 + (size_t)zero);
}
static void broadcast_from(int me, int pes) {
    (void)me, (void)pes;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, words, five, 6 + (size_t)zero, 0);
}
static void collected(int me, int pes) {
    (void)me, (void)pes;
    shmem_long_collect(SHMEM_TEAM_WORLD, five, words, 3 + (size_t)zero);
}
static void lock(int me, int pes) {
    (void)me, (void)pes;
    shmem_set_lock(five + 5 + zero);
}
static void stored_past(int me, int pes) {
    volatile char* block = shmem_malloc(13);
    (void)pes;
    if (me == 0) block[13 + zero] = 1;
    shmem_barrier_all();
}
static void loaded_in_front(int me, int pes) {
    volatile long* block = shmem_malloc(40);
    (void)pes;
    if (me == 0) sink = block[-1 - zero];
    shmem_barrier_all();
}
static void stored_freed(int me, int pes) {
    volatile char* block = shmem_malloc(13);
    (void)pes;
    shmem_free((void*)block);
    if (me == 0) block[2 + zero] = 1;
    shmem_barrier_all();
}

const struct Case cases[] = {
    {"nothing", nothing},
    {"resized", resized},
    {"stored_past_grown", stored_past_grown},
    {"stored_past_shrunk", stored_past_shrunk},
    {"variable", variable},
    {"malloc", of_malloc},
    {"stack", stack},
    {"stored_past", stored_past},
    {"stored_freed", stored_freed},
    {"loaded_in_front", loaded_in_front},
    {"reduced", reduced},
    {"broadcast_from", broadcast_from},
    {"collected", collected},
    {"lock", lock},
    {NULL, NULL},
};
