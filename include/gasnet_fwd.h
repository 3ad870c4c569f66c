/* Versions, types and constants of GASNet-EX, without its calls: for headers of clients. It needs
 * no threading mode. Part of gasnetex.h; the terms are the specification's. */
#ifndef ISTHMUS_GASNET_FWD_H
#define ISTHMUS_GASNET_FWD_H
#define _GASNET_FWD_H

#include <stddef.h>
#include <stdint.h>

#include <isthmus/casts.h>

/* ---- versions */

#define GASNET_RELEASE_VERSION_MAJOR 2025
#define GASNET_RELEASE_VERSION_MINOR 8
#define GASNET_RELEASE_VERSION_PATCH 0
#define GEX_SPEC_VERSION_MAJOR       0
#define GEX_SPEC_VERSION_MINOR       19
#define GASNET_SPEC_VERSION_MAJOR    1
#define GASNET_SPEC_VERSION_MINOR    8
#define GASNET_VERSION               GASNET_SPEC_VERSION_MAJOR

/* ---- what there is */

/* Endpoints of a process, the first one included. */
#define GASNET_MAXEPS 33
/* Handlers run inside calls of the client alone. */
#define GASNET_HIDDEN_AM_CONCURRENCY_LEVEL 0
/* Handlers of clients have indices from here to 255. */
#define GEX_AM_INDEX_BASE      128
#define SIZEOF_GEX_RMA_VALUE_T 8
/* What gex_Token_Info answers beyond what it must. */
#define GASNET_SUPPORTS_TI_SRCRANK   1
#define GASNET_SUPPORTS_TI_EP        1
#define GASNET_SUPPORTS_TI_ENTRY     1
#define GASNET_SUPPORTS_TI_IS_REQ    1
#define GASNET_SUPPORTS_TI_IS_LONG   1
#define GASNET_SUPPORTS_AM_CANCEL    20240418L
#define GASNET_SUPPORTS_AM_COMMIT_V2 20240906L

