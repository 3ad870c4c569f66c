/* The active messages of GASNet-EX: with fixed payload, by number of arguments, 0 to 16, and those
 * whose arguments are counted; with negotiated payload; limits; tokens. Part of gasnetex.h.
 *
 * lc_opt: the source may be reused when a call returns, so NOW, GROUP and a pointer, which gets
 * GEX_EVENT_INVALID, are the same. Results are 0; with GEX_FLAG_IMMEDIATE not 0 if there is no room
 * now: then nothing has been sent, though the payload of a long message may have been put already.
 * What is wrong is refused with GASNET_ERR_BAD_ARG. */
#ifndef ISTHMUS_GEX_MESSAGES_H
#define ISTHMUS_GEX_MESSAGES_H

/* Variadic macros and empty arguments of macros are extensions of C++98. */
#if defined(__cplusplus) && __cplusplus < 201103L
#pragma GCC system_header
#endif

#include <isthmus/gasnet_arguments.h>
#include <isthmus/gex_objects.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

/* Arguments as a block of `bytes`. Without `_of`: of the team of all, without flags. */
int isthmus_gex_request_short(gex_Rank_t rank, gex_AM_Index_t handler,
                              const gex_AM_Arg_t* arguments, size_t bytes);
int isthmus_gex_request_short_of(gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler,
                                 gex_Flags_t flags, const gex_AM_Arg_t* arguments, size_t bytes);
int isthmus_gex_request_medium(gex_Rank_t rank, gex_AM_Index_t handler, const void* source,
                               size_t nbytes, const gex_AM_Arg_t* arguments, size_t bytes);
int isthmus_gex_request_medium_of(gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler,
                                  const void* source, size_t nbytes, gex_Flags_t flags,
                                  const gex_AM_Arg_t* arguments, size_t bytes);
int isthmus_gex_request_long(gex_Rank_t rank, gex_AM_Index_t handler, const void* source,
                             size_t nbytes, void* dest_addr, const gex_AM_Arg_t* arguments,
                             size_t bytes);
int isthmus_gex_request_long_of(gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler,
                                const void* source, size_t nbytes, void* dest_addr,
                                gex_Flags_t flags, const gex_AM_Arg_t* arguments, size_t bytes);
int isthmus_gex_reply_short(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags,
                            const gex_AM_Arg_t* arguments, size_t bytes);
int isthmus_gex_reply_medium(gex_Token_t token, gex_AM_Index_t handler, const void* source,
                             size_t nbytes, gex_Flags_t flags, const gex_AM_Arg_t* arguments,
                             size_t bytes);
int isthmus_gex_reply_long(gex_Token_t token, gex_AM_Index_t handler, const void* source,
                           size_t nbytes, void* dest_addr, gex_Flags_t flags,
                           const gex_AM_Arg_t* arguments, size_t bytes);
/* Not 0: not now (IMMEDIATE); the description stays. In the flags, from that bit on, what the call
 * that is made commits: its GEX_FLAG_AM_... */
