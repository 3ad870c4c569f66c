#include "sim/network/traffic.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "sim/machine/check.hpp"
#include "sim/machine/random.hpp"
#include "sim/network/barrier.hpp"

namespace isthmus::sim {

namespace {

constexpr std::array<std::string_view, 6> kNames = {"uniform", "transpose", "bit-complement",
                                                    "tornado", "neighbour", "hotspot"};

/// The one target of a permutation pattern.
NodeId permuted(TrafficPattern pattern, NodeId source, std::uint64_t width, std::uint64_t height) {
    const std::uint64_t x = source % width, y = source / width;
    switch (pattern) {
        case TrafficPattern::transpose: return static_cast<NodeId>(x * width + y);
        case TrafficPattern::bit_complement:
            return static_cast<NodeId>((height - 1 - y) * width + (width - 1 - x));
        case TrafficPattern::tornado:
            return static_cast<NodeId>(y * width + (x + (width + 1) / 2 - 1) % width);
        default: return static_cast<NodeId>(y * width + (x + 1) % width);
    }
}

NodeId hotspot_node(std::uint64_t width, std::uint64_t height) {
    return static_cast<NodeId>(height / 2 * width + width / 2);
}

NodeId choose_target(const TrafficRun& run, NodeId source, std::uint64_t width,
                     std::uint64_t height, Random& random) {
    const std::uint64_t nodes = width * height;
    if (run.pattern == TrafficPattern::hotspot && random.chance(run.hotspot_share)) {
        return hotspot_node(width, height);
    }
    if (run.pattern == TrafficPattern::uniform || run.pattern == TrafficPattern::hotspot) {
        if (nodes == 1) return 0;
        return static_cast<NodeId>((source + 1 + random.below(nodes - 1)) % nodes);
    }
    return permuted(run.pattern, source, width, height);
}

/// What one thread keeps for its nodes.
struct Collector {
    Histogram latency, network_latency;
    std::uint64_t offered_flits = 0, accepted_flits = 0, packets = 0, digest = 0;
};

}  // namespace

std::string_view pattern_name(TrafficPattern pattern) {
    return kNames[static_cast<std::size_t>(pattern)];
}

TrafficPattern parse_pattern(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    if (found != kNames.end()) return static_cast<TrafficPattern>(found - kNames.begin());
    std::string text("traffic: unknown pattern \"");
    text.append(name).append("\"; known:");
    for (std::string_view known : kNames)
        text.append(" ").append(known);
    throw std::invalid_argument(text);
}

void check_traffic(const MachineDescription& machine, const TrafficRun& run) {
    if (run.pattern == TrafficPattern::transpose && machine.mesh.width != machine.mesh.height) {
        throw std::invalid_argument("traffic: pattern transpose needs a square mesh, this one is " +
                                    std::to_string(machine.mesh.width) + "x" +
                                    std::to_string(machine.mesh.height));
    }
    // So written that what is no number fails.
    if (!(run.load >= 0 && run.load <= 1)) {
        throw std::invalid_argument("traffic: load must be in 0..1");
    }
    if (!(run.hotspot_share >= 0 && run.hotspot_share <= 1)) {
        throw std::invalid_argument("traffic: the hotspot share must be in 0..1");
    }
    if (run.packet_flits == 0 || run.measure == 0 || run.threads == 0) {
        throw std::invalid_argument(
            "traffic: packet flits, measured cycles and threads must be at least 1");
    }
}

double throughput_bound(const MachineDescription& machine, const TrafficRun& run) {
    check_traffic(machine, run);
    const std::uint64_t width = machine.mesh.width, height = machine.mesh.height,
                        nodes = width * height;
    // load[node][port]: flits per cycle on the link when every source makes one flit per cycle.
    std::vector<std::array<double, kPorts>> load(nodes);
    std::vector<double> ejection(nodes);
    const auto add = [&](NodeId source, NodeId target, double share) {
        std::uint64_t x = source % width, y = source / width;
        const std::uint64_t tx = target % width, ty = target / width;
        while (x != tx) {
            load[y * width + x][tx > x ? kEast : kWest] += share;
            x = tx > x ? x + 1 : x - 1;
        }
        while (y != ty) {
            load[y * width + x][ty > y ? kSouth : kNorth] += share;
            y = ty > y ? y + 1 : y - 1;
        }
        ejection[target] += share;
    };
    for (NodeId source = 0; source < nodes; ++source) {
        double uniform = 0;
        if (run.pattern == TrafficPattern::uniform) uniform = 1;
        if (run.pattern == TrafficPattern::hotspot) uniform = 1 - run.hotspot_share;
        if (uniform > 0 && nodes > 1) {
            for (NodeId target = 0; target < nodes; ++target) {
                if (target != source) add(source, target, uniform / static_cast<double>(nodes - 1));
            }
        }
        if (run.pattern == TrafficPattern::hotspot) {
            add(source, hotspot_node(width, height), run.hotspot_share);
        } else if (run.pattern != TrafficPattern::uniform) {
            add(source, permuted(run.pattern, source, width, height), 1);
        }
    }
    double busiest = 1;
    for (std::size_t node = 0; node < nodes; ++node) {
        for (double link : load[node])
            busiest = std::max(busiest, link);
        busiest = std::max(busiest, ejection[node]);
    }
    return 1 / busiest;
}

TrafficResult run_traffic(const MachineDescription& machine, const TrafficRun& run,
                          std::vector<RouterStatistics>* links) {
    check_traffic(machine, run);
    Mesh mesh(machine);
    const auto nodes = static_cast<NodeId>(mesh.nodes());
    const unsigned threads = std::min<unsigned>(run.threads, nodes);
    std::vector<NodeId> bounds(threads + 1);
    for (unsigned i = 0; i <= threads; ++i)
        bounds[i] = static_cast<NodeId>(std::uint64_t{nodes} * i / threads);
    mesh.set_ranges(bounds);

    const double probability = run.load / run.packet_flits;
    const Cycle stop_making = run.warmup + run.measure;
    const Cycle quantum = mesh.lookahead();
    std::vector<Random> randoms;
    std::vector<PacketPool> pools(nodes);
    for (NodeId node = 0; node < nodes; ++node)
        randoms.emplace_back(run.seed, node);
    std::vector<Collector> collectors(threads);
    std::vector<std::exception_ptr> errors(threads);
    Barrier barrier(threads);
    Cycle start = 0;
    bool done = false;

    const auto work = [&](unsigned self) {
        Collector& mine = collectors[self];
        while (!done) {
            try {
                for (Cycle cycle = start; cycle < start + quantum; ++cycle) {
                    for (NodeId node = bounds[self]; node < bounds[self + 1]; ++node) {
                        if (cycle < stop_making && randoms[node].chance(probability)) {
                            Packet* packet = pools[node].take();
                            packet->source = node;
                            packet->destination = choose_target(run, node, mesh.width(),
                                                                mesh.height(), randoms[node]);
                            packet->flits = run.packet_flits;
                            packet->message_class = static_cast<std::uint8_t>(
                                randoms[node].below(machine.network.message_classes));
                            mesh.inject(packet, cycle);
                            if (cycle >= run.warmup) mine.offered_flits += run.packet_flits;
                        }
                    }
                    mesh.step(self, cycle);
                }
                for (NodeId node = bounds[self]; node < bounds[self + 1]; ++node) {
                    for (const Delivery& delivery : mesh.deliveries(node)) {
                        const Packet& packet = *delivery.packet;
                        ++mine.packets;
                        // A sum of well-mixed terms does not depend on the order in which threads
                        // add.
                        mine.digest +=
                            Random((std::uint64_t{packet.source} << 42) ^
                                   (std::uint64_t{packet.destination} << 32) ^ delivery.when)
                                .next();
                        if (delivery.when >= run.warmup && delivery.when < stop_making) {
                            mine.accepted_flits += packet.flits;
                        }
                        if (packet.created >= run.warmup) {
                            mine.latency.add(delivery.when - packet.created);
                            mine.network_latency.add(delivery.when - packet.injected);
                        }
                        pools[node].give_back(delivery.packet);
                    }
                    mesh.deliveries(node).clear();
                }
            } catch (...) {
                errors[self] = std::current_exception();
            }
            barrier.wait([&] {
                start += quantum;
                mesh.set_now(start);
                done = start >= stop_making && mesh.idle();
                if (start > stop_making + run.drain_limit) {
                    errors[0] = std::make_exception_ptr(ModelError(
                        "traffic: packets are still under way " + std::to_string(run.drain_limit) +
                        " cycles after the last was made"));
                }
                for (const std::exception_ptr& error : errors)
                    done |= error != nullptr;
            });
        }
    };

    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> team;
    for (unsigned i = 1; i < threads; ++i)
        team.emplace_back(work, i);
    work(0);
    for (std::thread& thread : team)
        thread.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
    mesh.check_quiescent();

    TrafficResult result;
    const double samples = static_cast<double>(nodes) * static_cast<double>(run.measure);
    for (const Collector& c : collectors) {
        result.offered += static_cast<double>(c.offered_flits) / samples;
        result.accepted += static_cast<double>(c.accepted_flits) / samples;
        result.latency.merge(c.latency);
        result.network_latency.merge(c.network_latency);
        result.packets += c.packets;
        result.digest += c.digest;
    }
    result.cycles = start;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (NodeId node = 0; node < nodes; ++node) {
        for (std::uint64_t flits : mesh.statistics(node).link_flits)
            result.flit_hops += flits;
        if (links != nullptr) links->push_back(mesh.statistics(node));
    }
    return result;
}

nlohmann::ordered_json traffic_to_json(const TrafficRun& run, const TrafficResult& result) {
    return {{"pattern", pattern_name(run.pattern)},
            {"load", run.load},
            {"packet_flits", run.packet_flits},
            {"seed", run.seed},
            {"offered", result.offered},
            {"accepted", result.accepted},
            {"cycles", result.cycles},
            {"packets", result.packets},
            {"flit_hops", result.flit_hops},
            {"digest", result.digest},
            {"latency", result.latency.to_json()},
            {"network_latency", result.network_latency.to_json()}};
}

}  // namespace isthmus::sim
