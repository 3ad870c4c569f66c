// Cases that random traffic meets too seldom or cannot judge: atomics beyond fetch-add, expiry by
// software, reset with tags in flight, quotas, the way back of the translation, the registers.
#include "tests/two_engines.hpp"

using namespace isthmus::rtl;
using namespace isthmus::rtl::registers;

namespace {

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

}  // namespace
