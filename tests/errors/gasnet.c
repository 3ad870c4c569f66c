/* GASNet: what a core call refuses, and what ends the job. */
#include "cases.h"

#include <gasnet.h>
#include <gasnet_vis.h>

enum { kId = 200, kOther = 201 };

static char bytes[1 << 15];
static int handled;
static void (*inside)(gasnet_token_t token);
static gasnet_seginfo_t segments[64];

static void handler(gasnet_token_t token) {
    if (inside) inside(token);
    ++handled;
}
static void nothing(gasnet_token_t token) {
    (void)token;
    ++handled;
}
static void initialise(void) {
    gasnet_init(NULL, NULL);
}
static void begin(void) {
    gasnet_handlerentry_t table[] = {{kId, (isthmus_gasnet_handler)handler},
                                     {kOther, (isthmus_gasnet_handler)nothing}};
    initialise();
    gasnet_attach(table, 2, GASNET_PAGESIZE, 0);
    gasnet_getSegmentInfo(segments, (int)gasnet_nodes());
}

/* One call, by node 0. */
#define NOT_AT_ALL()
#define CALLED(name, prepare, call)     \
    static void name(int me, int pes) { \
        prepare();                      \
        (void)pes;                      \
        if (me == 0) {                  \
            call;                       \
        }                               \
        shmem_barrier_all();            \
    }
