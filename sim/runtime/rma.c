/* Remote memory access (9.6) and ordering (9.12). */
#include "runtime.h"

#include <string.h>

/* An element by its size; 16 bytes are two words. Sizes are known when this is compiled. */
static inline __attribute__((always_inline)) void isthmus_store(int pe, void* to, const void* value,
                                                                size_t bytes) {
    if (bytes == 1) {
        isthmus_road_store8(pe, to, *(const uint8_t*)value);
    } else if (bytes == 2) {
        uint16_t bits;
        memcpy(&bits, value, 2);
        isthmus_road_store16(pe, to, bits);
    } else if (bytes == 4) {
        uint32_t bits;
        memcpy(&bits, value, 4);
        isthmus_road_store32(pe, to, bits);
    } else {
        for (size_t i = 0; i < bytes; i += 8) {
            uint64_t bits;
            memcpy(&bits, (const char*)value + i, 8);
            isthmus_road_store64(pe, (char*)to + i, bits);
        }
    }
}
static inline __attribute__((always_inline)) void isthmus_load(int pe, void* value,
                                                               const void* from, size_t bytes) {
    if (bytes == 1) {
        *(uint8_t*)value = isthmus_road_load8(pe, from);
    } else if (bytes == 2) {
        const uint16_t bits = isthmus_road_load16(pe, from);
        memcpy(value, &bits, 2);
    } else if (bytes == 4) {
        const uint32_t bits = isthmus_road_load32(pe, from);
        memcpy(value, &bits, 4);
    } else {
        for (size_t i = 0; i < bytes; i += 8) {
            const uint64_t bits = isthmus_road_load64(pe, (const char*)from + i);
            memcpy((char*)value + i, &bits, 8);
        }
    }
}

#define ISTHMUS_ELEMENT_(T, N)                                                            \
    void pshmem_##N##_p(T* dest, T value, int pe) {                                       \
        isthmus_check_pe("shmem_" #N "_p", pe);                                           \
        isthmus_store(pe, dest, &value, sizeof(T));                                       \
    }                                                                                     \
    T pshmem_##N##_g(const T* source, int pe) {                                           \
        T value;                                                                          \
        isthmus_check_pe("shmem_" #N "_g", pe);                                           \
        isthmus_load(pe, &value, source, sizeof(T));                                      \
        return value;                                                                     \
    }                                                                                     \
    void pshmem_ctx_##N##_p(shmem_ctx_t ctx, T* dest, T value, int pe) {                  \
        pshmem_##N##_p(dest, value, isthmus_context_pe("shmem_ctx_" #N "_p", ctx, pe));   \
    }                                                                                     \
    T pshmem_ctx_##N##_g(shmem_ctx_t ctx, const T* source, int pe) {                      \
        return pshmem_##N##_g(source, isthmus_context_pe("shmem_ctx_" #N "_g", ctx, pe)); \
    }                                                                                     \
    SHMEM_TABLE_ELEMENT(ISTHMUS_ALIAS, T, N)
SHMEM_RMA_TYPES(ISTHMUS_ELEMENT_)

