// How fast the step interface is: a loop of loads, stores, multiplications and branches, every
// step's record looked at. Prints steps and their rate in processor time, so that others on the
// machine do not count; under callgrind, instructions a step. Fails below a rate.
//
//     sim_step_speed [STEPS [MILLIONS-A-SECOND]]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "isthmus/step.h"

int main(int argc, char** argv) {
    const long steps = argc > 1 ? std::atol(argv[1]) : 5'000'000;
    isthmus_step* const hart = isthmus_step_create("isa=rv64gc memory=0x80000000:0x100000");
    if (hart == nullptr) return 1;
    static const std::uint32_t kLoop[] = {
        0x00053283,  // ld t0, 0(a0)
        0x02628333,  // mul t1, t0, t1
        0x00130313,  // addi t1, t1, 1
        0x00653023,  // sd t1, 0(a0)
        0x00850513,  // addi a0, a0, 8
        0xfeb566e3,  // bltu a0, a1, -20
        0x80050513,  // addi a0, a0, -2048
        0xfe5ff06f,  // j -28
    };
    isthmus_step_write_memory(hart, 0x80000000, kLoop, sizeof kLoop);
    isthmus_step_set_register(hart, ISTHMUS_STEP_X, 10, 0x80002000);
    isthmus_step_set_register(hart, ISTHMUS_STEP_X, 11, 0x80002800);
    const std::clock_t begin = std::clock();
    std::uint64_t sum = 0;
    for (long i = 0; i < steps; ++i) {
        if (isthmus_step_step(hart) != ISTHMUS_STEP_RETIRED) return 1;
        const isthmus_step_record* const record = isthmus_step_last(hart);
        sum += record->next_pc + record->writes[0].value + record->memory.size;
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double rate = static_cast<double>(steps) / seconds / 1e6;
    std::printf("%ld steps, %.1f million a second of the processor (sum %lx)\n", steps, rate,
                static_cast<unsigned long>(sum));
    isthmus_step_destroy(hart);
    return argc > 2 && rate < std::atof(argv[2]) ? 1 : 0;
}
