/* Kernels: Shoal's model on the PEs of a job. A kernel is a function with a number; each PE runs
 * the one of its own number, so a kernel is a PE, wherever it is: another process of this host, or
 * on another host. Each has a segment, memory that all kernels reach by offsets, and they send each
 * other active messages: short (arguments), medium (and a payload for the kernel), long (and a
 * payload that is put into its segment), strided and vectored (long, in pieces), and gets of each,
 * whose answer comes to the one who asked. docs/kernels.md is the page of it.
 *
 * Common rules:
 *   - The result is an isthmus_status, 0 is success; when it is not, nothing has been sent, and
 *     isthmus_error_text() says what was wrong. Of all calls that send: ARGUMENT: the kernel, the
 *     handler, flags, or called from a handler; TOO_LARGE: arguments or payload; BOUNDS, RIGHTS:
 *     the memory of either side.
 *   - Offsets are bytes from the begin of a segment. Any length and alignment is right. Source and
 *     destination must not overlap.
 *   - A call that sends returns when arguments and payload may be reused.
 *   - One thread of a kernel at a time calls this header. */
#ifndef ISTHMUS_KERNEL_H
#define ISTHMUS_KERNEL_H

#include <isthmus/casts.h>
#include <stddef.h>
#include <stdint.h>

#include <isthmus/segment.h>
#include <isthmus/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handlers are 0 to 255. The first ones are the library's, run without the target's doing, and
 * touch its counters only; H_WAIT of Shoal, 4, means nothing. */
enum isthmus_kernel_handler_id {
    ISTHMUS_KERNEL_NOTHING = 0, /* H_EMPTY */
    ISTHMUS_KERNEL_REPLY = 1,   /* H_INCR_MEM: counts a reply there */
    ISTHMUS_KERNEL_ADD = 2,     /* H_ADD: adds all arguments to the counter */
    ISTHMUS_KERNEL_ARRIVE = 3,  /* H_INCR_BAR: counts an arrival */
    ISTHMUS_KERNEL_FIRST_HANDLER = 5,
    ISTHMUS_KERNEL_HANDLERS = 256
};
/* Arguments of a message, 64 bits each. */
#define ISTHMUS_KERNEL_ARGUMENTS 15
/* Bytes of a payload: 2^31 - 1. */
#define ISTHMUS_KERNEL_PAYLOAD ISTHMUS_CAST(size_t, 2147483647)

enum isthmus_kernel_flag {
    /* Nobody replies to it. */
    ISTHMUS_KERNEL_ASYNC = 1
};

/* What all calls that send begin with: where to, and what is to run there when the payload is in
 * its place. Of a get: whom from, and what is to run here. */
typedef struct isthmus_kernel_call {
    int kernel;
    int handler;
    uint32_t token; /* the program's; its handler and a reply see it */
    unsigned flags; /* isthmus_kernel_flag */
    const int64_t* arguments;
    size_t argument_count; /* up to ISTHMUS_KERNEL_ARGUMENTS */
} isthmus_kernel_call;

/* A message as a handler, or isthmus_kernel_receive, sees it. */
typedef struct isthmus_kernel_message {
    int source; /* the kernel that sent it; of a get's answer: that was asked */
    int handler;
    uint32_t token;
    uint32_t is_answer; /* it is a get's answer, or isthmus_kernel_reply has sent it */
    const int64_t* arguments;
    size_t argument_count;
    void* payload; /* medium: a buffer, aligned to 16 bytes; long: where it lies in the segment, of
                      several pieces the first one; short: null */
    size_t size;   /* bytes of the payload, of all pieces */
    void* native;  /* the library's */
} isthmus_kernel_message;

/* A handler of the program's. It runs inside the calls of this header that wait, poll or send. The
 * message, its arguments and a medium payload are gone when it returns. It may change the kernel's
 * memory and reply once (isthmus_kernel_reply); it sends nothing else and waits for nothing. */
typedef void (*isthmus_kernel_handler)(void* context, const isthmus_kernel_message* message);

/* ---- Running */

typedef void (*isthmus_kernel_function)(int kernel, void* context);
typedef struct isthmus_kernel_entry {
    int kernel; /* or ISTHMUS_KERNEL_ANY */
    isthmus_kernel_function function;
    void* context;
    uint64_t segment_bytes;
    unsigned rights; /* what others may do with the segment: ISTHMUS_READ, ISTHMUS_WRITE; 0: both */
} isthmus_kernel_entry;
/* Every kernel that has no entry of its own. */
#define ISTHMUS_KERNEL_ANY (-1)

/* The whole life of this process as a kernel: joins the job, attaches the segment, runs the
 * function of its number, waits until all kernels' functions have returned, serves them meanwhile,
 * and leaves. Entries of kernels that the job has not are not used, so that one program runs with
 * any number of kernels. Errors: ARGUMENT: an entry twice, a null function, a negative number, or
 * (the job ends, for the others would wait) no entry for this kernel; NO_MEMORY. */
int isthmus_kernel_run(const isthmus_kernel_entry* entries, size_t count);

/* The same in two halves, for programs that have a main of their own; both are collective.
 * isthmus_kernel_run, isthmus_init and shmem_init may be called beside them. Errors: EXISTS: it is
 * attached; NO_MEMORY: alike at all kernels; ARGUMENT: rights. */
int isthmus_kernel_attach(uint64_t segment_bytes, unsigned rights);
/* Waits for all, and serves them meanwhile. Handlers and segment are gone. STALE: not attached. */
int isthmus_kernel_detach(void);

/* ---- Who and where. Each ends the job with a message if the kernel is not attached. */

