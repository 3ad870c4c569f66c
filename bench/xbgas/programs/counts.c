/* Calls whose instructions callgrind counts natively, for us and for Open MPI OSHMEM: what the
 * paper calls OpenSHMEM. As ../../one-host/programs/counts.c: each call in a function of its own,
 * through a pointer, as its last act; probe_call_empty and probe_call_empty_broadcast hold what the
 * function itself costs. PE 0 counts; its last PE is the target. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBE __attribute__((noinline, noclone, used))
enum { kWarm = 3, kCalls = 10, kPause_us = 5000, kBlock = 32768 };

typedef void (*put_word)(long*, long, int);
typedef long (*get_word)(const long*, int);
typedef void (*add_word)(long*, long, int);
typedef long (*fetch_word)(long*, long, int);
typedef long (*compare_word)(long*, long, long, int);
typedef void (*no_arguments)(void);
typedef void (*broadcast_words)(void*, const void*, size_t, int, int, int, int, long*);

PROBE void probe_call_empty(no_arguments f) {
    f();
}
PROBE void probe_call_put(long* dest, long value, int pe, put_word f) {
    f(dest, value, pe);
}
PROBE long probe_call_get(const long* source, int pe, get_word f) {
    return f(source, pe);
}
PROBE void probe_call_atomic_add(long* dest, long value, int pe, add_word f) {
    f(dest, value, pe);
}
PROBE long probe_call_fetch_add(long* dest, long value, int pe, fetch_word f) {
    return f(dest, value, pe);
}
PROBE long probe_call_swap(long* dest, long value, int pe, fetch_word f) {
    return f(dest, value, pe);
}
PROBE long probe_call_compare_swap(long* dest, long cond, long value, int pe, compare_word f) {
    return f(dest, cond, value, pe);
}
/* Arguments on the stack: probe_call_empty_broadcast has them, too. */
#define BROADCAST_PROBE(NAME, BYTES)                                               \
    PROBE void NAME(broadcast_words f, void* d, const void* s, long* p, int pes) { \
        f(d, s, (BYTES) / 8, 0, 0, 0, pes, p);                                     \
    }
BROADCAST_PROBE(probe_call_empty_broadcast, 8)
BROADCAST_PROBE(probe_call_broadcast8, 8)
BROADCAST_PROBE(probe_call_broadcast64, 64)
BROADCAST_PROBE(probe_call_broadcast512, 512)
BROADCAST_PROBE(probe_call_broadcast4096, 4096)
BROADCAST_PROBE(probe_call_broadcast32768, 32768)

static __attribute__((noinline, noclone)) void empty(void) {
    __asm__ __volatile__("");
}
static __attribute__((noinline, noclone)) void empty_broadcast(void* d, const void* s, size_t n,
                                                               int a, int b, int c, int e,
                                                               long* p) {
    __asm__ __volatile__("" ::"r"(d), "r"(s), "r"(n), "r"(a), "r"(b), "r"(c), "r"(e), "r"(p));
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), pes = shmem_n_pes(), last = pes - 1;
    long* const words = (long*)shmem_malloc(64 * sizeof *words);
    char* const here = (char*)shmem_malloc(kBlock);
    char* const there = (char*)shmem_malloc(kBlock);
    long* sync_words[2];
    for (int k = 0; k < 2; ++k) {
        sync_words[k] = (long*)shmem_malloc(SHMEM_BCAST_SYNC_SIZE * sizeof(long));
        for (int i = 0; sync_words[k] != NULL && i < SHMEM_BCAST_SYNC_SIZE; ++i)
            sync_words[k][i] = SHMEM_SYNC_VALUE;
    }
    if (!words || !here || !there || !sync_words[0] || !sync_words[1]) {
        fprintf(stderr, "counts: no room in the heap\n");
        shmem_global_exit(3);
    }
    memset(here, 1, kBlock);
    memset(there, 2, kBlock);
    memset(words, 0, 64 * sizeof *words);
    shmem_barrier_all();

    /* The pointers are volatile: the compiler must not know what is called. */
    put_word volatile put = shmem_long_p;
    get_word volatile get = shmem_long_g;
    add_word volatile add = shmem_long_atomic_add;
    fetch_word volatile fetch_add = shmem_long_atomic_fetch_add;
    fetch_word volatile swap = shmem_long_atomic_swap;
    compare_word volatile compare_swap = shmem_long_atomic_compare_swap;
    no_arguments volatile nothing = empty;
    broadcast_words volatile broadcast = shmem_broadcast64;
    broadcast_words volatile no_broadcast = empty_broadcast;

    /* The first kWarm results of each probe are not used by the harness. */
    for (int i = 0; me == 0 && i < kWarm + kCalls; ++i) {
        probe_call_empty(nothing);
        probe_call_put(words + i, i, last, put);
        probe_call_get(words + i, last, get);
        probe_call_atomic_add(words + i, 1, last, add);
        probe_call_fetch_add(words + i, 1, last, fetch_add);
        probe_call_swap(words + i, 1, last, swap);
        probe_call_compare_swap(words + i, 1, 2, last, compare_swap);
    }
    shmem_barrier_all();
    int parity = 0;
#define COUNT_BROADCAST(BYTES)                                                                  \
    for (int i = 0; i < kWarm + kCalls; ++i) {                                                  \
        parity = 1 - parity;                                                                    \
        if (me == 0) usleep(kPause_us);                                                         \
        if (me == 0) probe_call_empty_broadcast(no_broadcast, there, here, sync_words[0], pes); \
        probe_call_broadcast##BYTES(broadcast, there, here, sync_words[parity], pes);           \
        shmem_barrier_all();                                                                    \
    }
    COUNT_BROADCAST(8)
    COUNT_BROADCAST(64)
    COUNT_BROADCAST(512)
    COUNT_BROADCAST(4096)
    COUNT_BROADCAST(32768)
    if (me == 0) puts("counts=done");
    shmem_finalize();
    return 0;
}
