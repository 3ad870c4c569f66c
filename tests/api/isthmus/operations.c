/* Atomics of both widths against a model; posted ones from all PEs at once; events and their ways
 * of waiting; what sleeps is woken and costs no processor time. */
#include "check.h"

static int me, pes;
static isthmus_segment mine, next;

#define FETCHING(T, SUFFIX)                                                                     \
    static void fetching##SUFFIX(void) {                                                        \
        const uint64_t at = 64;                                                                 \
        T model = 0, seen = 0;                                                                  \
        uint64_t state = 5 + (uint64_t)me;                                                      \
        OK(isthmus_poke##SUFFIX(&next, at, 0));                                                 \
        for (int i = 0; i < 2000; ++i) {                                                        \
            const T value = (T)next_random(&state);                                             \
            const T before = model;                                                             \
            isthmus_event event;                                                                \
            isthmus_event* const given = i % 2 ? &event : NULL;                                 \
            switch (next_random(&state) % 9) {                                                  \
                case 0:                                                                         \
                    OK(isthmus_fetchadd##SUFFIX(&next, at, value, &seen, given));               \
                    model = (T)((uint64_t)model + (uint64_t)value);                             \
                    break;                                                                      \
                case 1:                                                                         \
                    OK(isthmus_swap##SUFFIX(&next, at, value, &seen, given));                   \
                    model = value;                                                              \
                    break;                                                                      \
                case 2:                                                                         \
                    OK(isthmus_fetchmin##SUFFIX(&next, at, value, &seen, given));               \
                    model = value < model ? value : model;                                      \
                    break;                                                                      \
                case 3:                                                                         \
                    OK(isthmus_fetchmax##SUFFIX(&next, at, value, &seen, given));               \
                    model = value > model ? value : model;                                      \
                    break;                                                                      \
                case 4:                                                                         \
                    OK(isthmus_fetchand##SUFFIX(&next, at, value, &seen, given));               \
                    model &= value;                                                             \
                    break;                                                                      \
                case 5:                                                                         \
                    OK(isthmus_fetchor##SUFFIX(&next, at, value, &seen, given));                \
                    model |= value;                                                             \
                    break;                                                                      \
                case 6:                                                                         \
                    OK(isthmus_fetchxor##SUFFIX(&next, at, value, &seen, given));               \
                    model ^= value;                                                             \
                    break;                                                                      \
                case 7:                                                                         \
                    OK(isthmus_fetchclear##SUFFIX(&next, at, &seen, given));                    \
                    model = 0;                                                                  \
                    break;                                                                      \
                default: {                                                                      \
                    const T expected = i % 3 ? model : (T)(model + 1);                          \
                    OK(isthmus_compare_swap##SUFFIX(&next, at, expected, value, &seen, given)); \
                    if (expected == model) model = value;                                       \
                }                                                                               \
            }                                                                                   \
            if (given) OK(isthmus_event_wait(given));                                           \
            CHECK(seen == before);                                                              \
            OK(isthmus_peek##SUFFIX(&next, at, &seen, NULL));                                   \
            CHECK(seen == model);                                                               \
        }                                                                                       \
        CHECK(isthmus_poke##SUFFIX(&next, at + 1, 0) == ISTHMUS_BOUNDS);                        \
        CHECK(isthmus_peek##SUFFIX(&next, next.size, &seen, NULL) == ISTHMUS_BOUNDS);           \
    }
FETCHING(int64_t, )
FETCHING(int32_t, 32)

static void posted(void) {
    isthmus_segment zero;
    enum { kEach = 20000 };
    OK(isthmus_segment_clone(&zero, 100, -1));
    for (int i = 0; i < kEach; ++i) {
        OK(isthmus_postadd(&zero, 256, i));
        OK(isthmus_postadd32(&zero, 264, -1));
        OK(isthmus_postmax(&zero, 272, me * kEach + i));
        OK(isthmus_postmin(&zero, 280, -(me * kEach + i)));
        OK(isthmus_postor(&zero, 288, 1ll << (i % 60)));
        OK(isthmus_postxor(&zero, 296, 1));
    }
    isthmus_barrier();
    if (me == 0) {
        const int64_t* words = (const int64_t*)(mine.base + 256);
        CHECK(words[0] == (int64_t)pes * kEach * (kEach - 1) / 2);
        CHECK((int32_t)words[1] == -pes * kEach);
        CHECK(words[2] == (int64_t)pes * kEach - 1);
        CHECK(words[3] == -((int64_t)pes * kEach - 1));
        CHECK(words[4] == (1ll << 60) - 1);
        CHECK(words[5] == (int64_t)pes * kEach % 2);
    }
    isthmus_barrier();
}

static void events(void) {
    int64_t* const word = (int64_t*)(mine.base + 512);
    isthmus_event event;
    *word = 5;
    const int truth[6][3] = {{0, 1, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}};
    for (int condition = 0; condition < 6; ++condition) {
        for (int value = 4; value <= 6; ++value) { /* *word is 5: below, equal, above */
            OK(isthmus_event_arm(&event, word, (isthmus_condition)condition, value));
            CHECK(isthmus_event_test(&event) == truth[condition][6 - value]);
        }
    }
    /* Against what the compiler makes of each comparison, where ranges begin and end. */
    static const int64_t values[] = {INT64_MIN, INT64_MIN + 1, INT32_MIN, -1,           0,
                                     1,         INT32_MAX,     INT64_MAX, INT64_MAX - 1};
    enum { kValues = sizeof values / sizeof *values };
    for (int i = 0; i < kValues * kValues * 6; ++i) {
        const int64_t left = values[i % kValues], right = values[i / kValues % kValues];
        const int condition = i / (kValues * kValues);
        const int expected[6] = {left == right, left != right, left > right,
                                 left >= right, left < right,  left <= right};
        *word = left;
        OK(isthmus_event_arm(&event, word, (isthmus_condition)condition, right));
        CHECK(isthmus_event_test(&event) == expected[condition]);
        const int32_t narrow = (int32_t)left, other = (int32_t)right;
        const int expected32[6] = {narrow == other, narrow != other, narrow > other,
                                   narrow >= other, narrow < other,  narrow <= other};
        OK(isthmus_event_arm32(&event, &narrow, (isthmus_condition)condition, other));
        CHECK(isthmus_event_test(&event) == expected32[condition]);
        CHECK((isthmus_event_wait_for(&event, 0) == ISTHMUS_OK) == expected32[condition]);
    }
    *word = 5;
    CHECK(isthmus_event_arm(&event, word, (isthmus_condition)6, 0) == ISTHMUS_ARGUMENT);
    CHECK(isthmus_event_arm(&event, NULL, ISTHMUS_EQ, 0) == ISTHMUS_ARGUMENT);
    OK(isthmus_event_arm(&event, word, ISTHMUS_EQ, 6));
    CHECK(isthmus_event_wait_for(&event, 0.02) == ISTHMUS_TIMEOUT);
    isthmus_event several[3] = {event, ISTHMUS_EVENT_TRUE, event};
    size_t which = 9;
    OK(isthmus_event_wait_any(several, 3, &which, -1));
    CHECK(which == 1);
    CHECK(isthmus_event_wait_all(several, 3, 0.02) == ISTHMUS_TIMEOUT);
    CHECK(isthmus_event_wait_any(several, 0, &which, 0) == ISTHMUS_ARGUMENT);
    isthmus_barrier();
}

/* Each PE sleeps until its neighbour, a long time later, wakes it. */
static void sleeping(void) {
    isthmus_event event;
    OK(isthmus_event_arm(&event, (int64_t*)(mine.base + 1024), ISTHMUS_GE, 1));
    isthmus_barrier();
    if (me == 0) {
        usleep(400000);
        OK(isthmus_poke(&next, 1024, 1));
        if (pes > 1) OK(isthmus_event_wait(&event));
    } else {
        const double start = seconds_now(CLOCK_MONOTONIC);
        const double worked = seconds_now(CLOCK_PROCESS_CPUTIME_ID);
        OK(isthmus_event_wait(&event));
        CHECK(seconds_now(CLOCK_MONOTONIC) - start > 0.3);
        CHECK(seconds_now(CLOCK_PROCESS_CPUTIME_ID) - worked < 0.1);
        OK(isthmus_poke(&next, 1024, 1));
    }
    isthmus_barrier();
}

/* No wake-up is lost: a token goes round, and every PE sleeps for every round. */
static void token(void) {
    isthmus_event event;
    OK(isthmus_poke(&next, 1088, 0));
    isthmus_barrier();
    for (int round = 1; round <= 300; ++round) {
        OK(isthmus_event_arm(&event, (int64_t*)(mine.base + 1088), ISTHMUS_GE, round));
        if (me == 0) {
            OK(isthmus_postadd(&next, 1088, 1));
            OK(isthmus_event_wait_for(&event, 20));
        } else {
            OK(isthmus_event_wait_for(&event, 20));
            OK(isthmus_postadd(&next, 1088, 1));
        }
    }
    isthmus_barrier();
}

int main(void) {
    isthmus_init();
    me = isthmus_pe();
    pes = isthmus_pes();
    OK(isthmus_segment_create(&mine, 100 + (uint64_t)me, NULL, 4096, 0));
    OK(isthmus_segment_clone(&next, 100 + (uint64_t)((me + 1) % pes), -1));
    fetching();
    isthmus_barrier();
    fetching32();
    isthmus_barrier();
    posted();
    events();
    sleeping();
    token();
    isthmus_finalize();
    return 0;
}
