/* Active messages: a request runs a handler, a function of the program's, at the PE that it is sent
 * to, and the handler may send one reply, which runs a handler at the sender. The terms are those
 * of Active Messages and of GASNet: short (arguments alone), medium (and a payload, which the
 * handler finds in a buffer), long (and a payload, which is put to an address of the target first).
 * docs/messages.md says how they travel, and why they neither deadlock nor get lost. */
#ifndef ISTHMUS_MESSAGE_H
#define ISTHMUS_MESSAGE_H

#include <isthmus/casts.h>
#include <stddef.h>
#include <stdint.h>

#include <isthmus/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a message is, one of each line or-ed; and what a handler takes. */
enum isthmus_message_kind {
    ISTHMUS_MESSAGE_SHORT = 1,
    ISTHMUS_MESSAGE_MEDIUM = 2,
    ISTHMUS_MESSAGE_LONG = 4,
    ISTHMUS_MESSAGE_REQUEST = 8,
    ISTHMUS_MESSAGE_REPLY = 16
};

/* Flags of the calls that send. */
enum isthmus_message_flag {
    /* Does not wait: ISTHMUS_AGAIN, and nothing is sent, if there is no room now. A long message's
     * payload may then have been put already. */
    ISTHMUS_MESSAGE_TRY = 1
};

/* Ids of handlers are 0 to 1023. */
#define ISTHMUS_MESSAGE_HANDLERS 1024
/* Arguments of a message are a block of up to so many bytes: 16 of 64 bits. Up to 40 bytes travel
 * with the message in one cache line. */
#define ISTHMUS_MESSAGE_ARGUMENT_BYTES 128
/* For isthmus_message_register: any number of bytes of arguments. */
#define ISTHMUS_MESSAGE_ANY_ARGUMENTS ISTHMUS_CAST(size_t, -1)

/* A message as its handler sees it, and what a reply answers. It, its arguments and the payload of
 * a medium message are gone when the handler returns. */
typedef struct isthmus_message {
    const void* arguments; /* as they were sent; aligned to 8 bytes */
    void* payload;         /* medium: a buffer, aligned to 16 bytes, that the handler may change;
                              long: where it was put, an address here;
                              short, and long of no bytes: null */
    size_t size;           /* bytes of the payload */
    uint16_t handler;      /* the id it was sent to */
    uint8_t kind;          /* isthmus_message_kind */
    uint8_t replied;       /* the library's */
    uint16_t source;       /* the PE that sent it */
    uint16_t argument_bytes;
} isthmus_message;

/* A handler. It runs inside a call of this header that polls (isthmus_message_poll, _wait, the
 * requests), on the thread that makes the call, and never on a thread of the library's.
 *   - The handler of a request may send one reply, by `message`, while it runs; that of a reply
 *     sends nothing. A reply may run handlers of replies before it returns, on the same thread.
 *   - It must not wait for what another PE's program does. Requests, isthmus_message_poll and _wait
 *     in it are wrong, and refused (ARGUMENT) in checked mode and whenever they would wait; a
 *     barrier, a collective, a wait for an event, a full queue or a lock of OpenSHMEM's ends the
 * job with a message when it would have to wait. Puts, gets, atomics and enqueues that find room
 * are allowed, and so is isthmus_message_lock.
 *   - Where several threads of a PE poll, handlers may run at the same time on each of them.
 *   - Messages sent to a handler by one thread of a PE of the same host are handled in the order in
 *     which they were sent, requests and replies apart. No other order is promised. */
typedef void (*isthmus_message_handler)(void* context, isthmus_message* message);

/* Says what `id` means at this PE. Each PE registers its own handlers: nobody else is asked, so a
 * barrier belongs between this and the first message. `takes`: the kinds that it accepts, or-ed (of
 * SHORT, MEDIUM, LONG; of REQUEST, REPLY); a line of isthmus_message_kind of which none is named
 * stands for all of it. `argument_bytes`: what each message must have, or
 * ISTHMUS_MESSAGE_ANY_ARGUMENTS. A message that comes and is none of these, or whose id is not
 * registered, ends the job with a message. Registrations end with the session. Errors: ARGUMENT:
 * the id, a null handler, more than ISTHMUS_MESSAGE_ARGUMENT_BYTES; EXISTS: the id is registered.
 */
