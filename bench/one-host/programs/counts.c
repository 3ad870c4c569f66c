/* Calls whose instructions are counted. Each stands alone in a function of its own; callgrind
 * counts from entry to exit of that function and writes one total for each time it is left.
 *
 * probe_inline_*: the arguments are in registers, the call is inlined, and the function is the
 * inlined sequence and a return. probe_call_*: the routine is called through a pointer held in a
 * register, as the last thing the function does; probe_call_empty does the same with a routine that
 * only returns, so the difference is the routine's own count from entry to return, less one.
 *
 * PE 0 runs under callgrind, PE 1 does not: it is ahead, so PE 0 does not wait for it. */
#include "common.h"

#ifdef ISTHMUS_NO_INLINE
#error "the inlined calls are to be counted"
#endif

#define PROBE __attribute__((noinline, noclone, used))
enum { kWarm = 3, kCalls = 10, kPause_us = 2000 };

enum { kBlock = 65536 };
static int* ints; /* in the heap: peers reach static variables by messages only */
static long* words;
static char *here, *there;

PROBE void probe_inline_empty(int* dest, int value, int pe) {
    __asm__ __volatile__("" ::"r"(dest), "r"(value), "r"(pe));
}
PROBE void probe_inline_int_p(int* dest, int value, int pe) {
    shmem_int_p(dest, value, pe);
}
PROBE int probe_inline_int_g(int* source, int pe) {
    return shmem_int_g(source, pe);
}
PROBE int probe_inline_fetch_add(int* dest, int value, int pe) {
    return shmem_int_atomic_fetch_add(dest, value, pe);
}

typedef void (*put_word)(int*, int, int);
typedef int (*get_word)(const int*, int);
typedef void (*add_word)(long*, long, int);
typedef long (*fetch_add_word)(long*, long, int);
typedef void (*move_block)(void*, const void*, size_t, int);
typedef void (*no_arguments)(void);
typedef void (*broadcast_words)(void*, const void*, size_t, int, int, int, int, long*);

PROBE void probe_call_empty(no_arguments f) {
    f();
}
PROBE void probe_call_int_p(int* dest, int value, int pe, put_word f) {
    f(dest, value, pe);
}
PROBE int probe_call_int_g(const int* source, int pe, get_word f) {
    return f(source, pe);
}
PROBE void probe_call_atomic_add(long* dest, long value, int pe, add_word f) {
    f(dest, value, pe);
}
PROBE long probe_call_fetch_add(long* dest, long value, int pe, fetch_add_word f) {
    return f(dest, value, pe);
}
#define BLOCK_PROBE(NAME)                                                                  \
    PROBE void probe_call_##NAME(void* d, const void* s, size_t n, int pe, move_block f) { \
        f(d, s, n, pe);                                                                    \
    }
BLOCK_PROBE(putmem8)
BLOCK_PROBE(getmem8)
BLOCK_PROBE(putmem_nbi8)
BLOCK_PROBE(putmem4096)
BLOCK_PROBE(putmem65536)
PROBE void probe_call_quiet_none(no_arguments f) {
    f();
}
PROBE void probe_call_quiet_1put(no_arguments f) {
    f();
}
PROBE void probe_call_fence_none(no_arguments f) {
    f();
}
PROBE void probe_call_fence_1put(no_arguments f) {
    f();
}
PROBE void probe_call_barrier_all(no_arguments f) {
    f();
}
/* Arguments on the stack cost the caller 7 more than probe_call_empty. */
#define BROADCAST_PROBE(BYTES)                                                                   \
    PROBE void probe_call_broadcast##BYTES(broadcast_words f, void* d, const void* s, long* p) { \
        f(d, s, (BYTES) / 8, 0, 0, 0, 2, p);                                                     \
    }
