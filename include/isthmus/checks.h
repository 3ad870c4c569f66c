/* Checked mode (ISTHMUS_CHECK=1), as far as the inlined operations see to it by themselves: words
 * and short blocks that a few comparisons find right are moved in the program, everything else is
 * looked at by the out-of-line routine, which says what is wrong.
 *
 * This header is included by shmem_inline.h. Programs do not use it directly. */
#ifndef ISTHMUS_CHECKS_H
#define ISTHMUS_CHECKS_H

#include <isthmus/window.h>
#include <stddef.h>

/* Of so many bytes of the symmetric heap it is told how many belong to a block, the first ones;
 * blocks of at most so many bytes are looked at in the program. */
#define ISTHMUS_CHECKS_GRANULE 64
/* Memory of this PE is known by pages of 4 KiB: where each begins, in the place that the low bits
 * of its number name. Two buffers share places if they lie a multiple of 16 GiB apart. */
#define ISTHMUS_CHECKS_PAGE  12
#define ISTHMUS_CHECKS_PAGES ((uintptr_t)1 << 22)

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

/* Written by the library at initialisation and finalisation only, but for what the pointers lead
 * to. Outside checked mode, and where each call is to reach the library, `limit` leads to 0, so
 * that nothing passes, and the rest is zero. */
struct isthmus_checks_view {
    const uint32_t* limit; /* what the window's would be; 0 while others ask what is fetched */
    uintptr_t heap;        /* the program's part of the symmetric heap */
    uint64_t size;         /* of it, less a granule: the last one is in no block */
    const unsigned char* in_use; /* by granule: how many of its bytes belong to a block */
    uintptr_t statics;           /* the program's static data: how far behind heap */
    uint64_t statics_size;       /* less a granule, so that what begins here ends there */
    uintptr_t thread;            /* that has initialised, and may call */
    uintptr_t is_only;           /* 0: others may, too */
    const uintptr_t* pages;      /* known to be mapped, and in no PE's heap */
};
extern struct isthmus_checks_view isthmus_checks;

/* Blocks whose length the compiler does not know, of so many elements of `unit` bytes: moved if
 * they are short and a few comparisons find them right. Else the routine is called, which takes the
 * first four arguments: so the program need not keep them. */
extern void isthmus_checks_put(void* dest, const void* source, size_t count, int pe, unsigned unit,
                               void (*routine)(void));
extern void isthmus_checks_get(void* dest, const void* source, size_t count, int pe, unsigned unit,
                               void (*routine)(void));

#if defined(__GNUC__) || defined(__clang__)
#define ISTHMUS_CHECKS_INLINE extern __inline__ __attribute__((gnu_inline, always_inline))

/* Back from where a symmetric object of that slot's PE is seen, and from the slot to the PE. The
 * compiler is not to know that it has both already: it would keep them beside what they were made
 * into, and an instruction for each on the way without checks, an addition a round in loops. Nor is
 * it to join the subtraction to the next one, of the heap's address: that takes a copy more. */
ISTHMUS_CHECKS_INLINE void* isthmus_window_back(uintptr_t there, uint32_t slot) {
    __asm__("" : "+r"(there));
    there -= (uintptr_t)slot << ISTHMUS_WINDOW_SHIFT;
    __asm__("" : "+r"(there));
    return (void*)there;
}
ISTHMUS_CHECKS_INLINE int isthmus_window_pe(uint32_t slot) {
    return (int)(slot ^ *(const volatile uint32_t*)&isthmus_window_me);
}
/* Checked mode, behind the window's test, which fails there. What is so looked at has no more wrong
 * with it than the library would find; what is not goes to the library. */
#if defined(__x86_64__)
#define ISTHMUS_CHECKS_THREAD(number) __asm__ __volatile__("mov %%fs:0, %0" : "=r"(number))
#elif defined(__aarch64__)
#define ISTHMUS_CHECKS_THREAD(number) __asm__ __volatile__("mrs %0, tpidr_el0" : "=r"(number))
#endif
#ifdef ISTHMUS_CHECKS_THREAD
/* The slot of a PE that there is not has no memory: the fault tells of it. */
ISTHMUS_CHECKS_INLINE int isthmus_checks_caller(uint32_t slot) {
    const uint32_t* limit = isthmus_checks.limit;
    uintptr_t number;
    /* What others may write is read each time, and compared where it lies. */
    __asm__ __volatile__("" : "+r"(limit));
    if (slot >= *limit) return 0;
    ISTHMUS_CHECKS_THREAD(number);
    return number == isthmus_checks.thread || isthmus_checks.is_only == 0;
}
/* At most a granule's bytes. No two blocks of the heap lie in neighbouring granules, so that what
 * begins and ends in one is all in one. */
