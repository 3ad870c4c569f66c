/* Random updates of a table over all PEs; done twice, xor undoes itself. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

#define LOG_SIZE 12
static uint64_t table[1 << LOG_SIZE];

static uint64_t step(uint64_t x) {
    return (x << 1) ^ ((int64_t)x < 0 ? 7 : 0);
}

int main(void) {
    shmem_init();
    const uint64_t me = shmem_my_pe(), npes = shmem_n_pes(), size = 1 << LOG_SIZE;
    for (uint64_t i = 0; i < size; i++)
        table[i] = me * size + i;
    shmem_barrier_all();
    for (int pass = 0; pass < 2; pass++) {
        uint64_t random = 0x123456789abcdefULL * (me + 1);
        for (int i = 0; i < 20000; i++) {
            random = step(random);
            const uint64_t global = random % (size * npes);
            shmem_uint64_atomic_xor(&table[global % size], random, global / size);
        }
        shmem_barrier_all();
    }
    long errors = 0;
    for (uint64_t i = 0; i < size; i++)
        errors += table[i] != me * size + i;
    printf("PE %d: %ld errors: %s\n", (int)me, errors, errors ? "WRONG" : "ok");
    shmem_finalize();
    return 0;
}
