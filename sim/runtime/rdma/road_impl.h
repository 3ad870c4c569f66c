/* The road through the RDMA NIC: what a lean library does on a machine without xBGAS.
 *
 * A descriptor of 32 bytes is written into a ring in memory, the doorbell is rung. Up to 8 bytes
 * travel in the descriptor; what is read or fetched comes back in the completion. Only operations
 * that somebody waits for ask for a completion, and one in every kRoadSignal, so that places in the
 * ring are known to be free. Completions come in order, so one tells of all descriptors before it.
 * Memory needs no registration: any address of the target will do.
 * Layouts: sim/hart/rdma_nic.hpp. One thread at a time. */
#ifndef ISTHMUS_SIM_ROAD_IMPL_H
#define ISTHMUS_SIM_ROAD_IMPL_H

#define ROAD_NAME      "RDMA"
#define ROAD_CHECKS_PE 1 /* the NIC refuses a PE that does not exist */
#define ROAD_MAX_LEVEL SHMEM_THREAD_SERIALIZED

enum { kRoadDepth = 64, kRoadSignal = 32 };

struct isthmus_road_descriptor {
    uint64_t what; /* opcode, signaled << 8, fenced << 9, pe << 16, bytes << 32 */
    uint64_t remote, local, compare;
};
struct isthmus_road_completion {
    volatile uint64_t done;
    volatile uint64_t value;
};
struct isthmus_road_registers {
    volatile uint64_t doorbell;
    uint64_t ring, ring_entries, completions, completion_entries;
    uint64_t pe, pes, shared_base, shared_bytes;
};
enum {
    kRoadNothing,
    kRoadWrite,
    kRoadWriteInline,
    kRoadRead,
    kRoadReadInline,
    kRoadAdd,
    kRoadSwap,
    kRoadAnd,
    kRoadOr,
    kRoadXor,
    kRoadCompareSwap,
    kRoadSignaled = 1 << 8,
    kRoadFenced = 1 << 9 /* begins when everything before it is complete */
};
#define ROAD_NIC ((struct isthmus_road_registers*)0xfff000000)

struct isthmus_road_state {
    uint64_t posted;   /* descriptors */
    uint64_t limit;    /* the next one with which room has to be made */
    uint64_t done;     /* as the last completion taken said */
    uint64_t signaled; /* the last one that asked for a completion, as a count */
    uint64_t taken;    /* completions */
    struct isthmus_road_descriptor ring[kRoadDepth];
    struct isthmus_road_completion completions[kRoadDepth];
};
extern struct isthmus_road_state isthmus_road_state;

/* Takes one completion, waiting for it. */
uint64_t isthmus_spin_completion(void);
/* Posts with a completion, when half of the ring is free. */
void isthmus_post_with_room(uint64_t what, const void* remote, uint64_t local);

static inline uint64_t isthmus_road_take(void) {
    struct isthmus_road_completion* const next =
        &isthmus_road_state.completions[isthmus_road_state.taken % kRoadDepth];
    const uint64_t done = next->done;
    if (ISTHMUS_ROAD_UNLIKELY(done <= isthmus_road_state.done)) return isthmus_spin_completion();
    __asm__ volatile("fence r, r" ::: "memory");
    ++isthmus_road_state.taken;
    isthmus_road_state.done = done;
    return next->value;
}

static inline __attribute__((always_inline)) void isthmus_road_write(uint64_t index, uint64_t what,
                                                                     const void* remote,
                                                                     uint64_t local) {
    struct isthmus_road_descriptor* place = &isthmus_road_state.ring[index % kRoadDepth];
    __asm__("" : "+r"(place)); /* one address, not one for each field */
    place->what = what;
    place->remote = (uint64_t)remote;
    place->local = local;
    isthmus_road_state.posted = index + 1;
    __asm__ volatile("fence w, o" ::: "memory"); /* the descriptor before the doorbell */
    ROAD_NIC->doorbell = index + 1;
}
static inline __attribute__((always_inline)) void isthmus_road_post(uint64_t what, int pe,
                                                                    size_t bytes,
                                                                    const void* remote,
                                                                    uint64_t local) {
    const uint64_t index = isthmus_road_state.posted;
    what |= (uint64_t)pe << 16 | (uint64_t)bytes << 32;
    if (ISTHMUS_ROAD_UNLIKELY(index == isthmus_road_state.limit)) {
        isthmus_post_with_room(what, remote, local);
        return;
    }
    if (what & kRoadSignaled) isthmus_road_state.signaled = index + 1;
    isthmus_road_write(index, what, remote, local);
}
/* Posts and waits; returns what came back. */
static inline uint64_t isthmus_road_ask(uint64_t what, int pe, size_t bytes, const void* remote,
                                        uint64_t local) {
    isthmus_road_post(what | kRoadSignaled, pe, bytes, remote, local);
    uint64_t value;
    do
        value = isthmus_road_take();
    while (ISTHMUS_ROAD_UNLIKELY(isthmus_road_state.done != isthmus_road_state.posted));
    return value;
}

