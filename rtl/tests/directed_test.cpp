// Cases that random traffic meets too seldom or cannot judge: atomics beyond fetch-add, expiry by
// software, reset with tags in flight, quotas, the way back of the translation, the registers.
#include <cstring>

#include <gtest/gtest.h>

#include "model/golden.hpp"
#include "tests/engine_registers.hpp"

using namespace isthmus::rtl;
using namespace isthmus::rtl::registers;

namespace {

// Two engines; node 0 asks, node 1 is asked.
class Engines : public testing::Test {
  protected:
    void start(const EngineSettings& settings = {}, std::uint64_t mask = 0, bool compact = true) {
        map = AddressMap::make(2, 20, mask, compact);
        configure(network, map, settings);
        watch();
    }
    void watch() {
        network.node(0).on_response = [this](const Packet& p) { answers.push_back(p); };
        network.node(1).on_request = [this](const Packet& p) { arrived.push_back(p); };
    }
    void ask(unsigned command, unsigned count, std::uint64_t offset, unsigned tag,
             std::vector<std::uint32_t> data = {}) {
        Packet p;
        p.command = command;
        p.count = count;
        p.address = map.global(1, offset);
        p.tag = tag;
        p.data = std::move(data);
        network.node(0).send(kNonPosted, std::move(p));
    }
    void read(std::uint64_t offset, unsigned tag) {
        ask(command::kRead | command::kDwords, 1, offset, tag);
    }
    // Runs until there are so many answers; false: they do not come.
    bool until(std::size_t count, unsigned limit = 5000) {
        for (; answers.size() < count && limit > 0; --limit)
            network.cycle();
        return answers.size() >= count;
    }
    std::uint64_t word(std::uint64_t offset) {
        const std::uint64_t address = map.local(1, offset);
        std::uint64_t value;
        std::memcpy(&value, network.node(1).line(address) + (address & 63), 8);
        return value;
    }
    void set_word(std::uint64_t offset, std::uint64_t value) {
        const std::uint64_t address = map.local(1, offset);
        std::memcpy(network.node(1).line(address) + (address & 63), &value, 8);
    }
    unsigned in_use(unsigned node) { return network.node(node).read_register(kStatus) >> 1 & 2047; }
    static std::uint64_t wide(const Packet& p, unsigned at) {
        return p.data.at(at) | std::uint64_t{p.data.at(at + 1)} << 32;
    }
    static std::vector<std::uint32_t> dwords(std::initializer_list<std::uint64_t> words) {
        std::vector<std::uint32_t> data;
        for (const std::uint64_t w : words) {
            data.push_back(static_cast<std::uint32_t>(w));
            data.push_back(static_cast<std::uint32_t>(w >> 32));
        }
        return data;
    }

