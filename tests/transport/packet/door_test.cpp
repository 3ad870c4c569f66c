// Calls between PEs and callers that are none, over the loop-back device.
#include "transport/packet/door.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "transport/service/attention.hpp"
#include "transport/service/socket_address.hpp"

using namespace isthmus::transport;
using namespace isthmus::transport::packet;

namespace {

constexpr int kPes = 4;

sockaddr_storage loopback(int family) {
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    if (family == AF_INET)
        reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        reinterpret_cast<sockaddr_in6&>(address).sin6_addr = in6addr_loopback;
    return address;
}

// A PE at its door.
struct Keeper {
    explicit Keeper(int me, unsigned char secret_byte = 1, int family = AF_INET,
                    std::uint64_t patience = 1'000'000'000, bool may_be_busy = false,
                    Door::Clock clock = service::now_nanoseconds) {
        secret[0] = secret_byte;
        EXPECT_GE(sodium_init(), 0);
        events = epoll_create1(EPOLL_CLOEXEC);
        door = std::make_unique<Door>(Self{&secret, 1, me, kPes, 1}, events, patience, may_be_busy,
                                      clock);
        EXPECT_TRUE(door->listen(loopback(family)));
    }
    ~Keeper() {
        door.reset();
        ::close(events);
    }
    void look() {
        epoll_event came[64];
        const int count = epoll_wait(events, came, 64, 0);
        for (int i = 0; i < count; ++i) {
            const std::uint64_t event = came[i].data.u64;
            if (kind_of(event) == Event::port) door->accept_all();
            if (kind_of(event) == Event::guest) door->attend(number_of(event));
        }
        door->see_to_time();
        Door::News fresh = door->take_news();
        for (Door::Joined& each : fresh.joined)
            joined.push_back(std::move(each));
        failed.insert(failed.end(), fresh.failed.begin(), fresh.failed.end());
        refused += fresh.refused;
        silent += fresh.silent;
    }
    Stream connect_as_stranger() const {
        const sockaddr_storage& at = door->address();
        Stream stream(socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(
            ::connect(stream.descriptor(), reinterpret_cast<const sockaddr*>(&at), length_of(at)),
            0);
        return stream;
    }

    JobSecret secret{};
    int events = -1;
    std::unique_ptr<Door> door;
    std::vector<Door::Joined> joined;
    std::vector<std::pair<int, int>> failed;
    unsigned refused = 0;
    unsigned silent = 0;
};

// Until it is so, for some seconds.
bool await(const std::vector<Keeper*>& keepers, const std::function<bool()>& is_so) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(8);
    while (!is_so()) {
        for (Keeper* const keeper : keepers)
            keeper->look();
        if (std::chrono::steady_clock::now() > until) return false;
    }
    return true;
}

// Between a caller and a PE: hands on so many bytes of each side's, and swallows the rest.
struct Relay {
    static constexpr long kAll = 1 << 20;
    Relay(const sockaddr_storage& whom, int family) : to(whom), address(loopback(family)) {
        port = Stream(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        auto* const at = reinterpret_cast<sockaddr*>(&address);
        socklen_t length = sizeof address;
        EXPECT_EQ(bind(port.descriptor(), at, length_of(address)), 0);
        EXPECT_EQ(::listen(port.descriptor(), 64), 0);
        EXPECT_EQ(getsockname(port.descriptor(), at, &length), 0);
    }
    void look() {
        const int came = accept4(port.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
        if (came >= 0) {
            Way& way = ways.emplace_back();
            way.ends[0] = Stream(came);
            way.ends[1] = Stream(socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
            EXPECT_EQ(::connect(way.ends[1].descriptor(), reinterpret_cast<sockaddr*>(&to),
                                length_of(to)),
                      0);
        }
        for (Way& way : ways) {
            for (const int from : {0, 1})
                hand_on(way, from);
        }
    }

    long most[2] = {kAll, kAll};  // of what the caller says, and of what the listener does
    bool change = false;          // all that the listener says
    sockaddr_storage to;
    sockaddr_storage address;

  private:
    struct Way {
        Stream ends[2];
        long passed[2] = {0, 0};
    };
    void hand_on(Way& way, int from) {
        char bytes[256];
        iovec room{bytes, sizeof bytes};
        const long count = way.ends[from].is_open() ? way.ends[from].read(&room, 1) : 0;
        if (count == Stream::kNotNow) return;
        if (count <= 0) {
            way.ends[from].close();
            // Who swallows keeps the other side's end.
            if (most[from] >= kAll) way.ends[1 - from].close();
            return;
        }
        if (change && from == 1) bytes[count - 1] ^= 1;
        const long left = std::max(0L, std::min(count, most[from] - way.passed[from]));
        way.passed[from] += left;
        iovec piece{bytes, static_cast<std::size_t>(left)};
        if (left != 0 && way.ends[1 - from].is_open()) way.ends[1 - from].write(&piece, 1);
    }
    Stream port;
    std::vector<Way> ways;
};

void expect_connected(Stream& from, Stream& to) {
    char word[] = "word";
    iovec piece{word, sizeof word};
    EXPECT_EQ(from.write(&piece, 1), 5);
    char back[5] = "";
    iovec room{back, sizeof back};
    long came = Stream::kNotNow;
    for (int turn = 0; turn < 100000 && came == Stream::kNotNow; ++turn)
        came = to.read(&room, 1);
    EXPECT_EQ(came, 5);
    EXPECT_STREQ(back, "word");
}

TEST(PacketDoor, JoinsWhoCallsEachOther) {
    for (const int family : {AF_INET, AF_INET6}) {
        Keeper low(0, 1, family);
        Keeper high(2, 1, family);
        ASSERT_EQ(low.door->call(2, high.door->address()), 0);
        ASSERT_EQ(low.door->call(2, high.door->address()), 0);  // is under way
        ASSERT_TRUE(await({&low, &high},
                          [&] { return low.joined.size() == 1 && high.joined.size() == 1; }));
        EXPECT_EQ(low.joined[0].pe, 2);
        EXPECT_EQ(high.joined[0].pe, 0);
        expect_connected(low.joined[0].stream, high.joined[0].stream);
        EXPECT_EQ(low.refused + high.refused + low.silent + high.silent, 0U);
        ASSERT_EQ(low.door->call(2, high.door->address()), 0);
        EXPECT_EQ(low.door->guests(), 0U);
    }
}

// Both at once, with turns of all kinds between their looks: one connection, the same at both.
TEST(PacketDoor, MakesOneConnectionOfTwoCalls) {
    for (unsigned turns = 0; turns < 64; ++turns) {
        Keeper low(0);
        Keeper high(2);
        unsigned rest = turns;
        const auto look_by_turns = [&] {
            for (int i = 0; i < 3; ++i, rest >>= 1)
                (rest & 1 ? low : high).look();
        };
        low.door->call(2, high.door->address());
        look_by_turns();
        high.door->call(0, low.door->address());
        look_by_turns();
        ASSERT_TRUE(await({&low, &high}, [&] {
            return !low.joined.empty() && !high.joined.empty();
        })) << turns;
        await({&low, &high}, [&] { return low.door->guests() + high.door->guests() == 0; });
        ASSERT_EQ(low.joined.size(), 1U) << turns;
        ASSERT_EQ(high.joined.size(), 1U) << turns;
        expect_connected(low.joined[0].stream, high.joined[0].stream);
        expect_connected(high.joined[0].stream, low.joined[0].stream);
        EXPECT_EQ(low.refused + high.refused + low.silent + high.silent, 0U) << turns;
        EXPECT_TRUE(low.failed.empty() && high.failed.empty());
    }
}

// One of two PEs calls by a way that swallows what is said, the other one by a good way. What the
// last byte of a join tells nobody can be sure of: up to it both join.
TEST(PacketDoor, JoinsByTheOtherWayWhereACallIsSwallowed) {
    struct Case {
        Case(int from, long most, bool is_low)
            : low(0), high(2), relay((is_low ? high : low).door->address(), AF_INET) {
            relay.most[from] = most;
            low.door->call(2, is_low ? relay.address : high.door->address());
            high.door->call(0, is_low ? low.door->address() : relay.address);
        }
        Keeper low, high;
        Relay relay;
    };
    std::vector<std::unique_ptr<Case>> cases;
    std::vector<Keeper*> keepers;
    for (const bool is_low : {true, false}) {
        for (const long most : {0, 95, 96, 127})
            cases.push_back(std::make_unique<Case>(0, most, is_low));
        for (const long most : {0, 95, 96, 127})
            cases.push_back(std::make_unique<Case>(1, most, is_low));
    }
    for (const auto& each : cases)
        keepers.insert(keepers.end(), {&each->low, &each->high});
    const auto is_joined = [](const std::unique_ptr<Case>& each) {
        each->relay.look();
        return !each->low.joined.empty() && !each->high.joined.empty();
    };
    EXPECT_TRUE(await(keepers, [&] {
        return static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), is_joined)) ==
               cases.size();
    }));
    for (const auto& each : cases) {
        ASSERT_EQ(each->low.joined.size(), 1U);
        ASSERT_EQ(each->high.joined.size(), 1U);
        expect_connected(each->low.joined[0].stream, each->high.joined[0].stream);
        EXPECT_TRUE(each->low.failed.empty() && each->high.failed.empty());
        EXPECT_EQ(each->low.refused + each->high.refused, 0U);
    }
}

// Where no way is good both say so, and how they have tried.
TEST(PacketDoor, TellsWhereAllCallsAreSwallowed) {
    Keeper low(0);
    Keeper high(2);
    Relay to_high(high.door->address(), AF_INET);
    Relay to_low(low.door->address(), AF_INET);
    to_high.most[0] = 100;
    to_low.most[1] = 0;
    low.door->call(2, to_high.address);
    high.door->call(0, to_low.address);
    ASSERT_TRUE(await({&low, &high}, [&] {
        to_high.look();
        to_low.look();
        return !low.failed.empty() && !high.failed.empty();
    }));
    EXPECT_EQ(low.failed[0], (std::pair{2, Door::kNotAnswered}));
    EXPECT_EQ(high.failed[0], (std::pair{0, Door::kNotAnswered}));
    EXPECT_TRUE(low.joined.empty() && high.joined.empty());
    const std::string port = std::to_string(ntohs(service::port_of(to_high.address)));
    EXPECT_NE(low.door->tried(2).find(" calls of 127.0.0.1 port " + port + ", of which "),
              std::string::npos)
        << low.door->tried(2);
}

// A PE that serves others only when it calls may be computing for long.
TEST(PacketDoor, WaitsForWhoMayBeBusy) {
    Keeper busy(2);
    Keeper mine(0, 1, AF_INET, 100'000'000, true);
    mine.door->call(2, busy.door->address());
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    await({&mine}, [&] { return std::chrono::steady_clock::now() > until; });
    EXPECT_TRUE(mine.failed.empty());
    EXPECT_TRUE(await({&mine, &busy}, [&] { return !mine.joined.empty(); }));
    await({&mine, &busy}, [&] { return busy.door->guests() == 0; });
    EXPECT_EQ(busy.joined.size(), 1U);
    EXPECT_EQ(busy.refused, 0U);  // the calls that were given up meanwhile
}

TEST(PacketDoor, RefusesAnotherJobAndCallsNoStranger) {
    Keeper mine(0);
    Keeper other(2, 9);
    mine.door->call(2, other.door->address());
    ASSERT_TRUE(await({&mine, &other}, [&] { return !mine.failed.empty(); }));
    EXPECT_EQ(mine.failed[0], (std::pair{2, Door::kHungUp}));
    EXPECT_TRUE(mine.joined.empty() && other.joined.empty());
    EXPECT_GT(other.refused, 0U);
}

TEST(PacketDoor, CallsNoStrangerWhoAnswers) {
    Keeper mine(0);
    Keeper other(2);
    Relay liar(other.door->address(), AF_INET);
    liar.change = true;
    mine.door->call(2, liar.address);
    ASSERT_TRUE(await({&mine, &other}, [&] {
        liar.look();
        return !mine.failed.empty();
    }));
    EXPECT_EQ(mine.failed[0], (std::pair{2, Door::kNotProved}));
    EXPECT_TRUE(mine.joined.empty() && other.joined.empty());
}

TEST(PacketDoor, TellsWhereNobodyListens) {
    Keeper mine(0);
    sockaddr_storage nowhere{};
    {
        Keeper gone(2);
        nowhere = gone.door->address();
    }
    mine.door->call(2, nowhere);
    ASSERT_TRUE(await({&mine}, [&] { return !mine.failed.empty(); }));
    EXPECT_EQ(mine.failed[0], (std::pair{2, ECONNREFUSED}));
}

TEST(PacketDoor, RefusesGarbageAndCountsIt) {
    Keeper mine(0);
    for (unsigned count = 1; count <= 20; ++count) {
        Stream stranger = mine.connect_as_stranger();
        std::string garbage(kOpeningBytes, static_cast<char>(count));
        iovec piece{garbage.data(), garbage.size()};
        ASSERT_EQ(stranger.write(&piece, 1), static_cast<long>(kOpeningBytes));
        ASSERT_TRUE(await({&mine}, [&] { return mine.refused == count; }));
    }
    EXPECT_EQ(mine.door->guests(), 0U);
    EXPECT_TRUE(mine.joined.empty());
}

TEST(PacketDoor, RefusesWhatBreaksOff) {
    Keeper mine(0);
    for (unsigned count = 1; count < kOpeningBytes; ++count) {
        Stream stranger = mine.connect_as_stranger();
        std::string part(count, 'I');
        iovec piece{part.data(), part.size()};
        ASSERT_EQ(stranger.write(&piece, 1), static_cast<long>(count));
        stranger.close();
        ASSERT_TRUE(await({&mine}, [&] { return mine.refused == count; }));
    }
    // Who says nothing and goes has done nothing.
    mine.connect_as_stranger().close();
    ASSERT_TRUE(await({&mine}, [&] { return mine.door->guests() == 0; }));
    EXPECT_EQ(mine.silent, 0U);
}

// More than there is room for, who say nothing: the oldest has to go, and a PE gets in.
TEST(PacketDoor, HoldsNobodyUpForSilentCallers) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
    setrlimit(RLIMIT_NOFILE, &limit);
    Keeper mine(0);
    Keeper other(2);
    std::vector<Stream> strangers;
    constexpr unsigned kMany = 500;
    for (unsigned i = 0; i < kMany; ++i) {
        strangers.push_back(mine.connect_as_stranger());
        mine.look();
        ASSERT_LE(mine.door->guests(), Door::kMostCallers + kPes);
    }
    ASSERT_TRUE(await({&mine}, [&] { return mine.silent == kMany - Door::kMostCallers - kPes; }))
        << mine.silent;
    other.door->call(0, mine.door->address());
    ASSERT_TRUE(
        await({&mine, &other}, [&] { return !mine.joined.empty() && !other.joined.empty(); }));
    EXPECT_EQ(mine.joined[0].pe, 2);
    EXPECT_EQ(mine.refused, 0U);
}

