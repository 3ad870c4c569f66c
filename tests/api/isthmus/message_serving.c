/* A PE that serves in isthmus_message_wait sleeps when nothing comes, but not between messages that
 * come one after the other: the wait begins anew behind each. Otherwise all that send would pay for
 * waking it, each time. Two PEs of one host, with a core each. */
#include "check.h"

enum { kAsk = 1, kAnswer = 2, kRounds = 2000 };

static int64_t asked;
static int64_t answered;

static void ask(void* context, isthmus_message* message) {
    (void)context;
    OK(isthmus_message_reply(message, kAnswer, NULL, 0, 0));
    ++asked;
}
static void answer(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++answered;
}

static void serve(void) {
    isthmus_event event;
    OK(isthmus_event_arm(&event, &asked, ISTHMUS_GE, kRounds));
    OK(isthmus_message_wait(&event, 50));
}

/* How often the other PE slept, or was about to, when its answer had come. */
static int count_sleeps(void) {
    isthmus_segment there;
    OK(isthmus_segment_default(&there, 1));
    while (__atomic_load_n(there.sleepers, __ATOMIC_RELAXED) == 0)
        usleep(1000);
    int sleeps = 0;
    for (int64_t round = 1; round <= kRounds; ++round) {
        OK(isthmus_message_request(1, kAsk, NULL, 0, 0));
        while (answered < round)
            isthmus_message_poll();
        if (__atomic_load_n(there.sleepers, __ATOMIC_RELAXED) != 0) ++sleeps;
    }
    return sleeps;
}

int main(void) {
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return 77;
    isthmus_init();
    OK(isthmus_message_register(kAsk, ask, NULL, ISTHMUS_MESSAGE_REQUEST, 0));
    OK(isthmus_message_register(kAnswer, answer, NULL, ISTHMUS_MESSAGE_REPLY, 0));
    isthmus_barrier();
    if (isthmus_pe() == 1) {
        serve();
    } else {
        /* The first answer comes from one that is about to stand up; a PE without a processor may
         * lose its patience now and then. */
        const int sleeps = count_sleeps();
        if (sleeps > kRounds / 10) fprintf(stderr, "%d sleeps in %d rounds\n", sleeps, kRounds);
        CHECK(sleeps <= kRounds / 10);
    }
    isthmus_finalize();
    return 0;
}
