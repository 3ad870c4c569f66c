/* xbrtime: the programming interface of the xBGAS runtime library, for programs on the simulated
 * machine. Names and arguments are those of the published library and of its later versions, so
 * that programs written for either compile; what they do where those go wrong is mended and said
 * here.
 *
 * Memory from xbrtime_malloc() is at the same address on every PE, so no address is ever translated
 * by asking the peer. Static variables of the program are symmetric, too.
 *
 * Counts and strides are in elements. A count of 0 does nothing. A stride holds for both sides and
 * may be negative; of 0, every element goes to the same place. Every size moves whole, long double
 * included, but only elements of up to 8 bytes arrive in one piece.
 *
 * put and get are complete when they return; put_nb and get_nb when xbrtime_quiet() or a barrier
 * has returned, and the local memory is theirs until then. Collectives are called by all PEs with
 * the same arguments, and are complete on a PE when they return there: `dest` of another PE may not
 * be.
 *
 * A wrong PE ends the job with a message. Not thread-safe beyond what xBGAS accesses are: one
 * thread of a PE at a time in collectives. */
#ifndef ISTHMUS_XBRTIME_H
#define ISTHMUS_XBRTIME_H

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAX_PE_CONFIG 1024
/* Published numbers that programs read; here blocks go as bulk transfers and there are no slots. */
#ifndef _XBRTIME_MIN_UNR_THRESHOLD_
#define _XBRTIME_MIN_UNR_THRESHOLD_ 8
#endif
#define _XBRTIME_UNROLL_FACTOR_ 4
#define _XBRTIME_MEM_SLOTS_     2048
#define __XBRTIME_MAX_PE        MAX_PE_CONFIG
/* Of the published library whose names these are. */
#define _XBRTIME_MAJOR_VERSION_ 0
#define _XBRTIME_MINOR_VERSION_ 1
#define _XBRTIME_PATCH_VERSION_ 0

enum xbgas_cmp_ops {
    XBRTIME_CMP_EQ,
    XBRTIME_CMP_NE,
    XBRTIME_CMP_GT,
    XBRTIME_CMP_LE,
    XBRTIME_CMP_LT,
    XBRTIME_CMP_GE
};

/* What the published library exports of its state; read only. */
typedef struct {
    uint64_t start_addr;
    size_t size;
} XBRTIME_MEM_T;
typedef struct {
    int _LOGICAL;   /* PE */
    int _PHYSICAL;  /* its namespace */
    uint64_t _BASE; /* of its shared region */
} XBRTIME_PE_MAP;
typedef struct {
    size_t _MEMSIZE; /* of the shared region */
    int _ID, _NPES;
    uint64_t _START_ADDR;
    int _SENSE;
    volatile uint64_t* _BARRIER; /* null: barriers keep their state elsewhere */
    XBRTIME_MEM_T* _MMAP;        /* the shared region, one entry */
    XBRTIME_PE_MAP* _MAP;        /* by PE */
} XBRTIME_DATA;
extern XBRTIME_DATA* __XBRTIME_CONFIG; /* null before xbrtime_init() */

/* Starts the library, all PEs together; again without effect. Returns 0. */
int xbrtime_init(void);
/* Ends it, all PEs together. */
void xbrtime_close(void);
/* -1 before xbrtime_init() and after xbrtime_close(). */
int xbrtime_mype(void);
int xbrtime_num_pes(void);
/* Everything put before is complete everywhere, and all PEs have come here. */
void xbrtime_barrier(void);
void xbrtime_barrier_all(void);
/* Collective. Null if there is no room or `size` is 0. Zeroed only if nobody has used it before. */
void* xbrtime_malloc(size_t size);
void* xbrtime_align(size_t alignment, size_t size);
void xbrtime_free(void* block);
/* 1 if `address` is symmetric memory that PE `pe` has, too; if there is such a PE. */
int xbrtime_addr_accessible(const void* address, int pe);
int xbrtime_pe_accessible(int pe);
/* 0: another PE's memory is not reached by loads and stores. */
uint64_t xbrtime_ptr(const void* dest, int pe);
/* The namespace of a PE; the address of symmetric memory at a PE, 0 if it is not symmetric. */
uint32_t xbrtime_decode_pe(int pe);
uint64_t __xbrtime_ltor(uint64_t address, int pe);
/* Orders what was issued before and after; completes what was issued. */
void xbrtime_fence(void);
void xbrtime_quiet(void);

