// The paper's application, Jacobi on a grid of 4096 x 4096 cells: what several kernels gain, and
// what being a kernel costs. One side after the other, in turns.
#include "harness/statistics.hpp"
#include "shoal/group.hpp"

namespace isthmus::bench {
namespace {

struct Way {
    int kernels;
    bool alone;
};
constexpr Way kAlone{1, true}, kOne{1, false}, kTwo{2, false};

double seconds(const Run& run, const Way& way, const std::string& steps, std::string& reason) {
    std::vector<std::string> arguments{"4096", steps};
    if (way.alone) arguments.emplace_back("alone");
    // Two grids of one kernel are 256 MiB, and their borders.
    for (const Record& record :
         run.records(Side::ours, way.kernels, "jacobi", arguments, reason, "300M"))
        return number(record, "us") / 1e6;
    return 0;
}

}  // namespace

void measure_jacobi(Run& run) {
    const std::string steps = run.options().quick ? "64" : "1024";
    std::string reason;
    std::vector<double> alone, one, gain, cost;
    Turns turns(run, "Jacobi", 1, 3, 60);
    while (turns.next() && reason.empty()) {
        alone.push_back(seconds(run, kAlone, steps, reason));
        one.push_back(seconds(run, kOne, steps, reason));
        const double two = seconds(run, kTwo, steps, reason);
        if (!reason.empty()) break;
        gain.push_back(one.back() / two);
        cost.push_back(one.back() / alone.back());
    }
    run.end_progress();
    const auto row = [&](const char* claim, const char* unit, Must must,
                         const std::vector<double>& values) {
        Row added;
        added.claim = claim;
        added.unit = unit;
        added.must = must;
        added.reason = reason;
        if (reason.empty() && !values.empty()) {
            added.ours = median(values);
            added.spread = spread_text(values);
            added.method = "grid of 4096, " + steps + " steps, one node; one kernel " +
                           number_text(median(one)) + " s, a serial loop " +
                           number_text(median(alone)) + " s; in turns";
        }
        run.add(added);
    };
    row("Jacobi: two kernels", "x one kernel", at_least(1.8), gain);
    row("Jacobi: one kernel, time", "x a serial loop", at_most(1.1), cost);
}

}  // namespace isthmus::bench
