#include "sim/network/mesh.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/machine/check.hpp"
#include "sim/machine/random.hpp"
#include "sim/network/traffic.hpp"

namespace isthmus::sim {
namespace {

MachineDescription mesh_of(std::uint64_t width, std::uint64_t height) {
    MachineDescription m = table3();
    m.mesh.width = width;
    m.mesh.height = height;
    return m;
}

Packet* packet_for(NodeId source, NodeId destination, std::uint32_t flits,
                   std::uint8_t message_class = 0) {
    auto* packet = new Packet;
    packet->source = source;
    packet->destination = destination;
    packet->flits = flits;
    packet->message_class = message_class;
    return packet;
}

std::string describe(const MachineDescription& m, const TrafficRun& run) {
    return std::to_string(m.mesh.width) + "x" + std::to_string(m.mesh.height) + " " +
           machine_to_json(m)["network"].dump() + " " + std::string(pattern_name(run.pattern)) +
           " load " + std::to_string(run.load) + " flits " + std::to_string(run.packet_flits) +
           " seed " + std::to_string(run.seed);
}

struct Shape {
    std::uint64_t router, link, credit;
};

class UnloadedLatency : public testing::TestWithParam<Shape> {};

// By hand: the first flit spends link_cycles on the injection wire, then router_cycles +
// link_cycles in each of the H + 1 routers it meets (the last link is the ejection wire); each
// further flit comes one cycle later.
TEST_P(UnloadedLatency, EveryPairMatchesTheFormula) {
    MachineDescription m = mesh_of(8, 8);
    m.network.router_cycles = GetParam().router;
    m.network.link_cycles = GetParam().link;
    m.network.credit_cycles = GetParam().credit;
    m.network.buffer_flits = 16;  // above the credit round trip, so that a packet streams
    for (std::uint32_t flits : {1u, 5u, 40u}) {
        Mesh mesh(m);
        for (NodeId a = 0; a < 64; ++a) {
            for (NodeId b = 0; b < 64; ++b) {
                const Cycle start = mesh.now();
                mesh.inject(packet_for(a, b, flits), start);
                while (mesh.deliveries(b).empty())
                    mesh.run_until(mesh.now() + 1);
                const Delivery delivery = mesh.deliveries(b).front();
                mesh.deliveries(b).clear();
                const std::uint64_t dx = a % 8 > b % 8 ? a % 8 - b % 8 : b % 8 - a % 8;
                const std::uint64_t dy = a / 8 > b / 8 ? a / 8 - b / 8 : b / 8 - a / 8;
                const Cycle by_hand = GetParam().link +
                                      (dx + dy + 1) * (GetParam().router + GetParam().link) +
                                      flits - 1;
                ASSERT_EQ(delivery.when - start, by_hand)
                    << a << " to " << b << ", " << flits << " flits";
                ASSERT_EQ(mesh.unloaded_latency(dx + dy, flits), by_hand);
                delete delivery.packet;
                mesh.run_until(mesh.now() + 100);
            }
        }
        mesh.check_quiescent();
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, UnloadedLatency,
                         testing::Values(Shape{1, 1, 1}, Shape{2, 1, 2}, Shape{3, 1, 2},
                                         Shape{5, 2, 3}));

// A short credit loop limits a long packet: with B buffer slots and a round trip of L + R + C
// cycles, B flits pass per round trip.
TEST(Mesh, CreditRoundTripLimitsOneChannel) {
    MachineDescription m = mesh_of(4, 1);
    m.network.buffer_flits = 2;
    const std::uint64_t trip =
        m.network.link_cycles + m.network.router_cycles + m.network.credit_cycles;
    Mesh mesh(m);
    const std::uint32_t flits = 600;
    mesh.inject(packet_for(0, 3, flits), 0);
    mesh.run_until(10000);
    ASSERT_EQ(mesh.deliveries(3).size(), 1u);
    const double expected = static_cast<double>(flits) * static_cast<double>(trip) / 2;
    EXPECT_NEAR(static_cast<double>(mesh.deliveries(3)[0].when), expected, 0.02 * expected + 30);
    mesh.check_quiescent();
}

TEST(Mesh, RefusesWhatItCannotCarry) {
    Mesh mesh(mesh_of(4, 4));
    auto packet = std::unique_ptr<Packet>(packet_for(0, 16, 1));
    EXPECT_THROW(mesh.inject(packet.get(), 0), ModelError);
    packet->destination = 3;
    packet->message_class = 2;
    EXPECT_THROW(mesh.inject(packet.get(), 0), ModelError);
    packet->message_class = 0;
    EXPECT_THROW(mesh.inject(packet.get(), 256), ModelError);
    packet->flits = 0;
    EXPECT_THROW(mesh.inject(packet.get(), 0), ModelError);
    EXPECT_THROW(mesh.set_ranges({0, 8}), ModelError);
}

// Packets queued out of order of time leave in order of time.
TEST(Mesh, InjectionQueueSortsByTime) {
    Mesh mesh(mesh_of(2, 1));
    mesh.inject(packet_for(0, 1, 1), 40);
    mesh.inject(packet_for(0, 1, 2), 10);
    mesh.inject(packet_for(0, 1, 3), 25);
    mesh.run_until(200);
    auto& arrived = mesh.deliveries(1);
    ASSERT_EQ(arrived.size(), 3u);
    EXPECT_EQ(arrived[0].packet->flits, 2u);
    EXPECT_EQ(arrived[1].packet->flits, 3u);
    EXPECT_EQ(arrived[2].packet->flits, 1u);
    EXPECT_EQ(arrived[0].packet->injected, 10u);
    EXPECT_EQ(arrived[2].packet->injected, 40u);
}

TEST(Mesh, PacketsOfOneCycleLeaveInTheOrderInWhichTheyCame) {
    Mesh mesh(mesh_of(4, 1));
    mesh.inject(packet_for(0, 1, 1), 40);
    mesh.inject(packet_for(0, 1, 2), 10);
    mesh.inject(packet_for(0, 1, 3), 10);
    mesh.run_until(1000);
    std::vector<std::uint32_t> flits;
    for (const Delivery& delivery : mesh.deliveries(1))
        flits.push_back(delivery.packet->flits);
    EXPECT_EQ(flits, (std::vector<std::uint32_t>{2, 3, 1}));
}

// Requests must not hold up replies: with the request class jammed behind a target that many
// senders flood, a reply on the same path arrives soon.
TEST(Mesh, ClassesTravelApart) {
    Mesh mesh(mesh_of(8, 1));
    for (int i = 0; i < 50; ++i) {
        for (NodeId source = 0; source < 7; ++source)
            mesh.inject(packet_for(source, 7, 20), 0);
    }
    mesh.run_until(500);
    mesh.inject(packet_for(0, 7, 2, 1), 500);
    mesh.run_until(1200);
    bool arrived = false;
    for (const Delivery& d : mesh.deliveries(7))
        arrived |= d.packet->message_class == 1;
    EXPECT_TRUE(arrived);
    mesh.run_until(100000);
    EXPECT_EQ(mesh.deliveries(7).size(), 351u);
    mesh.check_quiescent();
}

TEST(Traffic, BoundsAreTheTextbookOnes) {
    const MachineDescription m = mesh_of(8, 8);
    TrafficRun run;
    // Bisection: half of the nodes send 32/63 of their flits across 8 links, 0.5 x 63/64.
    EXPECT_NEAR(throughput_bound(m, run), 0.5 * 63 / 64, 1e-9);
    run.pattern =
        TrafficPattern::bit_complement;  // every flit crosses the middle: k/2 sources a link
    EXPECT_NEAR(throughput_bound(m, run), 1.0 / 4, 1e-9);
    run.pattern = TrafficPattern::transpose;  // k - 1 sources share the link into the diagonal
    EXPECT_NEAR(throughput_bound(m, run), 1.0 / 7, 1e-9);
    run.pattern = TrafficPattern::hotspot;  // the hot node's ejection link: 64 * 0.2 + 63/63 * 0.8
    EXPECT_NEAR(throughput_bound(m, run), 1 / (64 * 0.2 + 0.8), 1e-9);
}

struct Saturation {
    TrafficPattern pattern;
    double low, high;  // share of the bound that the saturated network must carry
    double stated;     // share that docs/machine.md states
};

class SaturationThroughput : public testing::TestWithParam<Saturation> {};

TEST_P(SaturationThroughput, LiesWhereTheTextbookSays) {
    const MachineDescription m = mesh_of(8, 8);
    TrafficRun run;
    run.pattern = GetParam().pattern;
    const double bound = throughput_bound(m, run);
    run.load = std::min(1.0, 1.2 * bound);
    const TrafficResult saturated = run_traffic(m, run);
    EXPECT_LE(saturated.accepted, GetParam().high * bound) << pattern_name(run.pattern);
    EXPECT_GE(saturated.accepted, GetParam().low * bound) << pattern_name(run.pattern);
    EXPECT_NEAR(saturated.accepted / bound, GetParam().stated, 0.01) << pattern_name(run.pattern);
    // Far below saturation everything offered is carried, at about the unloaded latency.
    run.load = 0.1 * bound;
    const TrafficResult light = run_traffic(m, run);
    EXPECT_NEAR(light.accepted, light.offered, 0.05 * light.offered);
    EXPECT_GT(saturated.latency.mean(), 3 * light.latency.mean());
}

// Asymmetric patterns: sources that do not meet the busiest link go on at the offered load, so the
// mean may pass the bound of the busiest link.
INSTANTIATE_TEST_SUITE_P(Patterns, SaturationThroughput,
                         testing::Values(Saturation{TrafficPattern::uniform, 0.6, 0.95, 0.81},
                                         Saturation{TrafficPattern::transpose, 0.6, 1.2, 1.14},
                                         Saturation{TrafficPattern::bit_complement, 0.5, 1.0, 0.72},
                                         Saturation{TrafficPattern::tornado, 0.6, 1.2, 0.99},
                                         Saturation{TrafficPattern::neighbour, 0.6, 1.0, 0.99},
                                         Saturation{TrafficPattern::hotspot, 0.5, 1.2, 1.0}));

TEST(Traffic, MoreChannelsCarryMore) {
    TrafficRun run;
    run.load = 0.6;
    run.measure = 5000;
    double before = 0;
    for (std::uint64_t channels : {1, 2, 4, 8}) {
        MachineDescription m = mesh_of(8, 8);
        m.network.message_classes = 1;
        m.network.virtual_channels = channels;
        const double accepted = run_traffic(m, run).accepted;
        EXPECT_GT(accepted, before) << channels;
        before = accepted;
    }
    EXPECT_GT(before, 0.75 * 0.4922);
}

// Any shape, any load: run_traffic ends with check_quiescent, and the checks on each flit run all
// the time.
TEST(Traffic, RandomShapesConserveFlits) {
    Random random(11);
    for (int round = 0; round < 60; ++round) {
        MachineDescription m = mesh_of(1 + random.below(6), 1 + random.below(6));
        m.network.message_classes = 1 + random.below(2);
        m.network.virtual_channels = m.network.message_classes * (1 + random.below(5));
        m.network.buffer_flits = 1 + random.below(9);
        m.network.router_cycles = 1 + random.below(5);
        m.network.link_cycles = 1 + random.below(4);
        m.network.credit_cycles = 1 + random.below(5);
        TrafficRun run;
        run.pattern = static_cast<TrafficPattern>(random.below(6));
        if (run.pattern == TrafficPattern::transpose) m.mesh.height = m.mesh.width;
        run.load = 0.05 + 0.001 * static_cast<double>(random.below(600));
        run.packet_flits = static_cast<std::uint32_t>(1 + random.below(30));
        run.warmup = 100;
        run.measure = 500;
        run.seed = random.next();
        run.threads = 1 + static_cast<unsigned>(random.below(2));
        SCOPED_TRACE(describe(m, run));
        EXPECT_NO_THROW(run_traffic(m, run));
    }
}

TEST(Traffic, RefusesRunsThatMeasureNothing) {
    const MachineDescription m = mesh_of(2, 2);
    TrafficRun run;
    run.measure = 0;
    EXPECT_THROW(run_traffic(m, run), std::invalid_argument);
    run.measure = 100;
    for (const double load : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
        run.load = load;
        EXPECT_THROW(run_traffic(m, run), std::invalid_argument) << load;
    }
    run.load = 0.1;
    run.hotspot_share = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(run_traffic(m, run), std::invalid_argument);
}

TEST(Traffic, EqualForAnyNumberOfThreads) {
    for (const auto& [width, height] : {std::pair{8, 8}, std::pair{5, 7}}) {
        const MachineDescription m =
            mesh_of(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height));
        TrafficRun run;
        run.load = 0.3;
        run.warmup = 100;
        run.measure = 600;
        const TrafficResult one = run_traffic(m, run);
        for (unsigned threads : {2u, 3u, 4u}) {
            run.threads = threads;
            const TrafficResult many = run_traffic(m, run);
            EXPECT_EQ(many.digest, one.digest) << threads;
            EXPECT_EQ(many.latency.mean(), one.latency.mean());
            EXPECT_EQ(many.flit_hops, one.flit_hops);
        }
        run.threads = 1;
        run.seed = 2;
        EXPECT_NE(run_traffic(m, run).digest, one.digest);
    }
}

TEST(Traffic, AThousandNodes) {
    const MachineDescription m = mesh_of(32, 32);
    TrafficRun run;
    run.load = 0.05;
    run.warmup = 100;
    run.measure = 400;
    const TrafficResult result = run_traffic(m, run);
    EXPECT_GT(result.packets, 4000u);
    EXPECT_GE(result.latency.minimum(), 1u + 2 * 4 + 4);
}

TEST(Traffic, ArgumentsAreChecked) {
    TrafficRun run;
    run.pattern = TrafficPattern::transpose;
    EXPECT_THROW(run_traffic(mesh_of(4, 2), run), std::invalid_argument);
    EXPECT_THROW(parse_pattern("random"), std::invalid_argument);
    EXPECT_EQ(parse_pattern("tornado"), TrafficPattern::tornado);
    run.pattern = TrafficPattern::uniform;
    run.load = 1.5;
    EXPECT_THROW(run_traffic(mesh_of(4, 2), run), std::invalid_argument);
}

}  // namespace
}  // namespace isthmus::sim
