#include "core/session/road_choice.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/road_list.hpp"
#include "base/settings.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "transport/preferred_road.hpp"
#include "transport/road_needs.hpp"

namespace isthmus {
namespace {

constexpr const char* kAuto = kRoadAuto;
constexpr const char* kWithinHost = "loop";  // where PEs of one host count as far

[[noreturn]] void refuse(const std::string& why) {
    fail("shmem_init", std::string(description(Setting::transport).name) + "=" +
                           value(Setting::transport).text + ": " + why);
}

std::vector<RoadEntry> entries() {
    std::vector<RoadEntry> roads;
    parse_roads(value(Setting::transport).text, roads);  // read_settings() has looked at it
    return roads;
}

// A road that leads to nobody is not opened: auto,packet:0-3 is the window and packets, and needs
// no libfabric.
void drop_unused(RoadChoice& choice) {
    for (std::size_t road = choice.names.size(); road-- != 0;) {
        if (std::count(choice.road_of.begin(), choice.road_of.end(), road) != 0) continue;
        choice.names.erase(choice.names.begin() + static_cast<std::ptrdiff_t>(road));
        for (std::uint8_t& each : choice.road_of)
            each = static_cast<std::uint8_t>(each > road ? each - 1 : each);
    }
}

// No host has been asked where there is one alone; then nobody is reached by this road.
std::string default_road() {
    if (is_delayed() && host_table.one_machine) return kWithinHost;
    return host_table.road_between.empty() ? transport::kPacket : host_table.road_between;
}

}  // namespace

std::string road_folder() {
    Dl_info own{};
    std::string folder;
    if (dladdr(reinterpret_cast<void*>(&road_folder), &own) != 0 && own.dli_fname) {
        folder = own.dli_fname;
        const auto slash = folder.rfind('/');
        folder.resize(slash == std::string::npos ? 0 : slash + 1);
    }
    return folder;
}

std::string road_module(const std::string& name) {
    return road_folder() + "libisthmus-" + name + ".so";
}

bool is_delayed() {
    return number(Setting::delay) != 0;
}

bool setting_has_window() {
    if (is_delayed()) return false;
    const std::vector<RoadEntry> roads = entries();
    return std::any_of(roads.begin(), roads.end(),
                       [](const RoadEntry& road) { return road.name == kAuto; });
}

RoadChoice choose_roads() {
    const std::vector<RoadEntry> roads = entries();
    const RoadPlan plan = plan_roads(
        roads,
        {job.pes, [](int pe) { return host_of(pe); },
         [](const std::string& name) { return access(road_module(name).c_str(), R_OK) == 0; }});
    if (!plan.problem.empty()) refuse(plan.problem);
    RoadChoice choice;
    for (const RoadEntry& road : roads)
        choice.names.push_back(road.name == kAuto ? default_road() : road.name);
    for (const int road : plan.road_of)
        choice.road_of.push_back(static_cast<std::uint8_t>(road));
    drop_unused(choice);
    return choice;
}

std::string needs_of_road(const std::string& name) {
    const std::string needs = transport::road_needs(road_module(name));
    if (needs.empty())
        return " (the library was built without it: build it where what it needs is installed, "
               "docs/transport.md)";
    return " (it needs " + needs + ": install what is missing)";
}

}  // namespace isthmus
