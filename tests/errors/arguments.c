/* Other arguments: strides, comparisons, signals, contexts, locks. */
#include "cases.h"

static long words[64];
static uint64_t signal_word;
static long lock;

static void zero_stride(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_iput(words, words + 32, zero, 1, 4, 1);
}
static void negative_stride(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_iget64(words, words + 32, 1, -2, 4, 1);
}
static void short_block_stride(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_ibput(words, words + 32, 4, 2, 4, 2, 1);
}
static void comparison(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_wait_until(words, 6, 1);
}
static void test_comparison(int me, int pes) {
    (void)pes;
    if (me == 0) sink = shmem_long_test(words, -1, 1);
}
static void signal_comparison(int me, int pes) {
    (void)pes;
    if (me == 0) sink = (long)shmem_signal_wait_until(&signal_word, 17, 1);
}
static void signal_operation(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_putmem_signal(words, words + 32, 8, &signal_word, 1, 2, 1);
}
static void invalid_context(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_ctx_putmem(SHMEM_CTX_INVALID, words, words + 32, 8, 1);
}
static void default_context_destroyed(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_ctx_destroy(SHMEM_CTX_DEFAULT);
}
static void context_options(int me, int pes) {
    shmem_ctx_t ctx;
    (void)pes;
    if (me == 0) shmem_ctx_create(64, &ctx);
}
static void session_options(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_ctx_session_start(SHMEM_CTX_DEFAULT, 64, NULL, 0);
}
static void session_mask(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_ctx_session_start(SHMEM_CTX_DEFAULT, 0, NULL, 64);
}
static void lock_not_held(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_clear_lock(&lock);
}
static void lock_of_another(int me, int pes) {
    (void)pes;
    if (me == 1) shmem_set_lock(&lock);
    shmem_barrier_all();
    if (me == 0) shmem_clear_lock(&lock);
}
static void too_many_elements(int me, int pes) {
    static int here[4];
    (void)pes;
    if (me == 0) shmem_int_put(here, here, (size_t)1 << 62, 1);
}
static void too_many_in_reduction(int me, int pes) {
    static int from[4], to[4];
    (void)me, (void)pes;
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, to, from, ((size_t)1 << 62) + 1);
}
static void too_many_bytes(int me, int pes) {
    static char here[4];
    (void)pes;
    if (me == 0) shmem_putmem(here, here, (size_t)1 << 50, 1);
}
static void lock_twice(int me, int pes) {
    (void)pes;
    if (me == 0) {
        shmem_set_lock(&lock);
        shmem_set_lock(&lock);
    }
}
static void test_of_held(int me, int pes) {
    (void)pes;
    if (me != 1) return;
    shmem_set_lock(&lock);
    sink = shmem_test_lock(&lock) + shmem_test_lock(&lock);
    shmem_clear_lock(&lock);
}
static void lock_kept(int me, int pes) {
    (void)pes;
    if (me == 1) shmem_set_lock(&lock);
}
static void lock_kept_in_block(int me, int pes) {
    long* const block = shmem_calloc(8, sizeof(long));
    (void)pes;
    if (me == 1) sink = shmem_test_lock(block + 1);
    if (me == 0) {
        shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
    }
}
static void lock_not_symmetric(int me, int pes) {
    long mine = 0;
    (void)pes;
    if (me == 0) shmem_set_lock(&mine);
}
static void lock_null(int me, int pes) {
    (void)pes;
    if (me == 0) sink = shmem_test_lock(NULL);
}
static void lock_misaligned(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_set_lock((long*)(void*)((char*)words + 4));
}
static void negative_strided(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_iput(words, words, 1, 2, (size_t)-4 + (size_t)zero, 0);
}
static void wild_lock(int me, int pes) {
    (void)pes;
    memset(words, 7, sizeof *words);
    if (me == 0) shmem_set_lock(words);
}
static void overlap_put(int me, int pes) { /* a put to oneself */
    (void)pes;
    if (me == 0) shmem_long_put(words, words + 2, 4 + (size_t)zero, 0);
}
static void overlap_get(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_get(words + 2, words, 4 + (size_t)zero, 0);
}
static void overlap_iput(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_iput(words, words + 1, 2, 1, 2 + (size_t)zero, 0);
}
static void overlap_ibget(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_ibget(words + 3, words, 4, 4, 2, 1 + (size_t)zero, 0);
    if (me == 0) shmem_long_ibget(words + 3, words, 4, 4, 2, 2 + (size_t)zero, 0);
}
static void fetch_on_dest(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_atomic_fetch_add_nbi(words, words + zero, 1, 0);
}
/* One lies between the other, or on it. */
static void beside(int me, int pes) {
    (void)pes;
    if (me != 0) return;
    shmem_long_iput(words, words + 1, 2, 2, 2 + (size_t)zero, 0);
    shmem_long_iput(words, words, 2, 2, 2 + (size_t)zero, 0);
    shmem_long_atomic_fetch_add_nbi(words + 1, words + zero, 1, 0);
    shmem_long_atomic_fetch_add_nbi(words, words + 1 + zero, 1, 0);
}
static void signal_within(int me, int pes) { /* the last word of the data */
    static const long source[4];
    if (me == 0)
        shmem_long_put_signal(words, source, 4 + (size_t)zero, (uint64_t*)(void*)(words + 3), 1,
                              SHMEM_SIGNAL_SET, pes - 1);
}
static void signal_behind(int me, int pes) { /* right: beside the data, or without any */
    static const long source[4];
    if (me == 0) {
        uint64_t* const signal = (uint64_t*)(void*)(words + 4);
        shmem_long_put_signal(words, source, 4 + (size_t)zero, signal, 1, SHMEM_SIGNAL_SET,
                              pes - 1);
        shmem_long_put_signal(words + 5, source, 2 + (size_t)zero, signal, 1, SHMEM_SIGNAL_SET,
                              pes - 1);
        shmem_long_put_signal(words + 4, source, (size_t)zero, signal, 1, SHMEM_SIGNAL_SET,
                              pes - 1);
    }
    shmem_barrier_all();
    if (me == 0) shmem_long_p(words, 1, pes); /* ends here */
}

