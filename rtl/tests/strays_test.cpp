// What an engine should never see: tags used twice, answers to nothing and of another kind, packets
// of nodes that are not there, nodes that have died, and lines fetched ahead that have changed.
#include "tests/two_engines.hpp"

using namespace isthmus::rtl;
using namespace isthmus::rtl::registers;

namespace {

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

// Kinds that a channel of the host does not carry are dropped with their data and counted; on the
// non-posted one they are answered, because somebody may wait. What follows them is untouched.
TEST_F(Engines, KindsOfOtherChannels) {
    start();
    const auto send = [&](Channel channel, unsigned kind, unsigned tag) {
        Packet p;
        p.command = kind;
        p.count = kind == command::kTargetDone ? 0 : 3;
        p.address = map.global(1, 128);
        p.tag = tag;
        p.data.resize(p.dwords(), 0xbad);
        network.node(0).send(channel, std::move(p));
    };
    const unsigned dwords = command::kDwords;
    unsigned posted = 0;
    for (const unsigned kind :
         {command::kRead | dwords, command::kWrite | dwords, command::kReadResponse,
          command::kTargetDone, command::kAtomic, command::kFlush, 0u, 0b111111u}) {
        send(kPosted, kind, 1);
        ++posted;
    }
    unsigned asked = 0;
    for (const unsigned kind : {command::kPostedWrite | dwords, command::kReadResponse,
                                command::kTargetDone, command::kFence, command::kBroadcast, 0u}) {
        send(kNonPosted, kind, asked);
        ASSERT_TRUE(until(++asked)) << kind;
        EXPECT_EQ(answers.back().error, Error::target_abort) << kind;
        EXPECT_EQ(answers.back().tag, asked - 1);
    }
    send(kResponse, command::kRead | dwords, 7);
    network.cycles(300);
    Node& n = network.node(0);
    EXPECT_EQ(n.read_register(kCountNonForwarded), posted + asked);
    EXPECT_EQ(n.read_register(kCountFence), 0u);
    EXPECT_EQ(n.read_register(kCountStrayHost), 1u);
    EXPECT_EQ(answers.size(), asked);
    EXPECT_TRUE(arrived.empty());
    set_word(128, 21);
    read(128, 9);
    ASSERT_TRUE(until(asked + 1));
    EXPECT_EQ(answers.back().error, Error::none);
    EXPECT_EQ(wide(answers.back(), 0), 21u);
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

// An address of more than 48 bits is nobody's, whatever its low bits are: also where a copy of what
// those name was fetched ahead.
TEST_F(Engines, AddressesBeyond48Bits) {
    start({.prefetch_lines = 12});
    const auto send = [&](Channel channel, unsigned command, std::uint64_t address, unsigned tag) {
        Packet p;
        p.command = command | command::kDwords;
        p.count = 1;
        p.address = address;
        p.tag = tag;
        p.data.resize(p.dwords(), 0xbad);
        network.node(0).send(channel, std::move(p));
    };
    unsigned tag = 0;
    for (; tag < 4; ++tag) {
        read(64 * tag, tag);
        ASSERT_TRUE(until(tag + 1));
    }
    network.cycles(500);  // line 4 is here
    set_word(64 * 8, 5);
    for (unsigned bit = 48; bit < 64; ++bit) {
        const std::uint64_t beyond = std::uint64_t{1} << bit;
        const std::uint64_t hits = network.node(0).read_register(kCountPrefetchHit);
        for (const unsigned command : {command::kRead, command::kWrite}) {
            const std::uint64_t line = command == command::kRead ? 4 : 8;
            send(kNonPosted, command, map.global(1, 64 * line) | beyond, tag);
            ASSERT_TRUE(until(++tag)) << bit;
            EXPECT_EQ(answers.back().error, Error::master_abort) << bit << " " << command;
        }
        EXPECT_EQ(network.node(0).read_register(kCountPrefetchHit), hits) << bit;
        send(kPosted, command::kPostedWrite, map.global(1, 64 * 8) | beyond, 0);
    }
    network.cycles(500);
    EXPECT_EQ(word(64 * 8), 5u);
    EXPECT_EQ(network.node(0).read_register(kCountNpRefusedOrigin), 32u);
    EXPECT_EQ(network.node(0).read_register(kCountPDroppedOrigin), 16u);
    const std::uint64_t hits = network.node(0).read_register(kCountPrefetchHit);
    read(64 * 4, tag);
    ASSERT_TRUE(until(tag + 1));
    EXPECT_EQ(network.node(0).read_register(kCountPrefetchHit), hits + 1);
}

}  // namespace
