/* Posted and blocking atomics by all PEs at once, to the targets in turn or all to PE 0; alone,
 * each to itself.
 *
 *     atomic=async|blocking mode=spread|centralised pes= ns= plain=
 *
 * plain: the same adds as one instruction each, on the same words, right behind. */
#include "common.h"

enum { kOps = 20000 };

static double plain_adds(const isthmus_segment* all, int pes, int me, int blocking,
                         int centralised) {
    int target = me;
    int64_t sum = 0;
    const double start = cpu_ns();
    for (int i = 0; i < kOps; ++i) {
        target = centralised ? 0 : target + 1 < pes ? target + 1 : 0;
        int64_t* const word = (int64_t*)((char*)all[target].base + 64);
        if (blocking)
            sum += __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
        else
            __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    }
    __asm__ __volatile__("" ::"r"(sum));
    return cpu_ns() - start;
}

int main(int argc, char** argv) {
    isthmus_init();
    const int me = isthmus_pe(), pes = isthmus_pes();
    pin_to_core(me);
    const int batches = argument(argc, argv, "--batches", 15);
    isthmus_segment mine, all[64];
    require(pes <= 64, "too many PEs");
    OK(isthmus_segment_create(&mine, 10 + (uint64_t)me, NULL, 4096, 0));
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_segment_clone(&all[pe], 10 + (uint64_t)pe, -1));
    for (int batch = 0; batch < batches; ++batch) {
        for (int kind = 0; kind < 4; ++kind) {
            const int blocking = kind & 1, centralised = kind >> 1;
            isthmus_barrier();
            const double start = cpu_ns();
            int target = me;
            for (int i = 0; i < kOps; ++i) {
                target = centralised ? 0 : target + 1 < pes ? target + 1 : 0;
                int64_t before;
                if (blocking)
                    isthmus_fetchadd(&all[target], 64, 1, &before, NULL);
                else
                    isthmus_postadd(&all[target], 64, 1);
            }
            const double spent = cpu_ns() - start;
            isthmus_barrier();
            const double plain = plain_adds(all, pes, me, blocking, centralised);
            isthmus_barrier();
            if (me == 0)
                printf("atomic=%s mode=%s pes=%d ns=%.2f plain=%.2f\n",
                       blocking ? "blocking" : "async", centralised ? "centralised" : "spread", pes,
                       spent / kOps, plain / kOps);
        }
    }
    isthmus_finalize();
    return 0;
}
