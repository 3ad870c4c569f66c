/* How queues end: destroyed under producers that wait, that come later, and that are in the middle;
 * what is then found where the queue was; time-outs of clones; the sentence of every refusal; and
 * what a queue's event means. */
#include "check.h"

enum { kRing = 4096 };
static int me, pes;

static int says(const char* text) {
    return strstr(isthmus_error_text(), text) != NULL;
}

/* A clone of a destroyed queue: STALE, and not a byte of it in whatever comes after. */
static void late(void) {
    isthmus_queue *queue = NULL, *next = NULL;
    isthmus_segment segment;
    int64_t number[4] = {0x2222, 0x2222, 0x2222, 0x2222};
    if (me == 0) OK(isthmus_queue_create(&queue, 77, kRing));
    if (me != 0) OK(isthmus_queue_clone(&queue, 77, 20));
    isthmus_barrier();
    if (me == 0) {
        OK(isthmus_queue_destroy(queue, NULL));
        OK(isthmus_queue_create(&next, 77, kRing)); /* the id is free again */
        OK(isthmus_segment_create(&segment, 79, NULL, 2 * kRing, 0));
    }
    isthmus_barrier();
    if (me != 0) {
        void* place = &place;
        CHECK(isthmus_try_enqueue(queue, number, 32) == ISTHMUS_STALE);
        CHECK(says("isthmus_try_enqueue") && says("destroyed by its owner, PE 0"));
        CHECK(isthmus_enqueue(queue, number, 8, NULL) == ISTHMUS_STALE);
        CHECK(says("isthmus_enqueue") && says("destroyed"));
        CHECK(isthmus_enqueue_reserve(queue, 8, &place) == ISTHMUS_STALE && !place);
        CHECK(isthmus_queue_close(queue) == ISTHMUS_STALE);
        CHECK(isthmus_queue_limit(queue) == kRing / 2 - 16 && isthmus_queue_id(queue) == 77);
        OK(isthmus_queue_destroy(queue, NULL));
    }
    isthmus_barrier();
    if (me == 0) {
        const void* message;
        uint64_t size;
        CHECK(isthmus_dequeue(next, &message, &size, 0) == ISTHMUS_AGAIN);
        for (uint64_t i = 0; i < segment.size; ++i)
            CHECK(segment.base[i] == 0);
        OK(isthmus_queue_destroy(next, NULL));
        OK(isthmus_segment_destroy(&segment));
    }
    isthmus_barrier();
}

/* Destroyed while producers run against the full ring, or fill it: what was said to be in it is
 * what was dequeued or lost. */
static void under_way(int rounds) {
    isthmus_segment counts;
    if (me == 0) OK(isthmus_segment_create(&counts, 90, NULL, 4096, 0));
    if (me != 0) OK(isthmus_segment_clone(&counts, 90, -1));
    for (int round = 0; round < rounds; ++round) {
        isthmus_queue* queue = NULL;
        const uint64_t id = 1000 + (uint64_t)round;
        if (me == 0) OK(isthmus_queue_create(&queue, id, kRing));
        if (me != 0) OK(isthmus_queue_clone(&queue, id, -1));
        isthmus_barrier();
        if (me != 0) {
            char bytes[48] = {0};
            int64_t sent = 0;
            int status;
            while ((status = isthmus_enqueue(queue, bytes, sizeof bytes, NULL)) == ISTHMUS_OK)
                ++sent;
            CHECK(status == ISTHMUS_STALE && says("destroyed"));
            OK(isthmus_postadd(&counts, 0, sent));
        } else {
            const void* message;
            uint64_t size, lost;
            int64_t taken = 0;
            usleep((unsigned)(round % 4) * 300);
            for (; taken < round * 7 && pes > 1; ++taken) {
                OK(isthmus_dequeue(queue, &message, &size, 20));
                OK(isthmus_dequeue_release(queue));
            }
            OK(isthmus_queue_destroy(queue, &lost));
            OK(isthmus_postadd(&counts, 8, taken + (int64_t)lost));
        }
        isthmus_barrier();
        if (me != 0) OK(isthmus_queue_destroy(queue, NULL));
    }
    isthmus_barrier();
    if (me == 0) {
        const int64_t* const words = (const int64_t*)counts.base;
        CHECK(words[0] == words[1]);
        OK(isthmus_segment_destroy(&counts));
    }
    isthmus_barrier();
}

