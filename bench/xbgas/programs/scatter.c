/* a[b[i]] = c[i], or c[i] = a[b[i]] (--gather 1), with a in cyclic order over the PEs and b a
 * permutation, so that every result is known. */
#include "common.h"

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
    for (uint64_t i = 0; i < mine; ++i) {
        const int pe = (int)(b[i] % (uint64_t)npes);
        long* const place = &a[b[i] / (uint64_t)npes];
        if (gather)
            c[i] = shmem_long_g(place, pe);
        else
            shmem_long_p(place, c[i], pe);
    }
    end();
    int right = 1;
    for (uint64_t i = 0; i < mine; ++i)
        right &= gather ? c[i] == (long)b[i] : a[i] == (long)(i * (uint64_t)npes + (uint64_t)me);
    return finish(gather ? "gather" : "scatter", right, (double)all);
}