#define ROAD_WORD(BITS)                                                                   \
    static inline uint##BITS##_t isthmus_road_load##BITS(int pe, const void* from) {      \
        return (uint##BITS##_t)isthmus_road_ask(kRoadReadInline, pe, BITS / 8, from, 0);  \
    }                                                                                     \
    static inline void isthmus_road_store##BITS(int pe, void* to, uint##BITS##_t value) { \
        isthmus_road_post(kRoadWriteInline, pe, BITS / 8, to, value);                     \
    }
ROAD_WORD(8)
ROAD_WORD(16)
ROAD_WORD(32)
ROAD_WORD(64)
#undef ROAD_WORD

#define ROAD_AMO_(BITS, NAME, OPCODE)                                                           \
    static inline uint##BITS##_t isthmus_road_##NAME##BITS(int pe, void* at,                    \
                                                           uint##BITS##_t value) {              \
        return (uint##BITS##_t)isthmus_road_ask(OPCODE, pe, BITS / 8, at, value);               \
    }                                                                                           \
    static inline void isthmus_road_post_##NAME##BITS(int pe, void* at, uint##BITS##_t value) { \
        isthmus_road_post(OPCODE, pe, BITS / 8, at, value);                                     \
    }
#define ROAD_AMO(BITS)                                                                      \
    ROAD_AMO_(BITS, swap, kRoadSwap)                                                        \
    ROAD_AMO_(BITS, add, kRoadAdd)                                                          \
    ROAD_AMO_(BITS, and, kRoadAnd)                                                          \
    ROAD_AMO_(BITS, or, kRoadOr)                                                            \
    ROAD_AMO_(BITS, xor, kRoadXor)                                                          \
    static inline uint##BITS##_t isthmus_road_compare_swap##BITS(                           \
        int pe, void* at, uint##BITS##_t cond, uint##BITS##_t value) {                      \
        isthmus_road_state.ring[isthmus_road_state.posted % kRoadDepth].compare = cond;     \
        return (uint##BITS##_t)isthmus_road_ask(kRoadCompareSwap, pe, BITS / 8, at, value); \
    }
ROAD_AMO(32)
ROAD_AMO(64)
#undef ROAD_AMO
#undef ROAD_AMO_

/* The NIC has no minimum and maximum. */
#define ROAD_CHOICE_(BITS, T, OP, BETTER)                                                   \
    static inline T isthmus_road_##OP##BITS(int pe, void* at, T value) {                    \
        T old = (T)isthmus_road_load##BITS(pe, at);                                         \
        while (value BETTER old) {                                                          \
            const T found = (T)isthmus_road_compare_swap##BITS(pe, at, (uint##BITS##_t)old, \
                                                               (uint##BITS##_t)value);      \
            if (found == old) break;                                                        \
            old = found;                                                                    \
        }                                                                                   \
        return old;                                                                         \
    }
