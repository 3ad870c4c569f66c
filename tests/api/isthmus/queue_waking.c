/* Who sleeps for a message, and who sleeps for room, is woken: run with waits that sleep from the
 * beginning and do not look for themselves. PE 0 consumes, PE 1 produces. */
#include "check.h"

enum { kRounds = 20, kCapacity = 4096, kMessage = 1000, kBurst = 12 };

static void pause_shortly(void) {
    const struct timespec length = {0, 3000000};
    nanosleep(&length, NULL);
}

int main(void) {
    isthmus_init();
    alarm(30);
    const int me = isthmus_pe();
    isthmus_queue* queue = NULL;
    if (me == 0) OK(isthmus_queue_create(&queue, 7, kCapacity));
    isthmus_barrier();
    if (me == 1) OK(isthmus_queue_clone(&queue, 7, -1));
    static char message[kMessage];
    for (int round = 0; round < kRounds && me < 2; ++round) {
        if (me == 1) {
            if (round % 2 == 0) pause_shortly(); /* the consumer sleeps */
            for (int i = 0; i < kBurst; ++i) {
                message[0] = (char)(round + i);
                OK(isthmus_enqueue(queue, message, kMessage, NULL));
            }
        } else {
            if (round % 2 == 1) pause_shortly(); /* the producer sleeps: the ring is full */
            for (int i = 0; i < kBurst; ++i) {
                const void* found = NULL;
                uint64_t size = 0;
                OK(isthmus_dequeue(queue, &found, &size, -1));
                CHECK(size == kMessage && *(const char*)found == (char)(round + i));
                OK(isthmus_dequeue_release(queue));
            }
        }
    }
    isthmus_barrier();
    if (queue) isthmus_queue_destroy(queue, NULL);
    isthmus_finalize();
    return 0;
}