#define ISTHMUS_GEX_COMMIT_SHIFT   24
#define ISTHMUS_GEX_COMMIT_Request GEX_FLAG_AM_REQUEST
#define ISTHMUS_GEX_COMMIT_Reply   GEX_FLAG_AM_REPLY
#define ISTHMUS_GEX_COMMIT_FLAGS(WHAT, SIZE) \
    ((ISTHMUS_GEX_COMMIT_##WHAT | GEX_FLAG_AM_##SIZE) << ISTHMUS_GEX_COMMIT_SHIFT)
int isthmus_gex_commit(gex_AM_SrcDesc_t description, gex_AM_Index_t handler, size_t nbytes,
                       void* dest_addr, gex_Flags_t flags, const gex_AM_Arg_t* arguments,
                       size_t bytes);

/* An event of which nothing is left to wait for. */
static __inline__ __attribute__((__always_inline__)) void isthmus_gex_local_completion(
    gex_Event_t* lc_opt) {
    if ((uintptr_t)lc_opt > (uintptr_t)GEX_EVENT_GROUP) *lc_opt = GEX_EVENT_INVALID;
}

/* The same of a message, and whether it may have that: no GEX_EVENT_DEFER, which is of puts, and
 * not null; GEX_EVENT_GROUP is of requests. What a message may not have, checked mode refuses. */
int isthmus_gex_refuse_completion(const gex_Event_t* lc_opt, const char* routine);
static __inline__ __attribute__((__always_inline__)) int isthmus_gex_is_refused(
    gex_Event_t* lc_opt, int is_request, const char* routine) {
    if ((uintptr_t)lc_opt > (uintptr_t)GEX_EVENT_GROUP) {
        *lc_opt = GEX_EVENT_INVALID;
        return 0;
    }
    if (lc_opt == GEX_EVENT_NOW || (is_request && lc_opt == GEX_EVENT_GROUP)) return 0;
    return isthmus_gex_refuse_completion(lc_opt, routine);
}

/* ---- payload that is negotiated. Prepare, write up to gex_AM_SrcDescSize bytes to
 * gex_AM_SrcDescAddr, commit; nothing of GASNet's in between. A thread has one at a time. */

/* `client_buffer` null: the library's memory, and lc_opt is null. The size is `most`, or what there
 * is room for. `dest_addr` may be given at commit. IMMEDIATE: GEX_AM_SRCDESC_NO_OP if there is no
 * room now. */
gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t team, gex_Rank_t rank,
                                             const void* client_buffer, size_t least, size_t most,
                                             gex_Event_t* lc_opt, gex_Flags_t flags,
                                             unsigned int nargs);
gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t team, gex_Rank_t rank,
                                           const void* client_buffer, size_t least, size_t most,
                                           void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned int nargs);
gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buffer,
                                           size_t least, size_t most, gex_Event_t* lc_opt,
                                           gex_Flags_t flags, unsigned int nargs);
gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buffer, size_t least,
                                         size_t most, void* dest_addr, gex_Event_t* lc_opt,
                                         gex_Flags_t flags, unsigned int nargs);
void* gex_AM_SrcDescAddr(gex_AM_SrcDesc_t description);
size_t gex_AM_SrcDescSize(gex_AM_SrcDesc_t description);
/* Instead of a commit. GASNET_OK. */
int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t description, gex_Flags_t flags);
int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t description, gex_Flags_t flags);
int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t description, gex_Flags_t flags);
int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t description, gex_Flags_t flags);

/* ---- limits, the same for every peer and at any time */

static __inline__ unsigned int gex_AM_MaxArgs(void) {
    return 16;
}
size_t gex_AM_MaxRequestMedium(gex_TM_t team, gex_Rank_t rank, const gex_Event_t* lc_opt,
                               gex_Flags_t flags, unsigned int nargs);
size_t gex_AM_MaxReplyMedium(gex_TM_t team, gex_Rank_t rank, const gex_Event_t* lc_opt,
                             gex_Flags_t flags, unsigned int nargs);
size_t gex_AM_MaxRequestLong(gex_TM_t team, gex_Rank_t rank, const gex_Event_t* lc_opt,
                             gex_Flags_t flags, unsigned int nargs);
size_t gex_AM_MaxReplyLong(gex_TM_t team, gex_Rank_t rank, const gex_Event_t* lc_opt,
                           gex_Flags_t flags, unsigned int nargs);
size_t gex_AM_LUBRequestMedium(void);
size_t gex_AM_LUBReplyMedium(void);
size_t gex_AM_LUBRequestLong(void);
size_t gex_AM_LUBReplyLong(void);
size_t gex_Token_MaxReplyMedium(gex_Token_t token, const gex_Event_t* lc_opt, gex_Flags_t flags,
                                unsigned int nargs);
size_t gex_Token_MaxReplyLong(gex_Token_t token, const gex_Event_t* lc_opt, gex_Flags_t flags,
                              unsigned int nargs);

