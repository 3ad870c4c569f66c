#include "tools/doctor.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/job_layout.hpp"
#include "launch/empty_options.hpp"
#include "launch/handover.hpp"
#include "tools/checks.hpp"
#include "tools/info.hpp"
#include "tools/refuse.hpp"

namespace isthmus::tools {
namespace {

const char* verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok: return "ok";
        case Verdict::warn: return "warn";
        case Verdict::fail: return "fail";
    }
    return "?";
}

std::vector<Check> all_checks(int pes, const std::string& hosts, const std::string& launcher) {
    std::vector<Check> checks{
        check_settings(),
        check_memory(pes),
        check_shared_memory(pes),
        check_processors(pes),
        check_topology(),
        check_address_space_limit(pes),
        check_file_size_limit(),
        check_open_files_limit(pes),
        check_process_limit(pes),
        check_overcommit(),
        check_window(pes),
        check_huge_pages(),
        check_proc(),
        check_other_launchers(),
        check_library(),
        check_roads(),
        check_launchers(launcher),
        check_host_name(),
        check_network(),
    };
    for (Check& check : check_compiler_and_job(pes))
        checks.push_back(std::move(check));
    if (hosts.empty()) return checks;
    for (Check& check : check_hosts(hosts, launcher))
        checks.push_back(std::move(check));
    return checks;
}

}  // namespace

int doctor_command(const std::vector<std::string>& arguments) {
    bool json = false;
    int pes = std::clamp(os::usable_processors(), 2, kMaxHostPes);
    CLI::App app(
        "Checks whether jobs run on this machine, and says what to do if not.\n"
        "Exit status: 0 if nothing failed (there may be warnings), 1 if something did.");
    app.name("isthmus doctor");
    app.add_flag("--json", json, "Print JSON");
    app.add_option("-n", pes,
                   "Check for jobs of this many PEs. Standard: one a processor, at least 2")
        ->check(CLI::Range(1, kMaxHostPes))
        ->type_name("N");
    std::string hosts;
    std::string launcher;
    app.add_option("--hosts", hosts, "Try a job on these hosts, too: a PE each, or host:PEs")
        ->type_name("H1,H2,...");
    app.add_option("--launcher", launcher,
                   "By this launcher of `isthmus run`. Standard: ISTHMUS_LAUNCHER")
        ->check(CLI::IsMember(launch::launcher_words()));
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::ParseError& error) {
        return refuse_arguments(app, error);
    }
    if (const std::string wrong = launch::problem_of_empty_options(app); !wrong.empty())
        return refuse_arguments(app, CLI::ValidationError(wrong));
    const std::vector<Check> checks = all_checks(pes, hosts, launcher);
    int counts[3] = {};
    for (const Check& check : checks)
        ++counts[static_cast<int>(check.verdict)];
    if (json) {
        nlohmann::ordered_json rows = nlohmann::ordered_json::array();
        for (const Check& check : checks)
            rows.push_back({{"check", check.name},
                            {"result", verdict_name(check.verdict)},
                            {"finding", check.finding},
                            {"advice", check.advice}});
        const nlohmann::ordered_json report{
            {"version", ISTHMUS_VERSION}, {"pes", pes},        {"ok", counts[0]},
            {"warn", counts[1]},          {"fail", counts[2]}, {"checks", rows}};
        std::printf("%s\n", json_text(report, 2).c_str());
    } else {
        for (const Check& check : checks) {
            std::printf("%-5s %-20s %s\n", verdict_name(check.verdict), check.name.c_str(),
                        check.finding.c_str());
            if (!check.advice.empty()) std::printf("%26s -> %s\n", "", check.advice.c_str());
        }
        std::printf("\n%d ok, %d to note, %d failed\n", counts[0], counts[1], counts[2]);
    }
    return counts[static_cast<int>(Verdict::fail)] > 0 ? 1 : 0;
}

}  // namespace isthmus::tools
