/* Segments: published ranges of memory. A segment has an owner, an id, a size, rights, and says
 * which kinds of operation it accepts. AOS paper, section 3. */
#ifndef ISTHMUS_SEGMENT_H
#define ISTHMUS_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include <isthmus/event.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

/* What a segment allows, or-ed. */
enum isthmus_access {
    /* Rights: what others may do. The owner may read and write whatever is said here. */
    ISTHMUS_READ = 1,
    ISTHMUS_WRITE = 2,
    ISTHMUS_READ_WRITE = 3,
    /* Kinds of operation. */
    ISTHMUS_TRANSFERS = 4,  /* put and get in every geometry */
    ISTHMUS_ATOMICS = 8,    /* 32- and 64-bit operations */
    ISTHMUS_ALLOCATOR = 16, /* isthmus_segment_malloc: the library keeps its lists inside */
    ISTHMUS_QUEUE = 32,     /* reserved for isthmus_queue_create */
    ISTHMUS_DEFAULT_ACCESS = 1 | 2 | 4 | 8,
    /* In a view: the segment is on another host. Operations reach it, loads and stores do not. */
    ISTHMUS_FAR = 1024
};

/* Ids. A segment or queue that is created has an id below 2^62, of the program's choice (any
 * number, small ones too) or the library's (from 2^61 on). The default segment of PE p has the id
 * ISTHMUS_DEFAULT_ID(p), known from the start. So an id means one segment, wherever it comes from,
 * and isthmus_segment_clone(&view, other.id, ...) is of the segment that `other` is of.
 *
 * An id stands for a namespace, the first half of a global address (namespace, offset): 0 is the
 * caller's own memory, p + 1 is the symmetric heap of PE p, and what is created has the top bit set
 * and its id below that. isthmus_namespace says which. docs/segments.md has the table. */
#define ISTHMUS_DEFAULT_ID(pe) ((UINT64_C(1) << 62) + (uint64_t)(pe))
static __inline__ uint64_t isthmus_namespace(uint64_t id) {
    return id >= ISTHMUS_DEFAULT_ID(0) ? id - ISTHMUS_DEFAULT_ID(0) + 1 : id | UINT64_C(1) << 63;
}

/* Let the library choose the id; read it in segment->id. */
#define ISTHMUS_ANY_ID UINT64_MAX
/* Use the setting's time-out (ISTHMUS_CLONE_SECONDS). */
#define ISTHMUS_DEFAULT_TIMEOUT (-1.0)

/* One PE's view of a segment. The caller's memory; copies are views as well. Fields are read-only
 * for the caller. */
typedef struct isthmus_segment {
    char* base;                     /* where this PE reaches the first byte; ISTHMUS_FAR: nowhere */
    uint64_t size;                  /* bytes */
    uint64_t transfer_end;          /* put and get: offset + size must not exceed it; 0: refused, */
    uint64_t atomic_end;            /* or far; 64-bit atomics: offset must be below it; likewise */
    const uint32_t* generation_now; /* the owner moves it on when it destroys the segment */
    const uint32_t* sleepers;       /* waiters of the owner that sleep and must be woken */
    uint64_t id;                    /* as chosen at its creation; ISTHMUS_DEFAULT_ID(PE) */
    uint32_t generation;
    uint32_t access; /* rights and kinds; above 255 the library's own */
    int32_t owner;   /* PE */
    int32_t entry;   /* place in the directory; -1 in a view that was not created but cloned */
    /* Of a segment on another host that takes puts: how those of up to 8 bytes go straight to the
     * road's call. Else 0. */
    struct {
        uint64_t end;     /* the offset must be below it */
        uint64_t address; /* of the first byte, as the road counts them at the owner */
        uint64_t key;     /* what the road knows this memory of the owner's by */
        /* Takes a copy of the bytes and sends it. Not zero: it has no room for them now. */
        long (*put)(void* road, const void* source, size_t bytes, uint64_t pe, uint64_t address,
                    uint64_t key);
        void* road;
        const unsigned char* written; /* 0: isthmus_note_written is to be told, behind it */
        uint32_t generation;
    } short_put;
} isthmus_segment;

