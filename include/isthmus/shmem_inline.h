/* The short operations, inlined into the program.
 *
 * Budget on one host, in instructions including the access itself: p and g 7, atomics 8; the test
 * "is this PE within the window" (one xor, one compare, one branch) is in it. Whatever fails the
 * test goes to the out-of-line routine, which finds out why. The accesses are volatile, so that a
 * loop over shmem_g sees each new value, and may alias anything, as an access within a library
 * does: programs put an int64_t as a long long, or a pointer as a long. Compiled without
 * optimisation, the symbols are called. */
#ifndef ISTHMUS_SHMEM_INLINE_H
#define ISTHMUS_SHMEM_INLINE_H

#if defined(__OPTIMIZE__) && (defined(__GNUC__) || defined(__clang__))

#include <isthmus/checks.h>

#define ISTHMUS_INLINE       extern __inline__ __attribute__((gnu_inline, always_inline))
#define ISTHMUS_LIKELY(c)    __builtin_expect(!!(c), 1)
#define ISTHMUS_AT(T, there) (*(volatile T*)(there))
#define ISTHMUS_ALIASING(T)  typedef T __attribute__((__may_alias__)) isthmus_aliasing

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

/* The window's test, by the limit as it is now: compilers may look at it once, in front of a loop,
 * and a loop that polls by shmem_g is to see that another PE has closed the window, which asks what
 * it fetches. The same instructions. */
#if defined(__x86_64__) && defined(__GCC_ASM_FLAG_OUTPUTS__)
ISTHMUS_INLINE int isthmus_window_reaches_now(uint32_t slot) {
    int reaches;
    __asm__ __volatile__("cmp{l %1, %2| %2, %1}"
                         : "=@ccb"(reaches)
                         : "m"(isthmus_window.limit), "r"(slot));
    return reaches;
}
#else
ISTHMUS_INLINE int isthmus_window_reaches_now(uint32_t slot) {
    return slot < *(const volatile uint32_t*)&isthmus_window.limit;
}
#endif
/* Of a word: the PE's slot, and where this PE sees the word. The slot is made where the PE's number
 * was, which nobody needs any more, so that it costs no register and no copy; both ways know their
 * PE and their object by these two alone. */
#define ISTHMUS_SEE(address)                               \
    const uint32_t isthmus_slot = ISTHMUS_WINDOW_SLOT(pe); \
    const uintptr_t isthmus_there = ISTHMUS_WINDOW_THERE(address, isthmus_slot)
/* Behind the window's test, which fails in checked mode: what is found right at once is done here
 * as well (checks.h). */
#define ISTHMUS_PASSES_WORD(test, T, unit) \
    (ISTHMUS_LIKELY(test) || isthmus_checks_word(isthmus_there, sizeof(T), unit, isthmus_slot))
#define ISTHMUS_REACHES_WORD(T, unit) \
    ISTHMUS_PASSES_WORD(isthmus_slot < isthmus_window.limit, T, unit)
#define ISTHMUS_REACHES_BLOCK(address, here, bytes, pe) \
    (ISTHMUS_LIKELY(ISTHMUS_WINDOW_REACHES(pe)) ||      \
     isthmus_checks_short((uintptr_t)(address), (uintptr_t)(here), bytes, pe))
/* What the library is given. */
#define ISTHMUS_BACK(P) ((P)isthmus_window_back(isthmus_there, isthmus_slot))
#define ISTHMUS_BACK_PE isthmus_window_pe(isthmus_slot)