BROADCAST_PROBE(8)
BROADCAST_PROBE(64)
BROADCAST_PROBE(512)
BROADCAST_PROBE(4096)
BROADCAST_PROBE(32768)
PROBE void probe_call_empty_broadcast(broadcast_words f, void* d, const void* s, long* p) {
    f(d, s, 1, 0, 0, 0, 2, p);
}

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
    const int me = shmem_my_pe();
    require(shmem_n_pes() == 2, "this program runs on two PEs");
    ints = (int*)shmem_malloc(64 * sizeof *ints);
    words = (long*)shmem_malloc(64 * sizeof *words);
    here = (char*)shmem_align(4096, kBlock);
    there = (char*)shmem_align(4096, kBlock);
    long* sync_words[2];
    for (int k = 0; k < 2; ++k) {
        sync_words[k] = (long*)shmem_malloc(SHMEM_BCAST_SYNC_SIZE * sizeof(long));
        require(sync_words[k] != NULL, "no room in the heap");
        for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; ++i)
            sync_words[k][i] = SHMEM_SYNC_VALUE;
    }
    require(ints && words && here && there, "no room in the heap");
    memset(here, 1, kBlock);
    memset(there, 2, kBlock);
    shmem_barrier_all();

    /* The pointers are volatile: the compiler must not know what is called. */
    put_word volatile int_p = shmem_int_p;
    get_word volatile int_g = shmem_int_g;
    add_word volatile atomic_add = shmem_long_atomic_add;
    fetch_add_word volatile fetch_add = shmem_long_atomic_fetch_add;
    move_block volatile putmem = shmem_putmem;
    move_block volatile getmem = shmem_getmem;
    move_block volatile putmem_nbi = shmem_putmem_nbi;
    no_arguments volatile quiet = shmem_quiet;
    no_arguments volatile fence = shmem_fence;
    no_arguments volatile barrier = shmem_barrier_all;
    no_arguments volatile nothing = empty;
    broadcast_words volatile broadcast = shmem_broadcast64;
    broadcast_words volatile no_broadcast = empty_broadcast;

    /* The first kWarm results of each probe are not used by the harness. */
    for (int i = 0; me == 0 && i < kWarm + kCalls; ++i) {
        probe_inline_empty(ints, i, 1);
        probe_inline_int_p(ints + i, i, 1);
        probe_inline_int_g(ints + i, 1);
        probe_inline_fetch_add(ints + i, 1, 1);
        probe_call_empty(nothing);
        probe_call_int_p(ints + i, i, 1, int_p);
        probe_call_int_g(ints + i, 1, int_g);
        probe_call_atomic_add(words + i, 1, 1, atomic_add);
        probe_call_fetch_add(words + i, 1, 1, fetch_add);
        probe_call_putmem8(there, here, 8, 1, putmem);
        probe_call_getmem8(here, there, 8, 1, getmem);
        probe_call_putmem_nbi8(there, here, 8, 1, putmem_nbi);
        probe_call_putmem4096(there, here, 4096, 1, putmem);
        probe_call_putmem65536(there, here, 65536, 1, putmem);
        shmem_quiet();
        probe_call_quiet_none(quiet);
        shmem_int_p(ints, i, 1);
        probe_call_quiet_1put(quiet);
        probe_call_fence_none(fence);
        shmem_int_p(ints, i, 1);
        probe_call_fence_1put(fence);
    }
    shmem_barrier_all();
    for (int i = 0; i < kWarm + kCalls; ++i) {
        if (me == 0) usleep(kPause_us);
        probe_call_barrier_all(barrier);
    }
    int parity = 0;
#define COUNT_BROADCAST(BYTES)                                                             \
    for (int i = 0; i < kWarm + kCalls; ++i) {                                             \
        parity = 1 - parity;                                                               \
        if (me == 0) usleep(kPause_us);                                                    \
        if (me == 0) probe_call_empty_broadcast(no_broadcast, there, here, sync_words[0]); \
        probe_call_broadcast##BYTES(broadcast, there, here, sync_words[parity]);           \
        shmem_barrier_all();                                                               \
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
