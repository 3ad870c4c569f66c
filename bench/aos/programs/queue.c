/* Queues.
 *
 *     queue=rate producers= bytes= mops= raw=      all PEs but 0 send to PE 0
 *     queue=request bytes= kiops= raw=             2 PEs: a request and its answer, one outstanding
 *
 * raw is the raw ping-pong between the cores of PE 0 and 1 around the batch, nanoseconds one way
 * (0 with more PEs than two): it says how near the cores are. Rates are of PE 0's clock, from its
 * first message to its last. */
#include "common.h"

enum { kRing = 1 << 18 };
static int me, pes;
static uint64_t *raw_mine, *raw_other;
static isthmus_queue *in, *out; /* in: PE 0's, from all; out: PE 1's, from PE 0 */

static double raw(void) {
    return pes == 2 ? raw_one_way(raw_mine, raw_other, 300) : 0;
}

static void rate(int messages) {
    char message[16] = {0};
    const double before = raw();
    isthmus_barrier();
    if (me == 0) {
        const void* taken;
        uint64_t size;
        double start = 0;
        const int all = messages * (pes - 1);
        for (int i = 0; i < all; ++i) {
            OK(isthmus_dequeue(in, &taken, &size, -1));
            if (i == 0) start = now_ns();
            OK(isthmus_dequeue_release(in));
        }
        const double spent = now_ns() - start;
        isthmus_barrier();
        printf("queue=rate producers=%d bytes=16 mops=%.3f raw=%.1f\n", pes - 1,
               (all - 1) / spent * 1e3, (before + raw()) / 2);
    } else {
        for (int i = 0; i < messages; ++i)
            OK(isthmus_enqueue(in, message, sizeof message, NULL));
        isthmus_barrier();
        raw();
    }
}

static void request(uint64_t bytes, int rounds) {
    char message[256] = {0};
    const void* taken;
    uint64_t size;
    const double before = raw();
    isthmus_barrier();
    const double start = now_ns();
    for (int i = 0; i < rounds; ++i) {
        if (me == 0) OK(isthmus_enqueue(out, message, bytes, NULL));
        isthmus_queue* const mine = me == 0 ? in : out;
        OK(isthmus_dequeue(mine, &taken, &size, -1));
        require(size == bytes, "a message of another size");
        if (me == 1) OK(isthmus_enqueue(in, taken, bytes, NULL));
        OK(isthmus_dequeue_release(mine));
    }
    const double spent = now_ns() - start;
    isthmus_barrier();
    const double after = raw();
    if (me == 0)
        printf("queue=request bytes=%d kiops=%.1f raw=%.1f\n", (int)bytes, rounds / spent * 1e6,
               (before + after) / 2);
}

int main(int argc, char** argv) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    pin_to_core(me);
    const int batches = argument(argc, argv, "--batches", 100);
    const int messages = argument(argc, argv, "--messages", 20000);
    isthmus_segment lines, other;
    OK(isthmus_segment_create(&lines, 500 + (uint64_t)me, NULL, 4096, 0));
    OK(isthmus_segment_clone(&other, 500 + (uint64_t)(me ^ 1) % (uint64_t)pes, -1));
    raw_mine = (uint64_t*)lines.base;
    raw_other = (uint64_t*)other.base;
    if (me == 0)
        OK(isthmus_queue_create(&in, 1, kRing));
    else
        OK(isthmus_queue_clone(&in, 1, -1));
    if (me == 1) OK(isthmus_queue_create(&out, 2, kRing));
    if (me == 0) OK(isthmus_queue_clone(&out, 2, -1));
    isthmus_barrier();
    static const uint64_t sizes[] = {16, 32, 64, 128, 248};
    for (int batch = 0; batch < batches; ++batch) {
        rate(messages / (pes - 1));
        for (unsigned i = 0; pes == 2 && i < sizeof sizes / sizeof *sizes; ++i)
            request(sizes[i], 400);
    }
    isthmus_barrier();
    if (in) OK(isthmus_queue_destroy(in, NULL));
    if (out) OK(isthmus_queue_destroy(out, NULL));
    isthmus_finalize();
    return 0;
}
