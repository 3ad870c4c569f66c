/* Queues: every message once, whole, in each producer's order, however small the ring; limits,
 * closing, draining, peeking, reserving in place. */
#include "check.h"

static int me, pes;

struct message {
    int64_t producer, number, size;
};

/* Every PE but 0 (or 0 itself, if alone) floods PE 0's tiny ring with messages of all sizes. */
static void flood(uint64_t capacity, int messages) {
    isthmus_queue* queue = NULL;
    if (me == 0) OK(isthmus_queue_create(&queue, 7, capacity));
    isthmus_barrier();
    if (me != 0) {
        OK(isthmus_queue_clone(&queue, 7, -1));
        uint64_t state = 3 + (uint64_t)me;
        unsigned char buffer[4096];
        for (int i = 0; i < messages; ++i) {
            const uint64_t size = sizeof(struct message) + next_random(&state) % 1500;
            const struct message head = {me, i, (int64_t)size};
            memset(buffer, (unsigned char)(me * 31 + i), size);
            memcpy(buffer, &head, sizeof head);
            if (i % 4 == 3) {
                void* place = NULL;
                OK(isthmus_enqueue_reserve(queue, size + 100, &place));
                memcpy(place, buffer, size);
                OK(isthmus_enqueue_commit(queue, place, size));
            } else {
                isthmus_event event;
                OK(isthmus_enqueue(queue, buffer, size, i % 4 ? &event : NULL));
                if (i % 4) OK(isthmus_event_wait(&event));
            }
        }
    } else if (pes > 1) {
        int64_t expected[256] = {0};
        for (int64_t i = 0; i < (int64_t)messages * (pes - 1); ++i) {
            const void* message = NULL;
            uint64_t size = 0;
            OK(isthmus_dequeue(queue, &message, &size, 30));
            struct message head;
            memcpy(&head, message, sizeof head);
            CHECK(head.size == (int64_t)size && head.number == expected[head.producer]++);
            const unsigned char* bytes = (const unsigned char*)message;
            for (uint64_t k = sizeof head; k < size; ++k)
                CHECK(bytes[k] == (unsigned char)(head.producer * 31 + head.number));
            OK(isthmus_dequeue_release(queue));
        }
    }
    isthmus_barrier();
    OK(isthmus_queue_destroy(queue, NULL));
    isthmus_barrier();
}

static void by_the_book(void) {
    isthmus_queue* queue = NULL;
    const void* message = NULL;
    uint64_t size = 0, lost = 0;
    OK(isthmus_queue_create(&queue, 1000 + (uint64_t)me, 4096));
    CHECK(isthmus_queue_limit(queue) == 4096 / 2 - 16);
    CHECK(isthmus_dequeue(queue, &message, &size, 0) == ISTHMUS_AGAIN);
    CHECK(isthmus_dequeue(queue, &message, &size, 0.02) == ISTHMUS_TIMEOUT);
    CHECK(isthmus_dequeue_release(queue) == ISTHMUS_ARGUMENT);
    isthmus_event event;
    OK(isthmus_queue_event(queue, &event));
    CHECK(!isthmus_event_test(&event));
    char big[4096] = {0};
    CHECK(isthmus_enqueue(queue, big, 2033, NULL) == ISTHMUS_TOO_LARGE);
    CHECK(strstr(isthmus_error_text(), "2032"));
    OK(isthmus_enqueue(queue, NULL, 0, NULL)); /* an empty message is a message */
    CHECK(isthmus_event_test(&event));
    OK(isthmus_queue_peek(queue, &message, &size));
    CHECK(size == 0);
    OK(isthmus_dequeue(queue, &message, &size, 0));
    OK(isthmus_dequeue_release(queue));
    /* The largest message fits again and again, wherever the ring stands. */
    for (int i = 0; i < 100; ++i) {
        const uint64_t bytes = i % 3 ? 2032 : 10;
        OK(isthmus_enqueue(queue, big, bytes, NULL));
        OK(isthmus_dequeue(queue, &message, &size, 0));
        CHECK(size == bytes);
        OK(isthmus_dequeue_release(queue));
    }
    /* Full: try says so. Several may be taken before they are released. */
    int count = 0;
    while (isthmus_try_enqueue(queue, &count, sizeof count) == ISTHMUS_OK)
        ++count;
    CHECK(count >= 32);
    for (int i = 0; i < count; ++i) {
        OK(isthmus_dequeue(queue, &message, &size, 0));
        CHECK(*(const int*)message == i);
    }
    CHECK(isthmus_try_enqueue(queue, &count, sizeof count) == ISTHMUS_AGAIN);
    for (int i = 0; i < count; ++i)
        OK(isthmus_dequeue_release(queue));
    OK(isthmus_try_enqueue(queue, &count, sizeof count));
    OK(isthmus_try_enqueue(queue, &count, sizeof count));
    OK(isthmus_queue_close(queue));
    CHECK(isthmus_enqueue(queue, &count, sizeof count, NULL) == ISTHMUS_CLOSED);
    OK(isthmus_dequeue(queue, &message, &size, -1)); /* what was there before stays */
    OK(isthmus_queue_destroy(queue, &lost));
    CHECK(lost == 1);
    isthmus_barrier();
}

