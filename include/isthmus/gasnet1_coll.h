/* Collectives of GASNet-1 and their teams. Part of gasnet.h.
 *
 * Every member of the team makes the same calls in the same order, with equal flags, root and
 * sizes; what is not blocking is synchronised by each member when it likes, in any order. Not from
 * handlers. They make progress in every call that polls. A node is one image: an image is a rank of
 * the team. Memory may be any, of any alignment; what lies in the segment is written by one copy.
 * `flags` are one of IN_, one of OUT_, and SINGLE or LOCAL. What is wrong ends the job with a
 * message. */
#ifndef ISTHMUS_GASNET1_COLL_H
#define ISTHMUS_GASNET1_COLL_H

#include <isthmus/casts.h>

/* Empty arguments of macros are an extension of C++98. */
#if defined(__cplusplus) && __cplusplus < 201103L
#pragma GCC system_header
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Data may move as soon as anybody has come: NOSYNC; both ends: MYSYNC, and what NOSYNC means here,
 * too; all members: ALLSYNC. Complete when this node's memory is read and written: NOSYNC and
 * MYSYNC; that of all: ALLSYNC. */
#define GASNET_COLL_IN_NOSYNC   (1 << 0)
#define GASNET_COLL_IN_MYSYNC   (1 << 1)
#define GASNET_COLL_IN_ALLSYNC  (1 << 2)
#define GASNET_COLL_OUT_NOSYNC  (1 << 3)
#define GASNET_COLL_OUT_MYSYNC  (1 << 4)
#define GASNET_COLL_OUT_ALLSYNC (1 << 5)
/* Addresses are those of all members, equal everywhere, and lists have one for each member; or they
 * mean this node's memory alone, and lists have one. */
#define GASNET_COLL_SINGLE (1 << 6)
#define GASNET_COLL_LOCAL  (1 << 7)
/* GASNET_COLL_INVALID_HANDLE is returned, and the handle of the next call without it stands for
 * both. */
#define GASNET_COLL_AGGREGATE (1 << 8)
/* Mean nothing here, but for those of scans: one of them. */
#define GASNET_COLL_FIXED_THREADS_PER_NODE (1 << 9)
#define GASNET_COLL_DST_IN_SEGMENT         (1 << 10)
#define GASNET_COLL_SRC_IN_SEGMENT         (1 << 11)
#define GASNET_COLL_REDUCE_OP_SUM          (1 << 12)
#define GASNET_COLL_REDUCE_OP_MAX          (1 << 13)
#define GASNET_COLL_REDUCE_OP_MIN          (1 << 14)
#define GASNET_COLL_REDUCE_OP_CUSTOM       (1 << 15)
#define GASNET_COLL_INCLUSIVE_SCAN         (1 << 16)
#define GASNET_COLL_EXCLUSIVE_SCAN         (1 << 17)
#define GASNET_COLL_DISABLE_AUTOTUNE       (1 << 18)
#define GASNET_COLL_NO_IMAGES              (1 << 19)

/* Flags of functions that reduce. NONCOMM is handed to the function; operands are always combined
 * in the order of ranks. */
#define GASNET_COLL_AMSAFE  (1 << 0)
#define GASNET_COLL_NONCOMM (1 << 1)

typedef struct isthmus_gasnet_team* gasnet_team_handle_t;
#define GASNET_TEAM_ALL ISTHMUS_HANDLE(gasnet_team_handle_t, 1)
typedef struct isthmus_gasnet_collective* gasnet_coll_handle_t;
#define GASNET_COLL_INVALID_HANDLE ISTHMUS_NULL(gasnet_coll_handle_t)

/* results[i] = left[i] (and) right[i], `result_count` elements of `elem_size` bytes; `results` may
 * be `left`. `flags` are those of the table, `arg` the func_arg of the call. */
typedef void (*gasnet_coll_reduce_fn_t)(void* results, size_t result_count, const void* left,
                                        size_t left_count, const void* right, size_t elem_size,
                                        int flags, int arg);
typedef gasnet_handlerarg_t gasnet_coll_fn_handle_t; /* an index of the table */
typedef struct {
    gasnet_coll_reduce_fn_t fnptr;
    unsigned int flags;
} gasnet_coll_fn_entry_t;

/* Before a reduction: the functions that reduce, which are copied. `images` is null, or says 1 for
 * each node. Not collective. */
void gasnet_coll_init(const gasnet_image_t* images, gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t* fn_tbl, size_t fn_count, int init_flags);

/* Waits until the operation, one of `count`, or all of them, are complete; those of a table that
 * are become GASNET_COLL_INVALID_HANDLE, which is complete. try: GASNET_OK or
 * GASNET_ERR_NOT_READY. */
