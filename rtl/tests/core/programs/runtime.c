/* OpenSHMEM by the machine's runtime on bare cores: barriers, puts and gets of words and blocks,
 * atomics, random updates (GUPS), a broadcast and a collect. What is left in memory does not depend
 * on who came first, so it is the same wherever the program runs. Ends with 0, or the number of the
 * check that failed. */
#include <shmem.h>
#include <stdint.h>

void bare_start(void);

enum { kBlock = 203, kTable = 64, kUpdates = 48, kMostPes = 16 };

struct {
    unsigned char from[kBlock + 5], to[kBlock + 9], back[kBlock + 3];
    uint64_t word, table[kTable], got[kMostPes];
    uint64_t counter, ticket_sum, locked, swapped;
    uint32_t small;
    unsigned char cast[160], collected[16 * kMostPes];
} results;

#define CHECK(number, condition)         \
    do {                                 \
        if (!(condition)) return number; \
    } while (0)

static uint64_t next_random(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(void) {
    bare_start();
    const int me = shmem_my_pe(), pes = shmem_n_pes(), right = (me + 1) % pes,
              left = (me + pes - 1) % pes;

    /* A block at odd addresses to the right, a word, and both back again. */
    for (int i = 0; i < kBlock; ++i)
        results.from[i + 1] = (unsigned char)(7 * i + me);
    shmem_putmem(results.to + 3, results.from + 1, kBlock, right);
    shmem_uint64_p(&results.word, 1000 + (uint64_t)me, right);
    shmem_barrier_all();
    for (int i = 0; i < kBlock; ++i)
        CHECK(1, results.to[i + 3] == (unsigned char)(7 * i + left));
    CHECK(2, results.word == 1000 + (uint64_t)left);
    shmem_getmem(results.back, results.to + 3, kBlock, right);
    for (int i = 0; i < kBlock; ++i)
        CHECK(3, results.back[i] == (unsigned char)(7 * i + me));
    for (int pe = 0; pe < pes; ++pe)
        results.got[pe] = shmem_uint64_g(&results.word, pe);
    for (int pe = 0; pe < pes; ++pe)
        CHECK(4, results.got[pe] == 1000 + (uint64_t)((pe + pes - 1) % pes));
    shmem_barrier_all();

    /* Everybody counts at PE 0; tickets are all different, whoever has which. */
    for (int i = 0; i < 5; ++i) {
        const uint64_t ticket = shmem_uint64_atomic_fetch_inc(&results.counter, 0);
        shmem_uint64_atomic_add(&results.ticket_sum, ticket, pes - 1);
    }
    shmem_uint32_atomic_or(&results.small, 1u << me, 0);
    for (;;) {
        const uint64_t now = shmem_uint64_atomic_fetch(&results.locked, 0);
        if (shmem_uint64_atomic_compare_swap(&results.locked, now, now + 3, 0) == now) break;
    }
    shmem_uint64_atomic_set(&results.swapped, (uint64_t)(40 + me), right);
    shmem_barrier_all();
    const uint64_t tickets = 5 * (uint64_t)pes;
    if (me == 0) {
        CHECK(5, results.counter == tickets && results.locked == 3 * (uint64_t)pes);
        CHECK(6, results.small == (pes == 32 ? ~0u : (1u << pes) - 1));
    }
    if (me == pes - 1) CHECK(7, results.ticket_sum == tickets * (tickets - 1) / 2);
    CHECK(8, results.swapped == (uint64_t)(40 + left));

    /* Random updates anywhere: exclusive or has no order. */
    uint64_t state = 0x123456789abcdef0u + (uint64_t)me * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < kUpdates; ++i) {
        const uint64_t value = next_random(&state);
        shmem_uint64_atomic_xor(&results.table[value >> 8 & (kTable - 1)], value,
                                (int)((value >> 32) % (uint64_t)pes));
    }
    shmem_barrier_all();

    /* From the last PE to all, and of all to all. */
    for (int i = 0; i < 160; ++i)
        results.from[i] = (unsigned char)(i * 3 + me * 11);
    shmem_broadcastmem(SHMEM_TEAM_WORLD, results.cast, results.from, 160, pes - 1);
    for (int i = 0; i < 160; ++i)
        CHECK(9, results.cast[i] == (unsigned char)(i * 3 + (pes - 1) * 11));
    shmem_fcollectmem(SHMEM_TEAM_WORLD, results.collected, results.from, 16);
    for (int i = 0; i < 16 * pes; ++i)
        CHECK(10, results.collected[i] == (unsigned char)(i % 16 * 3 + i / 16 * 11));
    shmem_barrier_all();
    return 0;
}
