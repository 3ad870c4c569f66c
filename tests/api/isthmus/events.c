/* Waiting: costs no processor time once it sleeps, whatever is waited for; and no wake-up is lost,
 * whoever wakes. Run with ISTHMUS_SLEEP_MILLISECONDS=0 and ISTHMUS_WAKE_MILLISECONDS large, waits
 * go to sleep at once and nothing but a wake-up ends them.
 *
 *     events idle|soon|wake [ROUNDS]
 */
#include "check.h"

static int me, pes;
static isthmus_segment mine, next;
static isthmus_queue *in, *out; /* of this PE; of the next one */

/* What a wait of a while may cost in all: what comes before the sleep, and a little. */
static double allowed_seconds(void) {
    const char* const text = getenv("ISTHMUS_SLEEP_MILLISECONDS");
    return (text ? atof(text) : 10) * 1e-3 + 0.015;
}

enum { kIdleKinds = 5 };
static const char* const kIdleNames[kIdleKinds] = {"event_wait", "event_wait_all", "event_wait_any",
                                                   "dequeue", "enqueue"};

/* All PEs but 0 wait for PE 0, which does nothing for a while. */
static void idle(int kind) {
    int64_t* const words = (int64_t*)mine.base;
    isthmus_event events[3];
    char big[1500] = {0};
    const void* message;
    uint64_t size;
    size_t index = 9;
    words[0] = words[8] = words[16] = 0;
    for (int i = 0; i < 3; ++i)
        OK(isthmus_event_arm(&events[i], words + 8 * i, ISTHMUS_NE, 0));
    isthmus_queue* fill = NULL;
    if (me == 0) OK(isthmus_queue_create(&fill, 900 + (uint64_t)kind, 4096));
    isthmus_barrier();
    if (me == 0) {
        usleep(600000);
        for (int pe = 1; pe < pes; ++pe) {
            isthmus_segment theirs;
            isthmus_queue* queue;
            OK(isthmus_segment_clone(&theirs, 100 + (uint64_t)pe, -1));
            OK(isthmus_queue_clone(&queue, 200 + (uint64_t)pe, -1));
            for (int i = 0; i < 3; ++i) /* "any" gets one only */
                if (kind < 2 || i == 1) OK(isthmus_poke(&theirs, 64 * (uint64_t)i, 1));
            if (kind == 3) OK(isthmus_enqueue(queue, big, 8, NULL));
            OK(isthmus_queue_destroy(queue, NULL));
        }
        if (kind == 4) {
            for (int left = 0; left < 4 * (pes - 1); ++left) {
                OK(isthmus_dequeue(fill, &message, &size, 20));
                OK(isthmus_dequeue_release(fill));
            }
        }
    } else {
        if (kind == 4) OK(isthmus_queue_clone(&fill, 904, -1));
        const double start = seconds_now(CLOCK_MONOTONIC);
        const double worked = seconds_now(CLOCK_PROCESS_CPUTIME_ID);
        switch (kind) {
            case 0: OK(isthmus_event_wait(&events[0])); break;
            case 1: OK(isthmus_event_wait_all(events, 3, 20)); break;
            case 2:
                OK(isthmus_event_wait_any(events, 3, &index, 20));
                CHECK(index == 1);
                break;
            case 3:
                OK(isthmus_dequeue(in, &message, &size, -1));
                OK(isthmus_dequeue_release(in));
                break;
            default: /* two fit */
                for (int i = 0; i < 4; ++i)
                    OK(isthmus_enqueue(fill, big, sizeof big, NULL));
                break;
        }
        const double waited = seconds_now(CLOCK_MONOTONIC) - start;
        const double cost = seconds_now(CLOCK_PROCESS_CPUTIME_ID) - worked;
        printf("%s: %.3f s of processor time in %.3f s\n", kIdleNames[kind], cost, waited);
        CHECK(waited > 0.3);
        CHECK(cost < allowed_seconds());
    }
    isthmus_barrier();
    if (fill) OK(isthmus_queue_destroy(fill, NULL));
    isthmus_barrier();
}

