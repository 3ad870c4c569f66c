/* Blocks of the symmetric heap: behind their ends, after they were freed; this PE's side of a
 * transfer; threads. Checked mode finds these. */
#include <pthread.h>
#include <sys/mman.h>

#include "cases.h"

static long words[16];
static uint64_t flag;

/* Eight longs that nothing is aligned behind: 64 bytes fill their granule. */
static long* eight(void) {
    return (long*)shmem_calloc(8 + (size_t)zero, sizeof(long));
}
static long* freed(void) {
    long* block = eight();
    shmem_free(block);
    return block;
}

static void put_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_p(block + 8, 1, 1);
}
static void put_across(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_put(block + 1, words, 8, 1);
}
static void put_across_long(int me,
                            int pes) { /* more than eight granules, all in use but the last */
    long* block = shmem_calloc(600, sizeof(long));
    static long many[601];
    (void)pes;
    for (int i = 0; i < 2; ++i) /* the right one passes */
        if (me == 0) shmem_long_put(block, many, 600 + (size_t)i + (size_t)zero, 1);
}
static void put_into_gap(int me, int pes) { /* from one block over the gap into another */
    char* block = shmem_malloc(256);
    static char many[4096];
    (void)pes;
    sink = (long)(intptr_t)shmem_malloc(4096);
    if (me == 0) shmem_putmem(block, many, 2048 + (size_t)zero, 1);
}
static void put_across_short(int me, int pes) { /* within the last granule */
    char* block = shmem_malloc(13);
    (void)pes;
    if (me == 0) shmem_putmem(block, words, 14, 1);
}
static void put_before(int me, int pes) {
    long* block = eight() ? eight() : NULL;
    (void)pes;
    if (me == 0) shmem_long_p(block - 1, 1, 1);
}
static void get_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) sink = shmem_long_g(block + 8, 1);
}
static void get_across(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_get(words, block + 1, 8, 1);
}
static void atomic_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_atomic_inc(block + 8, 1);
}
static void fetch_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) sink = shmem_long_atomic_fetch_add(block + 8, 1, 1);
}
static void signal_past(int me, int pes) {
    uint64_t* block = (uint64_t*)eight();
    (void)pes;
    if (me == 0) shmem_putmem_signal(words, words, 8, block + 8, 1, SHMEM_SIGNAL_SET, 1);
}
static void put_signal_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_put_signal(block + 8, words, 1, &flag, 1, SHMEM_SIGNAL_SET, 1);
}
static void strided_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_iput(block, words, 4, 1, 3, 1);
}
static void lock_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_set_lock(block + 8);
}
static void source_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_put(words, block + 1, 8, 1);
}
static void dest_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_get(block + 1, words, 8, 1);
}
static void malloc_past(int me, int pes) {
    long* mine = calloc(8, sizeof(long));
    (void)pes;
    if (me == 0) shmem_long_put(words, mine, 9 + (size_t)zero, 1);
    free(mine);
}
static long variables[2][8];
static void static_past(int me, int pes) {
    (void)pes;
    if (me == 0) shmem_long_p(variables[0] + 8 + zero, 1, 1);
}
static void strided_source_past(int me, int pes) {
    long* block = eight();
    (void)pes;
    if (me == 0) shmem_long_iput(words, block, 1, 4, 3, 1);
}

static void put_freed(int me, int pes) {
    long* block = freed();
    (void)pes;
    if (me == 0) shmem_long_p(block, 1, 1);
}
static void get_freed(int me, int pes) {
    long* block = freed();
    (void)pes;
    if (me == 0) shmem_long_get(words, block, 8, 1);
}
static void atomic_freed(int me, int pes) {
    long* block = freed();
    (void)pes;
    if (me == 0) shmem_long_atomic_add(block, 1, 1);
}
static void source_freed(int me, int pes) {
    long* block = freed();
    (void)pes;
    if (me == 0) shmem_long_put(words, block, 8, 1);
}
static void wait_freed(int me, int pes) {
    long* block = freed();
    (void)pes;
    if (me == 0) shmem_long_wait_until(block, SHMEM_CMP_EQ, 77);
    shmem_barrier_all();
}
static void reallocated(int me, int pes) {
    long* old = eight();
    sink = (long)(intptr_t)shmem_realloc(old, 32);
    (void)pes;
    if (me == 0) shmem_long_p(old, 1, 1);
}

