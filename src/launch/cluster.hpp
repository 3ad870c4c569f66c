// The description of a cluster, for `isthmus run --cluster FILE`: which kernels run on which node,
// over which protocol. A file of JSON; docs/kernels.md has the fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isthmus::launch {

struct ClusterNode {
    std::string name;
    std::string address = "localhost";  // as ssh knows it
    int first = 0;                      // its kernels: first to first + count - 1
    int count = 0;
};

struct Cluster {
    std::string protocol = "tcp";    // or udp
    std::string network;             // ISTHMUS_PACKET_ADDRESS; empty: not said
    std::vector<ClusterNode> nodes;  // in the order of their kernels
    int kernels = 0;
};

// Returns what is wrong, with line and field ("FILE:3: nodes[1].kernels: ..."), or nothing. `file`
// is what messages call the text.
std::string parse_cluster(const std::string& file, std::string_view text, Cluster& cluster);
std::string read_cluster(const std::string& file, Cluster& cluster);

}  // namespace isthmus::launch
