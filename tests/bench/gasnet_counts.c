/* Calls of GASNet whose instructions are counted by callgrind, each in a function of its own
 * (message_counts.py). */
#include <gasnet.h>
#include <shmem.h>

#define PROBE __attribute__((noinline, noclone, used))
enum { kWarm = 3, kCalls = 10, kNothing = 200, kAnswers = 201, kAnswersEx = 203, kTakes = 204 };

/* In node 0's segment: `there` is what node 1 has sent for; in node 1's `go` what it is to send. */
struct words {
    volatile int64_t go, there, target;
    char landing[4096] __attribute__((aligned(64)));
};
static struct words* words;
_Static_assert(sizeof(struct words) <= 2 * GASNET_PAGESIZE, "the segment holds the words");

static void nothing(gasnet_token_t token) {
    (void)token;
}
static void nothing10(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b,
                      gasnet_handlerarg_t c, gasnet_handlerarg_t d, gasnet_handlerarg_t e,
                      gasnet_handlerarg_t f, gasnet_handlerarg_t g, gasnet_handlerarg_t h,
                      gasnet_handlerarg_t i, gasnet_handlerarg_t j) {
    (void)token;
    __asm__ __volatile__("" ::"r"(a + b + c + d + e + f + g + h + i + j));
}
static void takes(gasnet_token_t token, void* payload, size_t bytes) {
    (void)token;
    (void)payload;
    (void)bytes;
}
static void answers(gasnet_token_t token) {
    gasnet_AMReplyShort0(token, kNothing);
}

PROBE int probe_empty(int node) {
    __asm__ __volatile__("" ::"r"(node));
    return 0;
}
PROBE int probe_short0(gasnet_node_t node) {
    return gasnet_AMRequestShort0(node, kNothing);
}
PROBE int probe_short10(gasnet_node_t node, int a, int b, int c, int d, int e, int f, int g, int h,
                        int i, int j) {
    return gasnet_AMRequestShort10(node, 202, a, b, c, d, e, f, g, h, i, j);
}
PROBE int probe_self(gasnet_node_t node) {
    return gasnet_AMRequestShort0(node, kNothing);
}
PROBE int probe_medium512(gasnet_node_t node, void* payload) {
    return gasnet_AMRequestMedium0(node, kTakes, payload, 512);
}
PROBE int probe_long4096(gasnet_node_t node, void* payload, void* dest) {
    return gasnet_AMRequestLong0(node, kTakes, payload, 4096, dest);
}
/* What a copy of as much takes by itself. */
PROBE void probe_put512(int pe, const void* payload, void* dest) {
    shmem_putmem(dest, payload, 512, pe);
}
PROBE void probe_put4096(int pe, const void* payload, void* dest) {
    shmem_putmem(dest, payload, 4096, pe);
}
PROBE int probe_poll_idle(void) {
    return gasnet_AMPoll();
}
PROBE int probe_poll_one(void) {
    return gasnet_AMPoll();
}
PROBE int probe_poll_reply(void) {
    return gasnet_AMPoll();
}
PROBE void probe_put(gasnet_node_t node, void* dest, int64_t* source) {
    gasnet_put(node, dest, source, sizeof *source);
}
PROBE void probe_put_nb(gasnet_node_t node, void* dest, int64_t* source) {
    gasnet_wait_syncnb(gasnet_put_nb(node, dest, source, sizeof *source));
}

