/* Loops that measure an instruction simulator: --loop alu or memory. No library: other simulators
 * run the same file. Prints one line of key=value pairs; instructions are those of the loop. */
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    uint64_t rounds = 1000;
    int is_alu = 1;
    for (int i = 1; i + 1 < argc; ++i) {
        if (strcmp(argv[i], "--rounds") == 0) rounds = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--loop") == 0) is_alu = strcmp(argv[i + 1], "alu") == 0;
    }
    const int right = loops_are_right();
    const uint64_t result = is_alu ? alu(rounds) : memory(rounds);
    printf("benchmark=%s valid=%s instructions=%llu result=%llu\n", is_alu ? "alu" : "memory",
           right ? "yes" : "no",
           (unsigned long long)(rounds * (is_alu ? kAluInstructions : kMemoryInstructions)),
           (unsigned long long)result);
    return !right;
}
