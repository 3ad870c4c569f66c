/* Atomics (9.7). On every type the road's words of 32 or 64 bits; floating types move as bits. */
#include "runtime.h"

#include <string.h>

#define ISTHMUS_EXTENDED_(T, N, BITS)                                       \
    T pshmem_##N##_atomic_fetch(const T* source, int pe) {                  \
        isthmus_check_pe("shmem_" #N "_atomic_fetch", pe);                  \
        const uint##BITS##_t bits = isthmus_road_load##BITS(pe, source);    \
        T value;                                                            \
        memcpy(&value, &bits, sizeof value);                                \
        return value;                                                       \
    }                                                                       \
    void pshmem_##N##_atomic_set(T* dest, T value, int pe) {                \
        uint##BITS##_t bits;                                                \
        isthmus_check_pe("shmem_" #N "_atomic_set", pe);                    \
        memcpy(&bits, &value, sizeof bits);                                 \
        isthmus_road_store##BITS(pe, dest, bits);                           \
    }                                                                       \
    T pshmem_##N##_atomic_swap(T* dest, T value, int pe) {                  \
        uint##BITS##_t bits;                                                \
        isthmus_check_pe("shmem_" #N "_atomic_swap", pe);                   \
        memcpy(&bits, &value, sizeof bits);                                 \
        bits = isthmus_road_swap##BITS(pe, dest, bits);                     \
        memcpy(&value, &bits, sizeof value);                                \
        return value;                                                       \
    }                                                                       \
    /* A word by the NIC, which reads it at once. */                        \
    void pshmem_##N##_atomic_fetch_nbi(T* fetch, const T* source, int pe) { \
        isthmus_check_pe("shmem_" #N "_atomic_fetch_nbi", pe);              \
        isthmus_road_get_nbi(pe, fetch, source, sizeof(T));                 \
    }                                                                       \
    void pshmem_##N##_atomic_swap_nbi(T* fetch, T* dest, T value, int pe) { \
        *fetch = pshmem_##N##_atomic_swap(dest, value, pe);                 \
    }                                                                       \
    T pshmem_##N##_fetch(const T* source, int pe) {                         \
        return pshmem_##N##_atomic_fetch(source, pe);                       \
    }                                                                       \
    void pshmem_##N##_set(T* dest, T value, int pe) {                       \
        pshmem_##N##_atomic_set(dest, value, pe);                           \
    }                                                                       \
    T pshmem_##N##_swap(T* dest, T value, int pe) {                         \
        return pshmem_##N##_atomic_swap(dest, value, pe);                   \
    }

#define ISTHMUS_VALUE_(T, N, BITS, OP, ROAD)                                        \
    T pshmem_##N##_atomic_fetch_##OP(T* dest, T value, int pe) {                    \
        isthmus_check_pe("shmem_" #N "_atomic_fetch_" #OP, pe);                     \
        return (T)ROAD##BITS(pe, dest, (uint##BITS##_t)value);                      \
    }                                                                               \
    void pshmem_##N##_atomic_fetch_##OP##_nbi(T* fetch, T* dest, T value, int pe) { \
        *fetch = pshmem_##N##_atomic_fetch_##OP(dest, value, pe);                   \
    }                                                                               \
    void pshmem_##N##_atomic_##OP(T* dest, T value, int pe) {                       \
        isthmus_check_pe("shmem_" #N "_atomic_" #OP, pe);                           \
        isthmus_road_post_##OP##BITS(pe, dest, (uint##BITS##_t)value);              \
    }