// Of a test: it stands still but where it is moved on.
std::uint64_t test_time = 0;

// On a machine that many PEs share a turn may come after longer than a caller is heard for.
TEST(PacketDoor, CountsItsOwnTurnsAndNotThePausesBetweenThem) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    test_time = kSecond;
    Keeper mine(0, 1, AF_INET, kSecond, false, [] { return test_time; });
    Stream silent = mine.connect_as_stranger();
    ASSERT_TRUE(await({&mine}, [&] { return mine.door->guests() == 1; }));
    test_time += 60 * kSecond;
    mine.look();
    mine.look();
    EXPECT_EQ(mine.door->guests(), 1U);
    EXPECT_EQ(mine.silent, 0U);
    // But nobody is heard for ever.
    for (std::uint64_t turn = 0; turn < 60 && mine.silent == 0; ++turn) {
        test_time += Door::kLongestTurn;
        mine.look();
    }
    EXPECT_EQ(mine.silent, 1U);
    EXPECT_EQ(mine.door->guests(), 0U);
}

// It takes this PE for joined from then on, and would take the end of the connection for this
// one's.
TEST(PacketDoor, GivesUpNobodyWhoIsWelcome) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    test_time = kSecond;
    Keeper mine(2, 1, AF_INET, kSecond, false, [] { return test_time; });
    Keeper other(0);
    ASSERT_EQ(other.door->call(2, mine.door->address()), 0);
    ASSERT_TRUE(await({&mine, &other}, [&] { return !other.joined.empty(); }));
    ASSERT_TRUE(mine.joined.empty());  // thanked, and has had no turn since
    for (int turn = 0; turn < 200; ++turn) {
        test_time += Door::kLongestTurn;
        mine.door->see_to_time();
    }
    EXPECT_TRUE(await({&mine}, [&] { return !mine.joined.empty(); }));
}

