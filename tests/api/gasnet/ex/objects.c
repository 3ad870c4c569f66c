/* The client, endpoints, segments, pairs, memory kinds, and what the system tells. */
#include "check.h"

#include <gasnet_mk.h>

static void* hooked;
static void hook(void* base, uintptr_t size) {
    CHECK(size == (me + 1) * 4 * (uintptr_t)GASNET_PAGESIZE);
    hooked = base;
}
static void nothing(gex_Token_t token) {
    (void)token;
}

static void check_system(void) {
    gex_RankInfo_t *neighbours, *host;
    gex_Rank_t neighbour_count, my_neighbour, host_count, my_host, nbrhds, nbrhd, hosts, on;
    gex_Rank_t i;
    CHECK(gex_System_QueryJobRank() == me && gex_System_QueryJobSize() == ranks);
    gex_System_QueryNbrhdInfo(&neighbours, &neighbour_count, &my_neighbour);
    gex_System_QueryHostInfo(&host, &host_count, &my_host);
    CHECK(neighbours[my_neighbour].gex_jobrank == me && host[my_host].gex_jobrank == me);
    CHECK(neighbour_count >= 1 && neighbour_count <= host_count && host_count <= ranks);
    for (i = 1; i < neighbour_count; ++i)
        CHECK(neighbours[i - 1].gex_jobrank < neighbours[i].gex_jobrank);
    for (i = 1; i < host_count; ++i)
        CHECK(host[i - 1].gex_jobrank < host[i].gex_jobrank);
    gex_System_QueryNbrhdInfo(NULL, NULL, NULL);
    gex_System_QueryMyPosition(&nbrhds, &nbrhd, &hosts, &on);
    CHECK(nbrhd < nbrhds && on < hosts && hosts <= nbrhds && nbrhds <= ranks);
    gex_System_QueryMyPosition(NULL, NULL, NULL, NULL);
    CHECK(gex_System_QueryMaxThreads() >= 1);
    CHECK(gex_System_QueryHiddenAMConcurrencyLevel() == GASNET_HIDDEN_AM_CONCURRENCY_LEVEL);
    gex_System_SetVerboseErrors(1);
    CHECK(gex_System_GetVerboseErrors() == 1);
    gex_System_SetVerboseErrors(0);
    CHECK(gex_System_GetVerboseErrors() == 0);
}

static void check_data(void) {
    static int data[5];
    gex_Client_SetCData(client, &data[0]);
    gex_EP_SetCData(endpoint, &data[1]);
    gex_TM_SetCData(all, &data[2]);
    gex_Segment_SetCData(segment, &data[3]);
    CHECK(gex_Client_QueryCData(client) == &data[0] && gex_EP_QueryCData(endpoint) == &data[1]);
    CHECK(gex_TM_QueryCData(all) == &data[2] && gex_Segment_QueryCData(segment) == &data[3]);
    CHECK(strcmp(gex_Client_QueryName(client), "test") == 0);
    CHECK(gex_Client_QueryFlags(client) == GEX_FLAG_DEFER_THREADS);
    CHECK(gex_EP_QueryClient(endpoint) == client && gex_EP_QueryIndex(endpoint) == 0);
    CHECK(gex_EP_QueryFlags(endpoint) == 0);
    CHECK(gex_EP_QueryCapabilities(endpoint) == GEX_EP_CAPABILITY_ALL);
    CHECK(gex_EP_QuerySegment(endpoint) == segment);
    CHECK(gex_TM_QueryClient(all) == client && gex_TM_QueryEP(all) == endpoint);
    CHECK(gex_TM_QueryFlags(all) == 0 && gex_Segment_QueryFlags(segment) == 0);
    CHECK(gex_Segment_QueryClient(segment) == client);
    CHECK(gex_Segment_QueryAddr(segment) == bases[me]);
    CHECK(gex_Segment_QuerySize(segment) == (me + 1) * 4 * (uintptr_t)GASNET_PAGESIZE);
}

