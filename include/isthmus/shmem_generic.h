/* The type-generic routines of OpenSHMEM for C11: shmem_put(dest, source, nelems, pe) and so on.
 *
 * A generic routine is a function-like macro that picks the typed routine by the type its first
 * data pointer points to, after dropping const and volatile. A context may stand in front of the
 * arguments where the standard allows it; the number of arguments decides. No argument is evaluated
 * twice. Where the standard has a routine of the same name (shmem_wait_until, shmem_sync,
 * shmem_signal_set, shmem_signal_add), its address can still be taken: that is not a macro call.
 *
 * A type that the standard does not list for a routine is a compile-time error that names it:
 * "'_Generic' selector of type 'struct point' is not compatible with any association".
 * A compound literal with commas needs parentheses around it, as in any macro call. */
#ifndef ISTHMUS_SHMEM_GENERIC_H
#define ISTHMUS_SHMEM_GENERIC_H

#include <isthmus/shmem_types.h>

/* Old programs declare their flags volatile, and 1.3 asked for it; the routines take plain
 * pointers. Conversion through these says so without losing the compiler's complaint about a
 * pointer to const where the routine writes. */
extern inline __attribute__((gnu_inline, always_inline)) void* isthmus_target(
    volatile void* address) {
    return (void*)(uintptr_t)address;
}
extern inline __attribute__((gnu_inline, always_inline)) const void* isthmus_source(
    const volatile void* address) {
    return (const void*)(uintptr_t)address;
}

/* The element an argument points to; `p` is only looked at, not evaluated. */
#define ISTHMUS_ELEMENT(p) (**(__typeof__(p)*)0)
#define ISTHMUS_OUT(p)     isthmus_target(p)
#define ISTHMUS_IN(p)      isthmus_source(p)
/* As ISTHMUS_IN, and the compiler compares the types of the two pointers. */
#define ISTHMUS_LIKE(model, p) isthmus_source(1 ? (p) : (__typeof__(&(model)[0]))0)

/* The distinct C types of each class of routines. SHMEM_DISTINCT_TYPES in shmem_types.h is the same
 * list; here C (empty or ctx_) and R (the routine's ending) travel along. */
#define ISTHMUS_CASE(T, N, C, R) , T : shmem_##C##N##R
#define ISTHMUS_CASES_AMO(C, R)              \
    ISTHMUS_CASE(int, int, C, R)             \
    ISTHMUS_CASE(long, long, C, R)           \
    ISTHMUS_CASE(long long, longlong, C, R)  \
    ISTHMUS_CASE(unsigned int, uint, C, R)   \
    ISTHMUS_CASE(unsigned long, ulong, C, R) \
    ISTHMUS_CASE(unsigned long long, ulonglong, C, R)
#define ISTHMUS_CASES_EXTENDED(C, R) \
    ISTHMUS_CASES_AMO(C, R)          \
    ISTHMUS_CASE(float, float, C, R) \
    ISTHMUS_CASE(double, double, C, R)
#define ISTHMUS_CASES_BITWISE(C, R)                   \
    ISTHMUS_CASE(unsigned int, uint, C, R)            \
    ISTHMUS_CASE(unsigned long, ulong, C, R)          \
    ISTHMUS_CASE(unsigned long long, ulonglong, C, R) \
    ISTHMUS_CASE(int32_t, int32, C, R)                \
    ISTHMUS_CASE(int64_t, int64, C, R)
#define ISTHMUS_CASES_RMA(C, R)                 \
    ISTHMUS_CASES_EXTENDED(C, R)                \
    ISTHMUS_CASE(long double, longdouble, C, R) \
    ISTHMUS_CASE(char, char, C, R)              \
    ISTHMUS_CASE(signed char, schar, C, R)      \
    ISTHMUS_CASE(short, short, C, R)            \
    ISTHMUS_CASE(unsigned char, uchar, C, R)    \
    ISTHMUS_CASE(unsigned short, ushort, C, R)
#define ISTHMUS_CASES_P2P(C, R)      \
    ISTHMUS_CASES_AMO(C, R)          \
    ISTHMUS_CASE(short, short, C, R) \
    ISTHMUS_CASE(unsigned short, ushort, C, R)
#define ISTHMUS_CASES_REDUCE_BITWISE(C, R)   \
    ISTHMUS_CASES_BITWISE(C, R)              \
    ISTHMUS_CASE(int8_t, int8, C, R)         \
    ISTHMUS_CASE(int16_t, int16, C, R)       \
    ISTHMUS_CASE(unsigned char, uchar, C, R) \
    ISTHMUS_CASE(unsigned short, ushort, C, R)
