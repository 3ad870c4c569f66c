#include "aos/group.hpp"

#include <thread>

namespace isthmus::bench {

bool has_cores_for(int pes) {
    return static_cast<int>(std::thread::hardware_concurrency()) >= pes;
}

Row waiting_row(std::string claim, const char* unit, std::optional<double> paper) {
    Row row;
    row.claim = std::move(claim);
    row.unit = unit;
    if (paper) {
        row.peer = kPaper;
        row.peer_value = paper;
    }
    row.waits = "more memories or cores than this machine has; waits for the machine simulator";
    return row;
}

void append_records(const Run& run, int pes, const std::string& name,
                    const std::vector<std::string>& arguments, std::vector<Record>& records,
                    std::string& reason) {
    for (Record& record : run.records(Side::ours, pes, name, arguments, reason))
        records.push_back(std::move(record));
}

std::string field(const Record& record, const std::string& key) {
    const auto found = record.find(key);
    return found == record.end() ? "" : found->second;
}

static std::vector<std::string> missing(const Run& run) {
    std::vector<std::string> lines;
    if (run.options().counts && find_program("valgrind").empty())
        lines.push_back("instructions: no valgrind (package valgrind); its rows do not hold");
    if (!has_cores_for(2)) lines.push_back("anything between two PEs: this machine has one core");
    return lines;
}

Group aos() {
    return {"aos",
            "the native interface: instructions, transfers, queues, irregular access, the paper's "
            "figures",
            {{"counts", measure_aos_counts},
             {"transfers", measure_transfers},
             {"queues", measure_queues},
             {"irregular", measure_irregular},
             {"atomics", measure_aos_atomics}},
            missing};
}

}  // namespace isthmus::bench
