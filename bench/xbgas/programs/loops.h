/* The loops that measure an instruction simulator: alu, five instructions; memory, eight with a
 * load, a store and a multiplication; and what comes out of them, reckoned without assembly. */
#pragma once
#include <stdint.h>

enum { kAluInstructions = 5, kMemoryInstructions = 8 };

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

/* Over few rounds: the check is slower than what it checks. */
static int loops_are_right(void) {
    return alu(1000) == alu_expected(1000) && memory(1000) == memory_expected(1000);
}