/* ---- tokens */

/* Writes what the mask asks for; which of it there is: all, but GEX_TI_ENTRY of a handler that
 * gasnet_attach has registered. In the token's handler. */
gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t* info, gex_TI_t mask);

/* ---- by number of arguments */

#define ISTHMUS_GEX_MESSAGES(M, BLOCK)                                                             \
    static __inline__ int gex_AM_RequestShort##M(                                                  \
        gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler,                                    \
        gex_Flags_t flags ISTHMUS_GASNET_PARAMETERS_##M) {                                         \
        BLOCK(M)                                                                                   \
        if (team == ISTHMUS_GEX_ALL && (flags & GEX_FLAG_IMMEDIATE) == 0)                          \
            return isthmus_gex_request_short(rank, handler, isthmus_a, ISTHMUS_GASNET_BYTES(M));   \
        return isthmus_gex_request_short_of(team, rank, handler, flags, isthmus_a,                 \
                                            ISTHMUS_GASNET_BYTES(M));                              \
    }                                                                                              \
    static __inline__ int gex_AM_RequestMedium##M(                                                 \
        gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler, const void* source, size_t nbytes, \
        gex_Event_t* lc_opt, gex_Flags_t flags ISTHMUS_GASNET_PARAMETERS_##M) {                    \
        BLOCK(M)                                                                                   \
        if (isthmus_gex_is_refused(lc_opt, 1, "gex_AM_RequestMedium")) return GASNET_ERR_BAD_ARG;  \
        if (team == ISTHMUS_GEX_ALL && (flags & GEX_FLAG_IMMEDIATE) == 0)                          \
            return isthmus_gex_request_medium(rank, handler, source, nbytes, isthmus_a,            \
                                              ISTHMUS_GASNET_BYTES(M));                            \
        return isthmus_gex_request_medium_of(team, rank, handler, source, nbytes, flags,           \
                                             isthmus_a, ISTHMUS_GASNET_BYTES(M));                  \
    }                                                                                              \
    static __inline__ int gex_AM_RequestLong##M(                                                   \
        gex_TM_t team, gex_Rank_t rank, gex_AM_Index_t handler, const void* source, size_t nbytes, \
        void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags ISTHMUS_GASNET_PARAMETERS_##M) {   \
        BLOCK(M)                                                                                   \
        if (isthmus_gex_is_refused(lc_opt, 1, "gex_AM_RequestLong")) return GASNET_ERR_BAD_ARG;    \
        if (team == ISTHMUS_GEX_ALL && (flags & GEX_FLAG_IMMEDIATE) == 0)                          \
            return isthmus_gex_request_long(rank, handler, source, nbytes, dest_addr, isthmus_a,   \
                                            ISTHMUS_GASNET_BYTES(M));                              \
        return isthmus_gex_request_long_of(team, rank, handler, source, nbytes, dest_addr, flags,  \
                                           isthmus_a, ISTHMUS_GASNET_BYTES(M));                    \
    }                                                                                              \
    static __inline__ int gex_AM_ReplyShort##M(gex_Token_t token, gex_AM_Index_t handler,          \
                                               gex_Flags_t flags ISTHMUS_GASNET_PARAMETERS_##M) {  \
        BLOCK(M)                                                                                   \
        return isthmus_gex_reply_short(token, handler, flags, isthmus_a, ISTHMUS_GASNET_BYTES(M)); \
    }                                                                                              \
    static __inline__ int gex_AM_ReplyMedium##M(                                                   \
        gex_Token_t token, gex_AM_Index_t handler, const void* source, size_t nbytes,              \
        gex_Event_t* lc_opt, gex_Flags_t flags ISTHMUS_GASNET_PARAMETERS_##M) {                    \
        BLOCK(M)                                                                                   \
        if (isthmus_gex_is_refused(lc_opt, 0, "gex_AM_ReplyMedium")) return GASNET_ERR_BAD_ARG;    \
        return isthmus_gex_reply_medium(token, handler, source, nbytes, flags, isthmus_a,          \
                                        ISTHMUS_GASNET_BYTES(M));                                  \
    }                                                                                              \
    static __inline__ int gex_AM_ReplyLong##M(                                                     \
        gex_Token_t token, gex_AM_Index_t handler, const void* source, size_t nbytes,              \
        void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags ISTHMUS_GASNET_PARAMETERS_##M) {   \
        BLOCK(M)                                                                                   \
        if (isthmus_gex_is_refused(lc_opt, 0, "gex_AM_ReplyLong")) return GASNET_ERR_BAD_ARG;      \
        return isthmus_gex_reply_long(token, handler, source, nbytes, dest_addr, flags, isthmus_a, \
                                      ISTHMUS_GASNET_BYTES(M));                                    \
    }                                                                                              \
    ISTHMUS_GEX_COMMIT_MEDIUM(Request, M, BLOCK)                                                   \
    ISTHMUS_GEX_COMMIT_MEDIUM(Reply, M, BLOCK)                                                     \
    ISTHMUS_GEX_COMMIT_LONG(Request, M, BLOCK)                                                     \
    ISTHMUS_GEX_COMMIT_LONG(Reply, M, BLOCK)