/* The same of GASNet-EX, through the team of all. */
static gex_TM_t team;
PROBE int probe_ex_short0(gex_Rank_t rank) {
    return gex_AM_RequestShort0(team, rank, kNothing, 0);
}
PROBE int probe_ex_short10(gex_Rank_t rank, int a, int b, int c, int d, int e, int f, int g, int h,
                           int i, int j) {
    return gex_AM_RequestShort10(team, rank, 202, 0, a, b, c, d, e, f, g, h, i, j);
}
PROBE int probe_ex_self(gex_Rank_t rank) {
    return gex_AM_RequestShort0(team, rank, kNothing, 0);
}
PROBE int probe_ex_medium512(gex_Rank_t rank, void* payload) {
    return gex_AM_RequestMedium0(team, rank, kTakes, payload, 512, GEX_EVENT_NOW, 0);
}
PROBE int probe_ex_long4096(gex_Rank_t rank, void* payload, void* dest) {
    return gex_AM_RequestLong0(team, rank, kTakes, payload, 4096, dest, GEX_EVENT_NOW, 0);
}
PROBE int probe_ex_poll_reply(void) {
    return gasnet_AMPoll();
}
PROBE void probe_ex_put(gex_TM_t to, gex_Rank_t rank, void* dest, int64_t* source) {
    gex_RMA_PutBlocking(to, rank, dest, source, sizeof *source, 0);
}
PROBE void probe_ex_put_nb(gex_TM_t to, gex_Rank_t rank, void* dest, int64_t* source) {
    gex_Event_Wait(gex_RMA_PutNB(to, rank, dest, source, sizeof *source, GEX_EVENT_NOW, 0));
}
static void answers_ex(gex_Token_t token) {
    gex_AM_ReplyShort0(token, kNothing, 0);
}

/* A request of node 1's for this handler lies here when it returns. */
static void have_sent(int handler) {
    static int64_t times;
    const int64_t word = ++times * 256 + handler;
    gasnet_put_val(1, (void*)&words->go, (gasnet_register_value_t)word, 8);
    while (words->there != word) {
    }
}
static void send_when_told(void) {
    for (int64_t last = 0;;) {
        while (words->go == last)
            gasnet_AMPoll();
        last = words->go;
        if (last < 0) return;
        gasnet_AMRequestShort0(0, (gasnet_handler_t)(last % 256));
        gasnet_put_val(0, (void*)&words->there, (gasnet_register_value_t)last, 8);
    }
}

int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {{kNothing, (isthmus_gasnet_handler)nothing},
                                     {kAnswers, (isthmus_gasnet_handler)answers},
                                     {202, (isthmus_gasnet_handler)nothing10},
                                     {kTakes, (isthmus_gasnet_handler)takes}};
    gex_AM_Entry_t entry = {
        kAnswersEx,  (gex_AM_Fn_t)answers_ex, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL,
        "answers_ex"};
    gex_EP_t endpoint;
    gasnet_seginfo_t segments[2];
    int64_t value = 5;
    static char payload[4096];
    shmem_init();
    gasnet_init(&argc, &argv);
    gasnet_attach(table, 4, 2 * GASNET_PAGESIZE, 0);
    gasnet_getSegmentInfo(segments, 2);
    gasnet_QueryGexObjects(NULL, &endpoint, &team, NULL);
    gex_EP_RegisterHandlers(endpoint, &entry, 1);
    words = (struct words*)segments[0].addr;
    words->go = words->there = 0;
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0) {
        for (int i = 0; i < kWarm + kCalls; ++i) {
            probe_empty(1);
            probe_short0(1);
            probe_short10(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
            probe_medium512(1, payload);
            probe_long4096(1, payload, words->landing);
            probe_put512(1, payload, words->landing);
            probe_put4096(1, payload, words->landing);
            probe_self(0);
            probe_poll_idle();
            have_sent(kNothing);
            probe_poll_one();
            have_sent(kAnswers);
            probe_poll_reply();
            probe_put(1, (void*)&words->target, &value);
            probe_put_nb(1, (void*)&words->target, &value);
            probe_ex_short0(1);
            probe_ex_short10(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
            probe_ex_medium512(1, payload);
            probe_ex_long4096(1, payload, words->landing);
            probe_ex_self(0);
            have_sent(kAnswersEx);
            probe_ex_poll_reply();
            probe_ex_put(team, 1, (void*)&words->target, &value);
            probe_ex_put_nb(team, 1, (void*)&words->target, &value);
        }
        gasnet_put_val(1, (void*)&words->go, (gasnet_register_value_t)-1, 8);
    } else {
        send_when_told();
    }
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
}
