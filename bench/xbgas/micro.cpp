#include "xbgas/micro.hpp"

namespace isthmus::bench {

Row saving_row(std::string claim, double percent, const char* method, const char* series,
               const char* category) {
    Row row;
    row.claim = std::move(claim);
    row.unit = "%";
    row.ours = percent;
    row.method = method;
    row.figure = kFigure3;
    row.series = series;
    row.category = category;
    return row;
}

std::vector<std::string> micro(const std::string& operation, int bytes, int count, bool each) {
    return {"--operation",         operation, "--bytes",       std::to_string(bytes), "--count",
            std::to_string(count), "--each",  each ? "1" : "0"};
}

std::optional<double> operation_instructions(SimulatedMachine& machine, Road road, int nodes,
                                             const std::string& operation, int bytes, int count) {
    const auto all = machine.count(road, nodes, "micro", micro(operation, bytes, count));
    const auto loop = machine.count(road, nodes, "micro", micro("nothing", bytes, count));
    if (!all || !loop) return {};
    // One node alone runs the loop of an operation, all run that of a collective.
    const bool collective =
        operation == "broadcast" || operation == "barrier" || operation == "reduce";
    return (all->working() - loop->working() * (collective ? nodes : 1)) / count;
}

}  // namespace isthmus::bench
