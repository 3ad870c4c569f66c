/* GASNet-1 and GASNet-EX in one program, begun by either: gasnet_init and gasnet_attach, or
 * gex_Client_Init. One table of handlers, one segment, and handles are events. both [ex] */
#include <gasnet.h>

#include "check.h"

enum { kFirst = 150, kSecond = 151, kReply = 152 };
static int firsts, seconds, replied;

static void reply_to(gasnet_token_t token) {
    OK(gasnet_AMReplyShort1(token, kReply, 7));
}
/* Sent by either, with tokens of either. */
static void first(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b) {
    gasnet_node_t node = 0;
    gex_Token_Info_t info;
    CHECK(a == 1 && b == 2);
    OK(gasnet_AMGetMsgSource(token, &node));
    CHECK((gex_Token_Info(token, &info, GEX_TI_SRCRANK) & GEX_TI_SRCRANK) != 0);
    CHECK(info.gex_srcrank == node);
    ++firsts;
    reply_to(token);
}
static void second(gex_Token_t token, void* buf, size_t nbytes, gex_AM_Arg_t a) {
    CHECK(nbytes == 6 && memcmp(buf, "hello", 6) == 0 && a == 3);
    ++seconds;
    OK(gex_AM_ReplyShort1(token, kReply, 0, 7));
}
static void reply(gasnet_token_t token, gasnet_handlerarg_t a) {
    (void)token;
    CHECK(a == 7);
    ++replied;
}

int main(int argc, char** argv) {
    const int by_ex = argc > 1;
    gasnet_seginfo_t* segments;
    gasnet_handle_t handles[3];
    gex_Rank_t rank;
    uint64_t word = 55, got = 0;
    if (by_ex) {
        gex_AM_Entry_t table[] = {
            {kFirst, (gex_AM_Fn_t)first, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 2, NULL, "first"},
            {kSecond, (gex_AM_Fn_t)second, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 1, NULL,
             "second"},
            {kReply, (gex_AM_Fn_t)reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, "reply"}};
        join(&argc, &argv, GEX_FLAG_USES_GASNET1);
        attach(1 << 20);
        OK(gex_EP_RegisterHandlers(endpoint, table, 3));
        CHECK(gex_Client_QueryFlags(client) == GEX_FLAG_USES_GASNET1);
        CHECK(gasnet_init(&argc, &argv) == GASNET_ERR_NOT_INIT);
        CHECK(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) == GASNET_ERR_NOT_INIT);
    } else {
        gasnet_handlerentry_t table[] = {{kFirst, (isthmus_gasnet_handler)first},
                                         {kReply, (isthmus_gasnet_handler)reply}};
        gex_AM_Entry_t more = {
            kSecond, (gex_AM_Fn_t)second, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 1, NULL,
            "second"};
        gex_Segment_t none;
        OK(gasnet_init(&argc, &argv));
        gasnet_QueryGexObjects(&client, &endpoint, &all, &none);
        CHECK(none == GEX_SEGMENT_INVALID);
        OK(gasnet_attach(table, 2, 1 << 20, 0));
        gasnet_QueryGexObjects(NULL, NULL, NULL, &segment);
        gasnet_QueryGexObjects(NULL, NULL, NULL, NULL);
        CHECK(gex_Segment_QuerySize(segment) == 1 << 20);
        CHECK((gex_Client_QueryFlags(client) & GEX_FLAG_USES_GASNET1) != 0);
        CHECK(gex_Client_Init(&client, NULL, NULL, "x", NULL, NULL, 0) == GASNET_ERR_NOT_INIT);
        OK(gex_EP_RegisterHandlers(endpoint, &more, 1));
        me = gex_TM_QueryRank(all);
        ranks = gex_TM_QuerySize(all);
    }
    CHECK(gasnet_mynode() == me && gasnet_nodes() == ranks);
    segments = (gasnet_seginfo_t*)malloc(ranks * sizeof *segments);
    OK(gasnet_getSegmentInfo(segments, (int)ranks));
    CHECK(segments[me].addr == gex_Segment_QueryAddr(segment));
    meet();
    for (rank = 0; rank < ranks; ++rank) {
        char* const there = (char*)segments[rank].addr + 64 * me;
        OK(gasnet_AMRequestShort2(rank, kFirst, 1, 2));
        OK(gex_AM_RequestShort2(all, rank, kFirst, 0, 1, 2));
        OK(gasnet_AMRequestMedium1(rank, kSecond, "hello", 6, 3));
        OK(gex_AM_RequestMedium1(all, rank, kSecond, "hello", 6, GEX_EVENT_NOW, 0, 3));
        OK(gex_AM_RequestLong(all, rank, kSecond, "hello", 6, there, GEX_EVENT_NOW, 0, 3));
        OK(gasnet_AMRequestLong(rank, kSecond, (void*)"hello", 6, there, 1, 3));
        handles[0] = gasnet_put_nb(rank, there + 16, &word, 8);
        handles[1] = gex_RMA_PutNB(all, rank, there + 24, &word, 8, GEX_EVENT_DEFER, 0);
        handles[2] = GASNET_INVALID_HANDLE;
        gasnet_wait_syncnb_all(handles, 3);
        gex_Event_Wait(gasnet_get_nb(&got, rank, there + 24, 8));
        CHECK(got == word && gex_RMA_GetBlockingVal(all, rank, there + 16, 8, 0) == word);
    }
    GASNET_BLOCKUNTIL(replied == 6 * (int)ranks);
    /* An event of a collective is a handle. */
    handles[0] = gex_Coll_BarrierNB(all, 0);
    gasnet_wait_syncnb(handles[0]);
    OK(gasnet_barrier(4, 0));
    CHECK(firsts == 2 * (int)ranks && seconds == 4 * (int)ranks);
    word = me == 0 ? 77 : 0;
    gasnet_coll_broadcast(GASNET_TEAM_ALL, &got, 0, &word, 8,
                          GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL);
    CHECK(got == 77);
    free(segments);
    end();
}
