#include "sim/timing/timing_simulator.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/machine/check.hpp"
#include "sim/memory/sparse_memory.hpp"
#include "sim/report/report.hpp"
#include "tests/sim/timing/scripted_machine.hpp"
#include "tests/sim/timing/trace_source.hpp"

namespace isthmus::sim {
namespace {

struct TraceMachine {
    TraceMachine(const MachineDescription& m, const TraceMix& mix, unsigned threads) {
        std::vector<NodeParts> parts;
        for (NodeId id = 0; id < m.nodes(); ++id) {
            memories.push_back(std::make_unique<SparseMemory>(m.memory.base, m.memory_bytes()));
            sources.push_back(std::make_unique<TraceSource>(m, mix, id));
            parts.push_back({memories.back().get(), sources.back().get()});
        }
        simulator = std::make_unique<TimingSimulator>(m, parts, threads);
    }
    /// Everything that must not depend on the host: all counters, all values read.
    std::string fingerprint() const {
        std::ostringstream text;
        text << report(*simulator).dump();
        for (const auto& source : sources) {
            text << ' ' << source->digest() << '/' << source->completed() << '/'
                 << source->faults();
        }
        return text.str();
    }
    std::vector<std::unique_ptr<SparseMemory>> memories;
    std::vector<std::unique_ptr<TraceSource>> sources;
    std::unique_ptr<TimingSimulator> simulator;
};

TraceMix busy_mix() {
    TraceMix mix;
    mix.instructions = 700;
    mix.remote_load = mix.remote_store = mix.remote_atomic = 0.02;
    mix.bulk = 0.002;
    mix.fence = 0.005;
    mix.posted = true;
    return mix;
}

MachineDescription mesh_of(std::uint64_t width, std::uint64_t height) {
    MachineDescription m = table3();
    m.mesh.width = width;
    m.mesh.height = height;
    return m;
}

struct Case {
    std::uint64_t width, height, receive, link;
    double remote;
};

class Determinism : public testing::TestWithParam<Case> {};

// The same machine, program and seed give the same counters, histograms and values for any number
// of host threads.
TEST_P(Determinism, EqualForAnyNumberOfThreads) {
    MachineDescription m = mesh_of(GetParam().width, GetParam().height);
    m.nic.receive_cycles = GetParam().receive;
    m.network.link_cycles = GetParam().link;
    TraceMix mix = busy_mix();
    mix.remote_load = mix.remote_store = mix.remote_atomic = GetParam().remote;
    std::string first;
    // With seven, two of them step the network.
    for (const unsigned threads : {1u, 2u, 3u, 4u, 7u}) {
        TraceMachine t(m, mix, threads);
        ASSERT_TRUE(t.simulator->run());
        if (threads == 1) {
            first = t.fingerprint();
        } else {
            EXPECT_EQ(t.fingerprint(), first) << threads << " threads";
        }
        for (const auto& source : t.sources)
            EXPECT_EQ(source->faults(), 0u);
    }
    m.simulation.seed = 2;
    TraceMachine other(m, mix, 2);
    ASSERT_TRUE(other.simulator->run());
    EXPECT_NE(other.fingerprint(), first);
}

INSTANTIATE_TEST_SUITE_P(Machines, Determinism,
                         testing::Values(Case{8, 8, 10, 1, 0.02}, Case{3, 5, 1, 1, 0.05},
                                         Case{4, 4, 25, 3, 0.02}, Case{2, 1, 10, 1, 0.1},
                                         Case{1, 1, 10, 1, 0.05}));

// Nodes and network have as much to do in a step as each other, whoever could go further: else one
// thread steps the network while all others wait.
TEST(TimingSimulator, NodesAndNetworkGoOnTogether) {
    for (const auto& [receive, transmit] : {std::pair{10u, 10u}, {30u, 4u}, {4u, 30u}}) {
        MachineDescription m = mesh_of(4, 4);
        m.nic.receive_cycles = receive;
        m.nic.transmit_cycles = transmit;
        TraceMachine t(m, busy_mix(), 1);
        ASSERT_TRUE(t.simulator->run());
        const SimulatorStatistics& s = t.simulator->statistics();
        EXPECT_GT(s.windows, 100u);
        EXPECT_LT(s.lopsided_windows * 20, s.windows)
            << receive << " and " << transmit << " cycles";
    }
}

// Where a run is interrupted does not change what happens after it.
TEST(TimingSimulator, LimitsDoNotChangeTheResult) {
    const MachineDescription m = mesh_of(3, 3);
    TraceMix mix = busy_mix();
    mix.remote_load = mix.remote_store = mix.remote_atomic = mix.bulk = 0;
    TraceMachine whole(m, mix, 1), pieces(m, mix, 2);
    ASSERT_TRUE(whole.simulator->run());
    int rounds = 0;
    while (!pieces.simulator->run(pieces.simulator->now() + 997))
        ++rounds;
    EXPECT_GT(rounds, 2);
    EXPECT_EQ(pieces.simulator->instructions(), whole.simulator->instructions());
    for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(pieces.simulator->nodes()[i]->core().statistics().stalls,
                  whole.simulator->nodes()[i]->core().statistics().stalls);
    }
}

TEST(TimingSimulator, EveryOperationEndsOnce) {
    const MachineDescription m = mesh_of(4, 4);
    TraceMachine t(m, busy_mix(), 2);
    ASSERT_TRUE(t.simulator->run());
    std::uint64_t started = 0, completed = 0, served = 0;
    for (const auto& node : t.simulator->nodes()) {
        const NicStatistics& nic = node->nic().statistics();
        for (std::uint64_t n : nic.operations)
            started += n;
        served += nic.served_reads + nic.served_writes + nic.served_atomics;
        EXPECT_EQ(node->nic().outstanding(), 0u);
        EXPECT_EQ(node->memory().caches().check(), "");
    }
    for (const auto& source : t.sources)
        completed += source->completed();
    EXPECT_GT(started, 500u);
    EXPECT_EQ(started, completed);
    EXPECT_GE(served, started);
    EXPECT_EQ(t.simulator->instructions(), 16 * busy_mix().instructions);
}

// Counters agree with each other: flits counted by the NICs are those the routers carried.
TEST(TimingSimulator, CountersAgree) {
    const MachineDescription m = mesh_of(4, 4);
    TraceMachine t(m, busy_mix(), 1);
    ASSERT_TRUE(t.simulator->run());
    const nlohmann::ordered_json r = report(*t.simulator);
    std::uint64_t injected = 0, cycles = 0;
    for (const auto& link : r["links"])
        injected += link["injected_flits"].get<std::uint64_t>();
    const auto& nic = r["total"]["nic"];
    EXPECT_EQ(nic["loopbacks"], 0);
    // A peak of all nodes is the highest of theirs.
    std::uint64_t peak = 0;
    for (const auto& node : r["nodes"])
        peak = std::max(peak, node["nic"]["peak_outstanding"].get<std::uint64_t>());
    EXPECT_GT(peak, 0u);
    EXPECT_EQ(nic["peak_outstanding"], peak);
    EXPECT_EQ(injected, nic["header_flits"].get<std::uint64_t>() +
                            nic["address_flits"].get<std::uint64_t>() +
                            nic["payload_flits"].get<std::uint64_t>());
    for (const auto& node : r["nodes"]) {
        // Each cycle of a core up to its last instruction is an instruction or a stall.
        std::uint64_t sum = node["instructions"].get<std::uint64_t>();
        for (const auto& [cause, lost] : node["stalls"].items())
            sum += lost.get<std::uint64_t>();
        EXPECT_LE(sum,
                  r["cycles"].get<std::uint64_t>() + 40);  // the last one may lie behind the end
        cycles = std::max(cycles, sum);
    }
    EXPECT_GT(cycles, r["cycles"].get<std::uint64_t>() * 9 / 10);
    EXPECT_EQ(r["machine"], machine_to_json(m));
    EXPECT_GT(host_report(*t.simulator)["windows"].get<std::uint64_t>(), 10u);
}

TEST(TimingSimulator, TimelineHoldsEveryOperation) {
    const MachineDescription m = mesh_of(2, 2);
    TraceMachine t(m, busy_mix(), 1);
    Timeline timeline(*t.simulator);
    ASSERT_TRUE(t.simulator->run());
    std::ostringstream out;
    timeline.write(out);
    const auto trace = nlohmann::json::parse(out.str());
    std::uint64_t begins = 0, ends = 0, completed = 0;
    for (const auto& event : trace["traceEvents"]) {
        begins += event["ph"] == "b";
        ends += event["ph"] == "e";
    }
    for (const auto& source : t.sources)
        completed += source->completed();
    EXPECT_EQ(begins, completed);
    EXPECT_EQ(ends, completed);
    EXPECT_EQ(timeline.size(), completed);
    EXPECT_EQ(timeline.left_out(), 0u);
}

TEST(TimingSimulator, TimelineTellsWhatItLeavesOut) {
    const MachineDescription m = mesh_of(2, 2);
    TraceMachine t(m, busy_mix(), 1);
    Timeline timeline(*t.simulator, 10);
    ASSERT_TRUE(t.simulator->run());
    std::uint64_t completed = 0;
    for (const auto& source : t.sources)
        completed += source->completed();
    EXPECT_EQ(timeline.size(), 40u);
    EXPECT_EQ(timeline.left_out(), completed - 40);
    std::ostringstream out;
    timeline.write(out);
    const auto trace = nlohmann::json::parse(out.str());
    EXPECT_EQ(trace["otherData"]["operations_left_out"], completed - 40);
}

TEST(TimingSimulator, StopsOnRequestAndGoesOn) {
    const MachineDescription m = mesh_of(2, 2);
    TraceMix mix = busy_mix();
    mix.instructions = 1000000000;
    for (const unsigned threads : {1u, 2u}) {
        TraceMachine t(m, mix, threads);
        t.simulator->on_progress = [&] { t.simulator->stop(); };
        ASSERT_FALSE(t.simulator->run());
        const std::uint64_t before = t.simulator->instructions();
        EXPECT_GT(before, 0u);
        const Cycle limit = t.simulator->now() + 5000;
        ASSERT_FALSE(t.simulator->run(limit));
        EXPECT_EQ(t.simulator->now(), limit);
        EXPECT_GT(t.simulator->instructions(), before);
    }
}

/// A source that waits for something that never comes.
class StuckSource final : public InstructionSource {
  public:
    void run(CoreTiming& core) override { core.wait_for_service(0); }
    bool halted() const override { return false; }
    void remote_completed(Ticket, RemoteStatus, std::span<const std::byte>) override {}
};

TEST(TimingSimulator, SaysWhoWaits) {
    const MachineDescription m = mesh_of(1, 1);
    SparseMemory memory(m.memory.base, m.memory_bytes());
    StuckSource source;
    const NodeParts parts[] = {{&memory, &source}};
    TimingSimulator simulator(m, parts);
    try {
        simulator.run();
        FAIL() << "a stuck machine must be reported";
    } catch (const ModelError& error) {
        EXPECT_NE(std::string(error.what()).find("nothing can go on; waiting: node 0 (0 remote"),
                  std::string::npos)
            << error.what();
    }
}

/// Asks for service (a system call, say) every ten instructions; services must come in order of
/// nodes.
class ServicedSource final : public InstructionSource {
  public:
    ServicedSource(NodeId id, std::vector<NodeId>* log, std::uint64_t base)
        : id_(id), log_(log), base_(base) {}
    void run(CoreTiming& core) override {
        for (;;) {
            if (done_ % 10 == 9 && !served_) {
                wants_ = true;
                core.wait_for_service(100);
                return;
            }
            served_ = false;
            RetiredInstruction i;
            i.pc = base_;
            i.next_pc = base_ + 4;
            ++done_;
            if (!core.retire(i) || halted()) return;
        }
    }
    bool halted() const override { return done_ == 50; }
    bool wants_service() const override { return wants_; }
    void serve() override {
        wants_ = false;
        served_ = true;
        log_->push_back(id_);
    }
    void remote_completed(Ticket, RemoteStatus, std::span<const std::byte>) override {}

