/* The native interface of Isthmus: segments, operations, geometry, events, queues,
 * active messages.
 *
 * Where OpenSHMEM is symmetric, this is not: any PE publishes any range of memory under an id, any
 * other clones it by that id and then reads, writes and counts in it. Sizes differ, segments come
 * and go. OpenSHMEM is one use of the same core; both may be used in one program.
 *
 * Common rules, unless a function says otherwise:
 *   - The result is an isthmus_status; 0 is success. When it is not, nothing has moved and no event
 *     has been touched; isthmus_error_text() says what was wrong, with the legal range.
 *   - Pointers are there: a null view, local buffer or result, where the function does not allow
 *     it, is no argument that is refused, but ends the job with a message, like any wild pointer.
 *   - `event` null: the call returns when the operation is complete. Else it returns when the
 *     operation is issued, and the event becomes true when it is complete: for a put, when the
 *     local buffer may be reused; for anything that returns a value, when the value is there.
 *     One event may be given to many operations, to different segments; it is true when all are.
 *   - Where the system has no memory for what the library itself keeps, a call that one PE makes
 *     alone returns NO_MEMORY and has done nothing; one that all PEs make, or that is half done
 *     (destroys), ends the job with a message. No call throws.
 *   - Any thread may call anything at any time but collectives: those that say so, and init,
 *     finalize and barrier. Only one thread of a PE at a time may be in a collective, whichever it
 *     is, and all PEs must come to them in the same order; two at once wait for ever or pair up
 *     wrongly. That is not checked.
 *   - Objects are the caller's; one object must not be created or destroyed while another thread
 *     uses it.
 *   - After fork() the child is no PE. It has a private copy of the memory of its parent's
 * segments; what it calls ends it with a message, inlined operations too.
 *   - Sizes and offsets are bytes. Source and destination of one call must not overlap, unless they
 *     are identical.
 * Ordering: docs/ordering.md, a table of every pair of operations. */
#ifndef ISTHMUS_H
#define ISTHMUS_H

/* long long, complex types and variadic macros are extensions of C89 and C++98. */
#if defined(__cplusplus) ? __cplusplus < 201103L \
                         : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L
#pragma GCC system_header
#endif

#include <isthmus/macros_away.inc>

#include <isthmus/aggregator.h>
#include <isthmus/channel.h>
#include <isthmus/event.h>
#include <isthmus/gather.h>
#include <isthmus/geometry.h>
#include <isthmus/message.h>
#include <isthmus/operation.h>
#include <isthmus/queue.h>
#include <isthmus/segment.h>
#include <isthmus/status.h>
#include <isthmus/symmetric.h>
#include <isthmus/window.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Joins the job; collective over all PEs. May be called several times, and beside shmem_init; each
 * call is matched by one of isthmus_finalize. Ends the job with a message if joining fails. */
void isthmus_init(void);

/* Leaves the job; collective: each call waits for all PEs. With the last one segments and queues
 * are destroyed, and aggregators end. What is called after it, until the next isthmus_init, ends
 * the job with a message, but for operations on views and ends that are left: these are STALE, in a
 * later session too. isthmus_pe and isthmus_pes still answer. */
void isthmus_finalize(void);

/* This PE's number, 0 to isthmus_pes()-1. */
int isthmus_pe(void);
int isthmus_pes(void);

/* Waits until all PEs have come here. Completes all operations issued before, at their targets. */
void isthmus_barrier(void);

/* Ends the whole job with this status, at once. */
__attribute__((noreturn)) void isthmus_exit(int status);

/* What the library chose for this processor when it was loaded, in words: "copy" (the loop for
 * blocks), "reduction" (the arithmetic of reductions). Null for any other word. Any thread, any
 * time, before isthmus_init too; `isthmus info` prints them. */
const char* isthmus_choice(const char* what);

#ifdef __cplusplus
}
#endif
#include <isthmus/macros_back.inc>

#endif
