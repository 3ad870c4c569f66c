/* Every PE puts --bytes to random places of random PEs, one transfer after the other is complete,
 * as in the paper's figures 16 and 17: --words 1 in single words of 8 bytes, else as a block. */
#include "common.h"

int main(int argc, char** argv) {
    start();
    const size_t bytes = (size_t)argument(argc, argv, "--bytes", 8);
    const int count = argument(argc, argv, "--count", 20),
              words = argument(argc, argv, "--words", 0);
    enum { kRoom = 1 << 16 };
    /* A row for each writer would not fit: all write the same value for a place. */
    uint64_t* const table = symmetric(kRoom + bytes);
    uint64_t* const source = malloc(bytes + 8);
    const size_t n = bytes / 8;
    for (size_t i = 0; i < n; ++i)
        source[i] = 0x1234567;
    memset(table, 0, kRoom + bytes);
    begin();
    for (int k = 0; k < count; ++k) {
        const uint64_t at = random_at((uint64_t)me, (uint64_t)k);
        const int pe = (int)(at % (uint64_t)npes);
        uint64_t* const to = &table[at / (uint64_t)npes % (kRoom / 8)];
        if (words) {
            for (size_t i = 0; i < n; ++i)
                shmem_uint64_p(&to[i], source[i], pe);
        } else if (n == 1) {
            shmem_uint64_p(to, source[0], pe);
        } else {
            shmem_putmem(to, source, bytes, pe);
        }
        shmem_quiet();
    }
    end();
    /* What should have arrived here, did; nothing else is there. */
    char* const expected = calloc(1, kRoom + bytes);
    for (int writer = 0; writer < npes; ++writer)
        for (int k = 0; k < count; ++k) {
            const uint64_t at = random_at((uint64_t)writer, (uint64_t)k);
            if ((int)(at % (uint64_t)npes) != me) continue;
            memcpy(expected + at / (uint64_t)npes % (kRoom / 8) * 8, source, bytes);
        }
    const int right = memcmp(expected, table, kRoom + bytes) == 0;
    return finish("transfers", right, (double)count * npes);
}
