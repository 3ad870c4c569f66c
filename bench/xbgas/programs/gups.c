/* Random updates of a distributed table, after HPCC RandomAccess: xor of 64 bits, atomically; with
 * --each 1 each is complete before the next begins. Validated: each PE's table has changed by what
 * all say that they have sent there, and doing all of them twice gives the first table back. */
#include "common.h"

/* Of what a word has changed by. Sums of all words of a PE tell where a change is, too. */
static uint64_t turned(uint64_t change, uint64_t word) {
    const unsigned by = (unsigned)(word % 64);
    return by == 0 ? change : change << by | change >> (64 - by);
}

int main(int argc, char** argv) {
    start();
    const int updates = argument(argc, argv, "--count", 1000),
              each = argument(argc, argv, "--each", 0);
    const uint64_t words = 1u << argument(argc, argv, "--log-words", 12); /* of each PE */
    uint64_t* const table = symmetric(words * sizeof *table);
    uint64_t* const sent = symmetric((size_t)npes * sizeof *sent);         /* by me to each PE */
    uint64_t* const arriving = symmetric((size_t)npes * sizeof *arriving); /* to me */
    for (uint64_t i = 0; i < words; ++i)
        table[i] = (uint64_t)me * words + i;
    int right = 1;
    for (int round = 0; round < 2; ++round) {
        if (round == 0) begin();
        for (int k = 0; k < updates; ++k) {
            const uint64_t value = random_at((uint64_t)me, (uint64_t)k);
            const uint64_t index = value % (words * (uint64_t)npes);
            shmem_uint64_atomic_xor(&table[index % words], value, (int)(index / words));
            if (each) shmem_quiet();
        }
        if (round != 0) continue;
        end();
        memset(sent, 0, (size_t)npes * sizeof *sent);
        for (int k = 0; k < updates; ++k) {
            const uint64_t value = random_at((uint64_t)me, (uint64_t)k);
            const uint64_t index = value % (words * (uint64_t)npes);
            sent[index / words] ^= turned(value, index % words);
        }
        shmem_uint64_alltoall(SHMEM_TEAM_WORLD, arriving, sent, 1);
        uint64_t left = 0;
        for (int p = 0; p < npes; ++p)
            left ^= arriving[p];
        for (uint64_t i = 0; i < words; ++i)
            left ^= turned(table[i] ^ ((uint64_t)me * words + i), i);
        right = left == 0;
        shmem_barrier_all(); /* all have looked */
    }
    shmem_barrier_all();
    for (uint64_t i = 0; i < words; ++i)
        right &= table[i] == (uint64_t)me * words + i;
    return finish("gups", right, (double)updates * npes);
}
