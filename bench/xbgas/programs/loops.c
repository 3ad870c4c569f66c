/* Loops that measure an instruction simulator: --loop alu, five instructions; --loop memory, eight
 * with a load, a store and a multiplication. No library: other simulators run the same file. Prints
 * one line of key=value pairs; instructions are those of the loop. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t alu(uint64_t rounds) {
    uint64_t a = 1, b = 2;
    __asm__ volatile(
        "1: add %0, %0, %1\n"
        "   xor %1, %1, %0\n"
        "   addi %0, %0, 1\n"
        "   addi %2, %2, -1\n"
        "   bnez %2, 1b\n"
        : "+r"(a), "+r"(b), "+r"(rounds));
    return a ^ b;
}

static uint64_t memory(uint64_t rounds) {
    static uint64_t words[2] = {3, 5};
    uint64_t a = 1, b = 0;
    __asm__ volatile(
        "1: ld %1, 0(%3)\n"
        "   add %0, %0, %1\n"
        "   mul %1, %1, %0\n"
        "   sd %1, 8(%3)\n"
        "   addi %0, %0, 7\n"
        "   xor %0, %0, %1\n"
        "   addi %2, %2, -1\n"
        "   bnez %2, 1b\n"
        : "+r"(a), "+r"(b), "+r"(rounds)
        : "r"(words)
        : "memory");
    return a ^ words[1];
}

/* The same without assembly, to know what comes out. */
static uint64_t alu_expected(uint64_t rounds) {
    uint64_t a = 1, b = 2;
    for (; rounds != 0; --rounds) {
        a += b;
        b ^= a;
        a += 1;
    }
    return a ^ b;
}
static uint64_t memory_expected(uint64_t rounds) {
    uint64_t a = 1, b = 0;
    for (; rounds != 0; --rounds) {
        a += 3;
        b = 3 * a;
        a += 7;
        a ^= b;
    }
    return a ^ b;
}

int main(int argc, char** argv) {
    uint64_t rounds = 1000;
    int is_alu = 1;
    for (int i = 1; i + 1 < argc; ++i) {
        if (strcmp(argv[i], "--rounds") == 0) rounds = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--loop") == 0) is_alu = strcmp(argv[i + 1], "alu") == 0;
    }
    /* Checked over fewer rounds: the check is slower than what it checks. */
    const int right = alu(1000) == alu_expected(1000) && memory(1000) == memory_expected(1000);
    const uint64_t result = is_alu ? alu(rounds) : memory(rounds);
    printf("benchmark=%s valid=%s instructions=%llu result=%llu\n", is_alu ? "alu" : "memory",
           right ? "yes" : "no", (unsigned long long)(rounds * (is_alu ? 5 : 8)),
           (unsigned long long)result);
    return !right;
}