/* A time-out is kept also while a wait polls, for which ISTHMUS_SPIN allows very long here. */
static void soon(void) {
    enum { kMany = 10000, kRounds = 20 };
    isthmus_event* const many = (isthmus_event*)malloc(kMany * sizeof *many);
    const void* message;
    uint64_t size;
    size_t index;
    for (int i = 0; i < kMany; ++i)
        OK(isthmus_event_arm(&many[i], (int64_t*)mine.base + i % 64, ISTHMUS_NE, 0));
    const double start = seconds_now(CLOCK_MONOTONIC);
    for (int i = 0; i < kRounds; ++i) {
        CHECK(isthmus_event_wait_any(many, kMany, &index, 0) == ISTHMUS_TIMEOUT);
        CHECK(isthmus_event_wait_all(many, kMany, 0) == ISTHMUS_TIMEOUT);
        CHECK(isthmus_event_wait_for(many, 0.001) == ISTHMUS_TIMEOUT);
        CHECK(strstr(isthmus_error_text(), "isthmus_event_wait_for: not true within 0.001 s"));
        CHECK(isthmus_dequeue(in, &message, &size, 0.001) == ISTHMUS_TIMEOUT);
    }
    CHECK(seconds_now(CLOCK_MONOTONIC) - start < 2);
    free(many);
}

static void linger(uint64_t* state, uint64_t most) {
    for (volatile uint64_t left = next_random(state) % most; left > 0; --left) {
    }
}

/* A token goes round; every PE sleeps, or is about to, when it comes. The wake-up is by every kind
 * of operation in turn. Both sides linger for a random little while, up to about as long as the
 * other one takes to wake up and answer, so that the token hits all stages of falling asleep. */
static void wake(int rounds) {
    enum { kWays = 9 };
    uint64_t state = 17 + (uint64_t)me;
    const int64_t* const word = (const int64_t*)(mine.base + 128);
    for (int64_t round = 1; round <= rounds; ++round) {
        const int way = (int)(round % kWays);
        for (int turn = 0; turn < 2; ++turn) {
            /* PE 0 sends first and receives last, the others the other way round. */
            const int sends = (turn == 0) == (me == 0);
            if (!sends) linger(&state, 20000);
            if (sends) {
                linger(&state, 300);
                int64_t before;
                const uint64_t at = 128;
                switch (way) {
                    case 0: OK(isthmus_postadd(&next, at, 1)); break;
                    case 1: OK(isthmus_poke(&next, at, round)); break;
                    case 2: OK(isthmus_fetchadd(&next, at, 1, &before, NULL)); break;
                    case 3: OK(isthmus_put(&round, &next, at, 8, NULL)); break;
                    case 4: OK(isthmus_postmax(&next, at, round)); break;
                    case 5:
                        OK(isthmus_compare_swap(&next, at, round - 1, round, &before, NULL));
                        break;
                    case 6: OK(isthmus_put_strided(&round, 8, &next, at, 8, 8, 1, NULL)); break;
                    case 7: OK(isthmus_poke32(&next, at, (int32_t)round)); break;
                    default:
                        OK(isthmus_poke(&next, at, round)); /* quietly: nobody watches the word */
                        OK(isthmus_enqueue(out, &round, 8, NULL));
                }
            } else if (way == kWays - 1) {
                const void* message;
                uint64_t size;
                OK(isthmus_dequeue(in, &message, &size, 30));
                CHECK(size == 8 && *(const int64_t*)message == round);
                OK(isthmus_dequeue_release(in));
            } else {
                isthmus_event event;
                OK(isthmus_event_arm(&event, word, ISTHMUS_GE, round));
                OK(isthmus_event_wait_for(&event, 30)); /* a lost wake-up times out */
            }
        }
    }
}

int main(int argc, char** argv) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, NULL, 4096, 0));
    OK(isthmus_segment_clone(&next, 100 + (uint64_t)((me + 1) % pes), -1));
    OK(isthmus_queue_create(&in, 200 + (uint64_t)me, 4096));
    OK(isthmus_queue_clone(&out, 200 + (uint64_t)((me + 1) % pes), -1));
    isthmus_barrier();
    if (argc > 1 && strcmp(argv[1], "soon") == 0) {
        soon();
    } else if (argc > 1 && strcmp(argv[1], "idle") == 0) {
        for (int kind = 0; kind < kIdleKinds; ++kind)
            idle(kind);
    } else {
        wake(argc > 2 ? atoi(argv[2]) : 20000);
    }
    isthmus_barrier();
    OK(isthmus_queue_destroy(out, NULL));
    isthmus_barrier();
    OK(isthmus_queue_destroy(in, NULL));
    isthmus_finalize();
    return 0;
}