int isthmus_message_register(int id, isthmus_message_handler handler, void* context, unsigned takes,
                             size_t argument_bytes);
/* Takes the registration back. Nothing is to come for it any more, and it is not to run on another
 * thread. Errors: ARGUMENT: the id, or it is not registered; STALE: there is no session. */
int isthmus_message_unregister(int id);

/* Sends a request to `pe`, this PE included. `arguments` are `argument_bytes` bytes (null if 0).
 * Returns when arguments and payload may be reused. Waits for room as long as it takes, and runs
 * handlers meanwhile: these functions poll. To this PE itself the handler runs within the call.
 * medium: `size` up to isthmus_message_limit; the payload is any memory of this PE's.
 * long: `dest` is memory of the target, in the symmetric heap or among the static variables, given
 * by its address here; the payload is there when the handler runs.
 * Errors: ARGUMENT: the PE, the id, flags, or called from a handler or (checked mode) while this
 * thread holds an isthmus_message_lock; TOO_LARGE: payload or arguments; BOUNDS, RIGHTS: `dest`;
 * AGAIN. */
int isthmus_message_request(int pe, int handler, const void* arguments, size_t argument_bytes,
                            unsigned flags);
int isthmus_message_request_medium(int pe, int handler, const void* arguments,
                                   size_t argument_bytes, const void* payload, size_t size,
                                   unsigned flags);
int isthmus_message_request_long(int pe, int handler, const void* arguments, size_t argument_bytes,
                                 const void* payload, size_t size, void* dest, unsigned flags);

/* Answers a request from within its handler, once; alike otherwise. Waits for room as long as it
 * takes, and runs handlers of replies meanwhile. Errors also: ARGUMENT: `message` is a reply, or
 * has been answered. */
int isthmus_message_reply(isthmus_message* message, int handler, const void* arguments,
                          size_t argument_bytes, unsigned flags);
int isthmus_message_reply_medium(isthmus_message* message, int handler, const void* arguments,
                                 size_t argument_bytes, const void* payload, size_t size,
                                 unsigned flags);
int isthmus_message_reply_long(isthmus_message* message, int handler, const void* arguments,
                               size_t argument_bytes, const void* payload, size_t size, void* dest,
                               unsigned flags);

/* Memory in pieces: blocks at equal distances, and a list of ranges. */
typedef struct isthmus_message_blocks {
    void* first;   /* where the first block begins */
    size_t stride; /* bytes from the beginning of one to the beginning of the next; of a source, 0
                      is the same block again and again */
    size_t block;  /* bytes of one */
    size_t count;
} isthmus_message_blocks;
typedef struct isthmus_message_range {
    void* address;
    size_t size;
} isthmus_message_range;

/* Long messages whose payload is in pieces on either side: strided, and vectored (`source_count` 1
 * puts one block apart, `dest_count` 1 brings several together). The pieces of both sides are
 * walked side by side and need not match, but have the same number of bytes, at most what a long
 * message carries. Those of `source` are any memory of this PE's, and lists and memory may be
 * reused on return; those of `dest` are as a long message's, for blocks all from the first to the
 * last. All are looked at before the first byte moves, and are there when the handler runs. No
 * piece of `dest` overlaps another, or one of `source`. The handler takes LONG; `payload` and
 * `size` are the first piece of `dest` that is not empty (null and 0: there is none): where the
 * others are, sender and handler know, or the arguments say. Errors: as of long messages; ARGUMENT
 * also: the sides differ in bytes, blocks of `dest` write over each other; BOUNDS also: pieces that
 * reach beyond the end of all memory. */
