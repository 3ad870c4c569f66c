// Records: who is on the way changes, leaves out, repeats or invents something.
#include "transport/packet/record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "samples.hpp"
#include "stream_ends.hpp"

using namespace isthmus::transport::packet;

namespace {

using Record = std::vector<char>;

Proof key_of(unsigned char byte) {
    Proof key;
    key.fill(byte);
    return key;
}

bool has_aes() {
    return sodium_init() >= 0 && RecordSeal::has_aes();
}

// What a writer says, a record a time.
class Writer {
  public:
    explicit Writer(unsigned char key = 1, bool with_aes = has_aes()) {
        writer_.begin(key_of(key), with_aes, 1, 2);
    }
    Record say(const std::string& text) {
        EXPECT_TRUE(outbox_.add(message_head(), {}, text.data(), text.size()));
        return record();
    }
    Record put(std::uint64_t offset, const std::vector<char>& data) {
        EXPECT_TRUE(outbox_.add_block(put_at(offset), data.data(), data.size(), nullptr, false));
        return record();
    }

  private:
    Record record() {
        Pair pair(1 << 20);
        std::vector<Outbox::Mark> ended;
        long error = 0;
        EXPECT_TRUE(writer_.flush(outbox_, pair.from, ended, error));
        Record bytes(std::size_t{1} << 20);
        const ssize_t came = recv(pair.to.descriptor(), bytes.data(), bytes.size(), 0);
        bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(came, 0)));
        return bytes;
    }
    Outbox outbox_;
    RecordWriter writer_;
};

// What a reader makes of these bytes.
struct Reader {
    explicit Reader(unsigned char key = 1, bool with_aes = has_aes()) {
        reader.begin(key_of(key), with_aes);
    }
    Came hear(const Record& bytes) {
        Pair pair(1 << 20);
        EXPECT_EQ(send(pair.from.descriptor(), bytes.data(), bytes.size(), 0),
                  static_cast<ssize_t>(bytes.size()));
        Came came = Came::more;
        while (came == Came::more)
            came = reader.read(pair.to, space, inbox, memory);
        return came;
    }
    bool is_untouched() const {
        return memory.messages.empty() && memory.arrived.empty() && memory.wrong.empty() &&
               std::all_of(memory.bytes.begin(), memory.bytes.end(),
                           [](char byte) { return byte == 'x'; });
    }
    RecordReader reader;
    Inbox inbox;
    Workspace space;
    Memory memory;
};

TEST(PacketRecord, FindsEachBitThatIsChanged) {
    for (const bool with_aes : {has_aes(), false}) {
        const Record right = Writer(1, with_aes).put(0, pattern(40, 5));
        for (std::size_t bit = 0; bit < 8 * right.size(); ++bit) {
            Record changed = right;
            changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
            Reader reader(1, with_aes);
            Came came = reader.hear(changed);
            // A record that pretends to be longer is awaited. What comes then shows it.
            if (came == Came::all) came = reader.hear(Record(std::size_t{1} << 16));
            EXPECT_EQ(came, Came::changed) << bit;
            EXPECT_TRUE(reader.is_untouched()) << bit;
        }
        Reader reader(1, with_aes);
        EXPECT_EQ(reader.hear(right), Came::all);
        EXPECT_FALSE(reader.is_untouched());
    }
}

TEST(PacketRecord, FindsOneThatIsLeftOutRepeatedOrEarly) {
    Writer writer;
    const Record first = writer.say("first");
    const Record second = writer.say("second");
    {
        Reader reader;
        EXPECT_EQ(reader.hear(second), Came::changed) << "left out";
        EXPECT_TRUE(reader.is_untouched());
    }
    Reader reader;
    EXPECT_EQ(reader.hear(first), Came::all);
    EXPECT_EQ(reader.hear(first), Came::changed) << "repeated";
    EXPECT_EQ(reader.memory.messages, std::vector<std::string>{"first"});
}

TEST(PacketRecord, IsOfOneDirectionAndOneWayOfSealing) {
    const Record record = Writer(1).say("text");
    EXPECT_EQ(Reader(2).hear(record), Came::changed);
    if (has_aes()) {
        EXPECT_EQ(Reader(1, false).hear(record), Came::changed);
    }
    EXPECT_EQ(Reader(1).hear(record), Came::all);
}

