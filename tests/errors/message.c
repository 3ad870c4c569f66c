/* Active messages: what is refused where it is sent, and what ends the job where it comes. */
#include "cases.h"

#include <isthmus.h>
#include <unistd.h>

enum { kId = 5, kOther = 6, kWords = 7 };

static char landing[64];
static const char constant[64] = "c";
static void (*inside)(isthmus_message* message);
static int64_t handled;

static void handler(void* context, isthmus_message* message) {
    (void)context;
    if (inside) inside(message);
    ++handled;
}
static void nothing(void* context, isthmus_message* message) {
    (void)context;
    (void)message;
    ++handled;
}

static void begin(void) {
    isthmus_init();
    isthmus_message_register(kOther, nothing, NULL, 0, ISTHMUS_MESSAGE_ANY_ARGUMENTS);
    isthmus_message_register(kWords, nothing, NULL, ISTHMUS_MESSAGE_SHORT | ISTHMUS_MESSAGE_REQUEST,
                             8);
    isthmus_barrier();
}
/* Both PEs, until PE 1 has handled something or the job has ended. */
static void serve(int me) {
    isthmus_event event;
    isthmus_event_arm(&event, &handled, ISTHMUS_NE, 0);
    if (me == 1) isthmus_message_wait(&event, 20);
    isthmus_barrier();
    isthmus_finalize();
}
static void in_handler(int me, void (*what)(isthmus_message*)) {
    inside = what;
    begin();
    isthmus_message_register(kId, handler, NULL, 0, 0);
    isthmus_barrier();
    if (me == 0) isthmus_message_request(1, kId, NULL, 0, 0);
    serve(me);
}

/* Refused at the sender. */
#define REFUSED(name, call)               \
    static void name(int me, int pes) {   \
        static char bytes[1 << 15];       \
        (void)bytes;                      \
        begin();                          \
        if (me == 0) sink = (call) + pes; \
        isthmus_barrier();                \
        isthmus_finalize();               \
    }
REFUSED(no_pe, isthmus_message_request(pes, kId, NULL, 0, 0))
REFUSED(no_id, isthmus_message_request(1, 1024, NULL, 0, 0))
REFUSED(arguments, isthmus_message_request(1, kId, bytes, 129, 0))
REFUSED(payload, isthmus_message_request_medium(1, kId, NULL, 0, bytes, 16385, 0))
REFUSED(long_payload,
        isthmus_message_request_long(1, kId, NULL, 0, bytes, (size_t)1 << 31, landing, 0))
REFUSED(flags, isthmus_message_request(1, kId, NULL, 0, 6))
REFUSED(private_dest, isthmus_message_request_long(1, kId, NULL, 0, bytes, 8, &me, 0))
REFUSED(constant_dest,
        isthmus_message_request_long(1, kId, NULL, 0, bytes, 8, (void*)(uintptr_t)constant, 0))
static const isthmus_message_blocks apart = {landing, 16, 8, 4};
static const isthmus_message_blocks tight = {landing, 7, 8, 4};
static const isthmus_message_blocks fewer = {landing, 16, 8, 3};
static const isthmus_message_blocks endless = {landing, (size_t)1 << 63, 8, 4};
REFUSED(pieces_overlap, isthmus_message_request_strided(1, kId, NULL, 0, &apart, &tight, 0))
REFUSED(pieces_differ, isthmus_message_request_strided(1, kId, NULL, 0, &apart, &fewer, 0))
REFUSED(pieces_endless, isthmus_message_get_strided(1, kId, NULL, 0, &endless, &apart))
REFUSED(taken, isthmus_message_register(kOther, nothing, NULL, 0, 0))
REFUSED(null_handler, isthmus_message_register(kId, NULL, NULL, 0, 0))
REFUSED(takes, isthmus_message_register(kId, nothing, NULL, 64, 0))
REFUSED(not_registered, isthmus_message_unregister(kId))

static void lock_held(int me, int pes) {
    static isthmus_message_lock lock;
    (void)pes;
    begin();
    isthmus_message_lock_take(&lock);
    if (me == 0) isthmus_message_request(1, kOther, NULL, 0, 0);
    isthmus_message_lock_release(&lock);
    isthmus_barrier();
    isthmus_finalize();
}

static isthmus_message_lock own;
static void take_twice(void) {
    isthmus_message_lock_take(&own);
    isthmus_message_lock_take(&own);
}
#define LOCKED(name, call)              \
    static void name(int me, int pes) { \
        (void)pes;                      \
        begin();                        \
        if (me == 0) call;              \
        isthmus_barrier();              \
        isthmus_finalize();             \
    }
LOCKED(lock_taken_twice, take_twice())
LOCKED(lock_free_released, isthmus_message_lock_release(&own))

/* In a handler. */
static void requests(isthmus_message* message) {
    isthmus_message_request(message->source, kOther, NULL, 0, 0);
}
static void gets(isthmus_message* message) {
    isthmus_message_get_medium(message->source, kOther, NULL, 0, landing, 8);
}
static void polls(isthmus_message* message) {
    (void)message;
    isthmus_message_poll();
}
static void waits(isthmus_message* message) {
    (void)message;
    isthmus_barrier();
}
static void replies_twice(isthmus_message* message) {
    isthmus_message_reply(message, kOther, NULL, 0, 0);
    isthmus_message_reply(message, kOther, NULL, 0, 0);
}
static void answers(isthmus_message* message) {
    if (message->kind & ISTHMUS_MESSAGE_REQUEST)
        isthmus_message_reply(message, kId, NULL, 0, 0);
    else
        isthmus_message_reply(message, kId, NULL, 0, 0);
}
#define INSIDE(name, what)              \
    static void name(int me, int pes) { \
        (void)pes;                      \
        in_handler(me, what);           \
    }
