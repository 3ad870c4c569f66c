/* Histogram and index-gather of 8-byte items at random over tables beyond the caches: by single
 * operations and aggregated, in turns.
 *
 *     irregular=histogram|gather through=NAME mops=     millions a second, all PEs together
 *
 * Time is from the barrier before to the barrier after, and includes flush and termination. */
#include "common.h"

enum { kLargest = 1 << 20 };
static int me, pes, items;
static uint64_t words; /* of the table at each PE; a power of two */
static isthmus_segment segments[64];
static int64_t* table;
static uint64_t indexes[kLargest]; /* PE << 32 | word */
static int64_t results[kLargest];
static isthmus_aggregator *counts, *requests, *replies;
static isthmus_gather* gather;

static void count(void* argument, int source, const void* pushed, size_t n) {
    (void)argument;
    (void)source;
    const int64_t* const word = (const int64_t*)pushed;
    for (size_t i = 0; i < n; ++i)
        ++table[word[i]];
}
struct query {
    int64_t word, slot;
};
static void answer(void* argument, int source, const void* pushed, size_t n) {
    (void)argument;
    const struct query* const query = (const struct query*)pushed;
    for (size_t i = 0; i < n; ++i) {
        const struct query reply = {table[query[i].word], query[i].slot};
        isthmus_aggregator_push(replies, source, &reply);
    }
}
static void keep(void* argument, int source, const void* pushed, size_t n) {
    (void)argument;
    (void)source;
    const struct query* const reply = (const struct query*)pushed;
    for (size_t i = 0; i < n; ++i)
        results[reply[i].slot] = reply[i].word;
}

static int pe_of(uint64_t index) {
    return (int)(index >> 32);
}
static uint64_t word_of(uint64_t index) {
    return index & 0xffffffff;
}

static void histogram_single(void) {
    for (int i = 0; i < items; ++i)
        isthmus_postadd(&segments[pe_of(indexes[i])], word_of(indexes[i]) * 8, 1);
}
static void histogram_aggregated(void) {
    for (int i = 0; i < items; ++i) {
        const int64_t word = (int64_t)word_of(indexes[i]);
        isthmus_aggregator_push(counts, pe_of(indexes[i]), &word);
    }
    isthmus_aggregator_finish(counts);
}
static void gather_single(void) {
    for (int i = 0; i < items; ++i)
        isthmus_get(results + i, &segments[pe_of(indexes[i])], word_of(indexes[i]) * 8, 8, NULL);
}
static void gather_peek(void) {
    for (int i = 0; i < items; ++i)
        isthmus_peek(&segments[pe_of(indexes[i])], word_of(indexes[i]) * 8, results + i, NULL);
}
static void gather_aggregated(void) {
    for (int i = 0; i < items; ++i)
        isthmus_gather_push(gather, (uint32_t)pe_of(indexes[i]), word_of(indexes[i]) * 8,
                            results + i);
    isthmus_gather_wait(gather);
}
static void gather_messages(void) {
    for (int i = 0; i < items; ++i) {
        const struct query query = {(int64_t)word_of(indexes[i]), i};
        isthmus_aggregator_push(requests, pe_of(indexes[i]), &query);
    }
    isthmus_aggregator_finish(requests);
    isthmus_aggregator_finish(replies);
}

int main(int argc, char** argv) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    pin_to_core(me);
    const int batches = argument(argc, argv, "--batches", 9);
    const int megabytes = argument(argc, argv, "--megabytes", 512); /* of all tables together */
    items = argument(argc, argv, "--items", kLargest);
    require(items > 0 && items <= kLargest && pes <= 64, "--items or the PEs are out of range");
    for (words = 1; words * 2 * 8 * (uint64_t)pes <= (uint64_t)megabytes << 20;)
        words *= 2;
    isthmus_segment mine;
    OK(isthmus_segment_create(&mine, 1000 + (uint64_t)me, NULL, words * 8, 0));
    for (int pe = 0; pe < pes; ++pe)
        OK(isthmus_segment_clone(&segments[pe], 1000 + (uint64_t)pe, -1));
    table = (int64_t*)mine.base;
    for (uint64_t i = 0; i < words; ++i)
        table[i] = (int64_t)i;
    OK(isthmus_aggregator_create(&counts, 8, 0, count, NULL));
    OK(isthmus_aggregator_create(&requests, sizeof(struct query), 0, answer, NULL));
    OK(isthmus_aggregator_create(&replies, sizeof(struct query), 0, keep, NULL));
    OK(isthmus_gather_create(&gather, segments, (uint32_t)pes, 8));
    const struct {
        const char *name, *through;
        void (*run)(void);
    } rows[] = {
        {"gather", "get", gather_single},
        {"gather", "aggregated", gather_aggregated},
        {"gather", "peek", gather_peek},
        {"gather", "messages", gather_messages},
        {"histogram", "postadd", histogram_single},
        {"histogram", "aggregated", histogram_aggregated},
    };
    uint64_t state = 88172645463325252ull + (uint64_t)me * 7919;
    for (int i = 0; i < 20; ++i)
        next_random(&state);
    for (int batch = -1; batch < batches; ++batch) {
        for (unsigned row = 0; row < sizeof rows / sizeof *rows; ++row) {
            for (int i = 0; i < items; ++i) {
                const uint64_t random = next_random(&state);
                indexes[i] = (random >> 40) % (uint64_t)pes << 32 | (random & (words - 1));
            }
            isthmus_barrier();
            const double start = now_ns();
            rows[row].run();
            isthmus_barrier();
            const double spent = now_ns() - start;
            if (me == 0 && batch >= 0)
                printf("irregular=%s through=%s mops=%.3f\n", rows[row].name, rows[row].through,
                       (double)items * pes / spent * 1e3);
        }
    }
    OK(isthmus_gather_destroy(gather));
    isthmus_aggregator_destroy(replies);
    isthmus_aggregator_destroy(requests);
    isthmus_aggregator_destroy(counts);
    isthmus_finalize();
    return 0;
}
