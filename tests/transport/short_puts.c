/* Puts of up to 8 bytes to segments, which a program compiled with optimisation hands to the
 * network itself: what they write, what they refuse, and that they are ordered as all others are.
 * Between hosts and on one host it is the same. */
#include <isthmus.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 4096, kRounds = 2000, kFlood = 100000, kOrdered = 3000 };

#define NEED(CONDITION)                                                                      \
    do {                                                                                     \
        if (!(CONDITION)) {                                                                  \
            fprintf(stderr, "PE %d, line %d: %s (%s)\n", isthmus_pe(), __LINE__, #CONDITION, \
                    isthmus_error_text());                                                   \
            isthmus_exit(1);                                                                 \
        }                                                                                    \
    } while (0)
#define OK(CALL) NEED((CALL) == ISTHMUS_OK)

static int me, pes, right;
static _Alignas(16) char statics[kBytes];

static const unsigned widths[] = {1, 2, 3, 4, 7, 8};

static int put_of(const void* value, const isthmus_segment* to, uint64_t offset, unsigned width) {
    switch (width) {
        case 1: return isthmus_put(value, to, offset, 1, NULL);
        case 2: return isthmus_put(value, to, offset, 2, NULL);
        case 3: return isthmus_put(value, to, offset, 3, NULL);
        case 4: return isthmus_put(value, to, offset, 4, NULL);
        case 7: return isthmus_put(value, to, offset, 7, NULL);
        case 8: return isthmus_put(value, to, offset, 8, NULL);
        default: abort();
    }
}

/* Random ones, and those at its end, beside a model. `start`: where in the segment they may begin.
 */
static void writes(const isthmus_segment* to, uint64_t start) {
    static char model[kBytes], back[kBytes];
    unsigned state = 7u + (unsigned)me;
    isthmus_event event;
    OK(isthmus_get(model, to, start, kBytes, NULL));
    for (int i = 0; i < kRounds; ++i) {
        state = state * 1664525u + 1013904223u;
        const unsigned width = widths[(state >> 20) % 6];
        const uint64_t offset = i % 10 == 0 ? kBytes - width : (state >> 8) % (kBytes - width + 1);
        const uint64_t value = 0x9e3779b97f4a7c15u * (unsigned)(i + 1);
        OK(put_of(&value, to, start + offset, width));
        memcpy(model + offset, &value, width);
    }
    const int last = 41 + me;
    OK(isthmus_put(&last, to, start + 16, sizeof last, &event));
    OK(isthmus_event_wait(&event));
    memcpy(model + 16, &last, sizeof last);
    OK(isthmus_put(&last, to, start + 20, 0, NULL));
    OK(isthmus_fence(to, NULL));
    OK(isthmus_get(back, to, start, kBytes, NULL));
    NEED(memcmp(model, back, kBytes) == 0);
}

static void refused(const isthmus_segment* to) {
    const uint64_t value = 0;
    for (unsigned i = 0; i < 6; ++i) {
        NEED(put_of(&value, to, to->size - widths[i] + 1, widths[i]) == ISTHMUS_BOUNDS);
        NEED(put_of(&value, to, to->size, widths[i]) == ISTHMUS_BOUNDS);
        NEED(put_of(&value, to, UINT64_MAX - widths[i] + 1, widths[i]) == ISTHMUS_BOUNDS);
        NEED(put_of(&value, to, UINT64_MAX, widths[i]) == ISTHMUS_BOUNDS);
    }
}