CALLED(no_node, begin, sink = gasnet_AMRequestShort0((gasnet_node_t)pes, kId))
CALLED(arguments, begin,
       sink = gasnet_AMRequestShort(1, kId, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
CALLED(payload, begin, sink = gasnet_AMRequestMedium0(1, kId, bytes, 16385))
CALLED(long_dest, begin, sink = gasnet_AMRequestLong0(1, kId, bytes, 8, &me))
CALLED(waitmode, begin, sink = gasnet_set_waitmode(9))
CALLED(early_poll, NOT_AT_ALL, sink = gasnet_AMPoll())
CALLED(early_info, initialise, sink = gasnet_getSegmentInfo(segments, 1))
CALLED(early_barrier, initialise, gasnet_barrier_notify(0, 0))
CALLED(init_twice, begin, initialise())
CALLED(attach_twice, begin, sink = gasnet_attach(NULL, 0, 0, 0))
CALLED(put_node, begin, gasnet_put(gasnet_nodes(), segments[0].addr, bytes, 8))
CALLED(put_outside, begin, gasnet_put(1, (char*)segments[1].addr + GASNET_PAGESIZE, bytes, 8))
CALLED(get_value, begin, (void)gasnet_get_nb_val(1, segments[1].addr, 9))
CALLED(put_value, begin, gasnet_put_val(1, segments[1].addr, 1, 9))
CALLED(get_value_now, begin, sink = (int)gasnet_get_val(1, segments[1].addr, 9))
CALLED(no_handle, begin, gasnet_wait_syncnb((gasnet_handle_t)0x1234))
CALLED(no_payload, begin, sink = gasnet_AMRequestMedium0(1, kId, NULL, 8))
CALLED(no_token, begin, sink = gasnet_AMReplyShort0(NULL, kOther))
CALLED(wait_alone, begin, sink = gasnet_barrier_wait(0, 0))
static void collect(gasnet_team_handle_t team, gasnet_image_t root) {
    gasnet_coll_broadcast(team, bytes, root, bytes, 8,
                          GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL);
}
static void add(void* results, size_t count, const void* left, size_t left_count, const void* right,
                size_t size, int flags, int arg) {
    (void)left_count;
    (void)flags;
    (void)arg;
    for (size_t i = 0; i < count * size; ++i)
        ((char*)results)[i] = (char)(((const char*)left)[i] + ((const char*)right)[i]);
}
static void reduce(size_t block, int function) {
    gasnet_coll_reduce(GASNET_TEAM_ALL, 0, bytes, bytes, block, 0, 8, 1, function, 0,
                       GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL);
}
static void scan(size_t block, int flags) {
    static gasnet_coll_fn_entry_t table[] = {{add, 0}};
    gasnet_coll_init(NULL, 0, table, 1, 0);
    gasnet_coll_scan(GASNET_TEAM_ALL, bytes, block, 0, bytes, 0, 0, 8, 1, 0, 0,
                     flags | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL);
}
static void images(void) {
    const gasnet_image_t two[] = {1, 2, 1, 1};
    gasnet_coll_init(two, 0, NULL, 0, 0);
}
CALLED(no_team, begin, collect(NULL, 0))
CALLED(no_image, begin, collect(GASNET_TEAM_ALL, gasnet_nodes()))
CALLED(many_images, begin, images())
CALLED(reduce_blocks, begin, reduce(4, 0))
CALLED(reduce_function, begin, reduce(0, 3))
CALLED(scan_blocks, begin, scan(4, GASNET_COLL_INCLUSIVE_SCAN))
CALLED(scan_kind, begin, scan(0, 0))
CALLED(max_segsize, initialise, sink = (int)gasnet_nodes())
CALLED(no_rank, begin, (void)gasnet_coll_team_rank2node(GASNET_TEAM_ALL, -1))
static void split(int me, int pes) {
    (void)pes;
    begin();
    (void)gasnet_coll_team_split(GASNET_TEAM_ALL, 7, (gasnet_node_t)me + 1, NULL);
}
static void split_same(int me, int pes) {
    (void)me;
    (void)pes;
    begin();
    (void)gasnet_coll_team_split(GASNET_TEAM_ALL, 7, 0, NULL);
}
static gasnet_team_handle_t begin_team(void) {
    begin();
    return gasnet_coll_team_split(GASNET_TEAM_ALL, 0, gasnet_mynode(), NULL);
}
static void team_wait(int me, int pes) {
    (void)pes;
    const gasnet_team_handle_t team = begin_team();
    if (me == 0) sink = gasnet_coll_barrier_wait(team, 0, 0);
    shmem_barrier_all();
}
static void team_notify(int me, int pes) {
    (void)pes;
    const gasnet_team_handle_t team = begin_team();
    gasnet_coll_barrier_notify(team, 0, 0);
    if (me == 0) gasnet_coll_barrier_notify(team, 0, 0);
    shmem_barrier_all();
}
static void other_sizes(int me, int pes) {
    (void)pes;
    begin();
    char block[16];
    gasnet_coll_broadcast(GASNET_TEAM_ALL, block, 0, bytes, me == 0 ? 16 : 8,
                          GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL);
    shmem_barrier_all();
}
CALLED(end_region, begin, (void)gasnet_end_nbi_accessregion())
static void notify_twice(int me, int pes) {
    (void)pes;
    begin();
    gasnet_barrier_notify(0, 0);
    if (me == 0) gasnet_barrier_notify(0, 0);
    shmem_barrier_all();
}
static void in_region(int me, int pes) {
    (void)pes;
    begin();
    gasnet_begin_nbi_accessregion();
    if (me == 0) gasnet_wait_syncnbi_puts();
    shmem_barrier_all();
}
static void pieces(int me, int pes) {
    gasnet_memvec_t to, from;
    (void)pes;
    begin();
    to.addr = segments[1].addr;
    to.len = 8;
    from.addr = bytes;
    from.len = 9;
    if (me == 0) gasnet_putv_bulk(1, 1, &to, 1, &from);
    shmem_barrier_all();
}

/* Tables and sizes of gasnet_attach, refused at both nodes; node 1 asks for what is right. */
static void attach(int me, gasnet_handlerentry_t* table, int entries, uintptr_t size) {
    initialise();
    sink = gasnet_attach(me == 0 ? table : NULL, me == 0 ? entries : 0, me == 0 ? size : 0, 0);
    /* Checked mode prints a line at the other node, too. */
    shmem_barrier_all();
}
#define ATTACHED(name, size, ...)                                                \
    static void name(int me, int pes) {                                          \
        gasnet_handlerentry_t table[] = {__VA_ARGS__};                           \
        (void)pes;                                                               \
        attach(me, table, (int)(sizeof table / sizeof *table), (uintptr_t)size); \
    }
ATTACHED(low_index, 0, {100, (isthmus_gasnet_handler)nothing})
ATTACHED(same_index, 0, {200, (isthmus_gasnet_handler)nothing},
         {200, (isthmus_gasnet_handler)handler})
ATTACHED(null_handler, 0, {200, 0})
ATTACHED(odd_size, 100, {200, (isthmus_gasnet_handler)nothing})
ATTACHED(large_size, (uintptr_t)1 << 40, {200, (isthmus_gasnet_handler)nothing})

/* In a handler of node 0's own request. */
static void requests(gasnet_token_t token) {
    (void)token;
    gasnet_AMRequestShort0(1, kOther);
}
static void blocks(gasnet_token_t token) {
    (void)token;
    GASNET_BLOCKUNTIL(handled > 100);
}
static void replies_twice(gasnet_token_t token) {
    gasnet_AMReplyShort0(token, kOther);
    gasnet_AMReplyShort0(token, kOther);
}
#define INSIDE(name, what)                                  \
    static void name(int me, int pes) {                     \
        (void)pes;                                          \
        inside = what;                                      \
        begin();                                            \
        if (me == 0) sink = gasnet_AMRequestShort0(0, kId); \
        shmem_barrier_all();                                \
    }
static void waits(gasnet_token_t token) {
    (void)token;
    gasnet_wait_syncnbi_all();
}
static void polls_with_lock(int me, int pes) {
    static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
    (void)pes;
    begin();
    gasnet_hsl_lock(&lock);
    for (int i = 0; i < 100 && me == 0; ++i)
        sink = gasnet_AMPoll();
    gasnet_hsl_unlock(&lock);
    shmem_barrier_all();
}
INSIDE(request_in_handler, requests)
INSIDE(wait_in_handler, waits)
INSIDE(block_in_handler, blocks)
INSIDE(reply_twice, replies_twice)
static void meets(gasnet_token_t token) {
    (void)token;
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
}
static void replies_to_nothing(gasnet_token_t token) {
    (void)token;
    sink = gasnet_AMReplyMedium0(NULL, kOther, bytes, 8);
}
static void asks_of_null(gasnet_token_t token) {
    gasnet_node_t source;
    (void)token;
    sink = gasnet_AMGetMsgSource(NULL, &source);
}
static void tells_nowhere(gasnet_token_t token) {
    sink = gasnet_AMGetMsgSource(token, NULL);
}
static void replies_with_lock(gasnet_token_t token) {
    static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
    gasnet_hsl_lock(&lock);
    sink = gasnet_AMReplyShort0(token, kOther);
    gasnet_hsl_unlock(&lock);
}
INSIDE(barrier_in_handler, meets)
static void notifies(gasnet_token_t token) {
    (void)token;
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
}
INSIDE(notify_in_handler, notifies)
INSIDE(null_token, replies_to_nothing)
INSIDE(source_null, asks_of_null)
INSIDE(source_nowhere, tells_nowhere)
INSIDE(reply_with_lock, replies_with_lock)
static gasnet_token_t kept;
static void keeps(gasnet_token_t token) {
    kept = token;
}
static void reply_later(int me, int pes) {
    (void)pes;
    inside = keeps;
    begin();
    if (me == 0) {
        sink = gasnet_AMRequestShort0(0, kId);
        sink = gasnet_AMReplyShort0(kept, kOther);
    }
    shmem_barrier_all();
}
static void not_registered(int me, int pes) {
    (void)pes;
    begin();
    if (me == 0) sink = gasnet_AMRequestShort0(0, 222);
    shmem_barrier_all();
}

static void wait_for_value(int times) {
    const gasnet_valget_handle_t handle = gasnet_get_nb_val(1, segments[1].addr, 8);
    while (times-- > 0)
        sink = (int)gasnet_wait_syncnb_valget(handle);
}
CALLED(value_twice, begin, wait_for_value(2))
static gasnet_hsl_t held = GASNET_HSL_INITIALIZER;
CALLED(put_with_lock, begin, gasnet_hsl_lock(&held); gasnet_put(1, segments[1].addr, bytes, 8))
CALLED(collective_with_lock, begin, gasnet_hsl_lock(&held); collect(GASNET_TEAM_ALL, 0))

const struct Case cases[] = {
    {"no_node", no_node},
    {"arguments", arguments},
    {"payload", payload},
    {"long_dest", long_dest},
    {"waitmode", waitmode},
    {"early_poll", early_poll},
    {"early_info", early_info},
    {"early_barrier", early_barrier},
    {"init_twice", init_twice},
    {"attach_twice", attach_twice},
    {"put_node", put_node},
    {"put_outside", put_outside},
    {"get_value", get_value},
    {"put_value", put_value},
    {"get_value_now", get_value_now},
    {"no_handle", no_handle},
    {"no_payload", no_payload},
    {"no_token", no_token},
    {"barrier_in_handler", barrier_in_handler},
    {"notify_in_handler", notify_in_handler},
    {"null_token", null_token},
    {"source_null", source_null},
    {"source_nowhere", source_nowhere},
    {"reply_with_lock", reply_with_lock},
    {"wait_alone", wait_alone},
    {"no_team", no_team},
    {"no_image", no_image},
    {"many_images", many_images},
    {"reduce_blocks", reduce_blocks},
    {"reduce_function", reduce_function},
    {"scan_blocks", scan_blocks},
    {"scan_kind", scan_kind},
    {"max_segsize", max_segsize},
    {"no_rank", no_rank},
    {"split", split},
    {"split_same", split_same},
    {"team_wait", team_wait},
    {"team_notify", team_notify},
    {"other_sizes", other_sizes},
    {"end_region", end_region},
    {"notify_twice", notify_twice},
    {"in_region", in_region},
    {"pieces", pieces},
    {"low_index", low_index},
    {"same_index", same_index},
    {"null_handler", null_handler},
    {"odd_size", odd_size},
    {"large_size", large_size},
    {"request_in_handler", request_in_handler},
    {"wait_in_handler", wait_in_handler},
    {"polls_with_lock", polls_with_lock},
    {"block_in_handler", block_in_handler},
    {"reply_twice", reply_twice},
    {"reply_later", reply_later},
    {"not_registered", not_registered},
    {"value_twice", value_twice},
    {"put_with_lock", put_with_lock},
    {"collective_with_lock", collective_with_lock},
    {NULL, NULL},
};