void gasnet_coll_wait_sync(gasnet_coll_handle_t handle);
int gasnet_coll_try_sync(gasnet_coll_handle_t handle);
void gasnet_coll_wait_sync_some(gasnet_coll_handle_t* handles, size_t count);
int gasnet_coll_try_sync_some(gasnet_coll_handle_t* handles, size_t count);
void gasnet_coll_wait_sync_all(gasnet_coll_handle_t* handles, size_t count);
int gasnet_coll_try_sync_all(gasnet_coll_handle_t* handles, size_t count);

#define ISTHMUS_GASNET_COLLECTIVES(R, FORM)                                                        \
    /* `nbytes` from the root's src to everybody's dst. */                                         \
    R gasnet_coll_broadcast##FORM(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,   \
                                  void* src, size_t nbytes, int flags);                            \
    R gasnet_coll_broadcastM##FORM(gasnet_team_handle_t team, void* const dstlist[],               \
                                   gasnet_image_t srcimage, void* src, size_t nbytes, int flags);  \
    /* Block i, of `nbytes`, of the root's src to dst of rank i. */                                \
    R gasnet_coll_scatter##FORM(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,     \
                                void* src, size_t nbytes, int flags);                              \
    R gasnet_coll_scatterM##FORM(gasnet_team_handle_t team, void* const dstlist[],                 \
                                 gasnet_image_t srcimage, void* src, size_t nbytes, int flags);    \
    /* Everybody's src to block i of the root's dst, and of everybody's. */                        \
    R gasnet_coll_gather##FORM(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,      \
                               void* src, size_t nbytes, int flags);                               \
    R gasnet_coll_gatherM##FORM(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,     \
                                void* const srclist[], size_t nbytes, int flags);                  \
    R gasnet_coll_gather_all##FORM(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes, \
                                   int flags);                                                     \
    R gasnet_coll_gather_allM##FORM(gasnet_team_handle_t team, void* const dstlist[],              \
                                    void* const srclist[], size_t nbytes, int flags);              \
    /* Block j of rank i's src to block i of rank j's dst. */                                      \
    R gasnet_coll_exchange##FORM(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes,   \
                                 int flags);                                                       \
    R gasnet_coll_exchangeM##FORM(gasnet_team_handle_t team, void* const dstlist[],                \
                                  void* const srclist[], size_t nbytes, int flags);                \
    /* The root's dst[k] is everybody's src[k], combined by a function of the table. src_blksz     \
     * and src_offset are 0. */                                                                    \
    R gasnet_coll_reduce##FORM(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,      \
                               void* src, size_t src_blksz, size_t src_offset, size_t elem_size,   \
                               size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg,      \
                               int flags);                                                         \
    R gasnet_coll_reduceM##FORM(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,     \
                                void* const srclist[], size_t src_blksz, size_t src_offset,        \
                                size_t elem_size, size_t elem_count, gasnet_coll_fn_handle_t func, \
                                int func_arg, int flags);                                          \
    /* dst[k] of rank i is src[k] of ranks 0 to i, combined, or with GASNET_COLL_EXCLUSIVE_SCAN    \
     * of those before i; rank 0 then gets nothing. All _blksz and _offset are 0. */               \
    R gasnet_coll_scan##FORM(gasnet_team_handle_t team, void* dst, size_t dst_blksz,               \
                             size_t dst_offset, void* src, size_t src_blksz, size_t src_offset,    \
                             size_t elem_size, size_t elem_count, gasnet_coll_fn_handle_t func,    \
                             int func_arg, int flags);                                             \
    R gasnet_coll_scanM##FORM(gasnet_team_handle_t team, void* const dstlist[], size_t dst_blksz,  \
                              size_t dst_offset, void* const srclist[], size_t src_blksz,          \
                              size_t src_offset, size_t elem_size, size_t elem_count,              \
                              gasnet_coll_fn_handle_t func, int func_arg, int flags);
ISTHMUS_GASNET_COLLECTIVES(void, )
ISTHMUS_GASNET_COLLECTIVES(gasnet_coll_handle_t, _nb)
#undef ISTHMUS_GASNET_COLLECTIVES

/* Barriers of a team, as those of all nodes; those of GASNET_TEAM_ALL are the same. */
void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int* id);

/* The team of the parent's members that give the same colour, by relrank, which are 0 to its size
 * less 1. Collective over the parent. `clientdata` means nothing here. Teams stay. */
gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent, gasnet_node_t color,
                                            gasnet_node_t relrank, void* clientdata);
gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank);
/* GASNET_MAXNODES if the node is no member. */
gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team, gasnet_node_t node);
gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team);

/* There is nothing to tune. */
static __inline__ void gasnet_coll_loadTuningState(char* file, gasnet_team_handle_t team) {
    (void)file;
    (void)team;
}
static __inline__ void gasnet_coll_dumpTuningState(char* file, gasnet_team_handle_t team) {
    (void)file;
    (void)team;
}
static __inline__ void gasnet_coll_dumpProfile(char* file, gasnet_team_handle_t team) {
    (void)file;
    (void)team;
}

#ifdef __cplusplus
}
#endif
#endif
