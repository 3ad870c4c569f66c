/* A master hands out work and collects the results; whoever is done gets more.
 *
 * New here: queues. Each worker has one for its work, the master has one for what workers send. The
 * master waits for whoever comes first without asking anybody; workers that have nothing to do
 * sleep. Closing a queue tells its reader that no more will come. */
#include <isthmus.h>
#include <stdio.h>

enum { PIECES = 200 };
enum { RESULTS = 1, WORK = 100 }; /* ids: the master's queue; WORK + PE a worker's */

struct result {
    int worker, piece; /* piece -1: nothing done yet */
    long steps;
};

static void check(int status) {
    if (status == ISTHMUS_OK) return;
    fprintf(stderr, "PE %d: %s\n", isthmus_pe(), isthmus_error_text());
    isthmus_exit(1);
}

/* Steps of the Collatz sequence of all numbers of one piece: long for some, short for others. */
static long work(int piece) {
    long steps = 0;
    for (long start = 1 + 50L * piece; start <= 50L * (piece + 1); ++start)
        for (long n = start; n != 1; ++steps)
            n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void be_worker(int me) {
    isthmus_queue *todo, *results;
    check(isthmus_queue_create(&todo, WORK + (uint64_t)me, 4096));
    check(isthmus_queue_clone(&results, RESULTS, ISTHMUS_DEFAULT_TIMEOUT));
    struct result done = {me, -1, 0};
    for (;;) {
        check(isthmus_enqueue(results, &done, sizeof done, NULL));
        const void* message;
        uint64_t size;
        const int status = isthmus_dequeue(todo, &message, &size, -1);
        if (status == ISTHMUS_CLOSED) break;
        check(status);
        done.piece = *(const int*)message; /* read where it lies, in the ring */
        check(isthmus_dequeue_release(todo));
        done.steps = work(done.piece);
    }
    check(isthmus_queue_destroy(results, NULL));
    check(isthmus_queue_destroy(todo, NULL));
}

/* The sum of all results; *count: how many. */
static long be_master(int pes, int* count) {
    isthmus_queue *results, *todo[256] = {0};
    check(isthmus_queue_create(&results, RESULTS, 65536));
    long total = 0;
    int next = 0;
    const void* message;
    uint64_t size;
    for (int idle = 0; idle < pes - 1;) {
        check(isthmus_dequeue(results, &message, &size, -1));
        const struct result done = *(const struct result*)message;
        check(isthmus_dequeue_release(results));
        isthmus_queue** const to = &todo[done.worker];
        if (!*to)
            check(isthmus_queue_clone(to, WORK + (uint64_t)done.worker, ISTHMUS_DEFAULT_TIMEOUT));
        total += done.steps;
        *count += done.piece >= 0;
        if (next < PIECES) {
            check(isthmus_enqueue(*to, &next, sizeof next, NULL));
            ++next;
            continue;
        }
        check(isthmus_queue_close(*to));
        check(isthmus_queue_destroy(*to, NULL));
        ++idle;
    }
    for (; next < PIECES; ++next, ++*count)
        total += work(next); /* alone */
    check(isthmus_queue_destroy(results, NULL));
    return total;
}

int main(void) {
    isthmus_init();
    int wrong = 0, count = 0;
    if (isthmus_pe() == 0) {
        long expected = 0;
        const long total = be_master(isthmus_pes(), &count);
        for (int piece = 0; piece < PIECES; ++piece)
            expected += work(piece);
        wrong = total != expected || count != PIECES;
        printf("%d pieces done, %ld steps in all\n", count, total);
    } else {
        be_worker(isthmus_pe());
    }
    isthmus_finalize();
    return wrong;
}
