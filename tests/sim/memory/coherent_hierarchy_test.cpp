#include "sim/memory/coherent_hierarchy.hpp"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <set>

#include "sim/machine/random.hpp"

namespace isthmus::sim {
namespace {

using Value = std::uint64_t;

struct MapStore {
    std::map<std::uint64_t, Value>* lines;
    Value read(std::uint64_t line) { return (*lines)[line]; }
    void write(std::uint64_t line, Value value) { (*lines)[line] = value; }
};

TEST(CacheArray, ReplacesTheLeastRecentlyUsed) {
    // Against a list in order of use, for every legal number of ways.
    struct Nothing {};
    Random random(5);
    for (unsigned ways = 1; ways <= 16; ++ways) {
        CacheArray<Nothing> cache(4, ways);
        std::array<std::list<std::uint64_t>, 4> model;
        for (int i = 0; i < 20000; ++i) {
            const std::uint64_t line = random.below(std::uint64_t{ways} * 7);
            std::list<std::uint64_t>& set = model[line % 4];
            if (ways % 2 == 0) cache.open(line);
            const std::size_t slot = cache.find(line);
            const auto known = std::find(set.begin(), set.end(), line);
            ASSERT_EQ(slot != cache.kNoSlot, known != set.end());
            if (known != set.end()) {
                if (random.chance(0.1)) {
                    cache.remove(slot);
                } else {
                    cache.touch(slot);
                    set.push_front(line);
                }
                set.erase(known);
                continue;
            }
            const std::size_t victim = cache.victim(line);
            if (cache.valid(victim)) {
                ASSERT_EQ(set.size(), ways);
                ASSERT_EQ(cache.line(victim), set.back());
                set.pop_back();
            }
            cache.remove(victim);
            cache.place(victim, line);
            set.push_front(line);
            ASSERT_EQ(cache.line(cache.find(line)), line);
        }
    }
}

struct ProtocolCase {
    unsigned data_agents, instruction_agents;
    std::uint64_t lines, sets, ways, l2_sets, l2_ways;
};

class DirectoryProtocol : public testing::TestWithParam<ProtocolCase> {};

// Random reads and writes by all agents and by the NIC, against one plain array of values. After
// each operation: the value read is the last one written; at most one agent may write a line and
// then no other holds it (SWMR). The whole structure is walked every hundred operations.
TEST_P(DirectoryProtocol, RandomAccessesMatchPlainMemory) {
    const ProtocolCase& c = GetParam();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        std::map<std::uint64_t, Value> memory, model;
        std::vector<CacheShape> shapes(c.data_agents, {c.sets, c.ways, true});
        shapes.insert(shapes.end(), c.instruction_agents, {c.sets, c.ways, false});
        CoherentHierarchy<Value, MapStore> caches(shapes, c.l2_sets, c.l2_ways, MapStore{&memory});
        Random random(seed);
        Value fresh = 1;
        std::set<HitLevel> levels;
        for (int i = 0; i < 30000; ++i) {
            const std::uint64_t line = random.below(c.lines);
            const auto agent = static_cast<unsigned>(random.below(shapes.size()));
            switch (random.below(8)) {
                case 0: {
                    Value value = ~Value{0};
                    caches.remote_read(line, &value);
                    ASSERT_EQ(value, model[line]) << "remote read, step " << i << ", seed " << seed;
                    break;
                }
                case 1: {
                    const Value value = fresh++;
                    Value before = 0;
                    caches.remote_write(line, [&](Value& v) {
                        before = v;
                        v = value;
                    });
                    ASSERT_EQ(before, model[line]) << "remote write saw an old line, step " << i;
                    model[line] = value;
                    for (unsigned a = 0; a < shapes.size(); ++a) {
                        ASSERT_EQ(caches.state(a, line), LineState::invalid);
                    }
                    ASSERT_FALSE(caches.in_second_level(line));
                    break;
                }
                case 2:
                case 3:
                case 4: {
                    if (!shapes[agent].may_write) break;
                    const bool hit = caches.write_hit(agent, line);
                    if (!hit) levels.insert(caches.write(agent, line).level);
                    ASSERT_EQ(caches.payload(agent, line), model[line])
                        << "write lost an old value, step " << i;
                    caches.payload(agent, line) = fresh;
                    model[line] = fresh++;
                    ASSERT_EQ(caches.state(agent, line), LineState::modified);
                    break;
                }
                default: {
                    if (!caches.read_hit(agent, line))
                        levels.insert(caches.read(agent, line).level);
                    ASSERT_EQ(caches.payload(agent, line), model[line])
                        << "agent " << agent << ", line " << line << ", step " << i << ", seed "
                        << seed;
                }
            }
            unsigned writers = 0, holders = 0;
            for (unsigned a = 0; a < shapes.size(); ++a) {
                const LineState state = caches.state(a, line);
                holders += state != LineState::invalid;
                writers += state == LineState::exclusive || state == LineState::modified;
            }
            ASSERT_TRUE(writers == 0 || (writers == 1 && holders == 1)) << "step " << i;
            if (i % 100 == 0) {
                ASSERT_EQ(caches.check(), "") << "step " << i << ", seed " << seed;
            }
        }
        ASSERT_EQ(caches.check(), "");
        EXPECT_TRUE(levels.contains(HitLevel::memory));
        // Every line, read back by the NIC, has its last value.
        for (const auto& [line, value] : model) {
            Value seen = 0;
            caches.remote_read(line, &seen);
            ASSERT_EQ(seen, value);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DirectoryProtocol,
    testing::Values(ProtocolCase{1, 1, 64, 2, 2, 4, 4},    // one core, thrashing
                    ProtocolCase{1, 1, 8, 4, 2, 8, 4},     // one core, all fits
                    ProtocolCase{4, 4, 24, 2, 2, 4, 4},    // sharing and evicting
                    ProtocolCase{8, 8, 6, 1, 4, 2, 4},     // heavy sharing
                    ProtocolCase{3, 0, 40, 1, 1, 2, 2}));  // direct-mapped first level

TEST(CoherentHierarchy, ReportsWhatItDid) {
    CoherentHierarchy<> caches({{32, 8, false}, {32, 8, true}}, 64, 8);
    EXPECT_EQ(caches.read(1, 5).level, HitLevel::memory);
    EXPECT_EQ(caches.state(1, 5), LineState::exclusive);
    EXPECT_EQ(caches.read(1, 5).level, HitLevel::first);
    EXPECT_EQ(caches.write(1, 5).level, HitLevel::first);  // exclusive becomes modified silently
    Transaction t = caches.read(0, 5);  // the instruction side: the owner is asked
    EXPECT_EQ(t.level, HitLevel::second);
    EXPECT_EQ(t.probes, 1);
    EXPECT_EQ(caches.state(1, 5), LineState::shared);
    t = caches.write(1, 5);
    EXPECT_TRUE(t.upgrade);
    EXPECT_EQ(t.probes, 1);
    EXPECT_EQ(caches.state(0, 5), LineState::invalid);
    t = caches.remote_read(5);
    EXPECT_EQ(t.level, HitLevel::second);
    EXPECT_EQ(t.probes, 1);
    EXPECT_EQ(caches.state(1, 5), LineState::modified);
    t = caches.remote_write(5);
    EXPECT_EQ(t.probes, 1);
    EXPECT_TRUE(t.memory_write);
    EXPECT_EQ(caches.remote_read(5).level, HitLevel::memory);
    // An inclusive second level takes dirty lines with it when it evicts.
    for (std::uint64_t i = 0; i < 8; ++i)
        caches.write(1, 7 + 64 * i);
    t = caches.read(1, 7 + 64 * 8);
    EXPECT_TRUE(t.memory_write);
    EXPECT_EQ(t.written_line, 7u);
    EXPECT_EQ(caches.state(1, 7), LineState::invalid);
}

}  // namespace
}  // namespace isthmus::sim
