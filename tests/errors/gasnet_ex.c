/* GASNet-EX: what a call refuses, said in checked mode, and what ends the job. */
#include "cases.h"

#include <gasnetex.h>

#include <gasnet_coll.h>
#include <gasnet_mk.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

enum { kShort = 200, kOther = 201, kReplied = 202 };

static char bytes[1 << 15];
static gex_Client_t client;
static gex_EP_t endpoint;
static gex_TM_t team;
static gex_Segment_t segment;
static void* bases[2];

static void (*inside)(gex_Token_t token);

static void handler(gex_Token_t token, gex_AM_Arg_t a) {
    (void)a;
    if (inside) inside(token);
}
static void replied(gex_Token_t token) {
    (void)token;
}
static void prepares_twice(gex_Token_t token, void* buffer, size_t nbytes) {
    (void)buffer;
    (void)nbytes;
    (void)gex_AM_PrepareReplyMedium(token, NULL, 1, 8, NULL, 0, 0);
    (void)gex_AM_PrepareReplyMedium(token, NULL, 1, 8, NULL, 0, 0);
}
static void initialise(void) {
    gex_Client_Init(&client, &endpoint, &team, "ERRORS", NULL, NULL, 0);
}
static void begin(void) {
    gex_AM_Entry_t table[] = {
        {kShort, (gex_AM_Fn_t)handler, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "handler"},
        {kOther, (gex_AM_Fn_t)prepares_twice, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL,
         "other"},
        {kReplied, (gex_AM_Fn_t)replied, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL,
         "replied"}};
    initialise();
    gex_EP_RegisterHandlers(endpoint, table, 3);
    gex_Segment_Attach(&segment, team, GASNET_PAGESIZE);
    gex_Segment_QueryBound(team, 0, &bases[0], NULL, NULL);
    gex_Segment_QueryBound(team, 1, &bases[1], NULL, NULL);
}

/* One call, by rank 0. */
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
CALLED(early, NOT_AT_ALL, sink = gex_RMA_PutBlocking(ISTHMUS_GEX_ALL, 0, bytes, bytes, 8, 0))
CALLED(init_twice, begin, initialise())
CALLED(no_rank, begin, sink = gex_AM_RequestShort1(team, (gex_Rank_t)pes, kShort, 0, 1))
/* What comes and its handler does not take, and what a handler may not do. */
CALLED(not_registered, begin, sink = gex_AM_RequestShort0(team, 0, 222, 0))
CALLED(wrong_arguments, begin, sink = gex_AM_RequestShort2(team, 0, kShort, 0, 1, 2))
CALLED(wrong_message, begin,
       sink = gex_AM_RequestMedium1(team, 0, kShort, bytes, 8, GEX_EVENT_NOW, 0, 1))
CALLED(wrong_direction, begin, sink = gex_AM_RequestShort0(team, 0, kReplied, 0))
static void requests(gex_Token_t token) {
    (void)token;
    sink = gex_AM_RequestShort1(team, 0, kShort, 0, 1);
}
static void blocks(gex_Token_t token) {
    (void)token;
    GASNET_BLOCKUNTIL(inside == NULL);
}
/* Begun outside of the handler, and under way. */
static gex_Event_t under_way;
static void waits(gex_Token_t token) {
    (void)token;
    gex_Event_Wait(under_way);
}
static void waits_for_all(gex_Token_t token) {
    (void)token;
    gex_Event_WaitAll(&under_way, 1, 0);
}
static void begins(gex_Token_t token) {
    (void)token;
    under_way = gex_Coll_BarrierNB(team, 0);
}
static void puts_word(gex_Token_t token) {
    (void)token;
    sink = gex_RMA_PutBlocking(team, 1, bases[1], bytes, 8, 0);
}
static void puts_pieces(gex_Token_t token) {
    (void)token;
    sink = gex_VIS_StridedPutBlocking(team, 1, bases[1], NULL, bytes, NULL, 8, NULL, 0, 0);
}
static void prepares(gex_Token_t token) {
    (void)gex_AM_PrepareReplyMedium(token, NULL, 8, 8, NULL, 0, 0);
}
static void replies_later(gex_Token_t token) {
    sink = gex_AM_ReplyMedium0(token, kReplied, bytes, 8, GEX_EVENT_GROUP, 0);
}
static void asks_of_null(gex_Token_t token) {
    gex_Token_Info_t info;
    (void)token;
    sink = (int)gex_Token_Info(NULL, &info, GEX_TI_ALL);
}
static void tells_nowhere(gex_Token_t token) {
    sink = (int)gex_Token_Info(token, NULL, GEX_TI_ALL);
}
static void replies_twice(gex_Token_t token) {
    sink = gex_AM_ReplyShort0(token, kReplied, 0);
    sink = gex_AM_ReplyShort0(token, kReplied, 0);
}
#define INSIDE(name, what)                                               \
    static void name(int me, int pes) {                                  \
        (void)pes;                                                       \
        inside = what;                                                   \
        begin();                                                         \
        if (me == 0) sink = gex_AM_RequestShort1(team, 0, kShort, 0, 1); \
        shmem_barrier_all();                                             \
    }
