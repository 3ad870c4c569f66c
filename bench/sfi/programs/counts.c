/* Calls whose instructions are counted, one at a time, by programs/step.cpp. PE 0 calls; PE 1 is
 * another host's (ISTHMUS_TRANSPORT=ofi) and serves by its progress thread.
 *
 * Every routine is called through a pointer, out of line, so that the count begins at its entry. */
#include <isthmus.h>
#include <shmem.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "inlined.h"
#include "marks.h"

static int* ints; /* in the heap, beside static data, which the paper did not tell apart */
static long* words;
static char *here, *there;
static int statics[16];
static uint64_t* signals;

static void (*volatile int_p)(int*, int, int) = shmem_int_p;
static int (*volatile int_g)(const int*, int) = shmem_int_g;
static void (*volatile putmem)(void*, const void*, size_t, int) = shmem_putmem;
static void (*volatile getmem)(void*, const void*, size_t, int) = shmem_getmem;
static void (*volatile atomic_add)(long*, long, int) = shmem_long_atomic_add;
static long (*volatile fetch_add)(long*, long, int) = shmem_long_atomic_fetch_add;
static void (*volatile quiet)(void) = shmem_quiet;
static void (*volatile fence)(void) = shmem_fence;
static void (*volatile iput)(long*, const long*, ptrdiff_t, ptrdiff_t, size_t,
                             int) = shmem_long_iput;
static void (*volatile put_signal)(void*, const void*, size_t, uint64_t*, uint64_t, int,
                                   int) = shmem_putmem_signal;

static void (*volatile ctx_int_p)(shmem_ctx_t, int*, int, int) = shmem_ctx_int_p;
static void (*volatile ctx_putmem)(shmem_ctx_t, void*, const void*, size_t, int) = shmem_ctx_putmem;
static void (*volatile ctx_quiet)(shmem_ctx_t) = shmem_ctx_quiet;

static int (*volatile native_put)(const void*, const isthmus_segment*, uint64_t, uint64_t,
                                  isthmus_event*) = isthmus_put;
static int (*volatile native_get)(void*, const isthmus_segment*, uint64_t, uint64_t,
                                  isthmus_event*) = isthmus_get;
static int (*volatile native_postmax)(const isthmus_segment*, uint64_t, int64_t) = isthmus_postmax;

int main(void) {
    shmem_init();
    isthmus_init();
    upc_open();
    isthmus_segment mine, theirs;
    const uint64_t id = (uint64_t)shmem_my_pe();
    isthmus_segment_create(&mine, id, NULL, 4096, 0);
    isthmus_segment_clone(&theirs, 1 - id, -1);
    segment_open(&theirs);
    ints = shmem_calloc(1024, sizeof *ints);
    words = shmem_calloc(1024, sizeof *words);
    signals = shmem_calloc(1, sizeof *signals);
    here = shmem_malloc(1 << 20);
    there = shmem_malloc(1 << 20);
    memset(here, 1, 1 << 20);
    shmem_ctx_t ctx;
    if (shmem_ctx_create(0, &ctx) != 0) return 1;
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        CASE("int_p", quiet(), int_p(ints, 1, 1))
        CASE("int_p_static", quiet(), int_p(statics, 1, 1))
        CASE("putmem8", quiet(), putmem(there, here, 8, 1))
        CASE("putmem4096", quiet(), putmem(there, here, 4096, 1))
        CASE("putmem65536", quiet(), putmem(there, here, 65536, 1))
        CASE("putmem1048576", quiet(), putmem(there, here, 1 << 20, 1))
        CASE("int_g", quiet(), int_g(ints, 1))
        CASE("getmem8", quiet(), getmem(here, there, 8, 1))
        CASE("fetch_add", quiet(), fetch_add(words, 1, 1))
        CASE("atomic_add", quiet(), atomic_add(words, 1, 1))
        CASE("iput64", quiet(), iput(words, words, 8, 8, 64, 1))
        CASE("put_signal8", quiet(), put_signal(there, here, 8, signals, 1, SHMEM_SIGNAL_SET, 1))
        CASE("quiet_none", quiet(), quiet())
        CASE("quiet_1put", int_p(ints, 1, 1), quiet())
        CASE("fence_none", quiet(), fence())
        CASE("fence_1put", int_p(ints, 1, 1), fence())
        CASE("ctx_int_p", ctx_quiet(ctx), ctx_int_p(ctx, ints, 1, 1))
        CASE("ctx_putmem8", ctx_quiet(ctx), ctx_putmem(ctx, there, here, 8, 1))
        CASE("native_put8", quiet(), segment_put(here))
        CASE("native_put8_called", quiet(), native_put(here, &theirs, 64, 8, NULL))
        CASE("native_get8", quiet(), native_get(here, &theirs, 64, 8, NULL))
        CASE("native_postmax", quiet(), native_postmax(&theirs, 64, 5))
        CASE("upc_write", quiet(), upc_write(i))
        CASE("upc_fence", quiet(), upc_fence())
    }
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    isthmus_segment_destroy(&mine);
    upc_close();
    isthmus_finalize();
    shmem_finalize();
    return 0;
}
