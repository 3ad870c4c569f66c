/* What is put blocking can be got at once, at every process, this one and those near it included:
 * also where nothing is inlined. */
#include "check.h"

int main(int argc, char** argv) {
    int round;
    start(&argc, &argv, NULL, 0, 65536);
    meet();
    for (round = 1; round <= 300; ++round) {
        const gex_Rank_t to = (gex_Rank_t)round % ranks;
        char* const place = bases[to] + me * 64;
        const unsigned char* byte = (const unsigned char*)place + 8;
        unsigned char got = 0;
        gex_RMA_PutBlockingVal(all, to, place, (gex_RMA_Value_t)round * 77, 8, 0);
        CHECK(gex_RMA_GetBlockingVal(all, to, place, 8, 0) == (gex_RMA_Value_t)round * 77);
        gex_Event_Wait(gex_RMA_PutNBVal(all, to, place + 8, (gex_RMA_Value_t)round & 255, 1, 0));
        gex_RMA_GetBlocking(all, &got, to, (void*)byte, 1, 0);
        CHECK(got == (round & 255));
    }
    end();
    return 0;
}
