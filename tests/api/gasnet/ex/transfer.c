/* Puts, gets and values of all lengths, blocking, with events, and without; leaves, access regions,
 * and arrays of events. Through the team of all, another team, and a pair. */
#include "check.h"

enum { kRoom = 1 << 17, kForms = 6 };
static char source[kRoom], got[kRoom];

static void fill(int seed, size_t bytes) {
    size_t i;
    for (i = 0; i < bytes; ++i)
        source[i] = (char)(seed + (int)i * 13);
}
static char* place(gex_Rank_t rank) { /* of this process's at that one */
    return bases[rank] + (size_t)me * kRoom;
}

static void put(int form, gex_TM_t team, gex_Rank_t at, void* dest, size_t bytes) {
    gex_Event_t leaf = GEX_EVENT_NO_OP, root;
    switch (form) {
        case 0: OK(gex_RMA_PutBlocking(team, at, dest, source, bytes, 0)); break;
        case 1:
            gex_Event_Wait(gex_RMA_PutNB(team, at, dest, source, bytes, GEX_EVENT_NOW, 0));
            break;
        case 2:
            root = gex_RMA_PutNB(team, at, dest, source, bytes, GEX_EVENT_DEFER, 0);
            while (gex_Event_Test(root) != GASNET_OK)
                gasnet_AMPoll();
            break;
        case 3:
            root = gex_RMA_PutNB(team, at, dest, source, bytes, &leaf, GEX_FLAG_IMMEDIATE);
            gex_Event_Wait(leaf);
            gex_Event_Wait(root);
            break;
        case 4:
            OK(gex_RMA_PutNBI(team, at, dest, source, bytes, GEX_EVENT_GROUP, 0));
            gex_NBI_Wait(GEX_EC_LC, 0);
            gex_NBI_Wait(GEX_EC_PUT, 0);
            break;
        default:
            gex_NBI_BeginAccessRegion(0);
            OK(gex_RMA_PutNBI(team, at, dest, source, bytes, GEX_EVENT_DEFER, 0));
            root = gex_NBI_EndAccessRegion(0);
            gex_Event_Wait(gex_Event_QueryLeaf(root, GEX_EC_LC));
            gex_Event_Wait(root);
    }
}
static void get(int form, gex_TM_t team, gex_Rank_t at, void* src, size_t bytes) {
    gex_Event_t events[3];
    memset(got, 0, bytes);
    switch (form) {
        case 0: OK(gex_RMA_GetBlocking(team, got, at, src, bytes, 0)); break;
        case 1: gex_Event_Wait(gex_RMA_GetNB(team, got, at, src, bytes, 0)); break;
        case 2:
            OK(gex_RMA_GetNBI(team, got, at, src, bytes, 0));
            while (gex_NBI_Test(GEX_EC_GET, 0) != GASNET_OK)
                gasnet_AMPoll();
            break;
        case 3:
            events[0] = GEX_EVENT_INVALID;
            events[1] = gex_RMA_GetNB(team, got, at, src, bytes / 2, 0);
            events[2] = gex_RMA_GetNB(team, got + bytes / 2, at, (char*)src + bytes / 2,
                                      bytes - bytes / 2, 0);
            gex_Event_WaitSome(events, 3, 0);
            gex_Event_WaitAll(events, 3, 0);
            CHECK(events[1] == GEX_EVENT_INVALID && events[2] == GEX_EVENT_INVALID);
            OK(gex_Event_TestSome(events, 3, 0));
            OK(gex_Event_TestAll(events, 0, 0));
            gex_Event_WaitAll(events, 0, 0);
            break;
        case 4:
            events[0] = gex_RMA_GetNB(team, got, at, src, bytes, 0);
            while (gex_Event_TestAll(events, 1, 0) != GASNET_OK)
                gasnet_AMPoll();
            break;
        default:
            gex_NBI_BeginAccessRegion(0);
            OK(gex_RMA_GetNBI(team, got, at, src, bytes, 0));
            events[0] = gex_NBI_EndAccessRegion(0);
            while (gex_Event_TestSome(events, 1, 0) != GASNET_OK)
                gasnet_AMPoll();
    }
}