    Network network{2, 1};
    AddressMap map;
    std::vector<Packet> answers, arrived;
};

TEST_F(Engines, CompareAndSwap) {
    start();
    std::uint64_t value = 0x1111222233334444;
    set_word(0, value);
    unsigned tag = 0;
    for (const std::uint64_t compare : {value, value ^ 1, value ^ (std::uint64_t{1} << 63)}) {
        const std::uint64_t swap = 0xabcdef0000000000 + tag;
        ask(command::kAtomic, 3, 0, tag, dwords({compare, swap}));
        ASSERT_TRUE(until(tag + 1));
        EXPECT_EQ(answers[tag].tag, tag);
        EXPECT_EQ(answers[tag].error, Error::none);
        EXPECT_EQ(wide(answers[tag], 0), value);
        if (compare == value) value = swap;
        network.cycles(200);
        EXPECT_EQ(word(0), value);
        ++tag;
    }
}

struct Operation {
    const char* name;
    unsigned code;
    std::uint64_t a, b, old, result;
    bool writes;
};

TEST_F(Engines, ExtendedAtomics) {
    start();
    constexpr std::uint64_t kMinus = ~std::uint64_t{0};
    const Operation operations[] = {
        {"FCAA below", 0, 10, 5, 9, 14, true},
        {"FCAA at the bound", 0, 9, 5, 9, 14, true},
        {"FCAA above", 0, 8, 5, 9, 9, false},
        {"FCAA unsigned", 0, 8, 5, kMinus, kMinus, false},
        {"swap", 1, 77, 0, 9, 77, true},
        {"and", 2, 0xff00ff, 0, 0x123456, 0x120056, true},
        {"or", 3, 0xf0, 0, 0x123406, 0x1234f6, true},
        {"xor", 4, 0xff, 0, 0x1234f6, 0x123409, true},
        {"masked swap", 5, 0xff00, 0xabcd, 0x123456, 0x12ab56, true},
        {"add", 6, kMinus, 0, 5, 4, true},
        {"compare and swap, equal", 7, 5, 8, 5, 8, true},
        {"compare and swap, other", 7, 6, 8, 5, 5, false},
        {"no operation", 9, 6, 8, 5, 5, false},
    };
    unsigned n = 0;
    for (const Operation& o : operations) {
        for (const unsigned form : {0u, 16u, 48u}) {  // 64 bits, the low half, the high half
            const std::uint64_t offset = 64 + 8 * (n % 20);
            const unsigned shift = form == 48 ? 32 : 0;
            const std::uint64_t part = form == 0 ? kMinus : 0xffffffff;
            const std::uint64_t rest = form == 0 ? 0 : std::uint64_t{0x5a5a5a5a} << (32 - shift);
            const std::uint64_t old = (o.old & part) << shift | rest;
            set_word(offset, old);
            ask(command::kAtomic, 5, offset, n, dwords({o.code | form, o.a & part, o.b & part}));
            ASSERT_TRUE(until(n + 1)) << o.name;
            network.cycles(200);
            EXPECT_EQ(word(offset), (o.result & part) << shift | rest) << o.name << " " << form;
            // FCAA gives what the word is then, the others what it was; then whether it was done.
            const std::uint64_t given = o.code == 0 && o.writes ? o.result : o.old;
            EXPECT_EQ(wide(answers[n], 0), given & part) << o.name << " " << form;
            EXPECT_EQ(wide(answers[n], 2), o.writes) << o.name << " " << form;
            ++n;
        }
    }
    EXPECT_EQ(in_use(1), 0u);
}

// All that wait are answered with an error, once; what comes late is dropped; tags work on.
TEST_F(Engines, ExpireAtTheOrigin) {
    start();
    network.node(1).behaviour.latency = 9000;
    for (unsigned tag = 0; tag < 6; ++tag)
        read(64 * tag, tag);
    network.cycles(500);
    ASSERT_EQ(arrived.size(), 6u);
    EXPECT_TRUE(answers.empty());
    network.node(0).write_register(kControl, 1 | 2 | 4);
    ASSERT_TRUE(until(6, 30000));
    network.node(0).write_register(kControl, 1 | 4);
    for (const Packet& p : answers)
        EXPECT_EQ(p.error, Error::data);
    network.cycles(12000);
    EXPECT_EQ(answers.size(), 6u);
    EXPECT_EQ(network.node(0).read_register(kCountLateResponse), 6u);
    EXPECT_EQ(network.node(0).read_register(kCountOriginTimeout), 6u);
    network.node(1).behaviour.latency = 4;
    set_word(640, 42);
    read(640, 3);
    ASSERT_TRUE(until(7));
    EXPECT_EQ(answers[6].error, Error::none);
    EXPECT_EQ(wide(answers[6], 0), 42u);
}

TEST_F(Engines, ExpireAtTheTarget) {
    start();
    network.node(1).behaviour.latency = 9000;
    for (unsigned tag = 0; tag < 6; ++tag)
        read(64 * tag, tag);
    network.cycles(500);
    EXPECT_EQ(in_use(1), 6u);
    network.node(1).write_register(kControl, 1 | 2 | 4);
    ASSERT_TRUE(until(6, 30000));
    network.node(1).write_register(kControl, 1 | 4);
    for (const Packet& p : answers)
        EXPECT_EQ(p.error, Error::data);
    EXPECT_EQ(in_use(1), 6u);  // in quarantine until their late responses
    network.cycles(12000);
    EXPECT_EQ(in_use(1), 0u);
    EXPECT_EQ(network.node(1).read_register(kCountLateHost), 6u);
    EXPECT_EQ(answers.size(), 6u);
}

// Software releases a tag in quarantine whose response will never come.
TEST_F(Engines, ReleaseOfATag) {
    start();
    network.node(1).behaviour.latency = 2000000;
    read(0, 5);
    network.cycles(300);
    ASSERT_EQ(arrived.size(), 1u);
    const unsigned tag = arrived[0].tag;
    network.node(1).write_register(kReleaseTag, tag);
    network.cycles(20);
    EXPECT_EQ(in_use(1), 1u) << "an open tag is not software's to release";
    network.node(1).write_register(kControl, 1 | 2 | 4);
    ASSERT_TRUE(until(1, 30000));
    network.node(1).write_register(kControl, 1 | 4);
    network.node(1).write_register(kReleaseTag, tag);
    network.cycles(20);
    EXPECT_EQ(in_use(1), 0u);
}

// After a reset under a new incarnation, responses of the life before find nobody.
TEST_F(Engines, ResetWithTagsInFlight) {
    start();
    network.node(1).behaviour.latency = 20000;
    for (unsigned tag = 0; tag < 8; ++tag) {
        set_word(64 * tag, 100 + tag);
        set_word(64 * tag + 8, 200 + tag);
        read(64 * tag, tag);
    }
    network.cycles(500);
    ASSERT_EQ(arrived.size(), 8u);
    network.node(0).reset(1);
    configure(network, map, {});
    for (unsigned tag = 0; tag < 8; ++tag)
        read(64 * tag + 8, tag);
    ASSERT_TRUE(until(8, 60000));
    network.cycles(3000);
    ASSERT_EQ(answers.size(), 8u);
    for (const Packet& p : answers) {
        EXPECT_EQ(p.error, Error::none);
        EXPECT_EQ(wide(p, 0), 200 + p.tag);
    }
    EXPECT_EQ(network.node(0).read_register(kCountLateResponse), 8u);
    EXPECT_EQ(in_use(1), 0u);
}

// The origin holds its own requests back, and nothing but them.
TEST_F(Engines, QuotaOfTheOrigin) {
    start({.origin_quota = 3});
    network.node(1).behaviour.latency = 2000;
    unsigned posted = 0;
    network.node(1).on_posted = [&](const Packet&) { ++posted; };
    for (unsigned tag = 0; tag < 10; ++tag)
        read(64 * tag, tag);
    Packet write;
    write.command = command::kPostedWrite | command::kDwords;
    write.count = 0;
    write.address = map.global(1, 4096);
    write.data = {7};
    network.node(0).send(kPosted, std::move(write));
    network.cycles(1000);
    EXPECT_EQ(arrived.size(), 3u);
    EXPECT_EQ(posted, 1u);
    ASSERT_TRUE(until(10, 20000));
    for (const Packet& p : answers)
        EXPECT_EQ(p.error, Error::none);
}

// The target refuses what an origin asks beyond its share.
TEST_F(Engines, QuotaOfTheTarget) {
    start({.target_quota = 3});
    network.node(1).behaviour.latency = 2000;
    for (unsigned tag = 0; tag < 10; ++tag)
        read(64 * tag, tag);
    ASSERT_TRUE(until(10, 20000));
    unsigned refused = 0;
    for (const Packet& p : answers)
        refused += p.error == Error::target_abort;
    EXPECT_EQ(refused, 7u);
    EXPECT_EQ(arrived.size(), 3u);
    EXPECT_EQ(network.node(1).read_register(kCountNpOverQuota), 7u);
    read(0, 1);  // the share is free again
    ASSERT_TRUE(until(11, 5000));
    EXPECT_EQ(answers.back().error, Error::none);
}

TEST_F(Engines, WayBackOfTheTranslation) {
    std::mt19937_64 random(7);
    for (const bool compact : {true, false}) {
        for (const std::uint64_t mask :
             {std::uint64_t{1} << 20, std::uint64_t{0x40}, std::uint64_t{1} << 13}) {
            start({}, mask, compact);
            for (unsigned i = 0; i < 20; ++i) {
                const unsigned node = random() & 1;
                const std::uint64_t offset = random() & 0xfffff;
                const std::uint64_t placed = map.local(node, offset) - map.base(node);
                Node& n = network.node(0);
                n.write_register(kInverseNode, node);
                n.write_register(kInverseOffsetLo, static_cast<std::uint32_t>(placed));
                n.write_register(kInverseOffsetHi, static_cast<std::uint32_t>(placed >> 32));
                network.cycles(5);
                const std::uint64_t back = n.read_register(kInverseAddrLo) |
                                           std::uint64_t{n.read_register(kInverseAddrHi)} << 32;
                EXPECT_EQ(back, map.global(node, offset)) << std::hex << mask << " " << offset;
            }
        }
    }
}

struct Kept {
    std::uint32_t first, count, mask;
};
constexpr Kept kKept[] = {
    {kControl, 1, 0xf},
    {kNodeId, 1, 0xffff},
    {kOriginStartLo, 1, 0xffffffff},
    {kOriginStartHi, 1, 0xffff},
    {kMaskLo, 1, 0xffffffff},
    {kMaskHi, 1, 0xffff},
    {kGlobalWidth, 1, 0x3f},
    {kTimeout, 1, 0xffff},
    {kTickLog, 1, 0xf},
    {kOriginQuota, 1, 0x7ff},
    {kTargetQuota, 1, 0x7ff},
    {kPrefetchLines, 1, 0x3f},
    {kNodeIndex, 1, 0x3ff},
    {kNodeBaseLo, 1, 0xffffffff},
    {kIntervalFirst, 8, 0xffffffff},
    {kIntervalLast, 8, 0xffffffff},
    {kIntervalControl, 8, 0xffffffff},
    {kWindowFirst, 4, 0xffffffff},
    {kWindowLast, 4, 0xffffffff},
    {kWindowOrigins, 4, 0xffffffff},
    {kWindowControl, 4, 0xffffff},
    {kInverseNode, 1, 0xffff},
    {kInverseOffsetLo, 1, 0xffffffff},
    {kInverseOffsetHi, 1, 0xffff},
    {kBulkLocalLo, 1, 0xffffffff},
    {kBulkLocalHi, 1, 0xffff},
    {kBulkGlobalLo, 1, 0xffffffff},
    {kBulkGlobalHi, 1, 0xffff},
    {kBulkLength, 1, 0xffffffff},
    {kBulkNotifyLo, 1, 0xffffffff},
    {kBulkNotifyHi, 1, 0xffff},
    {kBulkValue, 1, 0xffffffff},
};

// Each register keeps its own bits, all of them, while all others are written.
TEST_F(Engines, RegistersKeepWhatIsWritten) {
    start();
    Node& n = network.node(0);
    const auto all = [&](auto value) {
        for (const Kept& r : kKept)
            for (std::uint32_t a = r.first; a < r.first + 4 * r.count; a += 4)
                n.write_register(a, value(a));
        // What is only written, and only read, changes none.
        for (const std::uint32_t a : {kInverseAddrLo, kInverseAddrHi, kBulkStatus, kStatus})
            n.write_register(a, ~value(a));
        for (const Kept& r : kKept)
            for (std::uint32_t a = r.first; a < r.first + 4 * r.count; a += 4)
                EXPECT_EQ(n.read_register(a), value(a) & r.mask) << std::hex << a;
        for (const std::uint32_t a : {kPrefetchInvalidate, kReleaseTag, kNodeBaseHi, kBulkStart})
            EXPECT_EQ(n.read_register(a), 0u) << std::hex << a;
    };
    all([](std::uint32_t) { return 0u; });
    all([](std::uint32_t a) { return (a + 1) * 0x9e3779b9u; });
    all([](std::uint32_t) { return ~0u; });
    all([](std::uint32_t a) { return ~((a + 1) * 0x9e3779b9u); });
    all([](std::uint32_t) { return 0u; });
}

// A write clears a counter, and that one alone.
TEST_F(Engines, CountersAreCleared) {
    start({.target_quota = 1});
    network.node(1).behaviour.latency = 2000;
    for (unsigned tag = 0; tag < 4; ++tag)
        read(64 * tag, tag);
    ASSERT_TRUE(until(4, 20000));
    Node& n = network.node(1);
    for (std::uint32_t a = kCountRxMalformed; a <= kCountPrefetchWaste; a += 4) {
        EXPECT_EQ(n.read_register(a), a == kCountNpOverQuota ? 3u : 0u) << std::hex << a;
        if (a != kCountNpOverQuota) n.write_register(a, 0);
    }
    EXPECT_EQ(n.read_register(kCountNpOverQuota), 3u);
    n.write_register(kCountNpOverQuota, 7);
    EXPECT_EQ(n.read_register(kCountNpOverQuota), 0u);
}

// A second request under a tag that is open is thrown away; the first one gets its answer.
TEST_F(Engines, TagUsedTwice) {
    start();
    network.node(1).behaviour.latency = 500;
    set_word(0, 11);
    read(0, 7);
    read(64, 7);
    network.cycles(3000);
    EXPECT_EQ(arrived.size(), 1u);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].error, Error::none);
    EXPECT_EQ(wide(answers[0], 0), 11u);
    EXPECT_EQ(network.node(0).read_register(kCountNpDuplicateTag), 1u);
    read(0, 7);
    ASSERT_TRUE(until(2));
    EXPECT_EQ(answers[1].error, Error::none);
}