INSIDE(request_in_handler, requests)
INSIDE(block_in_handler, blocks)
#define INSIDE_BEHIND(name, what, call)                         \
    static void name(int me, int pes) {                         \
        (void)pes;                                              \
        inside = what;                                          \
        begin();                                                \
        if (me == 0) {                                          \
            call;                                               \
            sink = gex_AM_RequestShort1(team, 0, kShort, 0, 1); \
        }                                                       \
        shmem_barrier_all();                                    \
    }
INSIDE_BEHIND(wait_in_handler, waits, under_way = gex_Coll_BarrierNB(team, 0))
INSIDE_BEHIND(wait_all_in_handler, waits_for_all, under_way = gex_Coll_BarrierNB(team, 0))
INSIDE(begin_in_handler, begins)
INSIDE(put_in_handler, puts_word)
INSIDE(pieces_in_handler, puts_pieces)
INSIDE(reply_group, replies_later)
INSIDE(info_null, asks_of_null)
INSIDE(info_nowhere, tells_nowhere)
INSIDE(prepare_alone, prepares)
INSIDE(reply_twice, replies_twice)
static void meets(gex_Token_t token) {
    (void)token;
    gex_Coll_BarrierBlocking(team, 0);
}
INSIDE(barrier_in_handler, meets)
static void commit_times(unsigned prepared, int times) {
    const gex_AM_SrcDesc_t message =
        gex_AM_PrepareRequestMedium(team, 1, NULL, 1, 8, NULL, 0, prepared);
    while (times-- > 0)
        gex_AM_CommitRequestMedium0(message, kOther, 4);
}
/* Between a Prepare and its end. */
static gex_AM_SrcDesc_t prepared(void) {
    return gex_AM_PrepareRequestMedium(team, 1, NULL, 8, 8, NULL, 0, 0);
}
CALLED(poll_prepared, begin, (void)prepared(); sink = gasnet_AMPoll())
CALLED(request_prepared, begin, (void)prepared(); sink = gex_AM_RequestShort0(team, 1, kShort, 0))
CALLED(put_prepared, begin, (void)prepared(); puts_word(NULL))
CALLED(begin_prepared, begin, (void)prepared(); begins(NULL))
/* And ends of another kind. */
CALLED(commit_long, begin, gex_AM_CommitRequestLong0(prepared(), kOther, 8, bases[1]))
CALLED(commit_reply, begin, gex_AM_CommitReplyMedium0(prepared(), kOther, 8))
CALLED(commit_reply_v2, begin, sink = gex_AM_CommitReplyMedium0_v2(prepared(), kOther, 8, 0))
CALLED(commit_no_op, begin, gex_AM_CommitRequestMedium0(GEX_AM_SRCDESC_NO_OP, kOther, 0))
CALLED(cancel_long, begin, sink = gex_AM_CancelRequestLong(prepared(), 0))
CALLED(cancel_no_op, begin, sink = gex_AM_CancelRequestMedium(GEX_AM_SRCDESC_NO_OP, 0))
static void cancel_twice(void) {
    const gex_AM_SrcDesc_t description = prepared();
    sink = gex_AM_CancelRequestMedium(description, 0);
    sink = gex_AM_CancelRequestMedium(description, 0);
}
CALLED(cancel_again, begin, cancel_twice())
static void commit_elsewhere(void) {
    const gex_AM_SrcDesc_t description =
        gex_AM_PrepareRequestLong(team, 1, NULL, 8, 8, bases[1], NULL, 0, 0);
    gex_AM_CommitRequestLong0(description, kOther, 8, (char*)bases[1] + 8);
}
CALLED(commit_dest, begin, commit_elsewhere())
CALLED(request_defer, begin,
       sink = gex_AM_RequestMedium0(team, 1, kOther, bytes, 8, GEX_EVENT_DEFER, 0))
CALLED(request_null, begin,
       sink = gex_AM_RequestLong0(team, 1, kOther, bytes, 8, bases[1], NULL, 0))