#define ISTHMUS_STANDARD_(T, N, BITS)                                                       \
    T pshmem_##N##_atomic_compare_swap(T* dest, T cond, T value, int pe) {                  \
        isthmus_check_pe("shmem_" #N "_atomic_compare_swap", pe);                           \
        return (T)isthmus_road_compare_swap##BITS(pe, dest, (uint##BITS##_t)cond,           \
                                                  (uint##BITS##_t)value);                   \
    }                                                                                       \
    void pshmem_##N##_atomic_compare_swap_nbi(T* fetch, T* dest, T cond, T value, int pe) { \
        *fetch = pshmem_##N##_atomic_compare_swap(dest, cond, value, pe);                   \
    }                                                                                       \
    ISTHMUS_VALUE_(T, N, BITS, add, isthmus_road_add)                                       \
    T pshmem_##N##_atomic_fetch_inc(T* dest, int pe) {                                      \
        return pshmem_##N##_atomic_fetch_add(dest, 1, pe);                                  \
    }                                                                                       \
    void pshmem_##N##_atomic_fetch_inc_nbi(T* fetch, T* dest, int pe) {                     \
        *fetch = pshmem_##N##_atomic_fetch_add(dest, 1, pe);                                \
    }                                                                                       \
    void pshmem_##N##_atomic_inc(T* dest, int pe) {                                         \
        pshmem_##N##_atomic_add(dest, 1, pe);                                               \
    }                                                                                       \
    T pshmem_##N##_cswap(T* dest, T cond, T value, int pe) {                                \
        return pshmem_##N##_atomic_compare_swap(dest, cond, value, pe);                     \
    }                                                                                       \
    T pshmem_##N##_finc(T* dest, int pe) {                                                  \
        return pshmem_##N##_atomic_fetch_add(dest, 1, pe);                                  \
    }                                                                                       \
    void pshmem_##N##_inc(T* dest, int pe) {                                                \
        pshmem_##N##_atomic_add(dest, 1, pe);                                               \
    }                                                                                       \
    T pshmem_##N##_fadd(T* dest, T value, int pe) {                                         \
        return pshmem_##N##_atomic_fetch_add(dest, value, pe);                              \
    }                                                                                       \
    void pshmem_##N##_add(T* dest, T value, int pe) {                                       \
        pshmem_##N##_atomic_add(dest, value, pe);                                           \
    }

#define ISTHMUS_BITWISE_(T, N, BITS)                  \
    ISTHMUS_VALUE_(T, N, BITS, and, isthmus_road_and) \
    ISTHMUS_VALUE_(T, N, BITS, or, isthmus_road_or)   \
    ISTHMUS_VALUE_(T, N, BITS, xor, isthmus_road_xor)

/* The lists of types do not say sizes; by name they do. */
#define ISTHMUS_BITS_int          32
#define ISTHMUS_BITS_uint         32
#define ISTHMUS_BITS_int32        32
#define ISTHMUS_BITS_uint32       32
#define ISTHMUS_BITS_float        32
#define ISTHMUS_BITS_long         64
#define ISTHMUS_BITS_ulong        64
#define ISTHMUS_BITS_longlong     64
#define ISTHMUS_BITS_ulonglong    64
#define ISTHMUS_BITS_int64        64
#define ISTHMUS_BITS_uint64       64
#define ISTHMUS_BITS_size         64
#define ISTHMUS_BITS_ptrdiff      64
#define ISTHMUS_BITS_double       64
#define ISTHMUS_CALL_(MACRO, ...) MACRO(__VA_ARGS__)

#define ISTHMUS_DEFINE_EXTENDED(T, N)                          \
    _Static_assert(8 * sizeof(T) == ISTHMUS_BITS_##N, "size"); \
    ISTHMUS_CALL_(ISTHMUS_EXTENDED_, T, N, ISTHMUS_BITS_##N)   \
    SHMEM_TABLE_AMO_EXTENDED_DEPRECATED(ISTHMUS_ALIAS, T, N)
SHMEM_STANDARD_AMO_TYPES(ISTHMUS_DEFINE_EXTENDED)
SHMEM_FLOATING_AMO_TYPES(ISTHMUS_DEFINE_EXTENDED)
long pshmem_swap(long* dest, long value, int pe) {
    return pshmem_long_atomic_swap(dest, value, pe);
}
SHMEM_TABLE_AMO_LONG(ISTHMUS_ALIAS)

#define ISTHMUS_DEFINE_STANDARD(T, N)                        \
    ISTHMUS_CALL_(ISTHMUS_STANDARD_, T, N, ISTHMUS_BITS_##N) \
    SHMEM_TABLE_AMO_STANDARD_DEPRECATED(ISTHMUS_ALIAS, T, N)
SHMEM_STANDARD_AMO_TYPES(ISTHMUS_DEFINE_STANDARD)

#define ISTHMUS_DEFINE_BITWISE(T, N) ISTHMUS_CALL_(ISTHMUS_BITWISE_, T, N, ISTHMUS_BITS_##N)
SHMEM_BITWISE_AMO_TYPES(ISTHMUS_DEFINE_BITWISE)

/* With a context: the PE counts in its team. Made from the table's entries, whose arguments begin
 * with the context and end with the PE. */
#define ISTHMUS_IN_CONTEXT_(NAME) isthmus_context_pe("shmem_ctx_" #NAME, ctx, pe)
#define ISTHMUS_FETCH_CTX_(T, N)                                                                 \
    T pshmem_ctx_##N##_atomic_fetch(shmem_ctx_t ctx, const T* source, int pe) {                  \
        return pshmem_##N##_atomic_fetch(source, ISTHMUS_IN_CONTEXT_(N##_atomic_fetch));         \
    }                                                                                            \
    void pshmem_ctx_##N##_atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe) {                \
        pshmem_##N##_atomic_set(dest, value, ISTHMUS_IN_CONTEXT_(N##_atomic_set));               \
    }                                                                                            \
    T pshmem_ctx_##N##_atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe) {                  \
        return pshmem_##N##_atomic_swap(dest, value, ISTHMUS_IN_CONTEXT_(N##_atomic_swap));      \
    }                                                                                            \
    void pshmem_ctx_##N##_atomic_fetch_nbi(shmem_ctx_t ctx, T* fetch, const T* source, int pe) { \
        pshmem_##N##_atomic_fetch_nbi(fetch, source, ISTHMUS_IN_CONTEXT_(N##_atomic_fetch_nbi)); \
    }                                                                                            \
    void pshmem_ctx_##N##_atomic_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) { \
        *fetch = pshmem_ctx_##N##_atomic_swap(ctx, dest, value, pe);                             \
    }                                                                                            \
    SHMEM_TABLE_AMO_EXTENDED(ISTHMUS_ALIAS, T, N)
