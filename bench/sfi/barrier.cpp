// The barrier of PEs on two hosts made of namespaces, beside round trips of messages of libfabric
// alone between the same hosts.
#include <unistd.h>

#include "harness/statistics.hpp"
#include "sfi/group.hpp"

namespace isthmus::bench {

void measure_far_barrier(Run& run) {
    Row row;
    row.claim = "barrier of 4 PEs on 2 hosts";
    row.unit = "x two bare round trips";
    row.must = at_most(1.2);
    Command command;
    const std::string script = run.program(Side::ours, "on_hosts.py");
    command.arguments = {"python3", script, script.substr(0, script.rfind('/')),
                         run.options().quick ? "3" : "9", "barrier"};
    command.limit_seconds = 200;
    if (find_program("mpiexec.hydra").empty())
        row.reason = "not measured: no mpiexec.hydra (package hydra)";
    else if (access(run.program(Side::ours, "bare").c_str(), X_OK) != 0)
        row.reason = "not measured: libfabric 1.17 was not there when this was built";
    if (row.reason.empty()) {
        run.progress("barrier between hosts");
        const Finished finished = run_command(command);
        std::vector<double> ours, bare;
        for (const Record& record : parse_records(finished.output)) {
            const auto name = record.find("op");
            if (name == record.end()) continue;
            (name->second == "barrier" ? ours : bare).push_back(number(record, "us"));
        }
        std::vector<double> ratios;
        for (std::size_t turn = 0; turn < std::min(ours.size(), bare.size()); ++turn)
            ratios.push_back(ours[turn] / (2 * bare[turn]));
        if (!finished.succeeded() || ratios.empty()) {
            row.reason = "not measured: " + finished.last_words();
        } else {
            row.ours = median(ratios);
            row.spread = spread_text(ratios);
            row.method = "4 PEs on 2 hosts made of namespaces of this machine, median of turns: " +
                         number_text(median(ours)) +
                         " us; a round trip of libfabric alone, both "
                         "ends polling: " +
                         number_text(median(bare)) + " us";
        }
        run.end_progress();
    }
    run.add(row);
}

}  // namespace isthmus::bench