#define ISTHMUS_CASES_REDUCE(C, R)                       \
    ISTHMUS_CASES_RMA(C, R)                              \
    ISTHMUS_CASE(ISTHMUS_COMPLEX_DOUBLE, complexd, C, R) \
    ISTHMUS_CASE(ISTHMUS_COMPLEX_FLOAT, complexf, C, R)

/* The typed routine for what `p` points to. TYPES is one of the ISTHMUS_CASES_ above: a shorter word
 * might be a macro of the program. */
#define ISTHMUS_TYPED(TYPES, p, C, R) _Generic(ISTHMUS_ELEMENT(p) TYPES(C, R))

#define ISTHMUS_COUNT(...)                                    ISTHMUS_COUNT_(__VA_ARGS__, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define ISTHMUS_COUNT_(a, b, c, d, e, f, g, h, i, count, ...) count
#define ISTHMUS_JOIN(a, b)                                    ISTHMUS_JOIN_(a, b)
#define ISTHMUS_JOIN_(a, b)                                   a##b
/* FORM_n for a call with n arguments. */
#define ISTHMUS_FORM(FORM, ...) ISTHMUS_JOIN(FORM##_, ISTHMUS_COUNT(__VA_ARGS__))

/* The forms of calls: without a context, with one. */
#define ISTHMUS_VALUE_3(TYPES, R, dest, value, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)(ISTHMUS_OUT(dest), value, pe)
#define ISTHMUS_VALUE_4(TYPES, R, ctx, dest, value, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)(ctx, ISTHMUS_OUT(dest), value, pe)
#define ISTHMUS_READ_2(TYPES, R, source, pe) \
    ISTHMUS_TYPED(TYPES, source, , R)(ISTHMUS_IN(source), pe)
#define ISTHMUS_READ_3(TYPES, R, ctx, source, pe) \
    ISTHMUS_TYPED(TYPES, source, ctx_, R)(ctx, ISTHMUS_IN(source), pe)
#define ISTHMUS_TARGET_2(TYPES, R, dest, pe) ISTHMUS_TYPED(TYPES, dest, , R)(ISTHMUS_OUT(dest), pe)
#define ISTHMUS_TARGET_3(TYPES, R, ctx, dest, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)(ctx, ISTHMUS_OUT(dest), pe)
#define ISTHMUS_SWAP_4(TYPES, R, dest, cond, value, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)(ISTHMUS_OUT(dest), cond, value, pe)
#define ISTHMUS_SWAP_5(TYPES, R, ctx, dest, cond, value, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)(ctx, ISTHMUS_OUT(dest), cond, value, pe)
#define ISTHMUS_READ_NBI_3(TYPES, R, fetch, source, pe) \
    ISTHMUS_TYPED(TYPES, fetch, , R)(fetch, ISTHMUS_LIKE(fetch, source), pe)
#define ISTHMUS_READ_NBI_4(TYPES, R, ctx, fetch, source, pe) \
    ISTHMUS_TYPED(TYPES, fetch, ctx_, R)(ctx, fetch, ISTHMUS_LIKE(fetch, source), pe)
#define ISTHMUS_TARGET_NBI_3(TYPES, R, fetch, dest, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)(fetch, ISTHMUS_OUT(dest), pe)
#define ISTHMUS_TARGET_NBI_4(TYPES, R, ctx, fetch, dest, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)(ctx, fetch, ISTHMUS_OUT(dest), pe)
#define ISTHMUS_VALUE_NBI_4(TYPES, R, fetch, dest, value, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)(fetch, ISTHMUS_OUT(dest), value, pe)
#define ISTHMUS_VALUE_NBI_5(TYPES, R, ctx, fetch, dest, value, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)(ctx, fetch, ISTHMUS_OUT(dest), value, pe)
#define ISTHMUS_SWAP_NBI_5(TYPES, R, fetch, dest, cond, value, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)(fetch, ISTHMUS_OUT(dest), cond, value, pe)
#define ISTHMUS_SWAP_NBI_6(TYPES, R, ctx, fetch, dest, cond, value, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)(ctx, fetch, ISTHMUS_OUT(dest), cond, value, pe)
#define ISTHMUS_BLOCK_4(TYPES, R, dest, source, nelems, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)(ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), nelems, pe)
#define ISTHMUS_BLOCK_5(TYPES, R, ctx, dest, source, nelems, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)                          \
    (ctx, ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), nelems, pe)
