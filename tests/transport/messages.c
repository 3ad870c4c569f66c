/* For the tests of faults: the PEs send each other messages until something ends the job. argv[1]
 * says what the others are in when PE 3 goes: an enqueue that waits for room there, a dequeue that
 * waits for what it sends, a push, a finish. */
#include <shmemx.h>
#include <string.h>
#include <time.h>

#include "mark.h"

static void pause_long(void) {
    for (;;)
        nanosleep(&(struct timespec){1, 0}, NULL);
}

static void queues(int enqueues) {
    const int me = shmem_my_pe();
    shmemx_queue_t queue;
    const char message[100] = "";
    if (shmemx_queue_create(4096, &queue) != 0) shmem_global_exit(1);
    mark_under_way(me);
    if (me == 3) pause_long(); /* neither takes nor sends */
    const void* taken;
    size_t size;
    while (enqueues ? shmemx_queue_enqueue(queue, message, sizeof message, 3) == 0
                    : shmemx_queue_dequeue(queue, &taken, &size) == 0) {
    }
}

static void handle(void* argument, int source, const void* items, size_t count) {
    (void)argument;
    (void)source;
    (void)items;
    (void)count;
}

static void aggregation(int pushes) {
    const int me = shmem_my_pe();
    const long item = me;
    shmemx_aggregate_t aggregate;
    if (shmemx_aggregate_create(sizeof item, 0, handle, NULL, &aggregate) != 0)
        shmem_global_exit(1);
    mark_under_way(me);
    if (me == 3) pause_long(); /* neither handles nor comes to finish */
    if (!pushes) shmemx_aggregate_finish(aggregate);
    while (shmemx_aggregate_push(aggregate, &item, 3) == 0) {
    }
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
    shmem_init();
    if (strstr(what, "queue"))
        queues(strcmp(what, "enqueue") == 0);
    else
        aggregation(strcmp(what, "push") == 0);
    shmem_global_exit(1); /* nothing here ends by itself */
    return 0;
}