/* By the program's own stores: nobody sees it happen. */
static void stored_past(int me, int pes) {
    volatile char* block = shmem_malloc(13);
    (void)pes;
    if (me == 1) block[13 + zero] = 1;
    shmem_free((void*)block);
}
static void stored_past_at_end(int me, int pes) {
    volatile char* block = shmem_malloc(64);
    (void)pes;
    if (me == 1) block[70 + zero] = 1;
}
static void stored_far_past(int me, int pes) {
    volatile char* block = shmem_malloc(64);
    (void)pes;
    if (me == 1) block[100000 + zero] = 1;
}
static void stored_before(int me, int pes) {
    volatile long* block = shmem_malloc(64);
    (void)pes;
    if (me == 1) block[-1 + zero] = 1;
}
static void put_in_front(int me, int pes) {
    long* const block = shmem_malloc(64);
    (void)pes;
    if (me == 0) shmem_long_p(block - 1 + zero, 1, 1);
}
static void source_in_front(int me, int pes) {
    long* const block = shmem_malloc(64);
    long mine = 5;
    (void)pes;
    if (me != 0) return;
    for (int i = 0; i < 8; ++i)
        shmem_long_put(block, &mine, 1, 1);
    shmem_long_put(block, block - 1 + zero, 1, 1);
}
static void source_across_front(int me, int pes) {
    long* const block = shmem_malloc(4096);
    (void)pes;
    if (me == 0) shmem_long_put(block, block - 1 + zero, 100 + (size_t)zero, 1);
}
static void dest_in_front(int me, int pes) {
    long* const block = shmem_malloc(64);
    (void)pes;
    if (me == 0) shmem_long_get(block - 2 + zero, block, 1, 1);
}
static void strided_dest_in_front(int me, int pes) {
    long* const block = shmem_malloc(64);
    (void)pes;
    if (me == 0) shmem_long_iget(block - 2 + zero, block, 1, 2, 2, 1);
}
/* Where the library has what it shares with others. */
static void dest_far_in_front(int me, int pes) {
    long* const block = shmem_malloc(64);
    (void)pes;
    if (me == 0) shmem_long_get(block - 131072 + zero, block, 1, 1);
}
static void fetched_in_front(int me, int pes) {
    long* const block = shmem_malloc(64);
    (void)pes;
    if (me == 0) shmem_long_atomic_fetch_inc_nbi(block - 1 + zero, block, 1);
}
/* What a larger block had is looked at no more. */
static void stored_past_after_larger(int me, int pes) {
    volatile char* block = shmem_malloc(200000);
    (void)pes;
    memset((char*)block, 1, 200000);
    shmem_free((char*)block);
    if (me == 1)
        block = shmem_malloc(64);
    else
        sink = (long)(intptr_t)shmem_malloc(64);
}
static void stored_freed(int me, int pes) {
    volatile char* block = (volatile char*)freed();
    (void)pes;
    if (me == 1) block[9] = 1;
}
/* Where its pages have been given back: it has never been written, or would be filled whole. */
static void stored_freed_given_back(int me, int pes) {
    volatile char* block = shmem_malloc(100000);
    (void)pes;
    shmem_free((char*)block);
    if (me == 1) block[50000] = 1;
    sink = block[60000]; /* only reads */
}
/* Where it has been filled whole, and behind the last whole page of one that has not. */
static void stored_freed_far(int me, int pes) {
    volatile char* block = shmem_malloc(200000);
    (void)pes;
    memset((char*)block, 1, 200000);
    shmem_free((char*)block);
    if (me == 1) block[100000] = 1;
    sink = block[120000]; /* only reads */
}
static void stored_freed_last(int me, int pes) {
    volatile char* block = shmem_malloc(200000);
    (void)pes;
    shmem_free((char*)block);
    if (me == 1) block[199999] = 1;
}
/* Of 256 KiB and more this PE can neither load nor store there, and is told at once. */
enum { kClosed = 256 << 10 };
static volatile char* freed_closed(void) {
    volatile char* block = shmem_malloc(kClosed);
    memset((char*)block, 1, kClosed);
    shmem_free((char*)block);
    return block;
}
static void stored_freed_closed(int me, int pes) {
    volatile char* block = freed_closed();
    (void)pes;
    if (me == 1) block[150000] = 1;
}
static void loaded_freed_closed(int me, int pes) {
    volatile char* block = freed_closed();
    (void)pes;
    if (me == 1) sink = block[150001];
}
/* What is in front of its first whole page, and behind the last one, is filled. */
static void stored_freed_closed_last(int me, int pes) {
    volatile char* block = shmem_malloc(kClosed + 9);
    (void)pes;
    shmem_free((char*)block);
    if (me == 1) block[kClosed + 8] = 1;
}
static void signalled_freed(int me, int pes) {
    uint64_t* const block = shmem_malloc(1024);
    long* const dest = shmem_malloc(sizeof *dest);
    const long source = 1;
    (void)pes;
    shmem_free(block);
    if (me == 1) shmem_long_put_signal(dest, &source, 1, block + 8, 1, SHMEM_SIGNAL_SET, 0);
    shmem_barrier_all();
}
/* Its place serves again, all of it. */
static void closed_reused(int me, int pes) {
    const char* const block = (const char*)freed_closed();
    char* next = NULL;
    (void)pes;
    for (int i = 0; i < 8 && next != block; ++i) {
        next = shmem_malloc(900000);
        memset(next, i, 900000);
        shmem_barrier_all();
        shmem_long_p((long*)(void*)next + me, me, 1 - me);
        shmem_barrier_all();
        if (((long*)(void*)next)[1 - me] != 1 - me) shmem_global_exit(3);
        if (next != block) shmem_free(next);
    }
    if (next != block) shmem_global_exit(4);
}
/* A pointer that another PE has goes by the mapping of that one's own. */
static void stored_freed_by_pointer(int me, int pes) {
    char* block = shmem_malloc(kClosed);
    volatile char* theirs = shmem_ptr(block, 1);
    (void)pes;
    memset(block, 1, kClosed);
    shmem_free(block);
    shmem_sync_all();
    if (me == 0) theirs[150000] = 7;
    shmem_sync_all();
}
/* Long blocks that are freed later do not displace it. */
static void freed_before(int me, size_t bytes, size_t later) {
    volatile char* block = shmem_malloc(bytes);
    char* const first = shmem_malloc(later);
    char* const second = shmem_malloc(later);
    memset((char*)block, 1, bytes);
    first[20000] = second[20000] = 1;
    shmem_free((char*)block);
    shmem_free(first);
    shmem_free(second);
    if (me == 1) block[5] = 7;
}
static void stored_freed_before_long(int me, int pes) {
    (void)pes;
    freed_before(me, 1000, 9000000);
}
static void stored_freed_before_longest(int me, int pes) {
    (void)pes;
    freed_before(me, 20000, 90000000);
}
/* What is kept back is needed: it is looked at then. */
static void stored_freed_reused(int me, int pes) {
    volatile char* block = (volatile char*)freed();
    (void)pes;
    if (me == 1) block[9] = 1;
    sink = (long)(intptr_t)shmem_malloc((1 << 20) - 128);
}

