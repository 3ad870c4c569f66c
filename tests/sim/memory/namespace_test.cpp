#include <gtest/gtest.h>

#include <list>
#include <map>

#include "sim/machine/random.hpp"
#include "sim/memory/namespace_lookaside_buffer.hpp"
#include "sim/memory/sparse_memory.hpp"

namespace isthmus::sim {
namespace {

// Against a list in order of use; sizes include the degenerate ones.
TEST(NamespaceLookasideBuffer, MatchesASimpleLruModel) {
    for (std::size_t size : {1u, 2u, 7u, 64u, 512u}) {
        NamespaceLookasideBuffer nlb(size);
        std::list<std::uint64_t> model;
        Random random(size);
        std::uint64_t hits = 0, misses = 0, evictions = 0;
        for (int i = 0; i < 40000; ++i) {
            // Half of the accesses stay in a small set, the rest roam.
            const std::uint64_t id =
                1 + (random.chance(0.5) ? random.below(size) : random.below(3 * size + 2));
            const NamespaceEntry* found = nlb.find(id);
            const auto known = std::find(model.begin(), model.end(), id);
            ASSERT_EQ(found != nullptr, known != model.end()) << "size " << size << ", step " << i;
            if (found != nullptr) {
                ASSERT_EQ(found->id, id);
                ASSERT_EQ(found->node, id * 3);
                ++hits;
                model.erase(known);
            } else {
                ++misses;
                nlb.insert({id, static_cast<std::uint32_t>(id * 3), kAllRights, 0, 1});
                if (model.size() == size) {
                    model.pop_back();
                    ++evictions;
                }
            }
            model.push_front(id);
            ASSERT_EQ(nlb.size(), model.size());
        }
        EXPECT_EQ(nlb.statistics().hits, hits);
        EXPECT_EQ(nlb.statistics().misses, misses);
        EXPECT_EQ(nlb.statistics().evictions, evictions);
        nlb.clear();
        EXPECT_EQ(nlb.find(1), nullptr);
    }
}

TEST(ResidentNamespaceTable, MatchesAMap) {
    MachineDescription m = table3();
    m.nlb.table_entries = 256;
    SparseMemory memory(m.memory.base, m.memory_bytes());
    const ResidentNamespaceTable table(m);
    std::map<std::uint64_t, std::uint32_t> model;
    Random random(4);
    for (int i = 0; i < 20000; ++i) {
        // User ids with the top bit set, and small ones.
        const std::uint64_t id = 1 + random.below(150) + (random.below(2) << 63);
        if (random.chance(0.5) && model.size() < 200) {
            const auto node = static_cast<std::uint32_t>(random.below(64));
            table.insert(memory, {id, node, kMayRead, m.memory.base, 4096});
            model[id] = node;
        } else if (random.chance(0.5)) {
            ASSERT_EQ(table.remove(memory, id), model.erase(id) == 1);
        }
        const auto found = table.find(memory, id);
        ASSERT_EQ(found.has_value(), model.contains(id)) << i;
        if (found) {
            ASSERT_EQ(found->node, model[id]);
        }
    }
    for (std::uint64_t id = 1; model.size() < 256; ++id) {
        table.insert(memory, {id, 0, kMayRead, 0, 1});
        model[id] = 0;
    }
    EXPECT_THROW(table.insert(memory, {1u << 20, 0, kMayRead, 0, 1}), ModelError);
    EXPECT_THROW(table.insert(memory, {0, 0, kMayRead, 0, 1}), ModelError);
}

TEST(NamespaceEntry, BoundsAndRights) {
    const NamespaceEntry entry{9, 1, kMayRead | kMayWrite, 0x1000, 0x100};
    EXPECT_TRUE(entry.allows(0x1000, 0x100, kMayRead));
    EXPECT_TRUE(entry.allows(0x10ff, 1, kMayWrite));
    EXPECT_FALSE(entry.allows(0x10ff, 2, kMayRead));
    EXPECT_FALSE(entry.allows(0xfff, 1, kMayRead));
    EXPECT_FALSE(entry.allows(0x1000, 1, kMayAtomic));
    EXPECT_FALSE(entry.allows(~0ull, 2, kMayRead));
    EXPECT_FALSE(entry.allows(0x1000, ~0ull, kMayRead));
}

}  // namespace
}  // namespace isthmus::sim