static void pe_quiet_range(int me, int pes) {
    const int targets[] = {pes - 1, 99};
    if (me == 0) shmem_pe_quiet(targets, 2);
}
static void destroyed_twice(int me, int pes) {
    shmem_ctx_t context;
    (void)pes;
    shmem_ctx_create(0, &context);
    shmem_ctx_destroy(context);
    if (me == 0) shmem_ctx_destroy(context);
}
static void no_context(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_ctx_quiet((shmem_ctx_t)(void*)0x1234);
}
static void session_stop(int me, int pes) {
    (void)pes;
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, 0, NULL, 0);
    shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
    if (me == 0) shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
}
const struct Case cases[] = {
    {"zero_stride", zero_stride},
    {"negative_stride", negative_stride},
    {"short_block_stride", short_block_stride},
    {"comparison", comparison},
    {"test_comparison", test_comparison},
    {"signal_comparison", signal_comparison},
    {"signal_operation", signal_operation},
    {"invalid_context", invalid_context},
    {"default_context_destroyed", default_context_destroyed},
    {"context_options", context_options},
    {"session_options", session_options},
    {"session_mask", session_mask},
    {"pe_quiet_range", pe_quiet_range},
    {"destroyed_twice", destroyed_twice},
    {"no_context", no_context},
    {"session_stop", session_stop},
    {"lock_not_held", lock_not_held},
    {"lock_of_another", lock_of_another},
    {"too_many_elements", too_many_elements},
    {"too_many_in_reduction", too_many_in_reduction},
    {"too_many_bytes", too_many_bytes},
    {"lock_twice", lock_twice},
    {"test_of_held", test_of_held},
    {"lock_kept", lock_kept},
    {"lock_kept_in_block", lock_kept_in_block},
    {"lock_not_symmetric", lock_not_symmetric},
    {"lock_null", lock_null},
    {"lock_misaligned", lock_misaligned},
    {"negative_strided", negative_strided},
    {"wild_lock", wild_lock},
    {"overlap_put", overlap_put},
    {"overlap_get", overlap_get},
    {"overlap_iput", overlap_iput},
    {"overlap_ibget", overlap_ibget},
    {"fetch_on_dest", fetch_on_dest},
    {"beside", beside},
    {"signal_within", signal_within},
    {"signal_behind", signal_behind},
    {NULL, NULL},
};
