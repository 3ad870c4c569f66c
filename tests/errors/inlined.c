/* What the inlined operations pass by themselves in checked mode (isthmus/checks.h), at every place
 * around blocks: nothing that is wrong, and what programs do all the time. */
#include <isthmus/checks.h>
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kAround = 60, /* less than what lies between blocks */ kMostBytes = 200 };

static int failures;

static void expect(int good, const char* what, long at, long bytes) {
    if (good || failures++ > 20) return;
    fprintf(stderr, "PE %d: %s: %ld bytes at %ld\n", shmem_my_pe(), what, bytes, at);
}

static int word(const void* address, unsigned bytes, unsigned unit, int pe) {
    const uint32_t slot = ISTHMUS_WINDOW_SLOT(pe);
    return isthmus_checks_word(ISTHMUS_WINDOW_THERE(address, slot), bytes, unit, slot);
}
static int block(const void* address, const void* here, size_t bytes, int pe) {
    return isthmus_checks_short((uintptr_t)address, (uintptr_t)here, bytes, pe);
}

static long statics[16];

/* `mine` is known, if anything is. */
static void look_around(char* begin, long size, char* mine, int pe) {
    for (long at = -kAround; at < size + kAround; ++at) {
        for (long bytes = 1; bytes <= 16; bytes *= 2) {
            const int inside = at >= 0 && at + bytes <= size;
            expect(inside || !word(begin + at, (unsigned)bytes, 1, pe), "a word outside passes", at,
                   bytes);
            expect(at % bytes == 0 || !word(begin + at, (unsigned)bytes, (unsigned)bytes, pe),
                   "a misaligned atomic passes", at, bytes);
            expect(!inside || at % bytes != 0 ||
                       word(begin + at, (unsigned)bytes, (unsigned)bytes, pe),
                   "a word of the block does not pass", at, bytes);
        }
        for (long bytes = 0; bytes <= 70; ++bytes) {
            const int inside = at >= 0 && at + bytes <= size && bytes > 0 && bytes <= 64;
            expect(block(begin + at, mine, (size_t)bytes, pe) == inside, "not as it is", at, bytes);
            /* From the heap to the heap; the same place is left to the library. */
            const int apart = pe != shmem_my_pe() || at >= bytes;
            expect(
                block(begin + at, begin, (size_t)bytes, pe) == (inside && bytes <= size && apart),
                "from the block's beginning not as it is", at, bytes);
            expect(
                block(begin, begin + at, (size_t)bytes, pe) == (inside && bytes <= size && apart),
                "to the block's beginning not as it is", at, bytes);
        }
    }
}

static int my_pe; /* the call itself is refused there */

static void* call_from_thread(void* argument) {
    expect(!word(argument, 8, 8, my_pe), "another thread's word passes", 0, 8);
    return NULL;
}

int main(int argc, char** argv) {
    shmem_init();
    const int me = shmem_my_pe();
    const int other = (me + 1) % shmem_n_pes();
    const int checked = argc > 1 && strcmp(argv[1], "checked") == 0;
    const long sizes[] = {1, 8, 24, 63, 64, 65, 72, 100, 128, kMostBytes};
    char* const mine = aligned_alloc(4096, 8192);
    char* const own = shmem_malloc(kMostBytes);
    memset(mine, 1, 8192);
    if (!checked) {
        expect(!word(own, 8, 8, me) && !block(own, mine, 8, me), "passes without checks", 0, 8);
    } else {
        expect(!block(own, mine, 8, me), "memory passes that nobody has asked for", 0, 8);
        expect(!block(own, (char*)8, 8, me) && !block(own, NULL, 64, me), "null passes", 0, 8);
        for (int i = 0; i < 2; ++i) /* the library asks about its page, and then remembers it */
            shmem_putmem(own, mine, 64, other);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            char* const begin = shmem_malloc((size_t)sizes[i]);
            look_around(begin, sizes[i], mine, me);
            look_around(begin, sizes[i], mine, other);
            shmem_free(begin);
            expect(!word(begin, 1, 1, me) && !block(begin, mine, 1, other), "freed memory passes",
                   0, 1);
        }
        expect(block(own, mine + 4032, 64, other), "the end of a page does not pass", 4032, 64);
        expect(!block(own, mine + 4033, 64, other), "over the end of a page passes", 4033, 64);
        expect(word(statics, 8, 8, other) && block(statics, mine, 64, other),
               "static data does not pass", 0, 8);
        expect(!word(mine, 8, 8, other), "what is not symmetric passes", 0, 8);
        expect(!word(own, 8, 8, -1) && !word(own, 8, 8, 1 << 20), "a PE passes that there is not",
               0, 8);
        /* Another PE's block, seen here, as a source: it may overlap. */
        char* const seen = shmem_ptr(own, other);
        if (seen && other != me) {
            shmem_putmem(own, seen + 64, 64, me);
            expect(!block(own, seen + 1, 64, other), "an overlap in another PE's heap passes", 1,
                   64);
        }
        my_pe = me;
        pthread_t thread;
        pthread_create(&thread, NULL, call_from_thread, own);
        pthread_join(thread, NULL);
    }
    shmem_finalize();
    expect(!word(own, 8, 8, me), "passes behind shmem_finalize", 0, 8);
    free(mine);
    return failures != 0;
}