CALLED(no_event, begin, sink = gex_Event_Test((gex_Event_t)0x77))
CALLED(commit_twice, begin, commit_times(0, 2))
CALLED(commit_fewer, begin, commit_times(2, 1))
CALLED(put_value, begin, sink = gex_RMA_PutBlockingVal(team, 1, bases[1], 1, 9, 0))
static gex_Token_t kept;
static void keeps(gex_Token_t token) {
    kept = token;
}
static void reply_later(int me, int pes) {
    (void)pes;
    inside = keeps;
    begin();
    if (me == 0) {
        sink = gex_AM_RequestShort1(team, 0, kShort, 0, 1);
        sink = gex_AM_ReplyShort0(kept, kReplied, 0);
    }
    shmem_barrier_all();
}
CALLED(payload, begin,
       sink = gex_AM_RequestMedium0(team, 1, kOther, bytes, 16385, GEX_EVENT_NOW, 0))
CALLED(long_dest, begin,
       sink = gex_AM_RequestLong0(team, 1, kOther, bytes, 8, &me, GEX_EVENT_NOW, 0))
CALLED(put_rank, begin, sink = gex_RMA_PutBlocking(team, (gex_Rank_t)pes, bases[0], bytes, 8, 0))
CALLED(put_outside, begin,
       sink = gex_RMA_PutBlocking(team, 1, (char*)bases[1] + GASNET_PAGESIZE, bytes, 8, 0))
CALLED(no_team, begin, gex_Event_Wait(gex_Coll_BarrierNB(GEX_TM_INVALID, 0)))
CALLED(pair, begin, gex_Event_Wait(gex_Coll_BarrierNB(gex_TM_Pair(endpoint, 0), 0)))
CALLED(no_root, begin, gex_Event_Wait(gex_Coll_BroadcastNB(team, 2, bytes, bytes, 8, 0)))
CALLED(no_operation, begin,
       gex_Event_Wait(gex_Coll_ReduceToAllNB(team, bytes, bytes, GEX_DT_DBL, 8, 1, GEX_OP_XOR, NULL,
                                             NULL, 0)))
CALLED(element_size, begin,
       gex_Event_Wait(gex_Coll_ReduceToAllNB(team, bytes, bytes, GEX_DT_DBL, 4, 1, GEX_OP_ADD, NULL,
                                             NULL, 0)))
CALLED(no_function, begin,
       gex_Event_Wait(gex_Coll_ReduceToAllNB(team, bytes, bytes, GEX_DT_USER, 4, 1, GEX_OP_USER,
                                             NULL, NULL, 0)))
CALLED(wrong_count, begin, sink = gex_AM_RequestShort0(team, 0, kShort, 0))
CALLED(wrong_size, begin, sink = gex_AM_RequestShort0(team, 0, kOther, 0))
CALLED(prepare_twice, begin,
       sink = gex_AM_RequestMedium0(team, 0, kOther, bytes, 8, GEX_EVENT_NOW, 0))
