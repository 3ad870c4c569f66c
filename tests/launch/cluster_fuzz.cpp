// Descriptions of clusters: what is taken can be started, what is not says where.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "launch/cluster.hpp"
#include "launch/cluster_options.hpp"

using namespace isthmus::launch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Cluster cluster;
    const std::string why =
        parse_cluster("c", {reinterpret_cast<const char*>(data), size}, cluster);
    if (!why.empty()) {
        // "c:LINE: "
        char* end = nullptr;
        if (!why.starts_with("c:") || std::strtol(why.c_str() + 2, &end, 10) < 1 || *end != ':')
            std::abort();
        return 0;
    }
    int kernels = 0;
    for (const ClusterNode& node : cluster.nodes) {
        if (node.first != kernels || node.count < 1 || node.name.empty() || node.address.empty() ||
            node.address[0] == '-')
            std::abort();
        kernels += node.count;
    }
    if (kernels != cluster.kernels || kernels < 1 ||
        (cluster.protocol != "tcp" && cluster.protocol != "udp") || describe(cluster).empty())
        std::abort();
    RunOptions options;
    if (apply_cluster(cluster, options).empty() && options.pes != kernels) std::abort();
    return 0;
}
