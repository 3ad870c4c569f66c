// A link, and what it makes of a PE that is played here, byte by byte, and of who claims to be it.
#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packet/encode.hpp"
#include "samples.hpp"
#include "transport/packet/link.hpp"
#include "transport/service/socket_address.hpp"

using namespace isthmus::transport;
using namespace isthmus::transport::packet;

namespace {

struct Hearer {
    std::vector<std::string> messages;
    int lost = -1;
    int error = 0;
    unsigned strangers = 0;

    void message(const char* bytes, std::size_t count) { messages.emplace_back(bytes, count); }
    void done(packet::Link::Ticket&) {}
    void failed(int pe, int with) {
        lost = pe;
        error = with;
    }
    void job_ended(int, int) {}
    void begin() {}
    void refused() { ++strangers; }
    void noise() { ++strangers; }
    bool is_stopping() const { return false; }
    std::uint64_t now() const { return service::now_nanoseconds(); }
    bool is_of_program() const { return true; }
};

// The link of PE 0, of two.
struct Listener {
    explicit Listener(bool is_sealed, const char* protocol = "tcp") {
        services.pes = 2;
        services.address = "127.0.0.1";
        services.protocol = protocol;
        services.thread = false;
        services.seals = is_sealed;
        services.fail = [](const char* what) { FAIL() << what; };
        link = std::make_unique<packet::Link>(services);
        kinds = kServedKinds;
        if (is_sealed) kinds |= kSealed;
        if (std::strcmp(protocol, "udp") == 0) kinds |= kByDatagrams;
        if (RecordSeal::has_aes()) kinds |= kHasAes;
        const std::vector<char> at = link->address_of(0);
        std::memcpy(&address, at.data(), at.size());
    }
    void connect(const sockaddr_storage& pe_1) {
        std::vector<char> cards(2 * link->card_bytes());
        link->write_card(cards.data());
        std::memcpy(cards.data() + link->card_bytes(), &pe_1, link->card_bytes());
        link->connect(cards.data(), link->card_bytes());
    }
    Self pe_1() const { return {&services.secret, services.session, 1, 2, kinds}; }

    Services services;
    std::uint32_t kinds = 0;
    sockaddr_storage address{};
    std::unique_ptr<packet::Link> link;
    Hearer hearer;
};

// With a PE 1 that has joined it.
struct Line : Listener {
    explicit Line(bool is_sealed) : Listener(is_sealed) {
        events = epoll_create1(EPOLL_CLOEXEC);
        constexpr std::uint64_t kPatience = 5'000'000'000;
        door = std::make_unique<Door>(pe_1(), events, kPatience);
        EXPECT_TRUE(door->listen(address));
        connect(door->address());
        EXPECT_EQ(door->call(0, address), 0);
        EXPECT_TRUE(looks_until([&] { return stream.is_open(); }));
        // Until it has joined as well.
        for (int looks = 0; looks < 10; ++looks)
            link->poll(hearer);
        if (is_sealed) {
            records.emplace();
            records->begin(keys, with_aes, 1, 0);
        }
    }
    ~Line() {
        link.reset();
        door.reset();
        ::close(events);
    }
    bool looks_until(const std::function<bool()>& is_so) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (!is_so()) {
            if (std::chrono::steady_clock::now() > until) return false;
            link->poll(hearer);
            epoll_event came[8];
            const int count = epoll_wait(events, came, 8, 0);
            for (int i = 0; i < count; ++i) {
                if (kind_of(came[i].data.u64) == Event::guest)
                    door->attend(number_of(came[i].data.u64));
            }
            Door::News news = door->take_news();
            for (Door::Joined& joined : news.joined) {
                stream = std::move(joined.stream);
                keys = joined.records.out;
                with_aes = joined.with_aes;
            }
        }
        return true;
    }
    void say(const std::string& text) {
        Head head = message_head();
        head.source = 1;
        head.token = kNoToken;
        say(head, text);
    }
    void say(const Head& head, const std::string& text) {
        Outbox outbox;
        ASSERT_TRUE(outbox.add(head, {}, text.data(), text.size()));
        std::vector<Outbox::Mark> ended;
        long error = 0;
        ASSERT_TRUE(records ? records->flush(outbox, stream, ended, error)
                            : outbox.flush(stream, ended, error));
    }

    int events = -1;
    std::unique_ptr<Door> door;
    Stream stream;  // of PE 1
    Proof keys{};
    bool with_aes = false;
    std::optional<RecordWriter> records;
};

// The system tells of both at once, and not a second time.
TEST(PacketLink, HearsAnEndThatCameWithData) {
    for (const bool is_sealed : {true, false}) {
        for (const bool is_alone : {false, true}) {
            Line line(is_sealed);
            if (!is_alone) line.say("last");
            line.stream.finish();
            EXPECT_TRUE(line.looks_until([&] { return line.hearer.lost == 1; }))
                << is_sealed << is_alone;
            EXPECT_EQ(line.hearer.messages,
                      is_alone ? std::vector<std::string>{} : std::vector<std::string>{"last"});
            EXPECT_EQ(line.hearer.error, ECONNRESET);
            EXPECT_EQ(line.hearer.strangers, 0U);
        }
    }
}

