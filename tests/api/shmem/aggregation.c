/* Aggregation as a program of several hosts strains it: items of every size, messages of one item
 * and of thousands, items that beget items, phases without a barrier between them, a flood that
 * nobody asks for. Nothing is lost, nothing comes twice, the order of each pair of PEs is kept, and
 * finish waits for all and for no more.
 *
 *     aggregation [ITEMS]     of the flood, by each PE
 */
#include <sched.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "PE %d: %s:%d: %s (%s)\n", shmem_my_pe(), __FILE__, __LINE__, \
                    #condition, isthmus_error_text());                                    \
            shmem_global_exit(1);                                                         \
        }                                                                                 \
    } while (0)
#define OK(call) CHECK((call) == ISTHMUS_OK)

enum { kMostPes = 64, kGrowth_kb = 8192, kHops = 8 };
static int me, pes;
static shmemx_aggregate_t aggregate, replies;
static uint32_t sent[kMostPes], received[kMostPes];

static void begin_part(void) {
    memset(sent, 0, sizeof sent);
    memset(received, 0, sizeof received);
}

/* What PE `from` has sent to this one, as that one counts it. */
static void check_all_received(void) {
    static uint32_t told[kMostPes];
    shmem_alltoallmem(SHMEM_TEAM_WORLD, told, sent, sizeof *sent);
    for (int pe = 0; pe < pes; ++pe)
        CHECK(received[pe] == told[pe]);
    shmem_barrier_all();
}

/* ---- items of a size: byte k of item i is i + k */

static void check_bytes(void* argument, int source, const void* items, size_t count) {
    const size_t size = *(const size_t*)argument;
    const unsigned char* byte = (const unsigned char*)items;
    CHECK(count > 0);
    for (size_t i = 0; i < count; ++i, ++received[source])
        for (size_t k = 0; k < size; ++k)
            CHECK(*byte++ == (unsigned char)(received[source] + k));
}

static void items_of(size_t size, size_t buffer, int items) {
    unsigned char item[256];
    begin_part();
    OK(shmemx_aggregate_create(size, buffer, check_bytes, &size, &aggregate));
    for (int i = 0; i < items; ++i) {
        for (int pe = 0; pe < pes; ++pe) {
            for (size_t k = 0; k < size; ++k)
                item[k] = (unsigned char)(sent[pe] + k);
            ++sent[pe];
            OK(shmemx_aggregate_push(aggregate, item, pe));
        }
        if (i % 97 == 0) OK(shmemx_aggregate_flush(aggregate));
        if (i % 131 == 0) OK(shmemx_aggregate_progress(aggregate, NULL));
    }
    OK(shmemx_aggregate_destroy(aggregate));
    check_all_received();
}

/* ---- items that beget items, by way of two aggregations or of one */

struct numbered {
    uint32_t number, hops;
};

static void send_numbered(int pe, uint32_t hops) {
    const struct numbered item = {sent[pe]++, hops};
    OK(shmemx_aggregate_push(aggregate, &item, pe));
}

static void pass_on(void* argument, int source, const void* items, size_t count) {
    const struct numbered* item = (const struct numbered*)items;
    (void)argument;
    for (size_t i = 0; i < count; ++i) {
        CHECK(item[i].number == received[source]++);
        if (item[i].hops == 0) continue;
        send_numbered((source + (int)item[i].number) % pes, item[i].hops - 1);
        if (item[i].number % 3 == 0 && item[i].hops <= kHops)
            send_numbered((me + 1) % pes, item[i].hops - 1);
    }
}

static void beget(size_t buffer) {
    begin_part();
    OK(shmemx_aggregate_create(sizeof(struct numbered), buffer, pass_on, NULL, &aggregate));
    for (int i = 0; i < 800; ++i)
        send_numbered((me + 7 * i) % pes, kHops);
    OK(shmemx_aggregate_finish(aggregate));
    check_all_received();
    /* One item that goes from PE to PE, and all others have long come to finish. */
    if (me == 0) send_numbered(pes - 1, 300);
    OK(shmemx_aggregate_finish(aggregate));
    check_all_received();
    OK(shmemx_aggregate_destroy(aggregate));
}