#define ISTHMUS_GEX_COMMIT_MEDIUM(WHAT, M, BLOCK)                                        \
    static __inline__ void gex_AM_Commit##WHAT##Medium##M(                               \
        gex_AM_SrcDesc_t description, gex_AM_Index_t handler,                            \
        size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {                                   \
        BLOCK(M)                                                                         \
        isthmus_gex_commit(description, handler, nbytes, NULL,                           \
                           ISTHMUS_GEX_COMMIT_FLAGS(WHAT, MEDIUM), isthmus_a,            \
                           ISTHMUS_GASNET_BYTES(M));                                     \
    }                                                                                    \
    static __inline__ int gex_AM_Commit##WHAT##Medium##M##_v2(                           \
        gex_AM_SrcDesc_t description, gex_AM_Index_t handler, size_t nbytes,             \
        gex_Flags_t commit_flags ISTHMUS_GASNET_PARAMETERS_##M) {                        \
        BLOCK(M)                                                                         \
        return isthmus_gex_commit(description, handler, nbytes, NULL,                    \
                                  commit_flags | ISTHMUS_GEX_COMMIT_FLAGS(WHAT, MEDIUM), \
                                  isthmus_a, ISTHMUS_GASNET_BYTES(M));                   \
    }
#define ISTHMUS_GEX_COMMIT_LONG(WHAT, M, BLOCK)                                                   \
    static __inline__ void gex_AM_Commit##WHAT##Long##M(                                          \
        gex_AM_SrcDesc_t description, gex_AM_Index_t handler, size_t nbytes,                      \
        void* dest_addr ISTHMUS_GASNET_PARAMETERS_##M) {                                          \
        BLOCK(M)                                                                                  \
        isthmus_gex_commit(description, handler, nbytes, dest_addr,                               \
                           ISTHMUS_GEX_COMMIT_FLAGS(WHAT, LONG), isthmus_a,                       \
                           ISTHMUS_GASNET_BYTES(M));                                              \
    }                                                                                             \
    static __inline__ int gex_AM_Commit##WHAT##Long##M##_v2(                                      \
        gex_AM_SrcDesc_t description, gex_AM_Index_t handler, size_t nbytes, void* dest_addr,     \
        gex_Flags_t commit_flags ISTHMUS_GASNET_PARAMETERS_##M) {                                 \
        BLOCK(M)                                                                                  \
        return isthmus_gex_commit(description, handler, nbytes, dest_addr,                        \
                                  commit_flags | ISTHMUS_GEX_COMMIT_FLAGS(WHAT, LONG), isthmus_a, \
                                  ISTHMUS_GASNET_BYTES(M));                                       \
    }
ISTHMUS_GASNET_EACH_NUMBER(ISTHMUS_GEX_MESSAGES)

