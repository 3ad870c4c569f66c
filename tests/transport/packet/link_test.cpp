// Links of one process, looked at in turn.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "transport/packet/link.hpp"

using namespace isthmus::transport;

namespace {

// Looks again at the first that fails, and never goes on: as who waits for the word of another PE.
struct Over {};
struct LookingSink {
    packet::Link& link;
    int messages = 0;
    std::set<int> lost;
    int told = -1;  // who has ended the job
    int status = 0;
    std::set<char> heard{};  // first letters
    int ended = 0;
    bool by_program = true;

    void message(const char* bytes, std::size_t) {
        ++messages;
        heard.insert(*bytes);
    }
    void done(packet::Link::Ticket&) { ++ended; }
    void failed(int pe, int) {
        lost.insert(pe);
        if (lost.size() > 1) return;
        for (int looks = 0; looks < 3; ++looks)
            link.poll(*this);
        throw Over();
    }
    void job_ended(int pe, int with) {
        told = pe;
        status = with;
    }
    void begin() {}
    void refused() {}
    void noise() {}
    bool is_stopping() const { return false; }
    std::uint64_t now() const { return service::now_nanoseconds(); }
    bool is_of_program() const { return by_program; }
};

constexpr int kMostFiles = 256;

std::set<int> connections_to(const sockaddr_in& address) {
    std::set<int> found;
    for (int file = 0; file < kMostFiles; ++file) {
        sockaddr_in other{};
        socklen_t bytes = sizeof other;
        if (getpeername(file, reinterpret_cast<sockaddr*>(&other), &bytes) == 0 &&
            other.sin_family == AF_INET && other.sin_port == address.sin_port)
            found.insert(file);
    }
    return found;
}

// The socket for datagrams of the link at this address, which has the port of its connections.
int datagrams_of(const sockaddr_in& address) {
    for (int file = 0; file < kMostFiles; ++file) {
        sockaddr_in own{};
        socklen_t bytes = sizeof own;
        int type = 0;
        socklen_t length = sizeof type;
        if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_DGRAM &&
            getsockname(file, reinterpret_cast<sockaddr*>(&own), &bytes) == 0 &&
            own.sin_port == address.sin_port)
            return file;
    }
    return -1;
}

// A PE that had no turn for long finds the answer beside the time for which it waited for it.
TEST(PacketLink, ReadsAnswersBeforeItRepeatsWhatTheyAnswer) {
    constexpr int kLinks = 2;
    Services services[kLinks];
    std::unique_ptr<packet::Link> links[kLinks];
    std::vector<LookingSink> sinks;
    for (int pe = 0; pe < kLinks; ++pe) {
        services[pe].me = pe;
        services[pe].pes = kLinks;
        services[pe].address = "127.0.0.1";
        services[pe].protocol = "udp";
        services[pe].thread = false;
        services[pe].fail = [](const char* what) { FAIL() << what; };
        links[pe] = std::make_unique<packet::Link>(services[pe]);
        sinks.push_back({*links[pe], 0, {}, -1, 0});
    }
    const std::size_t card = links[0]->card_bytes();
    std::vector<char> cards(kLinks * card);
    int sockets[kLinks];
    for (std::size_t pe = 0; pe < kLinks; ++pe) {
        links[pe]->write_card(&cards[pe * card]);
        sockaddr_in address{};
        std::memcpy(&address, links[pe]->address_of(static_cast<int>(pe)).data(), sizeof address);
        sockets[pe] = datagrams_of(address);
        ASSERT_GE(sockets[pe], 0);
    }
    for (const auto& link : links)
        link->connect(cards.data(), card);
    const auto has_come = [&](int pe) {
        int bytes = 0;
        ioctl(sockets[pe], FIONREAD, &bytes);
        return bytes != 0;
    };
    for (int turn = 1; turn <= 3; ++turn) {
        ASSERT_EQ(links[0]->send(1, {{"here", 4}}, Order::strict), 0);
        while (sinks[1].messages < turn) {
            if (!has_come(1)) links[0]->poll(sinks[0]);
            links[1]->poll(sinks[1]);
        }
        while (!has_come(0))
            links[1]->poll(sinks[1]);
        // Longer than it ever waits, while it does nothing.
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
        while (has_come(1))
            links[1]->poll(sinks[1]);
        for (int looks = 0; looks < 3; ++looks)
            links[0]->poll(sinks[0]);
        EXPECT_FALSE(has_come(1)) << turn;
    }
}

