/* The active messages of GASNet by number of arguments, 0 to 16, and those that are given it. Part
 * of gasnet.h. Each numbered name lays its arguments out and makes one call. */
#ifndef ISTHMUS_GASNET_MESSAGES_H
#define ISTHMUS_GASNET_MESSAGES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments as a block of `bytes`. All of these return GASNET_OK when the source may be reused, and
 * poll; errors: BAD_ARG: no such PE, a payload that is too large or would not lie in the target's
 * memory, called from where it is not allowed. */
int isthmus_gasnet_request_short(gasnet_node_t dest, gasnet_handler_t handler,
                                 const gasnet_handlerarg_t* arguments, size_t bytes);
int isthmus_gasnet_request_medium(gasnet_node_t dest, gasnet_handler_t handler, const void* source,
                                  size_t nbytes, const gasnet_handlerarg_t* arguments,
                                  size_t bytes);
int isthmus_gasnet_request_long(gasnet_node_t dest, gasnet_handler_t handler, const void* source,
                                size_t nbytes, void* dest_addr,
                                const gasnet_handlerarg_t* arguments, size_t bytes);
int isthmus_gasnet_reply_short(gasnet_token_t token, gasnet_handler_t handler,
                               const gasnet_handlerarg_t* arguments, size_t bytes);
int isthmus_gasnet_reply_medium(gasnet_token_t token, gasnet_handler_t handler, const void* source,
                                size_t nbytes, const gasnet_handlerarg_t* arguments, size_t bytes);
int isthmus_gasnet_reply_long(gasnet_token_t token, gasnet_handler_t handler, const void* source,
                              size_t nbytes, void* dest_addr, const gasnet_handlerarg_t* arguments,
                              size_t bytes);

/* With the number of arguments, and then these. */
int gasnet_AMRequestShort(gasnet_node_t dest, gasnet_handler_t handler, int numargs, ...);
int gasnet_AMRequestMedium(gasnet_node_t dest, gasnet_handler_t handler, void* source,
                           size_t nbytes, int numargs, ...);
int gasnet_AMRequestLong(gasnet_node_t dest, gasnet_handler_t handler, void* source, size_t nbytes,
                         void* dest_addr, int numargs, ...);
int gasnet_AMRequestLongAsync(gasnet_node_t dest, gasnet_handler_t handler, void* source,
                              size_t nbytes, void* dest_addr, int numargs, ...);
int gasnet_AMReplyShort(gasnet_token_t token, gasnet_handler_t handler, int numargs, ...);
int gasnet_AMReplyMedium(gasnet_token_t token, gasnet_handler_t handler, void* source,
                         size_t nbytes, int numargs, ...);
int gasnet_AMReplyLong(gasnet_token_t token, gasnet_handler_t handler, void* source, size_t nbytes,
                       void* dest_addr, int numargs, ...);

