#include "core/teams/collective/levels.hpp"

#include <algorithm>

#include "core/job/host_table.hpp"
#include "core/job/job.hpp"

namespace isthmus::collective {

Levels find_levels(const Team& team) {
    Levels levels;
    std::vector<int> number_of(static_cast<std::size_t>(job.pes), -1);  // by a host's first PE
    for (int index = 0; index < team.size; ++index) {
        int& number = number_of[static_cast<std::size_t>(first_on_host(team.world_pe(index)))];
        if (number < 0) number = levels.hosts++;
        levels.host_of.push_back(number);
    }
    levels.position.resize(static_cast<std::size_t>(team.size));
    for (int host = 0; host < levels.hosts; ++host) {
        levels.first.push_back(static_cast<int>(levels.order.size()));
        for (int index = 0; index < team.size; ++index) {
            if (levels.host(index) != host) continue;
            const auto position = static_cast<int>(levels.order.size());
            levels.in_order &= position == index;
            levels.position[static_cast<std::size_t>(index)] = position;
            levels.order.push_back(index);
        }
    }
    levels.first.push_back(team.size);
    levels.smallest = levels.largest = levels.size_of(0);
    for (int host = 1; host < levels.hosts; ++host) {
        levels.smallest = std::min(levels.smallest, levels.size_of(host));
        levels.largest = std::max(levels.largest, levels.size_of(host));
    }
    if (team.my_index >= 0) {
        levels.my_host = levels.host(team.my_index);
        levels.my_place = levels.place(team.my_index);
    }
    return levels;
}

}  // namespace isthmus::collective