// One PE says why the job ends, and the connections of others end before and behind that: the
// system tells of all of them at once.
TEST(PacketLink, ReadsWhoTellsWhyBehindThoseThatEndWithoutAWord) {
    constexpr int kLinks = 4;
    constexpr int kSpeaker = 2;
    constexpr int kStatus = 7;
    Services services[kLinks];
    std::unique_ptr<packet::Link> links[kLinks];
    for (int pe = 0; pe < kLinks; ++pe) {
        services[pe].me = pe;
        services[pe].pes = kLinks;
        services[pe].address = "127.0.0.1";
        services[pe].thread = false;
        services[pe].fail = [](const char* what) { FAIL() << what; };
        links[pe] = std::make_unique<packet::Link>(services[pe]);
    }
    const std::size_t card = links[0]->card_bytes();
    std::vector<char> cards(kLinks * card);
    for (std::size_t pe = 0; pe < kLinks; ++pe)
        links[pe]->write_card(&cards[pe * card]);
    for (const auto& link : links)
        link->connect(cards.data(), card);
    sockaddr_in address{};
    std::memcpy(&address, links[0]->address_of(0).data(), sizeof address);

    std::vector<LookingSink> sinks;
    for (const auto& link : links)
        sinks.push_back({*link, 0, {}, -1, 0});
    int connection[kLinks] = {};
    for (int pe = 1; pe < kLinks; ++pe) {
        const std::set<int> before = connections_to(address);
        ASSERT_EQ(links[pe]->send(0, {{"here", 4}}, Order::strict), 0);
        while (sinks[0].messages < pe) {
            links[pe]->poll(sinks[static_cast<std::size_t>(pe)]);
            links[0]->poll(sinks[0]);
        }
        for (const int file : connections_to(address)) {
            if (!before.contains(file)) connection[pe] = file;
        }
        ASSERT_GT(connection[pe], 0);
    }
    links[0]->poll(sinks[0]);
    shutdown(connection[1], SHUT_RDWR);
    links[kSpeaker]->say_end(kStatus);
    shutdown(connection[3], SHUT_RDWR);
    EXPECT_THROW(links[0]->poll(sinks[0]), Over);
    EXPECT_EQ(sinks[0].told, kSpeaker);
    EXPECT_EQ(sinks[0].status, kStatus);
    EXPECT_EQ(sinks[0].lost, (std::set<int>{1, 3}));
}

// Two or three PEs that are connected to the first one.
class Connected {
  public:
    // `gathers`: as a job with a thread does, which would see to what waits.
    Connected(std::size_t count, const char* protocol, bool gathers = false)
        : services(count), heaps(count) {
        for (std::size_t pe = 0; pe < count; ++pe) {
            services[pe].me = static_cast<int>(pe);
            services[pe].pes = static_cast<int>(count);
            services[pe].address = "127.0.0.1";
            services[pe].protocol = protocol;
            services[pe].thread = gathers;
            services[pe].segments[kHeap] = {reinterpret_cast<char*>(&heaps[pe]), sizeof heaps[pe]};
            services[pe].fail = [](const char* what) { FAIL() << what; };
            links.push_back(std::make_unique<packet::Link>(services[pe]));
        }
        const std::size_t card = links[0]->card_bytes();
        std::vector<char> cards(count * card);
        for (std::size_t pe = 0; pe < count; ++pe)
            links[pe]->write_card(&cards[pe * card]);
        for (const auto& link : links) {
            link->connect(cards.data(), card);
            sinks.push_back({*link, 0, {}, -1, 0});
        }
        for (std::size_t pe = 1; pe < count; ++pe) {
            say(pe, "here");
            while (sinks[0].messages < static_cast<int>(pe)) {
                look(pe);
                look(0);
            }
        }
        sinks[0].heard.clear();
    }
    void say(std::size_t pe, const char* word) {
        ASSERT_EQ(links[pe]->send(0, {{word, 4}}, Order::strict), 0);
    }
    bool look(std::size_t pe) { return links[pe]->poll(sinks[pe]); }
    // Whether the first one's set tells of something.
    bool rings(int milliseconds) const {
        pollfd end{links[0]->descriptor(), POLLIN, 0};
        return ::poll(&end, 1, milliseconds) == 1;
    }

    std::vector<Services> services;
    std::vector<std::uint64_t> heaps;  // a word each
    std::vector<std::unique_ptr<packet::Link>> links;
    std::vector<LookingSink> sinks;
};