#define ROAD_CHOICE(BITS)                       \
    ROAD_CHOICE_(BITS, int##BITS##_t, min, <)   \
    ROAD_CHOICE_(BITS, int##BITS##_t, max, >)   \
    ROAD_CHOICE_(BITS, uint##BITS##_t, minu, <) \
    ROAD_CHOICE_(BITS, uint##BITS##_t, maxu, >)
ROAD_CHOICE(32)
ROAD_CHOICE(64)
#undef ROAD_CHOICE
#undef ROAD_CHOICE_

/* Longer than a descriptor can say: in pieces, out of line, so that nobody else pays for the loop.
 */
enum { kRoadLongest = 1 << 30 };
void isthmus_post_pieces(uint64_t opcode, int pe, const void* remote, const void* local,
                         size_t bytes) __attribute__((cold));
void isthmus_put_pieces(int pe, void* to, const void* from, size_t bytes) __attribute__((cold));
/* `what` is a write's or a read's, of at least one byte. */
static inline __attribute__((always_inline)) void isthmus_road_block(uint64_t what, int pe,
                                                                     const void* remote,
                                                                     const void* local,
                                                                     size_t bytes) {
    if (ISTHMUS_ROAD_UNLIKELY(bytes > kRoadLongest))
        isthmus_post_pieces(what, pe, remote, local, bytes);
    else
        isthmus_road_post(what, pe, bytes, remote, (uint64_t)local);
}
static inline void isthmus_road_put_nbi(int pe, void* to, const void* from, size_t bytes) {
    if (bytes == 8 && ((uintptr_t)from & 7) == 0)
        isthmus_road_post(kRoadWriteInline, pe, 8, to, *(const uint64_t*)from);
    else if (bytes != 0)
        isthmus_road_block(kRoadWrite, pe, to, from, bytes);
}
static inline void isthmus_road_put_block_nbi(int pe, void* to, const void* from, size_t bytes) {
    if (ISTHMUS_ROAD_UNLIKELY(bytes > kRoadLongest))
        isthmus_put_pieces(pe, to, from, bytes);
    else
        isthmus_road_post(kRoadWrite, pe, bytes, to, (uint64_t)from);
}
static inline void isthmus_road_get_nbi(int pe, void* to, const void* from, size_t bytes) {
    if (bytes != 0) isthmus_road_block(kRoadRead, pe, from, to, bytes);
}

static inline void isthmus_road_quiet(void) {
    if (isthmus_road_state.done == isthmus_road_state.posted) return;
    if (isthmus_road_state.signaled != isthmus_road_state.posted)
        isthmus_road_post(kRoadNothing | kRoadSignaled, 0, 0, 0, 0);
    do
        isthmus_road_take();
    while (isthmus_road_state.done != isthmus_road_state.posted);
}
static inline void isthmus_road_flag64(int pe, void* to, uint64_t value) {
    isthmus_road_post(kRoadWriteInline | kRoadFenced, pe, 8, to, value);
}
static inline void isthmus_road_local(void) {
    isthmus_road_quiet();
}
/* Descriptors begin in order, but the network may bring writes in any. */
static inline void isthmus_road_fence(void) {
    isthmus_road_quiet();
}

/* The NIC reads the buffer itself: it is the caller's again when the write is done. */
static inline void isthmus_road_put(int pe, void* to, const void* from, size_t bytes) {
    if (bytes == 8 && ((uintptr_t)from & 7) == 0) {
        isthmus_road_post(kRoadWriteInline, pe, 8, to, *(const uint64_t*)from);
    } else if (bytes - 1 < kRoadLongest) {
        isthmus_road_ask(kRoadWrite, pe, bytes, to, (uint64_t)from);
    } else if (bytes != 0) {
        isthmus_road_put_nbi(pe, to, from, bytes);
        isthmus_road_quiet();
    }
}
static inline void isthmus_road_get(int pe, void* to, const void* from, size_t bytes) {
    if (bytes - 1 < kRoadLongest) {
        isthmus_road_ask(kRoadRead, pe, bytes, from, (uint64_t)to);
    } else if (bytes != 0) {
        isthmus_road_get_nbi(pe, to, from, bytes);
        isthmus_road_quiet();
    }
}

static inline void isthmus_road_start(struct isthmus_road_machine* machine) {
    machine->pe = (uint32_t)ROAD_NIC->pe;
    machine->pes = (uint32_t)ROAD_NIC->pes;
    machine->shared_base = ROAD_NIC->shared_base;
    machine->shared_bytes = ROAD_NIC->shared_bytes;
    isthmus_road_state.limit = kRoadSignal - 1;
    ROAD_NIC->ring = (uint64_t)isthmus_road_state.ring;
    ROAD_NIC->ring_entries = kRoadDepth;
    ROAD_NIC->completions = (uint64_t)isthmus_road_state.completions;
    ROAD_NIC->completion_entries = kRoadDepth;
}

#endif
