/* a[b[i]] = c[i], or c[i] = a[b[i]] (--gather 1), with a in cyclic order over the PEs and b a
 * permutation, so that every result is known. --gather 1 gets word after word, 2 eight words before
 * the first is used, 3 all of them by get_nbi with one quiet. */
#include "common.h"

static int pe_of(uint64_t global) {
    return (int)(global % (uint64_t)npes);
}

int main(int argc, char** argv) {
    start();
    const int gather = argument(argc, argv, "--gather", 0);
    const uint64_t mine = (uint64_t)argument(argc, argv, "--count", 1000);
    const uint64_t all = mine * (uint64_t)npes;
    /* i -> i * step + 1 mod all is a permutation if the step and `all` have no common factor. */
    uint64_t step = 7919;
    for (uint64_t a = step, b = all;;) {
        while (b != 0) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) break;
        a = ++step;
        b = all;
    }
    long* const a = symmetric(mine * sizeof *a);
    uint64_t* const b = malloc(mine * sizeof *b);
    long* const c = malloc(mine * sizeof *c);
    for (uint64_t i = 0; i < mine; ++i) {
        const uint64_t global = (uint64_t)me * mine + i;
        b[i] = (global * step + 1) % all;
        c[i] = gather ? -1 : (long)b[i];
        a[i] = gather ? (long)(i * (uint64_t)npes + (uint64_t)me) : -1;
    }
    begin();
    if (gather == 3) {
        for (uint64_t i = 0; i < mine; ++i)
            shmem_long_get_nbi(&c[i], &a[b[i] / (uint64_t)npes], 1, pe_of(b[i]));
        shmem_quiet();
    } else if (gather == 2) {
        uint64_t i = 0;
#define WORD(k) const long word##k = shmem_long_g(&a[b[i + k] / (uint64_t)npes], pe_of(b[i + k]))
        for (; i + 8 <= mine; i += 8) {
            WORD(0);
            WORD(1);
            WORD(2);
            WORD(3);
            WORD(4);
            WORD(5);
            WORD(6);
            WORD(7);
            const long words[8] = {word0, word1, word2, word3, word4, word5, word6, word7};
            memcpy(&c[i], words, sizeof words);
        }
#undef WORD
        for (; i < mine; ++i)
            c[i] = shmem_long_g(&a[b[i] / (uint64_t)npes], pe_of(b[i]));
    } else {
        for (uint64_t i = 0; i < mine; ++i) {
            long* const place = &a[b[i] / (uint64_t)npes];
            if (gather)
                c[i] = shmem_long_g(place, pe_of(b[i]));
            else
                shmem_long_p(place, c[i], pe_of(b[i]));
        }
    }
    end();
    int right = 1;
    for (uint64_t i = 0; i < mine; ++i)
        right &= gather ? c[i] == (long)b[i] : a[i] == (long)(i * (uint64_t)npes + (uint64_t)me);
    return finish(gather ? "gather" : "scatter", right, (double)all);
}
