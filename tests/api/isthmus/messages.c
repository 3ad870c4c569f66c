/* Active messages: every kind and length to every PE, this one included; replies, refusals, ids,
 * order, locks, waiting. */
#include "check.h"

static int me, pes;

enum {
    kEcho = 1,     /* answers with what came, in the way it came */
    kEchoed = 2,   /* the answer */
    kNumbered = 3, /* in order */
    kLast = ISTHMUS_MESSAGE_HANDLERS - 1,
    kLandingBytes = 1 << 16
};

struct arguments {
    int32_t words[32];
};

static unsigned char landing[2][kLandingBytes]; /* of requests, of replies */
static int64_t echoes;
static struct {
    size_t argument_bytes, size;
    unsigned kind;
    int pe;
} expected;

static unsigned char pattern(size_t i, int pe) {
    return (unsigned char)(i * 7 + (size_t)pe * 31 + 5);
}

static void check_content(const isthmus_message* message, int sender) {
    const int32_t* words = (const int32_t*)message->arguments;
    CHECK((uintptr_t)message->arguments % 8 == 0);
    for (uint32_t i = 0; i < message->argument_bytes / 4; ++i)
        CHECK(words[i] == (int32_t)i * 3 - sender);
    const unsigned char* bytes = (const unsigned char*)message->payload;
    CHECK((message->kind & ISTHMUS_MESSAGE_SHORT) ? bytes == NULL && message->size == 0
                                                  : bytes != NULL || message->size == 0);
    if (message->kind & ISTHMUS_MESSAGE_MEDIUM) CHECK((uintptr_t)bytes % 16 == 0);
    for (size_t i = 0; i < message->size; ++i)
        CHECK(bytes[i] == pattern(i, sender));
}

static void echo(void* context, isthmus_message* message) {
    CHECK(context == &pes && (message->kind & ISTHMUS_MESSAGE_REQUEST));
    check_content(message, message->source);
    struct arguments answer;
    for (uint32_t i = 0; i < message->argument_bytes / 4; ++i)
        answer.words[i] = (int32_t)i * 3 - me;
    unsigned char* bytes = (unsigned char*)message->payload;
    for (size_t i = 0; i < message->size; ++i)
        bytes[i] = pattern(i, me); /* a handler may change its payload */
    /* not in a handler */
    if (getenv("ISTHMUS_CHECK")) {
        CHECK(isthmus_message_request(0, kEcho, NULL, 0, 0) == ISTHMUS_ARGUMENT);
        CHECK(isthmus_message_poll() == -1);
    }
    CHECK(isthmus_message_wait(&(isthmus_event)ISTHMUS_EVENT_TRUE, 0) == ISTHMUS_ARGUMENT);
    if (message->kind & ISTHMUS_MESSAGE_SHORT)
        OK(isthmus_message_reply(message, kEchoed, &answer, message->argument_bytes, 0));
    else if (message->kind & ISTHMUS_MESSAGE_MEDIUM)
        OK(isthmus_message_reply_medium(message, kEchoed, &answer, message->argument_bytes, bytes,
                                        message->size, 0));
    else
        OK(isthmus_message_reply_long(message, kEchoed, &answer, message->argument_bytes, bytes,
                                      message->size, landing[1], 0));
    CHECK(isthmus_message_reply(message, kEchoed, NULL, 0, 0) == ISTHMUS_ARGUMENT);
}

