/* A PE that computes without a call of the library serves the native interface all the while: puts
 * of every shape, gets, atomics, allocation, look-ups of ids whose home it is. It computes until
 * the last of that has come to its memory, however long a busy machine takes: what only its next
 * call would serve never comes. */
#include <isthmus.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            fprintf(stderr, "PE %d: line %d: %s (%s)\n", isthmus_pe(), __LINE__, #condition, \
                    isthmus_error_text());                                                   \
            isthmus_exit(1);                                                                 \
        }                                                                                    \
    } while (0)
#define OK(call) CHECK((call) == ISTHMUS_OK)

enum { kRounds = 100, kIds = 20, kDone = 60000 /* the word that ends the computing */ };

static const double kPatience = 50; /* seconds: on an idle machine it is less than one */

int main(void) {
    isthmus_init();
    const int me = isthmus_pe();
    isthmus_segment mine, theirs;
    OK(isthmus_segment_create(&mine, 10 + (uint64_t)me, NULL, 1 << 16,
                              ISTHMUS_DEFAULT_ACCESS | ISTHMUS_ALLOCATOR));
    isthmus_barrier();
    OK(isthmus_segment_clone(&theirs, 10 + (uint64_t)(1 - me), -1));
    uint64_t block = 0;
    OK(isthmus_segment_malloc(&theirs, 32768, &block, NULL)); /* connects */
    isthmus_barrier();
    if (me == 1) {
        void* place;
        OK(isthmus_segment_address(&mine, kDone, &place));
        const volatile int64_t* const done = place;
        const double end = seconds() + kPatience;
        volatile double sum = 0;
        while (*done != kRounds && seconds() < end)
            sum = sum + 1;
        CHECK(*done == kRounds);
    } else {
        static int64_t words[1024], back[1024];
        for (int64_t round = 1; round <= kRounds; ++round) {
            for (int i = 0; i < 1024; ++i)
                words[i] = round * 1024 + i;
            OK(isthmus_put(words, &theirs, block, 8192, NULL));
            OK(isthmus_put_strided(words, 8, &theirs, block + 8192, 16, 8, 256, NULL));
            OK(isthmus_fence(&theirs, NULL));
            OK(isthmus_get(back, &theirs, block, 8192, NULL));
            CHECK(memcmp(back, words, 8192) == 0);
            OK(isthmus_get_strided(back, 8, &theirs, block + 8192, 16, 8, 256, NULL));
            CHECK(memcmp(back, words, 2048) == 0);
            int64_t before = 0;
            OK(isthmus_fetchadd(&theirs, block + 16384, 1, &before, NULL));
            CHECK(before == round - 1);
            OK(isthmus_postmax(&theirs, block + 16392, round));
            OK(isthmus_peek(&theirs, block + 16392, &before, NULL));
            CHECK(before == round);
            uint64_t small = 0;
            OK(isthmus_segment_malloc(&theirs, 100, &small, NULL));
            OK(isthmus_segment_free(&theirs, small, NULL));
        }
        for (uint64_t id = 1000; id < 1000 + kIds; ++id) { /* half of them live at PE 1 */
            isthmus_segment some, same;
            OK(isthmus_segment_create(&some, id, NULL, 64, 0));
            OK(isthmus_segment_clone(&same, id, 0));
            OK(isthmus_segment_destroy(&some));
            CHECK(isthmus_poke(&same, 0, 1) == ISTHMUS_STALE);
        }
        OK(isthmus_poke(&theirs, kDone, kRounds));
    }
    isthmus_barrier();
    isthmus_finalize();
    return 0;
}