INSIDE(request_in_handler, requests)
INSIDE(get_in_handler, gets)
INSIDE(poll_in_handler, polls)
INSIDE(reply_twice, replies_twice)
static isthmus_message* kept;
static void keeps(isthmus_message* message) {
    kept = message;
}
static void reply_later(int me, int pes) {
    (void)pes;
    inside = keeps;
    begin();
    isthmus_message_register(kId, handler, NULL, 0, 0);
    isthmus_barrier();
    if (me == 0) {
        isthmus_message_request(0, kId, NULL, 0, 0);
        isthmus_message_reply(kept, kOther, NULL, 0, 0);
    }
    isthmus_barrier();
    isthmus_finalize();
}
static void barrier_in_handler(int me, int pes) {
    (void)pes;
    inside = waits;
    begin();
    isthmus_message_register(kId, handler, NULL, 0, 0);
    isthmus_barrier();
    if (me == 0) isthmus_message_request(1, kId, NULL, 0, 0);
    if (me == 0) sleep(20); /* the barrier waits for this PE */
    serve(me);
}
/* Checked mode refuses it although nothing is waited for, or not for long. */
static void meets(isthmus_message* message) {
    (void)message;
    shmem_barrier_all();
}
static void reduces(isthmus_message* message) {
    (void)message;
    static int64_t one = 1;
    static int64_t sum;
    shmem_int64_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1);
}
static void waits_for_what_is(isthmus_message* message) {
    (void)message;
    isthmus_event event;
    isthmus_event_arm(&event, &handled, ISTHMUS_GE, 0);
    isthmus_event_wait_all(&event, 1, -1);
}
static void nothing_at_all(isthmus_message* message) {
    (void)message;
}
/* The other PE calls `what`, too, at once. */
#define MET(name, what, other)                                    \
    static void name(int me, int pes) {                           \
        (void)pes;                                                \
        inside = what;                                            \
        begin();                                                  \
        isthmus_message_register(kId, handler, NULL, 0, 0);       \
        isthmus_barrier();                                        \
        if (me == 0) isthmus_message_request(1, kId, NULL, 0, 0); \
        if (me == 0) other(NULL);                                 \
        serve(me);                                                \
    }
MET(barrier_met_in_handler, waits, waits)
MET(shmem_barrier_met_in_handler, meets, meets)
MET(reduction_met_in_handler, reduces, reduces)
MET(true_event_in_handler, waits_for_what_is, nothing_at_all)
static void reply_to_reply(int me, int pes) {
    (void)pes;
    inside = answers;
    begin();
    isthmus_message_register(kId, handler, NULL, 0, 0);
    isthmus_barrier();
    if (me == 0) isthmus_message_request(0, kId, NULL, 0, 0);
    isthmus_barrier();
    isthmus_finalize();
}

/* At the target. */
#define DELIVERED(name, call)           \
    static void name(int me, int pes) { \
        (void)pes;                      \
        begin();                        \
        if (me == 0) sink = (call);     \
        serve(me);                      \
    }
static void reply_to_words(isthmus_message* message) {
    isthmus_message_reply(message, kWords, landing, 8, 0);
}
DELIVERED(unregistered, isthmus_message_request(1, kId, NULL, 0, 0))
DELIVERED(wrong_arguments, isthmus_message_request(1, kWords, landing, 12, 0))
DELIVERED(wrong_kind, isthmus_message_request_medium(1, kWords, landing, 8, landing, 8, 0))
static void wrong_direction(int me, int pes) {
    (void)pes;
    inside = reply_to_words;
    begin();
    isthmus_message_register(kId, handler, NULL, 0, 0);
    isthmus_barrier();
    if (me == 0) isthmus_message_request(0, kId, NULL, 0, 0);
    isthmus_barrier();
}

const struct Case cases[] = {
    {"no_pe", no_pe},
    {"no_id", no_id},
    {"arguments", arguments},
    {"payload", payload},
    {"long_payload", long_payload},
    {"flags", flags},
    {"private_dest", private_dest},
    {"constant_dest", constant_dest},
    {"pieces_overlap", pieces_overlap},
    {"pieces_differ", pieces_differ},
    {"pieces_endless", pieces_endless},
    {"get_in_handler", get_in_handler},
    {"taken", taken},
    {"null_handler", null_handler},
    {"takes", takes},
    {"not_registered", not_registered},
    {"lock_held", lock_held},
    {"lock_taken_twice", lock_taken_twice},
    {"lock_free_released", lock_free_released},
    {"request_in_handler", request_in_handler},
    {"poll_in_handler", poll_in_handler},
    {"barrier_in_handler", barrier_in_handler},
    {"barrier_met_in_handler", barrier_met_in_handler},
    {"shmem_barrier_met_in_handler", shmem_barrier_met_in_handler},
    {"reduction_met_in_handler", reduction_met_in_handler},
    {"true_event_in_handler", true_event_in_handler},
    {"reply_twice", reply_twice},
    {"reply_later", reply_later},
    {"reply_to_reply", reply_to_reply},
    {"unregistered", unregistered},
    {"wrong_arguments", wrong_arguments},
    {"wrong_kind", wrong_kind},
    {"wrong_direction", wrong_direction},
    {NULL, NULL},
};