static void kinds(void) {
    const uint64_t base = 100 + 10 * (uint64_t)me, other = 100 + 10 * (uint64_t)right;
    isthmus_segment mine[5], to;
    char* const heap = shmem_malloc(2 * kBytes);
    memset(heap, 0, 2 * kBytes);
    OK(isthmus_segment_create(&mine[0], base, NULL, kBytes, 0));
    OK(isthmus_segment_create(&mine[1], base + 1, heap + 64, kBytes, 0));
    OK(isthmus_segment_create(&mine[2], base + 2, statics, kBytes, 0));
    OK(isthmus_segment_create(&mine[3], base + 3, NULL, kBytes, ISTHMUS_READ | ISTHMUS_TRANSFERS));
    OK(isthmus_segment_create(&mine[4], base + 4, NULL, kBytes,
                              ISTHMUS_READ_WRITE | ISTHMUS_ATOMICS));
    for (unsigned i = 0; i < 3; ++i) {
        OK(isthmus_segment_clone(&to, other + i, -1));
        isthmus_barrier();
        writes(&to, 0);
        refused(&to);
        isthmus_barrier();
    }
    const uint64_t value = 0;
    OK(isthmus_segment_clone(&to, other + 3, -1));
    NEED(isthmus_put(&value, &to, 0, 8, NULL) == (pes == 1 ? ISTHMUS_OK : ISTHMUS_RIGHTS));
    OK(isthmus_segment_clone(&to, other + 4, -1));
    NEED(isthmus_put(&value, &to, 0, 4, NULL) == ISTHMUS_PROTOCOL);
    OK(isthmus_segment_default(&to, right));
    isthmus_segment own;
    uint64_t offset = 0;
    OK(isthmus_segment_default(&own, me));
    OK(isthmus_segment_offset(&own, heap + 64, &offset));
    isthmus_barrier();
    writes(&to, offset);
    refused(&to);
    /* Destroyed: said at once. */
    OK(isthmus_segment_clone(&to, other, -1));
    isthmus_barrier();
    for (unsigned i = 0; i < 5; ++i)
        OK(isthmus_segment_destroy(&mine[i]));
    isthmus_barrier();
    NEED(isthmus_put(&value, &to, 0, 8, NULL) == ISTHMUS_STALE);
    OK(isthmus_segment_create(&mine[0], base, NULL, kBytes, 0)); /* perhaps in the same place */
    isthmus_barrier();
    NEED(isthmus_put(&value, &to, 0, 8, NULL) == ISTHMUS_STALE);
    const isthmus_segment zeroed = {0};
    NEED(isthmus_put(&value, &zeroed, 0, 8, NULL) == ISTHMUS_STALE);
    isthmus_barrier();
    OK(isthmus_segment_destroy(&mine[0]));
    shmem_free(heap);
}

/* More than the network takes at once; and behind them an atomic, which comes later. */
static void many(void) {
    isthmus_segment mine, to;
    OK(isthmus_segment_create(&mine, 500 + (uint64_t)me, NULL, kBytes, 0));
    OK(isthmus_segment_clone(&to, 500 + (uint64_t)right, -1));
    uint64_t back[64];
    for (uint64_t i = 0; i < kFlood; ++i)
        OK(isthmus_put(&i, &to, 8 * (i % 64), 8, NULL));
    OK(isthmus_fence(&to, NULL));
    OK(isthmus_get(back, &to, 0, sizeof back, NULL));
    for (uint64_t i = 0; i < 64; ++i)
        NEED(back[i] == kFlood - 1 - (kFlood - 1 - i) % 64);
    isthmus_barrier();
    int64_t* const here = (int64_t*)mine.base;
    here[0] = here[1] = here[2] = 0;
    isthmus_barrier();
    for (int64_t i = 1; i <= kOrdered; ++i) {
        OK(isthmus_put(&i, &to, 0, 8, NULL));
        OK(isthmus_postadd(&to, 8, 1));
        isthmus_event event;
        OK(isthmus_event_arm(&event, &here[1], ISTHMUS_GE, i));
        OK(isthmus_event_wait(&event));
        NEED(*(volatile int64_t*)here >= i);
    }
    isthmus_barrier();
    OK(isthmus_segment_destroy(&mine));
}

int main(void) {
    isthmus_segment kept = {0};
    const int value = 0;
    for (int session = 0; session < 2; ++session) {
        shmem_init();
        isthmus_init();
        me = isthmus_pe();
        pes = isthmus_pes();
        right = (me + 1) % pes;
        NEED(isthmus_put(&value, &kept, 0, 4, NULL) == ISTHMUS_STALE);
        kinds();
        many();
        OK(isthmus_segment_default(&kept, right));
        isthmus_barrier();
        isthmus_finalize();
        shmem_finalize();
    }
    if (me == 0) puts("ok");
    return 0;
}
