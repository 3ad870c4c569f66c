/* Messages of whose completion the sender learns: every kind, by counter, event and handle and all
 * of them, to and from every PE, this one included; more than there are tickets; what is refused.
 */
#include "check.h"

enum { kTake = 1, kAnswer = 2, kGot = 3, kSlow = 4, kSpace = 4096, kKinds = 9, kWays = 7 };

static int me, pes;
static unsigned char landing[kSpace], published[kSpace], own[kSpace];
static int64_t counter;
/* Written by handlers alone: how many of this sender's have come, at the target, and gets here. */
static int64_t taken[64], got, answered;

/* A barrier whose waits poll: others may still want what this PE's handlers do. */
static void meet(void) {
    static int64_t round, arrived[64];
    ++round;
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_symmetric_put(&arrived[me], &round, sizeof round, pe, NULL));
    for (int pe = 0; pe < pes; ++pe) {
        isthmus_event event;
        OK(isthmus_event_arm(&event, &arrived[pe], ISTHMUS_GE, round));
        OK(isthmus_message_wait(&event, -1));
    }
    isthmus_barrier();
}

struct note {
    int64_t number;
    unsigned char fill, kind, more[100];
};

static void take(void* context, isthmus_message* message) {
    (void)context;
    struct note note;
    memcpy(&note, message->arguments, message->argument_bytes);
    CHECK(message->handler == kTake && (message->kind & ISTHMUS_MESSAGE_REQUEST));
    for (size_t i = 0; i < message->size; ++i)
        CHECK(((unsigned char*)message->payload)[i] == note.fill);
    if (message->argument_bytes == sizeof note)
        for (size_t i = 0; i < sizeof note.more; ++i)
            CHECK(note.more[i] == (unsigned char)(note.fill + i));
    /* Answered as other requests are, or not. */
    if (note.number % 2 == 0) {
        OK(isthmus_message_reply(message, kAnswer, &note.number, sizeof note.number, 0));
        CHECK(isthmus_message_reply(message, kAnswer, NULL, 0, 0) == ISTHMUS_ARGUMENT);
    }
    isthmus_message_handle handle;
    const isthmus_message_completion completion = {NULL, NULL, &handle};
    CHECK(isthmus_message_request_tracked(0, kTake, NULL, 0, 0, &completion) == ISTHMUS_ARGUMENT);
    ++taken[message->source];
}
static void answer(void* context, isthmus_message* message) {
    (void)context;
    CHECK(message->argument_bytes == 8);
    ++answered;
}
static void take_get(void* context, isthmus_message* message) {
    (void)context;
    struct note note;
    memcpy(&note, message->arguments, sizeof note);
    CHECK(message->kind & ISTHMUS_MESSAGE_REPLY);
    for (size_t i = 0; i < message->size; ++i)
        CHECK(((unsigned char*)message->payload)[i] == (unsigned char)(message->source + 1));
    ++got;
}

/* One of each kind; `way`: bits of counter, event and handle. */
static int send_one(int pe, int kind, const struct note* note, size_t note_bytes,
                    const isthmus_message_completion* completion, unsigned flags) {
    const isthmus_message_blocks from = {own, 8, 4, 16}, to = {landing + 100, 8, 4, 16};
    const isthmus_message_range pieces[] = {{own, 3}, {own + 10, 61}};
    const isthmus_message_range whole = {landing + 1000, 64};
    const isthmus_message_blocks there = {published, 8, 4, 16};
    const isthmus_message_range source = {published + 5, 64};
    memset(own, note->fill, sizeof own);
    switch (kind) {
        case 0:
            return isthmus_message_request_tracked(pe, kTake, note, note_bytes, flags, completion);
        case 1:
            return isthmus_message_request_medium_tracked(pe, kTake, note, note_bytes, own, 700,
                                                          flags, completion);
        case 2:
            return isthmus_message_request_long_tracked(pe, kTake, note, note_bytes, own, 500,
                                                        landing + 2000, flags, completion);
        case 3:
            return isthmus_message_request_strided_tracked(pe, kTake, note, note_bytes, &from, &to,
                                                           flags, completion);
        case 4:
            return isthmus_message_request_vectored_tracked(pe, kTake, note, note_bytes, pieces, 2,
                                                            &whole, 1, flags, completion);
        case 5:
            return isthmus_message_get_medium_tracked(pe, kGot, note, note_bytes, published, 999,
                                                      completion);
        case 6:
            return isthmus_message_get_long_tracked(pe, kGot, note, note_bytes, published, 999, own,
                                                    completion);
        case 7:
            return isthmus_message_get_strided_tracked(pe, kGot, note, note_bytes, &there, &from,
                                                       completion);
        default:
            return isthmus_message_get_vectored_tracked(pe, kGot, note, note_bytes, &source, 1,
                                                        pieces, 2, completion);
    }
}