static void collected_past(int me, int pes) {
    long* block = eight();
    (void)me;
    (void)pes;
    shmem_long_collect(SHMEM_TEAM_WORLD, block, words, 5);
}
static void fcollected_past(int me, int pes) {
    long* block = eight();
    (void)me;
    (void)pes;
    shmem_long_fcollect(SHMEM_TEAM_WORLD, block, words, 5);
}
static void reduced_past(int me, int pes) {
    long* block = eight();
    (void)me;
    (void)pes;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block, words, 9);
}
static void different_alignments(int me, int pes) {
    (void)pes;
    shmem_free(shmem_align(me == 0 ? 64 : 4096, 100));
}
static void different_hints(int me, int pes) {
    (void)pes;
    shmem_free(shmem_malloc_with_hints(
        64, me == 0 ? SHMEM_MALLOC_ATOMICS_REMOTE : SHMEM_MALLOC_SIGNAL_REMOTE));
}
static void pointer_freed(int me, int pes) {
    long* const block = shmem_malloc(64);
    (void)pes;
    shmem_free(block);
    if (me == 0) sink = shmem_ptr(block, 1) == NULL;
}
static void team_pointer_freed(int me, int pes) {
    long* const block = shmem_malloc(64);
    (void)pes;
    shmem_free(block);
    if (me == 0) sink = shmem_team_ptr(SHMEM_TEAM_WORLD, block, 1) == NULL;
}
static long* left_behind;
static void store_late(void) {
    *left_behind = 1;
}
static void stored_after_finalize(int me, int pes) {
    left_behind = shmem_malloc(64);
    (void)pes;
    if (me == 0) atexit(store_late);
}

