/* The aggregator: a histogram whose sum is right, requests and replies through two aggregators, and
 * handlers that push on; with rings so small that all of flow control is used. */
#include "check.h"

static int me, pes;
static int64_t* table;
static int64_t* answers;
static isthmus_aggregator *requests, *replies, *relay;
static int64_t relayed;
enum { kTable = 4096, kItems = 30000 };

static void count(void* argument, int source, const void* items, size_t n) {
    (void)source;
    const int64_t* index = (const int64_t*)items;
    for (size_t i = 0; i < n; ++i)
        ((int64_t*)argument)[index[i]]++;
}

struct query {
    int64_t index, slot;
};
static void answer(void* argument, int source, const void* items, size_t n) {
    (void)argument;
    const struct query* query = (const struct query*)items;
    for (size_t i = 0; i < n; ++i) {
        const struct query reply = {table[query[i].index], query[i].slot};
        CHECK(isthmus_aggregator_progress(requests, NULL) == ISTHMUS_ARGUMENT);
        OK(isthmus_aggregator_push(replies, source, &reply));
    }
}
static void keep(void* argument, int source, const void* items, size_t n) {
    (void)argument;
    (void)source;
    const struct query* reply = (const struct query*)items;
    for (size_t i = 0; i < n; ++i)
        answers[reply[i].slot] = reply[i].index;
}

/* Each item hops `left` more times. */
static void hop(void* argument, int source, const void* items, size_t n) {
    (void)argument;
    (void)source;
    const char* bytes = (const char*)items;
    for (size_t i = 0; i < n; ++i) {
        char item[5];
        memcpy(item, bytes + 5 * i, 5);
        ++relayed;
        if (item[4]-- > 0) OK(isthmus_aggregator_push(relay, (me + 1) % pes, item));
    }
}

/* Items that go round for ever, to this PE itself if it is alone. */
static int rounds_go_on;
static isthmus_aggregator* carousel;
static void go_round(void* argument, int source, const void* items, size_t n) {
    const int64_t* const item = (const int64_t*)items;
    (void)argument;
    (void)source;
    for (size_t i = 0; rounds_go_on && i < n; ++i)
        OK(isthmus_aggregator_push(carousel, (me + 1) % pes, &item[i]));
}
static void progress_returns(void) {
    size_t handled;
    const int64_t item = 1;
    rounds_go_on = 1;
    OK(isthmus_aggregator_create(&carousel, 8, 64, go_round, NULL));
    for (int i = 0; i < 640; ++i)
        OK(isthmus_aggregator_push(carousel, (me + 1) % pes, &item));
    OK(isthmus_aggregator_flush(carousel));
    for (int i = 0; i < 10; ++i)
        OK(isthmus_aggregator_progress(carousel, &handled));
    rounds_go_on = 0;
    OK(isthmus_aggregator_destroy(carousel));
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    table = (int64_t*)calloc(kTable, sizeof *table);
    answers = (int64_t*)malloc(kItems * sizeof *answers);
    uint64_t state = 17 + (uint64_t)me;

    isthmus_aggregator* histogram;
    OK(isthmus_aggregator_create(&histogram, sizeof(int64_t), 0, count, table));
    for (int turn = 0; turn < 2; ++turn) { /* usable again after finish */
        for (int i = 0; i < kItems; ++i) {
            const int64_t index = (int64_t)(next_random(&state) % kTable);
            OK(isthmus_aggregator_push(histogram, (int)(next_random(&state) % (uint64_t)pes),
                                       &index));
        }
        OK(isthmus_aggregator_finish(histogram));
    }
    int64_t bad = 0;
    CHECK(isthmus_aggregator_push(histogram, pes, &bad) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_aggregator_push(histogram, -1, &bad) == ISTHMUS_ARGUMENT);
    OK(isthmus_aggregator_destroy(histogram));
    isthmus_segment sums;
    OK(isthmus_segment_create(&sums, 100 + (uint64_t)me, NULL, 4096, 0));
    isthmus_segment total;
    OK(isthmus_segment_clone(&total, 100, -1));
    int64_t sum = 0;
    for (int i = 0; i < kTable; ++i)
        sum += table[i];
    OK(isthmus_postadd(&total, 0, sum));
    isthmus_barrier();
    if (me == 0) CHECK(*(int64_t*)sums.base == 2ll * kItems * pes);

    for (int i = 0; i < kTable; ++i)
        table[i] = me * 1000000 + i;
    OK(isthmus_aggregator_create(&requests, sizeof(struct query), 256, answer, NULL));
    OK(isthmus_aggregator_create(&replies, sizeof(struct query), 256, keep, NULL));
    int64_t* expected = (int64_t*)malloc(kItems * sizeof *expected);
    for (int i = 0; i < kItems; ++i) {
        const struct query query = {(int64_t)(next_random(&state) % kTable), i};
        const int target = (int)(next_random(&state) % (uint64_t)pes);
        expected[i] = target * 1000000 + query.index;
        OK(isthmus_aggregator_push(requests, target, &query));
    }
    OK(isthmus_aggregator_finish(requests));
    OK(isthmus_aggregator_finish(replies));
    for (int i = 0; i < kItems; ++i)
        CHECK(answers[i] == expected[i]);
    free(expected);
    OK(isthmus_aggregator_destroy(requests));
    OK(isthmus_aggregator_destroy(replies));

    OK(isthmus_aggregator_create(&relay, 5, 64, hop, NULL));
    for (int i = 0; i < 2000; ++i) {
        const char item[5] = {1, 2, 3, 4, 20};
        OK(isthmus_aggregator_push(relay, (me + 1) % pes, item));
    }
    OK(isthmus_aggregator_finish(relay));
    OK(isthmus_postadd(&total, 8, relayed));
    isthmus_barrier();
    if (me == 0) CHECK(((int64_t*)sums.base)[1] == 2000ll * 21 * pes);
    OK(isthmus_aggregator_destroy(relay));
    CHECK(isthmus_aggregator_create(&relay, 0, 0, hop, NULL) == ISTHMUS_ARGUMENT);
    progress_returns();
    isthmus_finalize();
    return 0;
}
