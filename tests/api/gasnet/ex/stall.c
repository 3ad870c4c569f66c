/* Process 0 has more requests for process 1 than find room while that one computes; or waits for it
 * in the way that the first argument names: the stall report names the routine that waits as this
 * face's programs know it. */
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kHandler = 200, kRequests = 1 << 15 };
static int come;

static void count(gex_Token_t token) {
    (void)token;
    ++come;
}

static void wait_by(const char* way) {
    gex_Event_t event = GEX_EVENT_INVALID;
    if (!strcmp(way, "blocking")) {
        gex_Coll_BarrierBlocking(all, 0);
        return;
    }
    if (!strcmp(way, "split") || !strcmp(way, "create")) {
        gex_EP_Location_t members[2] = {{0, 0}, {1, 0}};
        gex_TM_t made;
        if (!strcmp(way, "split"))
            gex_TM_Split(&made, all, 0, me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
        else
            gex_TM_Create(&made, 1, all, members, 2, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
        return;
    }
    if (!strcmp(way, "publish")) {
        gex_EP_PublishBoundSegment(all, &endpoint, 1, 0);
        return;
    }
    event = gex_Coll_BarrierNB(all, 0);
    if (!strcmp(way, "some"))
        gex_Event_WaitSome(&event, 1, 0);
    else if (!strcmp(way, "all"))
        gex_Event_WaitAll(&event, 1, 0);
    else
        gex_Event_Wait(event);
}

int main(int argc, char** argv) {
    gex_AM_Entry_t table[] = {
        {kHandler, (gex_AM_Fn_t)count, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "count"}};
    int i;
    start(&argc, &argv, table, 1, 65536);
    if (argc > 1) {
        if (me != 0) sleep(2);
        wait_by(argv[1]);
    } else if (me == 0) {
        for (i = 0; i < kRequests; ++i)
            OK(gex_AM_RequestShort0(all, 1, kHandler, 0));
    } else {
        sleep(3);
        GASNET_BLOCKUNTIL(come == kRequests);
        printf("%d came\n", come);
    }
    end();
    return 0;
}
