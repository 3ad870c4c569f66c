// How a team lies on hosts: the two levels of the collectives that reach across hosts.
#pragma once

#include <span>
#include <vector>

#include "core/job/team.hpp"

namespace isthmus::collective {

// All in numbers of the team, and the same at every PE but for what says "my". Hosts are numbered
// by the first PE that the team has there, so host 0 is that of PE 0.
struct Levels {
    int hosts = 0;
    int my_host = 0;
    int my_place = 0;  // among the PEs of my host
    int smallest = 0;  // PEs of the smallest host, and of the largest
    int largest = 0;
    bool in_order = true;       // `order` is the team's: each host's PEs follow each other in it
    std::vector<int> order;     // the PEs host by host, those of a host in the order of the team
    std::vector<int> first;     // where a host begins in `order`; one more at the end
    std::vector<int> host_of;   // of a PE
    std::vector<int> position;  // of a PE in `order`

    int size_of(int host) const { return begin_of(host + 1) - begin_of(host); }
    int begin_of(int host) const { return first[static_cast<std::size_t>(host)]; }
    int member(int host, int place) const {
        const int at = begin_of(host) + place;
        return order[static_cast<std::size_t>(at)];
    }
    std::span<const int> members(int host) const {
        return {order.data() + begin_of(host), static_cast<std::size_t>(size_of(host))};
    }
    std::span<const int> mates() const { return members(my_host); }  // me too
    int host(int pe) const { return host_of[static_cast<std::size_t>(pe)]; }
    int place(int pe) const { return position[static_cast<std::size_t>(pe)] - begin_of(host(pe)); }
    // Speaks for its host where one is enough.
    int leader(int host) const { return member(host, 0); }
    int leader() const { return leader(my_host); }
    bool leads() const { return my_place == 0; }
    // Who takes in at a host what a PE of another one sends there: the work is shared out.
    int counterpart(int sender, int host) const {
        return member(host, place(sender) % size_of(host));
    }
};

Levels find_levels(const Team& team);

}  // namespace isthmus::collective
