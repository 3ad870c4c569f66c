/* The table of routines: every routine of OpenSHMEM 1.6 once, as data.
 *
 * An entry is  X(result, name, (parameters), (arguments))  where the routine is called shmem_NAME
 * (and pshmem_NAME). Prototypes, the weak aliases, the profiling library, the symbol test and the
 * conformance page are all made from these entries. The comment in front of each group names the
 * section of the standard. */
#ifndef ISTHMUS_SHMEM_TABLE_H
#define ISTHMUS_SHMEM_TABLE_H

#include <isthmus/shmem_types.h>

/* One routine with and without a context: same name but for "ctx_". */
#define SHMEM_TABLE_BOTH_(X, R, NAME, PARAMETERS, ARGUMENTS)                                       \
    X(R, NAME, (SHMEM_UNPACK_ PARAMETERS), ARGUMENTS)                                              \
    X(R, ctx_##NAME, (shmem_ctx_t ctx, SHMEM_UNPACK_ PARAMETERS), (ctx, SHMEM_UNPACK_ ARGUMENTS))
#define SHMEM_UNPACK_(...) __VA_ARGS__

/* 9.1 Library setup, exit and query; 9.2 threads. */
#define SHMEM_TABLE_SETUP(X)                                                                  \
    X(void, init, (void), ())                                                                 \
    X(int, init_thread, (int requested, int* provided), (requested, provided))                \
    X(int, my_pe, (void), ())                                                                 \
    X(int, n_pes, (void), ())                                                                 \
    X(void, finalize, (void), ())                                                             \
    X(int, pe_accessible, (int pe), (pe))                                                     \
    X(int, addr_accessible, (const void* addr, int pe), (addr, pe))                           \
    X(void, info_get_version, (int* major, int* minor), (major, minor))                       \
    X(void, info_get_name, (char* name), (name))                                              \
    X(void, query_initialized, (int* initialized), (initialized))                             \
    X(void, query_thread, (int* provided), (provided))
/* shmem_global_exit and shmem_pcontrol do not fit the form (noreturn, variadic); see shmem.h. */

/* 9.3 Memory management. */
#define SHMEM_TABLE_MEMORY(X)                                                                  \
    X(void*, malloc, (size_t size), (size))                                                    \
    X(void, free, (void* ptr), (ptr))                                                          \
    X(void*, realloc, (void* ptr, size_t size), (ptr, size))                                   \
    X(void*, align, (size_t alignment, size_t size), (alignment, size))                        \
    X(void*, malloc_with_hints, (size_t size, long hints), (size, hints))                      \
    X(void*, calloc, (size_t count, size_t size), (count, size))                               \
    X(void*, ptr, (const void* dest, int pe), (dest, pe))

/* 9.4 Teams. */
#define SHMEM_TABLE_TEAMS(X)                                                                   \
    X(int, team_my_pe, (shmem_team_t team), (team))                                            \
    X(int, team_n_pes, (shmem_team_t team), (team))                                            \
    X(int, team_get_config,                                                                    \
      (shmem_team_t team, long config_mask, shmem_team_config_t* config),                      \
      (team, config_mask, config))                                                             \
    X(int, team_translate_pe, (shmem_team_t src_team, int src_pe, shmem_team_t dest_team),     \
      (src_team, src_pe, dest_team))                                                           \
    X(int, team_split_strided,                                                                 \
      (shmem_team_t parent_team, int start, int stride, int size,                              \
       const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team),           \
      (parent_team, start, stride, size, config, config_mask, new_team))                       \
    X(int, team_split_2d,                                                                      \
      (shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config,          \
       long xaxis_mask, shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config,     \
       long yaxis_mask, shmem_team_t* yaxis_team),                                             \
      (parent_team, xrange, xaxis_config, xaxis_mask, xaxis_team, yaxis_config, yaxis_mask,    \
       yaxis_team))                                                                            \
    X(void, team_destroy, (shmem_team_t team), (team))                                         \
    X(void*, team_ptr, (shmem_team_t team, const void* dest, int pe), (team, dest, pe))

/* 9.5 Contexts and 9.9 sessions. */
#define SHMEM_TABLE_CONTEXTS(X)                                                                \
    X(int, ctx_create, (long options, shmem_ctx_t* ctx), (options, ctx))                       \
    X(int, team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t* ctx),               \
      (team, options, ctx))                                                                    \
    X(void, ctx_destroy, (shmem_ctx_t ctx), (ctx))                                             \
    X(int, ctx_get_team, (shmem_ctx_t ctx, shmem_team_t* team), (ctx, team))                   \
    X(void, ctx_session_start,                                                                 \
      (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config,                \
       long config_mask),                                                                      \
      (ctx, options, config, config_mask))                                                     \
    X(void, ctx_session_stop, (shmem_ctx_t ctx), (ctx))