static void check_values(gex_TM_t team, gex_Rank_t at, char* word) {
    const gex_RMA_Value_t value = ((gex_RMA_Value_t)0xf1e2d3c4 << 32) | 0xb5a69788;
    size_t bytes;
    for (bytes = 1; bytes <= 8; ++bytes) {
        const gex_RMA_Value_t low =
            bytes == 8 ? value : value & (((gex_RMA_Value_t)1 << bytes * 8) - 1);
        OK(gex_RMA_PutBlockingVal(team, at, word, value, bytes, 0));
        CHECK(gex_RMA_GetBlockingVal(team, at, word, bytes, 0) == low);
        gex_Event_Wait(gex_RMA_PutNBVal(team, at, word + 8, value + 1, bytes, 0));
        CHECK(gex_RMA_GetBlockingVal(team, at, word + 8, 1, 0) == ((value + 1) & 0xff));
        OK(gex_RMA_PutNBIVal(team, at, word + 16, value + 2, bytes, 0));
        gex_NBI_Wait(GEX_EC_ALL, 0);
        CHECK(gex_RMA_GetBlockingVal(team, at, word + 16, 1, 0) == ((value + 2) & 0xff));
    }
}

/* An array with a leaf and its root: both are found complete. */
static void check_array(gex_TM_t team, gex_Rank_t at, void* dest) {
    gex_Event_t events[3];
    fill(91, kRoom);
    events[0] = gex_RMA_PutNB(team, at, dest, source, kRoom, &events[1], 0);
    events[2] = GEX_EVENT_INVALID;
    gex_Event_WaitAll(events, 3, 0);
    CHECK(events[0] == GEX_EVENT_INVALID && events[1] == GEX_EVENT_INVALID);
    /* A root first, whose leaf is forgotten then. */
    events[0] = gex_RMA_PutNB(team, at, dest, source, kRoom, &events[1], 0);
    gex_Event_Wait(events[0]);
    get(0, team, at, dest, kRoom);
    CHECK(memcmp(got, source, kRoom) == 0);
    CHECK(gex_Event_QueryLeaf(GEX_EVENT_INVALID, GEX_EC_LC) == GEX_EVENT_INVALID);
    OK(gex_Event_Test(GEX_EVENT_INVALID));
    gex_Event_Wait(GEX_EVENT_INVALID);
}

static void check_all(gex_TM_t team, gex_Rank_t at, gex_Rank_t rank) {
    static const size_t lengths[] = {0, 1, 7, 8, 63, 64, 1000, 2047, 2048, 5000, kRoom};
    size_t i;
    int form;
    for (form = 0; form < kForms; ++form) {
        for (i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
            fill(form * 50 + (int)i + (int)me, lengths[i]);
            put(form, team, at, place(rank), lengths[i]);
            get(form, team, at, place(rank), lengths[i]);
            CHECK(memcmp(got, source, lengths[i]) == 0);
            get(form, all, rank, place(rank), lengths[i]); /* it is that process's */
            CHECK(memcmp(got, source, lengths[i]) == 0);
        }
    }
    check_values(team, at, place(rank));
    check_array(team, at, place(rank));
}

int main(int argc, char** argv) {
    gex_TM_t reversed;
    gex_Rank_t k;
    int64_t word = 5, back = 0;
    start(&argc, &argv, NULL, 0, (uintptr_t)kRoom * 16);
    gex_TM_Split(&reversed, all, 7, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    for (k = 0; k < ranks; ++k) {
        const gex_Rank_t rank = (me + k) % ranks;
        check_all(all, rank, rank);
        check_all(reversed, ranks - 1 - rank, rank);
        check_all(gex_TM_Pair(endpoint, 0), rank, rank);
        /* What is inlined, of a length that the compiler knows. */
        gex_RMA_PutBlocking(all, rank, place(rank), &word, sizeof word, 0);
        gex_RMA_GetBlocking(all, &back, rank, place(rank), sizeof back, 0);
        CHECK(back == word++);
    }
    meet();
    gex_TM_Destroy(reversed, NULL, 0);
    end();
}
