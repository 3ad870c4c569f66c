// Flush where more nodes have been written than there are numbers of probes, and writes while one
// is under way.
#include <algorithm>
#include <numeric>
#include <set>

#include "tests/lone_engine.hpp"

using namespace isthmus::rtl;
using namespace isthmus::rtl::registers;

namespace {

constexpr unsigned kNodes = 1024, kId = 1023, kNodeBit = 20, kProbes = 256;

class FlushOfMany : public LoneEngine {
  protected:
    struct Probe {
        unsigned node;
        std::uint32_t who;  // tag and generation
    };

    void SetUp() override {
        node.on_response = [this](const Packet& p) { answers.push_back(p); };
        node.write_register(kControl, 1);
        node.write_register(kNodeId, kId);
        register_pair(kMaskLo, std::uint64_t{kNodes - 1} << kNodeBit);
        node.write_register(kIntervalLast, ~0u);
        node.write_register(kIntervalControl, 1 | 15 << 8);
        steps(2200);  // tables are emptied
        for (unsigned n = 0; n < kNodes; ++n) {
            node.write_register(kNodeIndex, n);
            node.write_register(kNodeBaseHi, 1u << 10);
        }
        steps(100);
        ASSERT_EQ(node.read_register(kStatus) & 1, 1u);
    }
    void left(unsigned of, const std::vector<std::uint32_t>& words) override {
        const unsigned to = words[0] >> 16;
        if (of == kPosted) {
            ++written;
        } else {
            EXPECT_EQ(of, kNonPosted);
            EXPECT_EQ(words[0] & 63, command::kFlush);
            probed.push_back({to, words[1] & 0xf7ff0000});
        }
    }
    void write(unsigned to) {
        Packet p;
        p.command = command::kPostedWrite | command::kDwords;
        p.address = std::uint64_t{to} << kNodeBit;
        p.data = {1};
        node.send(kPosted, std::move(p));
    }
    void flush(unsigned tag) {
        Packet p;
        p.command = command::kFlush;
        p.tag = tag;
        node.send(kNonPosted, std::move(p));
    }
    void answer(const Probe& probe, Error error = Error::none) {
        waiting[kResponse].push_back(
            {kId << 16 | static_cast<unsigned>(error) << 11 | command::kTargetDone,
             probe.who | probe.node});
    }
    // Answers probes in any order until the Flush is answered; the nodes that got one.
    std::multiset<unsigned> through(unsigned flushes) {
        std::multiset<unsigned> nodes;
        std::vector<Probe> open;
        EXPECT_TRUE(until([&] {
            for (const Probe& p : probed)
                nodes.insert(p.node);
            open.insert(open.end(), probed.begin(), probed.end());
            probed.clear();
            EXPECT_LE(open.size(), kProbes);
            if (!open.empty() && random() % 8 == 0) {
                std::swap(open[random() % open.size()], open.back());
                answer(open.back());
                open.pop_back();
            }
            return answers.size() == flushes;
        }));
        EXPECT_TRUE(open.empty());
        return nodes;
    }

    std::vector<Packet> answers;
    std::vector<Probe> probed;
    unsigned written = 0;
};

// Each node that was written gets one probe, however often it was; then none until it is again.
TEST_F(FlushOfMany, EachNodeOnce) {
    std::vector<unsigned> others(kNodes - 1);
    std::iota(others.begin(), others.end(), 0);
    unsigned flushes = 0;
    for (const unsigned count : {0u, 1u, 255u, 256u, 257u, 1023u, 0u, 512u, 700u}) {
        SCOPED_TRACE(count);
        std::shuffle(others.begin(), others.end(), random);
        const std::set<unsigned> nodes(others.begin(), others.begin() + count);
        for (const unsigned n : nodes) {
            write(n);
            if (n % 8 == 0) write(n);
        }
        flush(flushes++);
        const std::multiset<unsigned> got = through(flushes);
        EXPECT_TRUE(std::equal(got.begin(), got.end(), nodes.begin(), nodes.end()));
        ASSERT_EQ(answers.size(), flushes);
        EXPECT_EQ(answers.back().tag, flushes - 1);
        EXPECT_EQ(answers.back().error, Error::none);
        if (HasFailure()) return;
    }
}

// A write behind its node's probe is the next Flush's; one before it is this one's. A probe that
// fails is the Flush's error, and no other's.
TEST_F(FlushOfMany, WritesMeanwhile) {
    for (unsigned n = 0; n < 300; ++n)
        write(n);
    flush(1);
    ASSERT_TRUE(until([&] { return probed.size() == kProbes; }));
    steps(1000);
    ASSERT_EQ(probed.size(), kProbes);
    std::set<unsigned> not_yet;
    for (unsigned n = 0; n < 300; ++n)
        not_yet.insert(n);
    for (const Probe& p : probed)
        not_yet.erase(p.node);
    ASSERT_EQ(not_yet.size(), 300 - kProbes);
    const unsigned behind = probed[7].node;
    write(behind);
    write(*not_yet.begin());
    ASSERT_TRUE(until([&] { return written == 302; }));
    for (const Probe& p : probed)
        answer(p, p.node == behind ? Error::data : Error::none);
    probed.clear();
    const std::multiset<unsigned> rest = through(1);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), not_yet.begin(), not_yet.end()));
    EXPECT_EQ(answers.back().error, Error::data);
    flush(2);
    EXPECT_EQ(through(2), std::multiset<unsigned>{behind});
    EXPECT_EQ(answers.back().error, Error::none);
}

}  // namespace
