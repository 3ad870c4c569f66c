/* Every name of the active messages: 7 families with 0 to 16 arguments, and those that are given
 * the number. Each node sends to each, itself included; the handlers check what they get, and the
 * replies that they send alternate between the two forms. */
#include "check.h"
#include "values.h"

enum {
    kShort = 128,
    kMedium = 145,
    kLong = 162,
    kReplyShort = 180,
    kReplyMedium = 197,
    kReplyLong = 214,
    kAnyForm = 240,
    kAnySize = 241,
    kBytes = 700
};

static int requests, replies;
static char payload[kBytes];

/* Where a long payload of `from` lies at another node; that of a reply to it lies beside. */
static char* place(gasnet_node_t at, gasnet_node_t from, int is_reply) {
    return (char*)segments[at].addr + (from * 2 + (gasnet_node_t)is_reply) * kBytes;
}
static gasnet_handlerarg_t value(int i) {
    return i % 2 == 0 ? 0x12345678 + i : -i;
}
static void check_arguments(const gasnet_handlerarg_t* got, int count) {
    for (int i = 0; i < count; ++i)
        CHECK(got[i] == value(i));
}
static void check_payload(const void* buf, size_t nbytes) {
    CHECK(nbytes == kBytes);
    for (int i = 0; i < kBytes; ++i)
        CHECK(((const char*)buf)[i] == (char)(i * 7));
}
static gasnet_node_t source_of(gasnet_token_t token) {
    gasnet_node_t source = 99999;
    OK(gasnet_AMGetMsgSource(token, &source));
    CHECK(source < gasnet_nodes());
    return source;
}