int isthmus_message_request_strided(int pe, int handler, const void* arguments,
                                    size_t argument_bytes, const isthmus_message_blocks* source,
                                    const isthmus_message_blocks* dest, unsigned flags);
int isthmus_message_request_vectored(int pe, int handler, const void* arguments,
                                     size_t argument_bytes, const isthmus_message_range* source,
                                     size_t source_count, const isthmus_message_range* dest,
                                     size_t dest_count, unsigned flags);
int isthmus_message_reply_strided(isthmus_message* message, int handler, const void* arguments,
                                  size_t argument_bytes, const isthmus_message_blocks* source,
                                  const isthmus_message_blocks* dest, unsigned flags);
int isthmus_message_reply_vectored(isthmus_message* message, int handler, const void* arguments,
                                   size_t argument_bytes, const isthmus_message_range* source,
                                   size_t source_count, const isthmus_message_range* dest,
                                   size_t dest_count, unsigned flags);

/* Gets that a handler answers: memory of `pe` is read, and when all of it is here, handler
 * `handler` of THIS PE runs, with these arguments, as that of a reply from `pe`, which does nothing
 * for it and needs no handler. `source` is symmetric memory, given by its address here, or a
 * constant; `dest` any memory of this PE's, in use until the handler runs. Arguments, lists and
 * blocks may be reused on return. From a PE of this host the handler runs before the call returns,
 * else in a later poll, in the order in which this thread asked. Any number may be under way.
 * medium: the handler finds the bytes in a buffer; long, strided, vectored: at `dest`, as above.
 * Not from a handler. Errors: as of requests. */
int isthmus_message_get_medium(int pe, int handler, const void* arguments, size_t argument_bytes,
                               const void* source, size_t size);
int isthmus_message_get_long(int pe, int handler, const void* arguments, size_t argument_bytes,
                             const void* source, size_t size, void* dest);
int isthmus_message_get_strided(int pe, int handler, const void* arguments, size_t argument_bytes,
                                const isthmus_message_blocks* source,
                                const isthmus_message_blocks* dest);
int isthmus_message_get_vectored(int pe, int handler, const void* arguments, size_t argument_bytes,
                                 const isthmus_message_range* source, size_t source_count,
                                 const isthmus_message_range* dest, size_t dest_count);

/* Completion: the calls above with `_tracked` behind their names have one argument more, which says
 * how the sender is to learn that the handler has returned: of a request at the target, of a get
 * here. What the handler has written at its PE is there then; a reply of its may still be under
 * way. For that the target's host or the road writes a word of this PE's, so nobody here has to
 * poll. Three ways, any of them together; at least one, the others null:
 * counter: a word of this PE's, in the symmetric heap or among the static variables, that goes up
 *   by 1 for each (isthmus_event_arm makes an event of it);
 * event: is written, and true from then on, whatever waits for it (isthmus_event_wait, too, but
 *   the handlers of this PE run in isthmus_message_wait alone);
 * handle: is written, for isthmus_message_test and _finish; plain words, nothing to free.
 * Up to ISTHMUS_MESSAGE_TRACKED requests with event or handle are under way; the next one waits as
 * for room (with TRY: AGAIN). Nothing is written if the call does not return ISTHMUS_OK. With the
 * session events and handles end. A tracked message takes 32 bytes more, and so a line more from
 * 9 bytes of arguments on. Errors also: ARGUMENT: no way, a counter that is misaligned; BOUNDS,
 * RIGHTS: a counter that is not such memory. */
#define ISTHMUS_MESSAGE_TRACKED 1024
typedef struct isthmus_message_handle {
    const int64_t* word; /* the library's */
    int64_t number;
} isthmus_message_handle;
typedef struct isthmus_message_completion {
    int64_t* counter;
    isthmus_event* event;
    isthmus_message_handle* handle;
} isthmus_message_completion;
int isthmus_message_request_tracked(int pe, int handler, const void* arguments,
                                    size_t argument_bytes, unsigned flags,
                                    const isthmus_message_completion* completion);