#define ISTHMUS_INLINE_ELEMENT(T, N)                                                   \
    ISTHMUS_INLINE void shmem_##N##_p(T* dest, T value, int pe) {                      \
        ISTHMUS_ALIASING(T);                                                           \
        ISTHMUS_SEE(dest);                                                             \
        if (ISTHMUS_REACHES_WORD(T, 1))                                                \
            ISTHMUS_AT(isthmus_aliasing, isthmus_there) = value;                       \
        else                                                                           \
            pshmem_##N##_p(ISTHMUS_BACK(T*), value, ISTHMUS_BACK_PE);                  \
    }                                                                                  \
    ISTHMUS_INLINE T shmem_##N##_g(const T* source, int pe) {                          \
        ISTHMUS_ALIASING(T);                                                           \
        ISTHMUS_SEE(source);                                                           \
        return ISTHMUS_PASSES_WORD(isthmus_window_reaches_now(isthmus_slot), T, 1)     \
                   ? ISTHMUS_AT(const isthmus_aliasing, isthmus_there)                 \
                   : pshmem_##N##_g(ISTHMUS_BACK(const T*), ISTHMUS_BACK_PE);          \
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

/* Blocks. Of a size that the compiler knows and that fits in a few registers: moved in place. The
 * copy must not be merged with or moved across other accesses to symmetric memory, hence the
 * compiler barrier. Others: by the copy that was chosen for this processor, without a routine in
 * between. Large ones take the routine, which notes the call for the report of a death. */
#define ISTHMUS_BARRIER() __asm__ __volatile__("" ::: "memory")
/* Counted in elements, whose bytes might be more than there are numbers. */
#define ISTHMUS_SHORT_BLOCK(nelems, unit) (__builtin_constant_p(nelems) && (nelems)-1 < 64 / (unit))
#define ISTHMUS_NOTED_BLOCK               16384
#define ISTHMUS_INLINE_BLOCK(P, ROUTINE, TO, FROM, THERE, HERE, UNIT, CHECKED)                    \
    ISTHMUS_INLINE void shmem_##ROUTINE(P* dest, const P* source, size_t nelems, int pe) {        \
        const uintptr_t isthmus_slot = (uintptr_t)ISTHMUS_WINDOW_ADDRESS(0, pe);                  \
        if (ISTHMUS_SHORT_BLOCK(nelems, UNIT) &&                                                  \
            ISTHMUS_REACHES_BLOCK(THERE, HERE, nelems * (UNIT), pe)) {                            \
            ISTHMUS_BARRIER();                                                                    \
            __builtin_memcpy(TO(isthmus_slot), FROM(isthmus_slot), nelems*(UNIT));                \
            ISTHMUS_BARRIER();                                                                    \
        } else if (!ISTHMUS_SHORT_BLOCK(nelems, UNIT) && nelems < ISTHMUS_NOTED_BLOCK / (UNIT) && \
                   ISTHMUS_LIKELY(ISTHMUS_WINDOW_REACHES(pe))) {                                  \
            isthmus_window.copy(TO((uintptr_t)ISTHMUS_WINDOW_ADDRESS(0, pe)),                     \
                                FROM((uintptr_t)ISTHMUS_WINDOW_ADDRESS(0, pe)), nelems*(UNIT));   \
        } else if (!__builtin_constant_p(nelems) && isthmus_checks.heap != 0) {                   \
            CHECKED(dest, source, nelems, pe, UNIT, (void (*)(void))pshmem_##ROUTINE);            \
        } else {                                                                                  \
            pshmem_##ROUTINE(dest, source, nelems, pe);                                           \
        }                                                                                         \
    }
/* The slot is added in front of the test, for loops to take it out. */
#define ISTHMUS_DEST_AT(slot)     ((void*)((uintptr_t)dest + (slot)))
#define ISTHMUS_SOURCE_AT(slot)   ((const void*)((uintptr_t)source + (slot)))
#define ISTHMUS_DEST_HERE(slot)   dest
#define ISTHMUS_SOURCE_HERE(slot) source
#define ISTHMUS_INLINE_PUT(P, PUT, UNIT)                                                   \
    ISTHMUS_INLINE_BLOCK(P, PUT, ISTHMUS_DEST_AT, ISTHMUS_SOURCE_HERE, dest, source, UNIT, \
                         isthmus_checks_put)