// From a PE's own address, too, where another user may be: who is of the job is not pushed out.
TEST(PacketDoor, KeepsWhoHasATicket) {
    Keeper mine(0);
    mine.door->expect(loopback(AF_INET));
    const auto say = [](Stream& stream, const JobSecret& secret) {
        Join join = Join::call(Self{&secret, 1, 2, kPes, 1}, 0, {});
        iovec piece{const_cast<unsigned char*>(join.unsent()), join.unsent_bytes()};
        EXPECT_EQ(stream.write(&piece, 1), static_cast<long>(piece.iov_len));
    };
    Stream slow = mine.connect_as_stranger();
    say(slow, mine.secret);
    char reply[sizeof(Reply)];
    ASSERT_TRUE(await({&mine}, [&] {
        return recv(slow.descriptor(), reply, sizeof reply, MSG_DONTWAIT) == sizeof reply;
    }));
    std::vector<Stream> strangers;
    constexpr unsigned kMany = 300;
    for (unsigned i = 0; i < kMany; ++i) {
        strangers.push_back(mine.connect_as_stranger());
        if (i % 2 != 0) say(strangers.back(), JobSecret{});
        mine.look();
    }
    // All who have guessed, and of the silent ones those beyond the bound.
    ASSERT_TRUE(await({&mine}, [&] { return mine.refused == kMany / 2 && mine.silent != 0; }))
        << mine.refused << ' ' << mine.silent;
    char byte = 0;
    EXPECT_EQ(recv(slow.descriptor(), &byte, 1, MSG_DONTWAIT), -1);
    EXPECT_EQ(errno, EAGAIN);
}