#define ISTHMUS_STRIDED_6(TYPES, R, dest, source, dst, sst, nelems, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)                                     \
    (ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), dst, sst, nelems, pe)
#define ISTHMUS_STRIDED_7(TYPES, R, ctx, dest, source, dst, sst, nelems, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)                                      \
    (ctx, ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), dst, sst, nelems, pe)
#define ISTHMUS_BLOCKS_7(TYPES, R, dest, source, dst, sst, bsize, nblocks, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)                                            \
    (ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), dst, sst, bsize, nblocks, pe)
#define ISTHMUS_BLOCKS_8(TYPES, R, ctx, dest, source, dst, sst, bsize, nblocks, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)                                             \
    (ctx, ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), dst, sst, bsize, nblocks, pe)
#define ISTHMUS_SIGNAL_7(TYPES, R, dest, source, nelems, sig_addr, signal, sig_op, pe) \
    ISTHMUS_TYPED(TYPES, dest, , R)                                                    \
    (ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), nelems, sig_addr, signal, sig_op, pe)
#define ISTHMUS_SIGNAL_8(TYPES, R, ctx, dest, source, nelems, sig_addr, signal, sig_op, pe) \
    ISTHMUS_TYPED(TYPES, dest, ctx_, R)                                                     \
    (ctx, ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), nelems, sig_addr, signal, sig_op, pe)

#define ISTHMUS_GENERIC(FORM, TYPES, R, ...) ISTHMUS_FORM(FORM, __VA_ARGS__)(TYPES, R, __VA_ARGS__)

/* 9.6 Remote memory access. */
#define shmem_p(...)       ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_RMA, _p, __VA_ARGS__)
#define shmem_g(...)       ISTHMUS_GENERIC(ISTHMUS_READ, ISTHMUS_CASES_RMA, _g, __VA_ARGS__)
#define shmem_put(...)     ISTHMUS_GENERIC(ISTHMUS_BLOCK, ISTHMUS_CASES_RMA, _put, __VA_ARGS__)
#define shmem_get(...)     ISTHMUS_GENERIC(ISTHMUS_BLOCK, ISTHMUS_CASES_RMA, _get, __VA_ARGS__)
#define shmem_put_nbi(...) ISTHMUS_GENERIC(ISTHMUS_BLOCK, ISTHMUS_CASES_RMA, _put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) ISTHMUS_GENERIC(ISTHMUS_BLOCK, ISTHMUS_CASES_RMA, _get_nbi, __VA_ARGS__)
#define shmem_iput(...)    ISTHMUS_GENERIC(ISTHMUS_STRIDED, ISTHMUS_CASES_RMA, _iput, __VA_ARGS__)
#define shmem_iget(...)    ISTHMUS_GENERIC(ISTHMUS_STRIDED, ISTHMUS_CASES_RMA, _iget, __VA_ARGS__)
#define shmem_ibput(...)   ISTHMUS_GENERIC(ISTHMUS_BLOCKS, ISTHMUS_CASES_RMA, _ibput, __VA_ARGS__)
#define shmem_ibget(...)   ISTHMUS_GENERIC(ISTHMUS_BLOCKS, ISTHMUS_CASES_RMA, _ibget, __VA_ARGS__)

