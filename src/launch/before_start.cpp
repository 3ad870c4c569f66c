#include "launch/before_start.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/road_list.hpp"
#include "base/settings.hpp"
#include "core/job/heap_size.hpp"
#include "core/job/window.hpp"

namespace isthmus {

// A tool is no PE: its window stays closed. What counts here is the shift, that of the library.
Window window;

namespace launch {
namespace {

// --env for as long as it lives, but only what is a setting: nobody else is to see the rest.
class GivenSettings {
  public:
    explicit GivenSettings(const std::vector<std::string>& entries) {
        for (const std::string& entry : entries) {
            const auto equals = entry.find('=');
            const std::string name = entry.substr(0, equals);
            if (equals == std::string::npos || !is_setting(name)) continue;
            const char* const now = std::getenv(name.c_str());
            before.emplace_back(name, now ? std::optional<std::string>(now) : std::nullopt);
            setenv(name.c_str(), entry.c_str() + equals + 1, 1);
        }
    }
    ~GivenSettings() {
        for (auto each = before.rbegin(); each != before.rend(); ++each) {
            if (each->second)
                setenv(each->first.c_str(), each->second->c_str(), 1);
            else
                unsetenv(each->first.c_str());
        }
        read_settings();
    }
    GivenSettings(const GivenSettings&) = delete;
    GivenSettings& operator=(const GivenSettings&) = delete;

  private:
    static bool is_setting(const std::string& name) {
        for (const char* const prefix : {"ISTHMUS_", "SHMEM_", "SMA_", "XT_"})
            if (name.starts_with(prefix)) return true;
        return false;
    }

    std::vector<std::pair<std::string, std::optional<std::string>>> before;
};

}  // namespace

std::string problem_of_settings(const RunOptions& options) {
    const GivenSettings given(options.environment);
    if (const auto problems = read_settings(); !problems.empty()) return problems[0].message;
    const HeapChoice heap = choose_heap(options.pes > 0 ? options.pes : 1);
    if (heap.is_refused())
        return std::string(description(Setting::symmetric_size).name) + "=" +
               value(Setting::symmetric_size).text + " is " + format_size(heap.bytes) +
               "; at most " + format_size(heap.largest) + " fit in the window";
    return "";
}

double detect_seconds(const RunOptions& options) {
    const GivenSettings given(options.environment);
    return read_settings().empty() ? seconds(Setting::detect_seconds) : 0;
}

namespace {

std::string module_of(const std::string& folder, const std::string& road) {
    return folder + "/libisthmus-" + road + ".so";
}

// On this host, where the road must be opened: why it cannot be.
std::string problem_of_module(const std::string& folder, const std::string& road) {
    const std::string path = module_of(folder, road);
    if (access(path.c_str(), R_OK) == 0) return "";
    return "the road " + road + " cannot be loaded: there is no " + path +
           " (the library was built without it: build it where what it needs is installed, "
           "docs/transport.md)";
}

}  // namespace

std::string problem_of_roads(const RunOptions& options, const std::string& library_folder) {
    const GivenSettings given(options.environment);
    if (options.pes <= 0 || !read_settings().empty()) return "";
    const auto say = [](Setting setting, const std::string& why) {
        return std::string(description(setting).name) + "=" + value(setting).text + ": " + why;
    };
    std::vector<RoadEntry> roads;
    parse_roads(value(Setting::transport).text, roads);
    const bool is_delayed = number(Setting::delay) != 0;
    const bool has_window =
        !is_delayed && std::any_of(roads.begin(), roads.end(),
                                   [](const RoadEntry& road) { return road.name == kRoadAuto; });
    const std::string& nodes = value(Setting::nodes).text;
    std::vector<int> firsts;
    if (!nodes.empty() && has_window) {
        if (options.elsewhere) return say(Setting::nodes, kNodesOfHosts);
        firsts = parse_nodes(nodes, options.pes);
        if (firsts.empty()) return say(Setting::nodes, why_no_nodes(options.pes));
    }
    RoadGround ground{options.pes, nullptr, nullptr};
    if (!options.elsewhere) {
        ground.host_of = [](int) { return host_name(); };
        ground.has_module = [&](const std::string& road) {
            return access(module_of(library_folder, road).c_str(), R_OK) == 0;
        };
    }
    const RoadPlan plan = plan_roads(roads, ground);
    if (!plan.problem.empty()) return say(Setting::transport, plan.problem);
    const bool is_far = !has_window || (!firsts.empty() && firsts.back() != 0);
    if (options.elsewhere || !is_far) return "";
    for (const int number : plan.road_of) {
        const std::string& name = roads[static_cast<std::size_t>(number)].name;
        const std::string road = name != kRoadAuto ? name : is_delayed ? "loop" : "packet";
        if (const std::string why = problem_of_module(library_folder, road); !why.empty())
            return say(name == kRoadAuto && is_delayed ? Setting::delay : Setting::transport, why);
    }
    return "";
}

std::string make_split_directory(const std::string& path, bool keep) {
    namespace fs = std::filesystem;
    std::error_code problem;
    std::vector<fs::path> made;
    for (fs::path each = fs::absolute(path, problem); !each.empty() && !fs::exists(each, problem);
         each = each.parent_path())
        made.push_back(each);
    fs::create_directories(path, problem);
    std::string why = problem ? problem.message() : "";
    std::error_code ignored;
    if (!keep)
        for (const fs::path& each : made)
            fs::remove(each, ignored);  // only what is empty
    return why;
}

}  // namespace launch
}  // namespace isthmus
