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
#include "transport/several/several.hpp"

namespace isthmus {
namespace {

constexpr const char* kAuto = "auto";        // the window, and what hosts agree on between them
constexpr const char* kWithinHost = "loop";  // where PEs of one host count as far
constexpr int kNone = -1;

[[noreturn]] void refuse(const std::string& why) {
    fail("shmem_init", std::string(description(Setting::transport).name) + "=" +
                           value(Setting::transport).text + ": " + why);
}

std::vector<RoadEntry> entries() {
    std::vector<RoadEntry> roads;
    parse_roads(value(Setting::transport).text, roads);  // read_settings() has looked at it
    return roads;
}

// Those of the library, whether built or not, are known: their absence has a message of its own.
void check_name(const std::string& name) {
    if (name == kAuto || name == transport::kOfi || name == transport::kPacket ||
        name == kWithinHost)
        return;
    if (access(road_module(name).c_str(), R_OK) == 0) return;
    refuse("there is no road " + name +
           ", but auto, ofi, packet and loop; another one is a module " + "libisthmus-" + name +
           ".so beside the library");
}

bool leads_to(const RoadEntry& road, int pe) {
    for (const auto& [first, last] : road.pes) {
        if (first <= pe && pe <= last) return true;
    }
    return std::find(road.hosts.begin(), road.hosts.end(), host_of(pe)) != road.hosts.end();
}

void check_places(const RoadEntry& road) {
    for (const auto& [first, last] : road.pes) {
        if (last >= job.pes)
            refuse("the road " + road.name + " leads to PE " + std::to_string(last) +
                   ", and the job has PEs 0.." + std::to_string(job.pes - 1));
    }
    for (const std::string& host : road.hosts) {
        bool found = false;
        for (int pe = 0; pe < job.pes && !found; ++pe)
            found = host_of(pe) == host;
        if (!found)
            refuse("the road " + road.name + " leads to the host " + host +
                   ", and no PE of the job runs there; PE 0's is " + host_of(0));
    }
}

// The road of a PE: the one that names it, else the one that names none.
int find_road(const std::vector<RoadEntry>& roads, int pe) {
    int found = kNone;
    int rest = kNone;
    for (int road = 0; road < static_cast<int>(roads.size()); ++road) {
        const RoadEntry& each = roads[static_cast<std::size_t>(road)];
        if (each.leads_to_the_rest()) rest = road;
        if (!leads_to(each, pe)) continue;
        if (found != kNone)
            refuse("two roads lead to PE " + std::to_string(pe) + ", " +
                   roads[static_cast<std::size_t>(found)].name + " and " + each.name);
        found = road;
    }
    return found == kNone ? rest : found;
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
    RoadChoice choice;
    int rests = 0;
    for (const RoadEntry& road : roads) {
        check_name(road.name);
        choice.names.push_back(road.name == kAuto ? default_road() : road.name);
        if (road.leads_to_the_rest() && ++rests == 2)
            refuse("two roads without PEs; one may lead to all that no other leads to");
        check_places(road);
    }
    if (roads.size() > transport::several::kMostRoads)
        refuse("a job has at most " + std::to_string(transport::several::kMostRoads) + " roads");
    for (int pe = 0; pe < job.pes; ++pe) {
        const int road = find_road(roads, pe);
        if (road == kNone)
            refuse("no road leads to PE " + std::to_string(pe) +
                   "; one without PEs leads to all that no other leads to");
        choice.road_of.push_back(static_cast<std::uint8_t>(road));
    }
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
