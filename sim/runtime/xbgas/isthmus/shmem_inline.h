/* The short operations, inlined into the program as xBGAS instructions.
 *
 * Budget: a put or get of up to 8 bytes and an atomic are 2 instructions (name the namespace,
 * access); floating values move through an integer register, one more. A context other than the
 * default one takes the out-of-line routine, because its PEs count in its team. */
#ifndef ISTHMUS_SHMEM_INLINE_H
#define ISTHMUS_SHMEM_INLINE_H

#if defined(__OPTIMIZE__) && defined(__GNUC__)

#define ISTHMUS_INLINE extern inline __attribute__((gnu_inline, always_inline))

#ifdef __cplusplus
extern "C" {
#endif

ISTHMUS_INLINE int shmem_my_pe(void) {
    return (int)isthmus_window_me;
}
ISTHMUS_INLINE int shmem_n_pes(void) {
    return (int)isthmus_window_pes;
}

/* An element of 1, 2, 4, 8 or 16 bytes; the size is known when this is compiled. No loops: the
 * compiler would not unroll them at -O2. Elements are aligned as their type is. */
#define ISTHMUS_STORE_AS(T, INSTRUCTION, offset)                                                \
    do {                                                                                        \
        T bits_;                                                                                \
        __builtin_memcpy(&bits_,                                                                \
                         __builtin_assume_aligned((const char*)value + (offset), sizeof bits_), \
                         sizeof bits_);                                                         \
        INSTRUCTION(pe, (char*)dest + (offset), bits_);                                         \
    } while (0)
ISTHMUS_INLINE void isthmus_store_element(void* dest, const void* value, size_t bytes, int pe) {
    if (bytes == 1) ISTHMUS_STORE_AS(int8_t, xbgas_pe_ersb, 0);
    if (bytes == 2) ISTHMUS_STORE_AS(int16_t, xbgas_pe_ersh, 0);
    if (bytes == 4) ISTHMUS_STORE_AS(int32_t, xbgas_pe_ersw, 0);
    if (bytes >= 8) ISTHMUS_STORE_AS(int64_t, xbgas_pe_ersd, 0);
    if (bytes >= 16) ISTHMUS_STORE_AS(int64_t, xbgas_pe_ersd, 8);
}
#undef ISTHMUS_STORE_AS
#define ISTHMUS_LOAD_AS(T, INSTRUCTION, offset)                                                   \
    do {                                                                                          \
        const T bits_ = INSTRUCTION(pe, (const char*)source + (offset));                          \
        __builtin_memcpy(__builtin_assume_aligned((char*)value + (offset), sizeof bits_), &bits_, \
                         sizeof bits_);                                                           \
    } while (0)
ISTHMUS_INLINE void isthmus_load_element(void* value, const void* source, size_t bytes, int pe) {
    if (bytes == 1) ISTHMUS_LOAD_AS(int8_t, xbgas_pe_erlb, 0);
    if (bytes == 2) ISTHMUS_LOAD_AS(int16_t, xbgas_pe_erlh, 0);
    if (bytes == 4) ISTHMUS_LOAD_AS(int32_t, xbgas_pe_erlw, 0);
    if (bytes >= 8) ISTHMUS_LOAD_AS(int64_t, xbgas_pe_erld, 0);
    if (bytes >= 16) ISTHMUS_LOAD_AS(int64_t, xbgas_pe_erld, 8);
}
#undef ISTHMUS_LOAD_AS

/* A byte by its value: the compiler keeps one whose address is taken in memory, too. */
#define ISTHMUS_INLINE_ELEMENT(T, N)                                                   \
    ISTHMUS_INLINE void shmem_##N##_p(T* dest, T value, int pe) {                      \
        if (sizeof(T) == 1)                                                            \
            xbgas_pe_ersb(pe, dest, (int8_t)value);                                    \
        else                                                                           \
            isthmus_store_element(dest, &value, sizeof(T), pe);                        \
    }                                                                                  \
    ISTHMUS_INLINE T shmem_##N##_g(const T* source, int pe) {                          \
        T value;                                                                       \
        if (sizeof(T) == 1) return (T)xbgas_pe_erlb(pe, source);                       \
        isthmus_load_element(&value, source, sizeof(T), pe);                           \
        return value;                                                                  \
    }                                                                                  \
    ISTHMUS_INLINE void shmem_ctx_##N##_p(shmem_ctx_t ctx, T* dest, T value, int pe) { \
        if (ctx == SHMEM_CTX_DEFAULT)                                                  \
            shmem_##N##_p(dest, value, pe);                                            \
        else                                                                           \
            pshmem_ctx_##N##_p(ctx, dest, value, pe);                                  \
    }                                                                                  \
    ISTHMUS_INLINE T shmem_ctx_##N##_g(shmem_ctx_t ctx, const T* source, int pe) {     \
        return ctx == SHMEM_CTX_DEFAULT ? shmem_##N##_g(source, pe)                    \
                                        : pshmem_ctx_##N##_g(ctx, source, pe);         \
    }
