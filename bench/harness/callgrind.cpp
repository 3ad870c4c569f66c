#include "harness/callgrind.hpp"

#include <fstream>

#include <unistd.h>

namespace isthmus::bench {
namespace {

// The parts of a callgrind file: what triggered each dump, and its total.
ProbeTotals read_totals(const std::string& path) {
    constexpr std::string_view kTrigger = "desc: Trigger: --dump-after=", kTotal = "summary: ";
    ProbeTotals totals;
    std::ifstream file(path);
    std::string probe;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("desc: Trigger: ", 0) == 0)
            probe = line.rfind(kTrigger, 0) == 0 ? line.substr(kTrigger.size()) : "";
        else if (line.rfind(kTotal, 0) == 0 && !probe.empty())
            totals[probe].push_back(std::strtod(line.c_str() + kTotal.size(), nullptr));
    }
    for (auto& [name, values] : totals) {
        if (values.size() > kWarmCalls)
            values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(kWarmCalls));
    }
    return totals;
}

}  // namespace

ProbeTotals count_probes(const Run& run, Side side, const std::vector<std::string>& probes,
                         std::string& reason, int pes) {
    const std::string file = "/tmp/isthmus-bench-" + std::to_string(getpid()) + ".callgrind";
    std::string options;
    for (const std::string& probe : probes)
        options += " --dump-after=" + probe;
    const std::string script =
        "case \"$ISTHMUS_BOOTSTRAP:$OMPI_COMM_WORLD_RANK\" in local:*:0:*:|:0) exec valgrind -q "
        "--tool=callgrind --collect-atstart=no --toggle-collect='probe_*' --combine-dumps=yes "
        "--dump-line=no --callgrind-out-file=" +
        file + options +
        " \"$0\";; *) exec valgrind -q --tool=callgrind --instr-atstart=no "
        "--callgrind-out-file=/dev/null \"$0\";; esac";
    const Finished finished = run.job(side, pes, "counts", {}, {"/bin/sh", "-c", script},
                                      {{"SHMEM_SYMMETRIC_SIZE", "64M"}, {"LD_BIND_NOW", "1"}});
    ProbeTotals totals;
    if (finished.succeeded())
        totals = read_totals(file);
    else
        reason = finished.last_words();
    unlink(file.c_str());
    return totals;
}

}  // namespace isthmus::bench
