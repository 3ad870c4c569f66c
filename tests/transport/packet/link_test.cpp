// Links of one process, looked at in turn.
#include <gtest/gtest.h>
#include <netinet/in.h>
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

    void message(const char*, std::size_t) { ++messages; }
    void done(packet::Link::Ticket&) {}
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

}  // namespace
