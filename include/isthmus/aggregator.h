/* The aggregator: many tiny messages to many PEs, gathered into buffers and handed to a handler at
 * the target. For histogram, index-gather, and other irregular programs (OpenSHMEM specification,
 * issue 483). */
#ifndef ISTHMUS_AGGREGATOR_H
#define ISTHMUS_AGGREGATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct isthmus_aggregator isthmus_aggregator;

/* Called at the target, by its own thread, inside one of the functions below; `items` are `count`
 * items of the aggregator's size, gone when the handler returns. It may push, to any PE, also to
 * the same aggregator; it must not call progress or finish. */
typedef void (*isthmus_handler)(void* argument, int source_pe, const void* items, size_t count);

/* Collective over all PEs. `item_size` 1 to 256 bytes, alike everywhere. `buffer` bytes gathered
 * for each target before they are sent; 0 lets the library choose. */
int isthmus_aggregator_create(isthmus_aggregator** aggregator, size_t item_size, size_t buffer,
                              isthmus_handler handler, void* argument);
/* Collective; everything pushed has been handled. */
int isthmus_aggregator_destroy(isthmus_aggregator* aggregator);

/* Sends one item. Returns when it is copied; may run handlers of items that arrive meanwhile. */
int isthmus_aggregator_push(isthmus_aggregator* aggregator, int pe, const void* item);

/* Sends what is gathered, without waiting for the buffers to fill. */
int isthmus_aggregator_flush(isthmus_aggregator* aggregator);
/* Runs handlers of what has arrived; *handled (may be null) says how many items. */
int isthmus_aggregator_progress(isthmus_aggregator* aggregator, size_t* handled);
/* Collective: flushes, and returns when every item that any PE pushed, handlers included, has been
 * handled. The aggregator can then be used again. */
int isthmus_aggregator_finish(isthmus_aggregator* aggregator);

#ifdef __cplusplus
}
#endif
#endif
