/* Node 0 has more requests for node 1 than find room while that one computes: the stall report
 * names the routine that waits as this face's programs know it. */
#include <unistd.h>

#include "check.h"

enum { kHandler = 200, kRequests = 1 << 15 };
static int come;

static void count(gasnet_token_t token) {
    (void)token;
    ++come;
}

int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {{kHandler, (void (*)(void))count}};
    int i;
    start(argc, argv, table, 1, 65536);
    if (gasnet_mynode() == 0) {
        for (i = 0; i < kRequests; ++i)
            OK(gasnet_AMRequestShort0(1, kHandler));
    } else {
        sleep(3);
        GASNET_BLOCKUNTIL(come == kRequests);
        printf("%d came\n", come);
    }
    end();
    return 0;
}