SHMEM_STANDARD_AMO_TYPES(ISTHMUS_FETCH_CTX_)
SHMEM_FLOATING_AMO_TYPES(ISTHMUS_FETCH_CTX_)

#define ISTHMUS_VALUE_CTX_(T, N, OP)                                                           \
    T pshmem_ctx_##N##_atomic_fetch_##OP(shmem_ctx_t ctx, T* dest, T value, int pe) {          \
        return pshmem_##N##_atomic_fetch_##OP(dest, value,                                     \
                                              ISTHMUS_IN_CONTEXT_(N##_atomic_fetch_##OP));     \
    }                                                                                          \
    void pshmem_ctx_##N##_atomic_fetch_##OP##_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, \
                                                  int pe) {                                    \
        *fetch = pshmem_ctx_##N##_atomic_fetch_##OP(ctx, dest, value, pe);                     \
    }                                                                                          \
    void pshmem_ctx_##N##_atomic_##OP(shmem_ctx_t ctx, T* dest, T value, int pe) {             \
        pshmem_##N##_atomic_##OP(dest, value, ISTHMUS_IN_CONTEXT_(N##_atomic_##OP));           \
    }
#define ISTHMUS_STANDARD_CTX_(T, N)                                                             \
    T pshmem_ctx_##N##_atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value, int pe) { \
        return pshmem_##N##_atomic_compare_swap(dest, cond, value,                              \
                                                ISTHMUS_IN_CONTEXT_(N##_atomic_compare_swap));  \
    }                                                                                           \
    void pshmem_ctx_##N##_atomic_compare_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T cond,   \
                                                  T value, int pe) {                            \
        *fetch = pshmem_ctx_##N##_atomic_compare_swap(ctx, dest, cond, value, pe);              \
    }                                                                                           \
    ISTHMUS_VALUE_CTX_(T, N, add)                                                               \
    T pshmem_ctx_##N##_atomic_fetch_inc(shmem_ctx_t ctx, T* dest, int pe) {                     \
        return pshmem_ctx_##N##_atomic_fetch_add(ctx, dest, 1, pe);                             \
    }                                                                                           \
    void pshmem_ctx_##N##_atomic_fetch_inc_nbi(shmem_ctx_t ctx, T* fetch, T* dest, int pe) {    \
        *fetch = pshmem_ctx_##N##_atomic_fetch_add(ctx, dest, 1, pe);                           \
    }                                                                                           \
    void pshmem_ctx_##N##_atomic_inc(shmem_ctx_t ctx, T* dest, int pe) {                        \
        pshmem_ctx_##N##_atomic_add(ctx, dest, 1, pe);                                          \
    }                                                                                           \
    SHMEM_TABLE_AMO_STANDARD(ISTHMUS_ALIAS, T, N)
SHMEM_STANDARD_AMO_TYPES(ISTHMUS_STANDARD_CTX_)
#define ISTHMUS_BITWISE_CTX_(T, N) \
    ISTHMUS_VALUE_CTX_(T, N, and)  \
    ISTHMUS_VALUE_CTX_(T, N, or)   \
    ISTHMUS_VALUE_CTX_(T, N, xor)  \
    SHMEM_TABLE_AMO_BITWISE(ISTHMUS_ALIAS, T, N)
SHMEM_BITWISE_AMO_TYPES(ISTHMUS_BITWISE_CTX_)
