/* Calls of GASNet whose instructions are counted (counts.c): node 0 calls; node 1 is another host's
 * and polls. Between two calls node 0 polls, too, so that each finds no credit owed to it. */
#include "gasnet_calls.h"

#include <gasnet.h>

#include "marks.h"

static void takes_nothing(gasnet_token_t token) {
    (void)token;
}
static void takes_payload(gasnet_token_t token, void* payload, size_t bytes) {
    (void)token;
    (void)payload;
    (void)bytes;
}
/* What puts and messages have left behind is done with. */
static void settle(void) {
    gasnet_wait_syncnbi_all();
    for (int i = 0; i < 200; ++i)
        gasnet_AMPoll();
}

int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {{kTakesNothing, (isthmus_gasnet_handler)takes_nothing},
                                     {kTakesPayload, (isthmus_gasnet_handler)takes_payload}};
    gasnet_seginfo_t segments[2];
    static char payload[kPayload];
    long value = 5;
    gasnet_init(&argc, &argv);
    gasnet_attach(table, 2, GASNET_PAGESIZE, 0);
    gasnet_getSegmentInfo(segments, 2);
    long* const there = (long*)segments[1].addr;
    volatile long* const end = (volatile long*)segments[gasnet_mynode()].addr + 8;
    *end = 0;
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0) {
        CASE("am_short0", settle(), call_short0(1))
        CASE("am_medium64", settle(), call_medium0(1, payload))
        CASE("am_put_nbi", settle(), call_put_nbi(1, there, &value))
        CASE("am_wait_puts", settle(), call_wait_puts())
        CASE("am_poll", settle(), call_poll())
        CASE("gasnet_upc_write", settle(), call_upc_write(1, (int*)there, i))
        CASE("gasnet_upc_fence", settle(), call_upc_fence())
        gasnet_put_val(1, there + 8, 1, sizeof *there);
    } else {
        while (!*end) {
            gasnet_AMPoll();
            usleep(200);
        }
    }
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
}
