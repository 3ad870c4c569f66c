// What an agent is to start on its host.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/binding.hpp"

namespace isthmus::launch {

struct Orders {
    int first = 0;  // the PEs of this host: first to first + count - 1
    int count = 0;
    int pes = 0;          // of the job
    std::string host;     // as the user calls it
    std::string space;    // the name of the job's key-value space
    std::string mapping;  // which PEs are on which host, for the process manager
    std::string directory;
    BindMode bind = BindMode::automatic;
    bool show_binding = false;
    std::vector<std::string> command;
    std::vector<std::string> environment;  // NAME=VALUE, all of it

    bool operator==(const Orders&) const = default;
};

std::string orders_text(const Orders& orders);
// Nothing unless it is just what orders_text writes of orders that can be followed.
std::optional<Orders> parse_orders(std::string_view text);

// The variables of this process that mean the same on another host, and those of `given`, which
// take precedence.
std::vector<std::string> environment_for_hosts(const std::vector<std::string>& given);
// Where PEs start: `given`, or else where this process is.
std::string directory_for_hosts(const std::string& given);

}  // namespace isthmus::launch