/* What has come from this PE at another; taken is in static data. */
static int64_t taken_there(int pe) {
    int64_t count;
    OK(isthmus_symmetric_get(&count, &taken[me], sizeof count, pe, NULL));
    return count;
}

static void each_way(int pe) {
    int64_t sent = 0, asked = 0;
    const int64_t base = taken_there(pe), got_before = got;
    for (int kind = 0; kind < kKinds; ++kind) {
        for (int way = 1; way <= kWays; ++way) {
            struct note note = {way, (unsigned char)(kind * 8 + way), (unsigned char)kind, {0}};
            for (size_t i = 0; i < sizeof note.more; ++i)
                note.more[i] = (unsigned char)(note.fill + i);
            isthmus_event event = ISTHMUS_EVENT_TRUE;
            isthmus_message_handle handle = {NULL, 0};
            const isthmus_message_completion completion = {
                way & 1 ? &counter : NULL, way & 2 ? &event : NULL, way & 4 ? &handle : NULL};
            const int64_t counted = counter;
            const size_t note_bytes = kind >= 5 || way % 3 == 0 ? sizeof note : 16;
            OK(send_one(pe, kind, &note, note_bytes, &completion, 0));
            if (way & 1) {
                isthmus_event reached;
                OK(isthmus_event_arm(&reached, &counter, ISTHMUS_GE, counted + 1));
                OK(isthmus_message_wait(&reached, -1));
            }
            if (way & 4) OK(isthmus_message_finish(&handle, -1));
            if (way & 2) {
                if (way == 2) OK(isthmus_message_wait(&event, -1));
                if (way & 4) CHECK(isthmus_event_test(&event));
                OK(isthmus_message_wait(&event, -1));
            }
            if (way & 4) CHECK(isthmus_message_test(&handle) == 1);
            if (kind < 5)
                CHECK(taken_there(pe) == base + ++sent);
            else
                CHECK(got == got_before + ++asked);
            if (way & 1) CHECK(counter == counted + 1); /* once */
        }
    }
}

/* More than there are tickets, all kinds, to all PEs; the target may be slow. */
static void many(void) {
    enum { kMany = ISTHMUS_MESSAGE_TRACKED + 300 };
    static isthmus_message_handle handles[kMany];
    const struct note note = {1, 7, 0, {0}};
    int64_t before[64];
    for (int pe = 0; pe < pes; ++pe)
        before[pe] = taken_there(pe);
    isthmus_barrier();
    for (int i = 0; i < kMany; ++i) {
        const isthmus_message_completion completion = {&counter, NULL, &handles[i]};
        OK(send_one((me + i) % pes, i % 5, &note, 16, &completion, 0));
    }
    for (int i = kMany; i-- > 0;)
        OK(isthmus_message_finish(&handles[i], -1));
    for (int i = 0; i < kMany; ++i)
        while (!isthmus_message_test(&handles[i])) {
        }
    int64_t all = 0;
    for (int pe = 0; pe < pes; ++pe)
        all += taken_there(pe) - before[pe];
    CHECK(all == kMany);
}

/* What is refused for want of room takes nothing for good. */
static void without_room(void) {
    const struct note note = {1, 7, 0, {0}};
    int64_t sent = 0;
    isthmus_barrier();
    if (me == 0 && pes > 1) {
        sent = taken_there(pes - 1);
        while (isthmus_message_request(pes - 1, kTake, &note, 16, ISTHMUS_MESSAGE_TRY) ==
               ISTHMUS_OK)
            ++sent;
        isthmus_message_handle handle = {NULL, 0};
        const isthmus_message_completion completion = {NULL, NULL, &handle};
        for (int i = 0; i < 2 * ISTHMUS_MESSAGE_TRACKED; ++i)
            CHECK(send_one(pes - 1, 0, &note, 16, &completion, ISTHMUS_MESSAGE_TRY) ==
                  ISTHMUS_AGAIN);
        CHECK(handle.word == NULL);
    }
    isthmus_barrier(); /* where no handlers run */
    while (me == 0 && pes > 1 && taken_there(pes - 1) != sent)
        isthmus_message_poll();
    meet();
}

