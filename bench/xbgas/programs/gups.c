/* Random updates of a distributed table, after HPCC RandomAccess: xor of 64 bits, atomically. Doing
 * all of them twice must give the first table back. */
#include "common.h"

int main(int argc, char** argv) {
    start();
    const int updates = argument(argc, argv, "--count", 1000);
    const uint64_t words = 1u << argument(argc, argv, "--log-words", 12); /* of each PE */
    uint64_t* const table = symmetric(words * sizeof *table);
    for (uint64_t i = 0; i < words; ++i)
        table[i] = (uint64_t)me * words + i;
    for (int round = 0; round < 2; ++round) {
        if (round == 0) begin();
        for (int k = 0; k < updates; ++k) {
            const uint64_t value = random_at((uint64_t)me, (uint64_t)k);
            const uint64_t index = value % (words * (uint64_t)npes);
            shmem_uint64_atomic_xor(&table[index % words], value, (int)(index / words));
        }
        if (round == 0) end();
    }
    shmem_barrier_all();
    int right = 1;
    for (uint64_t i = 0; i < words; ++i)
        right &= table[i] == (uint64_t)me * words + i;
    return finish("gups", right, (double)updates * npes);
}