#define ISTHMUS_INLINE_GET(P, GET, UNIT)                                                   \
    ISTHMUS_INLINE_BLOCK(P, GET, ISTHMUS_DEST_HERE, ISTHMUS_SOURCE_AT, source, dest, UNIT, \
                         isthmus_checks_get)
#define ISTHMUS_INLINE_COPY(P, PUT, GET, UNIT) \
    ISTHMUS_INLINE_PUT(P, PUT, UNIT)           \
    ISTHMUS_INLINE_GET(P, GET, UNIT)           \
    ISTHMUS_INLINE_PUT(P, PUT##_nbi, UNIT)     \
    ISTHMUS_INLINE_GET(P, GET##_nbi, UNIT)
#define ISTHMUS_INLINE_TYPED_COPY(T, N) ISTHMUS_INLINE_COPY(T, N##_put, N##_get, sizeof(T))
SHMEM_RMA_TYPES(ISTHMUS_INLINE_TYPED_COPY)
#undef ISTHMUS_INLINE_TYPED_COPY
ISTHMUS_INLINE_COPY(void, putmem, getmem, 1)
#undef ISTHMUS_INLINE_COPY
#undef ISTHMUS_INLINE_PUT
#undef ISTHMUS_INLINE_GET
#undef ISTHMUS_INLINE_BLOCK
#undef ISTHMUS_DEST_AT
#undef ISTHMUS_SOURCE_AT
#undef ISTHMUS_DEST_HERE
#undef ISTHMUS_SOURCE_HERE

/* Atomics. Acquire and release cost nothing on x86-64; on Arm they make a fetched value a safe
 * guard for what was put before it was set. */
#define ISTHMUS_INLINE_AMO_VOID(NAME, T, PARAMETERS, ARGUMENTS, OPERATION) \
    ISTHMUS_INLINE void shmem_##NAME PARAMETERS {                          \
        ISTHMUS_SEE(dest);                                                 \
        if (ISTHMUS_REACHES_WORD(T, sizeof(T)))                            \
            (void)(OPERATION);                                             \
        else                                                               \
            pshmem_##NAME ARGUMENTS;                                       \
    }
#define ISTHMUS_INLINE_AMO(NAME, T, TARGET, PARAMETERS, ARGUMENTS, OPERATION)              \
    ISTHMUS_INLINE T shmem_##NAME PARAMETERS {                                             \
        ISTHMUS_SEE(TARGET);                                                               \
        return ISTHMUS_REACHES_WORD(T, sizeof(T)) ? (OPERATION) : pshmem_##NAME ARGUMENTS; \
    }
