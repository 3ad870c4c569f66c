/* What the programs of this folder share: a check that ends the job with the line that failed. */
#ifndef ISTHMUS_TESTS_CHECK_H
#define ISTHMUS_TESTS_CHECK_H

#include <isthmus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fprintf(stderr, "PE %d: %s:%d: %s (%s)\n", isthmus_pe(), __FILE__, __LINE__, \
                    #condition, isthmus_error_text());                                   \
            isthmus_exit(1);                                                             \
        }                                                                                \
    } while (0)
#define OK(call) CHECK((call) == ISTHMUS_OK)

static inline double seconds_now(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* xorshift64; the seed must not be 0. */
static inline uint64_t next_random(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