// The host answers what nobody asked, with data and without.
TEST_F(Engines, StrayResponsesOfTheHost) {
    start();
    Packet done;
    done.command = command::kTargetDone;
    done.tag = 9;
    network.node(1).send(kResponse, done);
    Packet data;
    data.command = command::kReadResponse;
    data.tag = 10;
    data.count = 3;
    data.data = {1, 2, 3, 4};
    network.node(1).send(kResponse, data);
    network.cycles(300);
    EXPECT_EQ(network.node(1).read_register(kCountStrayHost), 2u);
    EXPECT_TRUE(answers.empty());
    set_word(0, 12);
    read(0, 9);  // its data is its own, not the stray one's
    ASSERT_TRUE(until(1));
    EXPECT_EQ(answers[0].error, Error::none);
    EXPECT_EQ(wide(answers[0], 0), 12u);
}

// The host answers a read with too little, or with none: the origin gets a data error, as long as
// it waits for.
TEST_F(Engines, ResponsesOfAnotherKind) {
    start();
    network.node(1).on_answer = [](const Packet&, Packet& answer) {
        answer.count = 0;
        answer.data.resize(1);
    };
    read(64, 1);
    ASSERT_TRUE(until(1));
    EXPECT_EQ(answers[0].error, Error::data);
    network.node(1).on_answer = [](const Packet&, Packet& answer) {
        answer.command = command::kTargetDone;
        answer.data.clear();
    };
    read(64, 2);
    ASSERT_TRUE(until(2));
    EXPECT_EQ(answers[1].error, Error::data);
    network.node(1).on_answer = nullptr;
    network.cycles(100);
    EXPECT_EQ(network.node(1).read_register(kCountBadResponse), 2u);
    read(64, 3);
    ASSERT_TRUE(until(3));
    EXPECT_EQ(answers[2].error, Error::none);
}