CALLED(least, begin, (void)gex_AM_PrepareRequestMedium(team, 0, NULL, 16385, 20000, NULL, 0, 0))
static void commit(size_t nbytes) {
    gex_AM_SrcDesc_t description = gex_AM_PrepareRequestMedium(team, 0, NULL, 8, 8, NULL, 0, 0);
    gex_AM_CommitRequestMedium0(description, kOther, nbytes);
}
CALLED(commit_more, begin, commit(9))
static void cancel_and_commit(void) {
    gex_AM_SrcDesc_t description = gex_AM_PrepareRequestMedium(team, 0, NULL, 8, 8, NULL, 0, 0);
    gex_AM_CancelRequestMedium(description, 0);
    gex_AM_CommitRequestMedium0(description, kOther, 8);
}
CALLED(commit_nothing, begin, cancel_and_commit())
static void create_domain(gex_DT_t dt, gex_OP_t ops) {
    gex_AD_t domain;
    gex_AD_Create(&domain, team, dt, ops, 0);
    gex_Event_Wait(gex_AD_OpNB_I64(domain, NULL, 0, bases[0], GEX_OP_ADD, 1, 0, 0));
}
CALLED(domain_type, begin, create_domain(GEX_DT_USER, GEX_OP_ADD))
CALLED(domain_operations, begin, create_domain(GEX_DT_FLT, GEX_OP_XOR))
CALLED(other_type, begin, create_domain(GEX_DT_U64, GEX_OP_ADD))
CALLED(other_operation, begin, create_domain(GEX_DT_I64, GEX_OP_SUB))
CALLED(end_region, begin, gex_Event_Wait(gex_NBI_EndAccessRegion(0)))
CALLED(completion, begin, gex_VIS_SetPeerCompletionHandler(kOther, bytes, 128, 0))
CALLED(destroy_all, begin, sink = gex_TM_Destroy(team, NULL, 0))
static void make_kind(gex_MK_Class_t which) {
    gex_MK_Create_args_t arguments;
    gex_MK_t kind;
    memset(&arguments, 0, sizeof arguments);
    arguments.gex_class = which;
    sink = gex_MK_Create(&kind, client, &arguments, 0);
}
CALLED(kind, begin, make_kind(GEX_MK_CLASS_CUDA_UVA))
static void make_segment(void* address, uintptr_t length, gex_MK_t kind) {
    gex_Segment_t made;
    sink = gex_Segment_Create(&made, client, address, length, kind, 0);
}
CALLED(segment_elsewhere, begin, make_segment(&me, 4, GEX_MK_HOST))
CALLED(segment_large, begin, make_segment(NULL, (uintptr_t)1 << 46, GEX_MK_HOST))
CALLED(segment_kind, begin, make_segment(NULL, 64, GEX_MK_INVALID))
CALLED(bind_first, begin, sink = gex_EP_BindSegment(endpoint, segment, 0))
static void create_team(gex_Rank_t rank, gex_EP_Index_t index) {
    gex_EP_Location_t members[1];
    gex_TM_t made;
    members[0].gex_rank = rank;
    members[0].gex_ep_index = index;
    gex_TM_Create(&made, 1, team, members, 1, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
}
CALLED(member, begin, create_team(2, 0))
CALLED(not_named, begin, create_team(1, 0))
CALLED(member_endpoint, begin, create_team(0, 1))
static void register_entry(gex_Flags_t flags) {
    gex_AM_Entry_t entry = {210, (gex_AM_Fn_t)handler, flags, 1, NULL, NULL};
    sink = gex_EP_RegisterHandlers(endpoint, &entry, 1);
}
CALLED(table, begin, register_entry(GEX_FLAG_AM_SHORT))

const struct Case cases[] = {
    {"early", early},
    {"init_twice", init_twice},
    {"no_rank", no_rank},
    {"payload", payload},
    {"long_dest", long_dest},
    {"put_rank", put_rank},
    {"put_outside", put_outside},
    {"no_team", no_team},
    {"pair", pair},
    {"no_root", no_root},
    {"no_operation", no_operation},
    {"element_size", element_size},
    {"no_function", no_function},
    {"wrong_count", wrong_count},
    {"wrong_size", wrong_size},
    {"prepare_twice", prepare_twice},
    {"least", least},
    {"commit_more", commit_more},
    {"commit_nothing", commit_nothing},
    {"domain_type", domain_type},
    {"domain_operations", domain_operations},
    {"other_type", other_type},
    {"other_operation", other_operation},
    {"end_region", end_region},
    {"completion", completion},
    {"destroy_all", destroy_all},
    {"kind", kind},
    {"segment_elsewhere", segment_elsewhere},
    {"segment_large", segment_large},
    {"segment_kind", segment_kind},
    {"bind_first", bind_first},
    {"member", member},
    {"not_named", not_named},
    {"member_endpoint", member_endpoint},
    {"table", table},
    {"not_registered", not_registered},
    {"wrong_arguments", wrong_arguments},
    {"wrong_message", wrong_message},
    {"wrong_direction", wrong_direction},
    {"request_in_handler", request_in_handler},
    {"block_in_handler", block_in_handler},
    {"wait_in_handler", wait_in_handler},
    {"wait_all_in_handler", wait_all_in_handler},
    {"reply_twice", reply_twice},
    {"reply_later", reply_later},
    {"barrier_in_handler", barrier_in_handler},
    {"no_event", no_event},
    {"commit_twice", commit_twice},
    {"commit_fewer", commit_fewer},
    {"put_value", put_value},
    {"begin_in_handler", begin_in_handler},
    {"put_in_handler", put_in_handler},
    {"pieces_in_handler", pieces_in_handler},
    {"reply_group", reply_group},
    {"info_null", info_null},
    {"info_nowhere", info_nowhere},
    {"prepare_alone", prepare_alone},
    {"poll_prepared", poll_prepared},
    {"request_prepared", request_prepared},
    {"put_prepared", put_prepared},
    {"begin_prepared", begin_prepared},
    {"commit_long", commit_long},
    {"commit_reply", commit_reply},
    {"commit_reply_v2", commit_reply_v2},
    {"commit_no_op", commit_no_op},
    {"cancel_long", cancel_long},
    {"cancel_no_op", cancel_no_op},
    {"cancel_again", cancel_again},
    {"commit_dest", commit_dest},
    {"request_defer", request_defer},
    {"request_null", request_null},
    {NULL, NULL},
};