#ifdef __cplusplus
extern "C" {
#endif

/* ---- handles, each of one word; all bits zero is none */

typedef struct isthmus_gex_client* gex_Client_t;
typedef struct isthmus_gex_endpoint* gex_EP_t;
typedef struct isthmus_gex_team* gex_TM_t;
typedef struct isthmus_gex_segment* gex_Segment_t;
typedef struct isthmus_gex_memory_kind* gex_MK_t;
typedef struct isthmus_gex_domain* gex_AD_t;
typedef struct isthmus_gasnet_operation* gex_Event_t;
typedef void* gex_Token_t;
typedef struct isthmus_gex_description* gex_AM_SrcDesc_t;

#define GEX_CLIENT_INVALID   ISTHMUS_NULL(gex_Client_t)
#define GEX_EP_INVALID       ISTHMUS_NULL(gex_EP_t)
#define GEX_TM_INVALID       ISTHMUS_NULL(gex_TM_t)
#define GEX_SEGMENT_INVALID  ISTHMUS_NULL(gex_Segment_t)
#define GEX_MK_INVALID       ISTHMUS_NULL(gex_MK_t)
#define GEX_MK_HOST          ISTHMUS_HANDLE(gex_MK_t, 1)
#define GEX_AD_INVALID       ISTHMUS_NULL(gex_AD_t)
#define GEX_AM_SRCDESC_NO_OP ISTHMUS_NULL(gex_AM_SrcDesc_t)
#define GEX_EVENT_INVALID    ISTHMUS_NULL(gex_Event_t)
#define GEX_EVENT_NO_OP      ISTHMUS_HANDLE(gex_Event_t, 1)
/* For lc_opt: the source may be reused on return; when the operation is complete; when
 * gex_NBI_Wait says so. */
#define GEX_EVENT_NOW   ISTHMUS_HANDLE(gex_Event_t*, 1)
#define GEX_EVENT_DEFER ISTHMUS_HANDLE(gex_Event_t*, 2)
#define GEX_EVENT_GROUP ISTHMUS_HANDLE(gex_Event_t*, 3)

/* ---- numbers */

typedef uint32_t gex_Rank_t;
#define GEX_RANK_INVALID ISTHMUS_CAST(gex_Rank_t, -1)
typedef uint16_t gex_EP_Index_t;
typedef uint8_t gex_AM_Index_t;
typedef int32_t gex_AM_Arg_t;
typedef uint32_t gex_Flags_t;
typedef uint32_t gex_DT_t;
typedef uint32_t gex_OP_t;
typedef uint32_t gex_EP_Capabilities_t;
typedef uint64_t gex_RMA_Value_t;
typedef unsigned int gex_TI_t;
typedef unsigned int gex_EC_t;
typedef void* gex_Addr_t;

/* ---- structures */

#ifdef __cplusplus
typedef void (*gex_AM_Fn_t)();
#else
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
typedef void (*gex_AM_Fn_t)();
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif

typedef struct {
    gex_AM_Index_t gex_index; /* 0: gex_EP_RegisterHandlers chooses and writes it here */
    gex_AM_Fn_t gex_fnptr;
    gex_Flags_t gex_flags; /* GEX_FLAG_AM_... */
    unsigned int gex_nargs;
    const void* gex_cdata;
    const char* gex_name;
} gex_AM_Entry_t;

typedef struct {
    gex_Rank_t gex_srcrank; /* of the job */
    gex_EP_t gex_ep;
    const gex_AM_Entry_t* gex_entry;
    int gex_is_req;
    int gex_is_long;
} gex_Token_Info_t;

typedef struct {
    gex_Rank_t gex_rank;
    gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;

typedef struct {
    gex_Rank_t gex_jobrank;
} gex_RankInfo_t;

typedef struct {
    void* gex_addr;
    size_t gex_len;
} gex_Memvec_t;

/* arg2_and_out[i] = arg1[i] (and) arg2_and_out[i]. */
typedef void (*gex_Coll_ReduceFn_t)(const void* arg1, void* arg2_and_out, size_t count,
                                    const void* cdata);

typedef struct {
    const char* gex_device_list;
    unsigned int gex_thread_roles;
    void* (*gex_progress_fn)(void*);
    void* gex_progress_arg;
} gex_ProgressThreadInfo_t;
#define GEX_THREAD_ROLE_RCV (1U << 0)
#define GEX_THREAD_ROLE_SND (1U << 1)

typedef enum {
    GEX_MK_CLASS_HOST,
    GEX_MK_CLASS_CUDA_UVA,
    GEX_MK_CLASS_HIP,
    GEX_MK_CLASS_ZE
} gex_MK_Class_t;
typedef struct {
    uint64_t gex_flags;
    gex_MK_Class_t gex_class;
    union {
        struct {
            int gex_CUdevice;
        } gex_class_cuda_uva;
        struct {
            int gex_hipDevice;
        } gex_class_hip;
        struct {
            void* gex_zeDevice;
            void* gex_zeContext;
            uint32_t gex_zeMemoryOrdinal;
        } gex_class_ze;
    } gex_args;
} gex_MK_Create_args_t;

#ifdef __cplusplus
}
#endif

/* ---- data types and operations */

#define GEX_DT_I32  (1U << 0)
#define GEX_DT_U32  (1U << 1)
#define GEX_DT_I64  (1U << 2)
#define GEX_DT_U64  (1U << 3)
#define GEX_DT_FLT  (1U << 4)
#define GEX_DT_DBL  (1U << 5)
#define GEX_DT_USER (1U << 6)

#define GEX_OP_AND   (1U << 0)
#define GEX_OP_OR    (1U << 1)
#define GEX_OP_XOR   (1U << 2)
#define GEX_OP_ADD   (1U << 3)
#define GEX_OP_SUB   (1U << 4)
#define GEX_OP_MULT  (1U << 5)
#define GEX_OP_MIN   (1U << 6)
#define GEX_OP_MAX   (1U << 7)
#define GEX_OP_INC   (1U << 8)
#define GEX_OP_DEC   (1U << 9)
#define GEX_OP_SET   (1U << 10)
#define GEX_OP_CAS   (1U << 11)
#define GEX_OP_FAND  (1U << 15)
#define GEX_OP_FOR   (1U << 16)
#define GEX_OP_FXOR  (1U << 17)
#define GEX_OP_FADD  (1U << 18)
#define GEX_OP_FSUB  (1U << 19)
#define GEX_OP_FMULT (1U << 20)
#define GEX_OP_FMIN  (1U << 21)
#define GEX_OP_FMAX  (1U << 22)
#define GEX_OP_FINC  (1U << 23)
#define GEX_OP_FDEC  (1U << 24)
#define GEX_OP_SWAP  (1U << 25)
#define GEX_OP_FCAS  (1U << 26)
#define GEX_OP_CSWAP GEX_OP_FCAS
#define GEX_OP_GET   (1U << 27)
/* Of reductions: the client's function, which commutes, and which need not. */
#define GEX_OP_USER    (1U << 30)
#define GEX_OP_USER_NC (1U << 31)

#define GEX_OP_TO_FETCHING(op)    (ISTHMUS_CAST(gex_OP_t, op) << 15)
#define GEX_OP_TO_NONFETCHING(op) (ISTHMUS_CAST(gex_OP_t, op) >> 15)

/* ---- flags of calls */

#define GEX_FLAG_IMMEDIATE               (1U << 0)
#define GEX_FLAG_AD_REL                  (1U << 1)
#define GEX_FLAG_AD_ACQ                  (1U << 2)
#define GEX_FLAG_SELF_SEG_UNKNOWN        (1U << 3)
#define GEX_FLAG_SELF_SEG_SOME           (1U << 4)
#define GEX_FLAG_SELF_SEG_BOUND          (1U << 5)
#define GEX_FLAG_SELF_SEG_OFFSET         (1U << 6)
#define GEX_FLAG_PEER_SEG_UNKNOWN        (1U << 7)
#define GEX_FLAG_PEER_SEG_SOME           (1U << 8)
#define GEX_FLAG_PEER_SEG_BOUND          (1U << 9)
#define GEX_FLAG_PEER_SEG_OFFSET         (1U << 10)
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT (1U << 11)
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC  (1U << 12)
#define GEX_FLAG_ENABLE_LEAF_LC          (1U << 11)
#define GEX_FLAG_AD_MY_RANK              (1U << 11)
#define GEX_FLAG_AD_MY_NBRHD             (1U << 12)
#define GEX_FLAG_RANK_IS_JOBRANK         (1U << 13)
#define GEX_FLAG_GLOBALLY_QUIESCED       (1U << 13)
#define GEX_FLAG_PEER_NEVER_NBRHD        (1U << 14)
#define GEX_FLAG_PEER_NEVER_SELF         (1U << 15)

/* ---- flags of what is made, each in bits of its own */

#define GEX_FLAG_USES_GASNET1  (1U << 0)
#define GEX_FLAG_DEFER_THREADS (1U << 1)

#define GEX_FLAG_AM_SHORT   (1U << 0)
#define GEX_FLAG_AM_MEDIUM  (1U << 1)
#define GEX_FLAG_AM_LONG    (1U << 2)
#define GEX_FLAG_AM_MEDLONG (GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_LONG)
#define GEX_FLAG_AM_REQUEST (1U << 3)
#define GEX_FLAG_AM_REPLY   (1U << 4)
#define GEX_FLAG_AM_REQREP  (GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_REPLY)

#define GEX_FLAG_AD_FAVOR_MY_RANK  (1U << 0)
#define GEX_FLAG_AD_FAVOR_MY_NBRHD (1U << 1)
#define GEX_FLAG_AD_FAVOR_REMOTE   (1U << 2)

#define GEX_FLAG_TM_SCRATCH_SIZE_MIN         (1U << 0)
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED (1U << 1)
#define GEX_FLAG_TM_GLOBAL_SCRATCH           (1U << 2)
#define GEX_FLAG_TM_LOCAL_SCRATCH            (1U << 3)
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH        (1U << 4)
#define GEX_FLAG_TM_NO_SCRATCH               (1U << 5)
#define GEX_FLAG_SCRATCH_SEG_OFFSET          (1U << 6)

#define GEX_FLAG_HINT_ACCEL_AD   (1U << 0)
#define GEX_FLAG_HINT_ACCEL_COLL (1U << 1)
#define GEX_FLAG_HINT_ACCEL_ALL  (GEX_FLAG_HINT_ACCEL_AD | GEX_FLAG_HINT_ACCEL_COLL)

#define GEX_EP_CAPABILITY_RMA  (1U << 0)
#define GEX_EP_CAPABILITY_AM   (1U << 1)
#define GEX_EP_CAPABILITY_VIS  (1U << 2)
#define GEX_EP_CAPABILITY_COLL (1U << 3)
#define GEX_EP_CAPABILITY_AD   (1U << 4)
#define GEX_EP_CAPABILITY_ALL                                               \
    (GEX_EP_CAPABILITY_RMA | GEX_EP_CAPABILITY_AM | GEX_EP_CAPABILITY_VIS | \
     GEX_EP_CAPABILITY_COLL | GEX_EP_CAPABILITY_AD)

/* ---- what gex_Token_Info tells; categories of events */

#define GEX_TI_SRCRANK (1U << 0)
#define GEX_TI_ENTRY   (1U << 1)
#define GEX_TI_IS_REQ  (1U << 2)
#define GEX_TI_IS_LONG (1U << 3)
#define GEX_TI_EP      (1U << 4)
#define GEX_TI_ALL     (GEX_TI_SRCRANK | GEX_TI_ENTRY | GEX_TI_IS_REQ | GEX_TI_IS_LONG | GEX_TI_EP)

#define GEX_EC_GET (1U << 0)
#define GEX_EC_LC  (1U << 1)
#define GEX_EC_AM  GEX_EC_LC
#define GEX_EC_PUT ((1U << 2) | GEX_EC_LC)
#define GEX_EC_RMW (1U << 3)
#define GEX_EC_ALL (GEX_EC_GET | GEX_EC_PUT | GEX_EC_AM | GEX_EC_RMW)

#endif