/* One more endpoint at each process, of memory of the library's; others reach it by a pair. */
static void check_endpoints(void) {
    const gex_Rank_t next = (me + 1) % ranks;
    gex_EP_t more, none;
    gex_Segment_t memory, refused = GEX_SEGMENT_INVALID;
    gex_EP_t endpoints[2];
    gex_TM_t pair;
    void *owner, *local;
    uintptr_t size;
    uint64_t word = 7700 + me, got = 0;
    int i;
    char own[64];
    OK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_RMA, 0));
    CHECK(gex_EP_QueryIndex(more) == 1 && gex_EP_QuerySegment(more) == GEX_SEGMENT_INVALID);
    CHECK(gex_EP_QueryCapabilities(more) == GEX_EP_CAPABILITY_RMA);
    CHECK(gex_EP_Create(&none, client, 0, 0) == GASNET_ERR_BAD_ARG);
    /* Memory that nobody else reaches, no memory, and memory that there is not. */
    CHECK(gex_Segment_Create(&refused, client, own, sizeof own, GEX_MK_HOST, 0) ==
          GASNET_ERR_BAD_ARG);
    CHECK(gex_Segment_Create(&refused, client, NULL, 0, GEX_MK_HOST, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_Segment_Create(&refused, client, NULL, (uintptr_t)1 << 46, GEX_MK_HOST, 0) ==
          GASNET_ERR_RESOURCE);
    CHECK(gex_Segment_Create(&refused, client, NULL, 64, GEX_MK_INVALID, 0) == GASNET_ERR_RESOURCE);
    CHECK(refused == GEX_SEGMENT_INVALID);
    OK(gex_Segment_Create(&memory, client, NULL, 3 * GASNET_PAGESIZE, GEX_MK_HOST, 0));
    CHECK(gex_EP_BindSegment(endpoint, memory, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_EP_BindSegment(more, GEX_SEGMENT_INVALID, 0) == GASNET_ERR_BAD_ARG);
    OK(gex_EP_BindSegment(more, memory, 0));
    CHECK(gex_EP_BindSegment(more, memory, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gex_EP_QuerySegment(more) == memory);
    pair = gex_TM_Pair(more, 1);
    CHECK(gex_TM_QueryEP(pair) == more);
    CHECK(gex_Segment_QueryBound(pair, next, NULL, NULL, NULL) != GASNET_OK);
    endpoints[0] = endpoint;
    endpoints[1] = more;
    OK(gex_EP_PublishBoundSegment(all, endpoints, 2, 0));
    OK(gex_Segment_QueryBound(pair, next, &owner, &local, &size));
    CHECK(size == 3 * (uintptr_t)GASNET_PAGESIZE);
    /* In it, at its end. */
    gex_RMA_PutBlocking(pair, next, (char*)owner + size - 8, &word, 8, 0);
    gex_Event_Wait(gex_RMA_GetNB(pair, &got, next, (char*)owner + size - 8, 8, 0));
    CHECK(got == word);
    meet();
    memcpy(&got, (char*)gex_Segment_QueryAddr(memory) + size - 8, 8);
    CHECK(got == 7700 + (me + ranks - 1) % ranks);
    /* A pair of the first endpoints is as the team of all. */
    pair = gex_TM_Pair(endpoint, 0);
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, next, &owner, NULL, &size, 0));
    CHECK(owner == bases[next] && size == (next + 1) * 4 * (uintptr_t)GASNET_PAGESIZE);
    CHECK(gex_TM_TranslateRankToJobrank(pair, next) == next);
    gex_Event_Wait(
        gex_EP_QueryBoundSegmentNB(gex_TM_Pair(endpoint, 5), next, &owner, &local, &size, 0));
    CHECK(size == 0);
    /* Of memory in the first segment. */
    OK(gex_Segment_Create(&refused, client, bases[me], GASNET_PAGESIZE, GEX_MK_HOST, 0));
    CHECK(gex_Segment_QueryAddr(refused) == bases[me]);
    gex_Segment_Destroy(refused, 0);
    CHECK(gex_EP_PublishBoundSegment(all, NULL, 0, 0) == GASNET_OK);
    gex_Segment_Destroy(memory, 0);
    for (i = 2; i < GASNET_MAXEPS; ++i) {
        OK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_RMA, 0));
        CHECK(gex_EP_QueryIndex(more) == i);
    }
    CHECK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_ERR_RESOURCE);
}

static void check_kinds(void) {
    gex_MK_Create_args_t arguments;
    gex_MK_t kind = GEX_MK_INVALID;
    memset(&arguments, 0, sizeof arguments);
    arguments.gex_class = GEX_MK_CLASS_CUDA_UVA;
    CHECK(gex_MK_Create(&kind, client, &arguments, 0) == GASNET_ERR_RESOURCE);
    arguments.gex_class = GEX_MK_CLASS_ZE;
    CHECK(gex_MK_Create(&kind, client, &arguments, 0) == GASNET_ERR_RESOURCE);
    CHECK(kind == GEX_MK_INVALID);
    arguments.gex_class = GEX_MK_CLASS_HOST;
    OK(gex_MK_Create(&kind, client, &arguments, 0));
    CHECK(kind == GEX_MK_HOST);
    gex_MK_Destroy(kind, 0);
}

