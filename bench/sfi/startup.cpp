// What coming into a job costs, by its number of PEs, on 4 hosts made of namespaces.
#include <unistd.h>

#include <map>

#include "harness/statistics.hpp"
#include "sfi/group.hpp"

namespace isthmus::bench {
namespace {

struct Samples {
    std::vector<double> init, first, memory, tables, job;
};

Row row_of(int pes, const char* what, const char* unit, const std::vector<double>& samples,
           const std::string& method) {
    Row row;
    row.claim = std::string(what) + ", " + std::to_string(pes) + " PEs on 4 hosts";
    row.unit = unit;
    row.ours = median(samples);
    row.spread = spread_text(samples);
    row.method = method;
    return row;
}

// What every PE keeps of every other one, for the extrapolation in docs/start-up.md.
void add_addresses(Run& run) {
    Command command;
    command.arguments = {run.program(Side::ours, "addresses"), "1000000"};
    command.limit_seconds = 100;
    const Finished finished = run_command(command);
    for (const Record& record : parse_records(finished.output)) {
        for (const auto& [field, unit] : {std::pair{"us", "us"}, {"bytes", "bytes"}}) {
            Row row;
            row.claim = std::string("libfabric's table of addresses, each of 10^6: ") +
                        (*field == 'u' ? "time" : "memory");
            row.unit = unit;
            row.ours = number(record, field);
            row.method = "fi_av_insert of tcp;ofi_rxm, one by one";
            run.add(row);
        }
    }
}

}  // namespace

void measure_far_startup(Run& run) {
    Command command;
    const std::string script = run.program(Side::ours, "on_hosts.py");
    command.arguments = {"python3",
                         script,
                         script.substr(0, script.rfind('/')),
                         run.options().quick ? "1" : "3",
                         "startup",
                         "4",
                         "8",
                         "16"};
    if (!run.options().quick) command.arguments.insert(command.arguments.end(), {"32", "64"});
    command.limit_seconds = 400;
    std::string reason;
    if (find_program("mpiexec.hydra").empty())
        reason = "not measured: no mpiexec.hydra (package hydra)";
    else if (access(run.program(Side::ours, "startup").c_str(), X_OK) != 0)
        reason = "not measured: libfabric 1.17 was not there when this was built";
    std::map<int, Samples> by_pes;
    if (reason.empty()) {
        run.progress("start-up between hosts");
        const Finished finished = run_command(command);
        for (const Record& record : parse_records(finished.output)) {
            const auto name = record.find("op");
            if (name == record.end()) continue;
            Samples& samples = by_pes[static_cast<int>(number(record, "pes"))];
            if (name->second == "job") {
                samples.job.push_back(number(record, "job_ms"));
                continue;
            }
            samples.init.push_back(number(record, "init_ms"));
            samples.first.push_back(number(record, "first_ms"));
            samples.memory.push_back(number(record, "private_kb") / 1024);
            samples.tables.push_back(number(record, "tables_kb"));
        }
        run.end_progress();
        if (!finished.succeeded() || by_pes.empty())
            reason = "not measured: " + finished.last_words();
    }
    if (!reason.empty()) {
        Row row;
        row.claim = "start-up of PEs on 4 hosts";
        row.unit = "ms";
        row.reason = reason;
        return run.add(row);
    }
    for (const auto& [pes, samples] : by_pes) {
        run.add(row_of(pes, "shmem_init", "ms", samples.init,
                       "the longest of all PEs; mpiexec.hydra from its start to its end: " +
                           number_text(median(samples.job)) + " ms"));
        run.add(row_of(pes, "first put and quiet between hosts", "ms", samples.first,
                       "the longest of all PEs at once; it connects"));
        run.add(row_of(pes, "memory that shmem_init adds to a PE", "MB", samples.memory,
                       "private pages, the largest of all PEs; the kernel's page tables: " +
                           number_text(median(samples.tables)) + " KB"));
    }
    if (!run.options().quick) add_addresses(run);
}

}  // namespace isthmus::bench
