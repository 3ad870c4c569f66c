#include "sim/timing/core_timing.hpp"

#include <gtest/gtest.h>

#include "tests/sim/timing/scripted_machine.hpp"

namespace isthmus::sim {
namespace {

MachineDescription one_node() {
    MachineDescription m = table3();
    m.mesh.width = m.mesh.height = 1;
    return m;
}

TEST(CoreTiming, OneIntegerInstructionACycle) {
    ScriptedMachine s(one_node());
    for (int i = 0; i < 1000; ++i)
        s.sources[0]->steps.push_back(plain(s.machine, TimingClass::integer, 5, 5));
    ASSERT_TRUE(s.simulator->run());
    // The first instruction misses the instruction cache: directory, memory, return.
    const Cycle first = memory_done(s.machine, s.machine.directory.lookup_cycles) +
                        s.machine.directory.return_cycles;
    EXPECT_EQ(s.sources[0]->before[1], first + 1);
    EXPECT_EQ(s.sources[0]->between(0, 999), 999u);
    EXPECT_EQ(s.simulator->instructions(), 1000u);
    EXPECT_EQ(s.simulator->nodes()[0]->core().statistics().stalls[0], first);
}

// Each producer, then an instruction that needs its result: issue to issue is the latency.
TEST(CoreTiming, ResultLatencies) {
    const MachineDescription m = one_node();
    const std::pair<TimingClass, Cycle> table[] = {
        {TimingClass::integer, 1},
        {TimingClass::multiply, m.core.multiply_cycles},
        {TimingClass::divide, m.core.divide_cycles},
        {TimingClass::floating, m.core.float_cycles},
        {TimingClass::float_divide, m.core.float_divide_cycles}};
    for (const auto& [kind, latency] : table) {
        ScriptedMachine s(m);
        auto& steps = s.sources[0]->steps;
        steps.push_back(plain(m, TimingClass::integer));
        steps.push_back(plain(m, kind, 7, 6));
        steps.push_back(plain(m, TimingClass::integer, 8, 7));
        s.simulator->run();
        EXPECT_EQ(s.sources[0]->between(1, 2), latency) << static_cast<int>(kind);
    }
    // Multiplications stream, divisions do not.
    ScriptedMachine s(m);
    auto& steps = s.sources[0]->steps;
    steps.push_back(plain(m, TimingClass::integer));
    for (RegisterId r : {1, 2, 3})
        steps.push_back(plain(m, TimingClass::multiply, r, 10));
    for (RegisterId r : {4, 5})
        steps.push_back(plain(m, TimingClass::divide, r, 10));
    s.simulator->run();
    EXPECT_EQ(s.sources[0]->between(1, 3), 2u);
    EXPECT_EQ(s.sources[0]->between(4, 5), m.core.divide_cycles);
}

TEST(CoreTiming, LoadLatenciesByLevel) {
    const MachineDescription m = one_node();
    ScriptedMachine s(m);
    auto& steps = s.sources[0]->steps;
    steps.push_back(plain(m, TimingClass::integer));
    steps.push_back(load(m, 5, data(m)));                   // 1: memory
    steps.push_back(plain(m, TimingClass::integer, 6, 5));  // 2: waits
    steps.push_back(load(m, 5, data(m) + 8));               // 3: first level
    steps.push_back(plain(m, TimingClass::integer, 6, 5));  // 4
    // Eight more lines of the same set push the line out of the first level.
    for (unsigned i = 1; i <= 8; ++i) {
        steps.push_back(load(m, 5, data(m) + i * 2048));
        steps.push_back(plain(m, TimingClass::integer, 6, 5));
    }
    steps.push_back(load(m, 5, data(m)));                   // 21: second level
    steps.push_back(plain(m, TimingClass::integer, 6, 5));  // 22
    s.simulator->run();
    const ScriptedSource& source = *s.sources[0];
    const Cycle issued = source.before[2] - 1;
    const Cycle expected =
        memory_done(m, issued + m.directory.lookup_cycles) + m.directory.return_cycles;
    EXPECT_EQ(source.between(1, 2), expected - issued);
    EXPECT_EQ(source.between(3, 4), m.l1_data.hit_cycles);
    EXPECT_EQ(source.between(21, 22), m.l2.hit_cycles);
}

// Misses overlap until the miss registers are used up: with n of them, n independent loads cost
// about one latency.
TEST(CoreTiming, IndependentMissesOverlap) {
    Cycle taken[2];
    for (std::uint64_t misses : {1, 4}) {
        MachineDescription m = one_node();
        m.core.load_misses = misses;
        ScriptedMachine s(m);
        auto& steps = s.sources[0]->steps;
        steps.push_back(plain(m, TimingClass::integer));
        for (unsigned i = 0; i < 4; ++i)
            steps.push_back(load(m, static_cast<RegisterId>(5 + i), data(m) + i * 64));
        for (unsigned i = 0; i < 4; ++i) {
            steps.push_back(plain(m, TimingClass::integer, 10, static_cast<RegisterId>(5 + i)));
        }
        s.simulator->run();
        taken[misses == 4] = s.sources[0]->between(1, 8);
        const auto& stalls = s.simulator->nodes()[0]->core().statistics().stalls;
        EXPECT_EQ(stalls[static_cast<std::size_t>(StallCause::miss_slots)] != 0, misses == 1);
    }
    EXPECT_GT(taken[0], 5 * taken[1] / 2);
}

// Stores do not wait until the store buffer is full.
TEST(CoreTiming, StoresArePosted) {
    MachineDescription m = one_node();
    m.core.load_misses = 1;
    m.core.store_buffer = 3;
    ScriptedMachine s(m);
    auto& steps = s.sources[0]->steps;
    steps.push_back(plain(m, TimingClass::integer));
    for (unsigned i = 0; i < 4; ++i)
        steps.push_back(store(m, data(m) + 8 * i));  // one line under way
    s.simulator->run();
    EXPECT_EQ(s.sources[0]->between(1, 3), 2u);
    EXPECT_GT(s.sources[0]->between(3, 4), 30u);
    const auto& stalls = s.simulator->nodes()[0]->core().statistics().stalls;
    EXPECT_GT(stalls[static_cast<std::size_t>(StallCause::store_buffer)], 30u);
}

TEST(CoreTiming, FenceWaitsForStores) {
    const MachineDescription m = one_node();
    ScriptedMachine s(m);
    auto& steps = s.sources[0]->steps;
    steps.push_back(plain(m, TimingClass::integer));
    steps.push_back(store(m, data(m)));
    steps.push_back(plain(m, TimingClass::integer));
    steps.push_back(plain(m, TimingClass::fence));
    s.simulator->run();
    const Cycle issued = s.sources[0]->before[2] - 1;
    const Cycle done =
        memory_done(m, issued + m.directory.lookup_cycles) + m.directory.return_cycles;
    EXPECT_EQ(s.sources[0]->before[4] - 1, done);
}

TEST(BranchPredictor, LearnsLoopsAndReturns) {
    for (auto kind :
         {BranchPredictorKind::fixed, BranchPredictorKind::bimodal, BranchPredictorKind::gshare}) {
        MachineDescription::Branch b = table3().branch;
        b.predictor = static_cast<std::uint64_t>(kind);
        BranchPredictor predictor(b);
        RetiredInstruction i;
        i.kind = TimingClass::branch;
        i.pc = 0x1000;
        std::uint64_t wrong = 0;
        for (int turn = 0; turn < 1000; ++turn) {
            i.next_pc = turn % 10 == 9 ? 0x1004 : 0x0f00;  // nine times back, then out
            wrong += !predictor.resolve(i);
        }
        EXPECT_LE(wrong, 2u * 100 + 20) << static_cast<int>(kind);
        // Nested calls come back right, up to the depth of the stack.
        wrong = 0;
        for (int round = 0; round < 10; ++round) {
            for (std::uint64_t depth = 0; depth < b.return_stack; ++depth) {
                RetiredInstruction call{0x2000 + 8 * depth, 0x2000 + 8 * (depth + 1),
                                        TimingClass::call};
                wrong += !predictor.resolve(call);
            }
            for (std::uint64_t depth = b.return_stack; depth-- > 0;) {
                RetiredInstruction back{0x3002, 0x2004 + 8 * depth, TimingClass::return_jump};
                EXPECT_TRUE(predictor.resolve(back));
            }
        }
        EXPECT_EQ(wrong, b.return_stack);  // each call once, for its target
    }
    // What gshare is for: a branch that alternates.
    MachineDescription::Branch b = table3().branch;
    b.predictor = static_cast<std::uint64_t>(BranchPredictorKind::gshare);
    BranchPredictor predictor(b);
    RetiredInstruction i;
    i.kind = TimingClass::branch;
    i.pc = 0x1000;
    std::uint64_t wrong = 0;
    for (int turn = 0; turn < 1000; ++turn) {
        i.next_pc = turn % 2 == 0 ? 0x1004 : 0x0f00;
        wrong += !predictor.resolve(i);
    }
    EXPECT_LT(wrong, 50u);
}

TEST(BranchPredictor, AReturnToElsewhereIsMispredicted) {
    BranchPredictor predictor(table3().branch);
    const RetiredInstruction call{0x2000, 0x3000, TimingClass::call};
    const RetiredInstruction back{0x3002, 0x2004, TimingClass::return_jump};
    const RetiredInstruction elsewhere{0x3002, 0x4000, TimingClass::return_jump};
    predictor.resolve(call);
    EXPECT_TRUE(predictor.resolve(back));
    EXPECT_FALSE(predictor.resolve(back)) << "nothing is called";
    predictor.resolve(call);
    EXPECT_FALSE(predictor.resolve(elsewhere));
    EXPECT_FALSE(predictor.resolve(back)) << "its call has been returned from";
}

/// Two nodes; the steps are node 0's.
ScriptedMachine two_nodes(std::uint64_t remote_loads, std::vector<Step> steps) {
    MachineDescription m = table3();
    m.mesh.width = 2;
    m.mesh.height = 1;
    m.core.remote_loads = remote_loads;
    ScriptedMachine s(m);
    s.sources[0]->steps = std::move(steps);
    return s;
}
Step remote_access(const MachineDescription& m, RemoteKind kind, std::uint64_t offset,
                   RegisterId result = 0) {
    RemoteOperation operation;
    operation.kind = kind;
    operation.name_space = 2;
    operation.address = data(m) + offset;
    operation.blocking = kind == RemoteKind::load && result == 0;
    operation.results[0] = result;
    return remote(m, operation);
}
Step fence(const MachineDescription& m, std::uint8_t sets) {
    Step step = plain(m, TimingClass::fence);
    step.instruction.fence = sets;
    return step;
}

// As many loads as the machine has places for go on their way in consecutive cycles; the next one
// waits for the first.
TEST(CoreTiming, RemoteLoadsOverlapUpToTheirNumber) {
    const MachineDescription m = table3();
    const auto load_to = [&](RegisterId reg) {
        return remote_access(m, RemoteKind::load, 64 * reg, reg);
    };
    std::vector<Step> steps = {plain(m, TimingClass::integer),
                               remote_access(m, RemoteKind::load, 4096)};  // warms the NLB
    for (RegisterId reg = 1; reg <= 4; ++reg)
        steps.push_back(load_to(reg));
    steps.push_back(fence(m, 0x23));
    steps.push_back(plain(m, TimingClass::integer));
    ScriptedMachine all = two_nodes(4, steps), half = two_nodes(2, steps);
    ASSERT_TRUE(all.simulator->run());
    ASSERT_TRUE(half.simulator->run());
    EXPECT_EQ(all.sources[0]->between(2, 5), 3u);
    EXPECT_EQ(half.sources[0]->between(2, 3), 1u);
    EXPECT_GT(half.sources[0]->between(3, 4), 60u);
    const auto& latency = all.simulator->nodes()[0]->nic().statistics().latency[0];
    EXPECT_EQ(latency.count(), 5u);
    EXPECT_GE(all.sources[0]->between(5, 6), latency.minimum() - 4);
    EXPECT_LT(all.sources[0]->between(2, 6), 2 * latency.minimum());
    EXPECT_EQ(all.sources[0]->answers.size(), 5u);
}

// A load must not see what comes behind it, nor an older value than the load in front of it.
TEST(CoreTiming, WritesAndLoadsOfTheSamePlaceWaitForRemoteLoads) {
    const MachineDescription m = table3();
    struct Second {
        Step step;
        bool waits;
    };
    const Second seconds[] = {{remote_access(m, RemoteKind::store, 4096), true},
                              {remote_access(m, RemoteKind::atomic, 4096), true},
                              {remote_access(m, RemoteKind::bulk_put, 4096), true},
                              {remote_access(m, RemoteKind::bulk_get, 4096), false},
                              {remote_access(m, RemoteKind::load, 68, 6), true},
                              {remote_access(m, RemoteKind::load, 72, 6), false},
                              {remote_access(m, RemoteKind::load, 56, 6), false}};
    for (const auto& [step, waits] : seconds) {
        Step second = step;
        second.remote.local_address = data(m) + 8192;
        ScriptedMachine s =
            two_nodes(4, {plain(m, TimingClass::integer), remote_access(m, RemoteKind::load, 0),
                          remote_access(m, RemoteKind::load, 64, 5), second});
        ASSERT_TRUE(s.simulator->run());
        EXPECT_EQ(s.sources[0]->between(2, 3) > 60, waits) << &second - &step;
        EXPECT_EQ(s.sources[0]->between(2, 3) == 1, !waits);
    }
}

// What a fence's successor set names waits for what its predecessor set names and is under way, and
// nothing else waits.
TEST(CoreTiming, FencesHonourTheirSets) {
    const MachineDescription m = table3();
    const Step posted = remote_access(m, RemoteKind::store, 0),
               loading = remote_access(m, RemoteKind::load, 0, 5), miss = store(m, data(m) + 65536),
               local = load(m, 5, data(m) + 65536), get = remote_access(m, RemoteKind::bulk_get, 0);
    struct Before {
        const char* name;
        Step step;
        std::uint8_t is;  // of a fence's sets, what it is
    };
    const Before befores[] = {{"remote store", posted, kFenceWrites},
                              {"remote load", loading, kFenceReads},
                              {"local store", miss, kFenceWrites},
                              {"local load", local, kFenceReads},
                              {"bulk get", get, kFenceReads | kFenceWrites}};
    const Step add = plain(m, TimingClass::integer), read = load(m, 6, data(m) + 4096),
               write = store(m, data(m) + 4096),
               put = remote_access(m, RemoteKind::store, 8192 + 64),
               fetch = remote_access(m, RemoteKind::load, 8192, 7);
    const Before behinds[] = {{"integer", add, 0},
                              {"local load", read, kFenceReads},
                              {"local store", write, kFenceWrites},
                              {"remote load", fetch, kFenceReads},
                              {"remote store", put, kFenceWrites}};
    for (const Before& before : befores) {
        for (const Before& behind : behinds) {
            // A remote load in front of a remote store keeps it waiting without a fence, too.
            if (before.step.remote.results[0] != 0 && behind.step.has_remote &&
                behind.is != kFenceReads)
                continue;
            for (const unsigned sets :
                 {0x00u, 0x10u, 0x01u, 0x11u, 0x12u, 0x21u, 0x22u, 0x13u, 0x23u, 0x31u, 0x32u,
                  0x33u, 0x44u, 0x48u, 0x84u, 0x82u, 0xffu}) {
                Step first = before.step;
                first.remote.local_address = data(m) + 8192;
                // Both lines of what comes behind are there before.
                ScriptedMachine s = two_nodes(
                    4, {plain(m, TimingClass::integer), remote_access(m, RemoteKind::load, 128),
                        store(m, data(m) + 4096), fence(m, 0x33), first,
                        fence(m, static_cast<std::uint8_t>(sets)), behind.step, add});
                ASSERT_TRUE(s.simulator->run());
                const bool both = (sets & kFenceReads) != 0 && (sets & kFenceWrites) != 0;
                const bool waits =
                    (sets >> 4 & before.is) != 0 && ((sets & behind.is) != 0 || both);
                EXPECT_EQ(s.sources[0]->between(4, 6) > 20, waits)
                    << before.name << ", " << behind.name << ", sets " << std::hex << sets << ": "
                    << std::dec << s.sources[0]->between(4, 6);
            }
        }
    }
}

// Only what was under way when the fence came: what is younger is not waited for.
TEST(CoreTiming, AFenceDoesNotWaitForWhatIsYounger) {
    const MachineDescription m = table3();
    const auto run = [&](const Step& between) {
        ScriptedMachine s =
            two_nodes(4, {plain(m, TimingClass::integer), remote_access(m, RemoteKind::load, 128),
                          remote_access(m, RemoteKind::store, 0), fence(m, 0x32), between,
                          load(m, 6, data(m)), plain(m, TimingClass::integer)});
        EXPECT_TRUE(s.simulator->run());
        return s.sources[0]->between(2, 5);
    };
    const Cycle alone = run(plain(m, TimingClass::integer)),
                beside = run(remote_access(m, RemoteKind::store, 4096));
    EXPECT_GT(alone, 60u);
    EXPECT_EQ(beside, alone);
}

TEST(CoreTiming, MispredictionCosts) {
    const MachineDescription m = one_node();
    ScriptedMachine s(m);
    Step branch = plain(m, TimingClass::branch);
    branch.instruction.next_pc = m.memory.base - 64;  // taken, never seen before
    s.sources[0]->steps = {plain(m, TimingClass::integer), branch, plain(m, TimingClass::integer)};
    s.simulator->run();
    EXPECT_EQ(s.sources[0]->between(0, 2), 2 + m.core.mispredict_cycles);
}

}  // namespace
}  // namespace isthmus::sim
