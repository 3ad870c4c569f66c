/* The window: how one PE's address becomes another's, by arithmetic alone.
 *
 * Every PE of a host maps the symmetric memory of every other PE of that host. Seen from PE `me`,
 * the memory of PE `p` lies `(p ^ me) << shift` bytes above `me`'s own, heap and static data alike.
 * Slot 0 is therefore `me` itself, slots count upwards only, and no table is read.
 *
 * This header is included by shmem.h and isthmus.h. Programs do not use it directly; it is public
 * because the short operations are inlined into programs, and because of what it tells the library
 * about the program (isthmus_program_window_shift). */
#ifndef ISTHMUS_WINDOW_H
#define ISTHMUS_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* log2 of the distance between two slots. 128 GiB a PE, 256 PEs a host; the thread sanitizer keeps
 * most of the address space for itself and leaves room for 4 GiB and 32 PEs. */
#if defined(__SANITIZE_THREAD__)
#define ISTHMUS_WINDOW_SHIFT 32
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ISTHMUS_WINDOW_SHIFT 32
#endif
#endif
#ifndef ISTHMUS_WINDOW_SHIFT
#define ISTHMUS_WINDOW_SHIFT 37
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* This PE. The library sets it before main, and it never changes again: so it is const here, and
 * the compiler may keep it in a register across operations. That matters, because a processor's
 * atomic holds back the loads behind it, and this one would stand between two atomics. */
extern const uint32_t isthmus_window_me;

/* PEs p with (p ^ me) < limit are reached through the window. 0 before initialisation, after
 * finalisation, in checked mode and, for a moment, while another PE reports a stall, so that every
 * operation then takes the out-of-line path, which says what is wrong, or what is fetched. */
struct isthmus_window_view {
    uint32_t limit;
    /* The copy of blocks of any size that was chosen for this processor when the library was
     * loaded. dest and source do not overlap, except that they may be equal. */
    void (*copy)(void* dest, const void* source, size_t bytes);
    /* A word for `pe`, which the window does not reach, at `offset` in the symmetric heap; nobody
     * compares the offset. Chosen at initialisation. `road` and `keys` are those below. */
    void (*store32)(void* road, uint32_t value, const uint64_t* keys, uint64_t pe,
                    uintptr_t offset);
    void (*store64)(void* road, uint64_t value, const uint64_t* keys, uint64_t pe,
                    uintptr_t offset);
    uintptr_t heap;       /* what offsets are counted from */
    void* road;           /* what the short operations to other hosts are called on; 0: none */
    const uint64_t* keys; /* by PE: what that road knows its symmetric heap by; 0: none */
};
extern struct isthmus_window_view isthmus_window;

/* Tells the library which shift the program was compiled with: of all definitions the dynamic
 * linker takes the program's. Visible, whatever the program or the library is compiled with. */
extern __attribute__((weak, visibility("default"))) unsigned char isthmus_program_window_shift;
__attribute__((weak, visibility("default"))) unsigned char isthmus_program_window_shift =
    ISTHMUS_WINDOW_SHIFT;

#ifdef __cplusplus
}
#endif

#define ISTHMUS_WINDOW_SLOT(pe) ((uint32_t)(pe) ^ isthmus_window_me)

/* True if `pe` is reached by load and store; negative and far PEs are not. */
#define ISTHMUS_WINDOW_REACHES(pe) (ISTHMUS_WINDOW_SLOT(pe) < isthmus_window.limit)

/* Where this PE sees the object `address` of the PE in that slot, and of `pe`. Arithmetic of
 * integers: as a pointer the result would lie outside its object, which compilers and their
 * sanitizers need not allow. */
#define ISTHMUS_WINDOW_THERE(address, slot) \
    ((uintptr_t)(address) + ((uintptr_t)(slot) << ISTHMUS_WINDOW_SHIFT))
#define ISTHMUS_WINDOW_ADDRESS(address, pe) \
    ((char*)ISTHMUS_WINDOW_THERE(address, ISTHMUS_WINDOW_SLOT(pe)))

#endif
