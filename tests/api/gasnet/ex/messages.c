/* Active messages: every number of arguments, sizes, requests and replies, with fixed payload, with
 * arguments that are counted, and negotiated; tokens, limits, and IMMEDIATE. To every process. */
#include <unistd.h>

#include "../values.h"
#include "check.h"

enum {
    kBytes = 1000,
    kShort = 128,
    kMedium = 145,
    kLong = 162,
    kReplyShort = 179,
    kReplyMedium = 196,
    kReplyLong = 213,
    kFlood = 230,
    kFloodReply = 231
};
static char payload[kBytes];
static int requests, replies, floods, flood_replies;

/* Where process `from` puts at process `to`; the second half is for replies. */
static char* place(gex_Rank_t to, gex_Rank_t from, int half) {
    return bases[to] + (from * 2 + (gex_Rank_t)half) * 2048;
}
static gex_AM_Arg_t value(int i) {
    return (gex_AM_Arg_t)(0x70000001u * (unsigned)(i + 1));
}
static void __attribute__((__unused__)) check_arguments(const gex_AM_Arg_t* got, int count) {
    int i;
    for (i = 0; i < count; ++i)
        CHECK(got[i] == value(i));
}
static void check_payload(const void* buf, size_t nbytes) {
    int i;
    CHECK(nbytes == kBytes);
    for (i = 0; i < kBytes; ++i)
        CHECK(((const char*)buf)[i] == (char)(i * 7));
}
static gex_Rank_t source_of(gex_Token_t token, int is_request, int is_long, int index) {
    gex_Token_Info_t info;
    CHECK(gex_Token_Info(token, &info, GEX_TI_ALL) == GEX_TI_ALL);
    CHECK(info.gex_srcrank < ranks && info.gex_ep == endpoint);
    CHECK(!info.gex_is_req == !is_request && !info.gex_is_long == !is_long);
    CHECK(info.gex_entry->gex_index == index && info.gex_entry->gex_cdata == &payload[index]);
    CHECK(gex_Token_Info(token, &info, GEX_TI_EP) == GEX_TI_EP);
    return info.gex_srcrank;
}
static void fill(void* to) {
    memcpy(to, payload, kBytes);
}

