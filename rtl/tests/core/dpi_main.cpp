// Clocks the bench in SystemVerilog.
#include "Vdpi_bench.h"

int main(int argc, char** argv) {
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Vdpi_bench bench(&context);
    bench.rst_ni = 0;
    for (unsigned edge = 0; edge < 1000 && !context.gotFinish(); ++edge) {
        bench.clk_i = edge & 1;
        bench.rst_ni = edge > 4;
        bench.eval();
        context.timeInc(1);
    }
    return context.gotFinish() ? 0 : 1;
}