/* 9.7 Atomics. */
#define shmem_atomic_fetch(...) ISTHMUS_GENERIC(ISTHMUS_READ, ISTHMUS_CASES_EXTENDED, _atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...)   ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_EXTENDED, _atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...)  ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_EXTENDED, _atomic_swap, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) \
    ISTHMUS_GENERIC(ISTHMUS_READ_NBI, ISTHMUS_CASES_EXTENDED, _atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE_NBI, ISTHMUS_CASES_EXTENDED, _atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) \
    ISTHMUS_GENERIC(ISTHMUS_SWAP, ISTHMUS_CASES_AMO, _atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) \
    ISTHMUS_GENERIC(ISTHMUS_SWAP_NBI, ISTHMUS_CASES_AMO, _atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_inc(...) ISTHMUS_GENERIC(ISTHMUS_TARGET, ISTHMUS_CASES_AMO, _atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) \
    ISTHMUS_GENERIC(ISTHMUS_TARGET, ISTHMUS_CASES_AMO, _atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) \
    ISTHMUS_GENERIC(ISTHMUS_TARGET_NBI, ISTHMUS_CASES_AMO, _atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_add(...) ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_AMO, _atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_AMO, _atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE_NBI, ISTHMUS_CASES_AMO, _atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_and(...) ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_BITWISE, _atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_BITWISE, _atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE_NBI, ISTHMUS_CASES_BITWISE, _atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_or(...) ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_BITWISE, _atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_BITWISE, _atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE_NBI, ISTHMUS_CASES_BITWISE, _atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_xor(...) ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_BITWISE, _atomic_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE, ISTHMUS_CASES_BITWISE, _atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) \
    ISTHMUS_GENERIC(ISTHMUS_VALUE_NBI, ISTHMUS_CASES_BITWISE, _atomic_fetch_xor_nbi, __VA_ARGS__)
/* Names from before 1.4; they never took a context. */
#define shmem_fetch(source, pe)            ISTHMUS_READ_2(ISTHMUS_CASES_EXTENDED, _fetch, source, pe)
#define shmem_set(dest, value, pe)         ISTHMUS_VALUE_3(ISTHMUS_CASES_EXTENDED, _set, dest, value, pe)
#define shmem_swap(dest, value, pe)        ISTHMUS_VALUE_3(ISTHMUS_CASES_EXTENDED, _swap, dest, value, pe)
#define shmem_cswap(dest, cond, value, pe) ISTHMUS_SWAP_4(ISTHMUS_CASES_AMO, _cswap, dest, cond, value, pe)
#define shmem_inc(dest, pe)                ISTHMUS_TARGET_2(ISTHMUS_CASES_AMO, _inc, dest, pe)
#define shmem_finc(dest, pe)               ISTHMUS_TARGET_2(ISTHMUS_CASES_AMO, _finc, dest, pe)
#define shmem_add(dest, value, pe)         ISTHMUS_VALUE_3(ISTHMUS_CASES_AMO, _add, dest, value, pe)
#define shmem_fadd(dest, value, pe)        ISTHMUS_VALUE_3(ISTHMUS_CASES_AMO, _fadd, dest, value, pe)

/* 9.8 Signalling. */
#define shmem_put_signal(...)     ISTHMUS_GENERIC(ISTHMUS_SIGNAL, ISTHMUS_CASES_RMA, _put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) ISTHMUS_GENERIC(ISTHMUS_SIGNAL, ISTHMUS_CASES_RMA, _put_signal_nbi, __VA_ARGS__)
#define ISTHMUS_SIGNAL_SET_3      shmem_signal_set
#define ISTHMUS_SIGNAL_SET_4      shmem_ctx_signal_set
#define ISTHMUS_SIGNAL_ADD_3      shmem_signal_add
#define ISTHMUS_SIGNAL_ADD_4      shmem_ctx_signal_add
#define shmem_signal_set(...)     ISTHMUS_FORM(ISTHMUS_SIGNAL_SET, __VA_ARGS__)(__VA_ARGS__)
#define shmem_signal_add(...)     ISTHMUS_FORM(ISTHMUS_SIGNAL_ADD, __VA_ARGS__)(__VA_ARGS__)

/* 9.10 Collectives over teams. */
#define ISTHMUS_TEAM_BLOCK(TYPES, R, team, dest, source, nelems) \
    ISTHMUS_TYPED(TYPES, dest, , R)(team, ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), nelems)
#define shmem_alltoall(team, dest, source, nelems) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_RMA, _alltoall, team, dest, source, nelems)
#define shmem_alltoalls(team, dest, source, dst, sst, nelems) \
    ISTHMUS_TYPED(ISTHMUS_CASES_RMA, dest, , _alltoalls)                    \
    (team, ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), dst, sst, nelems)
#define shmem_broadcast(team, dest, source, nelems, PE_root) \
    ISTHMUS_TYPED(ISTHMUS_CASES_RMA, dest, , _broadcast)                   \
    (team, ISTHMUS_OUT(dest), ISTHMUS_LIKE(dest, source), nelems, PE_root)
#define shmem_collect(team, dest, source, nelems) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_RMA, _collect, team, dest, source, nelems)
#define shmem_fcollect(team, dest, source, nelems) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_RMA, _fcollect, team, dest, source, nelems)
#define shmem_and_reduce(team, dest, source, nreduce) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_REDUCE_BITWISE, _and_reduce, team, dest, source, nreduce)
#define shmem_or_reduce(team, dest, source, nreduce) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_REDUCE_BITWISE, _or_reduce, team, dest, source, nreduce)
#define shmem_xor_reduce(team, dest, source, nreduce) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_REDUCE_BITWISE, _xor_reduce, team, dest, source, nreduce)
#define shmem_max_reduce(team, dest, source, nreduce) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_RMA, _max_reduce, team, dest, source, nreduce)
#define shmem_min_reduce(team, dest, source, nreduce) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_RMA, _min_reduce, team, dest, source, nreduce)
#define shmem_sum_reduce(team, dest, source, nreduce) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_REDUCE, _sum_reduce, team, dest, source, nreduce)
#define shmem_prod_reduce(team, dest, source, nreduce) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_REDUCE, _prod_reduce, team, dest, source, nreduce)
#define shmem_sum_inscan(team, dest, source, nelems) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_REDUCE, _sum_inscan, team, dest, source, nelems)
#define shmem_sum_exscan(team, dest, source, nelems) \
    ISTHMUS_TEAM_BLOCK(ISTHMUS_CASES_REDUCE, _sum_exscan, team, dest, source, nelems)
