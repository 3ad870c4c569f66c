// isthmus-bench GROUP: measures the claims of a group. `isthmus bench` runs it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include <sys/utsname.h>

#include "base/edit_distance.hpp"

#include "aos/group.hpp"
#include "engine/group.hpp"
#include "harness/run.hpp"
#include "one-host/group.hpp"
#include "sfi/group.hpp"
#include "shoal/group.hpp"
#include "xbgas/group.hpp"

using namespace isthmus::bench;

namespace {

// Adding a group: a folder beside one-host/, and a line here.
std::vector<Group> groups() {
    return {one_host(), aos(), engine(), sfi(), shoal(), xbgas()};
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    }
    return "unknown";
}

nlohmann::ordered_json machine() {
    utsname kernel{};
    uname(&kernel);
    return {{"processor", processor_name()},
            {"cores", std::thread::hardware_concurrency()},
            {"architecture", kernel.machine},
            {"kernel", kernel.release}};
}

bool matches(const std::string& only, const std::string& name) {
    return only.empty() || name.find(only) != std::string::npos;
}

constexpr int kUsage = 2;

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Measures what Isthmus claims and says which claims hold on this machine.\n"
        "Exit status: 0 if all hold, 1 if one does not or could not be compared, 2 for a wrong "
        "command line."};
    app.name("isthmus bench");
    std::string name, json_file, plot_file;
    Options options;
    bool no_counts = false, no_peer = false, list = false;
    app.add_option("group", name, "Group of claims (see --list)");
    app.add_flag("--list", list, "List the groups and their families");
    app.add_flag("--quick", options.quick, "Fewer sizes and batches: within 50 s on 2 cores");
    app.add_option("--json", json_file, "Write the rows to FILE")->type_name("FILE");
    app.add_option("--only", options.only, "Only families whose name contains TEXT")
        ->type_name("TEXT");
    app.add_flag("--no-counts", no_counts, "Leave out the instruction counts (they need valgrind)");
    app.add_flag("--no-peer", no_peer, "Do not run the peer; rows with its bound then do not hold");
    app.add_option("--plot", plot_file, "Draw the rows into FILE (python3 with matplotlib)")
        ->type_name("FILE");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ExtrasError& error) {
        std::vector<std::string> options_known;
        for (const CLI::Option* const option : app.get_options())
            options_known.push_back(option->get_name());
        const std::string word = app.remaining().front();
        std::fprintf(
            stderr, "isthmus bench: unknown option %s%s\n", word.c_str(),
            isthmus::did_you_mean(word, {options_known.begin(), options_known.end()}).c_str());
        return kUsage;
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);
        return status == 0 ? 0 : kUsage;
    }
    options.counts = !no_counts;
    options.peer = !no_peer;

    const std::vector<Group> all = groups();
    if (list) {
        for (const Group& group : all) {
            std::printf("%s: %s\n", group.name, group.about);
            for (const Family& family : group.families)
                std::printf("    %s\n", family.name);
        }
        return 0;
    }
    const Group* chosen = nullptr;
    std::string names;
    std::vector<std::string_view> known;
    for (const Group& group : all) {
        if (name == group.name) chosen = &group;
        names += (names.empty() ? "" : ", ") + std::string(group.name);
        known.emplace_back(group.name);
    }
    if (!chosen) {
        const std::string wrong =
            name.empty() ? "which group?"
                         : "no group '" + name + "'" + isthmus::did_you_mean(name, known);
        std::fprintf(stderr, "isthmus bench: %s; the groups are: %s\n", wrong.c_str(),
                     names.c_str());
        return kUsage;
    }

    Run run(options, chosen->name);
    const auto start = std::chrono::steady_clock::now();
    // Not after minutes of measuring.
    if (!json_file.empty() && !std::ofstream(json_file, std::ios::app)) {
        std::fprintf(stderr, "isthmus bench: cannot write %s\n", json_file.c_str());
        return kUsage;
    }
    if (chosen->missing) {
        for (const std::string& line : chosen->missing(run))
            std::printf("cannot compare: %s\n", line.c_str());
        std::fflush(stdout);
    }
    for (const Family& family : chosen->families) {
        if (matches(options.only, family.name)) family.measure(run);
    }
    run.end_progress();
    if (run.rows().empty()) {
        std::fprintf(stderr, "isthmus bench: no family of %s contains '%s' (see --list)\n",
                     chosen->name, options.only.c_str());
        return kUsage;
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

    std::fputs(table(run.rows()).c_str(), stdout);
    std::printf("%.0f s on %s\n", elapsed.count(), processor_name().c_str());

    if (!json_file.empty()) {
        nlohmann::ordered_json report{{"group", chosen->name},
                                      {"quick", options.quick},
                                      {"seconds", elapsed.count()},
                                      {"machine", machine()},
                                      {"rows", nlohmann::ordered_json::array()}};
        for (const Row& row : run.rows())
            report["rows"].push_back(to_json(row));
        std::ofstream file(json_file);
        file << report.dump(2) << "\n";
        if (!file.flush()) {
            std::fprintf(stderr, "isthmus bench: cannot write %s\n", json_file.c_str());
            return kUsage;
        }
    }
    if (std::string reason; !plot_file.empty() && !draw(run.rows(), plot_file, reason)) {
        std::fprintf(stderr, "isthmus bench: cannot draw %s: %s\n", plot_file.c_str(),
                     reason.c_str());
        return kUsage;
    }
    for (const Row& row : run.rows()) {
        if (!row.holds()) return 1;
    }
    return 0;
}
