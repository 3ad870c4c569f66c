/* Events: each condition at the values around its own, the least and the greatest; and waits with a
 * time limit that take as long as they are told. */
#include "check.h"

#define AROUND(T, LEAST, MOST, ARM)                                                      \
    do {                                                                                 \
        const T values[] = {LEAST, LEAST + 1, -2, -1, 0, 1, 2, 7, 8, 9, MOST - 1, MOST}; \
        enum { kValues = sizeof values / sizeof *values };                               \
        for (int v = 0; v < kValues; ++v) {                                              \
            for (int w = 0; w < kValues; ++w) {                                          \
                static T word;                                                           \
                const T now = values[w], value = values[v];                              \
                word = now;                                                              \
                const struct {                                                           \
                    int condition, holds;                                                \
                } all[] = {{ISTHMUS_EQ, now == value}, {ISTHMUS_NE, now != value},       \
                           {ISTHMUS_GT, now > value},  {ISTHMUS_GE, now >= value},       \
                           {ISTHMUS_LT, now < value},  {ISTHMUS_LE, now <= value}};      \
                for (int c = 0; c < 6; ++c) {                                            \
                    isthmus_event event;                                                 \
                    OK(ARM(&event, &word, all[c].condition, value));                     \
                    CHECK((isthmus_event_test(&event) != 0) == all[c].holds);            \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    } while (0)

int main(void) {
    isthmus_init();
    AROUND(int64_t, INT64_MIN, INT64_MAX, isthmus_event_arm);
    AROUND(int32_t, INT32_MIN, INT32_MAX, isthmus_event_arm32);
    static int64_t never;
    isthmus_event event;
    OK(isthmus_event_arm(&event, &never, ISTHMUS_EQ, 1));
    isthmus_segment none;
    for (int i = 1; i <= 2; ++i) {
        const double began = seconds_now(CLOCK_MONOTONIC);
        CHECK(isthmus_segment_clone(&none, 4711, 0.05 * i) != ISTHMUS_OK);
        CHECK(seconds_now(CLOCK_MONOTONIC) - began >= 0.05 * i);
        const double again = seconds_now(CLOCK_MONOTONIC);
        CHECK(isthmus_event_wait_for(&event, 0.05 * i) == ISTHMUS_TIMEOUT);
        CHECK(seconds_now(CLOCK_MONOTONIC) - again >= 0.05 * i);
    }
    isthmus_finalize();
    return 0;
}
