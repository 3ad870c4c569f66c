#include "launch/binding.hpp"

#include <gtest/gtest.h>

namespace isthmus::launch {
namespace {

ProcessorSet set_of(std::initializer_list<int> processors) {
    ProcessorSet set;
    for (const int p : processors)
        set.add(p);
    return set;
}

// `sockets` sockets of `cores` cores of two hardware threads: core c has c and c + all cores.
Topology machine(int sockets, int cores, ProcessorSet& allowed) {
    Topology topology;
    for (int s = 0; s < sockets; ++s) {
        ProcessorSet socket;
        for (int c = 0; c < cores; ++c) {
            const int core = s * cores + c;
            topology.cores.push_back(set_of({core, core + sockets * cores}));
            socket |= topology.cores.back();
        }
        allowed |= socket;
        topology.sockets.push_back(socket);
    }
    return topology;
}

TEST(ProcessorSet, Text) {
    EXPECT_EQ(set_of({}).text(), "");
    EXPECT_EQ(set_of({0}).text(), "0");
    EXPECT_EQ(set_of({0, 1, 2, 5, 63, 64, 65, 200}).text(), "0-2,5,63-65,200");
}

TEST(ProcessorSet, Operations) {
    const ProcessorSet a = set_of({0, 1, 100});
    EXPECT_EQ(a.count(), 3);
    EXPECT_TRUE(a.contains(100));
    EXPECT_FALSE(a.contains(99));
    EXPECT_FALSE(a.contains(-1));
    EXPECT_FALSE(a.contains(100000));
    EXPECT_EQ((a & set_of({1, 2})).text(), "1");
    EXPECT_TRUE((a & set_of({7})).empty());
    EXPECT_FALSE(ProcessorSet::allowed().empty());
}

TEST(Binding, AutomaticSharesCoresOut) {
    ProcessorSet allowed;
    const Topology topology = machine(2, 4, allowed);
    const Binding each = share_out(BindMode::automatic, 8, allowed, topology);
    ASSERT_EQ(each.sets.size(), 8U);
    EXPECT_EQ(each.sets[3].text(), "3,11");
    EXPECT_EQ(each.reason, "8 PEs on 8 cores: a core each");
    const Binding share = share_out(BindMode::automatic, 3, allowed, topology);
    EXPECT_EQ(share.sets[0].text(), "0-1,8-9");
    EXPECT_EQ(share.sets[1].text(), "2-4,10-12");
    EXPECT_EQ(share.sets[2].text(), "5-7,13-15");
    const Binding none = share_out(BindMode::automatic, 9, allowed, topology);
    EXPECT_TRUE(none.sets.empty());
    EXPECT_EQ(none.reason, "not bound: 9 PEs, only 8 cores");
}

// Property: the shares are disjoint, none is empty, and together they are all cores.
TEST(Binding, AutomaticSharesAreAPartition) {
    ProcessorSet allowed;
    const Topology topology = machine(3, 7, allowed);
    for (int pes = 2; pes <= 21; ++pes) {
        const Binding binding = share_out(BindMode::automatic, pes, allowed, topology);
        ASSERT_EQ(binding.sets.size(), static_cast<std::size_t>(pes));
        ProcessorSet all;
        int total = 0;
        for (const ProcessorSet& set : binding.sets) {
            EXPECT_FALSE(set.empty());
            total += set.count();
            all |= set;
        }
        EXPECT_EQ(total, all.count()) << pes;
        EXPECT_EQ(all.text(), allowed.text()) << pes;
    }
}

TEST(Binding, NamedUnitsStartOver) {
    ProcessorSet allowed;
    const Topology topology = machine(2, 2, allowed);
    const Binding core = share_out(BindMode::core, 5, allowed, topology);
    EXPECT_EQ(core.sets[4].text(), core.sets[0].text());
    EXPECT_EQ(core.sets[1].text(), "1,5");
    const Binding thread = share_out(BindMode::thread, 9, allowed, topology);
    EXPECT_EQ(thread.sets[7].text(), "7");
    EXPECT_EQ(thread.sets[8].text(), "0");
    const Binding socket = share_out(BindMode::socket, 4, allowed, topology);
    EXPECT_EQ(socket.sets[0].text(), socket.sets[1].text());
    EXPECT_EQ(socket.sets[2].text(), "2-3,6-7");
}

TEST(Binding, WithoutTopology) {
    Topology unknown;
    unknown.problem = "libhwloc.so.15 is not installed";
    const ProcessorSet allowed = set_of({0, 1});
    EXPECT_TRUE(share_out(BindMode::automatic, 2, allowed, unknown).error.empty());
    EXPECT_EQ(share_out(BindMode::core, 2, allowed, unknown).error,
              "cannot bind to a core: libhwloc.so.15 is not installed; choose none or thread");
    EXPECT_EQ(share_out(BindMode::thread, 2, allowed, unknown).sets.size(), 2U);
}

TEST(Binding, ModeNames) {
    BindMode mode = BindMode::none;
    EXPECT_TRUE(parse_bind_mode("hwthread", mode));
    EXPECT_EQ(mode, BindMode::thread);
    EXPECT_TRUE(parse_bind_mode("package", mode));
    EXPECT_EQ(mode, BindMode::socket);
    EXPECT_FALSE(parse_bind_mode("numa", mode));
    EXPECT_FALSE(parse_bind_mode("", mode));
    EXPECT_STREQ(bind_mode_name(BindMode::automatic), "auto");
}

}  // namespace
}  // namespace isthmus::launch
