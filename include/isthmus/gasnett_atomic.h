/* Atomics and fences of gasnet_tools.h. All are atomic, in every mode; the flags that go with them
 * are fences before and behind. */
#ifndef ISTHMUS_GASNETT_ATOMIC_H
#define ISTHMUS_GASNETT_ATOMIC_H

#include <isthmus/casts.h>
#include <stdint.h>

#define gasnett_compiler_fence() __asm__ __volatile__("" ::: "memory")
#define gasnett_local_mb()       __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define gasnett_local_rmb()      __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define gasnett_local_wmb()      __atomic_thread_fence(__ATOMIC_RELEASE)
#define gasnett_weak_mb()        gasnett_local_mb()
#define gasnett_weak_rmb()       gasnett_local_rmb()
#define gasnett_weak_wmb()       gasnett_local_wmb()

#define GASNETT_ATOMIC_NONE              0
#define GASNETT_ATOMIC_RMB_PRE           1
#define GASNETT_ATOMIC_WMB_PRE           2
#define GASNETT_ATOMIC_MB_PRE            (GASNETT_ATOMIC_RMB_PRE | GASNETT_ATOMIC_WMB_PRE)
#define GASNETT_ATOMIC_RMB_POST          4
#define GASNETT_ATOMIC_WMB_POST          8
#define GASNETT_ATOMIC_MB_POST           (GASNETT_ATOMIC_RMB_POST | GASNETT_ATOMIC_WMB_POST)
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE  16
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 32
#define GASNETT_ATOMIC_REL               GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ               GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE       GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE      GASNETT_ATOMIC_RMB_POST_IF_FALSE

#define GASNETT_HAVE_ATOMIC_CAS            1
#define GASNETT_HAVE_ATOMIC_ADD_SUB        1
#define GASNETT_HAVE_STRONGATOMIC_CAS      1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB  1
#define GASNETT_ATOMIC_MAX                 0xffffffffu
#define GASNETT_ATOMIC_SIGNED_MIN          (ISTHMUS_CAST(int32_t, -2147483647) - 1)
#define GASNETT_ATOMIC_SIGNED_MAX          ISTHMUS_CAST(int32_t, 2147483647)
#define gasnett_atomic_signed(value)       ISTHMUS_CAST(gasnett_atomic_sval_t, value)
#define gasnett_strongatomic_signed(value) ISTHMUS_CAST(gasnett_strongatomic_sval_t, value)
#define gasnett_atomic_init(value) \
    { value }
#define gasnett_atomic32_init(value) \
    { value }
#define gasnett_atomic64_init(value) \
    { value }
#define gasnett_strongatomic_init(value) \
    { value }
#define gasnett_strongatomic32_init(value) \
    { value }
#define gasnett_strongatomic64_init(value) \
    { value }

#ifdef __cplusplus
extern "C" {
#endif

static __inline__ void isthmus_gasnett_before(int flags) {
    if (flags & GASNETT_ATOMIC_MB_PRE) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static __inline__ void isthmus_gasnett_behind(int flags, int result) {
    const int wanted = GASNETT_ATOMIC_MB_POST | (result ? GASNETT_ATOMIC_RMB_POST_IF_TRUE
                                                        : GASNETT_ATOMIC_RMB_POST_IF_FALSE);
    if (flags & wanted) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/* Relaxed: the flags say what is ordered, and their fences do it. */
#define ISTHMUS_GASNETT_RMW(T, OPERATION) \
    T past;                               \
    isthmus_gasnett_before(flags);        \
    past = OPERATION;                     \
    isthmus_gasnett_behind(flags, 0);     \
    return past;
#define ISTHMUS_GASNETT_ATOMIC(N, T, S)                                                           \
    typedef struct {                                                                              \
        volatile T value;                                                                         \
    } gasnett_##N##_t;                                                                            \
    typedef T gasnett_##N##_val_t;                                                                \
    typedef S gasnett_##N##_sval_t;                                                               \
    static __inline__ T gasnett_##N##_read(gasnett_##N##_t* p, int flags) {                       \
        ISTHMUS_GASNETT_RMW(T, __atomic_load_n(&p->value, __ATOMIC_RELAXED))                      \
    }                                                                                             \
    static __inline__ void gasnett_##N##_set(gasnett_##N##_t* p, T value, int flags) {            \
        isthmus_gasnett_before(flags);                                                            \
        __atomic_store_n(&p->value, value, __ATOMIC_RELAXED);                                     \
        isthmus_gasnett_behind(flags, 0);                                                         \
    }                                                                                             \
    static __inline__ T gasnett_##N##_add(gasnett_##N##_t* p, T value, int flags) {               \
        ISTHMUS_GASNETT_RMW(T, __atomic_add_fetch(&p->value, value, __ATOMIC_RELAXED))            \
    }                                                                                             \
    static __inline__ T gasnett_##N##_subtract(gasnett_##N##_t* p, T value, int flags) {          \
        ISTHMUS_GASNETT_RMW(T, __atomic_sub_fetch(&p->value, value, __ATOMIC_RELAXED))            \
    }                                                                                             \
    static __inline__ T gasnett_##N##_swap(gasnett_##N##_t* p, T value, int flags) {              \
        ISTHMUS_GASNETT_RMW(T, __atomic_exchange_n(&p->value, value, __ATOMIC_RELAXED))           \
    }                                                                                             \
    static __inline__ void gasnett_##N##_increment(gasnett_##N##_t* p, int flags) {               \
        (void)gasnett_##N##_add(p, 1, flags);                                                     \
    }                                                                                             \
    static __inline__ void gasnett_##N##_decrement(gasnett_##N##_t* p, int flags) {               \
        (void)gasnett_##N##_subtract(p, 1, flags);                                                \
    }                                                                                             \
    static __inline__ int gasnett_##N##_decrement_and_test(gasnett_##N##_t* p, int flags) {       \
        int is_zero;                                                                              \
        isthmus_gasnett_before(flags);                                                            \
        is_zero = __atomic_sub_fetch(&p->value, 1, __ATOMIC_RELAXED) == 0;                        \
        isthmus_gasnett_behind(flags, is_zero);                                                   \
        return is_zero;                                                                           \
    }                                                                                             \
    static __inline__ int gasnett_##N##_compare_and_swap(gasnett_##N##_t* p, T expected, T value, \
                                                         int flags) {                             \
        int is_done;                                                                              \
        isthmus_gasnett_before(flags);                                                            \
        is_done = __atomic_compare_exchange_n(&p->value, &expected, value, 0, __ATOMIC_RELAXED,   \
                                              __ATOMIC_RELAXED);                                  \
        isthmus_gasnett_behind(flags, is_done);                                                   \
        return is_done;                                                                           \
    }
ISTHMUS_GASNETT_ATOMIC(atomic, uint32_t, int32_t)
ISTHMUS_GASNETT_ATOMIC(atomic32, uint32_t, int32_t)
ISTHMUS_GASNETT_ATOMIC(atomic64, uint64_t, int64_t)
ISTHMUS_GASNETT_ATOMIC(strongatomic, uint32_t, int32_t)
ISTHMUS_GASNETT_ATOMIC(strongatomic32, uint32_t, int32_t)
ISTHMUS_GASNETT_ATOMIC(strongatomic64, uint64_t, int64_t)
#undef ISTHMUS_GASNETT_ATOMIC

#ifdef __cplusplus
}
#endif
#endif