static void echoed(void* context, isthmus_message* message) {
    (void)context;
    CHECK((message->kind & ISTHMUS_MESSAGE_REPLY) && message->source == expected.pe);
    CHECK((message->kind & 7) == expected.kind && message->size == expected.size);
    CHECK(message->argument_bytes == expected.argument_bytes && message->handler == kEchoed);
    check_content(message, message->source);
    if (message->kind & ISTHMUS_MESSAGE_LONG)
        CHECK(message->payload == (message->size ? landing[1] : NULL));
    CHECK(isthmus_message_reply(message, kEchoed, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    ++echoes;
}

static void wait_for(int64_t* word, int64_t value) {
    isthmus_event event;
    OK(isthmus_event_arm(&event, word, ISTHMUS_GE, value));
    OK(isthmus_message_wait(&event, -1));
}

static void send_one(int pe, unsigned kind, size_t argument_bytes, size_t size) {
    static unsigned char payload[kLandingBytes];
    struct arguments arguments;
    for (int i = 0; i < 32; ++i)
        arguments.words[i] = i * 3 - me;
    for (size_t i = 0; i < size; ++i)
        payload[i] = pattern(i, me);
    expected.argument_bytes = argument_bytes;
    expected.size = size;
    expected.kind = kind;
    expected.pe = pe;
    const int64_t before = echoes;
    if (kind == ISTHMUS_MESSAGE_SHORT)
        OK(isthmus_message_request(pe, kEcho, &arguments, argument_bytes, 0));
    else if (kind == ISTHMUS_MESSAGE_MEDIUM)
        OK(isthmus_message_request_medium(pe, kEcho, &arguments, argument_bytes, payload, size, 0));
    else
        OK(isthmus_message_request_long(pe, kEcho, &arguments, argument_bytes, payload, size,
                                        landing[0], 0));
    /* Both may be used again at once. */
    memset(&arguments, 0xee, sizeof arguments);
    if (kind != ISTHMUS_MESSAGE_SHORT) memset(payload, 0xee, size);
    wait_for(&echoes, before + 1);
    CHECK(echoes == before + 1);
}

/* One PE at a time sends, so that `landing` is its own. */
static int64_t turns;
static void take_turn(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++turns;
}
static void every_kind(void) {
    const size_t medium = isthmus_message_limit(0, ISTHMUS_MESSAGE_MEDIUM);
    const size_t sizes[] = {0,  1,  8,   15,  16,   17,   32,   33,         47,
                            48, 64, 200, 512, 1999, 4096, 8192, medium - 1, medium};
    for (int sender = 0; sender < pes; ++sender) {
        if (sender != me) {
            wait_for(&turns, sender + 1);
            continue;
        }
        for (int pe = 0; pe < pes; ++pe) {
            for (size_t bytes = 0; bytes <= ISTHMUS_MESSAGE_ARGUMENT_BYTES; bytes += 4)
                send_one(pe, ISTHMUS_MESSAGE_SHORT, bytes, 0);
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
                send_one(pe, ISTHMUS_MESSAGE_MEDIUM, i * 4, sizes[i]);
                send_one(pe, ISTHMUS_MESSAGE_LONG, i * 4, sizes[i]);
            }
            send_one(pe, ISTHMUS_MESSAGE_LONG, 128, kLandingBytes);
        }
        for (int pe = 0; pe < pes; ++pe)
            OK(isthmus_message_request(pe, kLast, NULL, 0, 0));
        wait_for(&turns, sender + 1);
    }
    isthmus_barrier();
}

/* What one PE of this host sends comes in order. */
static int64_t numbers[256], arrived;
static void numbered(void* context, isthmus_message* message) {
    (void)context;
    int64_t number;
    memcpy(&number, message->arguments, sizeof number);
    CHECK(number == numbers[message->source] || has_far_pes());
    ++numbers[message->source];
    ++arrived;
}
static void in_order(void) {
    enum { kMessages = 3000 };
    for (int64_t i = 0; i < kMessages; ++i)
        for (int pe = 0; pe < pes; ++pe)
            OK(isthmus_message_request(pe, kNumbered, &i, sizeof i, 0));
    wait_for(&arrived, (int64_t)kMessages * pes);
    for (int pe = 0; pe < pes; ++pe)
        CHECK(numbers[pe] == kMessages);
    isthmus_barrier();
}

/* Without waiting: AGAIN when the target does not poll, and then it goes on. */
static void try_only(void) {
    static int64_t coming; /* from the PE before this one */
    arrived = 0;
    memset(numbers, 0, sizeof numbers);
    isthmus_barrier();
    const int to = (me + 1) % pes;
    int64_t sent = 0;
    if (pes > 1) {
        const char filler[512] = {0};
        while (isthmus_message_request_medium(to, kNumbered, &sent, sizeof sent, filler,
                                              sizeof filler, ISTHMUS_MESSAGE_TRY) == ISTHMUS_OK)
            ++sent;
        CHECK(sent > 0 && strstr(isthmus_error_text(), "there is no room"));
    }
    ++sent;
    OK(isthmus_symmetric_put(&coming, &sent, sizeof sent, to, NULL));
    isthmus_barrier();
    --sent;
    OK(isthmus_message_request(to, kNumbered, &sent, sizeof sent, 0));
    while (numbers[(me + pes - 1) % pes] < coming)
        isthmus_message_poll();
    isthmus_barrier();
    CHECK(isthmus_message_poll() == 0);
}

static void by_the_book(void) {
    const char byte = 0;
    char large[200];
    memset(large, 0, sizeof large);
    CHECK(isthmus_message_register(-1, numbered, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_register(kLast + 1, numbered, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_register(9, NULL, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_register(9, numbered, NULL, 64, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_register(9, numbered, NULL, 0, 129) == ISTHMUS_TOO_LARGE);
    CHECK(isthmus_message_register(kEcho, numbered, NULL, 0, 0) == ISTHMUS_EXISTS);
    CHECK(isthmus_message_unregister(9) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_unregister(kLast + 1) == ISTHMUS_ARGUMENT);
    OK(isthmus_message_register(9, numbered, NULL, 0, 0));
    OK(isthmus_message_unregister(9));
    OK(isthmus_message_register(9, numbered, NULL, 0, 0));
    CHECK(isthmus_message_request(pes, 9, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_request(-1, 9, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_request(0, -1, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_request(0, kLast + 1, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_request(0, 9, large, 129, 0) == ISTHMUS_TOO_LARGE);
    CHECK(isthmus_message_request(0, 9, NULL, 0, 2) == ISTHMUS_ARGUMENT);
    const size_t medium = isthmus_message_limit(0, ISTHMUS_MESSAGE_MEDIUM);
    CHECK(medium >= 8192 && isthmus_message_limit(pes - 1, ISTHMUS_MESSAGE_LONG) >= 1u << 30);
    CHECK(isthmus_message_limit(pes, ISTHMUS_MESSAGE_MEDIUM) == 0 &&
          isthmus_message_limit(0, ISTHMUS_MESSAGE_SHORT) == 0);
    CHECK(isthmus_message_request_medium(0, 9, NULL, 0, &byte, medium + 1, 0) == ISTHMUS_TOO_LARGE);
    CHECK(isthmus_message_request_long(0, 9, NULL, 0, &byte, (size_t)1 << 31, landing[0], 0) ==
          ISTHMUS_TOO_LARGE);
    int64_t never = 0;
    isthmus_event event;
    OK(isthmus_event_arm(&event, &never, ISTHMUS_EQ, 1));
    CHECK(isthmus_message_wait(&event, 0.01) == ISTHMUS_TIMEOUT);
    OK(isthmus_message_wait(&(isthmus_event)ISTHMUS_EVENT_TRUE, 0));
    isthmus_message_lock lock = ISTHMUS_MESSAGE_LOCK_FREE;
    isthmus_message_lock_take(&lock);
    CHECK(isthmus_message_lock_try(&lock) == ISTHMUS_AGAIN);
    if (getenv("ISTHMUS_CHECK")) {
        CHECK(isthmus_message_request(0, 9, NULL, 0, 0) == ISTHMUS_ARGUMENT);
        CHECK(isthmus_message_wait(&event, 0) == ISTHMUS_ARGUMENT);
    }
    isthmus_message_lock_release(&lock);
    OK(isthmus_message_lock_try(&lock));
    isthmus_message_lock_release(&lock);
    OK(isthmus_message_unregister(9));
    isthmus_barrier();
}

static void session(void) {
    me = isthmus_pe();
    pes = isthmus_pes();
    turns = arrived = 0;
    memset(numbers, 0, sizeof numbers);
    OK(isthmus_message_register(kEcho, echo, &pes, ISTHMUS_MESSAGE_REQUEST,
                                ISTHMUS_MESSAGE_ANY_ARGUMENTS));
    OK(isthmus_message_register(kEchoed, echoed, NULL, ISTHMUS_MESSAGE_REPLY,
                                ISTHMUS_MESSAGE_ANY_ARGUMENTS));
    OK(isthmus_message_register(kNumbered, numbered, NULL, 0, sizeof(int64_t)));
    OK(isthmus_message_register(kLast, take_turn, NULL,
                                ISTHMUS_MESSAGE_REQUEST | ISTHMUS_MESSAGE_SHORT, 0));
    isthmus_barrier();
    every_kind();
    by_the_book();
    in_order();
    try_only();
}

int main(void) {
    isthmus_init();
    session();
    isthmus_finalize();
    if (isthmus_message_unregister(kEcho) != ISTHMUS_STALE) return 1;
    /* Registrations end with the session. */
    isthmus_init();
    session();
    isthmus_finalize();
    return 0;
}