// From where no PE is, so many come as will: who calls from a PE's address is not pushed out by
// them.
TEST(PacketDoor, KeepsWhoCallsFromAPesAddress) {
    Keeper mine(0);
    sockaddr_storage pes = loopback(AF_INET);
    reinterpret_cast<sockaddr_in&>(pes).sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    mine.door->expect(pes);
    const auto connect_from = [&](const sockaddr_storage& own) {
        const sockaddr_storage& at = mine.door->address();
        Stream stream(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(
            bind(stream.descriptor(), reinterpret_cast<const sockaddr*>(&own), length_of(own)), 0);
        EXPECT_EQ(
            ::connect(stream.descriptor(), reinterpret_cast<const sockaddr*>(&at), length_of(at)),
            0);
        return stream;
    };
    Stream slow = connect_from(pes);
    mine.look();
    std::vector<Stream> strangers;
    constexpr unsigned kMany = 300;
    for (unsigned i = 0; i < kMany; ++i) {
        strangers.push_back(mine.connect_as_stranger());
        mine.look();
    }
    ASSERT_TRUE(await({&mine}, [&] { return mine.silent != 0; }));
    char byte = 0;
    EXPECT_EQ(recv(slow.descriptor(), &byte, 1, MSG_DONTWAIT), -1);
    EXPECT_EQ(errno, EAGAIN);
}

// As a PE that calls and is not heard of again.
Stream call_with_ticket(const Keeper& whom, unsigned char nonce) {
    Join join = Join::call(Self{&whom.secret, 1, 2, kPes, 1}, 0, {nonce});
    Stream stream = whom.connect_as_stranger();
    iovec piece{const_cast<unsigned char*>(join.unsent()), join.unsent_bytes()};
    EXPECT_EQ(stream.write(&piece, 1), static_cast<long>(piece.iov_len));
    return stream;
}

// It has had its time, or there is no room for it. It has a ticket, and is no stranger.
TEST(PacketDoor, TakesNoSlowPeForAStranger) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    test_time = kSecond;
    Keeper mine(0, 1, AF_INET, kSecond, false, [] { return test_time; });
    Keeper expecting(0, 1, AF_INET, kSecond, false, [] { return test_time; });
    expecting.door->expect(loopback(AF_INET));
    const Stream slow = call_with_ticket(mine, 1);
    const Stream slower = expecting.connect_as_stranger();  // has not come to say anything
    ASSERT_TRUE(await({&mine, &expecting},
                      [&] { return mine.door->guests() == 1 && expecting.door->guests() == 1; }));
    char reply[sizeof(Reply)];
    ASSERT_TRUE(await(
        {&mine}, [&] { return recv(slow.descriptor(), reply, sizeof reply, MSG_DONTWAIT) > 0; }));
    for (int turn = 0; turn < 60; ++turn) {
        test_time += Door::kLongestTurn;
        mine.look();
        expecting.look();
    }
    EXPECT_EQ(mine.door->guests() + expecting.door->guests(), 0U);
    EXPECT_EQ(mine.refused + mine.silent + expecting.refused + expecting.silent, 0U);
}

