/* What programs for xbrtime check, and how they tell: each PE prints what it found wrong; PE 0
 * prints "right" if nobody found anything. */
#pragma once
#include <stdio.h>
#include <xbrtime.h>

static int me, pes, wrong;
static long wrong_in_all;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            ++wrong;                                                           \
            printf("PE %d, line %d: %s is false\n", me, __LINE__, #condition); \
        }                                                                      \
    } while (0)

/* The last call of main: its exit status. */
static int finish(void) {
    xbrtime_long_atomic_add(&wrong_in_all, wrong, 0);
    xbrtime_barrier();
    if (me == 0 && wrong_in_all == 0) puts("right");
    xbrtime_close();
    return wrong != 0;
}