SHMEM_RMA_TYPES(ISTHMUS_INLINE_ELEMENT)
#undef ISTHMUS_INLINE_ELEMENT

/* Blocks whose size the compiler knows and that are a few elements go one by one; all others by a
 * bulk transfer, behind the routine. */
#define ISTHMUS_SHORT_BLOCK(T, nelems) \
    (__builtin_constant_p(nelems) && (nelems) <= 4 && (nelems) * sizeof(T) <= 32)
#define ISTHMUS_EACH_(MOVE, i) \
    if (nelems > (i)) MOVE(dest + (i), source + (i), sizeof(*dest), pe)
#define ISTHMUS_INLINE_BLOCK(T, N, ROUTINE, MOVE)                                             \
    ISTHMUS_INLINE void shmem_##N##ROUTINE(T* dest, const T* source, size_t nelems, int pe) { \
        if (ISTHMUS_SHORT_BLOCK(T, nelems)) {                                                 \
            ISTHMUS_EACH_(MOVE, 0);                                                           \
            ISTHMUS_EACH_(MOVE, 1);                                                           \
            ISTHMUS_EACH_(MOVE, 2);                                                           \
            ISTHMUS_EACH_(MOVE, 3);                                                           \
        } else {                                                                              \
            pshmem_##N##ROUTINE(dest, source, nelems, pe);                                    \
        }                                                                                     \
    }
/* Posted, of any length: the NIC writes `dest`, and quiet waits for it. */
#define ISTHMUS_INLINE_GET_NBI(T, N)                                                           \
    ISTHMUS_INLINE void shmem_##N##_get_nbi(T* dest, const T* source, size_t nelems, int pe) { \
        if (nelems != 0) xbgas_pe_post_eblb(dest, pe, source, nelems * sizeof(T));             \
    }
#define ISTHMUS_INLINE_BLOCKS(T, N)                             \
    ISTHMUS_INLINE_BLOCK(T, N, _put, isthmus_store_element)     \
    ISTHMUS_INLINE_BLOCK(T, N, _get, isthmus_load_element)      \
    ISTHMUS_INLINE_BLOCK(T, N, _put_nbi, isthmus_store_element) \
    ISTHMUS_INLINE_GET_NBI(T, N)
SHMEM_RMA_TYPES(ISTHMUS_INLINE_BLOCKS)
#undef ISTHMUS_INLINE_BLOCKS
#undef ISTHMUS_INLINE_BLOCK
#undef ISTHMUS_INLINE_GET_NBI
#undef ISTHMUS_EACH_

