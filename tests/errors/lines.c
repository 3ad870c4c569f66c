/* Compiled with -g: behind the routine's name stands where it is called. */
#include "cases.h"

#include <sys/mman.h>

enum { kWords = 100000 };
static long words[kWords];
static long pair[2];

static void dest(int me, int pes) {
    (void)me, (void)pes;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, words + 1, 4 + (size_t)zero);
}
static void root(int me, int pes) {
    (void)me;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, pair, words, 1, pes);
}
static void stride(int me, int pes) {
    (void)me, (void)pes;
    shmem_long_alltoalls(SHMEM_TEAM_WORLD, words, words + 100, 0, 1, 1);
}
static void no_team(int me, int pes) {
    (void)me, (void)pes;
    sink = shmem_long_sum_reduce(SHMEM_TEAM_INVALID, words, pair, 1) != 0;
}
static void differs(int me, int pes) {
    (void)pes;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, pair, words, 1, me);
}
static void freed(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_free(pair);
    shmem_barrier_all();
}
static void reallocated(int me, int pes) {
    (void)me, (void)pes;
    sink = shmem_realloc(pair, 100) == NULL;
}
static void lock(int me, int pes) {
    long* mine = calloc(1, sizeof(long));
    (void)pes;
    if (me == 0) shmem_set_lock(mine);
    free(mine);
}
static void not_held(int me, int pes) {
    static long word;
    (void)pes;
    if (me == 0) shmem_clear_lock(&word);
}
static void context(int me, int pes) {
    shmem_ctx_t made;
    if (shmem_ctx_create(0, &made) != 0 || me != 0) return;
    shmem_ctx_long_put(made, words, pair, 2, pes);
}
static void sig_op(int me, int pes) {
    static uint64_t word;
    (void)pes;
    if (me == 0) shmem_long_put_signal(words, pair, 2, &word, 1, 77 + zero, 1);
}
static void behind_block(int me, int pes) {
    char* block = shmem_malloc(13);
    (void)me, (void)pes;
    block[13 + zero] = 1;
    shmem_free(block);
}
static void word(int me, int pes) {
    long* block = shmem_malloc(10 * sizeof(long));
    (void)me, (void)pes;
    shmem_long_p(block + 10 + zero, 3, 0);
    shmem_free(block);
}
static void half_fetched(int me, int pes) {
    (void)pes;
    if (me == 0)
        shmem_long_atomic_fetch_add_nbi((long*)(void*)((char*)words + 4 + zero), words, 1, 0);
}
/* Between hosts: what the call could not see. */
static void read_only(int me, int pes) {
    long* mine = mmap(NULL, sizeof words, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)pes;
    if (me == 0) shmem_long_get(mine, words, 1000, 1);
}
/* It may come before; so some times. */
static void given_back(int me, int pes) {
    (void)pes;
    for (int i = 0; me == 0 && i < 50; i++) {
        long* mine =
            mmap(NULL, sizeof words, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        shmem_long_get_nbi(mine, words, kWords, 1);
        munmap(mine, sizeof words);
        shmem_quiet();
    }
}

const struct Case cases[] = {
    {"dest", dest},
    {"differs", differs},
    {"freed", freed},
    {"reallocated", reallocated},
    {"lock", lock},
    {"not_held", not_held},
    {"context", context},
    {"sig_op", sig_op},
    {"behind_block", behind_block},
    {"root", root},
    {"stride", stride},
    {"no_team", no_team},
    {"word", word},
    {"half_fetched", half_fetched},
    {"read_only", read_only},
    {"given_back", given_back},
    {NULL, NULL},
};
