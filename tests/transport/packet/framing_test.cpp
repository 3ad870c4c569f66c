// Packets on a stream: the outbox at one end, the inbox at the other, over a pair of sockets.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "samples.hpp"
#include "stream_ends.hpp"

using namespace isthmus::transport::packet;
namespace format = isthmus::packet;
using format::Kind;
using format::Verdict;

namespace {

// Everything that is in the outbox, as bytes.
std::vector<char> drain(Outbox& outbox) {
    Pair pair;
    std::vector<Outbox::Mark> ended;
    std::vector<char> all;
    for (;;) {
        long error = 0;
        const bool empty = outbox.flush(pair.from, ended, error);
        EXPECT_EQ(error, 0);
        char bytes[65536];
        for (ssize_t came; (came = recv(pair.to.descriptor(), bytes, sizeof bytes, 0)) > 0;)
            all.insert(all.end(), bytes, bytes + came);
        if (empty) return all;
    }
}

template <typename Line>
class PacketLine : public testing::Test {};
using Lines = testing::Types<BareLine, SealedLine<true>, SealedLine<false>>;
TYPED_TEST_SUITE(PacketLine, Lines);

TYPED_TEST(PacketLine, CarriesPutsAndMessagesInOrder) {
    Pair pair;
    TypeParam line;
    Outbox& outbox = line.outbox;
    Workspace space;
    Memory memory;
    const std::vector<char> data = pattern(300, 1);
    ASSERT_TRUE(outbox.add(put_at(8), {}, data.data(), 5));
    ASSERT_TRUE(outbox.add(message_head(), {}, "one", 3));
    ASSERT_TRUE(outbox.add(put_at(100), {}, data.data(), 300));
    ASSERT_TRUE(outbox.add(message_head(), {}, "", 0));
    std::vector<Outbox::Mark> ended;
    long error = 0;
    ASSERT_TRUE(line.flush(pair.from, ended, error));
    EXPECT_EQ(line.read(pair.to, space, memory), Came::all);
    EXPECT_EQ(memory.messages, (std::vector<std::string>{"one", ""}));
    EXPECT_EQ(std::memcmp(memory.bytes.data() + 8, data.data(), 5), 0);
    EXPECT_EQ(memory.bytes[13], 'x');  // what fills the word up is not placed
    EXPECT_EQ(std::memcmp(memory.bytes.data() + 100, data.data(), 300), 0);
    EXPECT_EQ(line.read(pair.to, space, memory), Came::nothing);
    pair.from.close();
    EXPECT_EQ(line.read(pair.to, space, memory), Came::end);
}

// However the stream cuts them: at each byte once.
TEST(PacketFraming, PutsTogetherWhatIsCutAnywhere) {
    Outbox outbox;
    const std::vector<char> data = pattern(70000, 2);
    ASSERT_TRUE(outbox.add(put_at(1), {}, data.data(), 17));
    ASSERT_TRUE(outbox.add_block(put_at(64), data.data(), 9001, nullptr, true));
    ASSERT_TRUE(outbox.add(message_head(), {}, "between", 7));
    ASSERT_TRUE(outbox.add_block(put_at(20000), data.data(), 70000, nullptr, true));
    ASSERT_TRUE(outbox.add(message_head(), {}, "behind", 6));
    const std::vector<char> all = drain(outbox);
    std::vector<std::size_t> cuts;
    for (std::size_t cut = 1; cut < all.size(); cut += cut < 9300 ? 1 : 97)
        cuts.push_back(cut);
    Workspace space;
    for (const std::size_t cut : cuts) {
        Pair pair;
        const int room = 1 << 20;
        setsockopt(pair.from.descriptor(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        Inbox inbox;
        Memory memory;
        ASSERT_EQ(send(pair.from.descriptor(), all.data(), cut, 0), static_cast<ssize_t>(cut));
        while (inbox.read(pair.to, space, memory) == Came::more) {
        }
        EXPECT_LE(inbox.kept(), kLargestPacket);
        ASSERT_EQ(send(pair.from.descriptor(), all.data() + cut, all.size() - cut, 0),
                  static_cast<ssize_t>(all.size() - cut));
        Came came = Came::more;
        for (int turn = 0; turn < 200 && memory.messages.size() != 2; ++turn)
            came = inbox.read(pair.to, space, memory);
        ASSERT_NE(came, Came::illegal) << cut;
        ASSERT_EQ(memory.messages, (std::vector<std::string>{"between", "behind"})) << cut;
        ASSERT_TRUE(memory.wrong.empty());
        ASSERT_EQ(memory.placing, 0U);
        ASSERT_EQ(std::memcmp(memory.bytes.data() + 1, data.data(), 17), 0) << cut;
        ASSERT_EQ(std::memcmp(memory.bytes.data() + 64, data.data(), 9001), 0) << cut;
        ASSERT_EQ(memory.bytes[9065], 'x');
        ASSERT_EQ(std::memcmp(memory.bytes.data() + 20000, data.data(), 70000), 0) << cut;
        ASSERT_EQ(memory.bytes[90000], 'x');
    }
}

// A stream that takes a little at a time, and a reader that is slow: random turns of both, against
// what was sent.
TYPED_TEST(PacketLine, BehavesAsItsModelUnderBackPressure) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
        std::mt19937 random(seed);
        Pair pair(4096);
        TypeParam line;
        Outbox& outbox = line.outbox;
        Workspace space;
        Memory memory;
        std::vector<char> model = memory.bytes;
        std::vector<std::string> messages;
        std::vector<std::vector<char>> blocks;
        std::map<Outbox::Mark, int> open;
        std::vector<Outbox::Mark> ended;
        std::size_t refusals = 0;
        for (int step = 0; step < 4000; ++step) {
            const std::uint64_t offset = random() % 900'000;
            switch (random() % 8) {
                case 0:
                case 1: {
                    const std::vector<char> data = pattern(random() % 4096, random());
                    if (!outbox.add(put_at(offset), {}, data.data(), data.size())) {
                        ++refusals;
                        break;
                    }
                    std::copy(data.begin(), data.end(), model.begin() + static_cast<long>(offset));
                    break;
                }
                case 2: {
                    const std::string text(random() % 2128, static_cast<char>('a' + step % 26));
                    if (outbox.add(message_head(), {}, text.data(), text.size()))
                        messages.push_back(text);
                    break;
                }
                case 3: {
                    const std::vector<char>& data =
                        blocks.emplace_back(pattern(1 + random() % 100'000, random()));
                    auto* const mark = reinterpret_cast<void*>(blocks.size());
                    if (!outbox.add_block(put_at(offset), data.data(), data.size(), mark,
                                          random() % 2 == 0)) {
                        ++refusals;
                        break;
                    }
                    ++open[mark];
                    std::copy(data.begin(), data.end(), model.begin() + static_cast<long>(offset));
                    break;
                }
                case 4:
                case 5: {
                    long error = 0;
                    line.flush(pair.from, ended, error);
                    EXPECT_EQ(error, 0);
                    break;
                }
                default:
                    for (unsigned turns = random() % 40; turns != 0; --turns)
                        ASSERT_NE(line.read(pair.to, space, memory), Came::illegal);
            }
            EXPECT_LE(outbox.copied_bytes(), Outbox::kMostCopied);
        }
        for (;;) {
            long error = 0;
            const bool empty = line.flush(pair.from, ended, error);
            Came came = Came::more;
            while (came == Came::more)
                came = line.read(pair.to, space, memory);
            if (empty) break;
        }
        line.read(pair.to, space, memory);
        EXPECT_EQ(memory.bytes, model) << seed;
        EXPECT_EQ(memory.messages, messages) << seed;
        EXPECT_EQ(memory.placing, 0U);
        for (const Outbox::Mark mark : ended)
            --open[mark];
        for (const auto& [mark, count] : open)
            EXPECT_EQ(count, 0);
        EXPECT_TRUE(outbox.is_empty());
        EXPECT_EQ(outbox.copied_bytes(), 0U);
        EXPECT_GT(refusals, 0U) << "it is bounded";
    }
}

// Datagrams of one length leave as one piece, which the system cuts: puts that are not as long as
// several datagrams do not end them early.
TEST(PacketFraming, FillsDatagramsWithPutsOfAnyLength) {
    constexpr std::size_t kRoom = 1416;
    Outbox outbox;
    outbox.narrow(kRoom);
    Inbox inbox;
    Memory memory;
    std::vector<char> expected = memory.bytes;
    std::size_t at = 0;
    for (unsigned put = 0; put < 40; ++put) {
        const std::vector<char> data = pattern(put % 3 == 0 ? 4096 : 513 + 97 * put, put);
        ASSERT_TRUE(outbox.add(put_at(at), {}, data.data(), data.size()));
        std::copy(data.begin(), data.end(), expected.begin() + static_cast<std::ptrdiff_t>(at));
        at += (data.size() + 7) / 8 * 8;
    }
    std::vector<Outbox::Mark> ended;
    while (!outbox.is_empty()) {
        std::vector<std::byte> datagram(kRoom);
        datagram.resize(outbox.pack(datagram, ended));
        if (!outbox.is_empty()) {
            EXPECT_GT(datagram.size(), kRoom - 32);
        }
        ASSERT_TRUE(inbox.take(datagram, memory));
    }
    EXPECT_TRUE(memory.wrong.empty());
    EXPECT_TRUE(memory.bytes == expected);
}

// A program may poll any word of a short put: none of them comes in two parts.
TEST(PacketFraming, CutsShortPutsBetweenWordsAlone) {
    for (const std::size_t place : {1000U, 1003U}) {
        Outbox outbox;
        outbox.narrow(1416);
        const std::vector<char> data = pattern(1000, 1);
        ASSERT_TRUE(outbox.add(put_at(0), {}, data.data(), 1000));
        ASSERT_TRUE(outbox.add(put_at(place), {}, data.data(), 500));
        std::vector<Outbox::Mark> ended;
        std::vector<std::byte> datagram(1416);
        Inbox inbox;
        Memory memory;
        ASSERT_TRUE(inbox.take({datagram.data(), outbox.pack(datagram, ended)}, memory));
        EXPECT_EQ(memory.arrived.size(), place % 8 == 0 ? 2U : 1U);
        ASSERT_TRUE(inbox.take({datagram.data(), outbox.pack(datagram, ended)}, memory));
        EXPECT_TRUE(outbox.is_empty());
        EXPECT_EQ(std::memcmp(memory.bytes.data() + place, data.data(), 500), 0);
    }
}

TEST(PacketFraming, AlwaysTakesAnswers) {
    Outbox outbox;
    const std::vector<char> data(100'000);
    while (outbox.add(put_at(0), {}, data.data(), 8)) {
    }
    for (std::size_t block = 0; block < Outbox::kMostBlocks; ++block)
        ASSERT_TRUE(outbox.add_block(put_at(0), data.data(), 5000, nullptr, false));
    EXPECT_FALSE(outbox.add_block(put_at(0), data.data(), 5000, nullptr, false));
    for (std::size_t answer = 1; answer <= kMostGets; ++answer) {
        ASSERT_TRUE(outbox.add_block(put_at(0), data.data(), 100'000, nullptr, true, true));
        EXPECT_EQ(outbox.answers(), answer);
    }
    EXPECT_TRUE(outbox.add(message_head(), {}, "x", 1, true));
    EXPECT_FALSE(outbox.add(message_head(), {}, "x", 1));
}

// Nothing of a packet that is refused is placed, and what follows it is.
TYPED_TEST(PacketLine, PlacesNothingThatIsRefused) {
    for (const std::size_t bytes : {8UL, 3000UL, 32000UL, 70000UL}) {
        Pair pair;
        TypeParam line;
        Outbox& outbox = line.outbox;
        Workspace space;
        Memory memory;
        const std::vector<char> before = memory.bytes;
        const std::vector<char> data = pattern(bytes, 3);
        ASSERT_TRUE(
            outbox.add_block(put_at(memory.bytes.size()), data.data(), bytes, nullptr, false));
        ASSERT_TRUE(outbox.add(message_head(), {}, "behind", 6));
        std::vector<Outbox::Mark> ended;
        for (int turn = 0; turn < 100; ++turn) {
            long error = 0;
            line.flush(pair.from, ended, error);
            ASSERT_NE(line.read(pair.to, space, memory), Came::illegal);
        }
        EXPECT_EQ(memory.bytes, before);
        ASSERT_FALSE(memory.wrong.empty());
        EXPECT_EQ(memory.wrong[0], Verdict::out_of_bounds);
        EXPECT_EQ(memory.messages, std::vector<std::string>{"behind"});
    }
}

// What no packet is ends the stream, at once.
TEST(PacketFraming, EndsAtAPacketWithoutAHead) {
    Pair pair;
    Inbox inbox;
    Workspace space;
    Memory memory;
    const std::vector<char> zeroes(4096);
    ASSERT_EQ(send(pair.from.descriptor(), zeroes.data(), zeroes.size(), 0), 4096);
    EXPECT_EQ(inbox.read(pair.to, space, memory), Came::illegal);
    EXPECT_EQ(memory.wrong, std::vector<Verdict>{Verdict::too_few_words});
}

// Garbage: nothing outside of the memory, no more kept than a packet, and no end of it is a loop.
TEST(PacketFraming, BearsGarbage) {
    Workspace space;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        Pair pair;
        Inbox inbox;
        Memory memory;
        memory.verdict = Verdict::no_right;
        std::mt19937_64 random(seed);
        Came came = Came::all;
        for (int turn = 0; turn < 50 && came != Came::illegal; ++turn) {
            std::vector<char> garbage(1 + random() % 3000);
            for (char& byte : garbage)
                byte = static_cast<char>(random());
            ASSERT_GT(send(pair.from.descriptor(), garbage.data(), garbage.size(), 0), 0);
            came = inbox.read(pair.to, space, memory);
            ASSERT_LE(inbox.kept(), kLargestPacket);
        }
        EXPECT_TRUE(memory.messages.empty());
        EXPECT_TRUE(memory.arrived.empty());
    }
}

}  // namespace
