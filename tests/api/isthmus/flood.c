/* Every PE posts to PE 0 as fast as it can, 10^7 operations in all, through rings as small as there
 * are: nothing is lost, nothing comes twice, each initiator's order is kept, memory does not grow,
 * and no more is outstanding than was allowed.
 *
 *     flood [OPERATIONS]
 */
#include <sys/resource.h>

#include "check.h"

enum { kRing = 4096, kCells = kRing / 64 };
static int me, pes;

static int64_t outstanding_allowed(void) {
    const char* const text = getenv("ISTHMUS_OUTSTANDING");
    const int64_t set = text ? atoll(text) : 0;
    return set == 0 || set > kCells ? kCells : set;
}

/* The network's own buffers grow to what they need at most, and not beyond. */
static long allowed_growth_kb(void) {
    return getenv("ISTHMUS_TRANSPORT") ? 16384 : 4096;
}

static long most_memory_kb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void posted(int64_t each) {
    isthmus_segment mine, zero;
    if (me == 0) OK(isthmus_segment_create(&mine, 1, NULL, 4096, 0));
    OK(isthmus_segment_clone(&zero, 1, -1));
    isthmus_barrier();
    for (int64_t i = 0; i < each; ++i) {
        OK(isthmus_postadd(&zero, 0, 1));
        OK(isthmus_postadd(&zero, 64 + 8 * (uint64_t)me, i));
    }
    isthmus_barrier();
    if (me == 0) {
        const int64_t* const words = (const int64_t*)mine.base;
        CHECK(words[0] == each * pes);
        for (int pe = 0; pe < pes; ++pe)
            CHECK(words[8 + pe] == each * (each - 1) / 2);
        OK(isthmus_segment_destroy(&mine));
    }
    isthmus_barrier();
}

struct job {
    int64_t producer, number;
};

static int64_t expected[256];
static void take(const struct job* job) {
    CHECK(job->producer >= 0 && job->producer < pes);
    CHECK(job->number == expected[job->producer]); /* all, once, in order */
    ++expected[job->producer];
}

static void queued(int64_t each) {
    isthmus_queue* queue = NULL;
    if (me == 0) OK(isthmus_queue_create(&queue, 2, kRing));
    isthmus_barrier();
    memset(expected, 0, sizeof expected);
    if (me != 0) {
        OK(isthmus_queue_clone(&queue, 2, -1));
        for (int64_t i = 0; i < each; ++i) {
            const struct job job = {me, i};
            isthmus_event event;
            OK(isthmus_enqueue(queue, &job, sizeof job, i % 2 ? &event : NULL));
        }
    } else if (pes > 1) {
        const void* message;
        uint64_t size;
        const int64_t all = each * (pes - 1);
        for (int64_t i = 0; i < all; ++i) {
            if (i % (all / 8) == all / 16) {
                /* Lets the producers run against the ring, and looks how much there is. */
                usleep(20000);
                int64_t waiting = 0;
                while (i < all && isthmus_dequeue(queue, &message, &size, 0) == ISTHMUS_OK) {
                    take((const struct job*)message);
                    ++waiting;
                    ++i;
                }
                CHECK(waiting <= outstanding_allowed());
                for (int64_t k = 0; k < waiting; ++k)
                    OK(isthmus_dequeue_release(queue));
                --i;
                continue;
            }
            OK(isthmus_dequeue(queue, &message, &size, 60));
            CHECK(size == sizeof(struct job));
            take((const struct job*)message);
            OK(isthmus_dequeue_release(queue));
        }
        for (int pe = 1; pe < pes; ++pe)
            CHECK(expected[pe] == each);
        CHECK(isthmus_dequeue(queue, &message, &size, 0) == ISTHMUS_AGAIN);
    }
    isthmus_barrier();
    uint64_t lost = 0;
    OK(isthmus_queue_destroy(queue, &lost));
    CHECK(lost == 0);
    isthmus_barrier();
}

static void handle(void* argument, int source, const void* items, size_t count) {
    (void)argument;
    const struct job* const job = (const struct job*)items;
    for (size_t i = 0; i < count; ++i) {
        CHECK(job[i].producer == source);
        take(&job[i]);
    }
}

static void aggregated(int64_t each) {
    isthmus_aggregator* aggregator = NULL;
    memset(expected, 0, sizeof expected);
    OK(isthmus_aggregator_create(&aggregator, sizeof(struct job), 0, handle, NULL));
    for (int64_t i = 0; i < each; ++i) {
        const struct job job = {me, i};
        OK(isthmus_aggregator_push(aggregator, 0, &job));
    }
    OK(isthmus_aggregator_finish(aggregator));
    for (int pe = 0; me == 0 && pe < pes; ++pe)
        CHECK(expected[pe] == each);
    OK(isthmus_aggregator_destroy(aggregator));
}

int main(int argc, char** argv) {
    const int64_t all = argc > 1 ? atoll(argv[1]) : 10000000;
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    /* Once small, so that everything has been touched; then the flood. */
    posted(1000);
    queued(2000);
    aggregated(20000);
    const long before = most_memory_kb();
    posted(all * 3 / 10 / 2 / pes);
    queued(all * 4 / 10 / (pes > 1 ? pes - 1 : 1));
    aggregated(all * 3 / 10 / pes);
    CHECK(most_memory_kb() - before < allowed_growth_kb());
    isthmus_finalize();
    return 0;
}
