/* Symmetric memory: what every PE has at a corresponding place. The same memory that OpenSHMEM
 * calls symmetric; shmem_malloc and isthmus_symmetric_malloc take from one heap. */
#ifndef ISTHMUS_SYMMETRIC_H
#define ISTHMUS_SYMMETRIC_H

#include <stdint.h>

#include <isthmus/event.h>
#include <isthmus/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over all PEs, with the same size and alignment everywhere (the job is ended with a
 * message if they differ). Zeroed memory, at the same address at every PE, in *block: local address
 * here, and part of every PE's default segment. `alignment`: a power of two up to 4096, or 0
 * for 16. A block of 1 MiB or more is occupied as it is touched, a smaller one at once. Size 0:
 * *block is null. Errors, alike at all PEs: NO_MEMORY (says how much is free; raise
 * SHMEM_SYMMETRIC_SIZE), ARGUMENT. Set-up cost: two barriers. */
int isthmus_symmetric_malloc(void** block, uint64_t size, uint64_t alignment);

/* Collective over all PEs; waits for all, so that nobody uses what is gone. Null: nothing is freed.
 * ARGUMENT if `block` does not come from isthmus_symmetric_malloc or shmem_malloc. */
int isthmus_symmetric_free(void* block);

/* Where this PE loads and stores the object that `address` is here and that PE `pe` has too; null
 * if it cannot (another host), or if there is no such PE or object. */
void* isthmus_symmetric_address(const void* address, int pe);

/* Copies into, or from, the object of PE `pe` that corresponds to `dest` (`source`) here. Heap,
 * static data of the executable, or a segment's memory. Wakes a sleeping waiter of `pe`.
 * ARGUMENT: no such PE; BOUNDS: not symmetric, not in one piece, or no segment (any more) that has
 * all of these bytes; RIGHTS, PROTOCOL: the segment there, of memory that the library provided or
 * adopted, does not allow it. An address does not tell one segment from a later one at the same
 * place: for that, use a segment's view. Event: as everywhere. A get without an event sees what
 * this PE put by address before; one with an event may overtake it. */
int isthmus_symmetric_put(void* dest, const void* source, uint64_t size, int pe,
                          isthmus_event* event);
int isthmus_symmetric_get(void* dest, const void* source, uint64_t size, int pe,
                          isthmus_event* event);

/* Stores a word into the object of PE `pe` that corresponds to `dest` here: the shortest way to a
 * word on another host. Ends the job with a message if there is no such PE or object, or if its
 * segment does not allow it. Complete as isthmus_symmetric_put is. Wakes as that does. */
void isthmus_symmetric_store32(uint32_t* dest, uint32_t value, int pe);
void isthmus_symmetric_store64(uint64_t* dest, uint64_t value, int pe);

/* Returns when everything that this PE put by address before (and through global_ptr and
 * shared_array) is visible to everyone. */
void isthmus_symmetric_fence(void);

/* What isthmus_symmetric_atomic does with the word. */
typedef enum isthmus_atomic_kind {
    ISTHMUS_ATOMIC_FETCH = 0,
    ISTHMUS_ATOMIC_SWAP,
    ISTHMUS_ATOMIC_COMPARE_SWAP, /* stores `operand` if the word is `compare` */
    ISTHMUS_ATOMIC_ADD,
    ISTHMUS_ATOMIC_AND,
    ISTHMUS_ATOMIC_OR,
    ISTHMUS_ATOMIC_XOR
} isthmus_atomic_kind;

/* One atomic on the word of 4 or 8 bytes of PE `pe` that corresponds to `word` here; *before (may
 * be null) is what it held, with its sign. Returns when it is done. Sequentially consistent with
 * all other atomics. Wakes nobody on this host. ARGUMENT: no such PE, kind or width, or a
 * misaligned word; BOUNDS: not symmetric; RIGHTS, PROTOCOL: as of put, of a segment's word. */
int isthmus_symmetric_atomic(void* word, int pe, isthmus_atomic_kind kind, int width,
                             int64_t operand, int64_t compare, int64_t* before);

#ifdef __cplusplus
}
#endif
#endif