/* A message reserved when the owner destroys is still written into the queue, and counted. */
static void reserved(void) {
    if (pes < 2) return;
    isthmus_queue* queue = NULL;
    void* place = NULL;
    if (me == 0) OK(isthmus_queue_create(&queue, 5, kRing));
    if (me == 1) {
        OK(isthmus_queue_clone(&queue, 5, -1));
        OK(isthmus_enqueue_reserve(queue, 100, &place));
        CHECK(isthmus_queue_destroy(queue, NULL) == ISTHMUS_ARGUMENT && says("not committed"));
    }
    isthmus_barrier();
    if (me == 1) {
        usleep(20000);
        memset(place, 1, 100);
        OK(isthmus_enqueue_commit(queue, place, 100));
        OK(isthmus_queue_destroy(queue, NULL));
    } else if (me == 0) {
        uint64_t lost = 0;
        OK(isthmus_queue_destroy(queue, &lost));
        CHECK(lost == 1);
    }
    isthmus_barrier();
}

/* Room comes back when the last clone has gone: more than the arena holds, one after the other. */
static void room(void) {
    uint64_t largest = (uint64_t)1 << 31;
    isthmus_queue *queue = NULL, *clone = NULL;
    const uint64_t id = 300 + (uint64_t)me;
    int status;
    while ((status = isthmus_queue_create(&queue, id, largest)) == ISTHMUS_NO_MEMORY) {
        CHECK(says("ISTHMUS_ARENA_SIZE"));
        largest /= 2;
    }
    CHECK(status == ISTHMUS_OK);
    for (int i = 0; i < 40; ++i) {
        OK(isthmus_queue_clone(&clone, id, 0));
        OK(isthmus_queue_destroy(queue, NULL));
        CHECK(isthmus_try_enqueue(clone, &i, sizeof i) == ISTHMUS_STALE);
        OK(isthmus_queue_destroy(clone, NULL));
        OK(isthmus_queue_create(&queue, id, largest));
    }
    OK(isthmus_queue_destroy(queue, NULL));
    isthmus_barrier();
}

static void clones(void) {
    isthmus_queue* queue = NULL;
    isthmus_segment segment;
    const uint64_t id = 400 + (uint64_t)me;
    CHECK(isthmus_segment_create(&segment, id, NULL, 4096, ISTHMUS_QUEUE | ISTHMUS_READ_WRITE) ==
          ISTHMUS_ARGUMENT);
    CHECK(says("isthmus_queue_create"));
    const double start = seconds_now(CLOCK_MONOTONIC);
    CHECK(isthmus_queue_clone(&queue, id, 0.05) == ISTHMUS_TIMEOUT && !queue);
    CHECK(seconds_now(CLOCK_MONOTONIC) - start < 10);
    OK(isthmus_segment_create(&segment, id, NULL, 4096, 0));
    CHECK(isthmus_queue_clone(&queue, id, 0.05) == ISTHMUS_PROTOCOL && says("not a queue"));
    OK(isthmus_segment_destroy(&segment));
    isthmus_barrier();
    /* One that comes and goes: it is there, or it is not. */
    if (me == 0) {
        for (int i = 0; i < 300; ++i) {
            OK(isthmus_queue_create(&queue, 40, kRing));
            OK(isthmus_queue_destroy(queue, NULL));
        }
    } else {
        for (int i = 0; i < 300; ++i) {
            const int status = isthmus_queue_clone(&queue, 40, 0.0001);
            CHECK(status == ISTHMUS_OK || status == ISTHMUS_TIMEOUT);
            if (status != ISTHMUS_OK) continue;
            const int sent = isthmus_try_enqueue(queue, &i, sizeof i);
            /* Nobody dequeues: with more PEs than cores it may fill up before its owner goes on. */
            CHECK(sent == ISTHMUS_OK || sent == ISTHMUS_STALE || sent == ISTHMUS_AGAIN);
            OK(isthmus_queue_destroy(queue, NULL));
        }
    }
    isthmus_barrier();
}