int isthmus_message_request_medium_tracked(int pe, int handler, const void* arguments,
                                           size_t argument_bytes, const void* payload, size_t size,
                                           unsigned flags,
                                           const isthmus_message_completion* completion);
int isthmus_message_request_long_tracked(int pe, int handler, const void* arguments,
                                         size_t argument_bytes, const void* payload, size_t size,
                                         void* dest, unsigned flags,
                                         const isthmus_message_completion* completion);
int isthmus_message_request_strided_tracked(int pe, int handler, const void* arguments,
                                            size_t argument_bytes,
                                            const isthmus_message_blocks* source,
                                            const isthmus_message_blocks* dest, unsigned flags,
                                            const isthmus_message_completion* completion);
int isthmus_message_request_vectored_tracked(int pe, int handler, const void* arguments,
                                             size_t argument_bytes,
                                             const isthmus_message_range* source,
                                             size_t source_count, const isthmus_message_range* dest,
                                             size_t dest_count, unsigned flags,
                                             const isthmus_message_completion* completion);
int isthmus_message_get_medium_tracked(int pe, int handler, const void* arguments,
                                       size_t argument_bytes, const void* source, size_t size,
                                       const isthmus_message_completion* completion);
int isthmus_message_get_long_tracked(int pe, int handler, const void* arguments,
                                     size_t argument_bytes, const void* source, size_t size,
                                     void* dest, const isthmus_message_completion* completion);
int isthmus_message_get_strided_tracked(int pe, int handler, const void* arguments,
                                        size_t argument_bytes, const isthmus_message_blocks* source,
                                        const isthmus_message_blocks* dest,
                                        const isthmus_message_completion* completion);
int isthmus_message_get_vectored_tracked(int pe, int handler, const void* arguments,
                                         size_t argument_bytes, const isthmus_message_range* source,
                                         size_t source_count, const isthmus_message_range* dest,
                                         size_t dest_count,
                                         const isthmus_message_completion* completion);
/* 1 if it is complete, else 0, and handlers have been run as by isthmus_message_poll; in a handler
 * it only looks. */
int isthmus_message_test(const isthmus_message_handle* handle);
/* Polls until it is complete, as isthmus_message_wait. */
int isthmus_message_finish(const isthmus_message_handle* handle, double timeout);

/* Runs handlers of what has come, a limited number, and does not wait. How many ran; -1 where it is
 * refused (checked mode: in a handler, or while this thread holds an isthmus_message_lock). With
 * nothing there it costs two looks at memory, however many PEs there are. */
int isthmus_message_poll(void);
/* Polls until the event is true: a condition on a word that a handler changes
 * (isthmus_event_arm), or any other. `timeout` seconds, negative: for ever. A long wait gives the
 * processor away and is woken by messages. Errors: TIMEOUT; ARGUMENT as for requests. */
int isthmus_message_wait(const isthmus_event* event, double timeout);

/* The largest payload of a medium or long message to this PE, requests and replies alike, the same
 * throughout the job's life; `kind` is ISTHMUS_MESSAGE_MEDIUM or _LONG. 0 for what is neither, and
 * for a PE that there is not. */
size_t isthmus_message_limit(int pe, unsigned kind);

/* Handler-safe locks: the locks that a handler may take. A thread that holds one must not send a
 * request, poll or wait (refused in checked mode) and soon gives it back; a handler gives back what
 * it has taken. Not recursive. Of one process. All zeros is a lock that is free. */
typedef struct isthmus_message_lock {
    uint32_t taken; /* the library's */
} isthmus_message_lock;
#define ISTHMUS_MESSAGE_LOCK_FREE \
    { 0 }
void isthmus_message_lock_take(isthmus_message_lock* lock);
/* OK or AGAIN. */
int isthmus_message_lock_try(isthmus_message_lock* lock);
void isthmus_message_lock_release(isthmus_message_lock* lock);

#ifdef __cplusplus
}
#endif
#endif
