#include "launch/cluster_options.hpp"

#include <algorithm>

#include "core/job/job_layout.hpp"

namespace isthmus::launch {
namespace {

void set(RunOptions& options, const std::string& name, const std::string& value) {
    const bool is_set =
        std::any_of(options.environment.begin(), options.environment.end(),
                    [&](const std::string& entry) { return entry.starts_with(name + "="); });
    if (!is_set) options.environment.push_back(name + "=" + value);
}

// Nodes of one address are one host to the launchers; its PEs have numbers in a row.
std::string list_hosts(const Cluster& cluster, std::vector<HostShare>& hosts) {
    for (const ClusterNode& node : cluster.nodes) {
        const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const HostShare& host) {
            return host.name == node.address;
        });
        if (found == hosts.end())
            hosts.push_back({node.address, node.count});
        else if (found + 1 == hosts.end())
            found->pes += node.count;
        else
            return "node " + node.name + ": the kernels of host " + node.address +
                   " are not in a row; number those of one host one after the other";
    }
    for (const HostShare& host : hosts) {
        if (host.pes > kMaxHostPes)
            return std::to_string(host.pes) + " kernels on host " + host.name + "; at most " +
                   std::to_string(kMaxHostPes);
    }
    return "";
}

std::string range_text(int first, int count) {
    return std::to_string(first) + (count == 1 ? "" : "-" + std::to_string(first + count - 1));
}

}  // namespace

std::string apply_cluster(const Cluster& cluster, RunOptions& options) {
    options.pes = cluster.kernels;
    std::vector<HostShare> hosts;
    if (std::string why = list_hosts(cluster, hosts); !why.empty()) return why;
    options.elsewhere = !are_here(hosts);
    if (!options.elsewhere && cluster.kernels > kMaxHostPes)
        return std::to_string(cluster.kernels) + " kernels on this host; at most " +
               std::to_string(kMaxHostPes);
    if (options.elsewhere) options.hosts = std::move(hosts);
    set(options, "ISTHMUS_PACKET_PROTOCOL", cluster.protocol);
    if (!cluster.network.empty()) set(options, "ISTHMUS_PACKET_ADDRESS", cluster.network);
    if (cluster.nodes.size() == 1) return "";
    set(options, "ISTHMUS_TRANSPORT", "auto,packet:" + range_text(0, cluster.kernels));
    if (options.elsewhere) return "";
    std::string counts;
    for (const ClusterNode& node : cluster.nodes)
        counts += (counts.empty() ? "" : ",") + std::to_string(node.count);
    set(options, "ISTHMUS_NODES", counts);
    return "";
}

std::string describe(const Cluster& cluster) {
    std::string text;
    for (const ClusterNode& node : cluster.nodes)
        text += "node " + node.name + " (" + node.address + "): kernel" +
                (node.count == 1 ? " " : "s ") + range_text(node.first, node.count) + "\n";
    if (cluster.nodes.size() > 1)
        text += "between nodes: packets by " + cluster.protocol +
                (cluster.network.empty() ? "" : ", network " + cluster.network) + "\n";
    return text;
}

}  // namespace isthmus::launch