/* Every refusal has its own sentence, not an older one. */
static void sentences(void) {
    isthmus_queue* queue = NULL;
    const void* message;
    uint64_t size;
    OK(isthmus_queue_create(&queue, ISTHMUS_ANY_ID, kRing));
    CHECK(isthmus_dequeue_release(queue) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_dequeue(queue, &message, &size, 0) == ISTHMUS_AGAIN);
    CHECK(says("isthmus_dequeue: no message"));
    CHECK(isthmus_dequeue_release(queue) == ISTHMUS_ARGUMENT && says("no message is taken"));
    CHECK(isthmus_queue_peek(queue, &message, &size) == ISTHMUS_AGAIN);
    CHECK(says("isthmus_queue_peek: no message"));
    int status;
    while ((status = isthmus_try_enqueue(queue, &size, sizeof size)) == ISTHMUS_OK) {
    }
    CHECK(status == ISTHMUS_AGAIN && says("isthmus_try_enqueue: the queue has no room"));
    OK(isthmus_queue_close(queue));
    CHECK(isthmus_try_enqueue(queue, &size, sizeof size) == ISTHMUS_CLOSED);
    CHECK(says("isthmus_try_enqueue: the queue is closed"));
    while ((status = isthmus_dequeue(queue, &message, &size, -1)) == ISTHMUS_OK)
        OK(isthmus_dequeue_release(queue));
    CHECK(status == ISTHMUS_CLOSED && says("isthmus_dequeue: the queue is closed"));
    CHECK(isthmus_queue_peek(queue, &message, &size) == ISTHMUS_CLOSED);
    CHECK(says("isthmus_queue_peek: the queue is closed"));
    OK(isthmus_queue_destroy(queue, NULL));
}

/* An event is about the next message as of when it was asked for. */
static void event(void) {
    isthmus_queue* queue = NULL;
    isthmus_event first, second;
    const void* message;
    uint64_t size;
    void* place;
    OK(isthmus_queue_create(&queue, ISTHMUS_ANY_ID, kRing));
    OK(isthmus_queue_event(queue, &first));
    CHECK(!isthmus_event_test(&first));
    OK(isthmus_enqueue(queue, "a", 1, NULL));
    CHECK(isthmus_event_test(&first));
    OK(isthmus_dequeue(queue, &message, &size, 0));
    OK(isthmus_dequeue_release(queue));
    OK(isthmus_queue_event(queue, &second));
    CHECK(isthmus_event_test(&first) && !isthmus_event_test(&second));
    OK(isthmus_enqueue_reserve(queue, 8, &place));
    CHECK(isthmus_event_test(&second));
    CHECK(isthmus_dequeue(queue, &message, &size, 0) == ISTHMUS_AGAIN);
    OK(isthmus_enqueue_commit(queue, place, 8));
    OK(isthmus_dequeue(queue, &message, &size, 0));
    OK(isthmus_queue_event(queue, &second));
    CHECK(!isthmus_event_test(&second));
    OK(isthmus_queue_close(queue));
    CHECK(isthmus_event_test(&second));
    OK(isthmus_queue_destroy(queue, NULL));
}

/* What is committed is what was reserved, once. */
static void commits(void) {
    isthmus_queue* queue = NULL;
    void *first = NULL, *second = NULL;
    const void* message = NULL;
    uint64_t size = 0, lost = 1;
    OK(isthmus_queue_create(&queue, 90 + (uint64_t)me, kRing));
    OK(isthmus_enqueue_reserve(queue, 20, &first));
    OK(isthmus_enqueue_reserve(queue, 8, &second));
    CHECK(isthmus_enqueue_commit(queue, first, 21) == ISTHMUS_TOO_LARGE);
    CHECK(says("21 bytes, and 20 were reserved"));
    OK(isthmus_enqueue_commit(queue, first, 20)); /* it was still reserved */
    CHECK(isthmus_enqueue_commit(queue, first, 20) == ISTHMUS_ARGUMENT && says("not reserved"));
    CHECK(isthmus_queue_destroy(queue, NULL) == ISTHMUS_ARGUMENT && says("1 messages are"));
    OK(isthmus_enqueue_commit(queue, second, 3));
    CHECK(isthmus_enqueue_commit(queue, second, 3) == ISTHMUS_ARGUMENT && says("not reserved"));
    OK(isthmus_dequeue(queue, &message, &size, 0));
    CHECK(size == 20);
    OK(isthmus_dequeue(queue, &message, &size, 0));
    CHECK(size == 3);
    OK(isthmus_queue_destroy(queue, &lost));
    CHECK(lost == 0);
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    late();
    under_way(40);
    reserved();
    room();
    clones();
    sentences();
    event();
    commits();
    isthmus_finalize();
    return 0;
}
