/* The road by xBGAS instructions. Stores are posted, loads and atomics return when they are done,
 * a bulk transfer when its completion register is written. */
#ifndef ISTHMUS_SIM_ROAD_IMPL_H
#define ISTHMUS_SIM_ROAD_IMPL_H

#include <xbgas.h>

#define ROAD_NAME      "xBGAS"
#define ROAD_CHECKS_PE 0 /* all but -1, which is the own memory */
#define ROAD_MAX_LEVEL SHMEM_THREAD_MULTIPLE

/* The machine leaves these in e-registers, and nothing of the program has run yet. */
static inline void isthmus_road_start(struct isthmus_road_machine* machine) {
    machine->pe = (uint32_t)XBGAS_READ_E(10);
    machine->pes = (uint32_t)XBGAS_READ_E(11);
    machine->shared_bytes = XBGAS_READ_E(12);
    machine->shared_base = XBGAS_READ_E(13);
}

#define ROAD_WORD(BITS, LOAD, STORE)                                                      \
    static inline uint##BITS##_t isthmus_road_load##BITS(int pe, const void* from) {      \
        return (uint##BITS##_t)LOAD(pe, from);                                            \
    }                                                                                     \
    static inline void isthmus_road_store##BITS(int pe, void* to, uint##BITS##_t value) { \
        STORE(pe, to, (int##BITS##_t)value);                                              \
    }
ROAD_WORD(8, xbgas_pe_erlbu, xbgas_pe_ersb)
ROAD_WORD(16, xbgas_pe_erlhu, xbgas_pe_ersh)
ROAD_WORD(32, xbgas_pe_erlw, xbgas_pe_ersw)
ROAD_WORD(64, xbgas_pe_erld, xbgas_pe_ersd)
#undef ROAD_WORD

#define ROAD_AMO_(BITS, SUFFIX, OP)                                                                \
    static inline uint##BITS##_t isthmus_road_##OP##BITS(int pe, void* at, uint##BITS##_t value) { \
        return (uint##BITS##_t)xbgas_pe_eamo##OP##_##SUFFIX(pe, at, (int##BITS##_t)value);         \
    }                                                                                              \
    static inline void isthmus_road_post_##OP##BITS(int pe, void* at, uint##BITS##_t value) {      \
        xbgas_pe_post_eamo##OP##_##SUFFIX(pe, at, (int##BITS##_t)value);                           \
    }
#define ROAD_CHOICE_(BITS, SUFFIX, T, OP)                                     \
    static inline T isthmus_road_##OP##BITS(int pe, void* at, T value) {      \
        return (T)xbgas_pe_eamo##OP##_##SUFFIX(pe, at, (int##BITS##_t)value); \
    }
#define ROAD_CHOICE(BITS, SUFFIX)                    \
    ROAD_CHOICE_(BITS, SUFFIX, int##BITS##_t, min)   \
    ROAD_CHOICE_(BITS, SUFFIX, int##BITS##_t, max)   \
    ROAD_CHOICE_(BITS, SUFFIX, uint##BITS##_t, minu) \
    ROAD_CHOICE_(BITS, SUFFIX, uint##BITS##_t, maxu)
ROAD_CHOICE(32, w)
ROAD_CHOICE(64, d)
#undef ROAD_CHOICE
#undef ROAD_CHOICE_
#define ROAD_AMO(BITS, SUFFIX)                                                        \
    ROAD_AMO_(BITS, SUFFIX, swap)                                                     \
    ROAD_AMO_(BITS, SUFFIX, add)                                                      \
    ROAD_AMO_(BITS, SUFFIX, and)                                                      \
    ROAD_AMO_(BITS, SUFFIX, or)                                                       \
    ROAD_AMO_(BITS, SUFFIX, xor)                                                      \
    static inline uint##BITS##_t isthmus_road_compare_swap##BITS(                     \
        int pe, void* at, uint##BITS##_t cond, uint##BITS##_t value) {                \
        return (uint##BITS##_t)xbgas_pe_eamocas_##SUFFIX(pe, at, (int##BITS##_t)cond, \
                                                         (int##BITS##_t)value);       \
    }
ROAD_AMO(32, w)
ROAD_AMO(64, d)
#undef ROAD_AMO
#undef ROAD_AMO_

/* Up to two words one by one, the rest in bulk: a bulk transfer costs what about two words do, and
 * its own set-up. */
static inline void isthmus_road_put(int pe, void* to, const void* from, size_t bytes) {
    const uintptr_t odd = ((uintptr_t)to | (uintptr_t)from | bytes) & 7;
    if (odd == 0 && bytes <= 16) {
        for (size_t i = 0; i < bytes; i += 8)
            isthmus_road_store64(pe, (char*)to + i, *(const uint64_t*)((const char*)from + i));
    } else if (bytes != 0) {
        xbgas_pe_ebsb(from, pe, to, bytes);
    }
}
static inline void isthmus_road_get(int pe, void* to, const void* from, size_t bytes) {
    const uintptr_t odd = ((uintptr_t)to | (uintptr_t)from | bytes) & 7;
    if (odd == 0 && bytes <= 16) {
        for (size_t i = 0; i < bytes; i += 8)
            *(uint64_t*)((char*)to + i) = isthmus_road_load64(pe, (const char*)from + i);
    } else if (bytes != 0) {
        xbgas_pe_eblb(to, pe, from, bytes);
    }
}
/* Posted: no completion register, a fence completes them. */
static inline void isthmus_road_put_nbi(int pe, void* to, const void* from, size_t bytes) {
    const uintptr_t odd = ((uintptr_t)to | (uintptr_t)from) & 7;
    if (odd == 0 && bytes == 8)
        isthmus_road_store64(pe, to, *(const uint64_t*)from);
    else if (bytes != 0)
        xbgas_pe_post_ebsb(from, pe, to, bytes);
}
static inline void isthmus_road_put_block_nbi(int pe, void* to, const void* from, size_t bytes) {
    xbgas_pe_post_ebsb(from, pe, to, bytes);
}
static inline void isthmus_road_get_nbi(int pe, void* to, const void* from, size_t bytes) {
    if (bytes != 0) xbgas_pe_post_eblb(to, pe, from, bytes);
}
static inline void isthmus_road_flag64(int pe, void* to, uint64_t value) {
    xbgas_fence();
    isthmus_road_store64(pe, to, value);
}
/* The flag's fence has waited for them. */
static inline void isthmus_road_local(void) {}

static inline void isthmus_road_quiet(void) {
    xbgas_fence();
}
static inline void isthmus_road_fence(void) {
    xbgas_fence();
}

#endif
