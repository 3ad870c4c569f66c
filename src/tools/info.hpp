// `isthmus info`: what is installed, how it is set, and what follows from that here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isthmus::tools {

int info_command(const std::vector<std::string>& arguments);

// "Isthmus 0.1.0" as the library beside this tool calls itself; empty and why, if it cannot be
// asked.
// JSON as text. What is not UTF-8 (a setting may hold any bytes) is replaced.
template <typename Json>
std::string json_text(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

struct LibraryVersion {
    std::string name;
    std::string copy;  // isthmus_choice() of these names
    std::string reduction;
    std::string problem;
};
LibraryVersion ask_library(const std::string& path);

// What a job on several hosts would use from here, a row for each road that ISTHMUS_TRANSPORT
// names, asked of the modules beside the library; `provider` is empty if there is nothing, and
// `reason` says why.
struct BetweenHosts {
    std::string road;
    std::string leads_to;  // for people
    std::string provider;
    std::string reason;
};
std::vector<BetweenHosts> ask_roads(const std::string& folder);

}  // namespace isthmus::tools
