/* Calls whose instructions are counted by callgrind, as in ../../one-host/programs/counts.c: each
 * in a function of its own; from its total that of probe_inline_empty, the return, is subtracted.
 */
#include "common.h"

#define PROBE __attribute__((noinline, noclone, used))
enum { kWarm = 3, kCalls = 10 };

PROBE void probe_inline_empty(const void* a, uint64_t b, int64_t c) {
    __asm__ __volatile__("" ::"r"(a), "r"(b), "r"(c));
}
PROBE int probe_postadd(const isthmus_segment* segment, uint64_t offset, int64_t value) {
    return isthmus_postadd(segment, offset, value);
}
PROBE int probe_fetchadd(const isthmus_segment* segment, uint64_t offset, int64_t value,
                         int64_t* result) {
    return isthmus_fetchadd(segment, offset, value, result, NULL);
}
PROBE int probe_poke(const isthmus_segment* segment, uint64_t offset, int64_t value) {
    return isthmus_poke(segment, offset, value);
}
PROBE int probe_event_test(const isthmus_event* event) {
    return isthmus_event_test(event);
}
PROBE int probe_event_wait(const isthmus_event* event) {
    return isthmus_event_wait(event);
}
PROBE int probe_event_test_armed(const isthmus_event* event) {
    return isthmus_event_test(event);
}
PROBE int probe_event_wait_armed(const isthmus_event* event) {
    return isthmus_event_wait(event);
}
PROBE int probe_put8(const void* local, const isthmus_segment* segment, uint64_t offset,
                     isthmus_event* event) {
    return isthmus_put(local, segment, offset, 8, event);
}
PROBE int probe_gather_push(isthmus_gather* gather, uint32_t source, uint64_t offset,
                            void* result) {
    return isthmus_gather_push(gather, source, offset, result);
}
PROBE int probe_aggregator_push(isthmus_aggregator* aggregator, int pe, const void* item) {
    return isthmus_aggregator_push(aggregator, pe, item);
}

static void nothing(void* argument, int source, const void* items, size_t count) {
    (void)argument;
    (void)source;
    (void)items;
    (void)count;
}

int main(void) {
    isthmus_init();
    const int me = isthmus_pe();
    require(isthmus_pes() == 2, "this program runs on two PEs");
    isthmus_segment mine, other;
    isthmus_gather* gather;
    isthmus_aggregator* aggregator;
    OK(isthmus_segment_create(&mine, 10 + (uint64_t)me, NULL, 4096, 0));
    OK(isthmus_segment_clone(&other, 10 + (uint64_t)(1 - me), -1));
    OK(isthmus_gather_create(&gather, &other, 1, 8));
    OK(isthmus_aggregator_create(&aggregator, 8, 0, nothing, NULL));
    isthmus_barrier();
    if (me == 0) {
        int64_t result = 0, local = 7;
        isthmus_event done, armed;
        OK(isthmus_event_arm(&armed, (const int64_t*)(mine.base + 64), ISTHMUS_GE, 0));
        for (int i = 0; i < kWarm + kCalls; ++i) {
            probe_inline_empty(&other, 64, 1);
            probe_postadd(&other, 64, 1);
            probe_fetchadd(&other, 64, 1, &result);
            probe_poke(&other, 64, 1);
            probe_put8(&local, &other, 128, &done);
            probe_event_test(&done);
            probe_event_wait(&done);
            probe_event_test_armed(&armed);
            probe_event_wait_armed(&armed);
            probe_gather_push(gather, 0, 64, &result);
            probe_aggregator_push(aggregator, 1, &local);
        }
    }
    OK(isthmus_gather_destroy(gather));
    OK(isthmus_aggregator_destroy(aggregator));
    isthmus_barrier();
    isthmus_finalize();
    return 0;
}
