/* The objects of GASNet-EX: client, endpoints, segments, teams; tokens of messages; and what can be
 * asked of the system. Part of gasnetex.h.
 *
 * What fails returns a code of GASNET_ERR_...; gex_System_SetVerboseErrors has it said as well, as
 * checked mode does (ISTHMUS_CHECK=1). What cannot be told by a code ends the job with a message.
 */
#ifndef ISTHMUS_GEX_OBJECTS_H
#define ISTHMUS_GEX_OBJECTS_H

#include <isthmus/casts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the client */

/* The first call, once; or behind gasnet_init nobody's. Collective, with a barrier. Each of the
 * objects is written if the pointer is not null: the client, its endpoint 0, which has all
 * capabilities, and the team of all processes, whose ranks are those of the job. */
#define gex_Client_Init(client, endpoint, team, name, argc, argv, flags)                       \
    ISTHMUS_GASNET_WITH_MODE(isthmus_gex_client_init(client, endpoint, team, name, argc, argv, \
                                                     flags, ISTHMUS_GASNET_MODE))
int isthmus_gex_client_init(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team,
                            const char* name, int* argc, char*** argv, gex_Flags_t flags, int mode);
const char* gex_Client_QueryName(gex_Client_t client);
gex_Flags_t gex_Client_QueryFlags(gex_Client_t client);
void gex_Client_SetCData(gex_Client_t client, const void* data);
void* gex_Client_QueryCData(gex_Client_t client);

/* ---- endpoints */

/* One more, with the next index, of a client's own: for memory that others reach by gex_TM_Pair.
 * Local. Errors: RESOURCE: there are GASNET_MAXEPS. */
int gex_EP_Create(gex_EP_t* endpoint, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags);
/* Local, at any time, for indices that are free. Entries of index 0 get the highest free ones and
 * are written back. The table is copied. Errors: BAD_ARG: an index below GEX_AM_INDEX_BASE or in
 * use, a null handler, flags or a number of arguments that there are not; RESOURCE: no index is
 * free. Then nothing is registered. */
int gex_EP_RegisterHandlers(gex_EP_t endpoint, gex_AM_Entry_t* table, size_t entries);
/* Once for each endpoint but the first, which gex_Segment_Attach binds. Errors: BAD_ARG. */
int gex_EP_BindSegment(gex_EP_t endpoint, gex_Segment_t segment, gex_Flags_t flags);
/* Collective over the team: from now on its members may reach the segments that are bound to these
 * endpoints, of which each gives its own, or none. */
int gex_EP_PublishBoundSegment(gex_TM_t team, gex_EP_t* endpoints, size_t count, gex_Flags_t flags);
/* The segment of this rank: address there, address here (null if it is not mapped), size; 0 if
 * there is none. Any may be null. Complete at once. */
gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t team, gex_Rank_t rank, void** owner_address,
                                       void** local_address, uintptr_t* size, gex_Flags_t flags);
gex_Client_t gex_EP_QueryClient(gex_EP_t endpoint);
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t endpoint);
gex_Segment_t gex_EP_QuerySegment(gex_EP_t endpoint);
gex_EP_Capabilities_t gex_EP_QueryCapabilities(gex_EP_t endpoint);
gex_Flags_t gex_EP_QueryFlags(gex_EP_t endpoint);
void gex_EP_SetCData(gex_EP_t endpoint, const void* data);
void* gex_EP_QueryCData(gex_EP_t endpoint);

/* ---- segments */

/* The segment of endpoint 0, once. Collective over the first team, with a barrier. `size` is a
 * multiple of the page size, up to gasnet_getMaxLocalSegmentSize(), and may differ. Errors: as
 * gasnet_attach. */
int gex_Segment_Attach(gex_Segment_t* segment, gex_TM_t team, uintptr_t size);
/* Memory for an endpoint of the client's own, local. `address` null: new memory. Else it must be
 * memory that others reach anyway: of the symmetric heap or of a native segment. Errors: BAD_ARG:
 * other memory; RESOURCE: no room, or a kind other than GEX_MK_HOST. */
int gex_Segment_Create(gex_Segment_t* segment, gex_Client_t client, gex_Addr_t address,
                       uintptr_t length, gex_MK_t kind, gex_Flags_t flags);
/* It is bound to no endpoint, or to none that is used any more. */
void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t flags);
/* As gex_EP_QueryBoundSegmentNB; 0, or not 0 if there is none, and nothing is written. */
int gex_Segment_QueryBound(gex_TM_t team, gex_Rank_t rank, void** owner_address,
                           void** local_address, uintptr_t* size);
gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment);
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment);
void* gex_Segment_QueryAddr(gex_Segment_t segment);
uintptr_t gex_Segment_QuerySize(gex_Segment_t segment);
void gex_Segment_SetCData(gex_Segment_t segment, const void* data);
void* gex_Segment_QueryCData(gex_Segment_t segment);

/* ---- teams */

/* The team of all, as the compiler knows it. */
#define ISTHMUS_GEX_ALL ISTHMUS_HANDLE(gex_TM_t, 8)
/* Stands for a team in calls that name one process: ranks are those of the job, and the memory is
 * that of its endpoint `remote`. A value, nothing to be freed. */
gex_TM_t gex_TM_Pair(gex_EP_t local, gex_EP_Index_t remote);
/* The members that give the same colour, by key and then by rank. Collective over the parent.
 * `team` null: no member. Scratch memory is kept until gex_TM_Destroy, and not used. With
 * GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED or _MIN only its size is returned. */
size_t gex_TM_Split(gex_TM_t* team, gex_TM_t parent, int color, int key, void* scratch, size_t size,
                    gex_Flags_t flags);
/* The team of these members, in this order; ranks of the parent, or of the job
 * (GEX_FLAG_RANK_IS_JOBRANK). Collective over the parent: callers of one call name equal or
 * disjoint sets, and no members take part only. Scratch memory and sizes as with gex_TM_Split. */
size_t gex_TM_Create(gex_TM_t* teams, size_t team_count, gex_TM_t parent,
                     gex_EP_Location_t* members, size_t member_count, gex_Addr_t* scratch,
                     size_t size, gex_Flags_t flags);
/* Collective; nobody uses the team any more. Not 0: *scratch has been written with the memory that
 * the client had given. */
int gex_TM_Destroy(gex_TM_t team, gex_Memvec_t* scratch, gex_Flags_t flags);
/* A barrier: complete when all have come; what they wrote before is then seen. */
gex_Event_t gex_Coll_BarrierNB(gex_TM_t team, gex_Flags_t flags);
gex_Client_t gex_TM_QueryClient(gex_TM_t team);
gex_EP_t gex_TM_QueryEP(gex_TM_t team);
gex_Flags_t gex_TM_QueryFlags(gex_TM_t team);
gex_Rank_t gex_TM_QueryRank(gex_TM_t team);
gex_Rank_t gex_TM_QuerySize(gex_TM_t team);
void gex_TM_SetCData(gex_TM_t team, const void* data);
void* gex_TM_QueryCData(gex_TM_t team);
gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t team, gex_Rank_t rank);
/* GEX_RANK_INVALID: no member. */
gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t team, gex_Rank_t jobrank);
/* With a rank of the job, whatever the team; flags have no meaning yet. */
gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t team, gex_Rank_t rank, gex_Flags_t flags);

/* ---- the system */

static __inline__ gex_Rank_t gex_System_QueryJobRank(void) {
    return isthmus_window_me;
}
gex_Rank_t gex_System_QueryJobSize(void);
/* The processes whose segments are mapped here, and those of this host, by rank in the job: an
 * array of the library's, how many, and which of them this one is. Any may be null. */
void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info, gex_Rank_t* count, gex_Rank_t* my_index);
void gex_System_QueryHostInfo(gex_RankInfo_t** info, gex_Rank_t* count, gex_Rank_t* my_index);
/* How many neighbourhoods and hosts the job has, and which of them are this process's. */
void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_count, gex_Rank_t* nbrhd_index,
                                gex_Rank_t* host_count, gex_Rank_t* host_index);
/* Threads of the client's that may call at once. */
static __inline__ uint64_t gex_System_QueryMaxThreads(void) {
#if GASNET_SEQ
    return 1;
#else
    return 65535;
#endif
}
/* Whether calls that fail say why, as they do in checked mode. */
int gex_System_GetVerboseErrors(void);
void gex_System_SetVerboseErrors(int enable);
static __inline__ int gex_System_QueryHiddenAMConcurrencyLevel(void) {
    return GASNET_HIDDEN_AM_CONCURRENCY_LEVEL;
}
/* Threads that the client is to start itself: none. Once, if the client has been made with
 * GEX_FLAG_DEFER_THREADS. Errors: RESOURCE: it has not; BAD_ARG: called again, or flags. */
int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int* count,
                                    const gex_ProgressThreadInfo_t** info, gex_Flags_t flags);

#ifdef __cplusplus
}
#endif
#endif