/* Atomics: one instruction of the word's size each. */
#define ISTHMUS_AMO_(T, OP, value)                                         \
    (sizeof(T) == 8 ? (T)xbgas_pe_eamo##OP##_d(pe, dest, (int64_t)(value)) \
                    : (T)xbgas_pe_eamo##OP##_w(pe, dest, (int32_t)(value)))
#define ISTHMUS_POST_(T, OP, value)                                 \
    do {                                                            \
        if (sizeof(T) == 8)                                         \
            xbgas_pe_post_eamo##OP##_d(pe, dest, (int64_t)(value)); \
        else                                                        \
            xbgas_pe_post_eamo##OP##_w(pe, dest, (int32_t)(value)); \
    } while (0)
#define ISTHMUS_INLINE_AMO(T, N)                                                                \
    ISTHMUS_INLINE T shmem_##N##_atomic_fetch(const T* source, int pe) {                        \
        return shmem_##N##_g(source, pe);                                                       \
    }                                                                                           \
    ISTHMUS_INLINE void shmem_##N##_atomic_set(T* dest, T value, int pe) {                      \
        shmem_##N##_p(dest, value, pe);                                                         \
    }                                                                                           \
    ISTHMUS_INLINE T shmem_##N##_atomic_swap(T* dest, T value, int pe) {                        \
        return ISTHMUS_AMO_(T, swap, value);                                                    \
    }                                                                                           \
    ISTHMUS_INLINE T shmem_##N##_atomic_fetch_add(T* dest, T value, int pe) {                   \
        return ISTHMUS_AMO_(T, add, value);                                                     \
    }                                                                                           \
    ISTHMUS_INLINE T shmem_##N##_atomic_fetch_inc(T* dest, int pe) {                            \
        return ISTHMUS_AMO_(T, add, 1);                                                         \
    }                                                                                           \
    ISTHMUS_INLINE void shmem_##N##_atomic_add(T* dest, T value, int pe) {                      \
        ISTHMUS_POST_(T, add, value);                                                           \
    }                                                                                           \
    ISTHMUS_INLINE void shmem_##N##_atomic_inc(T* dest, int pe) {                               \
        ISTHMUS_POST_(T, add, 1);                                                               \
    }                                                                                           \
    ISTHMUS_INLINE T shmem_##N##_atomic_compare_swap(T* dest, T cond, T value, int pe) {        \
        return sizeof(T) == 8 ? (T)xbgas_pe_eamocas_d(pe, dest, (int64_t)cond, (int64_t)value)  \
                              : (T)xbgas_pe_eamocas_w(pe, dest, (int32_t)cond, (int32_t)value); \
    }
SHMEM_STANDARD_AMO_TYPES(ISTHMUS_INLINE_AMO)
#undef ISTHMUS_INLINE_AMO

#define ISTHMUS_INLINE_BITWISE_(T, N, OP)                                      \
    ISTHMUS_INLINE T shmem_##N##_atomic_fetch_##OP(T* dest, T value, int pe) { \
        return ISTHMUS_AMO_(T, OP, value);                                     \
    }                                                                          \
    ISTHMUS_INLINE void shmem_##N##_atomic_##OP(T* dest, T value, int pe) {    \
        ISTHMUS_POST_(T, OP, value);                                           \
    }
#define ISTHMUS_INLINE_BITWISE(T, N)   \
    ISTHMUS_INLINE_BITWISE_(T, N, and) \
    ISTHMUS_INLINE_BITWISE_(T, N, or)  \
    ISTHMUS_INLINE_BITWISE_(T, N, xor)
SHMEM_BITWISE_AMO_TYPES(ISTHMUS_INLINE_BITWISE)
#undef ISTHMUS_INLINE_BITWISE
#undef ISTHMUS_INLINE_BITWISE_
#undef ISTHMUS_AMO_
#undef ISTHMUS_POST_

/* Everything under way completes: one instruction. */
ISTHMUS_INLINE void shmem_fence(void) {
    xbgas_fence();
}
ISTHMUS_INLINE void shmem_quiet(void) {
    xbgas_fence();
}

#ifdef __cplusplus
}
#endif

#endif
#endif
