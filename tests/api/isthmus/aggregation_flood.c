/* PE 1 pushes to PE 0 until that tells it to stop, which it does after some calls of progress; the
 * handler takes longer than a push. The last PE's one item is handled meanwhile. */
#include <isthmus.h>

#include "check.h"

enum { kCalls = 20 };
static long handled_from[64];
static volatile long work;

static void handle(void* argument, int source, const void* items, size_t count) {
    (void)argument, (void)items;
    handled_from[source] += (long)count;
    if (isthmus_pe() != 0) return;
    for (size_t i = 0; i < 300 * count; ++i)
        ++work;
}

int main(void) {
    isthmus_aggregator* aggregator;
    int64_t* stop;
    isthmus_init();
    const int me = isthmus_pe(), last = isthmus_pes() - 1;
    const int64_t item = me;
    OK(isthmus_symmetric_malloc((void**)&stop, sizeof *stop, 0));
    OK(isthmus_aggregator_create(&aggregator, sizeof item, 0, handle, NULL));
    isthmus_barrier();
    if (me == last) {
        OK(isthmus_aggregator_push(aggregator, 0, &item));
        OK(isthmus_aggregator_flush(aggregator));
    }
    if (me == 1) {
        while (__atomic_load_n(stop, __ATOMIC_ACQUIRE) == 0)
            OK(isthmus_aggregator_push(aggregator, 0, &item));
    }
    if (me == 0) {
        isthmus_segment there;
        uint64_t offset;
        int calls = 0;
        while (calls < kCalls || handled_from[last] == 0) {
            size_t count;
            OK(isthmus_aggregator_progress(aggregator, &count));
            calls += count != 0;
        }
        OK(isthmus_segment_default(&there, 0));
        OK(isthmus_segment_offset(&there, stop, &offset));
        OK(isthmus_segment_default(&there, 1));
        OK(isthmus_poke(&there, offset, 1));
    }
    OK(isthmus_aggregator_finish(aggregator));
    OK(isthmus_aggregator_destroy(aggregator));
    isthmus_finalize();
    return 0;
}