/* Memory that was there when a transfer used it before. */
static void given_back(int me, int pes) {
    const size_t bytes = 1 << 16;
    long* mine = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)pes;
    if (me == 0) shmem_long_put(words, mine, 8, 1);
    munmap(mine, bytes);
    if (me == 0) shmem_long_put(words, mine, 8, 1);
}

/* The routine is told by its name, whatever was called before. */
static void given_back_in(int me, void (*transfer)(void* mine, size_t bytes)) {
    const size_t bytes = 1 << 16;
    void* const mine =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (me == 0) {
        transfer(mine, (size_t)zero + 16);
        shmem_long_get(mine, words, 8, 1);
        shmem_long_put(words, mine, 8, 1);
    }
    munmap(mine, bytes);
    if (me == 0) transfer(mine, (size_t)zero + 16);
}
static void put_short(void* mine, size_t bytes) {
    shmem_putmem(words, mine, bytes, 1);
}
static void get_short(void* mine, size_t bytes) {
    shmem_getmem_nbi(mine, words, bytes, 1);
}
static void put_strided(void* mine, size_t bytes) {
    shmem_long_iput(words, mine, 1, 2, bytes / sizeof(long), 1);
}
static void given_back_short(int me, int pes) {
    (void)pes;
    given_back_in(me, put_short);
}
static void given_back_to(int me, int pes) {
    (void)pes;
    given_back_in(me, get_short);
}
static void given_back_strided(int me, int pes) {
    (void)pes;
    given_back_in(me, put_strided);
}

static void fetch_added(void* mine, size_t bytes) {
    (void)bytes;
    shmem_long_atomic_fetch_add_nbi(mine, words, 1, 1);
    shmem_quiet();
}
static void given_back_fetch(int me, int pes) {
    (void)pes;
    given_back_in(me, fetch_added);
}
static void fetched_to_freed(int me, int pes) {
    long* const block = freed();
    (void)pes;
    if (me == 0) fetch_added(block, 8);
}
static void fetched_past(int me, int pes) {
    long* const block = eight();
    (void)pes;
    if (me == 0) fetch_added(block + 8, 8);
}

/* The data and what tells of it may come in any order, and does not here. */
static void unfenced(int me, int pes) {
    static uint64_t data;
    (void)pes;
    if (me == 0) {
        shmem_uint64_p(&data, 1, 1);
        shmem_signal_set(&flag, 1, 1);
    } else {
        shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 1);
        sink = (long)data;
    }
}

