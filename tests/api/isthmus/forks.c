/* fork() in a program of the native interface: what a child writes stays its own, in adopted memory
 * too, and what it calls ends it with a message, inlined or not. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

enum { kPages = 3 * 4096 };
static int me, pes;
static isthmus_segment own, theirs, standard, next_standard, adopted;
static isthmus_queue *inbox, *outbox;
static isthmus_event event;
static int64_t word = 9;

static int status_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Ends with 1, and has said that it is no PE; 90 if the call returns. */
#define ENDS(call)                                                                        \
    do {                                                                                  \
        int said[2];                                                                      \
        CHECK(pipe(said) == 0);                                                           \
        const pid_t child = fork();                                                       \
        if (child == 0) {                                                                 \
            dup2(said[1], 2);                                                             \
            (void)(call);                                                                 \
            _exit(90);                                                                    \
        }                                                                                 \
        close(said[1]);                                                                   \
        char text[512] = "";                                                              \
        const ssize_t length = read(said[0], text, sizeof text - 1);                      \
        close(said[0]);                                                                   \
        const int status = status_of(child);                                              \
        if (status != 1 || length <= 0 || !strstr(text, "called in a forked child")) {    \
            fprintf(stderr, "PE %d: %s: status %d, said: %s\n", me, #call, status, text); \
            isthmus_exit(1);                                                              \
        }                                                                                 \
    } while (0)

static void calls_end_the_child(const isthmus_segment* view) {
    int64_t result = 0;
    const isthmus_range range = {&word, 0, 8};
    ENDS(isthmus_poke(view, 0, 99));
    ENDS(isthmus_postadd(view, 0, 99));
    ENDS(isthmus_fetchadd(view, 0, 99, &result, NULL));
    ENDS(isthmus_poke32(view, 0, 99));
    ENDS(isthmus_peek(view, 0, &result, NULL));
    ENDS(isthmus_put(&word, view, 8, 8, NULL));
    ENDS(isthmus_get(&word, view, 8, 8, &event));
    ENDS(isthmus_fence(view, NULL));
    ENDS(isthmus_put_strided(&word, 8, view, 0, 8, 8, 1, NULL));
    ENDS(isthmus_put_list(&range, 1, view, NULL));
}

static void queues_end_the_child(void) {
    const void* message = NULL;
    void* place = NULL;
    uint64_t size = 0;
    ENDS(isthmus_enqueue(outbox, &word, 8, NULL));
    ENDS(isthmus_enqueue(inbox, &word, 8, &event));
    ENDS(isthmus_try_enqueue(outbox, &word, 8));
    ENDS(isthmus_enqueue_reserve(outbox, 8, &place));
    ENDS(isthmus_dequeue(inbox, &message, &size, 0));
    ENDS(isthmus_dequeue(inbox, &message, &size, -1));
    ENDS(isthmus_queue_peek(inbox, &message, &size));
}

/* Child and parent write, one after the other; neither sees the other's. */
static void writes_stay_apart(char* pages) {
    int to_child[2], to_parent[2];
    char signal = 'x';
    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    memset(pages, 5, kPages);
    *(int64_t*)own.base = 6;
    const pid_t child = fork();
    if (child == 0) {
        const int same = pages[0] == 5 && pages[kPages - 1] == 5 && *(int64_t*)own.base == 6;
        memset(pages, 77, kPages);
        *(int64_t*)own.base = 78;
        if (write(to_parent[1], &signal, 1) != 1 || read(to_child[0], &signal, 1) != 1) _exit(2);
        _exit(same && pages[0] == 77 && pages[4096] == 77 && *(int64_t*)own.base == 78 ? 23 : 3);
    }
    CHECK(read(to_parent[0], &signal, 1) == 1);
    for (int i = 0; i < kPages; ++i)
        CHECK(pages[i] == 5);
    CHECK(*(int64_t*)own.base == 6);
    pages[4096] = 8;
    OK(isthmus_put("abcdefg", &adopted, 0, 8, NULL)); /* it is a segment still */
    CHECK(strcmp(pages, "abcdefg") == 0);
    CHECK(write(to_child[1], &signal, 1) == 1);
    CHECK(status_of(child) == 23);
    for (int i = 0; i < 2; ++i) {
        close(to_child[i]);
        close(to_parent[i]);
    }
}

/* A child that does nothing ends well, whatever the other threads of its parent are at: the lists
 * and the memory that it takes over are whole. */
static volatile int churning = 1;
static void* churn(void* nothing) {
    while (churning) {
        isthmus_queue* queue;
        isthmus_segment segment;
        OK(isthmus_queue_create(&queue, 5000 + (uint64_t)me, 65536));
        OK(isthmus_segment_create(&segment, 6000 + (uint64_t)me, NULL, 65536, 0));
        memset(segment.base, 1, 65536);
        OK(isthmus_segment_destroy(&segment));
        OK(isthmus_queue_destroy(queue, NULL));
    }
    return nothing;
}
static void forks_beside_threads(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, churn, NULL) == 0);
    for (int i = 0; i < 60; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(33);
        CHECK(status_of(child) == 33);
    }
    churning = 0;
    pthread_join(thread, NULL);
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    const int next = (me + 1) % pes;
    char* pages =
        (char*)mmap(NULL, kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    OK(isthmus_segment_create(&own, 10 + (uint64_t)me, NULL, 4096, 0));
    OK(isthmus_segment_create(&adopted, 1000 + (uint64_t)me, pages, kPages, 0));
    OK(isthmus_queue_create(&inbox, 2000 + (uint64_t)me, 4096));
    OK(isthmus_segment_clone(&theirs, 10 + (uint64_t)next, -1));
    OK(isthmus_queue_clone(&outbox, 2000 + (uint64_t)next, -1));
    OK(isthmus_segment_default(&standard, me));
    OK(isthmus_segment_default(&next_standard, next));

    writes_stay_apart(pages);
    const isthmus_segment* const views[] = {&own, &adopted, &theirs, &standard, &next_standard};
    *(int64_t*)own.base = 6;
    for (int i = 0; i < 5; ++i)
        calls_end_the_child(views[i]);
    queues_end_the_child();
    ENDS((isthmus_barrier(), 0));
    ENDS((isthmus_init(), 0));
    isthmus_gather* gather;
    OK(isthmus_gather_create(&gather, &theirs, 1, 8));
    OK(isthmus_gather_push(gather, 0, 0, &word));
    ENDS(isthmus_gather_push(gather, 0, 8, &word));
    ENDS(isthmus_gather_wait(gather));
    OK(isthmus_gather_destroy(gather));
    word = 9;
    forks_beside_threads();
    ENDS(isthmus_segment_create(&own, 3, NULL, 4096, 0));
    OK(isthmus_event_arm(&event, &word, ISTHMUS_EQ, word + 1));
    ENDS(isthmus_event_wait(&event));

    /* Nothing of that has reached a PE, where all goes on. */
    isthmus_barrier();
    CHECK(*(int64_t*)own.base == 6);
    const void* message = NULL;
    uint64_t size = 0;
    CHECK(isthmus_dequeue(inbox, &message, &size, 0) == ISTHMUS_AGAIN);
    isthmus_barrier();
    OK(isthmus_enqueue(outbox, &word, 8, NULL));
    OK(isthmus_poke(&theirs, 0, 40 + me));
    OK(isthmus_dequeue(inbox, &message, &size, -1));
    isthmus_barrier();
    CHECK(*(int64_t*)own.base == 40 + (me + pes - 1) % pes);
    pages[1] = 'B';
    OK(isthmus_segment_destroy(&adopted));
    CHECK(strcmp(pages, "aBcdefg") == 0 && pages[4096] == 8);
    /* Adopted memory that is one's own again is the child's own, too. */
    const pid_t child = fork();
    if (child == 0) {
        pages[0] = 'x';
        _exit(0);
    }
    CHECK(status_of(child) == 0 && pages[0] == 'a');
    isthmus_finalize();
    return 0;
}