/* Blocks of bytes. */
void xbrtime_putmem(void* dest, const void* src, size_t bytes, int pe);
void xbrtime_getmem(void* dest, const void* src, size_t bytes, int pe);
void xbrtime_putmem_nbi(void* dest, const void* src, size_t bytes, int pe);
void xbrtime_getmem_nbi(void* dest, const void* src, size_t bytes, int pe);

/* Locks: a symmetric long that is 0. test returns 0 if it has taken the lock. */
void xbrtime_set_lock(long* lock);
void xbrtime_clear_lock(long* lock);
int xbrtime_test_lock(long* lock);

/* The library's inner routines. Both addresses, then the namespace of the PE; counts in elements,
 * stride in bytes. _seq moves them one by one, _unr and _agg at once; all are complete on return.
 */
#define XBRTIME_INNER_(SIZE)                                                          \
    void __xbrtime_get_##SIZE##_seq(uint64_t src, uint64_t dest, uint32_t name_space, \
                                    uint32_t nelems, uint32_t stride);                \
    void __xbrtime_get_##SIZE##_unr(uint64_t src, uint64_t dest, uint32_t name_space, \
                                    uint32_t nelems, uint32_t stride);                \
    void __xbrtime_get_##SIZE##_agg(uint64_t src, uint64_t dest, uint32_t name_space, \
                                    uint32_t nelems, uint32_t stride);                \
    void __xbrtime_put_##SIZE##_agg(uint64_t src, uint64_t dest, uint32_t name_space, \
                                    uint32_t nelems, uint32_t stride);                \
    void __xbrtime_put_##SIZE##_seq(uint64_t src, uint64_t dest, uint32_t name_space, \
                                    uint32_t nelems, uint32_t stride);                \
    void __xbrtime_put_##SIZE##_unr(uint64_t src, uint64_t dest, uint32_t name_space, \
                                    uint32_t nelems, uint32_t stride);
XBRTIME_INNER_(u1)
XBRTIME_INNER_(u2)
XBRTIME_INNER_(u4)
XBRTIME_INNER_(u8)
XBRTIME_INNER_(s1)
XBRTIME_INNER_(s2)
XBRTIME_INNER_(s4)
XBRTIME_INNER_(s8)
#undef XBRTIME_INNER_
void __xbrtime_asm_fence(void);
void __xbrtime_asm_quiet_fence(void);
uint64_t __xbrtime_asm_get_id(void);
uint64_t __xbrtime_asm_get_npes(void);
uint64_t __xbrtime_asm_get_memsize(void);
uint64_t __xbrtime_asm_get_startaddr(void);
/* Reads a word of a PE's memory. */
void __xbrtime_remote_touch(uint64_t address, int pe);
uint64_t __xbrtime_get_remote_alloc(uint64_t address, int pe);
/* Nothing: the machine has set its registers before the program runs. */
void __xbrtime_ctor_reg_reset(void);

/* All types; those without long double; integers; those of atomics. */
#define XBRTIME_TYPES(X)             \
    X(float, float)                  \
    X(double, double)                \
    X(long double, longdouble)       \
    X(signed char, schar)            \
    X(char, char)                    \
    X(short, short)                  \
    X(int, int)                      \
    X(long, long)                    \
    X(long long, longlong)           \
    X(unsigned char, uchar)          \
    X(unsigned short, ushort)        \
    X(unsigned int, uint)            \
    X(unsigned long, ulong)          \
    X(unsigned long long, ulonglong) \
    X(int8_t, int8)                  \
    X(int16_t, int16)                \
    X(int32_t, int32)                \
    X(int64_t, int64)                \
    X(uint8_t, uint8)                \
    X(uint16_t, uint16)              \
    X(uint32_t, uint32)              \
    X(uint64_t, uint64)              \
    X(size_t, size)                  \
    X(ptrdiff_t, ptrdiff)
