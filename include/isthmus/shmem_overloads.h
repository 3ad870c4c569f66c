/* The type-generic routines of OpenSHMEM for C++ (11 and later): the same names and arguments as
 * the C11 generics (shmem_generic.h), as overloads of inline functions.
 *
 * Pointers to volatile are accepted everywhere, as old programs declare their flags so; for the
 * same reason the typed wait, test and lock routines have an overload that takes them. A type that
 * the standard does not list for a routine is a compile-time error that lists what is there.
 * The header may be included inside extern "C". */
#ifndef ISTHMUS_SHMEM_OVERLOADS_H
#define ISTHMUS_SHMEM_OVERLOADS_H

#include <isthmus/shmem_types.h>

extern "C++" {

/* One overload that calls TYPED; with OVERLOAD_BOTH one more with a context in front, which calls
 * the routine CONTEXT. PARAMETERS and ARGUMENTS are in parentheses and never empty. */
#define ISTHMUS_OVERLOAD(RESULT, NAME, TYPED, PARAMETERS, ARGUMENTS) \
    inline RESULT NAME PARAMETERS {                                  \
        return TYPED ARGUMENTS;                                      \
    }
#define ISTHMUS_OVERLOAD_BOTH(RESULT, NAME, TYPED, CONTEXT, PARAMETERS, ARGUMENTS) \
    inline RESULT NAME PARAMETERS {                                                \
        return TYPED ARGUMENTS;                                                    \
    }                                                                              \
    inline RESULT NAME(shmem_ctx_t ctx, SHMEM_UNPACK_ PARAMETERS) {                \
        return CONTEXT(ctx, SHMEM_UNPACK_ ARGUMENTS);                              \
    }
#define ISTHMUS_PLAIN(T, p)  const_cast<T*>(p)
#define ISTHMUS_SOURCE(T, p) const_cast<const T*>(p)

/* 9.6, 9.8: remote memory access and put with signal; 9.10: collectives that move data. */
#define ISTHMUS_OVERLOADS_BLOCK(T, N, R)                                                        \
    ISTHMUS_OVERLOAD_BOTH(void, shmem##R, shmem_##N##R, shmem_ctx_##N##R,                       \
                          (volatile T * dest, const volatile T* source, size_t nelems, int pe), \
                          (ISTHMUS_PLAIN(T, dest), ISTHMUS_SOURCE(T, source), nelems, pe))
#define ISTHMUS_OVERLOADS_STRIDED(T, N, R)                                                         \
    ISTHMUS_OVERLOAD_BOTH(                                                                         \
        void, shmem##R, shmem_##N##R, shmem_ctx_##N##R,                                            \
        (volatile T * dest, const volatile T* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
         int pe),                                                                                  \
        (ISTHMUS_PLAIN(T, dest), ISTHMUS_SOURCE(T, source), dst, sst, nelems, pe))
#define ISTHMUS_OVERLOADS_BLOCKS(T, N, R)                                                         \
    ISTHMUS_OVERLOAD_BOTH(                                                                        \
        void, shmem##R, shmem_##N##R, shmem_ctx_##N##R,                                           \
        (volatile T * dest, const volatile T* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
         size_t nblocks, int pe),                                                                 \
        (ISTHMUS_PLAIN(T, dest), ISTHMUS_SOURCE(T, source), dst, sst, bsize, nblocks, pe))
#define ISTHMUS_OVERLOADS_SIGNAL(T, N, R)                                                \
    ISTHMUS_OVERLOAD_BOTH(                                                               \
        void, shmem##R, shmem_##N##R, shmem_ctx_##N##R,                                  \
        (volatile T * dest, const volatile T* source, size_t nelems, uint64_t* sig_addr, \
         uint64_t signal, int sig_op, int pe),                                           \
        (ISTHMUS_PLAIN(T, dest), ISTHMUS_SOURCE(T, source), nelems, sig_addr, signal, sig_op, pe))
#define ISTHMUS_OVERLOADS_VALUE(T, N, RESULT, R)                            \
    ISTHMUS_OVERLOAD_BOTH(RESULT, shmem##R, shmem_##N##R, shmem_ctx_##N##R, \
                          (volatile T * dest, T value, int pe),             \
                          (ISTHMUS_PLAIN(T, dest), value, pe))
#define ISTHMUS_OVERLOADS_READ(T, N, R)                                \
    ISTHMUS_OVERLOAD_BOTH(T, shmem##R, shmem_##N##R, shmem_ctx_##N##R, \
                          (const volatile T* source, int pe), (ISTHMUS_SOURCE(T, source), pe))
#define ISTHMUS_OVERLOADS_TEAM(T, N, R)                                                  \
    ISTHMUS_OVERLOAD(                                                                    \
        int, shmem##R, shmem_##N##R,                                                     \
        (shmem_team_t team, volatile T * dest, const volatile T* source, size_t nelems), \
        (team, ISTHMUS_PLAIN(T, dest), ISTHMUS_SOURCE(T, source), nelems))
#define ISTHMUS_OVERLOADS_RMA(T, N)                                                               \
    ISTHMUS_OVERLOADS_VALUE(T, N, void, _p)                                                       \
    ISTHMUS_OVERLOADS_READ(T, N, _g)                                                              \
    ISTHMUS_OVERLOADS_BLOCK(T, N, _put)                                                           \
    ISTHMUS_OVERLOADS_BLOCK(T, N, _get)                                                           \
    ISTHMUS_OVERLOADS_BLOCK(T, N, _put_nbi)                                                       \
    ISTHMUS_OVERLOADS_BLOCK(T, N, _get_nbi)                                                       \
    ISTHMUS_OVERLOADS_STRIDED(T, N, _iput)                                                        \
    ISTHMUS_OVERLOADS_STRIDED(T, N, _iget)                                                        \
    ISTHMUS_OVERLOADS_BLOCKS(T, N, _ibput)                                                        \
    ISTHMUS_OVERLOADS_BLOCKS(T, N, _ibget)                                                        \
    ISTHMUS_OVERLOADS_SIGNAL(T, N, _put_signal)                                                   \
    ISTHMUS_OVERLOADS_SIGNAL(T, N, _put_signal_nbi)                                               \
    ISTHMUS_OVERLOADS_TEAM(T, N, _alltoall)                                                       \
    ISTHMUS_OVERLOAD(int, shmem_alltoalls, shmem_##N##_alltoalls,                                 \
                     (shmem_team_t team, volatile T * dest, const volatile T* source,             \
                      ptrdiff_t dst, ptrdiff_t sst, size_t nelems),                               \
                     (team, ISTHMUS_PLAIN(T, dest), ISTHMUS_SOURCE(T, source), dst, sst, nelems)) \
    ISTHMUS_OVERLOAD(int, shmem_broadcast, shmem_##N##_broadcast,                                 \
                     (shmem_team_t team, volatile T * dest, const volatile T* source,             \
                      size_t nelems, int PE_root),                                                \
                     (team, ISTHMUS_PLAIN(T, dest), ISTHMUS_SOURCE(T, source), nelems, PE_root))  \
    ISTHMUS_OVERLOADS_TEAM(T, N, _collect)                                                        \
    ISTHMUS_OVERLOADS_TEAM(T, N, _fcollect)                                                       \
    ISTHMUS_OVERLOADS_TEAM(T, N, _max_reduce)                                                     \
    ISTHMUS_OVERLOADS_TEAM(T, N, _min_reduce)
SHMEM_DISTINCT_TYPES(ISTHMUS_OVERLOADS_RMA)
#undef ISTHMUS_OVERLOADS_RMA

#define ISTHMUS_OVERLOADS_SUM(T, N)            \
    ISTHMUS_OVERLOADS_TEAM(T, N, _sum_reduce)  \
    ISTHMUS_OVERLOADS_TEAM(T, N, _prod_reduce) \
    ISTHMUS_OVERLOADS_TEAM(T, N, _sum_inscan)  \
    ISTHMUS_OVERLOADS_TEAM(T, N, _sum_exscan)
SHMEM_DISTINCT_TYPES(ISTHMUS_OVERLOADS_SUM)
SHMEM_COMPLEX_TYPES(ISTHMUS_OVERLOADS_SUM)
#undef ISTHMUS_OVERLOADS_SUM

/* Tables 10 and 11 name C's complex types, too, which compilers know as an extension of C++; their
 * layout is that of std::complex. By the typed names and by the generic ones. */
__extension__ typedef double _Complex isthmus_c_complexd;
__extension__ typedef float _Complex isthmus_c_complexf;
template <typename isthmus_std, typename isthmus_c>
inline isthmus_std* isthmus_as_std(volatile isthmus_c* address) {
    return reinterpret_cast<isthmus_std*>(const_cast<isthmus_c*>(address));
}
template <typename isthmus_std, typename isthmus_c>
inline const isthmus_std* isthmus_as_std_source(const volatile isthmus_c* address) {
    return reinterpret_cast<const isthmus_std*>(const_cast<const isthmus_c*>(address));
}
#define ISTHMUS_AS_STD(T, C, p)        isthmus_as_std<T, C>(p)
#define ISTHMUS_AS_STD_SOURCE(T, C, p) isthmus_as_std_source<T, C>(p)
#define ISTHMUS_OVERLOADS_C_COMPLEX_TEAM(NAME, T, C, N, R)                               \
    ISTHMUS_OVERLOAD(                                                                    \
        int, NAME, shmem_##N##R,                                                         \
        (shmem_team_t team, volatile C * dest, const volatile C* source, size_t nelems), \
        (team, ISTHMUS_AS_STD(T, C, dest), ISTHMUS_AS_STD_SOURCE(T, C, source), nelems))
#define ISTHMUS_OVERLOADS_C_COMPLEX_BOTH(T, C, N, R)           \
    ISTHMUS_OVERLOADS_C_COMPLEX_TEAM(shmem_##N##R, T, C, N, R) \
    ISTHMUS_OVERLOADS_C_COMPLEX_TEAM(shmem##R, T, C, N, R)
#define ISTHMUS_OVERLOADS_C_COMPLEX_TO_ALL(T, C, N, R)                                          \
    ISTHMUS_OVERLOAD(void, shmem_##N##R, shmem_##N##R,                                          \
                     (C * dest, const C* source, int nreduce, int PE_start, int logPE_stride,   \
                      int PE_size, C* pWrk, long* pSync),                                       \
                     (ISTHMUS_AS_STD(T, C, dest), ISTHMUS_AS_STD_SOURCE(T, C, source), nreduce, \
                      PE_start, logPE_stride, PE_size, ISTHMUS_AS_STD(T, C, pWrk), pSync))
#define ISTHMUS_OVERLOADS_C_COMPLEX(T, N)                                \
    ISTHMUS_OVERLOADS_C_COMPLEX_BOTH(T, isthmus_c_##N, N, _sum_reduce)   \
    ISTHMUS_OVERLOADS_C_COMPLEX_BOTH(T, isthmus_c_##N, N, _prod_reduce)  \
    ISTHMUS_OVERLOADS_C_COMPLEX_BOTH(T, isthmus_c_##N, N, _sum_inscan)   \
    ISTHMUS_OVERLOADS_C_COMPLEX_BOTH(T, isthmus_c_##N, N, _sum_exscan)   \
    ISTHMUS_OVERLOADS_C_COMPLEX_TO_ALL(T, isthmus_c_##N, N, _sum_to_all) \
    ISTHMUS_OVERLOADS_C_COMPLEX_TO_ALL(T, isthmus_c_##N, N, _prod_to_all)
SHMEM_COMPLEX_TYPES(ISTHMUS_OVERLOADS_C_COMPLEX)
#undef ISTHMUS_OVERLOADS_C_COMPLEX
#undef ISTHMUS_OVERLOADS_C_COMPLEX_TO_ALL
#undef ISTHMUS_OVERLOADS_C_COMPLEX_BOTH
#undef ISTHMUS_OVERLOADS_C_COMPLEX_TEAM
#undef ISTHMUS_AS_STD_SOURCE
#undef ISTHMUS_AS_STD

#define ISTHMUS_OVERLOADS_AND_OR_XOR(T, N)    \
    ISTHMUS_OVERLOADS_TEAM(T, N, _and_reduce) \
    ISTHMUS_OVERLOADS_TEAM(T, N, _or_reduce)  \
    ISTHMUS_OVERLOADS_TEAM(T, N, _xor_reduce)
SHMEM_DISTINCT_BITWISE_REDUCE_TYPES(ISTHMUS_OVERLOADS_AND_OR_XOR)
#undef ISTHMUS_OVERLOADS_AND_OR_XOR

/* One argument is a team; the routine with four, an active set, is deprecated. */
inline int shmem_sync(shmem_team_t team) {
    return shmem_team_sync(team);
}
inline void shmem_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
    shmem_ctx_signal_set(ctx, sig_addr, signal, pe);
}
inline void shmem_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
    shmem_ctx_signal_add(ctx, sig_addr, signal, pe);
}

/* 9.7 Atomics. */
#define ISTHMUS_OVERLOADS_VALUE_NBI(T, N, R)                               \
    ISTHMUS_OVERLOAD_BOTH(void, shmem##R, shmem_##N##R, shmem_ctx_##N##R,  \
                          (T * fetch, volatile T * dest, T value, int pe), \
                          (fetch, ISTHMUS_PLAIN(T, dest), value, pe))
#define ISTHMUS_OVERLOADS_EXTENDED(T, N)                                                     \
    ISTHMUS_OVERLOADS_READ(T, N, _atomic_fetch)                                              \
    ISTHMUS_OVERLOADS_VALUE(T, N, void, _atomic_set)                                         \
    ISTHMUS_OVERLOADS_VALUE(T, N, T, _atomic_swap)                                           \
    ISTHMUS_OVERLOAD_BOTH(void, shmem_atomic_fetch_nbi, shmem_##N##_atomic_fetch_nbi,        \
                          shmem_ctx_##N##_atomic_fetch_nbi,                                  \
                          (T * fetch, const volatile T* source, int pe),                     \
                          (fetch, ISTHMUS_SOURCE(T, source), pe))                            \
    ISTHMUS_OVERLOADS_VALUE_NBI(T, N, _atomic_swap_nbi)                                      \
    ISTHMUS_OVERLOAD(T, shmem_fetch, shmem_##N##_fetch, (const volatile T* source, int pe),  \
                     (ISTHMUS_SOURCE(T, source), pe))                                        \
    ISTHMUS_OVERLOAD(void, shmem_set, shmem_##N##_set, (volatile T * dest, T value, int pe), \
                     (ISTHMUS_PLAIN(T, dest), value, pe))                                    \
    ISTHMUS_OVERLOAD(T, shmem_swap, shmem_##N##_swap, (volatile T * dest, T value, int pe),  \
                     (ISTHMUS_PLAIN(T, dest), value, pe))
SHMEM_DISTINCT_INTEGERS_64(ISTHMUS_OVERLOADS_EXTENDED)
SHMEM_FLOATING_AMO_TYPES(ISTHMUS_OVERLOADS_EXTENDED)
#undef ISTHMUS_OVERLOADS_EXTENDED

#define ISTHMUS_OVERLOADS_STANDARD(T, N)                                                      \
    ISTHMUS_OVERLOAD_BOTH(T, shmem_atomic_compare_swap, shmem_##N##_atomic_compare_swap,      \
                          shmem_ctx_##N##_atomic_compare_swap,                                \
                          (volatile T * dest, T cond, T value, int pe),                       \
                          (ISTHMUS_PLAIN(T, dest), cond, value, pe))                          \
    ISTHMUS_OVERLOAD_BOTH(void, shmem_atomic_compare_swap_nbi,                                \
                          shmem_##N##_atomic_compare_swap_nbi,                                \
                          shmem_ctx_##N##_atomic_compare_swap_nbi,                            \
                          (T * fetch, volatile T * dest, T cond, T value, int pe),            \
                          (fetch, ISTHMUS_PLAIN(T, dest), cond, value, pe))                   \
    ISTHMUS_OVERLOAD_BOTH(void, shmem_atomic_inc, shmem_##N##_atomic_inc,                     \
                          shmem_ctx_##N##_atomic_inc, (volatile T * dest, int pe),            \
                          (ISTHMUS_PLAIN(T, dest), pe))                                       \
    ISTHMUS_OVERLOAD_BOTH(T, shmem_atomic_fetch_inc, shmem_##N##_atomic_fetch_inc,            \
                          shmem_ctx_##N##_atomic_fetch_inc, (volatile T * dest, int pe),      \
                          (ISTHMUS_PLAIN(T, dest), pe))                                       \
    ISTHMUS_OVERLOAD_BOTH(void, shmem_atomic_fetch_inc_nbi, shmem_##N##_atomic_fetch_inc_nbi, \
                          shmem_ctx_##N##_atomic_fetch_inc_nbi,                               \
                          (T * fetch, volatile T * dest, int pe),                             \
                          (fetch, ISTHMUS_PLAIN(T, dest), pe))                                \
    ISTHMUS_OVERLOADS_VALUE(T, N, void, _atomic_add)                                          \
    ISTHMUS_OVERLOADS_VALUE(T, N, T, _atomic_fetch_add)                                       \
    ISTHMUS_OVERLOADS_VALUE_NBI(T, N, _atomic_fetch_add_nbi)                                  \
    ISTHMUS_OVERLOAD(T, shmem_cswap, shmem_##N##_cswap,                                       \
                     (volatile T * dest, T cond, T value, int pe),                            \
                     (ISTHMUS_PLAIN(T, dest), cond, value, pe))                               \
    ISTHMUS_OVERLOAD(void, shmem_inc, shmem_##N##_inc, (volatile T * dest, int pe),           \
                     (ISTHMUS_PLAIN(T, dest), pe))                                            \
    ISTHMUS_OVERLOAD(T, shmem_finc, shmem_##N##_finc, (volatile T * dest, int pe),            \
                     (ISTHMUS_PLAIN(T, dest), pe))                                            \
    ISTHMUS_OVERLOAD(void, shmem_add, shmem_##N##_add, (volatile T * dest, T value, int pe),  \
                     (ISTHMUS_PLAIN(T, dest), value, pe))                                     \
    ISTHMUS_OVERLOAD(T, shmem_fadd, shmem_##N##_fadd, (volatile T * dest, T value, int pe),   \
                     (ISTHMUS_PLAIN(T, dest), value, pe))
SHMEM_DISTINCT_INTEGERS_64(ISTHMUS_OVERLOADS_STANDARD)
#undef ISTHMUS_OVERLOADS_STANDARD

/* `and`, `or` and `xor` are tokens of C++, hence the underscore on both sides of the paste. */
#define ISTHMUS_OVERLOADS_BITWISE(T, N)                      \
    ISTHMUS_OVERLOADS_VALUE(T, N, void, _atomic_and)         \
    ISTHMUS_OVERLOADS_VALUE(T, N, T, _atomic_fetch_and)      \
    ISTHMUS_OVERLOADS_VALUE_NBI(T, N, _atomic_fetch_and_nbi) \
    ISTHMUS_OVERLOADS_VALUE(T, N, void, _atomic_or)          \
    ISTHMUS_OVERLOADS_VALUE(T, N, T, _atomic_fetch_or)       \
    ISTHMUS_OVERLOADS_VALUE_NBI(T, N, _atomic_fetch_or_nbi)  \
    ISTHMUS_OVERLOADS_VALUE(T, N, void, _atomic_xor)         \
    ISTHMUS_OVERLOADS_VALUE(T, N, T, _atomic_fetch_xor)      \
    ISTHMUS_OVERLOADS_VALUE_NBI(T, N, _atomic_fetch_xor_nbi)
#define ISTHMUS_DISTINCT_BITWISE(X)  \
    X(unsigned int, uint)            \
    X(unsigned long, ulong)          \
    X(unsigned long long, ulonglong) \
    X(int32_t, int32)                \
    X(int64_t, int64)
ISTHMUS_DISTINCT_BITWISE(ISTHMUS_OVERLOADS_BITWISE)
#undef ISTHMUS_DISTINCT_BITWISE
#undef ISTHMUS_OVERLOADS_BITWISE

/* 9.11 Point-to-point synchronisation. The typed names take pointers to volatile as well. */
#define ISTHMUS_OVERLOADS_TEST(T, N)                                                               \
    ISTHMUS_OVERLOAD(void, shmem_wait_until, shmem_##N##_wait_until,                               \
                     (volatile T * ivar, int cmp, T cmp_value),                                    \
                     (ISTHMUS_PLAIN(T, ivar), cmp, cmp_value))                                     \
    ISTHMUS_OVERLOAD(int, shmem_test, shmem_##N##_test, (volatile T * ivar, int cmp, T cmp_value), \
                     (ISTHMUS_PLAIN(T, ivar), cmp, cmp_value))                                     \
    ISTHMUS_OVERLOAD(void, shmem_##N##_wait_until, shmem_##N##_wait_until,                         \
                     (volatile T * ivar, int cmp, T cmp_value),                                    \
                     (ISTHMUS_PLAIN(T, ivar), cmp, cmp_value))                                     \
    ISTHMUS_OVERLOAD(int, shmem_##N##_test, shmem_##N##_test,                                      \
                     (volatile T * ivar, int cmp, T cmp_value),                                    \
                     (ISTHMUS_PLAIN(T, ivar), cmp, cmp_value))
SHMEM_DISTINCT_INTEGERS_64(ISTHMUS_OVERLOADS_TEST)
SHMEM_DEPRECATED_P2P_TYPES(ISTHMUS_OVERLOADS_TEST)
#undef ISTHMUS_OVERLOADS_TEST

#define ISTHMUS_OVERLOADS_WAIT(T, N)                                                             \
    ISTHMUS_OVERLOAD(void, shmem_##N##_wait, shmem_##N##_wait, (volatile T * ivar, T cmp_value), \
                     (ISTHMUS_PLAIN(T, ivar), cmp_value))
SHMEM_WAIT_TYPES(ISTHMUS_OVERLOADS_WAIT)
#undef ISTHMUS_OVERLOADS_WAIT
inline void shmem_wait(volatile long* ivar, long cmp_value) {
    shmem_long_wait(ISTHMUS_PLAIN(long, ivar), cmp_value);
}

#define ISTHMUS_OVERLOADS_ANY(T, N, RESULT, R, VALUE)                                     \
    ISTHMUS_OVERLOAD(                                                                     \
        RESULT, shmem##R, shmem_##N##R,                                                   \
        (volatile T * ivars, size_t nelems, const int* status, int cmp, VALUE cmp_value), \
        (ISTHMUS_PLAIN(T, ivars), nelems, status, cmp, cmp_value))
#define ISTHMUS_OVERLOADS_SOME(T, N, R, VALUE)                                                \
    ISTHMUS_OVERLOAD(size_t, shmem##R, shmem_##N##R,                                          \
                     (volatile T * ivars, size_t nelems, size_t * indices, const int* status, \
                      int cmp, VALUE cmp_value),                                              \
                     (ISTHMUS_PLAIN(T, ivars), nelems, indices, status, cmp, cmp_value))
#define ISTHMUS_OVERLOADS_P2P(T, N)                                       \
    ISTHMUS_OVERLOADS_ANY(T, N, void, _wait_until_all, T)                 \
    ISTHMUS_OVERLOADS_ANY(T, N, size_t, _wait_until_any, T)               \
    ISTHMUS_OVERLOADS_SOME(T, N, _wait_until_some, T)                     \
    ISTHMUS_OVERLOADS_ANY(T, N, void, _wait_until_all_vector, const T*)   \
    ISTHMUS_OVERLOADS_ANY(T, N, size_t, _wait_until_any_vector, const T*) \
    ISTHMUS_OVERLOADS_SOME(T, N, _wait_until_some_vector, const T*)       \
    ISTHMUS_OVERLOADS_ANY(T, N, int, _test_all, T)                        \
    ISTHMUS_OVERLOADS_ANY(T, N, size_t, _test_any, T)                     \
    ISTHMUS_OVERLOADS_SOME(T, N, _test_some, T)                           \
    ISTHMUS_OVERLOADS_ANY(T, N, int, _test_all_vector, const T*)          \
    ISTHMUS_OVERLOADS_ANY(T, N, size_t, _test_any_vector, const T*)       \
    ISTHMUS_OVERLOADS_SOME(T, N, _test_some_vector, const T*)
SHMEM_DISTINCT_INTEGERS_64(ISTHMUS_OVERLOADS_P2P)
#undef ISTHMUS_OVERLOADS_P2P

/* 9.13 Locks: 1.3 declared them volatile. */
inline void shmem_set_lock(volatile long* lock) {
    shmem_set_lock(ISTHMUS_PLAIN(long, lock));
}
inline int shmem_test_lock(volatile long* lock) {
    return shmem_test_lock(ISTHMUS_PLAIN(long, lock));
}
inline void shmem_clear_lock(volatile long* lock) {
    shmem_clear_lock(ISTHMUS_PLAIN(long, lock));
}

#undef ISTHMUS_OVERLOAD
#undef ISTHMUS_OVERLOAD_BOTH
#undef ISTHMUS_OVERLOADS_BLOCK
#undef ISTHMUS_OVERLOADS_STRIDED
#undef ISTHMUS_OVERLOADS_BLOCKS
#undef ISTHMUS_OVERLOADS_SIGNAL
#undef ISTHMUS_OVERLOADS_VALUE
#undef ISTHMUS_OVERLOADS_VALUE_NBI
#undef ISTHMUS_OVERLOADS_READ
#undef ISTHMUS_OVERLOADS_TEAM
#undef ISTHMUS_OVERLOADS_ANY
#undef ISTHMUS_OVERLOADS_SOME
#undef ISTHMUS_PLAIN
#undef ISTHMUS_SOURCE

} /* extern "C++" */

#endif
