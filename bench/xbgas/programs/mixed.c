/* What the simulator itself is measured with: integer work, loads, stores and branches over 32 KB,
 * and one read of another PE in every --period rounds (0: none) of about 35 instructions. */
#include "common.h"

enum { kWords = 4096 };

int main(int argc, char** argv) {
    start();
    const int rounds = argument(argc, argv, "--rounds", 2000),
              period = argument(argc, argv, "--period", 3);
    static uint64_t local[kWords];
    uint64_t* const table = symmetric(kWords * sizeof *table);
    for (uint64_t i = 0; i < kWords; ++i) {
        local[i] = i;
        table[i] = i * 3 + (uint64_t)me;
    }
    uint64_t sum = 0, x = (uint64_t)me + 1, wrong = 0;
    begin();
    for (int k = 0, left = period; k < rounds; ++k) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const uint64_t i = x % kWords;
        local[i] += x;
        if (local[(i + 1) % kWords] & 1)
            sum += local[(uint64_t)k % kWords];
        else
            sum ^= x;
        if (--left != 0) continue;
        left = period;
        const uint64_t pe = (x >> 20) % (uint64_t)npes;
        wrong |= shmem_uint64_g(&table[i], (int)pe) ^ (i * 3 + pe);
    }
    end();
    __asm__ volatile("" ::"r"(sum));
    return finish("mixed", wrong == 0, (double)rounds * npes);
}