// Of so many words some were read without the set, which still tells of them. The library's own
// thread, which sleeps on it, leaves nothing there.
TEST(PacketLink, ReadsWhoTalkedLastWithoutAskingWhoElseDoes) {
    Connected job(2, "tcp");
    const auto left_in_set = [&] {
        int left = 0;
        for (int word = 0; word < 1000 && left < 3; ++word) {
            job.look(0);
            const int before = job.sinks[0].messages;
            job.say(1, "word");
            while (job.sinks[0].messages == before)
                job.look(0);
            if (job.rings(0)) ++left;
        }
        return left;
    };
    EXPECT_EQ(left_in_set(), 3);
    job.sinks[0].by_program = false;
    job.look(0);
    EXPECT_EQ(left_in_set(), 0);
}

// A connection that was taken at this address and has something to be read.
int unread_at(const sockaddr_in& address) {
    for (int file = 0; file < kMostFiles; ++file) {
        sockaddr_in own{}, other{};
        socklen_t bytes = sizeof own;
        int unread = 0;
        if (getsockname(file, reinterpret_cast<sockaddr*>(&own), &bytes) == 0 &&
            own.sin_port == address.sin_port && (bytes = sizeof other) != 0 &&
            getpeername(file, reinterpret_cast<sockaddr*>(&other), &bytes) == 0 &&
            ioctl(file, FIONREAD, &unread) == 0 && unread != 0)
            return file;
    }
    return -1;
}

// Somebody of whom there is more to read at each look keeps nobody else from being heard.
TEST(PacketLink, HearsOthersBesideOneWhoNeverStops) {
    Connected job(3, "tcp");
    sockaddr_in address{};
    std::memcpy(&address, job.links[0]->address_of(0).data(), sizeof address);
    job.say(1, "more");
    int talker = -1;
    while (talker < 0)
        talker = unread_at(address);
    const auto talk = [&] {
        for (int unread = 0; unread == 0; ioctl(talker, FIONREAD, &unread))
            job.say(1, "more");
        job.look(0);
    };
    // A pause of a busy machine's lets the others in as well, but not each time.
    for (int round = 0; round < 20; ++round) {
        for (int words = 0; words < 10; ++words)
            talk();
        job.sinks[0].heard.clear();
        job.say(2, "else");
        for (int words = 0; words < 50; ++words)  // 40 us and more
            talk();
        EXPECT_TRUE(job.sinks[0].heard.contains('e')) << round;
    }
    // Nor in front of a dialogue, to which the other one never lets it come.
    for (int round = 0; round < 20; ++round) {
        job.sinks[0].heard.clear();
        job.say(2, "else");
        for (int words = 0; words < 15 && !job.sinks[0].heard.contains('e'); ++words) {
            const auto begin = service::now_nanoseconds();
            while (service::now_nanoseconds() - begin < 4'000) {
            }
            talk();
        }
        EXPECT_TRUE(job.sinks[0].heard.contains('e')) << round;
    }
}

// Words of the second PE that the first one finds in turn, and nothing else.
void talk(Connected& job) {
    for (int word = 0; word < 40; ++word) {
        const int before = job.sinks[0].messages;
        job.say(1, "word");
        for (int looks = 0; job.sinks[0].messages == before || looks < 2; ++looks)
            job.look(0);
        job.look(1);  // for what it was told by datagrams
    }
}

// Who sleeps hears of what has come before as of what comes then.
TEST(PacketLink, HearsATalkerByItsSetOnlyWhileItSleeps) {
    for (const char* const protocol : {"tcp", "udp"}) {
        Connected job(2, protocol);
        packet::Link& link = *job.links[0];
        const auto rings = [&](int milliseconds) {
            int rung = 0;
            for (int word = 0; word < 20; ++word) {
                talk(job);
                job.say(1, "more");
                rung += job.rings(milliseconds) ? 1 : 0;
                job.look(0);
            }
            return rung;
        };
        EXPECT_LT(rings(0), 10) << protocol;  // a pause of a busy machine's ends a dialogue
        for (int turn = 0; turn < 20; ++turn) {
            talk(job);
            if (turn % 2 == 0) job.say(1, "more");
            while (!link.may_sleep())
                job.look(0);
            if (turn % 2 != 0) job.say(1, "more");
            EXPECT_TRUE(job.rings(1000)) << protocol << turn;
            link.woke();
            const int before = job.sinks[0].messages;
            while (job.sinks[0].messages == before)
                job.look(0);
        }
        EXPECT_LT(rings(0), 10) << protocol;
        job.sinks[0].by_program = false;
        talk(job);
        job.sinks[0].by_program = true;
        talk(job);
        job.sinks[0].by_program = false;
        job.look(0);
        job.say(1, "more");
        EXPECT_TRUE(job.rings(1000)) << protocol;
    }
}

