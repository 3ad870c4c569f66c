// Lists of roads as ISTHMUS_TRANSPORT has them: "auto", "ofi", "ofi,loop:2-3+6", "auto,ofi:@node7".
#pragma once

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

}  // namespace isthmus
