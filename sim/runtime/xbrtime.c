/* xbrtime: start and end, transfers, atomics, inner routines. */
#define XBRTIME_NO_OVERLOADS
#include "runtime.h"

#include <string.h>
#include <xbrtime.h>

static XBRTIME_DATA xbrtime_data;
static XBRTIME_MEM_T xbrtime_region;
static XBRTIME_PE_MAP xbrtime_map[kIsthmusMaxPes];
XBRTIME_DATA* __XBRTIME_CONFIG;

int xbrtime_init(void) {
    if (__XBRTIME_CONFIG != NULL) return 0;
    shmem_init();
    xbrtime_region = (XBRTIME_MEM_T){isthmus_shared_base(), isthmus_shared_size()};
    for (int pe = 0; pe < isthmus_pes(); ++pe)
        xbrtime_map[pe] = (XBRTIME_PE_MAP){pe, pe + 1, xbrtime_region.start_addr};
    xbrtime_data = (XBRTIME_DATA){
        ._MEMSIZE = xbrtime_region.size,
        ._ID = isthmus_me(),
        ._NPES = isthmus_pes(),
        ._START_ADDR = xbrtime_region.start_addr,
        ._MMAP = &xbrtime_region,
        ._MAP = xbrtime_map,
    };
    __XBRTIME_CONFIG = &xbrtime_data;
    return 0;
}
void xbrtime_close(void) {
    if (__XBRTIME_CONFIG == NULL) return;
    __XBRTIME_CONFIG = NULL;
    shmem_finalize();
}
int xbrtime_mype(void) {
    return __XBRTIME_CONFIG == NULL ? -1 : isthmus_me();
}
int xbrtime_num_pes(void) {
    return __XBRTIME_CONFIG == NULL ? -1 : isthmus_pes();
}
void xbrtime_barrier(void) {
    isthmus_require_running("xbrtime_barrier");
    shmem_barrier_all();
    xbrtime_data._SENSE ^= 1;
}
void xbrtime_barrier_all(void) {
    xbrtime_barrier();
}
void* xbrtime_malloc(size_t size) {
    return shmem_malloc(size);
}
void* xbrtime_align(size_t alignment, size_t size) {
    return shmem_align(alignment, size);
}
void xbrtime_free(void* block) {
    shmem_free(block);
}
int xbrtime_addr_accessible(const void* address, int pe) {
    return shmem_addr_accessible(address, pe);
}
int xbrtime_pe_accessible(int pe) {
    return __XBRTIME_CONFIG != NULL && (unsigned)pe < isthmus_window_pes;
}
uint64_t xbrtime_ptr(const void* dest, int pe) {
    return (uint64_t)(uintptr_t)shmem_ptr(dest, pe);
}
uint32_t xbrtime_decode_pe(int pe) {
    isthmus_check_pe("xbrtime_decode_pe", pe);
    return (uint32_t)pe + 1;
}
uint64_t __xbrtime_ltor(uint64_t address, int pe) {
    return shmem_addr_accessible((const void*)address, pe) ? address : 0;
}
void xbrtime_fence(void) {
    isthmus_road_fence();
}
void xbrtime_quiet(void) {
    isthmus_road_quiet();
}
void xbrtime_putmem(void* dest, const void* src, size_t bytes, int pe) {
    isthmus_check_pe("xbrtime_putmem", pe);
    isthmus_road_put_nbi(pe, dest, src, bytes);
    isthmus_road_quiet();
}
void xbrtime_getmem(void* dest, const void* src, size_t bytes, int pe) {
    isthmus_check_pe("xbrtime_getmem", pe);
    isthmus_road_get(pe, dest, src, bytes);
}
void xbrtime_putmem_nbi(void* dest, const void* src, size_t bytes, int pe) {
    isthmus_check_pe("xbrtime_putmem_nbi", pe);
    isthmus_road_put_nbi(pe, dest, src, bytes);
}
void xbrtime_getmem_nbi(void* dest, const void* src, size_t bytes, int pe) {
    isthmus_check_pe("xbrtime_getmem_nbi", pe);
    isthmus_road_get_nbi(pe, dest, src, bytes);
}
void xbrtime_set_lock(long* lock) {
    shmem_set_lock(lock);
}
void xbrtime_clear_lock(long* lock) {
    shmem_clear_lock(lock);
}
int xbrtime_test_lock(long* lock) {
    return shmem_test_lock(lock);
}

