/* What is called before isthmus_init and after the last isthmus_finalize, and what of an earlier
 * session is used in a later one.
 *
 *     life before|after|shmem CALL    CALL, without a session or in one of OpenSHMEM's alone
 *     life stale                      all that answers without ending the job
 *     life calls                      the names of the calls */
#include <shmem.h>

#include "check.h"

enum { kId = 5, kQueue = 6 };
static isthmus_segment own, clone, standard, fresh;
static isthmus_queue *consumer, *producer, *made;
static isthmus_aggregator* aggregator;
static isthmus_gather* gather;
static isthmus_channel channel = ISTHMUS_CHANNEL_INIT;
static isthmus_event event = ISTHMUS_EVENT_TRUE;
static isthmus_event never;
static int64_t word;
static uint64_t number;
static size_t count;
static void* block;

static void handle(void* argument, int source, const void* items, size_t n) {
    (void)argument, (void)source, (void)items, (void)n;
}

/* What needs a session, and ends the job where there is none. */
#define CALLS(X)                                                                           \
    X(finalize, isthmus_finalize())                                                        \
    X(barrier, isthmus_barrier())                                                          \
    X(segment_create, (void)isthmus_segment_create(&fresh, 9, NULL, 8, 0))                 \
    X(segment_clone, (void)isthmus_segment_clone(&fresh, 9, 0))                            \
    X(segment_default, (void)isthmus_segment_default(&fresh, 0))                           \
    X(segment_malloc, (void)isthmus_segment_malloc(&own, 8, &number, NULL))                \
    X(segment_memalign, (void)isthmus_segment_memalign(&own, 64, 8, &number, NULL))        \
    X(segment_free, (void)isthmus_segment_free(&own, 64, NULL))                            \
    X(queue_create, (void)isthmus_queue_create(&made, 9, 4096))                            \
    X(queue_clone, (void)isthmus_queue_clone(&made, 9, 0))                                 \
    X(event_wait, (void)isthmus_event_wait_for(&never, 0))                                 \
    X(event_wait_all, (void)isthmus_event_wait_all(&never, 1, 0))                          \
    X(event_wait_any, (void)isthmus_event_wait_any(&never, 1, &count, 0))                  \
    X(gather_create, (void)isthmus_gather_create(&gather, &own, 1, 8))                     \
    X(aggregator_create, (void)isthmus_aggregator_create(&aggregator, 8, 0, handle, NULL)) \
    X(symmetric_malloc, (void)isthmus_symmetric_malloc(&block, 8, 0))                      \
    X(symmetric_free, (void)isthmus_symmetric_free(block))                                 \
    X(symmetric_address, (void)isthmus_symmetric_address(&word, 0))                        \
    X(symmetric_put, (void)isthmus_symmetric_put(&word, &number, 8, 0, NULL))              \
    X(symmetric_get, (void)isthmus_symmetric_get(&number, &word, 8, 0, NULL))              \
    X(message_register, (void)isthmus_message_register(1, NULL, NULL, 0, 0))               \
    X(message_request, (void)isthmus_message_request(0, 1, NULL, 0, 0))                    \
    X(message_poll, (void)isthmus_message_poll())                                          \
    X(message_limit, (void)isthmus_message_limit(0, ISTHMUS_MESSAGE_MEDIUM))               \
    X(message_wait, (void)isthmus_message_wait(&never, 0))
/* What needs an object of a session besides. */
#define CALLS_WITH_OBJECTS(X)                                                   \
    X(queue_destroy, (void)isthmus_queue_destroy(consumer, NULL))               \
    X(aggregator_push, (void)isthmus_aggregator_push(aggregator, 0, &word))     \
    X(aggregator_flush, (void)isthmus_aggregator_flush(aggregator))             \
    X(aggregator_progress, (void)isthmus_aggregator_progress(aggregator, NULL)) \
    X(aggregator_finish, (void)isthmus_aggregator_finish(aggregator))           \
    X(aggregator_destroy, (void)isthmus_aggregator_destroy(aggregator))

#define DEFINE(NAME, CALL)          \
    static void call_##NAME(void) { \
        CALL;                       \
    }
CALLS(DEFINE)
CALLS_WITH_OBJECTS(DEFINE)

#define ENTRY(NAME, CALL) {#NAME, call_##NAME},
static const struct {
    const char* name;
    void (*call)(void);
} calls[] = {CALLS(ENTRY) CALLS_WITH_OBJECTS(ENTRY)};

