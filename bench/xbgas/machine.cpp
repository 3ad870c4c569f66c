#include "xbgas/machine.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace isthmus::bench {
namespace {

namespace fs = std::filesystem;

const char* name_of(Road road) {
    return road == Road::xbgas ? "xbgas" : "rdma";
}

// A file of this process.
struct Report {
    std::string path =
        (fs::temp_directory_path() / ("isthmus-bench-xbgas-" + std::to_string(getpid()) + ".json"))
            .string();
    ~Report() {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
    nlohmann::json read() const {
        std::ifstream file(path);
        return nlohmann::json::parse(file, nullptr, false);
    }
};

}  // namespace

std::optional<std::string> SimulatedMachine::simulate(const char* tool, Road road, int nodes,
                                                      const std::string& program,
                                                      const std::vector<std::string>& arguments,
                                                      std::vector<std::string> options) {
    // programs/ours/NAME and programs/ROAD/NAME lie side by side; the tools beside this one.
    const fs::path folder = fs::path(run_.program(Side::ours, program)).parent_path().parent_path();
    const fs::path file = folder / name_of(road) / program;
    std::error_code ignored;
    const fs::path bin = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    if (access(file.c_str(), X_OK) != 0) {
        why_not_ = "the build found no riscv64-linux-gnu-gcc (package gcc-riscv64-linux-gnu)";
        return {};
    }
    Command command;
    command.limit_seconds = 300;
    command.arguments = {bin / tool};
    auto& words = command.arguments;
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--quiet", "-n", std::to_string(nodes)});
    if (std::string_view(tool) == "isthmus-sim") words.push_back("--");
    words.push_back(file);
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Finished finished = run_command(command);
    if (!finished.succeeded()) {
        why_not_ = program + " by " + name_of(road) + ": " + finished.last_words();
        return {};
    }
    const auto records = parse_records(finished.output);
    if (records.empty() || records.front().find("valid") == records.front().end() ||
        records.front().at("valid") != "yes") {
        why_not_ = program + " by " + name_of(road) + ": its result is wrong";
        return {};
    }
    return finished.output;
}

std::optional<Counts> SimulatedMachine::count(Road road, int nodes, const std::string& program,
                                              const std::vector<std::string>& arguments) {
    const Report report;
    if (!simulate("isthmus-sim", road, nodes, program, arguments,
                  {"--count", "--stats", report.path}))
        return {};
    const nlohmann::json json = report.read();
    if (json.is_discarded() || !json.contains("counted")) {
        why_not_ = "isthmus-sim wrote no counts";
        return {};
    }
    const auto& counted = json["counted"];
    return Counts{counted["program"].get<double>(), counted["communication"].get<double>(),
                  counted["waiting"].get<double>()};
}

std::optional<Timed> SimulatedMachine::time(Road road, int nodes, const std::string& program,
                                            const std::vector<std::string>& arguments,
                                            const std::vector<std::string>& options) {
    const Report report;
    std::vector<std::string> all = {"--stats", report.path};
    all.insert(all.end(), options.begin(), options.end());
    const auto output = simulate("isthmus-timing", road, nodes, program, arguments, all);
    if (!output) return {};
    Timed timed;
    timed.nanoseconds = number(parse_records(*output).front(), "ns");
    timed.report = report.read();
    return timed;
}

}  // namespace isthmus::bench
