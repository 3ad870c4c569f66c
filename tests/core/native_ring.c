/* The same as ring.c for a program that includes isthmus.h and nothing else of the library. Its own
 * pages become a segment, too: under valgrind those of malloc are executable. */
#include <isthmus.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 5, kWords = 1024, kBytes = kWords * 8, kItems = 100 };

static int64_t counted;

static void count(void* argument, int source, const void* items, size_t number) {
    const int64_t* const values = (const int64_t*)items;
    size_t i;
    (void)argument;
    for (i = 0; i < number; ++i)
        counted += values[i] == source;
}

static int failed(const char* what) {
    fprintf(stderr, "PE %d: %s: %s\n", isthmus_pe(), what, isthmus_error_text());
    isthmus_exit(1);
}

#define OK(call) ((call) == ISTHMUS_OK ? 0 : failed(#call))

int main(void) {
    isthmus_segment mine, theirs, adopted;
    isthmus_queue *inbox, *outbox;
    isthmus_aggregator* aggregator;
    isthmus_event event;
    int64_t *pages, *words;
    int64_t before, round, number;
    const void* message;
    uint64_t size;
    int me, pes, right, left, i, wrong = 0;
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    right = (me + 1) % pes;
    left = (me + pes - 1) % pes;

    /* A token around the ring, by atomics and events. */
    OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, NULL, kBytes, 0));
    OK(isthmus_segment_clone(&theirs, 100 + (uint64_t)right, ISTHMUS_DEFAULT_TIMEOUT));
    for (round = 1; round <= kRounds; ++round) {
        if (me == 0) OK(isthmus_poke(&theirs, 0, round));
        OK(isthmus_event_arm(&event, (int64_t*)mine.base, ISTHMUS_EQ, round));
        OK(isthmus_event_wait(&event));
        if (me != 0) OK(isthmus_poke(&theirs, 0, round));
        isthmus_barrier();
    }
    OK(isthmus_fetchadd(&theirs, 8, me, &before, NULL));
    wrong += before != 0;

    /* Pages of the program's own. */
    pages = (int64_t*)aligned_alloc(65536, 65536);
    words = (int64_t*)malloc(kBytes);
    if (!pages || !words) return 1;
    for (i = 0; i < kWords; ++i)
        pages[i] = words[i] = (int64_t)me * kWords + i;
    OK(isthmus_segment_create(&adopted, 200 + (uint64_t)me, pages, 65536, 0));
    for (i = 0; i < kWords; ++i)
        wrong += pages[i] != words[i];
    isthmus_barrier();
    OK(isthmus_segment_clone(&theirs, 200 + (uint64_t)right, ISTHMUS_DEFAULT_TIMEOUT));
    OK(isthmus_put(words, &theirs, 0, kBytes, NULL));
    isthmus_barrier();
    for (i = 0; i < kWords; ++i)
        wrong += pages[i] != (int64_t)left * kWords + i;
    OK(isthmus_segment_destroy(&adopted));
    for (i = 0; i < kWords; ++i)
        wrong += pages[i] != (int64_t)left * kWords + i;

    OK(isthmus_queue_create(&inbox, 300 + (uint64_t)me, 4096));
    OK(isthmus_queue_clone(&outbox, 300 + (uint64_t)right, ISTHMUS_DEFAULT_TIMEOUT));
    number = me;
    OK(isthmus_enqueue(outbox, &number, sizeof number, NULL));
    OK(isthmus_dequeue(inbox, &message, &size, 60));
    wrong += size != sizeof number || *(const int64_t*)message != left;
    OK(isthmus_dequeue_release(inbox));
    isthmus_barrier();
    OK(isthmus_queue_destroy(outbox, NULL));
    OK(isthmus_queue_destroy(inbox, NULL));

    OK(isthmus_aggregator_create(&aggregator, sizeof number, 0, count, NULL));
    for (i = 0; i < kItems; ++i)
        OK(isthmus_aggregator_push(aggregator, i % pes, &number));
    OK(isthmus_aggregator_finish(aggregator));
    OK(isthmus_aggregator_destroy(aggregator));
    wrong += counted == 0;

    free(words);
    free(pages);
    if (wrong) fprintf(stderr, "PE %d: %d wrong\n", me, wrong);
    isthmus_finalize();
    return wrong != 0;
}