static void make_objects(void) {
    OK(isthmus_segment_create(&own, kId + 10 * (uint64_t)isthmus_pe(), NULL, 4096, 0));
    OK(isthmus_queue_create(&consumer, kQueue + 10 * (uint64_t)isthmus_pe(), 4096));
    isthmus_barrier();
    const int next = (isthmus_pe() + 1) % isthmus_pes();
    OK(isthmus_segment_clone(&clone, kId + 10 * (uint64_t)next, -1));
    OK(isthmus_queue_clone(&producer, kQueue + 10 * (uint64_t)next, -1));
    OK(isthmus_segment_default(&standard, next));
    OK(isthmus_aggregator_create(&aggregator, 8, 0, handle, NULL));
    OK(isthmus_gather_create(&gather, &standard, 1, 8));
}

#define STALE(call)                                     \
    do {                                                \
        CHECK((call) == ISTHMUS_STALE);                 \
        CHECK(strstr(isthmus_error_text(), "session")); \
    } while (0)

static void operate(const isthmus_segment* view) {
    int64_t result = 0;
    int32_t result32 = 0;
    const isthmus_point2d flat = {0, 0, 8, 1};
    const isthmus_point3d deep = {0, 0, 0, 8, 1, 1};
    const isthmus_range range = {&word, 0, 8};
    STALE(isthmus_put(&word, view, 0, 8, NULL));
    STALE(isthmus_get(&word, view, 0, 8, NULL));
    STALE(isthmus_put(&word, view, 0, 0, NULL));
    STALE(isthmus_fence(view, NULL));
    STALE(isthmus_postadd(view, 0, 1));
    STALE(isthmus_postadd32(view, 0, 1));
    STALE(isthmus_poke(view, 0, 1));
    STALE(isthmus_poke32(view, 0, 1));
    STALE(isthmus_fetchadd(view, 0, 1, &result, NULL));
    STALE(isthmus_fetchadd32(view, 0, 1, &result32, NULL));
    STALE(isthmus_peek(view, 0, &result, NULL));
    STALE(isthmus_peek32(view, 0, &result32, NULL));
    STALE(isthmus_fetchclear(view, 0, &result, NULL));
    STALE(isthmus_fetchclear32(view, 0, &result32, NULL));
    STALE(isthmus_compare_swap(view, 0, 0, 1, &result, NULL));
    STALE(isthmus_compare_swap32(view, 0, 0, 1, &result32, NULL));
#define POSTED(NAME)                   \
    STALE(isthmus_##NAME(view, 0, 1)); \
    STALE(isthmus_##NAME##32(view, 0, 1));
    ISTHMUS_POSTED_OPERATIONS(POSTED)
#define FETCHING(NAME)                                \
    STALE(isthmus_##NAME(view, 0, 1, &result, NULL)); \
    STALE(isthmus_##NAME##32(view, 0, 1, &result32, NULL));
    ISTHMUS_FETCHING_OPERATIONS(FETCHING)
    STALE(isthmus_put_strided(&word, 8, view, 0, 8, 8, 1, NULL));
    STALE(isthmus_get_strided(&word, 8, view, 0, 8, 8, 1, NULL));
    STALE(isthmus_put_block2d(&word, &flat, view, 0, &flat, 1, 8, 1, NULL));
    STALE(isthmus_get_block2d(&word, &flat, view, 0, &flat, 1, 8, 1, NULL));
    STALE(isthmus_put_block3d(&word, &deep, view, 0, &deep, 1, 8, 1, 1, NULL));
    STALE(isthmus_get_block3d(&word, &deep, view, 0, &deep, 1, 8, 1, 1, NULL));
    STALE(isthmus_put_list(&range, 1, view, NULL));
    STALE(isthmus_get_list(&range, 1, view, NULL));
    STALE(isthmus_channel_put(&channel, &word, view, 0, 8));
    STALE(isthmus_channel_get(&channel, &word, view, 0, 8));
    STALE(isthmus_channel_postadd(&channel, view, 0, 1));
    STALE(isthmus_channel_poke(&channel, view, 0, 1));
    isthmus_wake(view);
    CHECK(channel.issued == 0);
}

static void enqueue(isthmus_queue* queue, void* reserved) {
    void* place = NULL;
    STALE(isthmus_enqueue(queue, &word, 8, NULL));
    STALE(isthmus_enqueue(queue, &word, 8, &event));
    STALE(isthmus_try_enqueue(queue, &word, 8));
    STALE(isthmus_enqueue_reserve(queue, 8, &place));
    CHECK(place == NULL);
    STALE(isthmus_enqueue_commit(queue, reserved, 8));
    STALE(isthmus_queue_close(queue));
    CHECK(isthmus_queue_limit(queue) == 0);
    CHECK(isthmus_queue_id(queue) % 10 == kQueue);
}

static void use_all(void* reserved) {
    int64_t result = 0;
    const void* message = NULL;
    operate(&own);
    operate(&clone);
    operate(&standard);
    enqueue(producer, reserved);
    enqueue(consumer, reserved);
    STALE(isthmus_dequeue(consumer, &message, &number, -1));
    STALE(isthmus_dequeue(consumer, &message, &number, 0));
    STALE(isthmus_dequeue_release(consumer));
    STALE(isthmus_queue_peek(consumer, &message, &number));
    STALE(isthmus_queue_event(consumer, &event));
    STALE(isthmus_gather_push(gather, 0, 0, &result));
    STALE(isthmus_gather_wait(gather));
    void* address = NULL;
    STALE(isthmus_segment_offset(&own, own.base + 8, &number));
    STALE(isthmus_segment_address(&own, 8, &address));
    /* These are the caller's own memory, and ask for nothing. */
    OK(isthmus_channel_fence(&channel));
    OK(isthmus_channel_quiet(&channel));
    OK(isthmus_channel_event(&channel, &event));
    OK(isthmus_event_wait(&event));
    OK(isthmus_event_arm(&never, &word, ISTHMUS_EQ, word + 1));
    CHECK(!isthmus_event_test(&never));
}

static void stale(void) {
    void* reserved = NULL;
    isthmus_init();
    make_objects();
    OK(isthmus_enqueue_reserve(producer, 8, &reserved));
    isthmus_finalize();
    use_all(reserved);
    isthmus_segment gone_first = own;
    STALE(isthmus_segment_destroy(&gone_first));
    isthmus_queue *const old_consumer = consumer, *const old_producer = producer;
    isthmus_gather* const old_gather = gather;
    const isthmus_segment old_own = own, old_clone = clone, old_standard = standard;
    for (int session = 0; session < 3; ++session) {
        /* The same ids, at the same places: what is old must not reach what is new. */
        isthmus_init();
        make_objects();
        isthmus_queue *const new_consumer = consumer, *const new_producer = producer;
        isthmus_gather* const new_gather = gather;
        const isthmus_segment new_own = own, new_clone = clone;
        CHECK(new_own.base == old_own.base && new_own.id == old_own.id);
        isthmus_barrier();
        consumer = old_consumer, producer = old_producer, gather = old_gather;
        own = old_own, clone = old_clone, standard = old_standard;
        use_all(reserved);
        isthmus_segment gone = old_own;
        STALE(isthmus_segment_destroy(&gone));
        isthmus_barrier();
        for (int i = 0; i < 4096; ++i)
            CHECK(new_own.base[i] == 0);
        const void* message = NULL;
        CHECK(isthmus_dequeue(new_consumer, &message, &number, 0) == ISTHMUS_AGAIN);
        isthmus_barrier();
        word = 11 + session;
        OK(isthmus_enqueue(new_producer, &word, 8, NULL));
        OK(isthmus_poke(&new_clone, 0, word));
        OK(isthmus_dequeue(new_consumer, &message, &number, -1));
        CHECK(number == 8 && *(const int64_t*)message == word);
        isthmus_barrier();
        CHECK(*(const int64_t*)new_own.base == word);
        OK(isthmus_gather_destroy(new_gather));
        if (session == 2) {
            number = 5;
            OK(isthmus_queue_destroy(old_consumer, &number));
            CHECK(number == 0);
            OK(isthmus_queue_destroy(old_producer, NULL));
            OK(isthmus_gather_destroy(old_gather));
        }
        isthmus_barrier();
        isthmus_finalize();
    }
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "stale") == 0) {
        /* Before there has been a session. */
        static isthmus_segment never_made;
        CHECK(isthmus_segment_destroy(&never_made) == ISTHMUS_STALE);
        stale();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "exit") == 0) isthmus_exit(7);
    OK(isthmus_event_arm(&never, &word, ISTHMUS_EQ, 1));
    for (size_t i = 0; argc == 3 && i < sizeof calls / sizeof *calls; ++i) {
        if (strcmp(calls[i].name, argv[2]) != 0) continue;
        if (strcmp(argv[1], "before") != 0) {
            isthmus_init();
            make_objects();
            isthmus_finalize();
        }
        if (strcmp(argv[1], "shmem") == 0) shmem_init();
        calls[i].call();
        return 0;
    }
    return 64;
}
