/* One aggregator used phase after phase: finish keeps the phases apart and ends, however late one
 * PE comes; flush sends at once; progress serves every aggregator of its thread; a long finish that
 * makes progress neither sleeps nor is reported as stuck (ISTHMUS_STALL_SECONDS below kLong). */
#include <sys/resource.h>

#include "check.h"

enum { kPhases = 12, kItems = 3000, kFlood = 100000 };
static const double kLong = 2.2; /* seconds of a finish */
static const double kLimit = 60; /* seconds until what never comes is a failure */
static int me, pes;

static void add(void* argument, int source, const void* items, size_t n) {
    (void)source;
    (void)items;
    *(int64_t*)argument += (int64_t)n;
}

/* A PE that leaves finish pushes at once for the next phase, while others may not have looked yet
 * whether this one is over; PE 0 comes late, and the others wait for it in finish. */
static void phases(int flushed) {
    int64_t got = 0, item = 0;
    isthmus_aggregator* aggregator;
    OK(isthmus_aggregator_create(&aggregator, sizeof item, 0, add, &got));
    for (int phase = 0; phase < kPhases; ++phase) {
        if (me == 0) usleep(5000);
        OK(isthmus_aggregator_finish(aggregator));
        CHECK(got ==
              (int64_t)phase * kItems); /* all of the phases before, and nothing of the next */
        for (int i = 0; i < kItems; ++i)
            OK(isthmus_aggregator_push(aggregator, (me + i) % pes, &item));
        if (flushed) OK(isthmus_aggregator_flush(aggregator));
        isthmus_barrier(); /* handles nothing: whoever waits in finish still must get out */
    }
    OK(isthmus_aggregator_finish(aggregator));
    CHECK(got == (int64_t)kPhases * kItems);
    OK(isthmus_aggregator_destroy(aggregator));
}

/* The same without a barrier between the phases. */
static void phases_back_to_back(void) {
    int64_t got = 0, item = 0;
    isthmus_aggregator* aggregator;
    OK(isthmus_aggregator_create(&aggregator, sizeof item, 64, add, &got));
    for (int phase = 0; phase < 200; ++phase) {
        OK(isthmus_aggregator_finish(aggregator));
        CHECK(got == (int64_t)phase * 10 * pes);
        for (int i = 0; i < 10 * pes; ++i)
            OK(isthmus_aggregator_push(aggregator, i % pes, &item));
        OK(isthmus_aggregator_flush(aggregator));
    }
    OK(isthmus_aggregator_destroy(aggregator));
}

/* Items to one target are handled in the order of the pushes, those of handlers among them: one
 * that a handler pushes while a push of the program waits for room comes behind that one. */
struct numbered {
    uint32_t number, hops;
};
static isthmus_aggregator* ordered;
static uint32_t sent[64], received[64], misplaced;

static void send_numbered(int pe, uint32_t hops) {
    struct numbered item = {sent[pe]++, hops};
    OK(isthmus_aggregator_push(ordered, pe, &item));
}
static void check_order(void* argument, int source, const void* items, size_t n) {
    const struct numbered* item = items;
    (void)argument;
    for (size_t i = 0; i < n; ++i) {
        misplaced += item[i].number != received[source]++;
        if (item[i].hops == 0) continue;
        send_numbered((source + (int)item[i].number) % pes, item[i].hops - 1);
        if (item[i].number % 3 == 0) send_numbered((me + 1) % pes, item[i].hops - 1);
    }
}
static void order(void) {
    OK(isthmus_aggregator_create(&ordered, sizeof(struct numbered), 0, check_order, NULL));
    for (int i = 0; i < 3000; ++i)
        send_numbered((me + 7 * i) % pes, 8);
    OK(isthmus_aggregator_finish(ordered));
    CHECK(misplaced == 0);
    OK(isthmus_aggregator_destroy(ordered));
}

/* Fewer items than a message holds arrive without anybody's finish. */
static void flush(void) {
    int64_t got = 0, item = 0;
    isthmus_aggregator* aggregator;
    OK(isthmus_aggregator_create(&aggregator, sizeof item, 0, add, &got));
    for (int i = 0; i < 3; ++i)
        OK(isthmus_aggregator_push(aggregator, (me + 1) % pes, &item));
    OK(isthmus_aggregator_flush(aggregator));
    const double start = seconds_now(CLOCK_MONOTONIC);
    size_t sum = 0;
    while (got < 3) {
        size_t handled = 99;
        OK(isthmus_aggregator_progress(aggregator, &handled));
        sum += handled;
        CHECK(seconds_now(CLOCK_MONOTONIC) - start < kLimit);
    }
    CHECK(got == 3 && sum == 3);
    OK(isthmus_aggregator_flush(aggregator)); /* nothing to send */
    isthmus_barrier();
    OK(isthmus_aggregator_destroy(aggregator));
}

