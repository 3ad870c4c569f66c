#include "base/road_list.hpp"

#include <algorithm>
#include <charconv>

namespace isthmus {
namespace {

// What stands before the next `separator`, or all; takes both off.
std::string_view take_part(std::string_view& text, char separator) {
    const auto end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

// It becomes part of a file's name.
bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 32 &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
               std::string_view::npos;
}

bool parse_number(std::string_view text, int& number) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end && number >= 0;
}

// "4", "2-3".
bool parse_range(std::string_view text, std::pair<int, int>& range) {
    const auto dash = text.find('-');
    if (!parse_number(text.substr(0, dash), range.first)) return false;
    range.second = range.first;
    return dash == std::string_view::npos ||
           (parse_number(text.substr(dash + 1), range.second) && range.second >= range.first);
}

bool parse_road(std::string_view text, RoadEntry& road) {
    const bool says_where = text.find(':') != std::string_view::npos;
    road.name = take_part(text, ':');
    if (!is_name(road.name)) return false;
    if (!says_where) return true;
    // What ends with a separator has an empty part behind it.
    if (text.empty() || text.back() == '+') return false;
    while (!text.empty()) {
        std::string_view part = take_part(text, '+');
        if (part.starts_with('@')) {
            part.remove_prefix(1);
            if (part.empty()) return false;
            road.hosts.emplace_back(part);
        } else if (!parse_range(part, road.pes.emplace_back())) {
            return false;
        }
    }
    return true;
}

bool leads_to(const RoadEntry& road, int pe, const RoadGround& ground) {
    for (const auto& [first, last] : road.pes) {
        if (first <= pe && pe <= last) return true;
    }
    return ground.host_of &&
           std::find(road.hosts.begin(), road.hosts.end(), ground.host_of(pe)) != road.hosts.end();
}

std::string problem_of_places(const RoadEntry& road, const RoadGround& ground) {
    for (const auto& [first, last] : road.pes) {
        if (last >= ground.pes)
            return "the road " + road.name + " leads to PE " + std::to_string(last) +
                   ", and the job has PEs 0.." + std::to_string(ground.pes - 1);
    }
    if (!ground.host_of) return "";
    for (const std::string& host : road.hosts) {
        bool found = false;
        for (int pe = 0; pe < ground.pes && !found; ++pe)
            found = ground.host_of(pe) == host;
        if (!found)
            return "the road " + road.name + " leads to the host " + host +
                   ", and no PE of the job runs there; PE 0's is " + ground.host_of(0);
    }
    return "";
}

std::string problem_of_entries(const std::vector<RoadEntry>& roads, const RoadGround& ground) {
    int rests = 0;
    for (const RoadEntry& road : roads) {
        if (!is_known_road(road.name) && ground.has_module && !ground.has_module(road.name))
            return "there is no road " + road.name +
                   ", but auto, ofi, packet and loop; another one is a module libisthmus-" +
                   road.name + ".so beside the library";
        if (road.leads_to_the_rest() && ++rests == 2)
            return "two roads without PEs; one may lead to all that no other leads to";
        if (std::string problem = problem_of_places(road, ground); !problem.empty()) return problem;
    }
    if (roads.size() > kMostRoads)
        return "a job has at most " + std::to_string(kMostRoads) + " roads";
    return "";
}

}  // namespace

bool is_known_road(std::string_view name) {
    return name == kRoadAuto || name == "ofi" || name == "packet" || name == "loop";
}

// The road of a PE: the one that names it, else the one that names none.
RoadPlan plan_roads(const std::vector<RoadEntry>& roads, const RoadGround& ground) {
    RoadPlan plan{problem_of_entries(roads, ground), {}};
    for (int pe = 0; pe < ground.pes && plan.problem.empty(); ++pe) {
        int found = -1;
        int rest = -1;
        for (int number = 0; number < static_cast<int>(roads.size()); ++number) {
            const RoadEntry& each = roads[static_cast<std::size_t>(number)];
            if (each.leads_to_the_rest()) rest = number;
            // Where nobody knows the hosts, one that is named may be this PE's.
            if (!ground.host_of && !each.hosts.empty()) rest = number;
            if (!leads_to(each, pe, ground)) continue;
            if (found >= 0)
                plan.problem = "two roads lead to PE " + std::to_string(pe) + ", " +
                               roads[static_cast<std::size_t>(found)].name + " and " + each.name;
            found = number;
        }
        if (found < 0 && rest < 0)
            plan.problem = "no road leads to PE " + std::to_string(pe) +
                           "; one without PEs leads to all that no other leads to";
        plan.road_of.push_back(found < 0 ? rest : found);
    }
    return plan;
}

std::vector<int> parse_nodes(std::string_view text, int pes) {
    const auto all = static_cast<std::size_t>(pes);
    std::vector<int> firsts;
    while (!text.empty()) {
        int count = 0;
        if (!parse_number(take_part(text, ','), count) || count < 1 ||
            static_cast<std::size_t>(count) > all - firsts.size())
            return {};
        firsts.insert(firsts.end(), static_cast<std::size_t>(count),
                      static_cast<int>(firsts.size()));
    }
    return firsts.size() == all ? firsts : std::vector<int>();
}

std::string why_no_nodes(int pes) {
    return "expected numbers of PEs such as 2,2, in all " + std::to_string(pes);
}

bool parse_roads(std::string_view text, std::vector<RoadEntry>& roads) {
    roads.clear();
    if (text.empty() || text.back() == ',') return false;
    while (!text.empty()) {
        if (!parse_road(take_part(text, ','), roads.emplace_back())) return false;
    }
    return true;
}

}  // namespace isthmus
