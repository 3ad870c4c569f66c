// Bulk transfers that fail, one beside everything that it may have to wait for, and posted writes
// that their receiver does not take.
#include "tests/two_engines.hpp"

using namespace isthmus::rtl;
using namespace isthmus::rtl::registers;

namespace {

// Bulk transfers that fail: the descriptor ends, each fragment is counted, the notification is the
// complement of what it would have been.
class Bulk : public Engines {
  protected:
    enum Kind : unsigned { kPut = 2, kGet = 3 };
    void begin(Kind kind, std::uint64_t global, unsigned bytes = 256) {
        const std::uint64_t local = map.base(0) + 4096;
        notice = kind == kGet ? map.base(0) + 64 : map.local(1, 64);
        const std::uint64_t notify = kind == kGet ? notice : map.global(1, 64);
        Node& n = network.node(0);
        const auto wide = [&](unsigned address, std::uint64_t value) {
            n.write_register(address, static_cast<std::uint32_t>(value));
            n.write_register(address + 4, static_cast<std::uint32_t>(value >> 32));
        };
        wide(kBulkLocalLo, local);
        wide(kBulkGlobalLo, global);
        wide(kBulkNotifyLo, notify);
        n.write_register(kBulkLength, bytes);
        n.write_register(kBulkValue, 0x600d);
        network.node(kind == kGet ? 0 : 1).on_posted = [this](const Packet& p) {
            if (p.address == notice) notified.push_back(p.data.at(0));
        };
        n.write_register(kBulkStart, kind);
    }
    void ended(unsigned done, unsigned errors) {
        const std::uint32_t status = network.node(0).read_register(kBulkStatus);
        EXPECT_EQ(status >> 31, 0u);
        EXPECT_EQ(status & 0xffff, done);
        EXPECT_EQ(status >> 16 & 0x7fff, errors);
    }
    std::uint64_t notice = 0;
    std::vector<std::uint32_t> notified;
    static constexpr std::uint64_t kNowhere = std::uint64_t{1} << 45;
};

TEST_F(Bulk, ToNowhere) {
    start();
    begin(kPut, kNowhere);
    network.cycles(2000);
    ended(1, 4);
    begin(kGet, kNowhere);
    network.cycles(2000);
    ended(2, 8);
    EXPECT_EQ(notified, (std::vector<std::uint32_t>{~0x600du, ~0x600du}));
    begin(kPut, map.global(1, 8192));  // and the next one is whole
    network.cycles(2000);
    ended(3, 8);
    EXPECT_EQ(notified.back(), 0x600du);
}

TEST_F(Bulk, GetFromADeadNode) {
    start({.timeout = 2000});
    network.dead = {false, true};
    begin(kGet, map.global(1, 8192));
    network.cycles(8000);
    ended(1, 4);
    EXPECT_EQ(notified, std::vector<std::uint32_t>{~0x600du});
}

// The own host does not give a put's data in time.
TEST_F(Bulk, PutThatTheHostDoesNotFeed) {
    start({.timeout = 2000});
    network.node(0).behaviour.latency = 9000;
    begin(kPut, map.global(1, 8192));
    network.cycles(20000);
    ended(1, 4);
    EXPECT_EQ(notified, std::vector<std::uint32_t>{~0x600du});
    EXPECT_EQ(network.node(0).read_register(kCountTargetTimeout), 4u);
    EXPECT_EQ(in_use(0), 0u);  // the late answers have freed the tags
}

// A put that finds all tags taken, and translation and host busy, waits and is whole.
TEST_F(Bulk, PutBesideEverything) {
    start();
    Node& n = network.node(0);
    constexpr unsigned kBytes = 4096;
    for (unsigned i = 0; i < kBytes; ++i) {
        const std::uint64_t at = map.base(0) + 4096 + i;
        n.line(at)[at & 63] = static_cast<std::uint8_t>(i * 7 + i / 251);
    }
    n.behaviour.latency = 12000;
    unsigned others = 0;
    network.node(1).on_response = [&](const Packet& p) { others += p.error == Error::none; };
    for (unsigned tag = 0; tag < 1024; ++tag) {
        Packet p;
        p.command = command::kRead | command::kDwords;
        p.address = map.global(0, 65536);
        p.tag = tag;
        network.node(1).send(kNonPosted, p);
    }
    network.cycles(8000);
    ASSERT_EQ(in_use(0), 1024u);
    n.behaviour.latency = 4;
    n.behaviour.hold_credit = 230;
    begin(kPut, map.global(1, 8192), kBytes);
    for (unsigned tag = 0; tag < 200; ++tag)
        read(64 * tag, tag);
    ASSERT_TRUE(until(200, 60000));
    for (unsigned w = 0; (notified.empty() || others < 1024) && w < 60000; ++w)
        network.cycle();
    network.cycles(2000);
    ended(1, 0);
    EXPECT_EQ(notified, std::vector<std::uint32_t>{0x600du});
    EXPECT_EQ(others, 1024u);
    unsigned wrong = 0;
    for (unsigned i = 0; i < kBytes; ++i) {
        const std::uint64_t at = map.local(1, 8192 + i);
        wrong += network.node(1).line(at)[at & 63] != static_cast<std::uint8_t>(i * 7 + i / 251);
    }
    EXPECT_EQ(wrong, 0u);
}

// Copies that were fetched ahead of the host's loads are not read behind a put over them, nor
// behind its notification: neither those that have come nor those under way.
TEST_F(Bulk, PutOverCopies) {
    for (const unsigned latency : {4u, 1500u}) {
        SCOPED_TRACE(latency);
        start({.prefetch_lines = 12});
        network.node(1).behaviour.latency = latency;
        const std::uint64_t from = latency == 4 ? 32768 : 65536;
        const unsigned first = static_cast<unsigned>(answers.size());
        const auto load = [&](unsigned i) {
            ask(command::kRead | command::kDwords, 1, from + 64 * i, first + i);
            return until(first + i + 1, 20000);
        };
        for (unsigned i = 0; i < 4; ++i)
            ASSERT_TRUE(load(i));
        network.cycles(500);  // the lines ahead: there, or read by their host and under way
        ASSERT_GT(network.node(0).read_register(kCountPrefetchIssue), 0u);
        for (unsigned i = 0; i < 16; ++i) {
            std::uint8_t* const line = network.node(0).line(map.base(0) + 4096 + 64 * i);
            std::memset(line, static_cast<int>(0x40 + i), 64);
        }
        begin(kPut, map.global(1, from), 16 * 64);
        network.cycles(3000);
        ASSERT_EQ(network.node(0).read_register(kBulkStatus) >> 31, 0u);
        for (unsigned i = 4; i < 16; ++i) {
            ASSERT_TRUE(load(i));
            EXPECT_EQ(wide(answers.back(), 0), 0x0101010101010101u * (0x40 + i)) << i;
        }
        network.cycles(5000);
    }
}

// A host that hardly takes anything: posted writes back up to their sender, none is lost or passed.
TEST_F(Engines, PostedWritesBackUp) {
    start();
    network.node(1).behaviour.hold_credit = 255;
    std::vector<std::uint32_t> seen;
    network.node(1).on_posted = [&](const Packet& p) { seen.push_back(p.data.at(0)); };
    for (std::uint32_t i = 0; i < 200; ++i) {
        Packet write;
        write.command = command::kPostedWrite | command::kDwords;
        write.address = map.global(1, 4096 + 64 * i);
        write.data = {i};
        network.node(0).send(kPosted, std::move(write));
    }
    network.cycles(3000);
    EXPECT_LT(seen.size(), 100u);
    network.node(1).behaviour.hold_credit = 0;
    network.cycles(3000);
    ASSERT_EQ(seen.size(), 200u);
    for (std::uint32_t i = 0; i < 200; ++i)
        EXPECT_EQ(seen[i], i);
}

}  // namespace