/* Closing wakes a producer that waits for room and a consumer that waits for a message. */
/* Messages are given back in any order; producers get room when the oldest have gone. */
static void released_in_any_order(void) {
    isthmus_queue* queue;
    const void* taken[6];
    char text[1000];
    uint64_t size = 0, sizes[6];
    unsigned seed = (unsigned)me + 1;
    OK(isthmus_queue_create(&queue, 900 + (uint64_t)me, 8192));
    for (int round = 0; round < 2000; ++round) {
        const int count = 1 + rand_r(&seed) % 6;
        for (int i = 0; i < count; ++i) {
            const uint64_t bytes = (uint64_t)(rand_r(&seed) % 900);
            memset(text, 'a' + i, bytes);
            OK(isthmus_try_enqueue(queue, text, bytes));
        }
        for (int i = 0; i < count; ++i)
            OK(isthmus_dequeue(queue, &taken[i], &sizes[i], 0));
        int left[6] = {0, 1, 2, 3, 4, 5};
        for (int n = count; n > 0; --n) {
            const int which = rand_r(&seed) % n, message = left[which];
            left[which] = left[n - 1];
            for (int other = 0; other < n - 1; ++other) { /* still as they were sent */
                const char* bytes = taken[left[other]];
                CHECK(sizes[left[other]] == 0 || bytes[0] == 'a' + left[other]);
            }
            OK(isthmus_dequeue_release_message(queue, taken[message]));
            CHECK(isthmus_dequeue_release_message(queue, taken[message]) == ISTHMUS_ARGUMENT);
        }
    }
    /* The oldest is kept: nobody may write over it, however much comes and goes behind it. */
    memset(text, 'k', sizeof text);
    OK(isthmus_enqueue(queue, text, sizeof text, NULL));
    OK(isthmus_dequeue(queue, &taken[0], &size, 0));
    memset(text, 'x', sizeof text);
    while (isthmus_try_enqueue(queue, text, sizeof text) == ISTHMUS_OK) {
        OK(isthmus_dequeue(queue, &taken[1], &size, 0));
        OK(isthmus_dequeue_release_message(queue, taken[1]));
    }
    for (uint64_t i = 0; i < sizeof text; ++i)
        CHECK(((const char*)taken[0])[i] == 'k');
    OK(isthmus_dequeue_release(queue)); /* the oldest, and all that wait behind it */
    CHECK(isthmus_dequeue_release(queue) == ISTHMUS_ARGUMENT);
    OK(isthmus_try_enqueue(queue, text, sizeof text));
    CHECK(isthmus_dequeue_release_message(queue, text) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_dequeue_release_message(queue, (const char*)taken[0] + 64) == ISTHMUS_ARGUMENT);
    OK(isthmus_queue_destroy(queue, NULL));
}

static void closing(void) {
    if (pes < 2) return;
    isthmus_queue* queue = NULL;
    if (me == 0) OK(isthmus_queue_create(&queue, 9, 4096));
    isthmus_barrier();
    if (me == 1) {
        OK(isthmus_queue_clone(&queue, 9, -1));
        char bytes[1000] = {0};
        int status = ISTHMUS_OK;
        while (status == ISTHMUS_OK)
            status = isthmus_enqueue(queue, bytes, sizeof bytes, NULL);
        CHECK(status == ISTHMUS_CLOSED);
    } else if (me == 0) {
        usleep(100000);
        OK(isthmus_queue_close(queue));
    }
    isthmus_barrier();
    if (me == 0) {
        const void* message;
        uint64_t size;
        int status = ISTHMUS_OK;
        while (status == ISTHMUS_OK) {
            status = isthmus_dequeue(queue, &message, &size, -1);
            if (status == ISTHMUS_OK) OK(isthmus_dequeue_release(queue));
        }
        CHECK(status == ISTHMUS_CLOSED);
    }
    if (me < 2) OK(isthmus_queue_destroy(queue, NULL));
    isthmus_barrier();
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    by_the_book();
    flood(4096, 3000);
    flood(1 << 16, 6000);
    released_in_any_order();
    closing();
    isthmus_finalize();
    return 0;
}
