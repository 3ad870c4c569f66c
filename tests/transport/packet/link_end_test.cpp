// How a link hears that a connection has ended: its other side is played here, byte by byte.
#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/epoll.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packet/encode.hpp"
#include "samples.hpp"
#include "transport/packet/link.hpp"

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
};

// The link of PE 0, and a PE 1 that has joined it.
struct Line {
    explicit Line(bool is_sealed) {
        services.pes = 2;
        services.address = "127.0.0.1";
        services.thread = false;
        services.seals = is_sealed;
        services.fail = [](const char* what) { FAIL() << what; };
        link = std::make_unique<packet::Link>(services);
        std::uint32_t kinds = kServedKinds;
        if (is_sealed) kinds |= kSealed;
        if (RecordSeal::has_aes()) kinds |= kHasAes;
        events = epoll_create1(EPOLL_CLOEXEC);
        constexpr std::uint64_t kPatience = 5'000'000'000;
        door = std::make_unique<Door>(Self{&services.secret, services.session, 1, 2, kinds}, events,
                                      kPatience);
        const std::vector<char> at = link->address_of(0);
        sockaddr_storage address{};
        std::memcpy(&address, at.data(), at.size());
        sockaddr_storage own = address;
        EXPECT_TRUE(door->listen(own));
        std::vector<char> cards(2 * link->card_bytes());
        link->write_card(cards.data());
        std::memcpy(cards.data() + link->card_bytes(), &door->address(), link->card_bytes());
        link->connect(cards.data(), link->card_bytes());
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
        Outbox outbox;
        ASSERT_TRUE(outbox.add(head, {}, text.data(), text.size()));
        std::vector<Outbox::Mark> ended;
        long error = 0;
        ASSERT_TRUE(records ? records->flush(outbox, stream, ended, error)
                            : outbox.flush(stream, ended, error));
    }

    Services services;
    std::unique_ptr<packet::Link> link;
    Hearer hearer;
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

}  // namespace