/* Publishes `size` bytes under `id` (any number below 2^62, unique in the job, or ISTHMUS_ANY_ID).
 * `memory` null: the library provides zeroed memory, page-aligned; read segment->base.
 * Else the memory must be symmetric (shmem_malloc, static data) or begin and end at page borders
 * (mmap, aligned_alloc(4096, ...)); in the latter case its pages are moved to shared memory in
 * place, contents kept, and must not be written by other threads during this call. Such pages must
 * be private, readable and writable, and no other segment's. Those that may be executed as well
 * (the heap under valgrind) stay so where the kernel allows it of shared memory, and are so again
 * when the segment is destroyed; where it does not, executing them faults meanwhile. Symmetric
 * memory may lie in several segments, whole or in part: ids, rights and kinds are each segment's
 * own, the bytes are the same ones. Memory of either sort stays the caller's and must stay where it
 * is, neither freed nor unmapped, until the segment is destroyed (by isthmus_finalize at the
 * latest). What the library provided to a segment or a queue is refused. The memory begins at a
 * multiple of 8 bytes with ISTHMUS_ATOMICS, of 16 with ISTHMUS_ALLOCATOR. `access`: rights and
 * kinds or-ed, 0 for ISTHMUS_DEFAULT_ACCESS. Errors: EXISTS (says which PE has it); ARGUMENT;
 * NO_MEMORY: no room in the arena (ISTHMUS_ARENA_SIZE), or in the directory: each PE keeps up to
 * 65536 ids, spread by a hash, of segments and queues of all PEs, and that is no setting. Only this
 * PE takes part. */
int isthmus_segment_create(isthmus_segment* segment, uint64_t id, void* memory, uint64_t size,
                           uint32_t access);

/* Obtains the view of a segment of any PE; of a default segment at once. Waits until it exists, at
 * most `timeout` seconds (0: do not wait); says so once on standard error if that takes longer than
 * a second. Errors: TIMEOUT. One look-up at one PE's part of the directory, whatever the number of
 * segments.
 */
int isthmus_segment_clone(isthmus_segment* segment, uint64_t id, double timeout);

/* The default segment of each PE: its symmetric heap. No look-up, nothing to destroy. Offsets are
 * alike at every PE: isthmus_segment_offset of a shmem_malloc'ed address, asked of this PE's own
 * default segment, holds for the same object in any other's. (A view of another PE's knows only
 * where that lies here.) ARGUMENT if no such PE. */
int isthmus_segment_default(isthmus_segment* segment, int pe);

/* Owner: takes the id back; later operations through clones return ISTHMUS_STALE. The owner makes
 * sure that none is under way. Memory that the library provided is freed; adopted memory stays
 * mapped, contents kept, as private memory that no other thread may use during this call; what
 * madvise, mlock or mbind have said of it is forgotten. Clone, the owner's own too: forgets the
 * view. Errors: STALE: destroyed already, through this view or a copy of it, or ended with its
 * session; NO_MEMORY: the system has no room to make adopted memory private again, and the segment
 * is as it was. */
int isthmus_segment_destroy(isthmus_segment* segment);

/* Address at this PE <-> offset. BOUNDS if outside. The address is this PE's view and may be loaded
 * and stored directly: that is the shortest road there is. PROTOCOL if the segment is on another
 * host (ISTHMUS_FAR), where none leads. */
int isthmus_segment_offset(const isthmus_segment* segment, const void* address, uint64_t* offset);
int isthmus_segment_address(const isthmus_segment* segment, uint64_t offset, void** address);

/* Allocation inside a segment made with ISTHMUS_ALLOCATOR, by any PE, for any PE; PROTOCOL in
 * another. Offsets, not addresses. Alignment, of the offset: a power of two up to 4096; malloc
 * gives 16. A size of 0: ARGUMENT. Free of what was not allocated: ARGUMENT. The lists live in the
 * segment; a put that runs wild can break them, which is noticed (ARGUMENT, "damaged"), not
 * survived. */
int isthmus_segment_malloc(const isthmus_segment* segment, uint64_t size, uint64_t* offset,
                           isthmus_event* event);
int isthmus_segment_memalign(const isthmus_segment* segment, uint64_t alignment, uint64_t size,
                             uint64_t* offset, isthmus_event* event);
int isthmus_segment_free(const isthmus_segment* segment, uint64_t offset, isthmus_event* event);

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif
#endif