/* ---- with arguments that are counted: those behind `flags`, and of commits behind `nbytes` or
 * `dest_addr`, which is the first of `...` */

#define ISTHMUS_GEX_NTH(FLAGS, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, NUMBER, ...) NUMBER
#define ISTHMUS_GEX_COUNT(...) \
    ISTHMUS_GEX_NTH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, none)
#define ISTHMUS_GEX_NAME_(NAME, NUMBER, END) NAME##NUMBER##END
#define ISTHMUS_GEX_NAME(NAME, NUMBER, END)  ISTHMUS_GEX_NAME_(NAME, NUMBER, END)
#define ISTHMUS_GEX_COUNTED(NAME, END, ...) \
    ISTHMUS_GEX_NAME(NAME, ISTHMUS_GEX_COUNT(__VA_ARGS__), END)

#define gex_AM_RequestShort(team, rank, handler, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_RequestShort, , __VA_ARGS__)(team, rank, handler, __VA_ARGS__)
#define gex_AM_RequestMedium(team, rank, handler, source, nbytes, lc_opt, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_RequestMedium, , __VA_ARGS__)                   \
    (team, rank, handler, source, nbytes, lc_opt, __VA_ARGS__)
#define gex_AM_RequestLong(team, rank, handler, source, nbytes, dest_addr, lc_opt, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_RequestLong, , __VA_ARGS__)                              \
    (team, rank, handler, source, nbytes, dest_addr, lc_opt, __VA_ARGS__)
#define gex_AM_ReplyShort(token, handler, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_ReplyShort, , __VA_ARGS__)(token, handler, __VA_ARGS__)
#define gex_AM_ReplyMedium(token, handler, source, nbytes, lc_opt, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_ReplyMedium, , __VA_ARGS__)              \
    (token, handler, source, nbytes, lc_opt, __VA_ARGS__)
#define gex_AM_ReplyLong(token, handler, source, nbytes, dest_addr, lc_opt, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_ReplyLong, , __VA_ARGS__)                         \
    (token, handler, source, nbytes, dest_addr, lc_opt, __VA_ARGS__)
#define gex_AM_CommitRequestMedium(description, handler, ...)      \
    ISTHMUS_GEX_COUNTED(gex_AM_CommitRequestMedium, , __VA_ARGS__) \
    (description, handler, __VA_ARGS__)
#define gex_AM_CommitReplyMedium(description, handler, ...)      \
    ISTHMUS_GEX_COUNTED(gex_AM_CommitReplyMedium, , __VA_ARGS__) \
    (description, handler, __VA_ARGS__)
#define gex_AM_CommitRequestLong(description, handler, nbytes, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_CommitRequestLong, , __VA_ARGS__)    \
    (description, handler, nbytes, __VA_ARGS__)
#define gex_AM_CommitReplyLong(description, handler, nbytes, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_CommitReplyLong, , __VA_ARGS__)    \
    (description, handler, nbytes, __VA_ARGS__)
#define gex_AM_CommitRequestMedium_v2(description, handler, nbytes, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_CommitRequestMedium, _v2, __VA_ARGS__)    \
    (description, handler, nbytes, __VA_ARGS__)
#define gex_AM_CommitReplyMedium_v2(description, handler, nbytes, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_CommitReplyMedium, _v2, __VA_ARGS__)    \
    (description, handler, nbytes, __VA_ARGS__)
#define gex_AM_CommitRequestLong_v2(description, handler, nbytes, dest_addr, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_CommitRequestLong, _v2, __VA_ARGS__)               \
    (description, handler, nbytes, dest_addr, __VA_ARGS__)
#define gex_AM_CommitReplyLong_v2(description, handler, nbytes, dest_addr, ...) \
    ISTHMUS_GEX_COUNTED(gex_AM_CommitReplyLong, _v2, __VA_ARGS__)               \
    (description, handler, nbytes, dest_addr, __VA_ARGS__)

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif
#endif