static void ask_back(void* argument, int source, const void* items, size_t count) {
    const int64_t* item = (const int64_t*)items;
    (void)argument;
    for (size_t i = 0; i < count; ++i)
        OK(shmemx_aggregate_push(replies, &item[i], source));
}
static void add_up(void* argument, int source, const void* items, size_t count) {
    const int64_t* item = (const int64_t*)items;
    (void)source;
    for (size_t i = 0; i < count; ++i)
        *(int64_t*)argument += item[i];
}

static void two_at_once(void) {
    int64_t sum = 0, expected = 0;
    OK(shmemx_aggregate_create(sizeof(int64_t), 0, ask_back, NULL, &aggregate));
    OK(shmemx_aggregate_create(sizeof(int64_t), 0, add_up, &sum, &replies));
    for (int round = 0; round < 5; ++round) {
        for (int64_t i = 0; i < 20000; ++i) {
            OK(shmemx_aggregate_push(aggregate, &i, (int)(i % pes)));
            expected += i;
        }
        OK(shmemx_aggregate_finish(aggregate));
        OK(shmemx_aggregate_finish(replies));
        CHECK(sum == expected);
    }
    OK(shmemx_aggregate_destroy(replies));
    OK(shmemx_aggregate_destroy(aggregate));
}

/* ---- phases: nothing of the next in this one, however late one PE comes */

static void count_items(void* argument, int source, const void* items, size_t count) {
    (void)source;
    (void)items;
    *(int64_t*)argument += (int64_t)count;
}

static void phases(int flushed, int number) {
    int64_t got = 0;
    const int64_t item = 1;
    OK(shmemx_aggregate_create(sizeof item, 64, count_items, &got, &aggregate));
    for (int phase = 0; phase < number; ++phase) {
        if (phase % 8 == me) nanosleep(&(struct timespec){0, 2000000}, NULL);
        OK(shmemx_aggregate_finish(aggregate));
        CHECK(got == (int64_t)phase * 10 * pes);
        for (int i = 0; i < 10 * pes; ++i)
            OK(shmemx_aggregate_push(aggregate, &item, i % pes));
        if (flushed) OK(shmemx_aggregate_flush(aggregate));
    }
    OK(shmemx_aggregate_destroy(aggregate));
    CHECK(got == (int64_t)number * 10 * pes);
}

/* ---- all to PE 0, which now and then does not look */

static void take_slowly(void* argument, int source, const void* items, size_t count) {
    const uint32_t* item = (const uint32_t*)items;
    for (size_t i = 0; i < count; ++i)
        CHECK(item[i] == received[source]++);
    if (++*(long*)argument % 64 == 0) nanosleep(&(struct timespec){0, 500000}, NULL);
}

static long most_memory_kb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void flood(uint32_t items) {
    long calls = 0;
    begin_part();
    OK(shmemx_aggregate_create(sizeof(uint32_t), 0, take_slowly, &calls, &aggregate));
    for (; sent[0] < 20000; ++sent[0])
        OK(shmemx_aggregate_push(aggregate, &sent[0], 0));
    OK(shmemx_aggregate_finish(aggregate));
    const long before = most_memory_kb();
    for (; sent[0] < 20000 + items; ++sent[0])
        OK(shmemx_aggregate_push(aggregate, &sent[0], 0));
    OK(shmemx_aggregate_finish(aggregate));
    CHECK(most_memory_kb() - before < kGrowth_kb);
    OK(shmemx_aggregate_destroy(aggregate));
    check_all_received();
}

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    CHECK(pes <= kMostPes);
    static const size_t sizes[] = {1, 3, 8, 24, 100, 256};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        items_of(sizes[i], 0, 2000);
        items_of(sizes[i], 1, 200); /* one item a message */
    }
    beget(0);
    beget(40);
    two_at_once();
    phases(0, 60);
    phases(1, 60);
    flood(argc > 1 ? (uint32_t)atoi(argv[1]) : 300000);
    shmem_finalize();
    return 0;
}