int isthmus_kernel_id(void);
int isthmus_kernel_count(void);
/* This kernel's own segment; zeroed, aligned to 4096 bytes. Null if it has none. */
void* isthmus_kernel_segment(void);
/* Bytes of a kernel's segment; 0 for a kernel that there is not. */
uint64_t isthmus_kernel_segment_bytes(int kernel);

/* ---- Handlers */

/* Says what `handler` means at this kernel; each has a table of its own. A barrier belongs between
 * this and the first message. A message to a handler that is not registered ends the job with a
 * message. Errors: ARGUMENT: the library's handlers, out of range, null; EXISTS. */
int isthmus_kernel_register(int handler, isthmus_kernel_handler function, void* context);

/* Answers a message from within its handler, once: runs `handler` at the kernel that sent it, with
 * the same token, these arguments, and, if `size` is not 0, a medium payload of up to 16 KiB.
 * It counts no reply there, unless the handler is ISTHMUS_KERNEL_REPLY. Errors: ARGUMENT: the
 * message is an answer itself, has been answered, or is none whose handler runs; TOO_LARGE. */
int isthmus_kernel_reply(const isthmus_kernel_message* message, int handler,
                         const int64_t* arguments, size_t argument_count, const void* payload,
                         size_t size);

/* ---- Sending. To each message that is not ASYNC a reply is counted here (isthmus_kernel_replies)
 * when its payload is in its place and its handler has run. */

int isthmus_kernel_send_short(const isthmus_kernel_call* call);

/* The payload, any memory of this kernel's, goes to the kernel itself: to the handler, if it is one
 * of the program's, else to isthmus_kernel_receive. What Shoal calls medium FIFO. */
int isthmus_kernel_send_medium(const isthmus_kernel_call* call, const void* payload, size_t size);
/* The same from this kernel's segment. */
int isthmus_kernel_send_medium_from(const isthmus_kernel_call* call, uint64_t source, size_t size);

/* The payload is put to `dest` of the other's segment. From the kernel (long FIFO), and from its
 * segment. */
int isthmus_kernel_send_long(const isthmus_kernel_call* call, const void* payload, size_t size,
                             uint64_t dest);
int isthmus_kernel_send_long_from(const isthmus_kernel_call* call, uint64_t source, size_t size,
                                  uint64_t dest);

/* `count` blocks of `block` bytes, their begins `stride` bytes apart, from `offset` on. */
typedef struct isthmus_kernel_blocks {
    uint64_t offset;
    uint64_t stride;
    uint64_t block;
    uint64_t count;
} isthmus_kernel_blocks;
typedef struct isthmus_kernel_range {
    uint64_t offset;
    uint64_t size;
} isthmus_kernel_range;

/* From this kernel's segment to the other's, in the order of either side's pieces; these may
 * differ, and have the same number of bytes altogether (else ARGUMENT). Blocks that are written
 * must not overlap (ARGUMENT). */
int isthmus_kernel_send_strided(const isthmus_kernel_call* call,
                                const isthmus_kernel_blocks* source,
                                const isthmus_kernel_blocks* dest);
int isthmus_kernel_send_vectored(const isthmus_kernel_call* call,
                                 const isthmus_kernel_range* source, size_t source_count,
                                 const isthmus_kernel_range* dest, size_t dest_count);

/* ---- Getting. `call` names the kernel that is read, and the handler that runs here when all of it
 * has come, maybe before the call returns; ISTHMUS_KERNEL_REPLY counts it among the replies, as
 * Shoal's programs do. The other kernel does nothing for it. Flags: 0. */

/* To this kernel itself: to the handler, if it is one of the program's, else to
 * isthmus_kernel_receive. */
int isthmus_kernel_get_medium(const isthmus_kernel_call* call, uint64_t source, size_t size);
/* Into this kernel's segment. */
int isthmus_kernel_get_long(const isthmus_kernel_call* call, uint64_t source, size_t size,
                            uint64_t dest);
int isthmus_kernel_get_strided(const isthmus_kernel_call* call, const isthmus_kernel_blocks* source,
                               const isthmus_kernel_blocks* dest);
int isthmus_kernel_get_vectored(const isthmus_kernel_call* call, const isthmus_kernel_range* source,
                                size_t source_count, const isthmus_kernel_range* dest,
                                size_t dest_count);

/* ---- Waiting. Handlers run meanwhile; a long wait sleeps. `timeout` seconds, negative: for ever.
 * Errors: TIMEOUT, and nothing is taken; ARGUMENT: called from a handler. */

/* What has been counted and not yet taken. */
uint64_t isthmus_kernel_replies(void);
uint64_t isthmus_kernel_arrivals(void);
int64_t isthmus_kernel_counter(void);
/* Waits until there are so many, and takes them. */
int isthmus_kernel_wait_replies(uint64_t count, double timeout);
int isthmus_kernel_wait_arrivals(uint64_t count, double timeout);
int isthmus_kernel_wait_counter(int64_t value, double timeout);

/* The next medium payload that is for the kernel itself. It stays until the next call of this
 * function. Those of one kernel of this node come in the
 * order in which they were sent. A kernel that leaves more than
 * 256 MiB of them lying ends the job with a message. */
int isthmus_kernel_receive(isthmus_kernel_message* message, double timeout);

/* Waits until all kernels have come here. Payloads sent before are in their places; handlers of the
 * program's have run if their replies have been waited for. */
int isthmus_kernel_barrier(void);

/* Runs handlers of what has come, without waiting. How many; -1 in a handler. */
int isthmus_kernel_poll(void);

#ifdef __cplusplus
}
#endif
#endif
