// Event counters where events come as fast as the ports let them: each is counted, and in its own
// place.
#include "tests/lone_engine.hpp"

using namespace isthmus::rtl;
using namespace isthmus::rtl::registers;

namespace {

constexpr unsigned kId = 5, kOther = 2, kMany = 33000, kFragments = 20000, kOpenTag = 9;
constexpr std::uint64_t kShare = std::uint64_t{1} << 20, kNowhere = std::uint64_t{1} << 46;

class Counters : public LoneEngine {
  protected:
    void SetUp() override {
        node.on_response = [this](const Packet& p) { refused += p.error == Error::master_abort; };
        node.write_register(kControl, 1);
        node.write_register(kNodeId, kId);
        register_pair(kMaskLo, 15 * kShare);
        node.write_register(kIntervalLast, static_cast<std::uint32_t>((16 * kShare - 1) >> 12));
        node.write_register(kIntervalControl, 1);
        node.write_register(kTickLog, 2);
        steps(2200);  // tables are emptied
        node.write_register(kNodeIndex, kOther);
        node.write_register(kNodeBaseHi, 1u << 10);
        steps(100);
        ASSERT_EQ(node.read_register(kStatus) & 1, 1u);
    }
    void left(unsigned, const std::vector<std::uint32_t>& words) override {
        who = words[1] & 0xf7ff0000;
        ++sent;
    }
    static Packet request(unsigned kind, std::uint64_t address, unsigned tag = 0) {
        Packet p;
        p.command = kind;
        p.address = address;
        p.tag = tag;
        p.data.resize(p.dwords());
        return p;
    }
    void from_network(Channel of, unsigned to, unsigned kind, std::uint32_t tag,
                      unsigned more_words) {
        std::vector<std::uint32_t> words = {to << 16 | kind, tag | kOther};
        words.resize(2 + more_words);
        waiting[of].push_back(std::move(words));
    }
    unsigned sent = 0, refused = 0;
    std::uint32_t who = 0;
};

TEST_F(Counters, AtFullRate) {
    constexpr unsigned read = command::kRead | command::kDwords;
    constexpr unsigned write = command::kPostedWrite | command::kDwords;
    // A tag whose request has timed out: what comes under its generation is late.
    node.write_register(kTimeout, 10);
    node.send(kNonPosted, request(read, kOther * kShare, kOpenTag));
    ASSERT_TRUE(until([&] { return sent == 1; }));
    const std::uint32_t late = who;
    steps(200 * 1024);  // until all tags have been looked at
    ASSERT_EQ(node.read_register(kCountOriginTimeout), 1u);
    node.write_register(kTimeout, 0);
    node.send(kNonPosted, request(read, kOther * kShare, kOpenTag));  // stays open
    ASSERT_TRUE(until([&] { return sent == 2; }));

    register_pair(kBulkGlobalLo, kNowhere);
    node.write_register(kBulkLength, 64 * kFragments);
    node.write_register(kBulkStart, 0);
    for (unsigned i = 0; i < kMany; ++i) {
        node.send(kPosted, request(command::kFence, 0));
        node.send(kPosted, request(command::kBroadcast, 0));
        node.send(kPosted, request(write, kNowhere));
        node.send(kNonPosted, request(read, kNowhere, 1 + i % 4));
        node.send(kNonPosted, request(read, kOther * kShare, kOpenTag));
        node.send(kResponse, request(command::kTargetDone, 0, i & 1023));
        from_network(kPosted, kId, write, 0, 3);                 // no window
        from_network(kNonPosted, kId, read, i % 1024 << 16, 2);  // no window
        from_network(kResponse, kId, command::kTargetDone, late, 0);
        from_network(kResponse, kId, command::kTargetDone, 0x7ff0000, 0);  // nobody's
        from_network(kResponse, kId + 1, command::kTargetDone, 0, 0);
        from_network(kResponse, kId, command::kTargetDone, 0, 1);  // a word too long
    }
    const auto count = [&](std::uint32_t a) { return node.read_register(a); };
    ASSERT_TRUE(until([&] { return refused == kMany; }, 3000000));
    ASSERT_TRUE(until(
        [&] {
            return waiting[kPosted].empty() && waiting[kNonPosted].empty() &&
                   waiting[kResponse].empty() && node.queued(kPosted) == 0 &&
                   node.queued(kNonPosted) == 0 && node.queued(kResponse) == 0;
        },
        3000000));
    steps(1000);
    for (const std::uint32_t a :
         {kCountFence, kCountNonForwarded, kCountPDroppedOrigin, kCountNpRefusedOrigin,
          kCountNpDuplicateTag, kCountStrayHost, kCountPDroppedTarget, kCountNpRefusedTarget,
          kCountLateResponse, kCountStrayResponse, kCountRxMisrouted, kCountRxMalformed})
        EXPECT_EQ(count(a), kMany) << std::hex << a;
    for (const std::uint32_t a : {kCountNpOverQuota, kCountTargetTimeout, kCountLateHost,
                                  kCountBadResponse, kCountPrefetchHit, kCountPrefetchIssue})
        EXPECT_EQ(count(a), 0u) << std::hex << a;
    EXPECT_EQ(count(kCountOriginTimeout), 1u);
    EXPECT_EQ(count(kBulkStatus), kFragments << 16 | 1);
}

}  // namespace
