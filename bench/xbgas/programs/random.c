/* 8-byte puts to, or gets from, random places of random PEs (--get 1; 2: by get_nbi, with one
 * quiet; 3: eight before the first is used). */
#include "common.h"

int main(int argc, char** argv) {
    start();
    const int count = argument(argc, argv, "--count", 1000), get = argument(argc, argv, "--get", 0);
    /* A row for each PE that writes, so that no two write the same word. */
    enum { kRow = 64 };
    uint64_t* const table = symmetric((size_t)npes * kRow * sizeof *table);
    uint64_t wrong = 0;
    for (int i = 0; i < npes * kRow; ++i)
        table[i] = get ? random_at((uint64_t)me, (uint64_t)i) : 0;
    uint64_t* const found = malloc(2 * (size_t)count * sizeof *found);
    uint64_t* const expected = found + count;
    begin();
    if (get == 2) {
        for (int k = 0; k < count; ++k) {
            const uint64_t at = random_at(1000 + (uint64_t)me, (uint64_t)k);
            const int pe = (int)(at % (uint64_t)npes);
            const uint64_t i = at / (uint64_t)npes % ((uint64_t)npes * kRow);
            shmem_uint64_get_nbi(&found[k], &table[i], 1, pe);
            expected[k] = random_at((uint64_t)pe, i);
        }
        shmem_quiet();
        for (int k = 0; k < count; ++k)
            wrong |= found[k] ^ expected[k];
    } else if (get == 3) {
        int k = 0;
        for (; k + 8 <= count; k += 8) {
            const uint64_t* place[8];
            int pe[8];
            for (int j = 0; j < 8; ++j) {
                const uint64_t at = random_at(1000 + (uint64_t)me, (uint64_t)(k + j));
                const uint64_t i = at / (uint64_t)npes % ((uint64_t)npes * kRow);
                pe[j] = (int)(at % (uint64_t)npes);
                place[j] = &table[i];
                expected[k + j] = random_at((uint64_t)pe[j], i);
            }
#define WORD(j) const uint64_t word##j = shmem_uint64_g(place[j], pe[j])
            WORD(0);
            WORD(1);
            WORD(2);
            WORD(3);
            WORD(4);
            WORD(5);
            WORD(6);
            WORD(7);
#undef WORD
            wrong |= (word0 ^ expected[k]) | (word1 ^ expected[k + 1]) | (word2 ^ expected[k + 2]) |
                     (word3 ^ expected[k + 3]) | (word4 ^ expected[k + 4]) |
                     (word5 ^ expected[k + 5]) | (word6 ^ expected[k + 6]) |
                     (word7 ^ expected[k + 7]);
        }
        for (; k < count; ++k) {
            const uint64_t at = random_at(1000 + (uint64_t)me, (uint64_t)k);
            const int pe = (int)(at % (uint64_t)npes);
            const uint64_t i = at / (uint64_t)npes % ((uint64_t)npes * kRow);
            wrong |= shmem_uint64_g(&table[i], pe) ^ random_at((uint64_t)pe, i);
        }
    } else if (get) {
        for (int k = 0; k < count; ++k) {
            const uint64_t at = random_at(1000 + (uint64_t)me, (uint64_t)k);
            const int pe = (int)(at % (uint64_t)npes);
            const uint64_t i = at / (uint64_t)npes % ((uint64_t)npes * kRow);
            wrong |= shmem_uint64_g(&table[i], pe) ^ random_at((uint64_t)pe, i);
        }
    } else {
        for (int k = 0; k < count; ++k) {
            const uint64_t at = random_at((uint64_t)me, (uint64_t)k);
            const int pe = (int)(at % (uint64_t)npes);
            shmem_uint64_p(&table[me * kRow + k % kRow], at, pe);
        }
    }
    end();
    if (!get) {
        /* What each writer's sequence left here: the last of each place. Writes of one PE to one
         * place are not ordered, so any of them will do. */
        for (int writer = 0; writer < npes; ++writer)
            for (int slot = 0; slot < kRow; ++slot) {
                const uint64_t there = table[writer * kRow + slot];
                int possible = 0, sent = 0;
                for (int k = slot; k < count; k += kRow) {
                    const uint64_t at = random_at((uint64_t)writer, (uint64_t)k);
                    if ((int)(at % (uint64_t)npes) != me) continue;
                    sent = 1;
                    possible |= there == at;
                }
                wrong |= sent ? !possible : there != 0;
            }
    }
    return finish(get ? "random_get" : "random_put", wrong == 0, (double)count * npes);
}