#define XBRTIME_COLLECTIVE_TYPES(X)  \
    X(float, float)                  \
    X(double, double)                \
    X(signed char, schar)            \
    X(char, char)                    \
    X(short, short)                  \
    X(int, int)                      \
    X(long, long)                    \
    X(long long, longlong)           \
    X(unsigned char, uchar)          \
    X(unsigned short, ushort)        \
    X(unsigned int, uint)            \
    X(unsigned long, ulong)          \
    X(unsigned long long, ulonglong) \
    X(int8_t, int8)                  \
    X(int16_t, int16)                \
    X(int32_t, int32)                \
    X(int64_t, int64)                \
    X(uint8_t, uint8)                \
    X(uint16_t, uint16)              \
    X(uint32_t, uint32)              \
    X(uint64_t, uint64)              \
    X(size_t, size)                  \
    X(ptrdiff_t, ptrdiff)
#define XBRTIME_INTEGER_TYPES(X)     \
    X(signed char, schar)            \
    X(char, char)                    \
    X(short, short)                  \
    X(int, int)                      \
    X(long, long)                    \
    X(long long, longlong)           \
    X(unsigned char, uchar)          \
    X(unsigned short, ushort)        \
    X(unsigned int, uint)            \
    X(unsigned long, ulong)          \
    X(unsigned long long, ulonglong) \
    X(int8_t, int8)                  \
    X(int16_t, int16)                \
    X(int32_t, int32)                \
    X(int64_t, int64)                \
    X(uint8_t, uint8)                \
    X(uint16_t, uint16)              \
    X(uint32_t, uint32)              \
    X(uint64_t, uint64)              \
    X(size_t, size)                  \
    X(ptrdiff_t, ptrdiff)
#define XBRTIME_ATOMIC_TYPES(X)      \
    X(unsigned int, uint)            \
    X(unsigned long, ulong)          \
    X(uint32_t, uint32)              \
    X(int, int)                      \
    X(long, long)                    \
    X(int32_t, int32)                \
    X(unsigned long long, ulonglong) \
    X(uint64_t, uint64)              \
    X(long long, longlong)           \
    X(int64_t, int64)                \
    X(size_t, size)                  \
    X(ptrdiff_t, ptrdiff)

/* Symmetric memory of this PE that another one will write. */
#define XBRTIME_WAIT_(T, N) void xbrtime_##N##_wait_until(T* ivar, int cmp, T value);
XBRTIME_ATOMIC_TYPES(XBRTIME_WAIT_)
#undef XBRTIME_WAIT_

#define XBRTIME_TRANSFER_(T, N)                                                          \
    void xbrtime_##N##_put(T* dest, const T* src, size_t nelems, int stride, int pe);    \
    void xbrtime_##N##_get(T* dest, const T* src, size_t nelems, int stride, int pe);    \
    void xbrtime_##N##_put_nb(T* dest, const T* src, size_t nelems, int stride, int pe); \
    void xbrtime_##N##_get_nb(T* dest, const T* src, size_t nelems, int stride, int pe);
XBRTIME_TYPES(XBRTIME_TRANSFER_)
#undef XBRTIME_TRANSFER_

