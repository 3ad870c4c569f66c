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

/* The segment is on another host: operations reach it, loads and stores do not. */
static inline int is_far(const isthmus_segment* segment) {
    return (segment->access & ISTHMUS_FAR) != 0;
}
/* Some PE is. */
static inline int has_far_pes(void) {
    for (int pe = 0; pe < isthmus_pes(); ++pe) {
        isthmus_segment heap;
        OK(isthmus_segment_default(&heap, pe));
        if (is_far(&heap)) return 1;
    }
    return 0;
}
/* The first `size` bytes of a segment as they are now: in place, or in `copy` if it is far. */
static inline unsigned char* bytes_of(const isthmus_segment* segment, void* copy, uint64_t size) {
    if (!is_far(segment)) return (unsigned char*)segment->base;
    OK(isthmus_fence(segment, NULL));
    OK(isthmus_get(copy, segment, 0, size, NULL));
    return (unsigned char*)copy;
}

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
