// The rate of the step interface: a loop of loads, stores, multiplications and branches, every
// step's record looked at, in processor time. Fails below a rate. Under callgrind: instructions a
// step.
//
//     step [STEPS [MILLIONS-A-SECOND]]
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "isthmus/step.h"

int main(int argc, char** argv) {
    const long steps = argc > 1 ? atol(argv[1]) : 5000000;
    isthmus_step* const hart = isthmus_step_create("isa=rv64gc memory=0x80000000:0x100000");
    if (hart == NULL) return 1;
    static const uint32_t loop[] = {
        0x00053283,  // ld t0, 0(a0)
        0x02628333,  // mul t1, t0, t1
        0x00130313,  // addi t1, t1, 1
        0x00653023,  // sd t1, 0(a0)
        0x00850513,  // addi a0, a0, 8
        0xfeb566e3,  // bltu a0, a1, -20
        0x80050513,  // addi a0, a0, -2048
        0xfe5ff06f,  // j -28
    };
    isthmus_step_write_memory(hart, 0x80000000, loop, sizeof loop);
    isthmus_step_set_register(hart, ISTHMUS_STEP_X, 10, 0x80002000);
    isthmus_step_set_register(hart, ISTHMUS_STEP_X, 11, 0x80002800);
    const clock_t begin = clock();
    uint64_t sum = 0;
    for (long i = 0; i < steps; ++i) {
        if (isthmus_step_step(hart) != ISTHMUS_STEP_RETIRED) return 1;
        const isthmus_step_record* const record = isthmus_step_last(hart);
        sum += record->next_pc + record->writes[0].value + record->memory.size;
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    const double rate = (double)steps / seconds / 1e6;
    printf("steps=%ld rate=%.1f sum=%" PRIx64 "\n", steps, rate, sum);
    isthmus_step_destroy(hart);
    return argc > 2 && rate < atof(argv[2]) ? 1 : 0;
}