/* One element; sizes are known when this is compiled. Longer ones and misaligned ones in bulk. */
static inline __attribute__((always_inline)) void xbrtime_put_one(int pe, void* to,
                                                                  const void* from, size_t unit) {
    if (unit == 1)
        isthmus_road_store8(pe, to, *(const uint8_t*)from);
    else if (unit == 2)
        isthmus_road_store16(pe, to, *(const uint16_t*)from);
    else if (unit == 4)
        isthmus_road_store32(pe, to, *(const uint32_t*)from);
    else if (unit == 8)
        isthmus_road_store64(pe, to, *(const uint64_t*)from);
    else
        isthmus_road_put_nbi(pe, to, from, unit);
}
static inline __attribute__((always_inline)) void xbrtime_get_one(int pe, void* to,
                                                                  const void* from, size_t unit) {
    if (unit == 1)
        *(uint8_t*)to = isthmus_road_load8(pe, from);
    else if (unit == 2)
        *(uint16_t*)to = isthmus_road_load16(pe, from);
    else if (unit == 4)
        *(uint32_t*)to = isthmus_road_load32(pe, from);
    else if (unit == 8)
        *(uint64_t*)to = isthmus_road_load64(pe, from);
    else
        isthmus_road_get(pe, to, from, unit);
}

/* Neighbours go as a block, one alone and strided ones as single elements. */
#define XBRTIME_TRANSFER(T, N)                                                            \
    void xbrtime_##N##_put_nb(T* dest, const T* src, size_t nelems, int stride, int pe) { \
        isthmus_check_pe("xbrtime_" #N "_put", pe);                                       \
        if (stride == 1 && nelems != 1)                                                   \
            return isthmus_road_put_nbi(pe, dest, src, nelems * sizeof(T));               \
        for (; nelems != 0; --nelems, dest += stride, src += stride)                      \
            xbrtime_put_one(pe, dest, src, sizeof(T));                                    \
    }                                                                                     \
    void xbrtime_##N##_put(T* dest, const T* src, size_t nelems, int stride, int pe) {    \
        xbrtime_##N##_put_nb(dest, src, nelems, stride, pe);                              \
        isthmus_road_quiet();                                                             \
    }                                                                                     \
    void xbrtime_##N##_get(T* dest, const T* src, size_t nelems, int stride, int pe) {    \
        isthmus_check_pe("xbrtime_" #N "_get", pe);                                       \
        if (stride == 1 && nelems != 1)                                                   \
            return isthmus_road_get(pe, dest, src, nelems * sizeof(T));                   \
        for (; nelems != 0; --nelems, dest += stride, src += stride)                      \
            xbrtime_get_one(pe, dest, src, sizeof(T));                                    \
    }                                                                                     \
    void xbrtime_##N##_get_nb(T* dest, const T* src, size_t nelems, int stride, int pe) { \
        isthmus_check_pe("xbrtime_" #N "_get_nb", pe);                                    \
        if (stride == 1) return isthmus_road_get_nbi(pe, dest, src, nelems * sizeof(T));  \
        for (; nelems != 0; --nelems, dest += stride, src += stride)                      \
            isthmus_road_get_nbi(pe, dest, src, sizeof(T));                               \
    }
XBRTIME_TYPES(XBRTIME_TRANSFER)

/* A namespace as decode_pe() gives it; 0 is the own memory. */
static int xbrtime_pe_of(uint32_t name_space) {
    if (name_space == 0) return isthmus_me();
    isthmus_check_pe("__xbrtime_get or put", (int)(name_space - 1));
    return (int)(name_space - 1);
}
#define XBRTIME_INNER(SIZE, UNIT)                                                      \
    void __xbrtime_get_##SIZE##_seq(uint64_t src, uint64_t dest, uint32_t name_space,  \
                                    uint32_t nelems, uint32_t stride) {                \
        const int pe = xbrtime_pe_of(name_space);                                      \
        for (; nelems != 0; --nelems, src += stride, dest += stride)                   \
            xbrtime_get_one(pe, (void*)dest, (const void*)src, UNIT);                  \
    }                                                                                  \
    void __xbrtime_get_##SIZE##_unr(uint64_t src, uint64_t dest, uint32_t name_space,  \
                                    uint32_t nelems, uint32_t stride) {                \
        if (stride != UNIT)                                                            \
            return __xbrtime_get_##SIZE##_seq(src, dest, name_space, nelems, stride);  \
        isthmus_road_get(xbrtime_pe_of(name_space), (void*)dest, (const void*)src,     \
                         (size_t)nelems* UNIT);                                        \
    }                                                                                  \
    void __xbrtime_get_##SIZE##_agg(uint64_t src, uint64_t dest, uint32_t name_space,  \
                                    uint32_t nelems, uint32_t stride) {                \
        __xbrtime_get_##SIZE##_unr(src, dest, name_space, nelems, stride);             \
    }                                                                                  \
    void __xbrtime_put_##SIZE##_seq(uint64_t src, uint64_t dest, uint32_t name_space,  \
                                    uint32_t nelems, uint32_t stride) {                \
        const int pe = xbrtime_pe_of(name_space);                                      \
        for (; nelems != 0; --nelems, src += stride, dest += stride)                   \
            xbrtime_put_one(pe, (void*)dest, (const void*)src, UNIT);                  \
        isthmus_road_quiet();                                                          \
    }                                                                                  \
    void __xbrtime_put_##SIZE##_unr(uint64_t src, uint64_t dest, uint32_t name_space,  \
                                    uint32_t nelems, uint32_t stride) {                \
        if (stride != UNIT)                                                            \
            return __xbrtime_put_##SIZE##_seq(src, dest, name_space, nelems, stride);  \
        isthmus_road_put_nbi(xbrtime_pe_of(name_space), (void*)dest, (const void*)src, \
                             (size_t)nelems* UNIT);                                    \
        isthmus_road_quiet();                                                          \
    }                                                                                  \
    void __xbrtime_put_##SIZE##_agg(uint64_t src, uint64_t dest, uint32_t name_space,  \
                                    uint32_t nelems, uint32_t stride) {                \
        __xbrtime_put_##SIZE##_unr(src, dest, name_space, nelems, stride);             \
    }