// What the network should not have sent: a response that nobody waits for, a packet for another
// node, one of a channel that there is not.
TEST_F(Engines, StrayPacketsOfTheNetwork) {
    start();
    Node& n = network.node(0);
    const auto inject = [&](unsigned channel, unsigned destination) {
        const bool none[kChannels] = {};
        n.cycle({true, destination << 16 | command::kTargetDone, channel, true, false}, none);
        n.cycle({true, 5u << 16 | 1, channel, false, true}, none);
        for (unsigned i = 0; i < 50; ++i)
            n.cycle({}, none);
    };
    inject(kResponse, 0);
    EXPECT_EQ(n.read_register(kCountStrayResponse), 1u);
    inject(kResponse, 5);
    EXPECT_EQ(n.read_register(kCountRxMisrouted), 1u);
    inject(3, 0);
    EXPECT_EQ(n.read_register(kCountRxMalformed), 1u);
    EXPECT_EQ(n.read_register(kCountStrayResponse), 1u);
    EXPECT_EQ(n.read_register(kCountRxMisrouted), 1u);
    EXPECT_TRUE(answers.empty());
    read(0, 5);
    ASSERT_TRUE(until(1));
    EXPECT_EQ(answers[0].error, Error::none);
}

// A Flush whose probe is lost with its target ends with an error; the next one knows nothing of it.
TEST_F(Engines, FlushOfADeadNode) {
    start({.timeout = 2000});
    network.dead = {false, true};
    Packet write;
    write.command = command::kPostedWrite | command::kDwords;
    write.address = map.global(1, 4096);
    write.data = {7};
    network.node(0).send(kPosted, std::move(write));
    ask(command::kFlush, 0, 0, 1);
    ASSERT_TRUE(until(1, 20000));
    EXPECT_EQ(answers[0].error, Error::data);
    ask(command::kFlush, 0, 0, 2);
    ASSERT_TRUE(until(2));
    EXPECT_EQ(answers[1].error, Error::none);
}

