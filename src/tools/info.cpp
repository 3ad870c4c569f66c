#include "tools/info.hpp"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/module_version.hpp"
#include "base/os.hpp"
#include "base/road_list.hpp"
#include "base/settings.hpp"
#include "core/job/heap_size.hpp"
#include "core/job/job_layout.hpp"
#include "core/job/window.hpp"
#include "launch/binding.hpp"
#include "launch/handover.hpp"
#include "tools/place.hpp"
#include "tools/refuse.hpp"
#include "transport/preferred_road.hpp"
#include "transport/transport.hpp"

namespace isthmus::tools {
namespace {

using nlohmann::ordered_json;

const char* kind_name(SettingKind kind) {
    switch (kind) {
        case SettingKind::flag: return "0 or 1";
        case SettingKind::number: return "count";
        case SettingKind::seconds: return "seconds";
        case SettingKind::size: return "bytes, k M G T or %";
        case SettingKind::text: return "text";
        case SettingKind::percent: return "1 to 100";
        case SettingKind::processors: return "list of processors";
        case SettingKind::choice: return "choice";
        case SettingKind::roads: return "roads";
        case SettingKind::presence: return "set or not";
    }
    return "?";
}

std::string hwloc_version() {
    void* const library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (!library) return "";
    using GetVersion = unsigned();
    auto* const version = reinterpret_cast<GetVersion*>(dlsym(library, "hwloc_get_api_version"));
    if (!version) return "";
    const unsigned number = version();
    return std::to_string(number >> 16) + "." + std::to_string(number >> 8 & 255) + "." +
           std::to_string(number & 255);
}

ordered_json build_report(const Place& place, const LibraryVersion& library) {
    utsname machine{};
    uname(&machine);
    const std::string hwloc = hwloc_version();
    return {
        {"compiler", ISTHMUS_COMPILER},
        {"build_type", ISTHMUS_BUILD_TYPE},
        {"sanitizers", ISTHMUS_SANITIZERS},
        {"window_shift", window.shift},
        {"window_stride", window_stride()},
        {"max_pes", window_slots()},
        {"library", place.lib.empty() ? "" : place.lib + "/libisthmus.so"},
        {"library_version", library.name.empty() ? library.problem : library.name},
        {"headers", place.include},
        {"c_library", std::string("glibc ") + gnu_get_libc_version()},
        {"hwloc", hwloc.empty() ? "not installed" : hwloc},
        {"json", std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
                     std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
                     std::to_string(NLOHMANN_JSON_VERSION_PATCH)},
        {"cli11", CLI11_VERSION},
        {"system", std::string(machine.sysname) + " " + machine.release + " " + machine.machine},
    };
}

// The job that sizes are given for: one PE on each processor.
int usual_pes() {
    return std::min(os::usable_processors(), window_slots());
}

ordered_json heap_report() {
    const int pes = usual_pes();
    const HeapChoice heap = choose_heap(pes);
    const SettingValue& setting = value(Setting::symmetric_size);
    std::string reason = (setting.origin == SettingOrigin::standard ? "default " : "asked for: ") +
                         setting.text + (setting.text.ends_with('%') ? " of memory" : "") +
                         "; reserved for each PE, occupied when touched";
    if (!heap.cut_by.empty())
        reason += "; cut to " + heap.cut_by + " with " + std::to_string(pes) + " PEs";
    if (heap.is_refused())
        reason += "; more than the " + format_size(heap.largest) +
                  " that fit in the window, a job will refuse this";
    return {{"bytes", heap.bytes}, {"text", format_size(heap.bytes)}, {"reason", reason}};
}

ordered_json settings_report() {
    ordered_json rows = ordered_json::array();
    for (std::size_t i = 0; i < static_cast<std::size_t>(Setting::count); ++i) {
        const auto setting = static_cast<Setting>(i);
        const SettingDescription& about = description(setting);
        const SettingValue& now = value(setting);
        ordered_json row{
            {"name", about.name},
            {"value", now.text},
            {"default", about.standard_value},
            {"from", now.origin == SettingOrigin::environment
                         ? std::string("environment: ") + now.read_from
                         : "default"},
            {"kind", about.choices ? about.choices : kind_name(about.kind)},
            {"category", about.category},
            {"help", about.help},
        };
        if (about.old_name) row["deprecated_name"] = about.old_name;
        for (const char* const name : about.names_elsewhere)
            if (name) row["names_elsewhere"].push_back(name);
        if (about.kind == SettingKind::size)
            row["bytes"] = setting == Setting::symmetric_size ? choose_heap(usual_pes()).bytes
                                                              : size(setting, os::memory_size());
        if (about.kind == SettingKind::presence)
            row["value"] = now.origin == SettingOrigin::environment ? "set" : "not set";
        rows.push_back(row);
    }
    return rows;
}

ordered_json launcher_report(const std::string& library_folder) {
    const launch::LauncherChoice choice =
        launch::choose_launcher(value(Setting::launcher).text, launch::Site::here(library_folder));
    const std::string clear = launch::who_may_hear(choice);
    return {{"chosen", choice.program.empty() ? "none" : choice.program},
            {"reason", choice.reason + (clear.empty() ? "" : "; " + clear)}};
}

ordered_json roads_report(const std::vector<BetweenHosts>& roads) {
    ordered_json rows = ordered_json::array();
    for (const BetweenHosts& road : roads)
        rows.push_back({{"road", road.road},
                        {"leads_to", road.leads_to},
                        {"chosen", road.provider.empty() ? "none" : road.provider},
                        {"reason", road.reason}});
    return rows;
}

ordered_json choices_report(const LibraryVersion& library, const std::vector<BetweenHosts>& roads,
                            const std::string& library_folder) {
    const launch::ProcessorSet allowed = launch::ProcessorSet::allowed();
    const launch::Topology topology = launch::read_topology(allowed);
    launch::BindMode mode = launch::BindMode::automatic;
    launch::parse_bind_mode(value(Setting::bind).text, mode);
    ordered_json binding = ordered_json::array();
    const int cores = static_cast<int>(topology.cores.size());
    for (const int pes : {2, cores, 2 * cores}) {
        if (pes < 2 || pes > kMaxHostPes || (pes == 2 && cores == 2 && !binding.empty())) continue;
        const launch::Binding chosen = launch::choose_binding(mode, pes);
        binding.push_back({{"pes", pes}, {"chosen", chosen.error + chosen.reason}});
    }
    const bool is_late = number(Setting::delay) != 0;
    return {
        {"transport",
         {{"chosen", is_late ? "late" : "window"},
          {"reason",
           is_late ? "ISTHMUS_DELAY=" + value(Setting::delay).text +
                         ": operations between PEs come late and out of order, as the standard "
                         "allows; for finding mistakes, not for speed"
                   : "all PEs of a job are on this host: loads, stores and atomic instructions of "
                     "the processor, no library call for the short operations"},
          {"serves",
           ordered_json::array({"put", "get", "atomic", "strided", "signal", "collective"})}}},
        {"between_hosts", roads_report(roads)},
        {"launcher_of_hosts", launcher_report(library_folder)},
        {"processors", {{"usable", allowed.count()}, {"list", allowed.text()}, {"cores", cores}}},
        {"binding", binding},
        {"copy", library.copy},
        {"reduction", library.reduction},
        {"symmetric_heap", heap_report()},
        {"memory", {{"bytes", os::memory_size()}, {"text", format_size(os::memory_size())}}},
    };
}

std::string text_of(const ordered_json& item) {
    return item.is_string() ? item.get<std::string>() : json_text(item, -1);
}

void print_report(const ordered_json& report) {
    std::printf("isthmus %s, OpenSHMEM %s\n\nBuild\n", text_of(report["version"]).c_str(),
                text_of(report["openshmem"]).c_str());
    for (const auto& [name, item] : report["build"].items())
        std::printf("  %-16s %s\n", name.c_str(), text_of(item).c_str());

    std::printf("\nSettings%*s%-16s %-16s %s\n", 18, "", "value", "default", "from");
    ordered_json rows = report["settings"];
    std::stable_sort(rows.begin(), rows.end(), [](const ordered_json& a, const ordered_json& b) {
        return text_of(a["category"]) < text_of(b["category"]);
    });
    std::string category;
    for (const auto& row : rows) {
        if (row["category"] != category) {
            category = text_of(row["category"]);
            std::printf(" %s\n", category.c_str());
        }
        std::printf("  %-23s %-16s %-16s %s\n", text_of(row["name"]).c_str(),
                    text_of(row["value"]).c_str(), text_of(row["default"]).c_str(),
                    text_of(row["from"]).c_str());
        std::printf("      %s\n      (%s)\n", text_of(row["help"]).c_str(),
                    text_of(row["kind"]).c_str());
    }
    for (const auto& problem : report["problems"])
        std::printf("  problem: %s\n", text_of(problem).c_str());

    const ordered_json& chosen = report["chosen"];
    std::printf("\nWhat this leads to here\n");
    std::printf("  %-16s %s: %s\n", "transport", text_of(chosen["transport"]["chosen"]).c_str(),
                text_of(chosen["transport"]["reason"]).c_str());
    for (const auto& row : chosen["between_hosts"])
        std::printf("  %-16s %s, %s: %s: %s\n", "between hosts", text_of(row["road"]).c_str(),
                    text_of(row["leads_to"]).c_str(), text_of(row["chosen"]).c_str(),
                    text_of(row["reason"]).c_str());
    std::printf("  %-16s %s: %s\n", "launch on hosts",
                text_of(chosen["launcher_of_hosts"]["chosen"]).c_str(),
                text_of(chosen["launcher_of_hosts"]["reason"]).c_str());
    std::printf("  %-16s %s (%s), cores %s\n", "processors",
                text_of(chosen["processors"]["usable"]).c_str(),
                text_of(chosen["processors"]["list"]).c_str(),
                text_of(chosen["processors"]["cores"]).c_str());
    for (const auto& row : chosen["binding"])
        std::printf("  %-16s -n %s: %s\n", "binding", text_of(row["pes"]).c_str(),
                    text_of(row["chosen"]).c_str());
    for (const char* const part : {"copy", "reduction"})
        std::printf("  %-16s %s\n", part, text_of(chosen[part]).c_str());
    std::printf("  %-16s %s bytes (%s): %s\n", "symmetric heap",
                text_of(chosen["symmetric_heap"]["bytes"]).c_str(),
                text_of(chosen["symmetric_heap"]["text"]).c_str(),
                text_of(chosen["symmetric_heap"]["reason"]).c_str());
    std::printf("  %-16s %s\n", "memory", text_of(chosen["memory"]["text"]).c_str());
}

// What `answer` returns in another process: a damaged library may end it when it is loaded, and
// libfabric looks at every network there is. Empty if it ends without an answer; false, and why, if
// it cannot be asked.
template <typename Answer>
bool ask_child(Answer answer, std::string& text) {
    int pipe_ends[2];
    if (pipe2(pipe_ends, 0) != 0) {
        text = std::string("cannot make a pipe: ") + std::strerror(errno);
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        const std::string answered = answer();
        const auto written = write(pipe_ends[1], answered.data(), answered.size());
        _exit(written < 0);
    }
    close(pipe_ends[1]);
    char buffer[1024];
    const ssize_t length = child < 0 ? 0 : read(pipe_ends[0], buffer, sizeof buffer);
    close(pipe_ends[0]);
    if (child > 0) waitpid(child, nullptr, 0);
    text.assign(buffer, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    return true;
}

}  // namespace

LibraryVersion ask_library(const std::string& path) {
    LibraryVersion version;
    if (path.empty()) {
        version.problem = "libisthmus.so was not found beside this tool";
        return version;
    }
    std::string answer;
    const auto name_itself = [&path] {
        void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        std::string text = "!" + std::string(library ? "it does not name itself" : dlerror());
        using GetName = void(char*);
        if (auto* const name =
                library ? reinterpret_cast<GetName*>(dlsym(library, "shmem_info_get_name"))
                        : nullptr) {
            char buffer[256] = "";
            name(buffer);
            text = buffer;
        }
        using GetChoice = const char*(const char*);
        if (auto* const choice =
                library ? reinterpret_cast<GetChoice*>(dlsym(library, "isthmus_choice")) : nullptr)
            text += std::string("\n") + choice("copy") + "\n" + choice("reduction");
        return text;
    };
    if (!ask_child(name_itself, answer)) {
        version.problem = answer;
        return version;
    }
    std::istringstream text_lines(answer);
    std::string text;
    std::getline(text_lines, text);
    std::getline(text_lines, version.copy);
    std::getline(text_lines, version.reduction);
    if (text.empty())
        version.problem = path + " cannot be loaded: it ends the process";
    else if (text[0] == '!')
        version.problem = path + " cannot be used: " + text.substr(1);
    else
        version.name = text;
    return version;
}

namespace {

// Provider and reason of one.
void ask_road(const std::string& folder, const std::string& name, BetweenHosts& road) {
    const std::string path = folder + "/libisthmus-" + name + ".so";
    if (folder.empty() || access(path.c_str(), R_OK) != 0) {
        road.reason = name == "ofi"
                          ? "the library was built without libfabric 1.17 or later: one host only"
                          : "there is no module " + path;
        return;
    }
    std::string text;
    const std::string setting = name == "packet" ? value(Setting::packet_protocol).text +
                                                       (flag(Setting::packet_seal) ? "" : "-bare") +
                                                       ":" + value(Setting::packet_address).text
                                                 : value(Setting::fabric).text;
    const auto explain_itself = [&path, &setting] {
        char explained[1024] = "";
        void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (const std::string wrong = module ? module_mismatch(module, path) : ""; !wrong.empty())
            return "!" + wrong;
        const auto explain =
            module ? reinterpret_cast<transport::Explain>(dlsym(module, transport::kExplainSymbol))
                   : nullptr;
        if (!explain) return std::string("!") + (module ? path + " is no road" : dlerror());
        explain(setting.c_str(), explained, sizeof explained);
        return std::string(explained);
    };
    const bool answered = ask_child(explain_itself, text);
    const auto line = text.find('\n');
    if (!answered) {
        road.reason = text;
    } else if (line == std::string::npos) {
        road.reason = text.empty() ? path + " ends the process" : text.substr(1);
    } else {
        road.provider = text.substr(0, line);
        road.reason = text.substr(line + 1);
    }
}

// The road that this host would take between hosts; `why` begins with "auto".
std::string ask_preference(const std::string& folder, std::string& why) {
    const auto prefer = [&folder] {
        const transport::PreferredRoad road =
            transport::preferred_road(value(Setting::fabric).text, folder);
        return road.name + "\n" + road.why;
    };
    std::string answer;
    if (!ask_child(prefer, answer) || answer.empty()) return transport::kPacket;
    const auto line = answer.find('\n');
    why = "auto: " + answer.substr(line + 1);
    return answer.substr(0, line);
}

std::string places_of(const RoadEntry& road) {
    if (road.leads_to_the_rest()) return "";
    std::string text;
    for (const auto& [first, last] : road.pes)
        text += (text.empty() ? "PEs " : ",") + std::to_string(first) +
                (last == first ? "" : "-" + std::to_string(last));
    for (const std::string& host : road.hosts)
        text += (text.empty() ? "the PEs of host " : ", those of host ") + host;
    return text;
}

}  // namespace

std::vector<BetweenHosts> ask_roads(const std::string& folder) {
    std::vector<RoadEntry> entries;
    parse_roads(value(Setting::transport).text, entries);
    std::vector<BetweenHosts> roads;
    for (const RoadEntry& entry : entries) {
        BetweenHosts& road = roads.emplace_back();
        const std::string places = places_of(entry);
        const bool is_late = number(Setting::delay) != 0;  // a job of this host alone
        std::string preferred;
        road.road = entry.name;
        if (entry.name == "auto") road.road = is_late ? "loop" : ask_preference(folder, preferred);
        road.leads_to = "to " + (!places.empty()       ? places
                                 : entries.size() == 1 ? "all PEs"
                                                       : "the PEs that no other road leads to");
        road.leads_to += entry.name == "auto" && !is_late ? ", on other hosts" : "";
        ask_road(folder, road.road, road);
        if (!preferred.empty() && !road.provider.empty())
            road.reason = preferred + "; " + road.reason;
    }
    return roads;
}

int info_command(const std::vector<std::string>& arguments) {
    bool json = false;
    CLI::App app(
        "Prints the version, how it was built, every setting with its value, default and\n"
        "where the value came from, and what these lead to on this machine.");
    app.name("isthmus info");
    app.add_flag("--json", json, "Print JSON");
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::ParseError& error) {
        return refuse_arguments(app, error);
    }
    ordered_json report{{"version", ISTHMUS_VERSION}, {"openshmem", "1.6"}};
    ordered_json problems = ordered_json::array();
    for (const SettingProblem& problem : read_settings())
        problems.push_back(problem.message);
    const Place place = find_place();
    const LibraryVersion library =
        ask_library(place.lib.empty() ? "" : place.lib + "/libisthmus.so");
    report["build"] = build_report(place, library);
    report["settings"] = settings_report();
    report["problems"] = problems;
    report["chosen"] = choices_report(library, ask_roads(place.lib), place.lib);
    if (json)
        std::printf("%s\n", json_text(report, 2).c_str());
    else
        print_report(report);
    return 0;
}

}  // namespace isthmus::tools
