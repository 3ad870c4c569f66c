// The library's own memory: proportional set size of a PE that does little, less that of a process
// without the library (programs/memory.c).
#include "harness/statistics.hpp"
#include "one-host/group.hpp"

namespace isthmus::bench {
namespace {

constexpr int kPes = 16;

std::vector<double> sizes(const std::string& output) {
    std::vector<double> kib;
    for (const Record& record : parse_records(output)) {
        if (record.count("memory") != 0) kib.push_back(number(record, "kib"));
    }
    return kib;
}

}  // namespace

void measure_memory(Run& run) {
    run.progress("memory of 16 PEs");
    const Finished ours = run.job(Side::ours, kPes, "memory");
    Command command;
    command.arguments = {
        "/bin/sh", "-c",
        "i=0; while [ $i -lt " + std::to_string(kPes) + " ]; do \"$0\" & i=$((i+1)); done; wait",
        run.program(Side::ours, "nothing")};
    const Finished nothing = run_command(command);
    Row row;
    row.claim = "library's own memory per PE, 16 PEs";
    row.unit = "KB";
    row.must = at_most(1024);
    row.method = "mean proportional set size, less that of a process without the library";
    const std::vector<double> with = sizes(ours.output), without = sizes(nothing.output);
    const auto mean = [](const std::vector<double>& values) {
        double sum = 0;
        for (const double value : values)
            sum += value;
        return sum / static_cast<double>(values.size());
    };
    if (with.size() == kPes && without.size() == kPes) {
        row.ours = mean(with) - mean(without);
        row.spread =
            number_text(mean(with)) + " KB with, " + number_text(mean(without)) + " without";
    } else {
        row.reason = with.size() == kPes ? nothing.last_words() : ours.last_words();
    }
    if (run.has_peer()) {
        const Finished peer =
            run.job(Side::peer, kPes, "memory", {}, {}, {{"SHMEM_SYMMETRIC_SIZE", "16M"}});
        const std::vector<double> theirs = sizes(peer.output);
        row.peer = Run::peer_name();
        if (theirs.size() == kPes && without.size() == kPes)
            row.peer_value = mean(theirs) - mean(without);
    }
    run.add(row);
}

}  // namespace isthmus::bench
