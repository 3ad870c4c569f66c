/* PE 0 has more requests for PE 1 than find room, of no byte or of as many as the program's
 * argument says, and PE 1 computes for longer than the stall report waits: it says who has no room,
 * and to whom. Where a request of so many finds none a shorter one may. Or, with the argument
 * `tracked`, more than it can be told of that they are complete. */
#include <isthmus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kRequests = 1 << 15 };
static int64_t come;
static char payload[16384];

static void count(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++come;
}

int main(int argc, char** argv) {
    const int is_tracked = argc > 1 && strcmp(argv[1], "tracked") == 0;
    const size_t bytes = argc > 1 && !is_tracked ? strtoul(argv[1], NULL, 10) : 0;
    isthmus_message_handle handle;
    const isthmus_message_completion completion = {NULL, NULL, &handle};
    isthmus_event all;
    isthmus_init();
    isthmus_message_register(0, count, NULL, 0, 0);
    isthmus_event_arm(&all, &come, ISTHMUS_GE, kRequests);
    isthmus_barrier();
    if (isthmus_pe() == 0) {
        for (int i = 0; i < kRequests; ++i)
            is_tracked ? isthmus_message_request_tracked(1, 0, NULL, 0, 0, &completion)
            : bytes    ? isthmus_message_request_medium(1, 0, NULL, 0, payload, bytes, 0)
                       : isthmus_message_request(1, 0, NULL, 0, 0);
    } else {
        sleep(3);
        if (isthmus_message_wait(&all, -1) != ISTHMUS_OK) return 1;
    }
    isthmus_barrier();
    if (isthmus_pe() == 1) printf("%d came\n", (int)come);
    isthmus_finalize();
    return 0;
}