/* PE 1 floods one aggregator of PE 0, beyond the ring, while PE 0 asks for progress of another. */
static void progress_of_another(void) {
    int64_t got = 0, none = 0, item = 0;
    isthmus_aggregator *idle, *flooded;
    isthmus_segment flag, zero;
    OK(isthmus_aggregator_create(&idle, sizeof item, 0, add, &none));
    OK(isthmus_aggregator_create(&flooded, sizeof item, 0, add, &got));
    if (me == 0) OK(isthmus_segment_create(&flag, 500, NULL, 4096, 0));
    OK(isthmus_segment_clone(&zero, 500, -1));
    if (me == 1) {
        for (int i = 0; i < kFlood; ++i)
            OK(isthmus_aggregator_push(flooded, 0, &item));
        OK(isthmus_aggregator_flush(flooded));
        OK(isthmus_poke(&zero, 0, 1));
    } else if (me == 0 && pes > 1) {
        const double start = seconds_now(CLOCK_MONOTONIC);
        size_t handled = 99;
        while (got < kFlood) {
            OK(isthmus_aggregator_progress(idle, &handled));
            CHECK(handled == 0); /* none of that aggregator's */
            CHECK(seconds_now(CLOCK_MONOTONIC) - start < kLimit);
        }
    }
    isthmus_barrier();
    CHECK(none == 0);
    OK(isthmus_aggregator_finish(flooded));
    OK(isthmus_aggregator_destroy(flooded));
    OK(isthmus_aggregator_destroy(idle));
    if (me == 0) OK(isthmus_segment_destroy(&flag));
}

/* Handlers of two aggregators push to each other while all finish the one, then the other. */
static isthmus_aggregator *there, *back;
static int64_t hops;
static void go_there(void* argument, int source, const void* items, size_t n) {
    (void)argument;
    for (size_t i = 0; i < n; ++i) {
        int64_t left = ((const int64_t*)items)[i];
        isthmus_aggregator* made = NULL;
        CHECK(isthmus_aggregator_create(&made, 8, 0, go_there, NULL) == ISTHMUS_ARGUMENT);
        ++hops;
        if (left-- > 0) OK(isthmus_aggregator_push(back, source, &left));
    }
}
static void go_back(void* argument, int source, const void* items, size_t n) {
    (void)argument;
    for (size_t i = 0; i < n; ++i) {
        int64_t left = ((const int64_t*)items)[i];
        ++hops;
        if (left-- > 0) OK(isthmus_aggregator_push(there, source, &left));
    }
}
static void to_and_fro(void) {
    enum { kLegs = 40, kStarts = 300 };
    OK(isthmus_aggregator_create(&there, 8, 64, go_there, NULL));
    OK(isthmus_aggregator_create(&back, 8, 64, go_back, NULL));
    hops = 0;
    const int64_t left = kLegs - 1;
    for (int i = 0; i < kStarts; ++i)
        OK(isthmus_aggregator_push(there, i % pes, &left));
    for (int round = 0; round <= kLegs; ++round) { /* each gets every item at least one leg on */
        OK(isthmus_aggregator_finish(there));
        OK(isthmus_aggregator_finish(back));
    }
    isthmus_segment sums, total;
    if (me == 0) OK(isthmus_segment_create(&sums, 600, NULL, 4096, 0));
    OK(isthmus_segment_clone(&total, 600, -1));
    OK(isthmus_postadd(&total, 0, hops));
    isthmus_barrier();
    if (me == 0) {
        CHECK(*(int64_t*)sums.base == (int64_t)kLegs * kStarts * pes);
        OK(isthmus_segment_destroy(&sums));
    }
    OK(isthmus_aggregator_destroy(there));
    OK(isthmus_aggregator_destroy(back));
}

/* One item goes between PE 0 and PE 1 until the time is over; other PEs have nothing to do. */
static isthmus_aggregator* ball;
static double start_of_game;
static int64_t returned;
static void play(void* argument, int source, const void* items, size_t n) {
    (void)argument;
    (void)source;
    CHECK(n == 1);
    ++returned;
    if (me != 0 || seconds_now(CLOCK_MONOTONIC) - start_of_game < kLong)
        OK(isthmus_aggregator_push(ball, pes == 1 ? 0 : 1 - me, items));
}
static void long_finish(void) {
    /* Not behind it: PE 0 may be off before another PE has left the call. */
    const double entered = seconds_now(CLOCK_MONOTONIC);
    OK(isthmus_aggregator_create(&ball, 8, 0, play, NULL));
    const int64_t item = 0;
    start_of_game = seconds_now(CLOCK_MONOTONIC);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    if (me == 0) OK(isthmus_aggregator_push(ball, 0, &item));
    OK(isthmus_aggregator_finish(ball));
    getrusage(RUSAGE_SELF, &after);
    /* Whoever yields stays runnable: a voluntary switch is a sleep. One for each item, as when the
     * wait is never begun anew, is far from what a busy machine brings about. */
    const int64_t sleeps = after.ru_nvcsw - before.ru_nvcsw;
    CHECK(seconds_now(CLOCK_MONOTONIC) - entered >= kLong);
    /* Between hosts the network's locks make a thread sleep, too. */
    if (pes <= 2 && !getenv("ISTHMUS_TRANSPORT")) CHECK(sleeps < returned / 4);
    OK(isthmus_aggregator_destroy(ball));
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    phases(0);
    phases(1);
    phases_back_to_back();
    order();
    isthmus_aggregator* none;
    CHECK(isthmus_aggregator_create(&none, 8, 0, NULL, NULL) == ISTHMUS_ARGUMENT && !none);
    flush();
    progress_of_another();
    to_and_fro();
    long_finish();
    isthmus_finalize();
    return 0;
}
