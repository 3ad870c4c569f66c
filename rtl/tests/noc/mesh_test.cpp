// The mesh in gates against the simulator's: one list of packets into both, the same delivery cycle
// for each packet. MESH_GATES is noc_mesh as a whole, whose size is given when it is built, or
// nodes wired to any size:
//   mesh_GATES WIDTH HEIGHT PATTERN PACKETS [START [NAME=VALUE...]]
//   mesh_GATES WIDTH HEIGHT stalls PACKETS [START]      nodes that pause and hold back; gates alone
// NAME=VALUE changes the simulator's machine: the two must then differ.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

#include MESH_HEADER
#include "sim/machine/machine.hpp"
#include "sim/network/mesh.hpp"
#include "tests/noc/mesh_gates.hpp"
#include "tests/noc/node_mesh.hpp"
#include "tests/noc/traffic.hpp"

namespace {

using namespace isthmus;

using rtl::NodeMesh;
using Gates = rtl::MeshGates<MESH_GATES>;
constexpr std::uint64_t kPatience = 200000;  // cycles behind the last packet's offer

/// Delivery cycles of the simulator's mesh.
std::vector<std::uint64_t> simulate(const sim::MachineDescription& machine,
                                    const std::vector<rtl::Offer>& offers) {
    std::vector<std::uint64_t> delivered(offers.size(), Gates::kNever);
    sim::Mesh mesh(machine);
    sim::PacketPool pool;
    std::size_t next = 0, arrived = 0;
    for (std::uint64_t now = 0; arrived < offers.size() && now < offers.back().when + kPatience;
         ++now) {
        for (; next < offers.size() && offers[next].when == now; ++next) {
            sim::Packet* packet = pool.take();
            packet->source = offers[next].source;
            packet->destination = offers[next].destination;
            packet->message_class = offers[next].message_class;
            packet->flits = offers[next].flits;
            packet->operand = next;
            mesh.inject(packet, now);
        }
        mesh.run_until(now + 1);
        for (sim::NodeId node = 0; node < mesh.nodes(); ++node) {
            for (const sim::Delivery& delivery : mesh.deliveries(node)) {
                delivered[delivery.packet->operand] = delivery.when;
                pool.give_back(delivery.packet);
                ++arrived;
            }
            mesh.deliveries(node).clear();
        }
    }
    return delivered;
}

int run(const rtl::MeshShape& shape, const char* pattern, std::uint64_t packets,
        std::uint64_t start, int settings, char** assignments) {
    const bool stalls = std::strcmp(pattern, "stalls") == 0;
    const auto offers =
        rtl::make_traffic(stalls ? "uniform" : pattern, shape.width, shape.height, packets, start);
    if (offers.empty()) {
        std::fprintf(stderr,
                     "mesh_test: a mesh of this size has no pattern %s; there are:", pattern);
        for (std::string_view name : rtl::patterns(shape.width, shape.height))
            std::fprintf(stderr, " %.*s", static_cast<int>(name.size()), name.data());
        std::fprintf(stderr, " stalls\n");
        return 2;
    }
    sim::MachineDescription machine = sim::table3();
    machine.mesh.width = shape.width;
    machine.mesh.height = shape.height;
    machine.network.virtual_channels = 2 * shape.per_class;
    machine.network.buffer_flits = shape.depth;
    for (int i = 0; i < settings; ++i)
        sim::set_parameter(machine, assignments[i]);

    Gates gates(shape, offers, stalls ? rtl::NodeBehaviour{100, 150} : rtl::NodeBehaviour{});
    while (!gates.done() && gates.now() < offers.back().when + kPatience)
        gates.step();
    std::printf("%ux%u %s, start %llu: %zu packets, %llu flits, %llu cycles", shape.width,
                shape.height, pattern, static_cast<unsigned long long>(start), offers.size(),
                static_cast<unsigned long long>(gates.flits()),
                static_cast<unsigned long long>(gates.now()));
    if (!gates.done()) {
        std::printf(": packets are still under way\n");
        return 1;
    }
    if (stalls) {
        std::printf(": each came once, whole and in order\n");
        return 0;
    }
    const auto expected = simulate(machine, offers);
    std::size_t different = 0;
    double waited = 0;
    for (std::size_t i = 0; i < offers.size(); ++i) {
        const rtl::Offer& o = offers[i];
        waited += static_cast<double>(gates.delivered()[i] - o.when);
        if (gates.delivered()[i] == expected[i] || different++ != 0) continue;
        std::printf(
            "\npacket %zu of cycle %llu, node %u to %u, class %u, %u flits: gates %llu, "
            "simulator %llu",
            i, static_cast<unsigned long long>(o.when), o.source, o.destination, o.message_class,
            o.flits, static_cast<unsigned long long>(gates.delivered()[i]),
            static_cast<unsigned long long>(expected[i]));
    }
    std::printf(", mean latency %.1f: %zu differ from the simulator\n",
                waited / static_cast<double>(offers.size()), different);
    return different != 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fprintf(stderr, "usage: %s WIDTH HEIGHT PATTERN PACKETS [START [NAME=VALUE...]]\n",
                     argv[0]);
        return 2;
    }
    const auto number = [&](int at) { return std::strtoull(argv[at], nullptr, 0); };
    const rtl::MeshShape shape{static_cast<unsigned>(number(1)), static_cast<unsigned>(number(2)),
                               MESH_PER_CLASS, MESH_DEPTH};
    if (shape.width < 1 || shape.width > 8 || shape.height < 1 || shape.height > 8 ||
        shape.width * shape.height < 2) {
        std::fprintf(stderr, "mesh_test: a mesh is 2x1 to 8x8\n");
        return 2;
    }
    try {
        return run(shape, argv[3], number(4), argc > 5 ? number(5) : 1, argc > 6 ? argc - 6 : 0,
                   argv + 6);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mesh_test: %s\n", error.what());
        return 1;
    }
}