  private:
    NodeId id_;
    std::vector<NodeId>* log_;
    std::uint64_t base_;
    int done_ = 0;
    bool wants_ = false, served_ = false;
};

TEST(TimingSimulator, ServesSystemCallsInOrder) {
    const MachineDescription m = mesh_of(4, 1);
    for (unsigned threads : {1u, 3u}) {
        std::vector<NodeId> log;
        std::vector<std::unique_ptr<SparseMemory>> memories;
        std::vector<std::unique_ptr<ServicedSource>> sources;
        std::vector<NodeParts> parts;
        for (NodeId id = 0; id < 4; ++id) {
            memories.push_back(std::make_unique<SparseMemory>(m.memory.base, m.memory_bytes()));
            sources.push_back(std::make_unique<ServicedSource>(id, &log, m.memory.base));
            parts.push_back({memories.back().get(), sources.back().get()});
        }
        TimingSimulator simulator(m, parts, threads);
        ASSERT_TRUE(simulator.run());
        ASSERT_EQ(log.size(), 20u);
        for (std::size_t i = 0; i < log.size(); ++i)
            EXPECT_EQ(log[i], i % 4);
        EXPECT_EQ(simulator.instructions(), 200u);
        EXPECT_GT(simulator.now(), 500u);
    }
}

TEST(TimingSimulator, RefusesMachinesThatCannotRunPrograms) {
    MachineDescription m = mesh_of(1, 1);
    m.network.message_classes = 1;
    SparseMemory memory(m.memory.base, m.memory_bytes());
    StuckSource source;
    const NodeParts parts[] = {{&memory, &source}};
    EXPECT_THROW(TimingSimulator(m, parts), MachineError);
}

TEST(TimingSimulator, AThousandNodes) {
    const MachineDescription m = mesh_of(32, 32);
    TraceMix mix = busy_mix();
    mix.instructions = 60;
    TraceMachine t(m, mix, 2);
    ASSERT_TRUE(t.simulator->run());
    EXPECT_EQ(t.simulator->instructions(), 1024u * 60);
}

}  // namespace
}  // namespace isthmus::sim
