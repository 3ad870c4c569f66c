/* xbrtime's collectives one behind the other on PEs that do not keep step: blocks of other sizes
 * take turns at the same place of the heap, with memory of the program's given back in between. */
#include "xbrtime_check.h"

enum { kMostPes = 32, kPart = 20, kRounds = 12 };

/* In each round other PEs are late, and before other calls. */
static void dawdle(int round, int call) {
    const unsigned late = (unsigned)(me * 7919 + round * 104729 + call * 1299709) >> 3;
    const int steps = (me + round + call) % pes == 0 ? 3000 : (int)(late % 200);
    for (volatile int step = 0; step < steps; ++step) {
    }
}

int main(void) {
    xbrtime_init();
    me = xbrtime_mype();
    pes = xbrtime_num_pes();
    long source[kMostPes * kPart], result[kMostPes * kPart];
    int sizes[kMostPes], places[kMostPes];
    for (int p = 0; p < pes; ++p) {
        sizes[p] = kPart;
        places[p] = kPart * p;
    }
    for (int round = 0; round < kRounds; ++round) {
        const int root = round % pes;
        long* const taken = (long*)xbrtime_malloc((size_t)(round % 3 + 1) * 64);
        for (int i = 0; i < kPart * pes; ++i)
            source[i] = me * 1000 + i + round;
        dawdle(round, 0);
        xbrtime_free(taken);
        xbrtime_long_alltoall(result, source, 1, 1, 1);
        for (int p = 0; p < pes; ++p)
            CHECK(result[p] == p * 1000 + me + round);
        dawdle(round, 1);
        xbrtime_long_gather_all(result, source, sizes, places, (size_t)(kPart * pes));
        for (int i = 0; i < kPart * pes; ++i)
            CHECK(result[i] == i / kPart * 1000 + i % kPart + round);
        dawdle(round, 2);
        xbrtime_long_collect(result, source, (size_t)(me % 2 + 1));
        for (int p = 0, at = 0; p < pes; ++p)
            for (int i = 0; i < p % 2 + 1; ++i, ++at)
                CHECK(result[at] == p * 1000 + i + round);
        dawdle(round, 3);
        xbrtime_long_broadcast(result, source, kPart / 2, 2, root);
        for (int i = 0; i < kPart / 2; ++i)
            CHECK(result[2 * i] == root * 1000 + 2 * i + round);
        dawdle(round, 4);
        xbrtime_long_scatter(result, source, sizes, places, (size_t)(kPart * pes), root);
        for (int i = 0; i < kPart; ++i)
            CHECK(result[i] == root * 1000 + places[me] + i + round);
        dawdle(round, 5);
        xbrtime_long_reduce_all_sum(result, source, kPart, 1);
        for (int i = 0; i < kPart; ++i)
            CHECK(result[i] == 1000L * pes * (pes - 1) / 2 + (long)pes * (i + round));
    }
    return finish();
}