// Of two PEs that call each other one hangs up, then, or when it comes to it. Later nobody of the
// job does so.
TEST(PacketDoor, CountsWhoClaimsToBeAPeThatHasJoined) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    test_time = kSecond;
    Keeper mine(0, 1, AF_INET, kSecond, false, [] { return test_time; });
    Keeper other(2);
    ASSERT_EQ(mine.door->call(2, other.door->address()), 0);
    ASSERT_TRUE(await({&mine, &other}, [&] { return !mine.joined.empty(); }));
    // As one that has been heard before.
    const auto claim = [&] {
        const Stream stranger = call_with_ticket(mine, 0);
        char proof[64];
        ASSERT_TRUE(await({&mine}, [&] {
            return recv(stranger.descriptor(), proof, sizeof proof, MSG_DONTWAIT) > 0;
        }));
    };
    const auto pass = [&](std::uint64_t seconds) {
        for (const std::uint64_t end = test_time + seconds * kSecond; test_time < end;) {
            test_time += Door::kLongestTurn;
            mine.look();
        }
    };
    pass(5);
    claim();
    ASSERT_TRUE(await({&mine}, [&] { return mine.door->guests() == 0; }));
    EXPECT_EQ(mine.refused, 0U);
    pass(6);
    claim();
    EXPECT_TRUE(await({&mine}, [&] { return mine.refused == 1; })) << mine.refused;
}