XBRTIME_INNER(u1, 1)
XBRTIME_INNER(u2, 2)
XBRTIME_INNER(u4, 4)
XBRTIME_INNER(u8, 8)
XBRTIME_INNER(s1, 1)
XBRTIME_INNER(s2, 2)
XBRTIME_INNER(s4, 4)
XBRTIME_INNER(s8, 8)

void __xbrtime_asm_fence(void) {
    isthmus_road_fence();
}
void __xbrtime_asm_quiet_fence(void) {
    isthmus_road_quiet();
}
uint64_t __xbrtime_asm_get_id(void) {
    return isthmus_window_me;
}
uint64_t __xbrtime_asm_get_npes(void) {
    return isthmus_window_pes;
}
uint64_t __xbrtime_asm_get_memsize(void) {
    return isthmus_shared_size();
}
uint64_t __xbrtime_asm_get_startaddr(void) {
    return isthmus_shared_base();
}
uint64_t __xbrtime_get_remote_alloc(uint64_t address, int pe) {
    isthmus_check_pe("__xbrtime_get_remote_alloc", pe);
    return isthmus_road_load64(pe, (const void*)address);
}
void __xbrtime_remote_touch(uint64_t address, int pe) {
    __xbrtime_get_remote_alloc(address, pe);
}
void __xbrtime_ctor_reg_reset(void) {}

