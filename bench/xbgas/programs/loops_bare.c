/* One of the loops without an operating system, for simulators that have none: LOOP (alu or memory)
 * and ROUNDS are given when it is built. Ends through tohost, as the official unit tests do. */
#include "loops.h"

volatile uint64_t tohost __attribute__((aligned(64)));
volatile uint64_t fromhost __attribute__((aligned(64)));
static volatile uint64_t result; /* so that the loop is run */

__attribute__((used)) static void run(void) {
    const int right = loops_are_right();
    result = LOOP(ROUNDS);
    tohost = right ? 1 : 3;
    for (;;) {
    }
}

__attribute__((used, aligned(16))) static char stack[4096];
__attribute__((naked, section(".text.start"))) void _start(void) {
    __asm__(
        "la sp, stack\n"
        "li t0, 4096\n"
        "add sp, sp, t0\n"
        "j run\n");
}
