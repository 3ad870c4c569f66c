// Which PEs share a host, and where the memory of those here is found. core/session/host fills it
// in.
//
// Those that share a header count as a host here, also where the window is forbidden. Hosts are
// numbered by their first PEs.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace isthmus {

// Empty in a job of our own launcher: one host, one file.
struct HostTable {
    std::vector<int> files;    // by PE; -1: not of this host
    std::vector<int> numbers;  // by PE: its host
    std::vector<int> firsts;   // by number of the host: its first PE, and its name
    std::vector<std::array<char, 64>> names;
    // What `auto` takes between them, and why: transport/preferred_road.hpp.
    std::string road_between;
    std::string road_reason;
    // By PE, the first one of its node: each by itself where the window is forbidden. Empty: hosts
    // are nodes.
    std::vector<int> nodes;
    bool one_machine = true;  // one kernel and one network for all PEs
};
extern HostTable& host_table __attribute__((visibility("hidden")));

// The file that holds the memory of a PE of this host.
int memory_file(int pe);

const std::vector<int>& first_pes();
int host_number(int pe);
int header_owner();              // the first PE of this host
std::vector<int> pes_of_host();  // of this one, those that share its header

// Of a PE, for messages.
std::string host_of(int pe);
// The lowest PE on the host of a PE: the same number at all PEs, wherever they are.
int first_on_host(int pe);

}  // namespace isthmus
