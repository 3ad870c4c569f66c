/* What shmemx.h adds works through the window alone: where a PE is reached by the transport only,
 * it says so. argv[1]: which. */
#include <shmemx.h>
#include <string.h>

static void handle(void* argument, int source, const void* items, size_t count) {
    (void)argument;
    (void)source;
    (void)items;
    (void)count;
}

int main(int argc, char** argv) {
    shmemx_queue_t queue = SHMEMX_QUEUE_INVALID;
    shmemx_aggregate_t aggregate = SHMEMX_AGGREGATE_INVALID;
    shmem_init();
    const int status = argc > 1 && strcmp(argv[1], "queue") == 0
                           ? shmemx_queue_create(4096, &queue)
                           : shmemx_aggregate_create(8, 0, handle, NULL, &aggregate);
    shmem_finalize();
    return status;
}