/* Nobody there polls: not true before the handler has run; without room for more: AGAIN. */
static void unpolled(void) {
    static int64_t go;
    static isthmus_message_handle handles[ISTHMUS_MESSAGE_TRACKED];
    isthmus_barrier();
    if (me == 0 && pes > 1) {
        const struct note note = {1, 7, 0, {0}};
        isthmus_event event = ISTHMUS_EVENT_TRUE;
        int sent = 0;
        const int64_t counted = counter;
        for (;; ++sent) {
            CHECK(sent <= ISTHMUS_MESSAGE_TRACKED);
            const isthmus_message_completion completion = {
                &counter, sent == 0 ? &event : NULL, &handles[sent % ISTHMUS_MESSAGE_TRACKED]};
            const int status = send_one(pes - 1, 0, &note, 16, &completion, ISTHMUS_MESSAGE_TRY);
            if (status == ISTHMUS_AGAIN) break;
            OK(status);
        }
        CHECK(sent > 0 && counter == counted && !isthmus_event_test(&event));
        for (int i = 0; i < sent; ++i)
            CHECK(!isthmus_message_test(&handles[i]));
        CHECK(isthmus_message_finish(&handles[0], 0) == ISTHMUS_TIMEOUT);
        const int64_t one = 1;
        OK(isthmus_symmetric_put(&go, &one, sizeof one, pes - 1, NULL));
        /* Handlers of this PE do not run in this wait, and need not. */
        OK(isthmus_event_wait(&event));
        for (int i = 0; i < sent; ++i)
            OK(isthmus_message_finish(&handles[i], -1));
        CHECK(counter == counted + sent);
    } else if (me == pes - 1 && pes > 1) {
        isthmus_event event;
        OK(isthmus_event_arm(&event, &go, ISTHMUS_EQ, 1));
        OK(isthmus_event_wait(&event)); /* no handlers run */
    }
    meet();
    go = 0;
    isthmus_barrier();
}

static void refusals(void) {
    int64_t on_stack = 0;
    isthmus_event event = ISTHMUS_EVENT_TRUE;
    isthmus_message_handle handle = {NULL, 0};
    const struct note note = {1, 7, 0, {0}};
    const isthmus_message_completion none = {NULL, NULL, NULL};
    const isthmus_message_completion stack = {&on_stack, &event, &handle};
    const isthmus_message_completion crooked = {(int64_t*)(void*)((char*)&counter + 4), NULL, NULL};
    const isthmus_message_completion good = {&counter, &event, &handle};
    const int64_t before = counter;
    for (int kind = 0; kind < kKinds; ++kind) {
        CHECK(send_one(0, kind, &note, 16, NULL, 0) == ISTHMUS_ARGUMENT);
        CHECK(send_one(0, kind, &note, 16, &none, 0) == ISTHMUS_ARGUMENT);
        CHECK(strstr(isthmus_error_text(), "neither a counter nor an event nor a handle"));
        CHECK(send_one(0, kind, &note, 16, &stack, 0) == ISTHMUS_BOUNDS);
        CHECK(send_one(0, kind, &note, 16, &crooked, 0) == ISTHMUS_ARGUMENT);
        CHECK(strstr(isthmus_error_text(), "is misaligned"));
        CHECK(send_one(pes, kind, &note, 16, &good, 0) == ISTHMUS_ARGUMENT);
        CHECK(send_one(0, kind, &note, 129, &good, 0) == ISTHMUS_TOO_LARGE);
        if (kind < 5) CHECK(send_one(0, kind, &note, 16, &good, 2) == ISTHMUS_ARGUMENT);
    }
    CHECK(isthmus_message_request_tracked(0, -1, NULL, 0, 0, &good) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_message_request_long_tracked(0, kTake, &note, 16, own, 8, &on_stack, 0, &good) ==
          ISTHMUS_BOUNDS);
    CHECK(counter == before && on_stack == 0 && handle.word == NULL && isthmus_event_test(&event));
    if (getenv("ISTHMUS_CHECK")) {
        isthmus_message_lock lock = ISTHMUS_MESSAGE_LOCK_FREE;
        isthmus_message_lock_take(&lock);
        CHECK(send_one(0, 0, &note, 16, &good, 0) == ISTHMUS_ARGUMENT);
        isthmus_message_lock_release(&lock);
    }
}

static void session(void) {
    me = isthmus_pe();
    pes = isthmus_pes();
    counter = got = answered = 0;
    memset(taken, 0, sizeof taken);
    memset(published, me + 1, sizeof published);
    OK(isthmus_message_register(kTake, take, NULL, ISTHMUS_MESSAGE_REQUEST,
                                ISTHMUS_MESSAGE_ANY_ARGUMENTS));
    OK(isthmus_message_register(kAnswer, answer, NULL, ISTHMUS_MESSAGE_REPLY, 8));
    OK(isthmus_message_register(kGot, take_get, NULL, ISTHMUS_MESSAGE_REPLY, sizeof(struct note)));
    isthmus_barrier();
    for (int sender = 0; sender < pes; ++sender) {
        if (sender == me)
            for (int pe = 0; pe < pes; ++pe)
                each_way(pe);
        meet();
    }
    refusals();
    without_room();
    unpolled();
    many();
    meet();
}

int main(void) {
    isthmus_init();
    session();
    isthmus_finalize();
    isthmus_init();
    session();
    isthmus_finalize();
    return 0;
}
