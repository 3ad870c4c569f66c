/* PEs that do not exist. */
#include "cases.h"

static long word;
static long words[16];
static uint64_t signal_word;

static void p(int me, int pes) {
    if (me == 0) shmem_long_p(&word, 1, pes + 5);
}
static void p_next(int me, int pes) { /* with 3 PEs, PE 3 passes the inlined test */
    if (me == 0) shmem_long_p(&word, 1, pes);
}
static void p_negative(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_p(&word, 1, -1);
}
static void g(int me, int pes) {
    if (me == 0) sink = shmem_long_g(&word, pes + 5);
}
static void g_next(int me, int pes) {
    if (me == 0) sink = shmem_long_g(&word, pes);
}
static void atomic(int me, int pes) {
    if (me == 0) shmem_long_atomic_inc(&word, pes + 5);
}
static void fetch_add_negative(int me, int pes) {
    (void)pes;
    if (me == 0) sink = shmem_long_atomic_fetch_add(&word, 1, -7);
}
static void put(int me, int pes) {
    if (me == 0) shmem_putmem(words, &word, 8 + (size_t)zero, pes + 5);
}
static void put_nothing(int me, int pes) {
    if (me == 0) shmem_putmem(words, &word, (size_t)zero, pes + 5);
}
static void get_next(int me, int pes) {
    long mine[16];
    if (me == 0) shmem_getmem(mine, words, sizeof mine - (size_t)zero, pes);
    sink = mine[zero];
}
static void iput(int me, int pes) {
    if (me == 0) shmem_long_iput(words, words + 8, 1, 1, 4, pes + 5);
}
static void put_signal(int me, int pes) {
    if (me == 0) shmem_putmem_signal(words, &word, 8, &signal_word, 1, SHMEM_SIGNAL_SET, pes + 5);
}
static void context(int me, int pes) {
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    if (me == 0) shmem_ctx_long_p(ctx, &word, 1, pes + 5);
}
static void team_context(int me, int pes) {
    shmem_team_t team;
    shmem_ctx_t ctx;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes - 1, NULL, 0, &team);
    if (me != 0) return;
    shmem_team_create_ctx(team, 0, &ctx);
    shmem_ctx_long_p(ctx, &word, 1, pes - 1);
}
static void quiet(int me, int pes) {
    int target = pes;
    if (me == 0) shmem_pe_quiet(&target, 1);
}

const struct Case cases[] = {
    {"p", p},
    {"p_next", p_next},
    {"p_negative", p_negative},
    {"g", g},
    {"g_next", g_next},
    {"atomic", atomic},
    {"fetch_add_negative", fetch_add_negative},
    {"put", put},
    {"put_nothing", put_nothing},
    {"get_next", get_next},
    {"iput", iput},
    {"put_signal", put_signal},
    {"context", context},
    {"team_context", team_context},
    {"quiet", quiet},
    {NULL, NULL},
};