// Packets by themselves are none, whatever they are.
TEST(PacketRecord, TakesNothingThatIsNotCovered) {
    Pair pair;
    Outbox outbox;
    ASSERT_TRUE(outbox.add(message_head(), {}, "a message without a seal, longer than one", 41));
    std::vector<Outbox::Mark> ended;
    long error = 0;
    ASSERT_TRUE(outbox.flush(pair.from, ended, error));
    Reader reader;
    EXPECT_EQ(reader.reader.read(pair.to, reader.space, reader.inbox, reader.memory),
              Came::changed);
    EXPECT_TRUE(reader.is_untouched());
    EXPECT_EQ(Reader().hear(Record(4096)), Came::changed) << "zeroes";
}

// Where records are cut does not matter: at each byte once.
TEST(PacketRecord, IsPutTogetherWhereverItWasCut) {
    Writer writer;
    const std::vector<char> data = pattern(70'000, 2);
    Record all = writer.say("before");
    for (const Record& next : {writer.put(100, data), writer.say("behind")})
        all.insert(all.end(), next.begin(), next.end());
    for (std::size_t cut = 1; cut < all.size(); cut += cut < 300 ? 1 : 83) {
        Reader reader;
        const auto at = all.begin() + static_cast<std::ptrdiff_t>(cut);
        ASSERT_EQ(reader.hear(Record(all.begin(), at)), Came::all);
        ASSERT_EQ(reader.hear(Record(at, all.end())), Came::all);
        ASSERT_EQ(reader.memory.messages, (std::vector<std::string>{"before", "behind"})) << cut;
        ASSERT_EQ(std::memcmp(reader.memory.bytes.data() + 100, data.data(), data.size()), 0)
            << cut;
    }
    Reader reader;
    for (const char byte : all)
        ASSERT_EQ(reader.hear({byte}), Came::all);
    EXPECT_EQ(reader.memory.messages, (std::vector<std::string>{"before", "behind"}));
}

// A socket that keeps writes apart shows how many records each had.
TEST(PacketRecord, LeavesWithMoreInAWriteWhereThereIsMuch) {
    ASSERT_GE(sodium_init(), 0);
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
    const int room = 1 << 20;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    Stream from(ends[0]);
    const Stream to(ends[1]);
    RecordWriter writer;
    writer.begin(key_of(1), has_aes(), 1, 2);
    Outbox outbox;
    const std::vector<char> data(8 * kMostPayload, 'd');
    ASSERT_TRUE(outbox.add_block(put_at(0), data.data(), data.size(), nullptr, false));
    std::vector<Outbox::Mark> ended;
    long error = 0;
    ASSERT_TRUE(writer.flush(outbox, from, ended, error));
    std::vector<std::size_t> records;
    std::vector<std::byte> bytes(std::size_t{1} << 20);
    for (;;) {
        const ssize_t came = recv(to.descriptor(), bytes.data(), bytes.size(), 0);
        if (came <= 0) break;
        records.push_back(static_cast<std::size_t>(came) / (kSealBytes + kMostPayload));
    }
    EXPECT_EQ(records, (std::vector<std::size_t>{1, 2, 4, 1}));
}

// Behind whole records, and not into the middle of one.
TEST(PacketRecord, SaysALastPacketWhereOneFits) {
    Pair pair(4096);
    Reader reader;
    RecordWriter writer;
    writer.begin(key_of(1), has_aes(), 1, 2);
    std::byte last[24];
    ASSERT_EQ(isthmus::packet::encode(last, message_head()), sizeof last);
    ASSERT_TRUE(writer.say(pair.from, last));
    while (reader.reader.read(pair.to, reader.space, reader.inbox, reader.memory) == Came::more) {
    }
    EXPECT_EQ(reader.memory.messages, std::vector<std::string>{""});

    Outbox outbox;
    const std::vector<char> data = pattern(500'000, 4);
    ASSERT_TRUE(outbox.add_block(put_at(0), data.data(), data.size(), nullptr, false));
    std::vector<Outbox::Mark> ended;
    long error = 0;
    ASSERT_FALSE(writer.flush(outbox, pair.from, ended, error)) << "it does not take all of it";
    EXPECT_FALSE(writer.say(pair.from, last));
}

// What a record covers is looked at as if it had come bare.
TEST(PacketRecord, ChecksWhatIsCovered) {
    Writer writer;
    Reader reader;
    const std::vector<char> data = pattern(8, 2);
    EXPECT_EQ(reader.hear(writer.put(reader.memory.bytes.size(), data)), Came::all);
    EXPECT_EQ(reader.memory.wrong.size(), 1U);
    EXPECT_TRUE(reader.memory.arrived.empty());
}

}  // namespace