#define NO_ARGUMENTS(M)
#define ARGUMENTS(M)                                             \
    const gasnet_handlerarg_t got[] = {ISTHMUS_GASNET_LIST_##M}; \
    check_arguments(got, M);
#define HANDLERS_OF(M, GET)                                                                     \
    static void reply_short_##M(gasnet_token_t token ISTHMUS_GASNET_PARAMETERS_##M) {           \
        GET(M)                                                                                  \
        source_of(token);                                                                       \
        ++replies;                                                                              \
    }                                                                                           \
    static void reply_medium_##M(gasnet_token_t token, void* buf,                               \
                                 size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                 \
        GET(M)                                                                                  \
        source_of(token);                                                                       \
        CHECK((uintptr_t)buf % 16 == 0);                                                        \
        check_payload(buf, nbytes);                                                             \
        ++replies;                                                                              \
    }                                                                                           \
    static void reply_long_##M(gasnet_token_t token, void* buf,                                 \
                               size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                   \
        GET(M)                                                                                  \
        CHECK((char*)buf == place(gasnet_mynode(), source_of(token), 1));                       \
        check_payload(buf, nbytes);                                                             \
        ++replies;                                                                              \
    }                                                                                           \
    static void short_##M(gasnet_token_t token ISTHMUS_GASNET_PARAMETERS_##M) {                 \
        GET(M)                                                                                  \
        source_of(token);                                                                       \
        if (++requests % 2 == 0)                                                                \
            OK(gasnet_AMReplyShort##M(token, kReplyShort + M VALUES_##M));                      \
        else                                                                                    \
            OK(gasnet_AMReplyShort(token, kReplyShort + M, M VALUES_##M));                      \
    }                                                                                           \
    static void medium_##M(gasnet_token_t token, void* buf,                                     \
                           size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                       \
        GET(M)                                                                                  \
        CHECK((uintptr_t)buf % 16 == 0);                                                        \
        check_payload(buf, nbytes);                                                             \
        memset(buf, 0, nbytes); /* it is the handler's */                                       \
        if (++requests % 2 == 0)                                                                \
            OK(gasnet_AMReplyMedium##M(token, kReplyMedium + M, payload, kBytes VALUES_##M));   \
        else                                                                                    \
            OK(gasnet_AMReplyMedium(token, kReplyMedium + M, payload, kBytes, M VALUES_##M));   \
    }                                                                                           \
    static void long_##M(gasnet_token_t token, void* buf,                                       \
                         size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                         \
        const gasnet_node_t source = source_of(token);                                          \
        char* const back = place(source, gasnet_mynode(), 1);                                   \
        GET(M)                                                                                  \
        CHECK((char*)buf == place(gasnet_mynode(), source, 0));                                 \
        check_payload(buf, nbytes);                                                             \
        memset(buf, 0, nbytes);                                                                 \
        if (++requests % 2 == 0)                                                                \
            OK(gasnet_AMReplyLong##M(token, kReplyLong + M, payload, kBytes, back VALUES_##M)); \
        else                                                                                    \
            OK(gasnet_AMReplyLong(token, kReplyLong + M, payload, kBytes, back, M VALUES_##M)); \
    }
#define HANDLERS(M) HANDLERS_OF(M, ARGUMENTS)
HANDLERS_OF(0, NO_ARGUMENTS)
HANDLERS(1)
HANDLERS(2)
HANDLERS(3)
HANDLERS(4)
HANDLERS(5)
HANDLERS(6)
HANDLERS(7)
HANDLERS(8)
HANDLERS(9)
HANDLERS(10)
HANDLERS(11)
HANDLERS(12)
HANDLERS(13)
HANDLERS(14)
HANDLERS(15)
HANDLERS(16)
#define ENTRY(ID, NAME) {ID, (isthmus_gasnet_handler)NAME},
#define ENTRIES(M)                          \
    ENTRY(kShort + M, short_##M)            \
    ENTRY(kMedium + M, medium_##M)          \
    ENTRY(kLong + M, long_##M)              \
    ENTRY(kReplyShort + M, reply_short_##M) \
    ENTRY(kReplyMedium + M, reply_medium_##M) ENTRY(kReplyLong + M, reply_long_##M)

static void await(int expected) {
    GASNET_BLOCKUNTIL(replies == expected);
}
#define SEND(M)                                                                        \
    OK(gasnet_AMRequestShort##M(node, kShort + M VALUES_##M));                         \
    await(++sent);                                                                     \
    OK(gasnet_AMRequestShort(node, kShort + M, M VALUES_##M));                         \
    await(++sent);                                                                     \
    OK(gasnet_AMRequestMedium##M(node, kMedium + M, payload, kBytes VALUES_##M));      \
    await(++sent);                                                                     \
    OK(gasnet_AMRequestMedium(node, kMedium + M, payload, kBytes, M VALUES_##M));      \
    await(++sent);                                                                     \
    OK(gasnet_AMRequestLong##M(node, kLong + M, payload, kBytes, to VALUES_##M));      \
    await(++sent);                                                                     \
    OK(gasnet_AMRequestLong(node, kLong + M, payload, kBytes, to, M VALUES_##M));      \
    await(++sent);                                                                     \
    OK(gasnet_AMRequestLongAsync##M(node, kLong + M, payload, kBytes, to VALUES_##M)); \
    await(++sent);                                                                     \
    OK(gasnet_AMRequestLongAsync(node, kLong + M, payload, kBytes, to, M VALUES_##M)); \
    await(++sent);

/* One function with other arguments, and of another size, than its first message had. */
static int forms_of[1024];
static void of_any_form(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b) {
    switch (forms_of[source_of(token)]++) {
        case 0:
        case 3: break;
        case 1: CHECK(a == value(0) && b == value(1)); break;
        case 2: CHECK(a == value(1)); break;
        default: CHECK(0);
    }
}
static void of_any_size(gasnet_token_t token) {
    source_of(token);
    ++requests;
}
static void send_forms(gasnet_node_t node) {
    OK(gasnet_AMRequestShort0(node, kAnyForm));
    OK(gasnet_AMRequestShort2(node, kAnyForm, value(0), value(1)));
    OK(gasnet_AMRequestShort1(node, kAnyForm, value(1)));
    OK(gasnet_AMRequestShort0(node, kAnyForm));
    OK(gasnet_AMRequestMedium0(node, kAnySize, payload, kBytes));
    OK(gasnet_AMRequestShort3(node, kAnySize, 1, 2, 3));
    OK(gasnet_AMRequestLong1(node, kAnySize, payload, 0, segments[node].addr, 4));
    OK(gasnet_AMRequestMedium0(node, kAnySize, payload, kBytes));
}
static int all_forms_have_come(void) {
    for (gasnet_node_t node = 0; node < gasnet_nodes(); ++node)
        if (forms_of[node] != 4) return 0;
    return requests == 4 * (int)gasnet_nodes();
}

/* A wait with nothing outstanding polls: where nothing else is called, handlers run all the same.
 */
static void test_waits_that_poll(void) {
    requests = 0;
    meet();
    for (gasnet_node_t node = 0; node < gasnet_nodes(); ++node)
        OK(gasnet_AMRequestShort0(node, kAnySize));
    while (requests < (int)gasnet_nodes())
        gasnet_wait_syncnbi_puts();
    CHECK(requests == (int)gasnet_nodes());
}

/* The first message of the job, to nodes that have nothing outstanding and call nothing else: node
 * 0 sends it when they have told, by puts, that they are out of the barrier, which polls as well.
 */
static void test_wait_for_the_first_message(void) {
    const gasnet_node_t me = gasnet_mynode();
    char* const told = (char*)segments[0].addr;
    if (me == 0) memset(told, 0, gasnet_nodes());
    meet();
    if (me != 0) {
        gasnet_put_val(0, told + me, 1, 1);
        while (requests == 0)
            gasnet_wait_syncnbi_puts();
        CHECK(requests == 1);
    } else {
        for (gasnet_node_t node = 1; node < gasnet_nodes(); ++node) {
            GASNET_BLOCKUNTIL(*(volatile char*)(told + node) == 1);
            OK(gasnet_AMRequestShort0(node, kAnySize));
        }
    }
    requests = 0;
    meet();
}

int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {ALL(ENTRIES) ENTRY(kAnyForm, of_any_form)
                                         ENTRY(kAnySize, of_any_size)};
    int sent = 0;
    for (int i = 0; i < kBytes; ++i)
        payload[i] = (char)(i * 7);
    start(argc, argv, table, (int)(sizeof table / sizeof *table), 1 << 20);
    CHECK(gasnet_AMMaxArgs() == 16 && gasnet_AMMaxMedium() >= 8192 &&
          gasnet_AMMaxLongRequest() >= 1 << 20 && gasnet_AMMaxLongReply() >= 1 << 20);
    test_wait_for_the_first_message();
    for (gasnet_node_t k = 0; k < gasnet_nodes(); ++k) {
        const gasnet_node_t node = (gasnet_mynode() + k) % gasnet_nodes();
        char* const to = place(node, gasnet_mynode(), 0);
        ALL(SEND)
    }
    meet(); /* nodes that wait there serve the others */
    CHECK(requests == sent && replies == sent);
    OK(gasnet_AMPoll());
    requests = 0;
    meet();
    for (gasnet_node_t node = 0; node < gasnet_nodes(); ++node)
        send_forms(node);
    GASNET_BLOCKUNTIL(all_forms_have_come());
    test_waits_that_poll();
    end();
}
