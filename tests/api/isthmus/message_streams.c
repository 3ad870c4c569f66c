/* Streams of messages, which get lanes of their own where they last: everybody streams to one PE
 * after the other, in bursts, with pauses long enough for the target to look away, with payloads in
 * between, and while the target computes, so that lanes are full. Nothing is lost or doubled, and
 * what one PE sends comes in its order, requests from handlers among it. message_streams ROUNDS */
#include "check.h"

enum { kNumbered, kDone, kAsk, kAnswer, kRoom = 256, kBurst = 3000, kBlock = 700 };

static int me, pes;
static int64_t handled[kRoom], numbers[kRoom], all_handled, done, answers;

/* One number for each PE, whatever kind of message it is. */
static void take(void* context, isthmus_message* message) {
    int64_t number;
    (void)context;
    memcpy(&number, message->arguments, sizeof number);
    CHECK(number == handled[message->source]);
    if ((message->kind & ISTHMUS_MESSAGE_MEDIUM) != 0) {
        const unsigned char* bytes = (const unsigned char*)message->payload;
        CHECK(message->size == (size_t)(number % kBlock));
        for (size_t i = 0; i < message->size; ++i)
            CHECK(bytes[i] == (unsigned char)((uint64_t)number + i));
    }
    ++handled[message->source];
    ++all_handled;
}
static void take_done(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++done;
}
static void send_number(int pe, int64_t each) {
    static unsigned char block[kBlock];
    char arguments[ISTHMUS_MESSAGE_ARGUMENT_BYTES] = {0};
    const int64_t number = numbers[pe]++;
    memcpy(arguments, &number, sizeof number);
    if (each != 0 && number % each == 0) {
        const size_t size = (size_t)(number % kBlock);
        for (size_t i = 0; i < size; ++i)
            block[i] = (unsigned char)((uint64_t)number + i);
        OK(isthmus_message_request_medium(pe, kNumbered, arguments, sizeof number, block, size, 0));
    } else if (each != 0 && number % each == 1) {
        OK(isthmus_message_request(pe, kNumbered, arguments, sizeof arguments, 0));
    } else if (number % 5 == 0) {
        int status = ISTHMUS_AGAIN;
        while ((status = isthmus_message_request(pe, kNumbered, arguments, sizeof number,
                                                 ISTHMUS_MESSAGE_TRY)) == ISTHMUS_AGAIN)
            isthmus_message_poll();
        OK(status);
    } else {
        OK(isthmus_message_request(pe, kNumbered, arguments, sizeof number, 0));
    }
}
/* Its sender streams to this PE: a message back from the handler, behind what this PE has sent. */
static void ask(void* context, isthmus_message* message) {
    (void)context;
    OK(isthmus_message_reply(message, kAnswer, NULL, 0, 0));
}
static void answer(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++answers;
}

static void wait_until(const int64_t* word, int64_t value) {
    isthmus_event event;
    OK(isthmus_event_arm(&event, word, ISTHMUS_GE, value));
    OK(isthmus_message_wait(&event, -1));
}
static void spend(double seconds, int polls) {
    const double end = seconds_now(CLOCK_MONOTONIC) + seconds;
    while (seconds_now(CLOCK_MONOTONIC) < end) {
        for (int i = 0; polls && i < 1000; ++i)
            isthmus_message_poll();
    }
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 24;
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    CHECK(pes <= kRoom);
    OK(isthmus_message_register(kNumbered, take, NULL, ISTHMUS_MESSAGE_REQUEST,
                                ISTHMUS_MESSAGE_ANY_ARGUMENTS));
    OK(isthmus_message_register(kDone, take_done, NULL, 0, 0));
    OK(isthmus_message_register(kAsk, ask, NULL, ISTHMUS_MESSAGE_REQUEST, 0));
    OK(isthmus_message_register(kAnswer, answer, NULL, ISTHMUS_MESSAGE_REPLY, 0));
    isthmus_barrier();
    int64_t expected = 0, asked = 0;
    for (int round = 0; round < rounds; ++round) {
        const int target = round / 4 % pes;
        const int bursts = round % 4 == 2 ? 3 : 1;
        for (int burst = 0; burst < bursts && me != target; ++burst) {
            for (int i = 0; i < kBurst; ++i) {
                send_number(target, round % 4 == 1 ? 50 : 0);
                if (i % 1000 == 999) {
                    OK(isthmus_message_request(target, kAsk, NULL, 0, 0));
                    ++asked;
                }
            }
            /* The target finds nothing for long. */
            if (round % 4 == 2) spend(0.003, 1);
        }
        if (me == target) {
            if (round % 4 == 3) spend(0.002, 0);
            expected += (int64_t)(pes - 1) * bursts * kBurst;
            wait_until(&all_handled, expected);
        }
        wait_until(&answers, asked);
        for (int pe = 0; round % 8 == 7 && pe < pes; ++pe)
            OK(isthmus_message_request(pe, kDone, NULL, 0, 0));
        if (round % 8 == 7) wait_until(&done, (int64_t)(round / 8 + 1) * pes);
    }
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_message_request(pe, kDone, NULL, 0, 0));
    wait_until(&done, (int64_t)(rounds / 8 + 1) * pes);
    wait_until(&all_handled, expected);
    CHECK(all_handled == expected && answers == asked);
    isthmus_barrier();
    isthmus_finalize();
    return 0;
}
