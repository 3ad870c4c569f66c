// Jacobi's method on a grid of integers, the application of Shoal's paper: `jacobi [GRID [STEPS
// [check]]]`. Each kernel has a part of the grid, and gets its part's border from its neighbours.
// With `check` kernel 0 computes all of it alone as well, and compares every cell.
//
// New here: isthmus::kernels; get_long for rows and get_strided for columns, which nobody there
// answers and which count as replies here; ISTHMUS_KERNEL_ADD, a sum at another kernel.
#include <isthmus/kernel.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "jacobi.hpp"

namespace {

using std::uint64_t;

// How many cells of all kernels' parts differ from what one computes alone.
long compare(isthmus::kernel& me, const Partition& parts, int steps, int grid) {
    const Part all{0, 0, parts.grid, parts.grid};
    std::vector<std::int64_t> grids[2];
    for (auto& each : grids)
        each.assign(static_cast<std::size_t>(all.cells()), 0);
    for (int step = 0; step < steps; ++step)
        all.step(grids[step % 2].data(), grids[(step + 1) % 2].data());
    long wrong = 0;
    for (int kernel = 0; kernel < me.count(); ++kernel) {
        const Part part = parts.part(kernel);
        for (int i = 0; i < part.rows; ++i) {
            const uint64_t source = kCell * (grid * part.cells() + part.place(i, 0));
            me.get_medium({.kernel = kernel}, source,
                          static_cast<std::size_t>(part.columns) * kCell)
                .or_fail();
            const auto row = me.receive().or_fail();
            for (int j = 0; j < part.columns; ++j)
                wrong += row.payload<std::int64_t>()[j] !=
                         grids[steps % 2][all.place(part.top + i, part.left + j)];
        }
    }
    return wrong;
}

void jacobi(isthmus::kernel& me, const Partition& parts, int steps, bool is_checked) {
    const Part own = parts.part(me.id());
    std::int64_t* const cells = me.segment<std::int64_t>().data();
    me.barrier();
    const auto began = std::chrono::steady_clock::now();
    compute(me, parts, steps);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
    const std::int64_t change = own.residual(cells, cells + own.cells());
    me.send_short({.kernel = 0, .handler = ISTHMUS_KERNEL_ADD, .arguments = {change}}).or_fail();
    me.wait_replies(1).or_fail();
    me.barrier();
    const long wrong = me.id() == 0 && is_checked ? compare(me, parts, steps, steps % 2) : 0;
    if (me.id() == 0)
        std::printf("grid %d, %d steps: residual %lld%s\n", parts.grid, steps,
                    static_cast<long long>(me.counter()), wrong != 0 ? ", WRONG" : "");
    if (me.id() == 0) std::fprintf(stderr, "%d kernels: %.6f s\n", me.count(), time.count());
    if (wrong != 0) isthmus_exit(1);
}

}  // namespace

int main(int count, char** words) {
    const int grid = count > 1 ? std::atoi(words[1]) : 256;
    const int steps = count > 2 ? std::atoi(words[2]) : 1025;
    const isthmus::job job;
    const Partition parts(grid, isthmus::pes());
    const auto run = [&](isthmus::kernel& me) { jacobi(me, parts, steps, count > 3); };
    const auto cells = static_cast<uint64_t>(2 * parts.part(isthmus::pe()).cells());
    return isthmus::kernels().any(run, cells * kCell).run();
}