// No descriptor is left: those that are open stay so.
struct NoDescriptors {
    NoDescriptors() {
        getrlimit(RLIMIT_NOFILE, &before);
        const int lowest = dup(0);
        const rlimit none{static_cast<rlim_t>(lowest), before.rlim_max};
        ::close(lowest);
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    }
    ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before); }
    rlimit before{};
};

// Without a descriptor for them, callers are hung up on, and the port does not ring for ever.
TEST(PacketDoor, BearsTheWantOfDescriptors) {
    Keeper mine(0);
    Keeper other(2);
    std::vector<Stream> strangers;
    for (int i = 0; i < 8; ++i)
        strangers.push_back(mine.connect_as_stranger());
    {
        const NoDescriptors none;
        for (int turn = 0; turn < 8; ++turn)
            mine.look();
    }
    EXPECT_EQ(mine.silent, 8U);
    EXPECT_EQ(mine.door->guests(), 0U);
    epoll_event event;
    EXPECT_EQ(epoll_wait(mine.events, &event, 1, 0), 0);
    other.door->call(0, mine.door->address());
    EXPECT_TRUE(await({&mine, &other}, [&] { return !mine.joined.empty(); }));
}

// A PE that is hung up on for want of them calls again, and counts for nothing.
TEST(PacketDoor, TakesNoPeForAStrangerForWantOfDescriptors) {
    Keeper mine(0);
    mine.door->expect(mine.door->address());
    std::vector<Stream> callers;
    for (int i = 0; i < 8; ++i)
        callers.push_back(mine.connect_as_stranger());
    {
        const NoDescriptors none;
        for (int turn = 0; turn < 8; ++turn)
            mine.look();
    }
    EXPECT_EQ(mine.door->guests(), 0U);
    ASSERT_TRUE(await({&mine}, [&] {
        callers.push_back(mine.connect_as_stranger());
        return mine.door->guests() == 2;
    }));
    {
        const NoDescriptors none;
        EXPECT_EQ(mine.door->call(2, mine.door->address()), 0);
    }
    EXPECT_EQ(mine.refused + mine.silent, 0U);
}

