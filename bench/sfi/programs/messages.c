/* Words for a PE of another host, one put each and gathered by the aggregator. The aggregated ones
 * count from the first push until every one has been handled there: `aggregated` are items of 8
 * bytes, which a handler adds up; `aggregated_puts` are of 16, a place and a value, and do what the
 * puts do. And messages of 64 bytes for its queue, which it takes as they come. */
#define _GNU_SOURCE
#include <shmemx.h>
#include <unistd.h>

#include "times.h"

enum { kWords = 64, kItems = 200000 };

static long* words;
static long sum;

struct put {
    long place, value;
};

static void add(void* argument, int source, const void* items, size_t count) {
    const long* const value = (const long*)items;
    (void)argument;
    (void)source;
    for (size_t i = 0; i < count; ++i)
        sum += value[i];
}

static void store(void* argument, int source, const void* items, size_t count) {
    const struct put* const put = (const struct put*)items;
    (void)argument;
    (void)source;
    for (size_t i = 0; i < count; ++i)
        words[put[i].place] = put[i].value;
}

static void fail(const char* what) {
    fprintf(stderr, "%s: %s\n", what, isthmus_error_text());
    shmem_global_exit(1);
}

static void aggregate(const char* name, size_t item_size, shmemx_handler_t handler) {
    static double samples[kBatches];
    shmemx_aggregate_t aggregate;
    if (shmemx_aggregate_create(item_size, 0, handler, NULL, &aggregate) != 0) fail("create");
    for (int batch = -3; batch < kBatches; ++batch) {
        const double begin = now_ns();
        if (shmem_my_pe() == 0) {
            for (long i = 0; i < kItems; ++i) {
                const struct put put = {i & (kWords - 1), i};
                if (shmemx_aggregate_push(aggregate, &put, 1) != 0) fail("push");
            }
        }
        if (shmemx_aggregate_finish(aggregate) != 0) fail("finish");
        if (batch >= 0) samples[batch] = (now_ns() - begin) / 1e3 / kItems;
    }
    if (shmemx_aggregate_destroy(aggregate) != 0) fail("destroy");
    if (shmem_my_pe() == 0) print_times(name, samples, kBatches);
}

static void enqueue(void) {
    enum { kCalls = 50 };
    shmemx_queue_t queue;
    char text[64] = "";
    const void* message;
    size_t size;
    if (shmemx_queue_create(1 << 16, &queue) != 0) fail("create");
    if (shmem_my_pe() == 0) {
        TIMED("enqueue", kCalls,
              if (shmemx_queue_enqueue(queue, text, sizeof text, 1) != 0) fail("enqueue"), (void)0);
        if (shmemx_queue_close(queue, 1) != 0) fail("close");
    } else {
        while (shmemx_queue_dequeue(queue, &message, &size) == 0)
            shmemx_queue_release(queue);
    }
    shmemx_queue_destroy(queue, NULL);
}

int main(void) {
    shmem_init();
    pin_to_core(shmem_my_pe());
    words = shmem_calloc(kWords, sizeof *words);
    if (shmem_my_pe() == 0)
        TIMED("single", 1000, shmem_long_p(words + (i & (kWords - 1)), i, 1), shmem_quiet());
    shmem_barrier_all();
    aggregate("aggregated", sizeof(long), add);
    aggregate("aggregated_puts", sizeof(struct put), store);
    enqueue();
    shmem_finalize();
    return 0;
}
