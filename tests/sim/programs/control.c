// Control flow: recursion, jump tables, function pointers, longjmp, qsort, misaligned accesses,
// environment and exit.
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jmp_buf place;
static int ackermann(int m, int n) {
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
static void leave(int depth) {
    if (depth == 0) longjmp(place, 42);
    leave(depth - 1);
}
static int compare(const void* a, const void* b) {
    return *(const int*)a - *(const int*)b;
}
static int pick(int n) {
    switch (n) {
        case 0: return 10;
        case 1: return 7;
        case 2: return -3;
        case 3: return 99;
        case 4: return 5;
        case 5: return 1;
        default: return 0;
    }
}
static void farewell(void) {
    printf("bye\n");
}

int main(int argc, char** argv) {
    printf("%d %s\n", argc, argv[argc - 1]);
    printf("%d\n", ackermann(2, 300));
    int back = setjmp(place);
    if (back == 0) leave(100);
    printf("%d\n", back);
    int values[1000];
    for (int i = 0; i < 1000; ++i)
        values[i] = (i * 7919) % 1009;
    qsort(values, 1000, sizeof *values, compare);
    long sum = 0;
    for (int i = 0; i < 1000; ++i)
        sum += values[i] * pick(i % 8);
    printf("%ld\n", sum);
    char bytes[64];
    for (int i = 0; i < 64; ++i)
        bytes[i] = (char)i;
    uint64_t mixed = 0;
    for (int i = 0; i < 50; ++i) {
        uint64_t v;
        memcpy(&v, bytes + i, 8);
        mixed =
            mixed * 31 + v + *(volatile uint32_t*)(bytes + i) + *(volatile uint16_t*)(bytes + i);
        *(volatile uint64_t*)(bytes + (i & 31)) = mixed;
    }
    printf("%lx %d\n", (unsigned long)mixed, getenv("NO_SUCH_NAME") == NULL);
    atexit(farewell);
    exit(17);
}