// Whoever waits for it would wait for ever: nobody can be told of what is wrong with an answer.
TEST(PacketLink, EndsAConnectionWhoseAnswersAreForOthers) {
    for (const bool is_sealed : {true, false}) {
        Line line(is_sealed);
        Head head;
        head.kind = Kind::data;
        head.stream = ::isthmus::packet::Stream::reply;
        head.source = 1;
        head.destination = 7;
        head.token = 3;
        line.say(head, "12345678");
        EXPECT_TRUE(line.looks_until([&] { return line.hearer.lost == 1; })) << is_sealed;
        EXPECT_EQ(line.hearer.strangers, 1U);
        EXPECT_GE(line.hearer.error, kIllegal);
    }
}

// Nor would he ever have all of what he asked for if an answer is shorter, or one of its pieces.
TEST(PacketLink, EndsAConnectionWhoseAnswersAreShort) {
    constexpr std::uint64_t kAsked = 128;
    struct Answer {
        std::uint64_t message_bytes;
        std::uint32_t part_offset;
        std::size_t bytes;
        bool is_right;
    };
    for (const Answer& each : {Answer{0, 0, kAsked, true}, Answer{0, 0, kAsked - 4, false},
                               Answer{kAsked, 0, 64, true}, Answer{kAsked, 0, 60, false},
                               Answer{kAsked - 8, 0, 64, false}, Answer{kAsked, 64, 64, false}}) {
        Line line(false);
        std::vector<char> memory(kAsked);
        packet::Link::Ticket ticket;
        ASSERT_EQ(line.link->read(1, memory.data(), {kHeap, 0}, kAsked, {}, ticket), 0);
        Head head;
        head.kind = Kind::data;
        head.stream = ::isthmus::packet::Stream::reply;
        head.source = 1;
        head.token = static_cast<std::uint32_t>(kMostGets);  // of the first get
        head.message_bytes = each.message_bytes;
        head.part_offset = each.part_offset;
        head.offset = each.part_offset;
        line.say(head, std::string(each.bytes, 'a'));
        const auto has_come = [&] { return memory[each.bytes - 1] == 'a'; };
        EXPECT_TRUE(line.looks_until([&] {
            return line.hearer.lost == 1 || (each.is_right && has_come());
        })) << each.bytes;
        EXPECT_EQ(line.hearer.lost != 1, each.is_right) << each.bytes << " " << each.part_offset;
        if (!each.is_right) {
            EXPECT_EQ(line.hearer.error, kIllegal + static_cast<int>(Verdict::wrong_payload));
        }
    }
}

// Of those that claim to come from a PE without a connection all are counted but those that may be
// its own.
TEST(PacketLink, CountsDatagramsOfWhoIsNotConnected) {
    Listener line(true, "udp");
    Udp own, strangers;
    sockaddr_storage at = line.address;
    service::port_of(at) = 0;
    for (Udp* const socket : {&own, &strangers})
        ASSERT_TRUE(socket->open(at));
    socklen_t length = sizeof at;
    getsockname(own.descriptor(), reinterpret_cast<sockaddr*>(&at), &length);
    line.connect(at);
    ASSERT_TRUE(line.link->address_of(1).size() == length &&
                std::memcmp(line.link->address_of(1).data(), &at, length) == 0);
    isthmus::packet::Delivery delivery;
    delivery.connection = 7U << kSenderBits | 1;
    std::byte bytes[32]{};
    const std::size_t front = isthmus::packet::encode_delivery(bytes, delivery);
    const std::span<const std::byte> datagram(bytes, front + isthmus::packet::kMacBytes);
    const auto send = [&](Udp& from) {
        from.send(line.address, {&datagram, 1});
        const unsigned before = line.hearer.strangers;
        for (int looks = 0; looks < 20; ++looks)
            line.link->poll(line.hearer);
        return line.hearer.strangers - before;
    };
    EXPECT_EQ(send(strangers), 1U);
    EXPECT_EQ(send(own), 1U) << "it has not been let in";

    Stream stream(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(
        ::connect(stream.descriptor(), reinterpret_cast<const sockaddr*>(&line.address), length),
        0);
    Join join = Join::call(line.pe_1(), 0, {});
    const auto say = [&] {
        iovec piece{const_cast<unsigned char*>(join.unsent()), join.unsent_bytes()};
        EXPECT_EQ(stream.write(&piece, 1), static_cast<long>(piece.iov_len));
        join.sent(piece.iov_len);
    };
    const auto hear = [&] {
        char line_of[128];
        std::size_t had = 0;
        for (int looks = 0; looks < 1000 && had != join.wanted(); ++looks) {
            line.link->poll(line.hearer);
            iovec room{line_of + had, join.wanted() - had};
            if (const long came = stream.read(&room, 1); came > 0)
                had += static_cast<std::size_t>(came);
        }
        return join.take(line_of, had);
    };
    say();
    EXPECT_EQ(hear(), JoinState::more);
    say();
    EXPECT_EQ(hear(), JoinState::joined);
    EXPECT_EQ(send(own), 0U) << "the word of it may be under way";
    EXPECT_EQ(send(strangers), 1U);
    say();
    for (int looks = 0; looks < 20; ++looks)
        line.link->poll(line.hearer);
    EXPECT_EQ(send(own), 1U) << "with a wrong hash";
    EXPECT_EQ(send(strangers), 1U);

    stream.close();
    for (int looks = 0; looks < 1000 && line.hearer.lost != 1; ++looks)
        line.link->poll(line.hearer);
    EXPECT_EQ(line.hearer.lost, 1);
    EXPECT_EQ(send(own), 0U) << "it may have been under way";
    EXPECT_EQ(send(strangers), 1U);
}

}  // namespace