static void check_threads(void) {
    const gex_ProgressThreadInfo_t* info;
    unsigned int count = 9;
    CHECK(gex_System_QueryProgressThreads(client, &count, &info, 1) == GASNET_ERR_BAD_ARG);
    OK(gex_System_QueryProgressThreads(client, &count, &info, 0));
    CHECK(count == 0);
    CHECK(gex_System_QueryProgressThreads(client, &count, &info, 0) == GASNET_ERR_BAD_ARG);
}

static void refuse_table(gex_AM_Index_t index, gex_AM_Fn_t function, gex_Flags_t flags,
                         unsigned int nargs) {
    gex_AM_Entry_t entry;
    memset(&entry, 0, sizeof entry);
    entry.gex_index = index;
    entry.gex_fnptr = function;
    entry.gex_flags = flags;
    entry.gex_nargs = nargs;
    CHECK(gex_EP_RegisterHandlers(endpoint, &entry, 1) == GASNET_ERR_BAD_ARG);
}
static void check_tables(void) {
    const gex_Flags_t flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST;
    gex_AM_Entry_t table[3];
    int i;
    memset(table, 0, sizeof table);
    for (i = 0; i < 3; ++i) {
        table[i].gex_fnptr = (gex_AM_Fn_t)nothing;
        table[i].gex_flags = flags;
    }
    table[1].gex_index = 254;
    OK(gex_EP_RegisterHandlers(endpoint, table, 3));
    CHECK(table[0].gex_index == 255 && table[1].gex_index == 254 && table[2].gex_index == 253);
    table[0].gex_index = 0;
    OK(gex_EP_RegisterHandlers(endpoint, table, 1));
    CHECK(table[0].gex_index == 252);
    refuse_table(254, (gex_AM_Fn_t)nothing, flags, 0);
    refuse_table(GEX_AM_INDEX_BASE - 1, (gex_AM_Fn_t)nothing, flags, 0);
    refuse_table(200, NULL, flags, 0);
    refuse_table(200, (gex_AM_Fn_t)nothing, GEX_FLAG_AM_SHORT, 0);
    refuse_table(200, (gex_AM_Fn_t)nothing, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_LONG | flags, 0);
    refuse_table(200, (gex_AM_Fn_t)nothing, GEX_FLAG_AM_REQUEST, 0);
    refuse_table(200, (gex_AM_Fn_t)nothing, flags, 17);
}

int main(int argc, char** argv) {
    void* local;
    uintptr_t size;
    join(&argc, &argv, GEX_FLAG_DEFER_THREADS);
    CHECK(gex_Client_Init(&client, &endpoint, &all, "again", &argc, &argv, 0) ==
          GASNET_ERR_NOT_INIT);
    CHECK(client && endpoint && all && sizeof client == sizeof(void*));
    CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_RESOURCE), "GASNET_ERR_RESOURCE") == 0);
    /* What needs no segment works without. */
    meet();
    CHECK(gasnet_barrier(3, 0) == GASNET_OK);
    CHECK(gex_Segment_QueryBound(all, me, NULL, NULL, NULL) != GASNET_OK);
    CHECK(gex_EP_QuerySegment(endpoint) == GEX_SEGMENT_INVALID);
    CHECK(gasnet_getMaxLocalSegmentSize() >= (ranks + 1) * 4 * (uintptr_t)GASNET_PAGESIZE);
    CHECK(gasnet_getMaxGlobalSegmentSize() <= gasnet_getMaxLocalSegmentSize());
    CHECK(gex_Segment_Attach(&segment, all, GASNET_PAGESIZE + 1) == GASNET_ERR_BAD_ARG);
    CHECK(gex_Segment_Attach(&segment, all, me == 0 ? 0 : GASNET_PAGESIZE) == GASNET_ERR_BAD_ARG);
    gasnet_client_attach_hook = hook;
    attach((me + 1) * 4 * (uintptr_t)GASNET_PAGESIZE);
    CHECK(hooked == bases[me]);
    CHECK(gex_Segment_Attach(&segment, all, GASNET_PAGESIZE) == GASNET_ERR_NOT_INIT);
    OK(gex_Segment_QueryBound(all, me, NULL, &local, &size));
    CHECK(local == bases[me] && size == (me + 1) * 4 * (uintptr_t)GASNET_PAGESIZE);
    CHECK(gasnet_set_waitmode(GASNET_WAIT_BLOCK) == GASNET_OK);
    CHECK(gasnet_getenv("NOBODY_HAS_SET_THIS") == NULL);
    check_system();
    check_data();
    check_tables();
    check_kinds();
    check_threads();
    check_endpoints();
    end();
}
