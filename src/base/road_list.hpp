// Lists of roads as ISTHMUS_TRANSPORT has them: "auto", "ofi", "ofi,loop:2-3+6", "auto,ofi:@node7".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isthmus {

// A road, and where it leads.
struct RoadEntry {
    std::string name;
    std::vector<std::pair<int, int>> pes;  // first and last of each range
    std::vector<std::string> hosts;
    bool leads_to_the_rest() const { return pes.empty() && hosts.empty(); }
};

// False if it is no such list. Whether there are such roads, PEs and hosts is not looked at.
bool parse_roads(std::string_view text, std::vector<RoadEntry>& roads);

// The window, and what hosts agree on between them.
inline constexpr const char* kRoadAuto = "auto";
// Names of the library's own roads, whether built or not.
bool is_known_road(std::string_view name);
inline constexpr std::size_t kMostRoads = 8;

// What a job's start makes of such a list, the same at every PE.
struct RoadPlan {
    std::string problem;       // why no job can have it, or nothing
    std::vector<int> road_of;  // by PE: a number in the list
};
// Which PEs there are, and what is known of them and of modules.
struct RoadGround {
    int pes = 0;
    std::function<std::string(int)> host_of;             // null: nobody knows yet
    std::function<bool(const std::string&)> has_module;  // null: likewise
};
RoadPlan plan_roads(const std::vector<RoadEntry>& roads, const RoadGround& ground);

// ISTHMUS_NODES: by PE, the first one of its node; empty if the text is no such list.
std::vector<int> parse_nodes(std::string_view text, int pes);
std::string why_no_nodes(int pes);  // what is expected then
inline constexpr const char* kNodesOfHosts =
    "the job's hosts are its nodes; this is for jobs that isthmus run starts on one host";

}  // namespace isthmus
