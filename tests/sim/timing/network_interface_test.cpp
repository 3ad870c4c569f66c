#include "sim/timing/network_interface.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/machine/check.hpp"
#include "sim/machine/random.hpp"
#include "tests/sim/timing/scripted_machine.hpp"

namespace isthmus::sim {
namespace {

MachineDescription mesh_of(std::uint64_t width, std::uint64_t height) {
    MachineDescription m = table3();
    m.mesh.width = width;
    m.mesh.height = height;
    return m;
}

RemoteOperation operation(RemoteKind kind, NodeId target, std::uint64_t address) {
    RemoteOperation op;
    op.kind = kind;
    op.name_space = target + std::uint64_t{1};
    op.address = address;
    return op;
}

// The whole way by hand. With H hops, R = router_cycles, L = link_cycles:
//   network(H, F) = L + (H + 1)(R + L) + F - 1
//   read: NLB + transmit + network(H, 1 + 2) + receive + look-up + DRAM + return + transmit +
//   network(H, 1 + 2) + receive
// A request is header and two address flits, the reply header and two flits for eight bytes.
TEST(NetworkInterface, UnloadedReadLatencyMatchesHandCalculation) {
    const MachineDescription m = mesh_of(8, 8);
    for (const auto& [from, to] : {std::pair{0, 1}, std::pair{0, 63}, std::pair{27, 36},
                                   std::pair{56, 7}, std::pair{9, 8}}) {
        ScriptedMachine s(m);
        const auto source = static_cast<NodeId>(from), target = static_cast<NodeId>(to);
        s.set_word(target, data(m), 0x1122334455667788u);
        auto& steps = s.sources[source]->steps;
        // The first brings the namespace into the NLB.
        steps.push_back(remote(m, operation(RemoteKind::store, target, data(m) + 64)));
        for (int i = 0; i < 40; ++i)
            steps.push_back(plain(m, TimingClass::integer));
        steps.push_back(remote(m, operation(RemoteKind::load, target, data(m))));
        ASSERT_TRUE(s.simulator->run());
        const ScriptedSource& done = *s.sources[source];
        ASSERT_EQ(done.answers.size(), 2u);
        EXPECT_EQ(done.answers[1].word(), 0x1122334455667788u);

        const auto absolute = [](int d) { return static_cast<Cycle>(d < 0 ? -d : d); };
        const Cycle hops = absolute(from % 8 - to % 8) + absolute(from / 8 - to / 8);
        const Cycle network = m.network.link_cycles +
                              (hops + 1) * (m.network.router_cycles + m.network.link_cycles) + 3 -
                              1;
        const Cycle issued = done.before[41];
        const Cycle at_directory =
            issued + m.nlb.hit_cycles + m.nic.transmit_cycles + network + m.nic.receive_cycles;
        const Cycle read =
            memory_done(m, at_directory + m.directory.lookup_cycles) + m.directory.return_cycles;
        const Cycle answered = read + m.nic.transmit_cycles + network + m.nic.receive_cycles;
        EXPECT_EQ(done.before[42], answered) << from << " to " << to;
        const Histogram& latency = s.simulator->nodes()[source]->nic().statistics().latency[0];
        EXPECT_EQ(latency.maximum(), answered - issued);
    }
}

// A write is acknowledged when the directory has taken it: no DRAM read on the way.
TEST(NetworkInterface, UnloadedWriteLatencyMatchesHandCalculation) {
    const MachineDescription m = mesh_of(8, 8);
    ScriptedMachine s(m);
    auto& steps = s.sources[0]->steps;
    for (int i = 0; i < 2; ++i) {
        RemoteOperation op = operation(RemoteKind::store, 63, data(m));
        op.value[0] = 77;
        steps.push_back(remote(m, op));
    }
    ASSERT_TRUE(s.simulator->run());
    EXPECT_EQ(s.word(63, data(m)), 77u);
    const auto network = [&](Cycle flits) {
        return m.network.link_cycles + 15 * (m.network.router_cycles + m.network.link_cycles) +
               flits - 1;
    };
    const Cycle by_hand = m.nlb.hit_cycles + m.nic.transmit_cycles + network(5) +
                          m.nic.receive_cycles + m.directory.lookup_cycles + m.nic.transmit_cycles +
                          network(1) + m.nic.receive_cycles;
    EXPECT_EQ(s.sources[0]->before[2] - s.sources[0]->before[1], by_hand);
    // The first one walked the namespace table: at least one read of memory more.
    EXPECT_GE(s.sources[0]->before[1] - s.sources[0]->before[0], by_hand + 38);
    const NlbStatistics& nlb = s.simulator->nodes()[0]->nic().nlb_statistics();
    EXPECT_EQ(nlb.misses, 1u);
    EXPECT_EQ(nlb.hits, 1u);
    EXPECT_GE(nlb.table_reads, 1u);
    EXPECT_EQ(s.simulator->nodes()[0]->memory().statistics().remote_reads, nlb.table_reads);
}

// In a table as small as the machine most namespaces do not lie where the search begins.
TEST(NetworkInterface, TheWalkGoesOnToTheNextSlot) {
    MachineDescription m = mesh_of(4, 4);
    m.nlb.table_entries = 16;
    ScriptedMachine s(m);
    for (NodeId target = 1; target < 16; ++target) {
        s.set_word(target, data(m), 100 + target);
        s.sources[0]->steps.push_back(remote(m, operation(RemoteKind::load, target, data(m))));
    }
    ASSERT_TRUE(s.simulator->run());
    ASSERT_EQ(s.sources[0]->answers.size(), 15u);
    for (std::size_t i = 0; i < 15; ++i)
        EXPECT_EQ(s.sources[0]->answers[i].word(), 101 + i);
    const NlbStatistics& nlb = s.simulator->nodes()[0]->nic().nlb_statistics();
    EXPECT_GT(nlb.table_reads, nlb.misses);
}

TEST(NetworkInterface, NlbOfOneEntryMissesEachChange) {
    MachineDescription m = mesh_of(4, 1);
    m.nlb.entries = 1;
    ScriptedMachine s(m);
    for (NodeId target : {1u, 1u, 2u, 1u, 1u}) {
        s.sources[0]->steps.push_back(remote(m, operation(RemoteKind::load, target, data(m))));
    }
    s.simulator->run();
    EXPECT_EQ(s.simulator->nodes()[0]->nic().nlb_statistics().misses, 3u);
    EXPECT_EQ(s.simulator->nodes()[0]->nic().nlb_statistics().hits, 2u);
}

// Remote accesses see and change what the target's caches hold.
TEST(NetworkInterface, TargetCachesStayCoherent) {
    const MachineDescription m = mesh_of(2, 1);
    ScriptedMachine s(m);
    // Node 1 dirties the line, then idles; node 0 reads it (from the cache), then writes it (the
    // cache loses it).
    s.sources[1]->steps = {plain(m, TimingClass::integer), store(m, data(m))};
    for (int i = 0; i < 1000; ++i)
        s.sources[1]->steps.push_back(plain(m, TimingClass::integer));
    for (int i = 0; i < 300; ++i)
        s.sources[0]->steps.push_back(plain(m, TimingClass::integer));
    s.sources[0]->steps.push_back(remote(m, operation(RemoteKind::load, 1, data(m))));
    s.sources[0]->steps.push_back(remote(m, operation(RemoteKind::store, 1, data(m))));
    s.simulator->run();
    const MemorySystem& memory = s.simulator->nodes()[1]->memory();
    EXPECT_EQ(memory.statistics().remote_hits, 2u);
    EXPECT_GE(memory.statistics().probes, 2u);
    EXPECT_EQ(memory.caches().state(MemorySystem::kData, memory.line_of(data(m))),
              LineState::invalid);
    EXPECT_EQ(memory.caches().check(), "");
}

TEST(NetworkInterface, FaultsComeBack) {
    const MachineDescription m = mesh_of(2, 2);
    ScriptedMachine s(m);
    const ResidentNamespaceTable table(m);
    const std::uint64_t user = std::uint64_t{1} << 63 | 5;
    table.insert(*s.memories[0], {user, 3, kMayRead, data(m), 64});
    table.insert(*s.memories[0], {user + 1, 99, kAllRights, data(m), 64});
    auto add = [&](RemoteKind kind, std::uint64_t space, std::uint64_t address,
                   std::uint64_t bytes = 8) {
        RemoteOperation op = operation(kind, 0, address);
        op.name_space = space;
        op.bytes = bytes;
        op.local_address = data(m);
        s.sources[0]->steps.push_back(remote(m, op));
    };
    add(RemoteKind::load, 77, data(m));                              // no such namespace
    add(RemoteKind::load, user, data(m) + 56);                       // the last legal word
    add(RemoteKind::load, user, data(m) + 57);                       // one byte beyond
    add(RemoteKind::store, user, data(m));                           // no right to write
    add(RemoteKind::atomic, user, data(m));                          // nor for atomics
    add(RemoteKind::load, user + 1, data(m));                        // a node that is not there
    add(RemoteKind::load, 2, m.memory.base - 8);                     // below memory
    add(RemoteKind::load, 2, m.memory.base + m.memory_bytes() - 8);  // the last word
    add(RemoteKind::load, 2, m.memory.base + m.memory_bytes() - 7);  // over the end
    add(RemoteKind::bulk_put, user, data(m), 64);
    add(RemoteKind::bulk_get, user, data(m), 65);
    add(RemoteKind::bulk_get, user, data(m), 64);
    ASSERT_TRUE(s.simulator->run());
    using enum RemoteStatus;
    const RemoteStatus expected[] = {unmapped, done, refused, refused, refused, refused,
                                     refused,  done, refused, refused, refused, done};
    ASSERT_EQ(s.sources[0]->answers.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i)
        EXPECT_EQ(s.sources[0]->answers[i].status, expected[i]) << i;
    EXPECT_EQ(s.simulator->nodes()[0]->nic().statistics().faults, 9u);
}

// Fetch-and-add from every node to one word, through the network: the sum is right and no two saw
// the same value.
TEST(NetworkInterface, AtomicsAreAtomic) {
    const MachineDescription m = mesh_of(4, 4);
    for (std::uint64_t bytes : {4, 8}) {
        ScriptedMachine s(m);
        const unsigned each = 20;
        for (NodeId node = 0; node < 16; ++node) {
            for (unsigned i = 0; i < each; ++i) {
                RemoteOperation op = operation(RemoteKind::atomic, 5, data(m));
                op.operation = AtomicOperation::add;
                op.bytes = bytes;
                op.value[0] = 1;
                op.blocking = i % 3 == 0;
                s.sources[node]->steps.push_back(remote(m, op));
            }
        }
        ASSERT_TRUE(s.simulator->run());
        EXPECT_EQ(s.word(5, data(m)), 16u * each);
        std::set<std::uint64_t> seen;
        for (const auto& source : s.sources) {
            for (const Answer& answer : source->answers)
                seen.insert(answer.word());
        }
        EXPECT_EQ(seen.size(), 16u * each);
        EXPECT_EQ(*seen.rbegin(), 16u * each - 1);
    }
}

TEST(NetworkInterface, AtomicArithmetic) {
    using enum AtomicOperation;
    const std::uint64_t minus = ~std::uint64_t{0};
    EXPECT_EQ(apply_atomic(swap, 1, 2, 0, 8), 2u);
    EXPECT_EQ(apply_atomic(add, 0xffffffff, 1, 0, 4), 0u);
    EXPECT_EQ(apply_atomic(add, 0xffffffff, 1, 0, 8), 0x100000000u);
    EXPECT_EQ(apply_atomic(bit_xor, 6, 3, 0, 8), 5u);
    EXPECT_EQ(apply_atomic(bit_and, 6, 3, 0, 8), 2u);
    EXPECT_EQ(apply_atomic(bit_or, 6, 3, 0, 8), 7u);
    EXPECT_EQ(apply_atomic(min, minus, 1, 0, 8), minus);
    EXPECT_EQ(apply_atomic(max, minus, 1, 0, 8), 1u);
    EXPECT_EQ(apply_atomic(min, 0xffffffff, 1, 0, 4), 0xffffffffu);
    EXPECT_EQ(apply_atomic(max, 0xffffffff, 1, 0, 4), 1u);
    EXPECT_EQ(apply_atomic(minu, minus, 1, 0, 8), 1u);
    EXPECT_EQ(apply_atomic(maxu, minus, 1, 0, 8), minus);
    EXPECT_EQ(apply_atomic(compare_swap, 5, 9, 5, 8), 9u);
    EXPECT_EQ(apply_atomic(compare_swap, 5, 9, 6, 8), 5u);
    EXPECT_EQ(apply_atomic(compare_swap, 0xfffffffb, 9, minus - 4, 4), 9u);
}

// Random bulk transfers of any length and alignment, checked byte by byte against plain arrays.
TEST(NetworkInterface, BulkTransfersMoveTheBytes) {
    const MachineDescription m = mesh_of(3, 3);
    Random random(21);
    ScriptedMachine s(m);
    std::map<std::pair<NodeId, std::uint64_t>, std::byte> model;
    const std::uint64_t span = 40000;
    for (NodeId node = 0; node < 9; ++node) {
        std::vector<std::byte> bytes(span);
        for (std::byte& b : bytes)
            b = static_cast<std::byte>(random.next());
        s.memories[node]->write(data(m), bytes);
        for (std::uint64_t i = 0; i < span; ++i)
            model[{node, i}] = bytes[i];
    }
    // Only node 4 moves data, one transfer after the other, so the order is known.
    for (int i = 0; i < 40; ++i) {
        RemoteOperation op =
            operation(random.chance(0.5) ? RemoteKind::bulk_get : RemoteKind::bulk_put,
                      static_cast<NodeId>(random.below(9)), 0);
        op.bytes = i == 0 ? 0 : random.below(i % 4 == 0 ? 15000 : 100);
        const std::uint64_t local = random.below(span / 2 - op.bytes),
                            far = span / 2 + random.below(span / 2 - op.bytes);
        op.local_address = data(m) + local;
        op.address = data(m) + far;
        const auto target = static_cast<NodeId>(op.name_space - 1);
        for (std::uint64_t b = 0; b < op.bytes; ++b) {
            if (op.kind == RemoteKind::bulk_get) {
                model[{4, local + b}] = model[{target, far + b}];
            } else {
                model[{target, far + b}] = model[{4, local + b}];
            }
        }
        s.sources[4]->steps.push_back(remote(m, op));
    }
    ASSERT_TRUE(s.simulator->run());
    for (NodeId node = 0; node < 9; ++node) {
        std::vector<std::byte> bytes(span);
        s.memories[node]->read(data(m), bytes);
        for (std::uint64_t i = 0; i < span; ++i) {
            const std::byte expected = model[{node, i}];
            ASSERT_EQ(bytes[i], expected) << "node " << node << ", byte " << i;
        }
    }
    EXPECT_EQ(s.sources[4]->answers.size(), 40u);
}

// A long put is limited by the link: one flit a cycle, four bytes. Packets of 4 KB cost three flits
// of control each.
TEST(NetworkInterface, BulkPutRunsAtLinkBandwidth) {
    const MachineDescription m = mesh_of(4, 1);
    ScriptedMachine s(m);
    RemoteOperation op = operation(RemoteKind::bulk_put, 3, data(m));
    op.bytes = 256 << 10;
    op.local_address = data(m) + (1 << 20);
    s.sources[0]->steps = {remote(m, op)};
    ASSERT_TRUE(s.simulator->run());
    const double flits = 64.0 * (1024 + 3);
    const auto cycles = static_cast<double>(s.sources[0]->before[1]);
    EXPECT_GT(cycles, flits);
    EXPECT_LT(cycles, 1.25 * flits);
    const NicStatistics& nic = s.simulator->nodes()[0]->nic().statistics();
    EXPECT_EQ(nic.payload_flits, 64u * 1024);
    EXPECT_EQ(nic.header_flits, 64u);
}

// Figure 12 of the paper: a request and its reply carry p bytes of payload and 8 bytes of control.
TEST(NetworkInterface, ControlOverheadIsThePapersFigure12) {
    for (std::uint64_t payload : {1, 2, 4, 8, 16, 64, 256, 1024}) {
        MachineDescription m = mesh_of(2, 1);
        m.network.address_flits = 0;  // the figure counts headers only
        ScriptedMachine s(m);
        RemoteOperation op =
            operation(payload <= 16 ? RemoteKind::store : RemoteKind::bulk_put, 1, data(m));
        op.bytes = payload;
        op.local_address = data(m);
        s.sources[0]->steps = {remote(m, op)};
        ASSERT_TRUE(s.simulator->run());
        std::uint64_t control = 0, carried = 0;
        for (const auto& node : s.simulator->nodes()) {
            control += 4 * (node->nic().statistics().header_flits +
                            node->nic().statistics().address_flits);
            carried += node->nic().statistics().payload_bytes;
        }
        const double share = static_cast<double>(carried) / static_cast<double>(carried + control);
        EXPECT_NEAR(share, static_cast<double>(payload) / static_cast<double>(payload + 8), 1e-12);
        if (payload == 1) {
            EXPECT_NEAR(share, 0.1111, 1e-4);  // the paper's numbers
        }
        if (payload == 1024) {
            EXPECT_NEAR(share, 0.9922, 1e-4);
        }
    }
}

TEST(NetworkInterface, FenceWaitsForPostedWrites) {
    const MachineDescription m = mesh_of(8, 1);
    ScriptedMachine s(m);
    auto& steps = s.sources[0]->steps;
    for (unsigned i = 0; i < 10; ++i) {
        RemoteOperation op = operation(RemoteKind::store, 7, data(m) + 8 * i);
        op.blocking = false;
        steps.push_back(remote(m, op));
    }
    steps.push_back(plain(m, TimingClass::fence));
    ASSERT_TRUE(s.simulator->run());
    const ScriptedSource& source = *s.sources[0];
    EXPECT_EQ(source.between(1, 9), 8u);  // posted: one a cycle
    EXPECT_EQ(source.answers.size(), 10u);
    EXPECT_GT(source.between(9, 10), 100u);
    const auto& stalls = s.simulator->nodes()[0]->core().statistics().stalls;
    EXPECT_GT(stalls[static_cast<std::size_t>(StallCause::fence)], 100u);
}

TEST(NetworkInterface, OutstandingOperationsAreLimited) {
    MachineDescription m = mesh_of(8, 1);
    m.nic.outstanding = 3;
    ScriptedMachine s(m);
    for (unsigned i = 0; i < 12; ++i) {
        RemoteOperation op = operation(RemoteKind::store, 7, data(m) + 8 * i);
        op.blocking = false;
        s.sources[0]->steps.push_back(remote(m, op));
    }
    ASSERT_TRUE(s.simulator->run());
    EXPECT_EQ(s.simulator->nodes()[0]->nic().statistics().peak_outstanding, 3u);
    const auto& stalls = s.simulator->nodes()[0]->core().statistics().stalls;
    EXPECT_GT(stalls[static_cast<std::size_t>(StallCause::nic_slots)], 100u);
}

// Every node at every other at once, own node included; ends, and each word is where it belongs.
TEST(NetworkInterface, AllToAllStores) {
    const MachineDescription m = mesh_of(5, 3);
    ScriptedMachine s(m);
    for (NodeId node = 0; node < 15; ++node) {
        for (NodeId k = 0; k < 15; ++k) {
            RemoteOperation op = operation(RemoteKind::store, (node + k) % 15, data(m) + 8 * node);
            op.value[0] = 100 * node + (node + k) % 15;
            op.blocking = false;
            s.sources[node]->steps.push_back(remote(m, op));
        }
        s.sources[node]->steps.push_back(plain(m, TimingClass::fence));
    }
    ASSERT_TRUE(s.simulator->run());
    for (NodeId target = 0; target < 15; ++target) {
        for (NodeId node = 0; node < 15; ++node)
            EXPECT_EQ(s.word(target, data(m) + 8 * node), 100 * node + target);
        EXPECT_EQ(s.simulator->nodes()[target]->nic().statistics().loopbacks, 2u);
    }
}

}  // namespace
}  // namespace isthmus::sim