/* 9.6 Remote memory access, one element at a time. */
#define SHMEM_TABLE_ELEMENT(X, T, N)                                                           \
    SHMEM_TABLE_BOTH_(X, void, N##_p, (T * dest, T value, int pe), (dest, value, pe))          \
    SHMEM_TABLE_BOTH_(X, T, N##_g, (const T* source, int pe), (source, pe))

/* 9.6 Blocks; P is the type of the pointers, N the name with its ending removed. */
#define SHMEM_TABLE_BLOCK_(X, P, PUT, GET)                                                     \
    SHMEM_TABLE_BOTH_(X, void, PUT, (P * dest, const P* source, size_t nelems, int pe),        \
                      (dest, source, nelems, pe))                                              \
    SHMEM_TABLE_BOTH_(X, void, GET, (P * dest, const P* source, size_t nelems, int pe),        \
                      (dest, source, nelems, pe))                                              \
    SHMEM_TABLE_BOTH_(X, void, PUT##_nbi, (P * dest, const P* source, size_t nelems, int pe),  \
                      (dest, source, nelems, pe))                                              \
    SHMEM_TABLE_BOTH_(X, void, GET##_nbi, (P * dest, const P* source, size_t nelems, int pe),  \
                      (dest, source, nelems, pe))
#define SHMEM_TABLE_STRIDED_(X, P, IPUT, IGET, IBPUT, IBGET)                                   \
    SHMEM_TABLE_BOTH_(                                                                         \
        X, void, IPUT,                                                                         \
        (P * dest, const P* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe),      \
        (dest, source, dst, sst, nelems, pe))                                                  \
    SHMEM_TABLE_BOTH_(                                                                         \
        X, void, IGET,                                                                         \
        (P * dest, const P* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe),      \
        (dest, source, dst, sst, nelems, pe))                                                  \
    SHMEM_TABLE_BOTH_(X, void, IBPUT,                                                          \
                      (P * dest, const P* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,  \
                       size_t nblocks, int pe),                                                \
                      (dest, source, dst, sst, bsize, nblocks, pe))                            \
    SHMEM_TABLE_BOTH_(X, void, IBGET,                                                          \
                      (P * dest, const P* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,  \
                       size_t nblocks, int pe),                                                \
                      (dest, source, dst, sst, bsize, nblocks, pe))
#define SHMEM_TABLE_BLOCK(X, T, N)                                                             \
    SHMEM_TABLE_BLOCK_(X, T, N##_put, N##_get)                                                 \
    SHMEM_TABLE_STRIDED_(X, T, N##_iput, N##_iget, N##_ibput, N##_ibget)
#define SHMEM_TABLE_BLOCK_SIZED(X, BITS)                                                       \
    SHMEM_TABLE_BLOCK_(X, void, put##BITS, get##BITS)                                          \
    SHMEM_TABLE_STRIDED_(X, void, iput##BITS, iget##BITS, ibput##BITS, ibget##BITS)
#define SHMEM_TABLE_BLOCK_MEMORY(X) SHMEM_TABLE_BLOCK_(X, void, putmem, getmem)

/* 9.8 Signalling operations. */
#define SHMEM_TABLE_SIGNAL_(X, P, NAME)                                                        \
    SHMEM_TABLE_BOTH_(X, void, NAME,                                                           \
                      (P * dest, const P* source, size_t nelems, uint64_t* sig_addr,           \
                       uint64_t signal, int sig_op, int pe),                                   \
                      (dest, source, nelems, sig_addr, signal, sig_op, pe))
#define SHMEM_TABLE_PUT_SIGNAL(X, T, N)                                                        \
    SHMEM_TABLE_SIGNAL_(X, T, N##_put_signal)                                                  \
    SHMEM_TABLE_SIGNAL_(X, T, N##_put_signal_nbi)
#define SHMEM_TABLE_PUT_SIGNAL_SIZED(X, BITS)                                                  \
    SHMEM_TABLE_SIGNAL_(X, void, put##BITS##_signal)                                           \
    SHMEM_TABLE_SIGNAL_(X, void, put##BITS##_signal_nbi)
#define SHMEM_TABLE_SIGNAL(X)                                                                  \
    SHMEM_TABLE_SIGNAL_(X, void, putmem_signal)                                                \
    SHMEM_TABLE_SIGNAL_(X, void, putmem_signal_nbi)                                            \
    SHMEM_TABLE_BOTH_(X, void, signal_set, (uint64_t * sig_addr, uint64_t signal, int pe),     \
                      (sig_addr, signal, pe))                                                  \
    SHMEM_TABLE_BOTH_(X, void, signal_add, (uint64_t * sig_addr, uint64_t signal, int pe),     \
                      (sig_addr, signal, pe))                                                  \
    X(uint64_t, signal_fetch, (const uint64_t* sig_addr), (sig_addr))                          \
    X(uint64_t, signal_wait_until, (uint64_t * sig_addr, int cmp, uint64_t cmp_value),         \
      (sig_addr, cmp, cmp_value))

/* 9.7 Atomics. */
#define SHMEM_TABLE_AMO_EXTENDED(X, T, N)                                                      \
    SHMEM_TABLE_BOTH_(X, T, N##_atomic_fetch, (const T* source, int pe), (source, pe))         \
    SHMEM_TABLE_BOTH_(X, void, N##_atomic_set, (T * dest, T value, int pe), (dest, value, pe)) \
    SHMEM_TABLE_BOTH_(X, T, N##_atomic_swap, (T * dest, T value, int pe), (dest, value, pe))   \
    SHMEM_TABLE_BOTH_(X, void, N##_atomic_fetch_nbi, (T * fetch, const T* source, int pe),     \
                      (fetch, source, pe))                                                     \
    SHMEM_TABLE_BOTH_(X, void, N##_atomic_swap_nbi, (T * fetch, T * dest, T value, int pe),    \
                      (fetch, dest, value, pe))
#define SHMEM_TABLE_AMO_STANDARD(X, T, N)                                                      \
    SHMEM_TABLE_BOTH_(X, T, N##_atomic_compare_swap, (T * dest, T cond, T value, int pe),      \
                      (dest, cond, value, pe))                                                 \
    SHMEM_TABLE_BOTH_(X, void, N##_atomic_compare_swap_nbi,                                    \
                      (T * fetch, T * dest, T cond, T value, int pe),                          \
                      (fetch, dest, cond, value, pe))                                          \
    SHMEM_TABLE_BOTH_(X, T, N##_atomic_fetch_inc, (T * dest, int pe), (dest, pe))              \
    SHMEM_TABLE_BOTH_(X, void, N##_atomic_fetch_inc_nbi, (T * fetch, T * dest, int pe),        \
                      (fetch, dest, pe))                                                       \
    SHMEM_TABLE_BOTH_(X, void, N##_atomic_inc, (T * dest, int pe), (dest, pe))                 \
    SHMEM_TABLE_AMO_VALUE_(X, T, N, _add)
/* OP with its underscore: `and`, `or` and `xor` alone are operators of C++ (-Wc++-compat). */
#define SHMEM_TABLE_AMO_VALUE_(X, T, N, OP)                                                    \
    SHMEM_TABLE_BOTH_(X, T, N##_atomic_fetch##OP, (T * dest, T value, int pe),                 \
                      (dest, value, pe))                                                       \
    SHMEM_TABLE_BOTH_(X, void, N##_atomic_fetch##OP##_nbi,                                     \
                      (T * fetch, T * dest, T value, int pe), (fetch, dest, value, pe))        \
    SHMEM_TABLE_BOTH_(X, void, N##_atomic##OP, (T * dest, T value, int pe),                    \
                      (dest, value, pe))
#define SHMEM_TABLE_AMO_BITWISE(X, T, N)                                                       \
    SHMEM_TABLE_AMO_VALUE_(X, T, N, _and)                                                      \
    SHMEM_TABLE_AMO_VALUE_(X, T, N, _or)                                                       \
    SHMEM_TABLE_AMO_VALUE_(X, T, N, _xor)
/* Annex: atomics without "atomic" in the name, deprecated since 1.4. */
#define SHMEM_TABLE_AMO_EXTENDED_DEPRECATED(X, T, N)                                           \
    X(T, N##_fetch, (const T* source, int pe), (source, pe))                                   \
    X(void, N##_set, (T * dest, T value, int pe), (dest, value, pe))                           \
    X(T, N##_swap, (T * dest, T value, int pe), (dest, value, pe))
/* The one of them that 1.0 declared without a type, as it did wait and wait_until. */
#define SHMEM_TABLE_AMO_LONG(X)                                                                \
    X(long, swap, (long* dest, long value, int pe), (dest, value, pe))
#define SHMEM_TABLE_AMO_STANDARD_DEPRECATED(X, T, N)                                           \
    X(T, N##_cswap, (T * dest, T cond, T value, int pe), (dest, cond, value, pe))              \
    X(T, N##_finc, (T * dest, int pe), (dest, pe))                                             \
    X(void, N##_inc, (T * dest, int pe), (dest, pe))                                           \
    X(T, N##_fadd, (T * dest, T value, int pe), (dest, value, pe))                             \
    X(void, N##_add, (T * dest, T value, int pe), (dest, value, pe))

/* 9.10 Collectives over teams. */
#define SHMEM_TABLE_COLLECTIVE(X)                                                              \
    X(void, barrier_all, (void), ())                                                           \
    X(void, sync_all, (void), ())                                                              \
    X(int, team_sync, (shmem_team_t team), (team))                                             \
    SHMEM_TABLE_COLLECTIVE_MOVE_(X, void, alltoallmem, alltoallsmem, broadcastmem, collectmem, \
                                 fcollectmem)
#define SHMEM_TABLE_COLLECTIVE_MOVE_(X, P, ALLTOALL, ALLTOALLS, BROADCAST, COLLECT, FCOLLECT)  \
    X(int, ALLTOALL, (shmem_team_t team, P * dest, const P* source, size_t nelems),            \
      (team, dest, source, nelems))                                                            \
    X(int, ALLTOALLS,                                                                          \
      (shmem_team_t team, P * dest, const P* source, ptrdiff_t dst, ptrdiff_t sst,             \
       size_t nelems),                                                                         \
      (team, dest, source, dst, sst, nelems))                                                  \
    X(int, BROADCAST,                                                                          \
      (shmem_team_t team, P * dest, const P* source, size_t nelems, int PE_root),              \
      (team, dest, source, nelems, PE_root))                                                   \
    X(int, COLLECT, (shmem_team_t team, P * dest, const P* source, size_t nelems),             \
      (team, dest, source, nelems))                                                            \
    X(int, FCOLLECT, (shmem_team_t team, P * dest, const P* source, size_t nelems),            \
      (team, dest, source, nelems))
#define SHMEM_TABLE_COLLECTIVE_MOVE(X, T, N)                                                   \
    SHMEM_TABLE_COLLECTIVE_MOVE_(X, T, N##_alltoall, N##_alltoalls, N##_broadcast, N##_collect, \
                                 N##_fcollect)
#define SHMEM_TABLE_REDUCE_(X, T, NAME)                                                        \
    X(int, NAME, (shmem_team_t team, T * dest, const T* source, size_t nelems),                \
      (team, dest, source, nelems))
#define SHMEM_TABLE_REDUCE_BITWISE(X, T, N)                                                    \
    SHMEM_TABLE_REDUCE_(X, T, N##_and_reduce)                                                  \
    SHMEM_TABLE_REDUCE_(X, T, N##_or_reduce)                                                   \
    SHMEM_TABLE_REDUCE_(X, T, N##_xor_reduce)
#define SHMEM_TABLE_REDUCE_ORDERED(X, T, N)                                                    \
    SHMEM_TABLE_REDUCE_(X, T, N##_max_reduce)                                                  \
    SHMEM_TABLE_REDUCE_(X, T, N##_min_reduce)
#define SHMEM_TABLE_REDUCE_ARITHMETIC(X, T, N)                                                 \
    SHMEM_TABLE_REDUCE_(X, T, N##_sum_reduce)                                                  \
    SHMEM_TABLE_REDUCE_(X, T, N##_prod_reduce)                                                 \
    SHMEM_TABLE_REDUCE_(X, T, N##_sum_inscan)                                                  \
    SHMEM_TABLE_REDUCE_(X, T, N##_sum_exscan)

/* 9.10 Collectives over active sets, deprecated since 1.5. */
#define SHMEM_TABLE_ACTIVE_SET(X)                                                              \
    X(void, barrier, (int PE_start, int logPE_stride, int PE_size, long* pSync),               \
      (PE_start, logPE_stride, PE_size, pSync))                                                \
    X(void, sync, (int PE_start, int logPE_stride, int PE_size, long* pSync),                  \
      (PE_start, logPE_stride, PE_size, pSync))                                                \
    SHMEM_TABLE_ACTIVE_SET_SIZED_(X, 32)                                                       \
    SHMEM_TABLE_ACTIVE_SET_SIZED_(X, 64)
#define SHMEM_ACTIVE_SET_ int PE_start, int logPE_stride, int PE_size
#define SHMEM_TABLE_ACTIVE_SET_SIZED_(X, BITS)                                                 \
    X(void, broadcast##BITS,                                                                   \
      (void* dest, const void* source, size_t nelems, int PE_root, SHMEM_ACTIVE_SET_,          \
       long* pSync),                                                                           \
      (dest, source, nelems, PE_root, PE_start, logPE_stride, PE_size, pSync))                 \
    X(void, collect##BITS,                                                                     \
      (void* dest, const void* source, size_t nelems, SHMEM_ACTIVE_SET_, long* pSync),         \
      (dest, source, nelems, PE_start, logPE_stride, PE_size, pSync))                          \
    X(void, fcollect##BITS,                                                                    \
      (void* dest, const void* source, size_t nelems, SHMEM_ACTIVE_SET_, long* pSync),         \
      (dest, source, nelems, PE_start, logPE_stride, PE_size, pSync))                          \
    X(void, alltoall##BITS,                                                                    \
      (void* dest, const void* source, size_t nelems, SHMEM_ACTIVE_SET_, long* pSync),         \
      (dest, source, nelems, PE_start, logPE_stride, PE_size, pSync))                          \
    X(void, alltoalls##BITS,                                                                   \
      (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,            \
       SHMEM_ACTIVE_SET_, long* pSync),                                                        \
      (dest, source, dst, sst, nelems, PE_start, logPE_stride, PE_size, pSync))
#define SHMEM_TABLE_TO_ALL_(X, T, NAME)                                                        \
    X(void, NAME,                                                                              \
      (T * dest, const T* source, int nreduce, SHMEM_ACTIVE_SET_, T* pWrk, long* pSync),       \
      (dest, source, nreduce, PE_start, logPE_stride, PE_size, pWrk, pSync))
#define SHMEM_TABLE_TO_ALL_BITWISE(X, T, N)                                                    \
    SHMEM_TABLE_TO_ALL_(X, T, N##_and_to_all)                                                  \
    SHMEM_TABLE_TO_ALL_(X, T, N##_or_to_all)                                                   \
    SHMEM_TABLE_TO_ALL_(X, T, N##_xor_to_all)
#define SHMEM_TABLE_TO_ALL_ORDERED(X, T, N)                                                    \
    SHMEM_TABLE_TO_ALL_(X, T, N##_max_to_all)                                                  \
    SHMEM_TABLE_TO_ALL_(X, T, N##_min_to_all)
#define SHMEM_TABLE_TO_ALL_ARITHMETIC(X, T, N)                                                 \
    SHMEM_TABLE_TO_ALL_(X, T, N##_sum_to_all)                                                  \
    SHMEM_TABLE_TO_ALL_(X, T, N##_prod_to_all)

/* 9.11 Point-to-point synchronisation. */
#define SHMEM_TABLE_P2P(X, T, N)                                                               \
    X(void, N##_wait_until, (T * ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))          \
    X(int, N##_test, (T * ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))                 \
    X(void, N##_wait_until_all,                                                                \
      (T * ivars, size_t nelems, const int* status, int cmp, T cmp_value),                     \
      (ivars, nelems, status, cmp, cmp_value))                                                 \
    X(size_t, N##_wait_until_any,                                                              \
      (T * ivars, size_t nelems, const int* status, int cmp, T cmp_value),                     \
      (ivars, nelems, status, cmp, cmp_value))                                                 \
    X(size_t, N##_wait_until_some,                                                             \
      (T * ivars, size_t nelems, size_t* indices, const int* status, int cmp, T cmp_value),    \
      (ivars, nelems, indices, status, cmp, cmp_value))                                        \
    X(void, N##_wait_until_all_vector,                                                         \
      (T * ivars, size_t nelems, const int* status, int cmp, const T* cmp_values),             \
      (ivars, nelems, status, cmp, cmp_values))                                                \
    X(size_t, N##_wait_until_any_vector,                                                       \
      (T * ivars, size_t nelems, const int* status, int cmp, const T* cmp_values),             \
      (ivars, nelems, status, cmp, cmp_values))                                                \
    X(size_t, N##_wait_until_some_vector,                                                      \
      (T * ivars, size_t nelems, size_t* indices, const int* status, int cmp,                  \
       const T* cmp_values),                                                                   \
      (ivars, nelems, indices, status, cmp, cmp_values))                                       \
    X(int, N##_test_all, (T * ivars, size_t nelems, const int* status, int cmp, T cmp_value),  \
      (ivars, nelems, status, cmp, cmp_value))                                                 \
    X(size_t, N##_test_any,                                                                    \
      (T * ivars, size_t nelems, const int* status, int cmp, T cmp_value),                     \
      (ivars, nelems, status, cmp, cmp_value))                                                 \
    X(size_t, N##_test_some,                                                                   \
      (T * ivars, size_t nelems, size_t* indices, const int* status, int cmp, T cmp_value),    \
      (ivars, nelems, indices, status, cmp, cmp_value))                                        \
    X(int, N##_test_all_vector,                                                                \
      (T * ivars, size_t nelems, const int* status, int cmp, const T* cmp_values),             \
      (ivars, nelems, status, cmp, cmp_values))                                                \
    X(size_t, N##_test_any_vector,                                                             \
      (T * ivars, size_t nelems, const int* status, int cmp, const T* cmp_values),             \
      (ivars, nelems, status, cmp, cmp_values))                                                \
    X(size_t, N##_test_some_vector,                                                            \
      (T * ivars, size_t nelems, size_t* indices, const int* status, int cmp,                  \
       const T* cmp_values),                                                                   \
      (ivars, nelems, indices, status, cmp, cmp_values))
#define SHMEM_TABLE_P2P_DEPRECATED(X, T, N)                                                    \
    X(void, N##_wait_until, (T * ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))          \
    X(int, N##_test, (T * ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))
#define SHMEM_TABLE_WAIT(X, T, N) X(void, N##_wait, (T * ivar, T cmp_value), (ivar, cmp_value))
#define SHMEM_TABLE_WAIT_LONG(X)                                                               \
    X(void, wait, (long* ivar, long cmp_value), (ivar, cmp_value))                             \
    X(void, wait_until, (long* ivar, int cmp, long cmp_value), (ivar, cmp, cmp_value))

/* 9.12 Memory ordering. */
#define SHMEM_TABLE_ORDERING(X)                                                                \
    X(void, fence, (void), ())                                                                 \
    X(void, ctx_fence, (shmem_ctx_t ctx), (ctx))                                               \
    X(void, quiet, (void), ())                                                                 \
    X(void, ctx_quiet, (shmem_ctx_t ctx), (ctx))                                               \
    SHMEM_TABLE_BOTH_(X, void, pe_quiet, (const int* target_pes, size_t npes),                 \
                      (target_pes, npes))

/* 9.13 Distributed locks. */
#define SHMEM_TABLE_LOCKS(X)                                                                   \
    X(void, clear_lock, (long* lock), (lock))                                                  \
    X(void, set_lock, (long* lock), (lock))                                                    \
    X(int, test_lock, (long* lock), (lock))

/* Annex: cache control, deprecated since 1.3; nothing to do on coherent machines. */
#define SHMEM_TABLE_CACHE(X)                                                                   \
    X(void, set_cache_inv, (void), ())                                                         \
    X(void, set_cache_line_inv, (void* dest), (dest))                                          \
    X(void, clear_cache_inv, (void), ())                                                       \
    X(void, clear_cache_line_inv, (void* dest), (dest))                                        \
    X(void, udcflush, (void), ())                                                              \
    X(void, udcflush_line, (void* dest), (dest))

/* shmem_routines.inc spreads the typed groups over their types and walks the whole table. */

#endif