#define ISTHMUS_COPY_(P, ROUTINE, ROAD, UNIT)                                                     \
    void pshmem_##ROUTINE(P* dest, const P* source, size_t nelems, int pe) {                      \
        isthmus_check_pe("shmem_" #ROUTINE, pe);                                                  \
        ROAD(pe, dest, source, nelems*(UNIT));                                                    \
    }                                                                                             \
    void pshmem_ctx_##ROUTINE(shmem_ctx_t ctx, P* dest, const P* source, size_t nelems, int pe) { \
        ROAD(isthmus_context_pe("shmem_ctx_" #ROUTINE, ctx, pe), dest, source, nelems*(UNIT));    \
    }
#define ISTHMUS_COPIES_(P, PUT, GET, UNIT)                  \
    ISTHMUS_COPY_(P, PUT, isthmus_road_put, UNIT)           \
    ISTHMUS_COPY_(P, GET, isthmus_road_get, UNIT)           \
    ISTHMUS_COPY_(P, PUT##_nbi, isthmus_road_put_nbi, UNIT) \
    ISTHMUS_COPY_(P, GET##_nbi, isthmus_road_get_nbi, UNIT)

/* Strides in elements; a block of `bsize` elements goes as a block. */
static void isthmus_strided(const char* routine, bool put, char* dest, const char* source,
                            ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, size_t unit,
                            int pe) {
    const ptrdiff_t least = bsize == 0 ? 1 : (ptrdiff_t)bsize;
    if (ISTHMUS_UNLIKELY(dst < least || sst < least))
        isthmus_fail(routine, "strides dst %td and sst %td must be at least %td", dst, sst, least);
    isthmus_check_pe(routine, pe);
    const size_t bytes = bsize * unit;
    const ptrdiff_t to_step = dst * (ptrdiff_t)unit, from_step = sst * (ptrdiff_t)unit;
    if (put && bytes == 8 &&
        (((uintptr_t)dest | (uintptr_t)source | (size_t)to_step | (size_t)from_step) & 7) == 0) {
        /* The common case, without a choice for each element. */
        for (; nblocks != 0; --nblocks, dest += to_step, source += from_step)
            isthmus_road_store64(pe, dest, *(const uint64_t*)source);
        return;
    }
    for (size_t i = 0; i < nblocks; ++i) {
        if (put)
            isthmus_road_put_nbi(pe, dest, source, bytes);
        else
            isthmus_road_get_nbi(pe, dest, source, bytes);
        dest += to_step;
        source += from_step;
    }
    isthmus_road_quiet();
}
#define ISTHMUS_STRIDE_(P, ROUTINE, PUT, UNIT)                                                   \
    void pshmem_##ROUTINE(P* dest, const P* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
                          int pe) {                                                              \
        isthmus_strided("shmem_" #ROUTINE, PUT, (char*)dest, (const char*)source, dst, sst, 1,   \
                        nelems, UNIT, pe);                                                       \
    }                                                                                            \
    void pshmem_ctx_##ROUTINE(shmem_ctx_t ctx, P* dest, const P* source, ptrdiff_t dst,          \
                              ptrdiff_t sst, size_t nelems, int pe) {                            \
        pshmem_##ROUTINE(dest, source, dst, sst, nelems,                                         \
                         isthmus_context_pe("shmem_ctx_" #ROUTINE, ctx, pe));                    \
    }
#define ISTHMUS_BLOCKS_(P, ROUTINE, PUT, UNIT)                                                     \
    void pshmem_##ROUTINE(P* dest, const P* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,    \
                          size_t nblocks, int pe) {                                                \
        isthmus_strided("shmem_" #ROUTINE, PUT, (char*)dest, (const char*)source, dst, sst, bsize, \
                        nblocks, UNIT, pe);                                                        \
    }                                                                                              \
    void pshmem_ctx_##ROUTINE(shmem_ctx_t ctx, P* dest, const P* source, ptrdiff_t dst,            \
                              ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) {               \
        pshmem_##ROUTINE(dest, source, dst, sst, bsize, nblocks,                                   \
                         isthmus_context_pe("shmem_ctx_" #ROUTINE, ctx, pe));                      \
    }
#define ISTHMUS_STRIDES_(P, IPUT, IGET, IBPUT, IBGET, UNIT) \
    ISTHMUS_STRIDE_(P, IPUT, true, UNIT)                    \
    ISTHMUS_STRIDE_(P, IGET, false, UNIT)                   \
    ISTHMUS_BLOCKS_(P, IBPUT, true, UNIT)                   \
    ISTHMUS_BLOCKS_(P, IBGET, false, UNIT)

#define ISTHMUS_TYPED_(T, N)                                                 \
    ISTHMUS_COPIES_(T, N##_put, N##_get, sizeof(T))                          \
    ISTHMUS_STRIDES_(T, N##_iput, N##_iget, N##_ibput, N##_ibget, sizeof(T)) \
    SHMEM_TABLE_BLOCK(ISTHMUS_ALIAS, T, N)
SHMEM_RMA_TYPES(ISTHMUS_TYPED_)
#define ISTHMUS_SIZED_(BITS)                                                           \
    ISTHMUS_COPIES_(void, put##BITS, get##BITS, BITS / 8)                              \
    ISTHMUS_STRIDES_(void, iput##BITS, iget##BITS, ibput##BITS, ibget##BITS, BITS / 8) \
    SHMEM_TABLE_BLOCK_SIZED(ISTHMUS_ALIAS, BITS)
SHMEM_ELEMENT_SIZES(ISTHMUS_SIZED_)
ISTHMUS_COPIES_(void, putmem, getmem, 1)
SHMEM_TABLE_BLOCK_MEMORY(ISTHMUS_ALIAS)

/* One road serves all contexts: completing one completes them all. */
void pshmem_fence(void) {
    isthmus_road_fence();
}
void pshmem_ctx_fence(shmem_ctx_t ctx) {
    if (ctx != SHMEM_CTX_INVALID) isthmus_road_fence();
}
void pshmem_quiet(void) {
    isthmus_road_quiet();
}
void pshmem_ctx_quiet(shmem_ctx_t ctx) {
    if (ctx != SHMEM_CTX_INVALID) isthmus_road_quiet();
}
void pshmem_pe_quiet(const int* target_pes, size_t npes) {
    for (size_t i = 0; i < npes; ++i)
        isthmus_check_pe("shmem_pe_quiet", target_pes[i]);
    isthmus_road_quiet();
}
void pshmem_ctx_pe_quiet(shmem_ctx_t ctx, const int* target_pes, size_t npes) {
    if (ctx == SHMEM_CTX_INVALID) return;
    for (size_t i = 0; i < npes; ++i)
        (void)isthmus_context_pe("shmem_ctx_pe_quiet", ctx, target_pes[i]);
    isthmus_road_quiet();
}
SHMEM_TABLE_ORDERING(ISTHMUS_ALIAS)

/* Caches are coherent: nothing to do. */
void pshmem_set_cache_inv(void) {}
void pshmem_set_cache_line_inv(void* dest) {
    (void)dest;
}
void pshmem_clear_cache_inv(void) {}
void pshmem_clear_cache_line_inv(void* dest) {
    (void)dest;
}
void pshmem_udcflush(void) {}
void pshmem_udcflush_line(void* dest) {
    (void)dest;
}
SHMEM_TABLE_CACHE(ISTHMUS_ALIAS)
