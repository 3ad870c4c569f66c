/* Memory management. */
#include <isthmus.h>

#include "cases.h"

static char variable[64];

static void exhausted(int me, int pes) {
    void* block = shmem_malloc(3 << 20);
    (void)pes;
    if (me == 0) printf("returned %s\n", block ? "a block" : "null");
}
static void fragmented(int me, int pes) {
    void* first = shmem_malloc(400 << 10);
    void* second = shmem_malloc(400 << 10);
    (void)me;
    (void)pes;
    (void)second;
    shmem_free(first);
    shmem_malloc(500 << 10);
}
static void calloc_overflow(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_calloc((size_t)1 << 40, (size_t)1 << 40);
}
static void free_stranger(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_free(variable);
}
static void free_inside(int me, int pes) {
    char* block = shmem_malloc(100);
    (void)me;
    (void)pes;
    shmem_free(block + 8);
}
static void free_twice(int me, int pes) {
    char* block = shmem_malloc(100);
    (void)me;
    (void)pes;
    shmem_free(block);
    shmem_free(block);
}
static void realloc_stranger(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_realloc(variable, 10);
}
static void align(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_align(0, 100);
}
static void odd_alignments(int me, int pes) {
    (void)me;
    (void)pes;
    for (size_t alignment = 3; alignment < 1000; alignment = 2 * alignment + 3)
        if ((uintptr_t)shmem_align(alignment, 100) % 8 != 0) abort();
    if ((uintptr_t)shmem_align(63, 100) % 64 != 0) abort();
}
static void odd_alignment(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_align(63, 100);
}
static void hints(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_malloc_with_hints(100, 12);
}
static void small_alignments(int me, int pes) {
    (void)me;
    (void)pes;
    for (size_t alignment = 1; alignment < 8; alignment *= 2)
        if ((uintptr_t)shmem_align(alignment, 3) % alignment != 0) abort();
}
static void small_alignment(int me, int pes) {
    (void)me;
    (void)pes;
    shmem_align(4, 3);
}
static void old_alignment(int me, int pes) {
    (void)me;
    (void)pes;
    for (int i = 0; i < 3; ++i)
        shmemalign(1, 3);
}
static void different_sizes(int me, int pes) {
    (void)pes;
    shmem_malloc(64 + 64 * (size_t)me);
}
static void different_blocks(int me, int pes) {
    char* first = shmem_malloc(100);
    char* second = shmem_malloc(100);
    (void)pes;
    shmem_free(me == 0 ? first : second);
}
/* The other PE has left, or is somewhere else for ever. */
static void alone_at_end(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_malloc(8);
    shmem_finalize();
    exit(0);
}
static void alone_at_barrier(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_malloc(8);
    shmem_barrier_all();
}
/* As many barriers at both, of which one is within the call. */
static void alone_at_equal_barriers(int me, int pes) {
    (void)pes;
    if (me == 0)
        shmem_malloc(8);
    else
        shmem_barrier_all();
    shmem_barrier_all();
}
static void frees_alone(int me, int pes) {
    void* const block = shmem_malloc(8);
    (void)pes;
    if (me == 0)
        shmem_barrier_all();
    else
        shmem_free(block);
    shmem_barrier_all();
}
/* Nothing is asked for, and nothing waits. */
static void nothing_alone(int me, int pes) {
    (void)pes;
    if (me == 0 &&
        (shmem_malloc(0) || shmem_calloc(0, 8) || shmem_realloc(NULL, 0) || shmem_align(64, 0)))
        exit(1);
    shmem_free(shmem_malloc(8));
    puts("went on");
}
static void alone_in_reduction(int me, int pes) {
    static long to, from;
    (void)pes;
    if (me == 1) shmem_free(NULL);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
}

/* The first block of the heap, whose offset is 0. */
static void null_block(int me, int pes) {
    char* first = shmem_malloc(100);
    (void)pes;
    shmem_free(me == 0 ? NULL : first);
}
static void native_null_block(int me, int pes) {
    void* first = NULL;
    (void)pes;
    isthmus_init();
    isthmus_symmetric_malloc(&first, 100, 0);
    isthmus_symmetric_free(me == 0 ? NULL : first);
    isthmus_barrier(); /* one too many for the other PE, if it goes on */
}

const struct Case cases[] = {
    {"exhausted", exhausted},
    {"fragmented", fragmented},
    {"calloc_overflow", calloc_overflow},
    {"free_stranger", free_stranger},
    {"free_inside", free_inside},
    {"free_twice", free_twice},
    {"realloc_stranger", realloc_stranger},
    {"align", align},
    {"hints", hints},
    {"small_alignments", small_alignments},
    {"small_alignment", small_alignment},
    {"old_alignment", old_alignment},
    {"odd_alignments", odd_alignments},
    {"odd_alignment", odd_alignment},
    {"different_sizes", different_sizes},
    {"different_blocks", different_blocks},
    {"alone_at_end", alone_at_end},
    {"alone_at_barrier", alone_at_barrier},
    {"alone_at_equal_barriers", alone_at_equal_barriers},
    {"frees_alone", frees_alone},
    {"nothing_alone", nothing_alone},
    {"alone_in_reduction", alone_in_reduction},
    {"null_block", null_block},
    {"native_null_block", native_null_block},
    {NULL, NULL},
};
