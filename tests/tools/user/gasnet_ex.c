/* A client of GASNet-EX: a message around the processes. */
#include <gasnetex.h>

#include <gasnet_coll.h>

static int token;
static void pass(gex_Token_t from, gex_AM_Arg_t value) {
    (void)from;
    token = value;
}

int main(int argc, char** argv) {
    gex_AM_Entry_t table[] = {
        {200, (void (*)())pass, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "pass"}};
    gex_Client_t client;
    gex_EP_t endpoint;
    gex_TM_t all;
    gex_Segment_t segment;
    gex_Client_Init(&client, &endpoint, &all, "ROUND", &argc, &argv, 0);
    gex_EP_RegisterHandlers(endpoint, table, 1);
    gex_Segment_Attach(&segment, all, GASNET_PAGESIZE);
    const int me = (int)gex_TM_QueryRank(all), ranks = (int)gex_TM_QuerySize(all);
    if (me != 0) GASNET_BLOCKUNTIL(token == me);
    gex_AM_RequestShort1(all, (gex_Rank_t)((me + 1) % ranks), 200, 0, me + 1);
    if (me == 0) {
        GASNET_BLOCKUNTIL(token == ranks);
        printf("round\n");
    }
    gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
    gasnet_exit(0);
}
