// malloc, realloc, free, calloc in all sizes, checked by content.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state = 12345;
static uint32_t next(void) {
    return state = state * 1664525 + 1013904223;
}

int main(void) {
    enum { kSlots = 200 };
    unsigned char* slot[kSlots] = {0};
    size_t size[kSlots] = {0};
    uint64_t sum = 0;
    for (int i = 0; i < 20000; ++i) {
        int s = next() % kSlots;
        if (slot[s])
            for (size_t k = 0; k < size[s]; k += 97)
                if (slot[s][k] != (unsigned char)(s + k)) return 1;
        size_t n = next() % (i % 100 == 0 ? 400000 : 2000);
        if (next() % 3 == 0) {
            free(slot[s]);
            slot[s] = calloc(n + 1, 1);
        } else {
            slot[s] = realloc(slot[s], n + 1);
        }
        size[s] = n + 1;
        for (size_t k = 0; k < size[s]; ++k)
            slot[s][k] = (unsigned char)(s + k);
        sum += size[s];
    }
    for (int s = 0; s < kSlots; ++s)
        free(slot[s]);
    printf("%lu\n", (unsigned long)sum);
    return 0;
}