TEST(PacketLink, HearsThatATalkerHasRoomAgain) {
    Connected job(2, "tcp");
    talk(job);
    const std::vector<char> much(4096);
    while (job.links[0]->send(1, {{much.data(), much.size()}}, Order::strict) == 0) {
    }
    for (int looks = 0; looks < 1000; ++looks)
        job.look(1);
    EXPECT_TRUE(job.rings(1000));
    const int before = job.sinks[1].messages;
    while (job.sinks[1].messages == before) {
        job.look(0);
        job.look(1);
    }
}

// A put to the second PE; whether it leaves before the first one looks.
bool leaves_at_once(Connected& job, std::uint64_t value) {
    EXPECT_EQ(job.links[0]->write_now(1, {kHeap, 0}, &value, sizeof value), 0);
    for (int looks = 0; looks < 100; ++looks)
        job.look(1);
    const bool has_left = job.heaps[1] == value;
    while (job.heaps[1] != value) {
        job.look(0);
        job.look(1);
    }
    return has_left;
}

// Short puts close to each other wait for more. What answers somebody does not: a timer would be
// set for each, and on many machines that takes longer than the answer.
TEST(PacketLink, GathersNothingBetweenTwoThatAnswerEachOther) {
    Connected job(2, "tcp", true);
    const auto count = [&](bool hears) {
        int left = 0;
        for (std::uint64_t put = 1; put <= 20; ++put) {
            job.look(0);
            const int before = job.sinks[0].messages;
            job.say(1, "word");
            job.look(1);
            if (!hears)
                while (job.sinks[0].messages == before)
                    job.look(0);
            leaves_at_once(job, 1000 + put);
            if (hears)
                while (job.sinks[0].messages == before)
                    job.look(0);
            left += leaves_at_once(job, put) ? 1 : 0;
        }
        return left;
    };
    EXPECT_EQ(count(true), 20);
    EXPECT_LT(count(false), 20);
}

// A program that goes on sending needs no timer every 50 us; one that stops gets it back.
TEST(PacketLink, SetsItsTimerForLongerWhereTheProgramGoesOn) {
    Connected job(2, "tcp", true);
    std::uint64_t value = 0;
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto put = [&] {
        ++value;
        EXPECT_EQ(job.links[0]->write_now(1, {kHeap, 0}, &value, sizeof value), 0);
    };
    const auto rings_within = [&](std::chrono::microseconds length, bool goes_on) {
        while (job.rings(0))
            job.look(0);
        put();
        put();
        const auto begin = now();
        while (!job.rings(0))
            if (goes_on) put();
        const bool within = now() - begin < length;
        if (goes_on) put();
        while (job.rings(0))
            job.look(0);
        return within;
    };
    using std::chrono::microseconds;
    for (int turn = 0; turn < 6; ++turn)
        rings_within(microseconds(0), true);
    int soon = 0;
    for (int turn = 0; turn < 20; ++turn)
        soon += rings_within(microseconds(700), true) ? 1 : 0;
    // A pause of a busy machine's is a program that has stopped.
    EXPECT_LT(soon, 10);
    bool is_soon = false;
    for (int turn = 0; turn < 100 && !is_soon; ++turn)
        is_soon = rings_within(microseconds(700), false);
    EXPECT_TRUE(is_soon);
}

// A message that was copied as it was sent has nobody woken by a timer.
TEST(PacketLink, SetsNoTimerForABufferThatIsFree) {
    Connected job(2, "tcp");
    char message[64] = "back";
    packet::Link::Ticket ticket;
    ASSERT_EQ(job.links[0]->send_from(1, message, sizeof message, ticket), 0);
    while (!job.links[0]->may_sleep())
        job.look(0);
    while (job.rings(1))
        job.look(0);
    ASSERT_EQ(job.sinks[0].ended, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(job.links[0]->send_from(1, message, sizeof message, ticket), 0);
    EXPECT_FALSE(job.rings(5));
    EXPECT_FALSE(job.links[0]->may_sleep());
    job.look(0);
    EXPECT_EQ(job.sinks[0].ended, 2);
}

TEST(PacketLink, ProvesWhatItsRecordsAndDatagramsHash) {
    Services services;
    services.protocol = "tcp";
    services.seals = false;
    EXPECT_FALSE(packet::Link::proves(services));
    services.seals = true;
    EXPECT_TRUE(packet::Link::proves(services));
    services.protocol = "udp";
    services.seals = false;
    EXPECT_TRUE(packet::Link::proves(services));
}

}  // namespace
