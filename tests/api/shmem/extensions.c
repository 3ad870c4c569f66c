/* shmemx.h: queues and aggregation, from a program that knows OpenSHMEM alone.
 *
 *     extensions [queues|aggregation|both] [LENGTH]     messages of a PE to each PE
 */
#include <sched.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "PE %d: %s:%d: %s (%s)\n", shmem_my_pe(), __FILE__, __LINE__, \
                    #condition, isthmus_error_text());                                    \
            shmem_global_exit(1);                                                         \
        }                                                                                 \
    } while (0)
#define OK(call) CHECK((call) == ISTHMUS_OK)

static int me, pes;

static uint64_t next_random(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Every PE sends `rounds` messages to every PE, itself included, through small rings, and takes
 * what comes meanwhile, or nobody would go on. */
struct head {
    int32_t from, number;
    uint64_t size;
};

static int take_one(shmemx_queue_t queue, int32_t* expected, int wait) {
    const void* message = NULL;
    size_t size = 0;
    const int status = wait ? shmemx_queue_dequeue(queue, &message, &size)
                            : shmemx_queue_try_dequeue(queue, &message, &size);
    if (status == ISTHMUS_AGAIN && !wait) return 0;
    OK(status);
    struct head head;
    memcpy(&head, message, sizeof head);
    CHECK(head.size == size && head.number == expected[head.from]++);
    const unsigned char* bytes = (const unsigned char*)message;
    for (size_t i = sizeof head; i < size; ++i)
        CHECK(bytes[i] == (unsigned char)(head.from * 7 + head.number));
    OK(shmemx_queue_release(queue));
    return 1;
}

static void everyone_to_everyone(size_t capacity, int rounds) {
    shmemx_queue_t queue = SHMEMX_QUEUE_INVALID;
    OK(shmemx_queue_create(capacity, &queue));
    int32_t* expected = (int32_t*)calloc((size_t)pes, sizeof *expected);
    uint64_t state = 5 + (uint64_t)me;
    unsigned char buffer[2048];
    long taken = 0;
    for (int i = 0; i < rounds; ++i) {
        for (int pe = 0; pe < pes; ++pe) {
            const struct head head = {me, i, sizeof head + next_random(&state) % 1500};
            memset(buffer, me * 7 + i, head.size);
            memcpy(buffer, &head, sizeof head);
            int status = ISTHMUS_AGAIN;
            while ((status = shmemx_queue_try_enqueue(queue, buffer, head.size, pe)) ==
                   ISTHMUS_AGAIN) {
                const int took = take_one(queue, expected, 0);
                taken += took;
                if (!took) sched_yield();
            }
            OK(status);
        }
    }
    while (taken < (long)rounds * pes)
        taken += take_one(queue, expected, 1);
    for (int pe = 0; pe < pes; ++pe)
        CHECK(expected[pe] == rounds);
    free(expected);
    size_t lost = 1;
    OK(shmemx_queue_destroy(queue, &lost));
    CHECK(lost == 0);
}

/* A producer that waits for room, a consumer that waits for messages, and data put before. */
static void pipeline(void) {
    static long data[200];
    shmemx_queue_t queue = SHMEMX_QUEUE_INVALID;
    OK(shmemx_queue_create(4096, &queue));
    const int right = (me + 1) % pes;
    if (pes > 1 && me % 2 == 0 && right != 0) {
        for (long i = 0; i < 200; ++i) {
            shmem_long_p(&data[i], i + 1, right);
            shmem_fence();
            OK(shmemx_queue_enqueue(queue, &i, sizeof i, right));
        }
        OK(shmemx_queue_close(queue, right));
        CHECK(shmemx_queue_enqueue(queue, &me, sizeof me, right) == ISTHMUS_CLOSED);
        CHECK(shmemx_queue_try_enqueue(queue, &me, sizeof me, right) == ISTHMUS_CLOSED);
    } else if (me % 2 == 1) {
        const void* message = NULL;
        size_t size = 0;
        long count = 0;
        int status = ISTHMUS_OK;
        while ((status = shmemx_queue_dequeue(queue, &message, &size)) == ISTHMUS_OK) {
            long i = -1;
            memcpy(&i, message, sizeof i);
            CHECK(size == sizeof i && i == count++ && data[i] == i + 1);
            OK(shmemx_queue_release(queue));
        }
        CHECK(status == ISTHMUS_CLOSED && count == 200);
    }
    OK(shmemx_queue_destroy(queue, NULL));
}

static void by_the_book(void) {
    shmemx_queue_t queue = SHMEMX_QUEUE_INVALID;
    CHECK(shmemx_queue_create((size_t)1 << 31, &queue) == ISTHMUS_TOO_LARGE && !queue);
    OK(shmemx_queue_create(0, &queue));
    CHECK(shmemx_queue_limit(queue) == 4096 / 2 - 16);
    const void* message = NULL;
    size_t size = 7, lost = 0;
    char bytes[2033] = {0};
    CHECK(shmemx_queue_try_dequeue(queue, &message, &size) == ISTHMUS_AGAIN);
    CHECK(shmemx_queue_release(queue) == ISTHMUS_ARGUMENT);
    CHECK(shmemx_queue_enqueue(queue, bytes, sizeof bytes, me) == ISTHMUS_TOO_LARGE);
    CHECK(strstr(isthmus_error_text(), "2032"));
    CHECK(shmemx_queue_enqueue(queue, bytes, 1, pes) == ISTHMUS_ARGUMENT);
    CHECK(shmemx_queue_try_enqueue(queue, bytes, 1, -1) == ISTHMUS_ARGUMENT);
    CHECK(shmemx_queue_close(queue, pes) == ISTHMUS_ARGUMENT);
    CHECK(strstr(isthmus_error_text(), "out of range"));
    OK(shmemx_queue_enqueue(queue, NULL, 0, me)); /* an empty message is a message */
    OK(shmemx_queue_dequeue(queue, &message, &size));
    CHECK(size == 0);
    OK(shmemx_queue_release(queue));
    int count = 0;
    while (shmemx_queue_try_enqueue(queue, &count, sizeof count, me) == ISTHMUS_OK)
        ++count;
    CHECK(count >= 32);
    OK(shmemx_queue_dequeue(queue, &message, &size));
    CHECK(*(const int*)message == 0 && size == sizeof count);
    OK(shmemx_queue_destroy(queue, &lost));
    CHECK(lost == (size_t)count - 1);
    OK(shmemx_queue_destroy(SHMEMX_QUEUE_INVALID, &lost));
}

/* A histogram, and an index-gather whose replies go through a second aggregation. */
enum { BINS = 100, ITEMS = 20000 };
static long histogram[BINS], table[BINS];

struct question {
    int32_t bin, place;
};
struct answer {
    int64_t value;
    int32_t place;
};
static int64_t gathered[ITEMS];
static shmemx_aggregate_t questions, answers;

static void count_bins(void* argument, int source, const void* items, size_t count) {
    const int32_t* bins = (const int32_t*)items;
    for (size_t i = 0; i < count; ++i)
        ++histogram[bins[i]];
    CHECK(source >= 0 && source < pes);
    *(size_t*)argument += count;
    CHECK(shmemx_aggregate_progress(questions, NULL) == ISTHMUS_ARGUMENT);
    CHECK(shmemx_aggregate_finish(questions) == ISTHMUS_ARGUMENT);
}

static void reply(void* argument, int source, const void* items, size_t count) {
    const struct question* asked = (const struct question*)items;
    (void)argument;
    for (size_t i = 0; i < count; ++i) {
        const struct answer found = {table[asked[i].bin], asked[i].place};
        OK(shmemx_aggregate_push(answers, &found, source));
    }
}

static void keep(void* argument, int source, const void* items, size_t count) {
    const struct answer* found = (const struct answer*)items;
    (void)argument;
    (void)source;
    for (size_t i = 0; i < count; ++i)
        gathered[found[i].place] = found[i].value;
}

static void aggregation(void) {
    size_t handled = 0;
    CHECK(shmemx_aggregate_create(0, 0, count_bins, NULL, &questions) == ISTHMUS_ARGUMENT);
    CHECK(shmemx_aggregate_create(257, 0, count_bins, NULL, &questions) == ISTHMUS_ARGUMENT);
    OK(shmemx_aggregate_create(sizeof(int32_t), 0, count_bins, &handled, &questions));
    uint64_t state = 99 + (uint64_t)me;
    for (int i = 0; i < ITEMS; ++i) {
        const uint64_t number = next_random(&state);
        const int32_t bin = (int32_t)(number % BINS);
        OK(shmemx_aggregate_push(questions, &bin, (int)(number / BINS % (unsigned)pes)));
    }
    OK(shmemx_aggregate_flush(questions));
    OK(shmemx_aggregate_progress(questions, NULL));
    CHECK(shmemx_aggregate_push(questions, &state, pes) == ISTHMUS_ARGUMENT);
    OK(shmemx_aggregate_finish(questions));
    static long total, mine;
    mine = 0;
    for (int bin = 0; bin < BINS; ++bin)
        mine += histogram[bin];
    CHECK(mine == (long)handled);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &mine, 1);
    CHECK(total == (long)ITEMS * pes);
    OK(shmemx_aggregate_destroy(questions));
    OK(shmemx_aggregate_destroy(SHMEMX_AGGREGATE_INVALID));

    for (int bin = 0; bin < BINS; ++bin)
        table[bin] = me * 1000 + bin;
    OK(shmemx_aggregate_create(sizeof(struct question), 256, reply, NULL, &questions));
    OK(shmemx_aggregate_create(sizeof(struct answer), 256, keep, NULL, &answers));
    state = 3 + (uint64_t)me;
    for (int i = 0; i < ITEMS; ++i) {
        const uint64_t number = next_random(&state);
        const struct question ask = {(int32_t)(number % BINS), i};
        OK(shmemx_aggregate_push(questions, &ask, (int)(number / BINS % (unsigned)pes)));
    }
    OK(shmemx_aggregate_finish(questions)); /* all questions answered */
    OK(shmemx_aggregate_finish(answers));   /* all answers here */
    state = 3 + (uint64_t)me;
    for (int i = 0; i < ITEMS; ++i) {
        const uint64_t number = next_random(&state);
        CHECK(gathered[i] == (int64_t)(number / BINS % (unsigned)pes * 1000 + number % BINS));
    }
    OK(shmemx_aggregate_destroy(answers));
    OK(shmemx_aggregate_destroy(questions));
}

int main(int argc, char** argv) {
    const char* const part = argc > 1 ? argv[1] : "";
    const int length = argc > 2 ? atoi(argv[2]) : 500;
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    if (strcmp(part, "aggregation") != 0) {
        by_the_book();
        everyone_to_everyone(4096, length);
        everyone_to_everyone(1 << 16, 2 * length);
        pipeline();
    }
    if (strcmp(part, "queues") != 0) aggregation();
    shmem_finalize();
    return 0;
}
