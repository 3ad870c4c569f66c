/* Transfers of pieces: by lists, by addresses, by strides of any sign; in all three forms. */
#include "check.h"

#include <gasnet_vis.h>

enum { kRoom = 1 << 16, kTold = 140 };
static char mine[kRoom], back[kRoom];
static int told;

static void be_told(gex_Token_t token, void* buf, size_t nbytes) {
    gex_Token_Info_t info;
    gex_Token_Info(token, &info, GEX_TI_SRCRANK | GEX_TI_IS_REQ);
    CHECK(!info.gex_is_req && nbytes == 5 && memcmp(buf, "done", 5) == 0);
    CHECK(bases[me][info.gex_srcrank * kRoom] == (char)info.gex_srcrank);
    ++told;
}

#define FORM(CALL, ARGUMENTS)                                        \
    switch (form) {                                                  \
        case 0: gex_Event_Wait(gex_VIS_##CALL##NB ARGUMENTS); break; \
        case 1:                                                      \
            OK(gex_VIS_##CALL##NBI ARGUMENTS);                       \
            gex_NBI_Wait(GEX_EC_ALL, 0);                             \
            break;                                                   \
        default: OK(gex_VIS_##CALL##Blocking ARGUMENTS);             \
    }

static void clear(gex_TM_t team, gex_Rank_t at, char* there) {
    memset(back, 0, sizeof back);
    gex_RMA_PutBlocking(team, at, there, back, kRoom, 0);
}
static void fetch(gex_TM_t team, gex_Rank_t at, char* there) {
    gex_RMA_GetBlocking(team, back, at, there, kRoom, 0);
}

static void check_vectors(int form, gex_TM_t team, gex_Rank_t at, char* there) {
    gex_Memvec_t from[3], to[2], home[1];
    from[0].gex_addr = mine;
    from[0].gex_len = 100;
    from[1].gex_addr = mine + 9000;
    from[1].gex_len = 0;
    from[2].gex_addr = mine + 200;
    from[2].gex_len = 5000;
    to[0].gex_addr = there + 10;
    to[0].gex_len = 2600;
    to[1].gex_addr = there + 8000;
    to[1].gex_len = 2500;
    clear(team, at, there);
    FORM(VectorPut, (team, at, 2, to, 3, from, 0))
    fetch(team, at, there);
    CHECK(memcmp(back + 10, mine, 100) == 0 && memcmp(back + 110, mine + 200, 2500) == 0);
    CHECK(memcmp(back + 8000, mine + 2700, 2500) == 0 && back[9] == 0 && back[2610] == 0);
    memset(back, 0, sizeof back);
    home[0].gex_addr = back;
    home[0].gex_len = 5100;
    FORM(VectorGet, (team, 1, home, at, 2, to, 0))
    CHECK(memcmp(back, mine, 100) == 0 && memcmp(back + 100, mine + 200, 5000) == 0);
}

static void check_indices(int form, gex_TM_t team, gex_Rank_t at, char* there) {
    void *from[6], *to[4], *home[2];
    int i;
    for (i = 0; i < 6; ++i)
        from[i] = mine + i * 1000;
    for (i = 0; i < 4; ++i)
        to[i] = there + 20 + (3 - i) * 500;
    clear(team, at, there);
    FORM(IndexedPut, (team, at, 4, to, 300, 6, from, 200, 0))
    fetch(team, at, there);
    CHECK(memcmp(back + 1520, mine, 200) == 0 && memcmp(back + 1720, mine + 1000, 100) == 0);
    CHECK(memcmp(back + 20 + 100, mine + 5000, 200) == 0);
    memset(back, 0, sizeof back);
    home[0] = back;
    home[1] = back + 1000;
    FORM(IndexedGet, (team, 2, home, 600, at, 4, to, 300, 0))
    for (i = 0; i < 6; ++i)
        CHECK(memcmp(back + i / 3 * 1000 + i % 3 * 200, mine + i * 1000, 200) == 0);
}

static void check_strides(int form, gex_TM_t team, gex_Rank_t at, char* there) {
    /* 3 x 4 elements of 16 bytes: there transposed, and backwards. */
    const ptrdiff_t rows[2] = {16, 16 * 4}, columns[2] = {-16 * 3, 16};
    const size_t count[2] = {4, 3}, none[2] = {4, 0};
    char* const last = there + 3 * 16 * 3;
    int i, j;
    clear(team, at, there);
    FORM(StridedPut, (team, at, last, columns, mine, rows, 16, count, 2, 0))
    fetch(team, at, there);
    for (j = 0; j < 3; ++j)
        for (i = 0; i < 4; ++i)
            CHECK(memcmp(back + (3 - i) * 48 + j * 16, mine + (j * 4 + i) * 16, 16) == 0);
    memset(back, 0, sizeof back);
    FORM(StridedGet, (team, back, rows, at, last, columns, 16, count, 2, 0))
    CHECK(memcmp(back, mine, 12 * 16) == 0 && back[12 * 16] == 0);
    /* Nothing, and one piece. */
    FORM(StridedPut, (team, at, there, columns, mine + 1, rows, 16, none, 2, 0))
    FORM(StridedPut, (team, at, there, columns, mine + 1, rows, 0, count, 2, 0))
    FORM(StridedPut, (team, at, there, NULL, mine + 500, NULL, 3000, NULL, 0, 0))
    FORM(StridedGet, (team, back, NULL, at, there, NULL, 3000, NULL, 0, 0))
    CHECK(memcmp(back, mine + 500, 3000) == 0);
}

int main(int argc, char** argv) {
    gex_AM_Entry_t table[] = {
        {kTold, (gex_AM_Fn_t)be_told, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0, NULL, "be_told"}};
    gex_TM_t reversed;
    gex_Rank_t k;
    int form, i;
    for (i = 0; i < kRoom; ++i)
        mine[i] = (char)(i * 31 + 1);
    start(&argc, &argv, table, 1, (uintptr_t)kRoom * 16);
    gex_TM_Split(&reversed, all, 0, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    for (k = 0; k < ranks; ++k) {
        const gex_Rank_t rank = (me + k) % ranks;
        char* const there = bases[rank] + (size_t)me * kRoom;
        for (form = 0; form < 3; ++form) {
            check_vectors(form, all, rank, there);
            check_indices(form, reversed, ranks - 1 - rank, there);
            check_strides(form, gex_TM_Pair(endpoint, 0), rank, there);
        }
    }
    meet();
    /* One told of each form by each process. */
    mine[0] = (char)me;
    for (form = 0; form < 3; ++form) {
        const gex_Rank_t next = (me + 1) % ranks;
        gex_VIS_SetPeerCompletionHandler(kTold, "done", 5, 0);
        FORM(StridedPut, (all, next, bases[next] + (size_t)me * kRoom, NULL, mine, NULL, 2000, NULL,
                          0, GEX_FLAG_ENABLE_LEAF_LC))
    }
    GASNET_BLOCKUNTIL(told == 3);
    end();
}
