/* Histogram and index-gather of 8-byte items at random over tables beyond the caches, in turns.
 *
 *     irregular=histogram|gather through=NAME mops=     millions a second, all PEs together
 *
 * gather:    loads (plain loads through segment.base), get, peek, prefetch (isthmus_gather),
 * messages (requests and replies through two aggregators) histogram: postadd, aggregated (a handler
 * behind an aggregator)
 *
 * Time is from the barrier before to the barrier after, and includes flush and termination. Every
 * result is checked, outside that time; a wrong one ends the job. */
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
static uint64_t added; /* hash of all that this PE has added to the tables */

/* What a word holds at first, above what histograms add to it. */
enum { kCountBits = 20 };
static uint64_t number_of(uint64_t pe, uint64_t word) {
    return pe * words + word;
}
/* splitmix64: sums of these tell which words were counted, and how often. */
static uint64_t hash(uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

static void count(void* argument, int source, const void* pushed, size_t n) {
    (void)argument;
    (void)source;
    const int64_t* const word = (const int64_t*)pushed;
    for (size_t i = 0; i < n; ++i)
        ++table[word[i]];
}
/* Handlers see whole messages, so they can look ahead; and answers come in the order of the
 * questions, PE by PE, so neither carries where its result goes: that is noted here. */
enum { kAhead = 16 };
static uint32_t *slots[64], *asked[64], *answered[64];
static void answer(void* argument, int source, const void* pushed, size_t n) {
    (void)argument;
    const int64_t* const word = (const int64_t*)pushed;
    for (size_t i = 0; i < n && i < kAhead; ++i)
        __builtin_prefetch(&table[word[i]]);
    for (size_t i = 0; i < n; ++i) {
        if (i + kAhead < n) __builtin_prefetch(&table[word[i + kAhead]]);
        isthmus_aggregator_push(replies, source, &table[word[i]]);
    }
}
static void keep(void* argument, int source, const void* pushed, size_t n) {
    (void)argument;
    const int64_t* const value = (const int64_t*)pushed;
    for (size_t i = 0; i < n; ++i)
        results[answered[source][i]] = value[i];
    answered[source] += n;
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
static void gather_loads(void) {
    for (int i = 0; i < items; ++i)
        results[i] = ((const int64_t*)segments[pe_of(indexes[i])].base)[word_of(indexes[i])];
}
static void gather_single(void) {
    for (int i = 0; i < items; ++i)
        isthmus_get(results + i, &segments[pe_of(indexes[i])], word_of(indexes[i]) * 8, 8, NULL);
}
static void gather_peek(void) {
    for (int i = 0; i < items; ++i)
        isthmus_peek(&segments[pe_of(indexes[i])], word_of(indexes[i]) * 8, results + i, NULL);
}
static void gather_prefetch(void) {
    for (int i = 0; i < items; ++i)
        isthmus_gather_push(gather, (uint32_t)pe_of(indexes[i]), word_of(indexes[i]) * 8,
                            results + i);
    isthmus_gather_wait(gather);
}
static void gather_messages(void) {
    for (int pe = 0; pe < pes; ++pe)
        asked[pe] = answered[pe] = slots[pe];
    for (int i = 0; i < items; ++i) {
        const int64_t word = (int64_t)word_of(indexes[i]);
        *asked[pe_of(indexes[i])]++ = (uint32_t)i;
        isthmus_aggregator_push(requests, pe_of(indexes[i]), &word);
    }
    isthmus_aggregator_finish(requests);
    isthmus_aggregator_finish(replies);
}

/* Nobody writes the tables meanwhile. */
static void check_gather(const char* through) {
    char what[64];
    snprintf(what, sizeof what, "a value gathered by %s is wrong", through);
    for (int i = 0; i < items; ++i) {
        const uint64_t pe = (uint64_t)pe_of(indexes[i]), word = word_of(indexes[i]);
        require((uint64_t)results[i] >> kCountBits == number_of(pe, word) &&
                    results[i] == ((const int64_t*)segments[pe].base)[word],
                what);
    }
}
static void note_histogram(void) {
    for (int i = 0; i < items; ++i)
        added += hash(number_of((uint64_t)pe_of(indexes[i]), word_of(indexes[i])));
}
/* Collective: what lies in the tables is what was added to them, word by word. */
static void check_histograms(void) {
    isthmus_segment sums, total;
    if (me == 0) OK(isthmus_segment_create(&sums, 1, NULL, 4096, 0));
    OK(isthmus_segment_clone(&total, 1, -1));
    uint64_t found = 0;
    for (uint64_t i = 0; i < words; ++i) {
        const uint64_t number = number_of((uint64_t)me, i);
        found += ((uint64_t)table[i] - (number << kCountBits)) * hash(number);
    }
    OK(isthmus_postadd(&total, 0, (int64_t)(added - found)));
    isthmus_barrier();
    if (me == 0) require(*(const int64_t*)sums.base == 0, "the histogram's counts are wrong");
    isthmus_barrier();
    if (me == 0) OK(isthmus_segment_destroy(&sums));
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
        table[i] = (int64_t)(number_of((uint64_t)me, i) << kCountBits);
    OK(isthmus_aggregator_create(&counts, 8, 0, count, NULL));
    OK(isthmus_aggregator_create(&requests, 8, 0, answer, NULL));
    OK(isthmus_aggregator_create(&replies, 8, 0, keep, NULL));
    OK(isthmus_gather_create(&gather, segments, (uint32_t)pes, 8));
    for (int pe = 0; pe < pes; ++pe) {
        slots[pe] = malloc((size_t)items * sizeof *slots[pe]);
        require(slots[pe] != NULL, "no memory for the slots");
    }
    const struct {
        const char *name, *through;
        void (*run)(void);
        int reads;
    } rows[] = {
        {"gather", "get", gather_single, 1},
        {"gather", "prefetch", gather_prefetch, 1},
        {"gather", "loads", gather_loads, 1},
        {"gather", "peek", gather_peek, 1},
        {"gather", "messages", gather_messages, 1},
        {"histogram", "postadd", histogram_single, 0},
        {"histogram", "aggregated", histogram_aggregated, 0},
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
            memset(results, 0xff, sizeof results[0] * (size_t)items);
            isthmus_barrier();
            const double start = now_ns();
            rows[row].run();
            isthmus_barrier();
            const double spent = now_ns() - start;
            if (me == 0 && batch >= 0)
                printf("irregular=%s through=%s mops=%.3f\n", rows[row].name, rows[row].through,
                       (double)items * pes / spent * 1e3);
            if (rows[row].reads)
                check_gather(rows[row].through);
            else
                note_histogram();
            isthmus_barrier(); /* nobody writes before all have checked */
        }
    }
    check_histograms();
    OK(isthmus_gather_destroy(gather));
    isthmus_aggregator_destroy(replies);
    isthmus_aggregator_destroy(requests);
    isthmus_aggregator_destroy(counts);
    isthmus_finalize();
    return 0;
}
