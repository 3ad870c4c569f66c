/* Gather: many small reads from many segments, at random. Reads are issued as they are pushed and
 * their results arrive in any order before isthmus_gather_wait returns, so that many are under way
 * at once whatever the program does between them.
 *
 * The road is chosen when the gather is made. Segments of this host are read in place: a push
 * prefetches and the results of earlier pushes are taken from the cache, without any message. Those
 * of other hosts are read over the network, up to 256 items at once. */
#ifndef ISTHMUS_GATHER_H
#define ISTHMUS_GATHER_H

#include <isthmus/segment.h>
#include <isthmus/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads under way; a power of two. More than the outstanding misses of today's cores, so that a
 * result is taken when it has arrived. */
#define ISTHMUS_GATHER_DEPTH 64

/* The visible part is what an inlined push needs; the library's own part lies behind it. */
struct isthmus_gather_source {
    const char* base;
    uint64_t end; /* first offset at which no whole item begins; 0: nothing may be read */
};
struct isthmus_gather_slot {
    const char* from;
    void* result;
};
typedef struct isthmus_gather {
    struct isthmus_gather_source* sources;
    uint64_t pushed; /* items, ever */
    uint32_t count;  /* sources */
    uint32_t item_size;
    struct isthmus_gather_slot slots[ISTHMUS_GATHER_DEPTH];
} isthmus_gather;

/* A gather of items of `item_size` bytes, 1 to 256, from `count` segments; `segments` is copied.
 * Any segments: the default segments of all PEs, or clones. Only this PE takes part. It belongs to
 * one thread at a time.
 * Errors: ARGUMENT; RIGHTS, PROTOCOL or STALE if a segment may not be read. */
int isthmus_gather_create(isthmus_gather** gather, const isthmus_segment* segments, uint32_t count,
                          size_t item_size);
/* Waits first: everything pushed has arrived. */
int isthmus_gather_destroy(isthmus_gather* gather);

int isthmus_gather_push_slow(isthmus_gather* gather, uint32_t source, uint64_t offset,
                             void* result);

/* Reads the item at `offset` of segments[source] into `result`, which must stay until the wait.
 * The item is as it was at some time between the push and the wait; pushes are not ordered among
 * each other. One of 8 or 4 bytes at a multiple of its size is not seen half written.
 * Errors: ARGUMENT: no such source; BOUNDS: the item is not inside it; STALE: the session has
 * ended. Nothing is read then. */
static __inline__ int isthmus_gather_push(isthmus_gather* gather, uint32_t source, uint64_t offset,
                                          void* result) {
    struct isthmus_gather_slot* slot;
    const char *from, *earlier;
    void* into;
    if (__builtin_expect(source >= gather->count, 0) ||
        __builtin_expect(offset >= gather->sources[source].end, 0))
        return isthmus_gather_push_slow(gather, source, offset, result);
    from = gather->sources[source].base + offset;
    __builtin_prefetch(from, 0, 0); /* used once */
    slot = &gather->slots[gather->pushed++ & (ISTHMUS_GATHER_DEPTH - 1)];
    /* The one that was here before has had time to arrive. Of a slot never used it is a read from
     * the library's own memory into the library's own memory: no branch needed. */
    earlier = slot->from;
    into = slot->result;
    slot->from = from;
    slot->result = result;
    if (gather->item_size == 8)
        __builtin_memcpy(into, earlier, 8);
    else if (gather->item_size == 4)
        __builtin_memcpy(into, earlier, 4);
    else
        __builtin_memcpy(into, earlier, gather->item_size);
    return ISTHMUS_OK;
}

/* Returns when the results of all pushes are there. STALE if a segment was destroyed meanwhile: the
 * results from it are worthless. Acquire: what was visible to whoever wrote an item is visible. */
int isthmus_gather_wait(isthmus_gather* gather);

#ifdef __cplusplus
}
#endif
#endif
