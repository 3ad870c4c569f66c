#include "shoal/group.hpp"

#include <unistd.h>

namespace isthmus::bench {
namespace {

std::vector<std::string> missing(const Run& run) {
    std::vector<std::string> lines;
    if (access(run.program(Side::ours, "bare").c_str(), X_OK) != 0)
        lines.emplace_back(
            "anything: libsodium was not there when this was built; no row of packets holds");
    if (find_program("mpiexec.hydra").empty())
        lines.emplace_back("anything: no mpiexec.hydra (package mpich); no row of packets holds");
    return lines;
}

}  // namespace

Group shoal() {
    return {
        "shoal",
        "packets between two hosts: round trips and streams beside sockets alone; kernels: Jacobi",
        {{"tcp", measure_packets_by_tcp},
         {"tcp-bare", measure_packets_without_hashes},
         {"udp", measure_packets_by_udp},
         {"idle", measure_idle_node},
         {"jacobi", measure_jacobi}},
        missing};
}

}  // namespace isthmus::bench
