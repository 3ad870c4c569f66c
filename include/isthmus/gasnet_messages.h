/* The active messages of GASNet by number of arguments, 0 to 16, and those that are given it. Part
 * of gasnet.h. Each numbered name lays its arguments out and makes one call. */
#ifndef ISTHMUS_GASNET_MESSAGES_H
#define ISTHMUS_GASNET_MESSAGES_H

#include <isthmus/gasnet_arguments.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments as a block of `bytes`. All of these return GASNET_OK when the source may be reused, and
 * poll; errors: BAD_ARG: no such PE, a payload that is too large or would not lie in the target's
 * memory, called from where it is not allowed. */
int isthmus_gasnet_request_short(gasnet_node_t dest, unsigned handler,
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
ISTHMUS_GASNET_EACH_NUMBER(ISTHMUS_GASNET_MESSAGES)

#ifdef __cplusplus
}
#endif
#endif