static void* put_one(void* nothing) {
    shmem_long_p(words, 1, 0);
    return nothing;
}
static void* meet(void* nothing) {
    shmem_sync_all();
    return nothing;
}
static void* allocate(void* nothing) {
    shmem_free(eight());
    return nothing;
}
static void by_thread(void* (*call)(void*)) {
    pthread_t thread;
    pthread_create(&thread, NULL, call, NULL);
    pthread_join(thread, NULL);
}
static void thread_puts(int me, int pes) {
    (void)pes;
    if (me == 0) by_thread(put_one);
}
static void thread_meets(int me, int pes) {
    (void)me;
    (void)pes;
    by_thread(meet);
}
static void thread_allocates(int me, int pes) {
    (void)me;
    (void)pes;
    by_thread(allocate);
}

const struct Case cases[] = {
    {"put_past", put_past},
    {"put_across", put_across},
    {"put_across_long", put_across_long},
    {"put_into_gap", put_into_gap},
    {"put_across_short", put_across_short},
    {"put_before", put_before},
    {"get_past", get_past},
    {"get_across", get_across},
    {"atomic_past", atomic_past},
    {"fetch_past", fetch_past},
    {"signal_past", signal_past},
    {"put_signal_past", put_signal_past},
    {"strided_past", strided_past},
    {"lock_past", lock_past},
    {"source_past", source_past},
    {"dest_past", dest_past},
    {"malloc_past", malloc_past},
    {"static_past", static_past},
    {"strided_source_past", strided_source_past},
    {"put_freed", put_freed},
    {"get_freed", get_freed},
    {"atomic_freed", atomic_freed},
    {"source_freed", source_freed},
    {"wait_freed", wait_freed},
    {"reallocated", reallocated},
    {"stored_past", stored_past},
    {"stored_past_at_end", stored_past_at_end},
    {"stored_far_past", stored_far_past},
    {"stored_before", stored_before},
    {"put_in_front", put_in_front},
    {"source_in_front", source_in_front},
    {"source_across_front", source_across_front},
    {"dest_in_front", dest_in_front},
    {"strided_dest_in_front", strided_dest_in_front},
    {"dest_far_in_front", dest_far_in_front},
    {"fetched_in_front", fetched_in_front},
    {"stored_past_after_larger", stored_past_after_larger},
    {"stored_freed", stored_freed},
    {"stored_freed_given_back", stored_freed_given_back},
    {"stored_freed_far", stored_freed_far},
    {"stored_freed_last", stored_freed_last},
    {"stored_freed_closed", stored_freed_closed},
    {"loaded_freed_closed", loaded_freed_closed},
    {"stored_freed_closed_last", stored_freed_closed_last},
    {"closed_reused", closed_reused},
    {"signalled_freed", signalled_freed},
    {"stored_freed_by_pointer", stored_freed_by_pointer},
    {"stored_freed_before_long", stored_freed_before_long},
    {"stored_freed_before_longest", stored_freed_before_longest},
    {"stored_freed_reused", stored_freed_reused},
    {"collected_past", collected_past},
    {"fcollected_past", fcollected_past},
    {"reduced_past", reduced_past},
    {"different_alignments", different_alignments},
    {"different_hints", different_hints},
    {"pointer_freed", pointer_freed},
    {"team_pointer_freed", team_pointer_freed},
    {"stored_after_finalize", stored_after_finalize},
    {"given_back", given_back},
    {"given_back_short", given_back_short},
    {"given_back_to", given_back_to},
    {"given_back_strided", given_back_strided},
    {"given_back_fetch", given_back_fetch},
    {"fetched_to_freed", fetched_to_freed},
    {"fetched_past", fetched_past},
    {"unfenced", unfenced},
    {"thread_puts", thread_puts},
    {"thread_meets", thread_meets},
    {"thread_allocates", thread_allocates},
    {NULL, NULL},
};
