/* Queues: N-to-1 rings of framed messages in a segment. Enqueue is remote and atomic, dequeue is
 * local to the owner. Messages of any size up to a stated limit, never split, never interleaved,
 * in order per producer; a full queue holds its producers back. AOS paper, section 3.5. */
#ifndef ISTHMUS_QUEUE_H
#define ISTHMUS_QUEUE_H

#include <isthmus/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Between hosts every guarantee is the same. An enqueue is then a round trip to the owner, whose
 * progress thread does it; see docs/transport.md.
 *
 * One PE's end of a queue; made by create (the consumer's) or clone (a producer's). One end is used
 * by one thread at a time; threads clone their own. */
typedef struct isthmus_queue isthmus_queue;

/* Consumer: a ring of at least `capacity` bytes (rounded up to a power of two, 4096 at least) under
 * `id`, as for segments. Any number of ends may enqueue. Errors: TOO_LARGE: a capacity above 2 GiB;
 * EXISTS; ARGUMENT: the id; NO_MEMORY: no room in the arena (ISTHMUS_ARENA_SIZE), or, as for
 * segments, in the directory. */
int isthmus_queue_create(isthmus_queue** queue, uint64_t id, uint64_t capacity);
/* Producer: as isthmus_segment_clone. PROTOCOL if the id is a segment's. A clone keeps the room of
 * its queue in the owner's arena, also when the owner has destroyed the queue (of the memory, then,
 * one page): destroy the clone as well. */
int isthmus_queue_clone(isthmus_queue** queue, uint64_t id, double timeout);
/* Consumer: closes the queue first; producers that wait for room return with STALE, and so does
 * whatever is called with a clone later. Waits until what others have begun to enqueue, or
 * reserved, is complete. Messages not yet dequeued are lost, and counted in *lost if not null.
 * Clone: forgets the queue. An end of an earlier session: frees it, also when there is no session;
 * *lost is 0. ARGUMENT if this end has reserved a message and not committed it; the end then stays.
 */
int isthmus_queue_destroy(isthmus_queue* queue, uint64_t* lost);

/* Largest message, in bytes: half the ring less one frame. 0 if the queue ended with its session.
 */
uint64_t isthmus_queue_limit(const isthmus_queue* queue);
uint64_t isthmus_queue_id(const isthmus_queue* queue);

/* Appends a message. Event null: waits for room as long as it takes. Event given: waits for room
 * likewise (that is the flow control), and the event is true when the buffer may be reused.
 * CLOSED; STALE (destroyed by its owner, or of an earlier session); TOO_LARGE (says the limit).
 * Size 0 is a message. */
int isthmus_enqueue(isthmus_queue* queue, const void* message, uint64_t size, isthmus_event* event);
/* Does not wait: AGAIN if there is no room now. */
int isthmus_try_enqueue(isthmus_queue* queue, const void* message, uint64_t size);
/* In two steps, without a copy: room for a message in the ring, to be filled in place (for a queue
 * of another host in memory of this PE, which commit copies there); then made visible with its
 * final size. Nobody dequeues what comes after a reserved message, and the queue
 * is not destroyed, until it is committed. Commit: TOO_LARGE above the size reserved, and the
 * message stays reserved; ARGUMENT if it was committed already, noticed while it is still in the
 * ring or this end has nothing else reserved. */
int isthmus_enqueue_reserve(isthmus_queue* queue, uint64_t size, void** message);
int isthmus_enqueue_commit(isthmus_queue* queue, void* message, uint64_t size);

/* The oldest message, in place; it stays until isthmus_dequeue_release. *message points into the
 * ring (8-byte aligned). `timeout` seconds, 0: do not wait, negative: for ever. AGAIN, TIMEOUT,
 * CLOSED (closed and nothing left). Several may be taken before they are released. */
int isthmus_dequeue(isthmus_queue* queue, const void** message, uint64_t* size, double timeout);
/* Gives the oldest dequeued message's place back to the producers. */
int isthmus_dequeue_release(isthmus_queue* queue);
/* Gives back the place of this one, in any order: the producers get it when all that were dequeued
 * before it are given back too. ARGUMENT: it is not dequeued, or given back already. */
int isthmus_dequeue_release_message(isthmus_queue* queue, const void* message);
/* As dequeue without waiting, but the message is not taken. */
int isthmus_queue_peek(isthmus_queue* queue, const void** message, uint64_t* size);
/* Makes `event` true when the next message to dequeue, as of this call, is there or the queue is
 * closed. It is about that one message and stays true when it has been dequeued: ask anew before
 * the next wait. It is true, too, from when the message is reserved or half written: dequeue may
 * then still say AGAIN, or with a time-out waits for the rest. */
int isthmus_queue_event(isthmus_queue* queue, isthmus_event* event);

/* No more messages: later enqueues return CLOSED, waiting producers return. Any end may close. What
 * is in the ring can still be dequeued. STALE if the owner has destroyed it. */
int isthmus_queue_close(isthmus_queue* queue);

#ifdef __cplusplus
}
#endif
#endif