#define ISTHMUS_TARGET(T) ((T*)isthmus_there)
/* For the library: the object, a value, the PE. */
#define ISTHMUS_ONE(T)        (ISTHMUS_BACK(T*), ISTHMUS_BACK_PE)
#define ISTHMUS_TWO(T, value) (ISTHMUS_BACK(T*), value, ISTHMUS_BACK_PE)
#define ISTHMUS_INLINE_STANDARD(T, N)                                                              \
    ISTHMUS_INLINE_AMO(N##_atomic_fetch, T, source, (const T* source, int pe),                     \
                       ISTHMUS_ONE(const T),                                                       \
                       __atomic_load_n(ISTHMUS_TARGET(const T), __ATOMIC_ACQUIRE))                 \
    ISTHMUS_INLINE void shmem_##N##_atomic_set(T* dest, T value, int pe) {                         \
        ISTHMUS_SEE(dest);                                                                         \
        if (ISTHMUS_REACHES_WORD(T, sizeof(T)))                                                    \
            __atomic_store_n(ISTHMUS_TARGET(T), value, __ATOMIC_RELEASE);                          \
        else                                                                                       \
            pshmem_##N##_atomic_set ISTHMUS_TWO(T, value);                                         \
    }                                                                                              \
    ISTHMUS_INLINE_AMO(N##_atomic_swap, T, dest, (T * dest, T value, int pe),                      \
                       ISTHMUS_TWO(T, value),                                                      \
                       __atomic_exchange_n(ISTHMUS_TARGET(T), value, __ATOMIC_ACQ_REL))            \
    ISTHMUS_INLINE_AMO(N##_atomic_fetch_add, T, dest, (T * dest, T value, int pe),                 \
                       ISTHMUS_TWO(T, value),                                                      \
                       __atomic_fetch_add(ISTHMUS_TARGET(T), value, __ATOMIC_ACQ_REL))             \
    ISTHMUS_INLINE_AMO(N##_atomic_fetch_inc, T, dest, (T * dest, int pe), ISTHMUS_ONE(T),          \
                       __atomic_fetch_add(ISTHMUS_TARGET(T), 1, __ATOMIC_ACQ_REL))                 \
    ISTHMUS_INLINE_AMO_VOID(N##_atomic_add, T, (T * dest, T value, int pe), ISTHMUS_TWO(T, value), \
                            __atomic_fetch_add(ISTHMUS_TARGET(T), value, __ATOMIC_ACQ_REL))        \
    ISTHMUS_INLINE_AMO_VOID(N##_atomic_inc, T, (T * dest, int pe), ISTHMUS_ONE(T),                 \
                            __atomic_fetch_add(ISTHMUS_TARGET(T), 1, __ATOMIC_ACQ_REL))            \
    ISTHMUS_INLINE T shmem_##N##_atomic_compare_swap(T* dest, T cond, T value, int pe) {           \
        ISTHMUS_SEE(dest);                                                                         \
        if (ISTHMUS_REACHES_WORD(T, sizeof(T))) {                                                  \
            T expected = cond;                                                                     \
            __atomic_compare_exchange_n(ISTHMUS_TARGET(T), &expected, value, 0, __ATOMIC_ACQ_REL,  \
                                        __ATOMIC_ACQUIRE);                                         \
            return expected;                                                                       \
        }                                                                                          \
        return pshmem_##N##_atomic_compare_swap(ISTHMUS_BACK(T*), cond, value, ISTHMUS_BACK_PE);   \
    }
SHMEM_STANDARD_AMO_TYPES(ISTHMUS_INLINE_STANDARD)
#undef ISTHMUS_INLINE_STANDARD

#define ISTHMUS_INLINE_BITWISE_(T, N, OP)                                                          \
    ISTHMUS_INLINE_AMO(N##_atomic_fetch##OP, T, dest, (T * dest, T value, int pe),                 \
                       ISTHMUS_TWO(T, value),                                                      \
                       __atomic_fetch##OP(ISTHMUS_TARGET(T), value, __ATOMIC_ACQ_REL))             \
    ISTHMUS_INLINE_AMO_VOID(N##_atomic##OP, T, (T * dest, T value, int pe), ISTHMUS_TWO(T, value), \
                            __atomic_fetch##OP(ISTHMUS_TARGET(T), value, __ATOMIC_ACQ_REL))
#define ISTHMUS_INLINE_BITWISE(T, N)    \
    ISTHMUS_INLINE_BITWISE_(T, N, _and) \
    ISTHMUS_INLINE_BITWISE_(T, N, _or)  \
    ISTHMUS_INLINE_BITWISE_(T, N, _xor)
SHMEM_BITWISE_AMO_TYPES(ISTHMUS_INLINE_BITWISE)
#undef ISTHMUS_INLINE_BITWISE
#undef ISTHMUS_INLINE_BITWISE_
#undef ISTHMUS_INLINE_AMO
#undef ISTHMUS_INLINE_AMO_VOID
#undef ISTHMUS_TARGET
#undef ISTHMUS_ONE
#undef ISTHMUS_TWO

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif

#endif
#endif