// Software throws prefetched lines away, those that have come and those under way.
TEST_F(Engines, PrefetchedLinesThrownAway) {
    for (const unsigned latency : {4u, 1500u}) {
        start({.prefetch_lines = 12});
        network.node(1).behaviour.latency = latency;
        answers.clear();
        const std::uint64_t from = latency == 4 ? 0 : 32768;
        unsigned tag = 0;
        const auto next = [&] {
            ask(command::kRead | command::kDwords, 1, from + 64 * tag, tag);
            ++tag;
            return until(tag, 20000);
        };
        for (unsigned i = 0; i < 4; ++i)
            ASSERT_TRUE(next());
        network.cycles(500);  // the lines ahead: there, or read by their host and under way
        ASSERT_GT(network.node(0).read_register(kCountPrefetchIssue), 0u);
        for (unsigned i = tag; i < tag + 16; ++i)
            set_word(from + 64 * i, 0x600d0000 + i);
        network.node(0).write_register(kPrefetchInvalidate, 1);
        for (unsigned i = 0; i < 8; ++i) {
            ASSERT_TRUE(next());
            EXPECT_EQ(answers.back().error, Error::none);
            EXPECT_EQ(wide(answers.back(), 0), 0x600d0000 + tag - 1) << latency;
        }
        network.cycles(5000);
    }
}

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