/* Collectives. `root` is a PE.
 *
 * broadcast: `dest` symmetric, filled on every PE, the root included; _tree down a binomial tree,
 * _van_de_geijn scattered and collected again. Others need no symmetric memory.
 *
 * reduce: `dest` at the root, reduce_all: everywhere; _tree up a binomial tree, _rabenseifner each
 * PE a part, _recursive_doubling by exchanges with PEs at distances of powers of two. The later
 * names, OP_reduce, are reduce_all with a stride of 1.
 *
 * scatter: PE p receives pe_msg_sz[p] elements from src + pe_disp[p] of the root. gather is the
 * reverse; gather_all with the result everywhere. nelems is the sum of pe_msg_sz. _tree along a
 * binomial tree, _ring from PE to PE, _bruck_concat from PEs at distances of powers of two.
 *
 * alltoall: block p of `src`, nelems elements, goes to block of this PE in PE p's `dest`.
 *
 * collect: `nelems` of each PE one behind the other, everywhere; fcollect: all the same number. */
#define XBRTIME_COLLECTIVE_(T, N)                                                                  \
    void xbrtime_##N##_broadcast(T* dest, const T* src, size_t nelems, int stride, int root);      \
    void xbrtime_##N##_broadcast_tree(T* dest, const T* src, size_t nelems, int stride, int root); \
    void xbrtime_##N##_broadcast_van_de_geijn(T* dest, const T* src, size_t nelems, int stride,    \
                                              int root);                                           \
    void xbrtime_##N##_scatter(T* dest, const T* src, const int* pe_msg_sz, const int* pe_disp,    \
                               size_t nelems, int root);                                           \
    void xbrtime_##N##_scatter_tree(T* dest, const T* src, const int* pe_msg_sz,                   \
                                    const int* pe_disp, size_t nelems, int root);                  \
    void xbrtime_##N##_gather(T* dest, const T* src, const int* pe_msg_sz, const int* pe_disp,     \
                              size_t nelems, int root);                                            \
    void xbrtime_##N##_gather_tree(T* dest, const T* src, const int* pe_msg_sz,                    \
                                   const int* pe_disp, size_t nelems, int root);                   \
    void xbrtime_##N##_gather_all(T* dest, const T* src, const int* pe_msg_sz, const int* pe_disp, \
                                  size_t nelems);                                                  \
    void xbrtime_##N##_gather_all_ring(T* dest, const T* src, const int* pe_msg_sz,                \
                                       const int* pe_disp, size_t nelems);                         \
    void xbrtime_##N##_gather_all_bruck_concat(T* dest, const T* src, const int* pe_msg_sz,        \
                                               const int* pe_disp, size_t nelems);                 \
    void xbrtime_##N##_alltoall(T* dest, const T* src, int src_stride, int dest_stride,            \
                                size_t nelems);                                                    \
    void xbrtime_##N##_alltoall_shift_exchange(T* dest, const T* src, int src_stride,              \
                                               int dest_stride, size_t nelems);                    \
    void xbrtime_##N##_collect(T* dest, const T* src, size_t nelems);                              \
    void xbrtime_##N##_fcollect(T* dest, const T* src, size_t nelems);
XBRTIME_COLLECTIVE_TYPES(XBRTIME_COLLECTIVE_)
#undef XBRTIME_COLLECTIVE_

#define XBRTIME_REDUCE_(T, N, OP)                                                                 \
    void xbrtime_##N##_reduce_##OP(T* dest, const T* src, size_t nelems, int stride, int root);   \
    void xbrtime_##N##_reduce_##OP##_tree(T* dest, const T* src, size_t nelems, int stride,       \
                                          int root);                                              \
    void xbrtime_##N##_reduce_##OP##_rabenseifner(T* dest, const T* src, size_t nelems,           \
                                                  int stride, int root);                          \
    void xbrtime_##N##_reduce_all_##OP(T* dest, const T* src, size_t nelems, int stride);         \
    void xbrtime_##N##_reduce_all_##OP##_recursive_doubling(T* dest, const T* src, size_t nelems, \
                                                            int stride);                          \
    void xbrtime_##N##_reduce_all_##OP##_rabenseifner(T* dest, const T* src, size_t nelems,       \
                                                      int stride);                                \
    int xbrtime_##N##_##OP##_reduce(T* dest, const T* src, size_t nelems);
