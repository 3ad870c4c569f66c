/* Channels: ordered streams of operations from one initiator. What a context is to OpenSHMEM, a
 * channel is to segments: ordering and completion are counted per channel, over all the segments
 * that its operations go to, where isthmus_fence speaks of one segment alone. */
#ifndef ISTHMUS_CHANNEL_H
#define ISTHMUS_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include <isthmus/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Plain memory of the caller; zeroed (or ISTHMUS_CHANNEL_INIT) it is a channel with nothing under
 * way. Used by one thread at a time; must stay where it is while operations or events use it.
 * Nothing to free once isthmus_channel_quiet has returned; an event that is true does not do that.
 * Fields are read-only for the caller. */
typedef struct isthmus_channel {
    int64_t issued;    /* operations so far */
    int64_t completed; /* of these, known to be complete at their targets; at most `issued` */
    void* between;     /* the library's: what goes to other hosts, until the channel is quiet */
} isthmus_channel;
#define ISTHMUS_CHANNEL_INIT \
    { 0, 0, NULL }

/* Put, get, posted add and poke of isthmus/operation.h, issued on a channel: they return once
 * issued, when the local buffer of a put may not yet be reused nor that of a get be read. Errors as
 * there; then the channel is as before. */
int isthmus_channel_put(isthmus_channel* channel, const void* local, const isthmus_segment* segment,
                        uint64_t offset, uint64_t size);
int isthmus_channel_get(isthmus_channel* channel, void* local, const isthmus_segment* segment,
                        uint64_t offset, uint64_t size);
int isthmus_channel_postadd(isthmus_channel* channel, const isthmus_segment* segment,
                            uint64_t offset, int64_t value);
int isthmus_channel_poke(isthmus_channel* channel, const isthmus_segment* segment, uint64_t offset,
                         int64_t value);

/* What was issued on the channel before becomes visible before what is issued on it after, whatever
 * segments and PEs they go to. Waits only for what went to other hosts. Operations on other
 * channels, or on none, are not ordered by it. */
int isthmus_channel_fence(isthmus_channel* channel);

/* Waits until all operations of the channel are complete: visible at their targets to everyone,
 * results of gets here. completed == issued then. */
int isthmus_channel_quiet(isthmus_channel* channel);

/* The same without waiting: `event` is true once all operations issued so far are complete. Later
 * ones do not count, nor do those of other channels: it compares `completed` with what `issued` is
 * now. */
int isthmus_channel_event(isthmus_channel* channel, isthmus_event* event);

#ifdef __cplusplus
}
#endif
#endif
