/* Gather: every item of every size arrives, from segments of different PEs and sizes; what is
 * refused; a segment that goes. */
#include "check.h"

enum { kItems = 20000 };
static int me, pes;

static unsigned char byte_of(int owner, uint64_t offset) {
    return (unsigned char)(owner * 37 + (int)(offset * 131 >> 3) + (int)offset);
}

static void all_sizes(const isthmus_segment* segments) {
    static unsigned char results[kItems][256];
    static const size_t sizes[] = {1, 4, 8, 12, 16, 100, 256};
    uint64_t state = 99 + (uint64_t)me;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const size_t size = sizes[s];
        isthmus_gather* gather = NULL;
        OK(isthmus_gather_create(&gather, segments, (uint32_t)pes, size));
        OK(isthmus_gather_wait(gather));                   /* of nothing */
        for (int count = 1; count <= kItems; count *= 3) { /* fewer and more than are under way */
            static struct {
                uint32_t source;
                uint64_t offset;
            } asked[kItems];
            memset(results, 0, sizeof results);
            for (int i = 0; i < count; ++i) {
                asked[i].source = (uint32_t)(next_random(&state) % (uint64_t)pes);
                asked[i].offset = next_random(&state) % (segments[asked[i].source].size - size + 1);
                OK(isthmus_gather_push(gather, asked[i].source, asked[i].offset, results[i]));
            }
            OK(isthmus_gather_wait(gather));
            for (int i = 0; i < count; ++i) {
                for (size_t k = 0; k < size; ++k)
                    CHECK(results[i][k] == byte_of((int)asked[i].source, asked[i].offset + k));
                CHECK(size == 256 || results[i][size] == 0);
            }
        }
        const uint64_t last = segments[0].size - size;
        OK(isthmus_gather_push(gather, 0, last, results[0]));
        CHECK(isthmus_gather_push(gather, 0, last + 1, results[0]) == ISTHMUS_BOUNDS);
        CHECK(isthmus_gather_push(gather, 0, UINT64_MAX, results[0]) == ISTHMUS_BOUNDS);
        CHECK(isthmus_gather_push(gather, (uint32_t)pes, 0, results[0]) == ISTHMUS_ARGUMENT);
        OK(isthmus_gather_destroy(gather)); /* waits */
        CHECK(results[0][0] == byte_of(0, last));
    }
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    isthmus_segment mine, all[64], secret, tiny;
    const uint64_t size = 4096 + 1000 * (uint64_t)me;
    OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, NULL, size, 0));
    for (uint64_t i = 0; i < size; ++i)
        mine.base[i] = (char)byte_of(me, i);
    isthmus_barrier();
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_segment_clone(&all[pe], 100 + (uint64_t)pe, -1));
    all_sizes(all);

    isthmus_gather* gather = NULL;
    CHECK(isthmus_gather_create(&gather, all, 1, 0) == ISTHMUS_ARGUMENT && !gather);
    CHECK(isthmus_gather_create(&gather, all, 1, 257) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_gather_create(&gather, all, 0, 8) == ISTHMUS_ARGUMENT);
    OK(isthmus_segment_create(&secret, 200 + (uint64_t)me, NULL, 4096,
                              ISTHMUS_WRITE | ISTHMUS_TRANSFERS));
    OK(isthmus_segment_create(&tiny, 300 + (uint64_t)me, NULL, 4, 0));
    OK(isthmus_segment_clone(&secret, 200 + (uint64_t)((me + 1) % pes), -1));
    if (pes > 1) CHECK(isthmus_gather_create(&gather, &secret, 1, 8) == ISTHMUS_RIGHTS);
    isthmus_segment words; /* atomics alone: the owner does not get from it either */
    OK(isthmus_segment_create(&words, 400 + (uint64_t)me, NULL, 4096,
                              ISTHMUS_READ_WRITE | ISTHMUS_ATOMICS));
    CHECK(isthmus_gather_create(&gather, &words, 1, 8) == ISTHMUS_PROTOCOL && !gather);
    OK(isthmus_segment_destroy(&words));
    OK(isthmus_gather_create(&gather, &tiny, 1, 8)); /* no item fits */
    char result[8];
    CHECK(isthmus_gather_push(gather, 0, 0, result) == ISTHMUS_BOUNDS);
    isthmus_segment copy = tiny;
    OK(isthmus_segment_destroy(&copy));
    CHECK(isthmus_gather_wait(gather) == ISTHMUS_STALE);
    OK(isthmus_gather_destroy(gather));
    CHECK(isthmus_gather_create(&gather, &tiny, 1, 4) == ISTHMUS_STALE);
    OK(isthmus_gather_destroy(NULL));
    isthmus_barrier();
    isthmus_finalize();
    return 0;
}
