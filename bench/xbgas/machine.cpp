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

std::string simulator_tool(const char* name) {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path() / name;
}

// programs/ours/NAME and programs/FOLDER/NAME lie side by side.
std::string riscv_program(const Run& run, const std::string& folder, const std::string& name) {
    return fs::path(run.program(Side::ours, name)).parent_path().parent_path() / folder / name;
}

std::optional<std::string> SimulatedMachine::simulate(const char* tool, Road road, int nodes,
                                                      const std::string& program,
                                                      const std::vector<std::string>& arguments,
                                                      std::vector<std::string> options) {
    const std::string file = riscv_program(run_, name_of(road), program);
    if (access(file.c_str(), X_OK) != 0) {
        why_not_ = kNoCrossCompiler;
        return {};
    }
    Command command;
    command.limit_seconds = 1200;  // NAS EP, class S, takes minutes
    command.arguments = {simulator_tool(tool)};
    auto& words = command.arguments;
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--quiet", "-n", std::to_string(nodes), "--", file});
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
                  counted["waiting"].get<double>(),
                  counted["per_node"][0]["communication"].get<double>()};
}

std::optional<nlohmann::json> SimulatedMachine::run_plain(
    int nodes, const std::string& program, const std::vector<std::string>& arguments) {
    const Report report;
    if (!simulate("isthmus-sim", Road::xbgas, nodes, program, arguments, {"--stats", report.path}))
        return {};
    nlohmann::json json = report.read();
    if (json.is_discarded()) {
        why_not_ = "isthmus-sim wrote no report";
        return {};
    }
    return json;
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