/* One argument is a team; four are an active set (deprecated). */
#define ISTHMUS_SYNC_1  shmem_team_sync
#define ISTHMUS_SYNC_4  shmem_sync
#define shmem_sync(...) ISTHMUS_FORM(ISTHMUS_SYNC, __VA_ARGS__)(__VA_ARGS__)

/* 9.11 Point-to-point synchronisation. */
#define ISTHMUS_ANY_OF(R, ivars, nelems, status, cmp, value) \
    ISTHMUS_TYPED(ISTHMUS_CASES_AMO, ivars, , R)(ISTHMUS_OUT(ivars), nelems, status, cmp, value)
#define ISTHMUS_SOME_OF(R, ivars, nelems, indices, status, cmp, value) \
    ISTHMUS_TYPED(ISTHMUS_CASES_AMO, ivars, , R)(ISTHMUS_OUT(ivars), nelems, indices, status, cmp, value)
#define shmem_wait_until(ivar, cmp, cmp_value) \
    ISTHMUS_TYPED(ISTHMUS_CASES_P2P, ivar, , _wait_until)(ISTHMUS_OUT(ivar), cmp, cmp_value)
#define shmem_test(ivar, cmp, cmp_value) \
    ISTHMUS_TYPED(ISTHMUS_CASES_P2P, ivar, , _test)(ISTHMUS_OUT(ivar), cmp, cmp_value)
#define shmem_wait_until_all(ivars, nelems, status, cmp, cmp_value) \
    ISTHMUS_ANY_OF(_wait_until_all, ivars, nelems, status, cmp, cmp_value)
#define shmem_wait_until_any(ivars, nelems, status, cmp, cmp_value) \
    ISTHMUS_ANY_OF(_wait_until_any, ivars, nelems, status, cmp, cmp_value)
#define shmem_wait_until_some(ivars, nelems, indices, status, cmp, cmp_value) \
    ISTHMUS_SOME_OF(_wait_until_some, ivars, nelems, indices, status, cmp, cmp_value)
#define shmem_wait_until_all_vector(ivars, nelems, status, cmp, cmp_values) \
    ISTHMUS_ANY_OF(_wait_until_all_vector, ivars, nelems, status, cmp, cmp_values)
#define shmem_wait_until_any_vector(ivars, nelems, status, cmp, cmp_values) \
    ISTHMUS_ANY_OF(_wait_until_any_vector, ivars, nelems, status, cmp, cmp_values)
#define shmem_wait_until_some_vector(ivars, nelems, indices, status, cmp, cmp_values) \
    ISTHMUS_SOME_OF(_wait_until_some_vector, ivars, nelems, indices, status, cmp, cmp_values)
#define shmem_test_all(ivars, nelems, status, cmp, cmp_value) \
    ISTHMUS_ANY_OF(_test_all, ivars, nelems, status, cmp, cmp_value)
#define shmem_test_any(ivars, nelems, status, cmp, cmp_value) \
    ISTHMUS_ANY_OF(_test_any, ivars, nelems, status, cmp, cmp_value)
#define shmem_test_some(ivars, nelems, indices, status, cmp, cmp_value) \
    ISTHMUS_SOME_OF(_test_some, ivars, nelems, indices, status, cmp, cmp_value)
#define shmem_test_all_vector(ivars, nelems, status, cmp, cmp_values) \
    ISTHMUS_ANY_OF(_test_all_vector, ivars, nelems, status, cmp, cmp_values)
#define shmem_test_any_vector(ivars, nelems, status, cmp, cmp_values) \
    ISTHMUS_ANY_OF(_test_any_vector, ivars, nelems, status, cmp, cmp_values)
#define shmem_test_some_vector(ivars, nelems, indices, status, cmp, cmp_values) \
    ISTHMUS_SOME_OF(_test_some_vector, ivars, nelems, indices, status, cmp, cmp_values)

#endif
