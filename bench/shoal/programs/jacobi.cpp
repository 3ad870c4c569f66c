// Jacobi's method, timed: `jacobi GRID STEPS`, by the kernels of the job; `jacobi GRID STEPS
// alone`, by a loop without the library. The same stencil, compiled in the same way.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "examples/kernels/jacobi.hpp"

namespace {

using Clock = std::chrono::steady_clock;

void print(const char* side, Clock::time_point began, std::int64_t residual) {
    const std::chrono::duration<double, std::micro> time = Clock::now() - began;
    std::printf("op=jacobi side=%s us=%.1f residual=%lld\n", side, time.count(),
                static_cast<long long>(residual));
}

void alone(int grid, int steps) {
    const Part all{0, 0, grid, grid};
    std::vector<std::int64_t> grids[2];
    for (auto& each : grids)
        each.assign(static_cast<std::size_t>(all.cells()), 0);
    const auto began = Clock::now();
    for (int step = 0; step < steps; ++step)
        all.step(grids[step % 2].data(), grids[(step + 1) % 2].data());
    print("alone", began, all.residual(grids[0].data(), grids[1].data()));
}

void by_kernels(const Partition& parts, int steps) {
    const auto run = [&](isthmus::kernel& me) {
        const Part own = parts.part(me.id());
        std::int64_t* const cells = me.segment<std::int64_t>().data();
        for (std::int64_t i = 0; i < 2 * own.cells(); ++i)
            cells[i] = 0;  // occupied before the clock runs, as the vectors are
        me.barrier();
        const auto began = Clock::now();
        compute(me, parts, steps);
        if (me.id() == 0) print("kernels", began, own.residual(cells, cells + own.cells()));
    };
    const auto cells = static_cast<std::uint64_t>(2 * parts.part(isthmus::pe()).cells());
    isthmus::kernels().any(run, cells * kCell).run();
}

}  // namespace

int main(int count, char** words) {
    const isthmus::job job;
    const int grid = count > 1 ? std::atoi(words[1]) : 4096;
    const int steps = count > 2 ? std::atoi(words[2]) : 1024;
    if (count > 3)
        alone(grid, steps);
    else
        by_kernels(Partition(grid, isthmus::pes()), steps);
}