ISTHMUS_CHECKS_INLINE int isthmus_checks_in_use(uint64_t from, uint64_t bytes) {
    const unsigned char* const in_use = isthmus_checks.in_use;
    const uint64_t granule = from / ISTHMUS_CHECKS_GRANULE;
    /* As bytes, compared where they lie: the compiler is not to load them for what follows. */
    const unsigned char in_first = (unsigned char)(from % ISTHMUS_CHECKS_GRANULE + bytes);
    const unsigned char* first;
    if (in_first <= in_use[granule]) return 1;
    first = in_use + granule;
    __asm__("" : "+r"(first));
    return *first == ISTHMUS_CHECKS_GRANULE && in_first - ISTHMUS_CHECKS_GRANULE <= first[1];
}
ISTHMUS_CHECKS_INLINE int isthmus_checks_word(uintptr_t there, unsigned bytes, unsigned unit,
                                              uint32_t slot) {
    const void* object;
    uint64_t from;
    if (!isthmus_checks_caller(slot)) return 0;
    object = isthmus_window_back(there, slot);
    from = (uintptr_t)object - isthmus_checks.heap;
    if (from % unit != 0) return 0;
    if (from >= isthmus_checks.size)
        return from - isthmus_checks.statics < isthmus_checks.statics_size;
    if (from % ISTHMUS_CHECKS_GRANULE + bytes >
        isthmus_checks.in_use[from / ISTHMUS_CHECKS_GRANULE])
        return 0;
    return 1;
}
/* Compares with memory once more, instead of with a register that would have to be loaded. */
#define ISTHMUS_CHECKS_AGAIN() __asm__ __volatile__("" ::: "memory")
/* What lies at that PE at `at` and at this one at `here`, at least one byte. Where both lie
 * in the heap, or in static data, they must not overlap; memory of `pages` lies in no heap. */
ISTHMUS_CHECKS_INLINE int isthmus_checks_block(uintptr_t at, uintptr_t here, uint64_t bytes,
                                               int pe) {
    const uint64_t mine = here - isthmus_checks.heap;
    uintptr_t page, slot;
    uint64_t from;
    if (mine < isthmus_checks.size) {
        if (!isthmus_checks_in_use(mine, bytes)) return 0;
        ISTHMUS_CHECKS_AGAIN();
        from = at - isthmus_checks.heap;
        if (from >= isthmus_checks.size)
            return from - isthmus_checks.statics < isthmus_checks.statics_size;
        if (!isthmus_checks_in_use(from, bytes)) return 0;
        return at + (bytes - 1) - here >= 2 * bytes - 1 || ISTHMUS_WINDOW_SLOT(pe) != 0;
    }
    ISTHMUS_CHECKS_AGAIN();
    page =
        __atomic_load_n(isthmus_checks.pages + (here >> ISTHMUS_CHECKS_PAGE) % ISTHMUS_CHECKS_PAGES,
                        __ATOMIC_RELAXED);
    if ((here ^ page) > ((uintptr_t)1 << ISTHMUS_CHECKS_PAGE) - bytes) return 0;
    from = at - isthmus_checks.heap;
    if (from < isthmus_checks.size) return isthmus_checks_in_use(from, bytes);
    slot = ISTHMUS_WINDOW_SLOT(pe);
    __asm__("" : "+r"(slot)); /* as in isthmus_window_back */
    return from - isthmus_checks.statics < isthmus_checks.statics_size &&
           at + (slot << ISTHMUS_WINDOW_SHIFT) - here + bytes - 1 >= 2 * bytes - 1;
}
ISTHMUS_CHECKS_INLINE int isthmus_checks_short(uintptr_t at, uintptr_t here, uint64_t bytes,
                                               int pe) {
    return bytes - 1 < ISTHMUS_CHECKS_GRANULE && isthmus_checks_caller(ISTHMUS_WINDOW_SLOT(pe)) &&
           isthmus_checks_block(at, here, bytes, pe);
}
#else
#define isthmus_checks_word(there, bytes, unit, slot) 0
#define isthmus_checks_short(at, here, bytes, pe)     0
#endif
#undef ISTHMUS_CHECKS_INLINE
#endif

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif

#endif
