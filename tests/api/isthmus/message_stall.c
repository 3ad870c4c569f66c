/* PE 0 has more requests for PE 1 than find room, and PE 1 computes for longer than the stall
 * report waits: it says who has no room, and to whom. */
#include <isthmus.h>
#include <stdio.h>
#include <unistd.h>

enum { kRequests = 1 << 15 };
static int64_t come;

static void count(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++come;
}

int main(void) {
    isthmus_event all;
    isthmus_init();
    isthmus_message_register(0, count, NULL, ISTHMUS_MESSAGE_SHORT, 0);
    isthmus_event_arm(&all, &come, ISTHMUS_GE, kRequests);
    isthmus_barrier();
    if (isthmus_pe() == 0) {
        for (int i = 0; i < kRequests; ++i)
            isthmus_message_request(1, 0, NULL, 0, 0);
    } else {
        sleep(3);
        if (isthmus_message_wait(&all, -1) != ISTHMUS_OK) return 1;
    }
    isthmus_barrier();
    if (isthmus_pe() == 1) printf("%d came\n", (int)come);
    isthmus_finalize();
    return 0;
}