#define XBRTIME_REDUCE_ARITHMETIC_(T, N) \
    XBRTIME_REDUCE_(T, N, sum)           \
    XBRTIME_REDUCE_(T, N, product)       \
    XBRTIME_REDUCE_(T, N, max)           \
    XBRTIME_REDUCE_(T, N, min)
#define XBRTIME_REDUCE_BITWISE_(T, N) \
    XBRTIME_REDUCE_(T, N, and)        \
    XBRTIME_REDUCE_(T, N, or)         \
    XBRTIME_REDUCE_(T, N, xor)
XBRTIME_COLLECTIVE_TYPES(XBRTIME_REDUCE_ARITHMETIC_)
XBRTIME_INTEGER_TYPES(XBRTIME_REDUCE_BITWISE_)
#undef XBRTIME_REDUCE_ARITHMETIC_
#undef XBRTIME_REDUCE_BITWISE_
#undef XBRTIME_REDUCE_

/* Atomics return the old value, which the published library does not; set and inc return nothing
 * and are complete after xbrtime_quiet(). land, lor and lxor are bitwise, as their instructions
 * are; band, and, fetch_and and so on are the same. max and min compare as the type does.
 * compare_swap puts `desired` where `expected` is found. */
#define XBRTIME_ATOMIC_(T, N)                                 \
    T xbrtime_##N##_atomic_fetch(const T* src, int pe);       \
    void xbrtime_##N##_atomic_set(T* dest, T val, int pe);    \
    void xbrtime_##N##_atomic_inc(T* dest, int pe);           \
    T xbrtime_##N##_atomic_fetch_inc(T* dest, int pe);        \
    T xbrtime_##N##_atomic_add(T* dest, T val, int pe);       \
    T xbrtime_##N##_atomic_fetch_add(T* dest, T val, int pe); \
    T xbrtime_##N##_atomic_swap(T* dest, T val, int pe);      \
    T xbrtime_##N##_atomic_land(T* dest, T val, int pe);      \
    T xbrtime_##N##_atomic_lor(T* dest, T val, int pe);       \
    T xbrtime_##N##_atomic_lxor(T* dest, T val, int pe);      \
    T xbrtime_##N##_atomic_band(T* dest, T val, int pe);      \
    T xbrtime_##N##_atomic_bor(T* dest, T val, int pe);       \
    T xbrtime_##N##_atomic_bxor(T* dest, T val, int pe);      \
    T xbrtime_##N##_atomic_and(T* dest, T val, int pe);       \
    T xbrtime_##N##_atomic_or(T* dest, T val, int pe);        \
    T xbrtime_##N##_atomic_xor(T* dest, T val, int pe);       \
    T xbrtime_##N##_atomic_fetch_and(T* dest, T val, int pe); \
    T xbrtime_##N##_atomic_fetch_or(T* dest, T val, int pe);  \
    T xbrtime_##N##_atomic_fetch_xor(T* dest, T val, int pe); \
    T xbrtime_##N##_atomic_max(T* dest, T val, int pe);       \
    T xbrtime_##N##_atomic_min(T* dest, T val, int pe);       \
    T xbrtime_##N##_atomic_compare_swap(T* dest, T expected, T desired, int pe);
XBRTIME_ATOMIC_TYPES(XBRTIME_ATOMIC_)
#undef XBRTIME_ATOMIC_
#define XBRTIME_FLOATING_ATOMIC_(T, N)                     \
    T xbrtime_##N##_atomic_fetch(const T* src, int pe);    \
    void xbrtime_##N##_atomic_set(T* dest, T val, int pe); \
    T xbrtime_##N##_atomic_swap(T* dest, T val, int pe);
XBRTIME_FLOATING_ATOMIC_(float, float)
XBRTIME_FLOATING_ATOMIC_(double, double)
#undef XBRTIME_FLOATING_ATOMIC_

#ifdef __cplusplus
}
#endif

#ifndef XBRTIME_NO_OVERLOADS
#include "xbrtime_overloads.h"
#endif

#endif