/* Atomics by width. */
#define XBRTIME_ATOMIC_BITS(T, N, BITS)                                               \
    T xbrtime_##N##_atomic_fetch(const T* src, int pe) {                              \
        isthmus_check_pe("xbrtime_" #N "_atomic_fetch", pe);                          \
        return (T)isthmus_road_load##BITS(pe, src);                                   \
    }                                                                                 \
    void xbrtime_##N##_atomic_set(T* dest, T val, int pe) {                           \
        isthmus_check_pe("xbrtime_" #N "_atomic_set", pe);                            \
        isthmus_road_store##BITS(pe, dest, (uint##BITS##_t)val);                      \
    }                                                                                 \
    void xbrtime_##N##_atomic_inc(T* dest, int pe) {                                  \
        isthmus_check_pe("xbrtime_" #N "_atomic_inc", pe);                            \
        isthmus_road_post_add##BITS(pe, dest, 1);                                     \
    }                                                                                 \
    T xbrtime_##N##_atomic_fetch_inc(T* dest, int pe) {                               \
        return xbrtime_##N##_atomic_add(dest, 1, pe);                                 \
    }                                                                                 \
    T xbrtime_##N##_atomic_fetch_add(T* dest, T val, int pe) {                        \
        return xbrtime_##N##_atomic_add(dest, val, pe);                               \
    }                                                                                 \
    XBRTIME_FETCHING(T, N, BITS, add, add)                                            \
    XBRTIME_FETCHING(T, N, BITS, swap, swap)                                          \
    XBRTIME_FETCHING(T, N, BITS, land, and)                                           \
    XBRTIME_FETCHING(T, N, BITS, lor, or)                                             \
    XBRTIME_FETCHING(T, N, BITS, lxor, xor)                                           \
    XBRTIME_FETCHING(T, N, BITS, band, and)                                           \
    XBRTIME_FETCHING(T, N, BITS, bor, or)                                             \
    XBRTIME_FETCHING(T, N, BITS, bxor, xor)                                           \
    XBRTIME_FETCHING(T, N, BITS, and, and)                                            \
    XBRTIME_FETCHING(T, N, BITS, or, or)                                              \
    XBRTIME_FETCHING(T, N, BITS, xor, xor)                                            \
    XBRTIME_FETCHING(T, N, BITS, fetch_and, and)                                      \
    XBRTIME_FETCHING(T, N, BITS, fetch_or, or)                                        \
    XBRTIME_FETCHING(T, N, BITS, fetch_xor, xor)                                      \
    T xbrtime_##N##_atomic_compare_swap(T* dest, T expected, T desired, int pe) {     \
        isthmus_check_pe("xbrtime_" #N "_atomic_compare_swap", pe);                   \
        return (T)isthmus_road_compare_swap##BITS(pe, dest, (uint##BITS##_t)expected, \
                                                  (uint##BITS##_t)desired);           \
    }                                                                                 \
    XBRTIME_CHOOSING(T, N, BITS, max)                                                 \
    XBRTIME_CHOOSING(T, N, BITS, min)
#define XBRTIME_FETCHING(T, N, BITS, NAME, OP)                            \
    T xbrtime_##N##_atomic_##NAME(T* dest, T val, int pe) {               \
        isthmus_check_pe("xbrtime_" #N "_atomic_" #NAME, pe);             \
        return (T)isthmus_road_##OP##BITS(pe, dest, (uint##BITS##_t)val); \
    }
#define XBRTIME_CHOOSING(T, N, BITS, NAME)                                                    \
    T xbrtime_##N##_atomic_##NAME(T* dest, T val, int pe) {                                   \
        isthmus_check_pe("xbrtime_" #N "_atomic_" #NAME, pe);                                 \
        return (T)-1 < (T)1 ? (T)isthmus_road_##NAME##BITS(pe, dest, (int##BITS##_t)val)      \
                            : (T)isthmus_road_##NAME##u##BITS(pe, dest, (uint##BITS##_t)val); \
    }
#define XBRTIME_ATOMIC_32(T, N) XBRTIME_ATOMIC_BITS(T, N, 32)
#define XBRTIME_ATOMIC_64(T, N) XBRTIME_ATOMIC_BITS(T, N, 64)
XBRTIME_ATOMIC_32(unsigned int, uint)
XBRTIME_ATOMIC_32(uint32_t, uint32)
XBRTIME_ATOMIC_32(int, int)
XBRTIME_ATOMIC_32(int32_t, int32)
XBRTIME_ATOMIC_64(unsigned long, ulong)
XBRTIME_ATOMIC_64(unsigned long long, ulonglong)
XBRTIME_ATOMIC_64(uint64_t, uint64)
XBRTIME_ATOMIC_64(long, long)
XBRTIME_ATOMIC_64(long long, longlong)
XBRTIME_ATOMIC_64(int64_t, int64)
XBRTIME_ATOMIC_64(size_t, size)
XBRTIME_ATOMIC_64(ptrdiff_t, ptrdiff)

#define XBRTIME_FLOATING_ATOMIC(T, N)                       \
    T xbrtime_##N##_atomic_fetch(const T* src, int pe) {    \
        return shmem_##N##_atomic_fetch(src, pe);           \
    }                                                       \
    void xbrtime_##N##_atomic_set(T* dest, T val, int pe) { \
        shmem_##N##_atomic_set(dest, val, pe);              \
    }                                                       \
    T xbrtime_##N##_atomic_swap(T* dest, T val, int pe) {   \
        return shmem_##N##_atomic_swap(dest, val, pe);      \
    }
XBRTIME_FLOATING_ATOMIC(float, float)
XBRTIME_FLOATING_ATOMIC(double, double)

_Static_assert(XBRTIME_CMP_EQ == SHMEM_CMP_EQ && XBRTIME_CMP_NE == SHMEM_CMP_NE &&
                   XBRTIME_CMP_GT == SHMEM_CMP_GT && XBRTIME_CMP_LE == SHMEM_CMP_LE &&
                   XBRTIME_CMP_LT == SHMEM_CMP_LT && XBRTIME_CMP_GE == SHMEM_CMP_GE,
               "the same numbers");
#define XBRTIME_WAIT(T, N)                                     \
    void xbrtime_##N##_wait_until(T* ivar, int cmp, T value) { \
        shmem_##N##_wait_until(ivar, cmp, value);              \
    }
XBRTIME_ATOMIC_TYPES(XBRTIME_WAIT)