/* PARAMETERS and LIST of M arguments; what a short message has in one cache line. */
#define ISTHMUS_GASNET_PARAMETERS_0
#define ISTHMUS_GASNET_PARAMETERS_1  ISTHMUS_GASNET_PARAMETERS_0, gasnet_handlerarg_t a0
#define ISTHMUS_GASNET_PARAMETERS_2  ISTHMUS_GASNET_PARAMETERS_1, gasnet_handlerarg_t a1
#define ISTHMUS_GASNET_PARAMETERS_3  ISTHMUS_GASNET_PARAMETERS_2, gasnet_handlerarg_t a2
#define ISTHMUS_GASNET_PARAMETERS_4  ISTHMUS_GASNET_PARAMETERS_3, gasnet_handlerarg_t a3
#define ISTHMUS_GASNET_PARAMETERS_5  ISTHMUS_GASNET_PARAMETERS_4, gasnet_handlerarg_t a4
#define ISTHMUS_GASNET_PARAMETERS_6  ISTHMUS_GASNET_PARAMETERS_5, gasnet_handlerarg_t a5
#define ISTHMUS_GASNET_PARAMETERS_7  ISTHMUS_GASNET_PARAMETERS_6, gasnet_handlerarg_t a6
#define ISTHMUS_GASNET_PARAMETERS_8  ISTHMUS_GASNET_PARAMETERS_7, gasnet_handlerarg_t a7
#define ISTHMUS_GASNET_PARAMETERS_9  ISTHMUS_GASNET_PARAMETERS_8, gasnet_handlerarg_t a8
#define ISTHMUS_GASNET_PARAMETERS_10 ISTHMUS_GASNET_PARAMETERS_9, gasnet_handlerarg_t a9
#define ISTHMUS_GASNET_PARAMETERS_11 ISTHMUS_GASNET_PARAMETERS_10, gasnet_handlerarg_t a10
#define ISTHMUS_GASNET_PARAMETERS_12 ISTHMUS_GASNET_PARAMETERS_11, gasnet_handlerarg_t a11
#define ISTHMUS_GASNET_PARAMETERS_13 ISTHMUS_GASNET_PARAMETERS_12, gasnet_handlerarg_t a12
#define ISTHMUS_GASNET_PARAMETERS_14 ISTHMUS_GASNET_PARAMETERS_13, gasnet_handlerarg_t a13
#define ISTHMUS_GASNET_PARAMETERS_15 ISTHMUS_GASNET_PARAMETERS_14, gasnet_handlerarg_t a14
#define ISTHMUS_GASNET_PARAMETERS_16 ISTHMUS_GASNET_PARAMETERS_15, gasnet_handlerarg_t a15
#define ISTHMUS_GASNET_LIST_1        a0
#define ISTHMUS_GASNET_LIST_2        ISTHMUS_GASNET_LIST_1, a1
#define ISTHMUS_GASNET_LIST_3        ISTHMUS_GASNET_LIST_2, a2
#define ISTHMUS_GASNET_LIST_4        ISTHMUS_GASNET_LIST_3, a3
#define ISTHMUS_GASNET_LIST_5        ISTHMUS_GASNET_LIST_4, a4
#define ISTHMUS_GASNET_LIST_6        ISTHMUS_GASNET_LIST_5, a5
#define ISTHMUS_GASNET_LIST_7        ISTHMUS_GASNET_LIST_6, a6
#define ISTHMUS_GASNET_LIST_8        ISTHMUS_GASNET_LIST_7, a7
#define ISTHMUS_GASNET_LIST_9        ISTHMUS_GASNET_LIST_8, a8
#define ISTHMUS_GASNET_LIST_10       ISTHMUS_GASNET_LIST_9, a9
#define ISTHMUS_GASNET_LIST_11       ISTHMUS_GASNET_LIST_10, a10
#define ISTHMUS_GASNET_LIST_12       ISTHMUS_GASNET_LIST_11, a11
#define ISTHMUS_GASNET_LIST_13       ISTHMUS_GASNET_LIST_12, a12
#define ISTHMUS_GASNET_LIST_14       ISTHMUS_GASNET_LIST_13, a13
#define ISTHMUS_GASNET_LIST_15       ISTHMUS_GASNET_LIST_14, a14
#define ISTHMUS_GASNET_LIST_16       ISTHMUS_GASNET_LIST_15, a15
#define ISTHMUS_GASNET_BYTES(M)      (sizeof(gasnet_handlerarg_t) * (M))
/* The block, `isthmus_a`, of so many bytes. */
#define ISTHMUS_GASNET_NO_BLOCK(M) const gasnet_handlerarg_t* const isthmus_a = NULL;
#define ISTHMUS_GASNET_BLOCK(M)           \
    const gasnet_handlerarg_t isthmus_a[] \
        __attribute__((__aligned__(8))) = {ISTHMUS_GASNET_LIST_##M};

#define ISTHMUS_GASNET_MESSAGES(M, BLOCK)                                                          \
    static __inline__ int gasnet_AMRequestShort##M(                                                \
        gasnet_node_t dest, gasnet_handler_t handler ISTHMUS_GASNET_PARAMETERS_##M) {              \
        BLOCK(M)                                                                                   \
        return isthmus_gasnet_request_short(dest, handler, isthmus_a, ISTHMUS_GASNET_BYTES(M));    \
    }                                                                                              \
    static __inline__ int gasnet_AMRequestMedium##M(gasnet_node_t dest, gasnet_handler_t handler,  \
                                                    const void* source,                            \
                                                    size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) { \
        BLOCK(M)                                                                                   \
        return isthmus_gasnet_request_medium(dest, handler, source, nbytes, isthmus_a,             \
                                             ISTHMUS_GASNET_BYTES(M));                             \
    }                                                                                              \
    static __inline__ int gasnet_AMRequestLong##M(gasnet_node_t dest, gasnet_handler_t handler,    \
                                                  const void* source, size_t nbytes,               \
                                                  void* dest_addr ISTHMUS_GASNET_PARAMETERS_##M) { \
        BLOCK(M)                                                                                   \
        return isthmus_gasnet_request_long(dest, handler, source, nbytes, dest_addr, isthmus_a,    \
                                           ISTHMUS_GASNET_BYTES(M));                               \
    }                                                                                              \
    static __inline__ int gasnet_AMRequestLongAsync##M(                                            \
        gasnet_node_t dest, gasnet_handler_t handler, const void* source, size_t nbytes,           \
        void* dest_addr ISTHMUS_GASNET_PARAMETERS_##M) {                                           \
        BLOCK(M)                                                                                   \
        return isthmus_gasnet_request_long(dest, handler, source, nbytes, dest_addr, isthmus_a,    \
                                           ISTHMUS_GASNET_BYTES(M));                               \
    }                                                                                              \
    static __inline__ int gasnet_AMReplyShort##M(                                                  \
        gasnet_token_t token, gasnet_handler_t handler ISTHMUS_GASNET_PARAMETERS_##M) {            \
        BLOCK(M)                                                                                   \
        return isthmus_gasnet_reply_short(token, handler, isthmus_a, ISTHMUS_GASNET_BYTES(M));     \
    }                                                                                              \
    static __inline__ int gasnet_AMReplyMedium##M(gasnet_token_t token, gasnet_handler_t handler,  \
                                                  const void* source,                              \
                                                  size_t nbytes ISTHMUS_GASNET_PARAMETERS_##M) {   \
        BLOCK(M)                                                                                   \
        return isthmus_gasnet_reply_medium(token, handler, source, nbytes, isthmus_a,              \
                                           ISTHMUS_GASNET_BYTES(M));                               \
    }                                                                                              \
    static __inline__ int gasnet_AMReplyLong##M(gasnet_token_t token, gasnet_handler_t handler,    \
                                                const void* source, size_t nbytes,                 \
                                                void* dest_addr ISTHMUS_GASNET_PARAMETERS_##M) {   \
        BLOCK(M)                                                                                   \
        return isthmus_gasnet_reply_long(token, handler, source, nbytes, dest_addr, isthmus_a,     \
                                         ISTHMUS_GASNET_BYTES(M));                                 \
    }
ISTHMUS_GASNET_MESSAGES(0, ISTHMUS_GASNET_NO_BLOCK)
ISTHMUS_GASNET_MESSAGES(1, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(2, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(3, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(4, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(5, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(6, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(7, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(8, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(9, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(10, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(11, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(12, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(13, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(14, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(15, ISTHMUS_GASNET_BLOCK)
ISTHMUS_GASNET_MESSAGES(16, ISTHMUS_GASNET_BLOCK)

#ifdef __cplusplus
}
#endif
#endif