#define NO_ARGUMENTS(M)
#define ARGUMENTS(M)                                      \
    const gex_AM_Arg_t got[] = {ISTHMUS_GASNET_LIST_##M}; \
    check_arguments(got, M);
#define HANDLERS_OF(M, GET)                                                                        \
    static void reply_short_##M(gex_Token_t token ISTHMUS_GASNET_PARAMETERS_##M) {                 \
        GET(M)                                                                                     \
        source_of(token, 0, 0, kReplyShort + M);                                                   \
        ++replies;                                                                                 \
    }                                                                                              \
    static void reply_medium_##M(gex_Token_t token, void* buf,                                     \
                                 size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                    \
        GET(M)                                                                                     \
        source_of(token, 0, 0, kReplyMedium + M);                                                  \
        check_payload(buf, nbytes);                                                                \
        ++replies;                                                                                 \
    }                                                                                              \
    static void reply_long_##M(gex_Token_t token, void* buf,                                       \
                               size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                      \
        GET(M)                                                                                     \
        CHECK((char*)buf == place(me, source_of(token, 0, 1, kReplyLong + M), 1));                 \
        check_payload(buf, nbytes);                                                                \
        ++replies;                                                                                 \
    }                                                                                              \
    static void short_##M(gex_Token_t token ISTHMUS_GASNET_PARAMETERS_##M) {                       \
        GET(M)                                                                                     \
        source_of(token, 1, 0, kShort + M);                                                        \
        if (++requests % 2 == 0)                                                                   \
            OK(gex_AM_ReplyShort##M(token, kReplyShort + M, 0 VALUES_##M));                        \
        else                                                                                       \
            OK(gex_AM_ReplyShort(token, kReplyShort + M, 0 VALUES_##M));                           \
    }                                                                                              \
    static void medium_##M(gex_Token_t token, void* buf,                                           \
                           size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                          \
        gex_AM_SrcDesc_t description;                                                              \
        GET(M)                                                                                     \
        source_of(token, 1, 0, kMedium + M);                                                       \
        CHECK((uintptr_t)buf % 16 == 0);                                                           \
        check_payload(buf, nbytes);                                                                \
        memset(buf, 0, nbytes);                                                                    \
        switch (++requests % 4) {                                                                  \
            case 0:                                                                                \
                OK(gex_AM_ReplyMedium##M(token, kReplyMedium + M, payload, kBytes, GEX_EVENT_NOW,  \
                                         0 VALUES_##M));                                           \
                break;                                                                             \
            case 1:                                                                                \
                OK(gex_AM_ReplyMedium(token, kReplyMedium + M, payload, kBytes, GEX_EVENT_NOW,     \
                                      0 VALUES_##M));                                              \
                break;                                                                             \
            case 2:                                                                                \
                description = gex_AM_PrepareReplyMedium(token, NULL, kBytes, 8192, NULL, 0, M);    \
                fill(gex_AM_SrcDescAddr(description));                                             \
                gex_AM_CommitReplyMedium##M(description, kReplyMedium + M, kBytes VALUES_##M);     \
                break;                                                                             \
            default:                                                                               \
                description =                                                                      \
                    gex_AM_PrepareReplyMedium(token, payload, 1, kBytes, GEX_EVENT_NOW, 0, M);     \
                OK(gex_AM_CancelReplyMedium(description, 0));                                      \
                description =                                                                      \
                    gex_AM_PrepareReplyMedium(token, payload, 1, kBytes, GEX_EVENT_NOW, 0, M);     \
                gex_AM_CommitReplyMedium(description, kReplyMedium + M, kBytes VALUES_##M);        \
        }                                                                                          \
    }                                                                                              \
    static void long_##M(gex_Token_t token, void* buf,                                             \
                         size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                            \
        const gex_Rank_t source = source_of(token, 1, 1, kLong + M);                               \
        char* const back = place(source, me, 1);                                                   \
        gex_AM_SrcDesc_t description;                                                              \
        GET(M)                                                                                     \
        CHECK((char*)buf == place(me, source, 0));                                                 \
        check_payload(buf, nbytes);                                                                \
        memset(buf, 0, nbytes);                                                                    \
        switch (++requests % 4) {                                                                  \
            case 0:                                                                                \
                OK(gex_AM_ReplyLong##M(token, kReplyLong + M, payload, kBytes, back,               \
                                       GEX_EVENT_NOW, 0 VALUES_##M));                              \
                break;                                                                             \
            case 1:                                                                                \
                OK(gex_AM_ReplyLong(token, kReplyLong + M, payload, kBytes, back, GEX_EVENT_NOW,   \
                                    0 VALUES_##M));                                                \
                break;                                                                             \
            case 2:                                                                                \
                description =                                                                      \
                    gex_AM_PrepareReplyLong(token, NULL, kBytes, 8192, NULL, NULL, 0, M);          \
                fill(gex_AM_SrcDescAddr(description));                                             \
                gex_AM_CommitReplyLong##M(description, kReplyLong + M, kBytes, back VALUES_##M);   \
                break;                                                                             \
            default:                                                                               \
                description =                                                                      \
                    gex_AM_PrepareReplyLong(token, payload, 1, kBytes, back, GEX_EVENT_NOW, 0, M); \
                OK(gex_AM_CommitReplyLong##M##_v2(description, kReplyLong + M, kBytes, back,       \
                                                  0 VALUES_##M));                                  \
        }                                                                                          \
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
static void flood(gex_Token_t token, gex_AM_Arg_t last) {
    ++floods;
    if (last) OK(gex_AM_ReplyShort1(token, kFloodReply, 0, last));
}
static void flood_reply(gex_Token_t token, gex_AM_Arg_t last) {
    (void)token;
    (void)last;
    ++flood_replies;
}
#define ENTRY(ID, NAME, FLAGS, M) {ID, (gex_AM_Fn_t)NAME, FLAGS, M, &payload[ID], #NAME},
#define ENTRIES(M)                                                                        \
    ENTRY(kShort + M, short_##M, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, M)              \
    ENTRY(kMedium + M, medium_##M, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, M)           \
    ENTRY(kLong + M, long_##M, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQREP, M)                  \
    ENTRY(kReplyShort + M, reply_short_##M, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, M)     \
    ENTRY(kReplyMedium + M, reply_medium_##M, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REPLY, M) \
    ENTRY(kReplyLong + M, reply_long_##M, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REPLY, M)

static int sent;
static void await(void) {
    ++sent;
    GASNET_BLOCKUNTIL(replies == sent);
}
/* By each way, through this team, to this rank of it, which is process `rank` of the job. */
#define SEND(M)                                                                                    \
    OK(gex_AM_RequestShort##M(team, at, kShort + M, 0 VALUES_##M));                                \
    await();                                                                                       \
    OK(gex_AM_RequestShort(team, at, kShort + M, 0 VALUES_##M));                                   \
    await();                                                                                       \
    OK(gex_AM_RequestMedium##M(team, at, kMedium + M, payload, kBytes, GEX_EVENT_NOW,              \
                               0 VALUES_##M));                                                     \
    await();                                                                                       \
    event = GEX_EVENT_NO_OP;                                                                       \
    OK(gex_AM_RequestMedium(team, at, kMedium + M, payload, kBytes, &event, 0 VALUES_##M));        \
    gex_Event_Wait(event);                                                                         \
    await();                                                                                       \
    OK(gex_AM_RequestLong##M(team, at, kLong + M, payload, kBytes, to, GEX_EVENT_GROUP,            \
                             0 VALUES_##M));                                                       \
    gex_NBI_Wait(GEX_EC_AM, 0);                                                                    \
    await();                                                                                       \
    OK(gex_AM_RequestLong(team, at, kLong + M, payload, kBytes, to, GEX_EVENT_NOW, 0 VALUES_##M)); \
    await();                                                                                       \
    description = gex_AM_PrepareRequestMedium(team, at, NULL, kBytes, kBytes, NULL, 0, M);         \
    CHECK(gex_AM_SrcDescSize(description) == kBytes);                                              \
    CHECK((uintptr_t)gex_AM_SrcDescAddr(description) % 16 == 0);                                   \
    fill(gex_AM_SrcDescAddr(description));                                                         \
    gex_AM_CommitRequestMedium##M(description, kMedium + M, kBytes VALUES_##M);                    \
    await();                                                                                       \
    description = gex_AM_PrepareRequestMedium(team, at, payload, 1, 1 << 30, &event, 0, M);        \
    CHECK(gex_AM_SrcDescAddr(description) == payload &&                                            \
          gex_AM_SrcDescSize(description) <= 1 << 30);                                             \
    gex_AM_CommitRequestMedium(description, kMedium + M, kBytes VALUES_##M);                       \
    gex_Event_Wait(event);                                                                         \
    await();                                                                                       \
    description = gex_AM_PrepareRequestLong(team, at, NULL, kBytes, 1 << 30, NULL, NULL, 0, M);    \
    CHECK(gex_AM_SrcDescSize(description) >= kBytes);                                              \
    OK(gex_AM_CancelRequestLong(description, 0));                                                  \
    description = gex_AM_PrepareRequestLong(team, at, NULL, kBytes, 1 << 30, NULL, NULL, 0, M);    \
    fill(gex_AM_SrcDescAddr(description));                                                         \
    gex_AM_CommitRequestLong##M(description, kLong + M, kBytes, to VALUES_##M);                    \
    await();                                                                                       \
    description =                                                                                  \
        gex_AM_PrepareRequestLong(team, at, payload, 1, kBytes, to, GEX_EVENT_NOW, 0, M);          \
    gex_AM_CommitRequestLong(description, kLong + M, kBytes, to VALUES_##M);                       \
    await();                                                                                       \
    description = gex_AM_PrepareRequestMedium(team, at, payload, 1, kBytes, GEX_EVENT_NOW, 0, M);  \
    OK(gex_AM_CancelRequestMedium(description, 0));                                                \
    description = gex_AM_PrepareRequestMedium(team, at, payload, 1, kBytes, GEX_EVENT_NOW, 0, M);  \
    OK(gex_AM_CommitRequestMedium_v2(description, kMedium + M, kBytes, 0 VALUES_##M));             \
    await();

static void send_all(gex_TM_t team, gex_Rank_t at, gex_Rank_t rank) {
    char* const to = place(rank, me, 0);
    gex_AM_SrcDesc_t description;
    gex_Event_t event = GEX_EVENT_INVALID;
    ALL(SEND)
}

static void check_limits(void) {
    const gex_Event_t* const now = (const gex_Event_t*)GEX_EVENT_NOW;
    const gex_Rank_t last = ranks - 1;
    CHECK(gex_AM_MaxArgs() == 16);
    CHECK(gex_AM_LUBRequestMedium() >= 8192 && gex_AM_LUBReplyMedium() >= 8192);
    CHECK(gex_AM_LUBRequestLong() >= 1 << 20 && gex_AM_LUBReplyLong() >= 1 << 20);
    CHECK(gex_AM_MaxRequestMedium(all, GEX_RANK_INVALID, now, 0, 16) >= gex_AM_LUBRequestMedium());
    CHECK(gex_AM_MaxReplyMedium(all, last, now, 0, 16) >= gex_AM_LUBReplyMedium());
    CHECK(gex_AM_MaxRequestLong(all, last, now, 0, 16) >= gex_AM_LUBRequestLong());
    CHECK(gex_AM_MaxReplyLong(all, last, now, 0, 16) >= gex_AM_LUBReplyLong());
    CHECK(gex_AM_MaxRequestLong(all, last, NULL, GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 16) >= 512);
    CHECK(gex_AM_RequestShort0(all, ranks, kShort, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_AM_RequestMedium0(all, 0, kMedium, payload, gex_AM_LUBRequestMedium() + 1,
                                GEX_EVENT_NOW, 0) == GASNET_ERR_BAD_ARG);
}

/* More than there is room for, without waiting: what is refused is sent again behind a poll. */
static void check_immediate(void) {
    const gex_Rank_t next = (me + 1) % ranks;
    const int count = 20000;
    int i;
    meet();
    for (i = 1; i <= count; ++i) {
        while (gex_AM_RequestShort1(all, next, kFlood, GEX_FLAG_IMMEDIATE, i == count) != 0)
            gasnet_AMPoll();
    }
    GASNET_BLOCKUNTIL(flood_replies == 1 && floods == count);
    for (i = 0; i < 50; ++i) {
        gex_AM_SrcDesc_t description;
        while ((description = gex_AM_PrepareRequestMedium(all, next, NULL, kBytes, kBytes, NULL,
                                                          GEX_FLAG_IMMEDIATE, 0)) ==
               GEX_AM_SRCDESC_NO_OP)
            gasnet_AMPoll();
        fill(gex_AM_SrcDescAddr(description));
        gex_AM_CommitRequestMedium0(description, kMedium, kBytes);
        while (gex_AM_RequestLong0(all, next, kLong, payload, kBytes, place(next, me, 0),
                                   GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE) != 0)
            gasnet_AMPoll();
        sent += 2;
        GASNET_BLOCKUNTIL(replies == sent);
    }
}

/* Rank 1 does not poll: what rank 0 sends without waiting is refused when there is no room, nothing
 * of it comes, and all comes that was not refused. */
static void check_refusal(void) {
    volatile int64_t* const accepted = (volatile int64_t*)(bases[1 % ranks] + (1 << 20) - 64);
    int64_t count = 0;
    if (me == 1 % ranks) *accepted = 0;
    floods = 0;
    meet();
    if (ranks > 1 && me == 0) {
        while (gex_AM_RequestShort1(all, 1, kFlood, GEX_FLAG_IMMEDIATE, 0) == 0)
            CHECK(++count < 1 << 20);
        CHECK(count > 0);
        CHECK(gex_AM_RequestMedium0(all, 1, kMedium, payload, kBytes, GEX_EVENT_NOW,
                                    GEX_FLAG_IMMEDIATE) != 0);
        CHECK(gex_AM_RequestLong0(all, 1, kLong, payload, kBytes, place(1, 0, 0), GEX_EVENT_NOW,
                                  GEX_FLAG_IMMEDIATE) != 0);
        CHECK(gex_AM_PrepareRequestMedium(all, 1, NULL, kBytes, kBytes, NULL, GEX_FLAG_IMMEDIATE,
                                          0) == GEX_AM_SRCDESC_NO_OP);
        CHECK(gex_AM_PrepareRequestLong(all, 1, NULL, kBytes, kBytes, place(1, 0, 0), NULL,
                                        GEX_FLAG_IMMEDIATE, 0) == GEX_AM_SRCDESC_NO_OP);
        gex_RMA_PutBlocking(all, 1, (void*)accepted, &count, sizeof count, 0);
    }
    if (ranks > 1 && me == 1) {
        const int before = requests;
        while (*accepted == 0)
            usleep(100);
        GASNET_BLOCKUNTIL(floods == *accepted);
        CHECK(requests == before);
    }
    meet();
    CHECK(ranks == 1 || me == 1 || floods == 0);
}

int main(int argc, char** argv) {
    gex_AM_Entry_t table[] = {
        ALL(ENTRIES) ENTRY(kFlood, flood, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1)
            ENTRY(kFloodReply, flood_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1)};
    gex_TM_t reversed;
    gex_Rank_t k;
    int i;
    for (i = 0; i < kBytes; ++i)
        payload[i] = (char)(i * 7);
    start(&argc, &argv, table, sizeof table / sizeof *table, 1 << 20);
    check_limits();
    gex_TM_Split(&reversed, all, 0, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    for (k = 0; k < ranks; ++k) {
        const gex_Rank_t rank = (me + k) % ranks;
        send_all(all, rank, rank);
        send_all(reversed, ranks - 1 - rank, rank);
        send_all(gex_TM_Pair(endpoint, 0), rank, rank);
    }
    meet();
    CHECK(requests == sent && replies == sent);
    check_immediate();
    check_refusal();
    end();
}
