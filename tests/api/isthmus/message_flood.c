/* Every PE sends to every PE, itself included, as fast as it can: all kinds mixed, requests and
 * replies, while some PEs compute without polling. Nothing is lost, nothing doubled, nothing waits
 * for ever; what one PE of this host sends comes in order. message_flood MESSAGES [IDLE]: so many
 * requests of each PE; IDLE microseconds without a poll now and then. */
#include "check.h"

enum { kRequest, kAnswer, kTotal, kDone, kRoom = 256, kBlock = 3000 };

struct note {
    int64_t number; /* of those from this PE to that one */
    uint64_t seed;  /* of the payload */
    int32_t wants;  /* 0: no reply, else its kind */
    int32_t filler;
};

static int me, pes, far_pes;
static unsigned char landing[kRoom][2][kBlock]; /* by sender; of requests, of replies */
static int64_t handled[kRoom], total[kRoom], sum[kRoom], answers, asked, totals, done, all_handled;

static void fill(unsigned char* bytes, size_t size, uint64_t seed) {
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)((seed + i) * 0x9e3779b97f4a7c15u >> 56);
}
/* The payload of a long one may have been overwritten by the sender's next. */
static void check(const isthmus_message* message, uint64_t seed) {
    if ((message->kind & ISTHMUS_MESSAGE_MEDIUM) == 0) return;
    const unsigned char* bytes = (const unsigned char*)message->payload;
    CHECK(message->size == seed % kBlock);
    for (size_t i = 0; i < message->size; ++i)
        CHECK(bytes[i] == (unsigned char)((seed + i) * 0x9e3779b97f4a7c15u >> 56));
}

static void request(void* context, isthmus_message* message) {
    struct note note;
    (void)context;
    CHECK(message->argument_bytes >= sizeof note);
    memcpy(&note, message->arguments, sizeof note);
    check(message, note.seed);
    if (!far_pes) CHECK(note.number == handled[message->source]);
    ++handled[message->source];
    sum[message->source] += note.number;
    ++all_handled;
    unsigned char block[kBlock];
    const size_t size = note.seed % kBlock;
    if (note.wants == ISTHMUS_MESSAGE_SHORT) {
        OK(isthmus_message_reply(message, kAnswer, &note, sizeof note, 0));
    } else if (note.wants) {
        fill(block, size, note.seed);
        if (note.wants == ISTHMUS_MESSAGE_MEDIUM)
            OK(isthmus_message_reply_medium(message, kAnswer, &note, sizeof note, block, size, 0));
        else
            OK(isthmus_message_reply_long(message, kAnswer, &note, sizeof note, block, size,
                                          landing[me][1], 0));
    }
}
static void answer(void* context, isthmus_message* message) {
    struct note note;
    (void)context;
    memcpy(&note, message->arguments, sizeof note);
    CHECK((int32_t)(message->kind & 7) == note.wants);
    check(message, note.seed);
    ++answers;
}
static void take_total(void* context, isthmus_message* message) {
    (void)context;
    memcpy(&total[message->source], message->arguments, sizeof(int64_t));
    ++totals;
}

static void take_done(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++done;
}

static void wait_until(const int64_t* word, int64_t value) {
    isthmus_event event;
    OK(isthmus_event_arm(&event, word, ISTHMUS_GE, value));
    OK(isthmus_message_wait(&event, -1));
}

static void compute(long microseconds) {
    const double end = seconds_now(CLOCK_MONOTONIC) + (double)microseconds * 1e-6;
    while (seconds_now(CLOCK_MONOTONIC) < end) {
    }
}

int main(int argc, char** argv) {
    const int64_t messages = argc > 1 ? atoll(argv[1]) : 20000;
    const long idle = argc > 2 ? atol(argv[2]) : 0;
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    far_pes = has_far_pes();
    OK(isthmus_message_register(kRequest, request, NULL, ISTHMUS_MESSAGE_REQUEST,
                                ISTHMUS_MESSAGE_ANY_ARGUMENTS));
    OK(isthmus_message_register(kAnswer, answer, NULL, ISTHMUS_MESSAGE_REPLY, sizeof(struct note)));
    OK(isthmus_message_register(kTotal, take_total, NULL, 0, sizeof(int64_t)));
    OK(isthmus_message_register(kDone, take_done, NULL, 0, 0));
    isthmus_barrier();
    int64_t numbers[kRoom] = {0};
    uint64_t state = 77 + (uint64_t)me;
    unsigned char block[kBlock];
    char arguments[ISTHMUS_MESSAGE_ARGUMENT_BYTES] = {0};
    for (int64_t i = 0; i < messages; ++i) {
        const uint64_t drawn = next_random(&state);
        const int pe = (int)(drawn % (uint64_t)pes);
        static const int kinds[] = {ISTHMUS_MESSAGE_SHORT, ISTHMUS_MESSAGE_SHORT,
                                    ISTHMUS_MESSAGE_MEDIUM, ISTHMUS_MESSAGE_LONG};
        const int kind = kinds[drawn >> 20 & 3];
        struct note note = {numbers[pe]++, drawn >> 8,
                            (drawn >> 30 & 3) ? kinds[drawn >> 32 & 3] : 0, 0};
        const size_t bytes = sizeof note + (drawn >> 40) % (sizeof arguments - sizeof note + 1);
        const size_t size = note.seed % kBlock;
        asked += note.wants != 0;
        memcpy(arguments, &note, sizeof note);
        if (kind != ISTHMUS_MESSAGE_SHORT) fill(block, size, note.seed);
        if (kind == ISTHMUS_MESSAGE_SHORT)
            OK(isthmus_message_request(pe, kRequest, arguments, bytes, 0));
        else if (kind == ISTHMUS_MESSAGE_MEDIUM)
            OK(isthmus_message_request_medium(pe, kRequest, arguments, bytes, block, size, 0));
        else
            OK(isthmus_message_request_long(pe, kRequest, arguments, bytes, block, size,
                                            landing[me][0], 0));
        if (idle != 0 && (drawn >> 50) % 512 == 0) compute(idle);
        if ((drawn >> 50) % 64 == 1) isthmus_message_poll();
    }
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_message_request(pe, kTotal, &numbers[pe], sizeof numbers[pe], 0));
    wait_until(&totals, pes);
    int64_t expected = 0;
    for (int pe = 0; pe < pes; ++pe)
        expected += total[pe];
    wait_until(&all_handled, expected);
    wait_until(&answers, asked);
    for (int pe = 0; pe < pes; ++pe)
        CHECK(handled[pe] == total[pe] && sum[pe] == total[pe] * (total[pe] - 1) / 2);
    CHECK(all_handled == expected && answers == asked);
    /* Others may still wait for answers of this PE's handlers. */
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_message_request(pe, kDone, NULL, 0, 0));
    wait_until(&done, pes);
    isthmus_barrier();
    CHECK(answers == asked);
    isthmus_finalize();
    return 0;
}