// Those that strangers have taken are there for the PE's own calls.
TEST(PacketDoor, CallsByTheDescriptorOfAStranger) {
    Keeper mine(0);
    Keeper other(2);
    Stream stranger = mine.connect_as_stranger();
    ASSERT_TRUE(await({&mine}, [&] { return mine.door->guests() == 1; }));
    {
        const NoDescriptors none;
        EXPECT_EQ(mine.door->call(2, other.door->address()), 0);
        // Its own call is no stranger's, nor is there another one.
        EXPECT_EQ(mine.door->call(3, other.door->address()), -EMFILE);
    }
    EXPECT_TRUE(
        await({&mine, &other}, [&] { return !mine.joined.empty() && !other.joined.empty(); }));
    EXPECT_EQ(mine.silent, 1U);
}

// Who is welcome may have joined, and be sent what would be lost with the connection.
TEST(PacketDoor, HangsUpOnNobodyWhoIsWelcome) {
    Keeper mine(2);
    Keeper other(0);
    ASSERT_EQ(other.door->call(2, mine.door->address()), 0);
    ASSERT_TRUE(await({&mine, &other}, [&] { return !other.joined.empty(); }));
    ASSERT_TRUE(mine.joined.empty());
    ASSERT_EQ(mine.door->guests(), 1U);
    {
        Stream stranger = mine.connect_as_stranger();
        const NoDescriptors none;
        EXPECT_EQ(mine.door->call(3, other.door->address()), -EMFILE);
        mine.door->accept_all();
    }
    EXPECT_TRUE(await({&mine}, [&] { return !mine.joined.empty(); }));
    EXPECT_EQ(mine.silent, 1U) << "there was no room for the stranger";
}

TEST(PacketAddress, IsWhatTheSettingNames) {
    const auto made = [](const char* name, int family, const char* text, bool is_loopback) {
        Interface interface;
        interface.name = name;
        interface.is_loopback = is_loopback;
        interface.address.ss_family = static_cast<sa_family_t>(family);
        void* const to =
            family == AF_INET
                ? static_cast<void*>(&reinterpret_cast<sockaddr_in&>(interface.address).sin_addr)
                : &reinterpret_cast<sockaddr_in6&>(interface.address).sin6_addr;
        EXPECT_EQ(inet_pton(family, text, to), 1);
        return interface;
    };
    const std::vector<Interface> all{
        made("lo", AF_INET, "127.0.0.1", true), made("lo", AF_INET6, "::1", true),
        made("e0", AF_INET6, "fd00::7", false), made("e0", AF_INET, "10.1.2.3", false),
        made("e1", AF_INET, "192.168.9.1", false)};
    std::string why;
    const auto chosen = [&](const char* setting, bool leaves) -> std::string {
        const Interface* const found = choose_interface(all, setting, leaves, why);
        return found ? text_of(found->address) : "none";
    };
    EXPECT_EQ(chosen("", false), "127.0.0.1");
    EXPECT_EQ(chosen("", true), "10.1.2.3");
    EXPECT_EQ(chosen("192.168.9.1", true), "192.168.9.1");
    EXPECT_EQ(chosen("192.168.0.0/16", true), "192.168.9.1");
    EXPECT_EQ(chosen("10.1.2.0/25", false), "10.1.2.3");
    EXPECT_EQ(chosen("10.1.2.128/25", false), "none");
    EXPECT_EQ(chosen("fd00::/8", true), "fd00::7");
    EXPECT_EQ(chosen("::1", true), "::1");
    EXPECT_EQ(chosen("e1", true), "192.168.9.1");
    EXPECT_EQ(chosen("e0", true), "10.1.2.3");
    EXPECT_EQ(chosen("e0/6", true), "fd00::7");
    EXPECT_EQ(chosen("e0/5", true), "none");
    EXPECT_EQ(chosen("10.0.0.0/33", true), "none");
    EXPECT_EQ(chosen("10.0.0.0/x", true), "none");
    EXPECT_EQ(chosen("e2", true), "none");
    EXPECT_NE(why.find("which has 127.0.0.1 (lo), ::1 (lo), fd00::7 (e0)"), std::string::npos);
    const std::vector<Interface> alone{all[0]};
    EXPECT_EQ(choose_interface(alone, "", true, why), nullptr);
    EXPECT_NE(why.find("loop-back"), std::string::npos);
    EXPECT_EQ(choose_interface({}, "", false, why), nullptr);
}

}  // namespace
