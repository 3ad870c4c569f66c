// The contract (transport.hpp) over a road that keeps back and reorders whatever it may, and over
// packets.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "loop_job.hpp"
#include "packet/packet_road.hpp"

using namespace isthmus::transport;
using isthmus::transport::test::DatagramRoad;
using isthmus::transport::test::LoopJob;
using isthmus::transport::test::LoopRoad;
using isthmus::transport::test::NamedRoad;
using isthmus::transport::test::open_road;
using isthmus::transport::test::PacketRoad;

namespace {

constexpr std::uint64_t kDelay = 300'000;  // nanoseconds

Place word(std::uint64_t index) {
    return {kHeap, index * sizeof(std::uint64_t)};
}
std::uint64_t seen(LoopJob& job, int pe, std::uint64_t index) {
    // Acquire: partner is the service's thread of that PE.
    return __atomic_load_n(job.heap(pe) + index, __ATOMIC_ACQUIRE);
}

TEST(LoopDelays, KeepsTheOrderOfStrictMessagesAlone) {
    loop::Delays delays(1, 2, 1000);
    std::uint64_t strict = 0;
    std::uint64_t last = 0;
    int overtaken = 0;
    for (std::uint64_t now = 0; now < 10000; now += 10) {
        const std::uint64_t due = delays.due(1, Order::strict, now);
        EXPECT_GE(due, strict);
        strict = due;
        const std::uint64_t loose = delays.due(1, Order::loose, now);
        overtaken += loose < last ? 1 : 0;
        last = loose;
        EXPECT_GE(loose, now);
    }
    EXPECT_GT(overtaken, 100);
}

TEST(LoopDelays, AreDrawnBySeed) {
    const auto draw = [](std::uint64_t seed) {
        loop::Delays delays(seed, 1, 1'000'000);
        std::vector<std::uint64_t> drawn;
        for (int i = 0; i < 50; ++i)
            drawn.push_back(delays.due(0, Order::loose, 0));
        return drawn;
    };
    EXPECT_EQ(draw(3), draw(3));
    EXPECT_NE(draw(3), draw(4));
}

// Everybody can read the name of the socket, and what is kept until it is due is kept in memory.
TEST(LoopLink, DropsWhatOtherUsersSend) {
    if (geteuid() != 0) GTEST_SKIP() << "root alone can be another user";
    Services services;
    services.pes = 2;
    loop::Link link(services);
    struct Name {
        std::uint32_t length;
        sockaddr_un address;
    } name{};
    ASSERT_EQ(link.card_bytes(), sizeof name);
    link.write_card(reinterpret_cast<char*>(&name));
    const auto sends = [&](uid_t user) {
        const pid_t child = fork();
        if (child == 0) {
            const std::uint64_t message[4] = {1};  // from PE 1
            const int made = socket(AF_UNIX, SOCK_DGRAM, 0);
            const bool is_sent =
                setresuid(user, user, user) == 0 &&
                sendto(made, message, sizeof message, 0, reinterpret_cast<sockaddr*>(&name.address),
                       name.length) == sizeof message;
            _exit(is_sent ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    };
    struct Sink {
        int messages = 0;
        void begin() {}
        void message(const char*, std::size_t) { ++messages; }
    } sink;
    sends(65534);
    sends(geteuid());
    link.poll(sink);
    EXPECT_EQ(sink.messages, 1);
}

// Without a fence puts overtake each other: else the tests that run over this road show nothing.
// What stays in a word that all of them write tells it: no observer has to be awake at the time.
TEST(Loop, ReordersPutsWithoutAFence) {
    constexpr std::uint64_t kPuts = 16;
    // More than the time between two puts on a busy machine.
    constexpr std::uint64_t kLong = 3'000'000;
    LoopJob job(2);
    int overtaken = 0;
    job.run(1, kLong, [&](int me, Transport& road) {
        for (int turn = 0; turn < 20 && me == 0; ++turn) {
            for (std::uint64_t put = 1; put <= kPuts; ++put)
                road.put(1, word(0), &put, sizeof put);
            road.quiet();
            overtaken += seen(job, 1, 0) == kPuts ? 0 : 1;
        }
    });
    EXPECT_GT(overtaken, 5);
}

// What holds on every road.
constexpr NamedRoad kRoads[] = {{"loop", open_road<LoopRoad>},
                                {"packet", open_road<PacketRoad>},
                                {"datagrams", open_road<DatagramRoad>}};

struct Contract : testing::TestWithParam<NamedRoad> {};
INSTANTIATE_TEST_SUITE_P(Roads, Contract, testing::ValuesIn(kRoads),
                         testing::PrintToStringParamName());

TEST_P(Contract, QuietMeansThatEverythingHasArrived) {
    LoopJob job(3);
    job.run(GetParam().open, 2, kDelay, [&](int me, Transport& road) {
        for (std::uint64_t turn = 1; turn <= 100; ++turn) {
            const int to = (me + 1 + static_cast<int>(turn % 2)) % 3;
            const auto mine = static_cast<std::uint64_t>(me);
            road.put(to, word(mine), &turn, sizeof turn);
            road.post_atomic(to, word(8 + mine), {AtomicKind::add, 8, 1, 0});
            road.quiet();
            EXPECT_EQ(seen(job, to, mine), turn);
            EXPECT_EQ(seen(job, to, 8 + mine), (turn + (turn % 2)) / 2);
        }
    });
}

// More than a network takes while nobody looks at its other end. Nothing else is sent that would
// see to the rest.
TEST_P(Contract, WhatWaitsForRoomGoesOn) {
    constexpr std::size_t kWords = LoopJob::kHeapBytes / sizeof(std::uint64_t);
    LoopJob job(2);
    job.serves_by_itself[1] = false;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_done{false};
    job.run(GetParam().open, 5, kDelay, [&](int me, Transport& road) {
        if (me == 1) {
            while (seen(job, 1, 0) == 0)
                road.progress();
            // Some roads wait for room where an operation begins.
            for (int turn = 0; turn < 20 && !has_begun.load(); ++turn)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            while (!is_done.load())
                road.progress();
            return;
        }
        std::vector<std::uint64_t> data(kWords, 3);
        road.put(1, word(0), data.data(), sizeof(std::uint64_t));
        road.quiet();
        std::deque<Completion> handles(12);
        for (Completion& handle : handles)
            road.begin_put(1, word(0), data.data(), kWords * sizeof(std::uint64_t), handle);
        has_begun.store(true);
        for (Completion& handle : handles)
            road.await(handle);
        EXPECT_EQ(seen(job, 1, kWords - 1), 3U);
        is_done.store(true);
    });
}

TEST_P(Contract, FenceOrdersWhatComesBehindIt) {
    LoopJob job(2);
    job.run(GetParam().open, 3, kDelay, [&](int me, Transport& road) {
        for (std::uint64_t turn = 1; turn <= 100 && me == 0; ++turn) {
            road.put(1, word(0), &turn, sizeof turn);
            road.post_atomic(1, word(1), {AtomicKind::set, 8, turn, 0});
            road.fence();
            road.put(1, word(2), &turn, sizeof turn);
            while (seen(job, 1, 2) != turn)
                sched_yield();
            EXPECT_EQ(seen(job, 1, 0), turn);
            EXPECT_EQ(seen(job, 1, 1), turn);
        }
    });
}

TEST_P(Contract, SignalsComeBehindTheirData) {
    for (const std::size_t bytes : {8u, 2048u, 2056u, 40000u}) {
        LoopJob job(2);
        job.run(GetParam().open, 4, kDelay, [&](int me, Transport& road) {
            std::vector<std::uint64_t> data(bytes / 8);
            for (std::uint64_t turn = 1; turn <= 30 && me == 0; ++turn) {
                std::fill(data.begin(), data.end(), turn);
                road.put_signal(1, word(8), data.data(), bytes, word(0),
                                {AtomicKind::set, 8, turn, 0});
                while (seen(job, 1, 0) != turn)
                    sched_yield();
                EXPECT_EQ(seen(job, 1, 8), turn);
                EXPECT_EQ(seen(job, 1, 8 + data.size() - 1), turn) << bytes;
            }
        });
    }
}

TEST_P(Contract, AnswersComeToWhoAsked) {
    LoopJob job(3);
    job.run(GetParam().open, 5, kDelay, [&](int me, Transport& road) {
        for (std::uint64_t turn = 0; turn < 50; ++turn) {
            const std::uint64_t question = turn * 3 + static_cast<std::uint64_t>(me);
            std::uint64_t answer = 0;
            const int to = (me + 1) % 3;
            EXPECT_EQ(road.ask(to, 7, &question, sizeof question, &answer, sizeof answer), 8u);
            EXPECT_EQ(answer, question);
        }
    });
}

// Ordering against a model: random operations of one PE on words of another. Between two fences
// the operations on different words may come in any order, so after each fence, and with each get
// and each fetching atomic behind a fence, the words are what the model says.
TEST_P(Contract, BehavesAsItsModel) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        LoopJob job(3);
        job.run(GetParam().open, seed, kDelay, [&](int me, Transport& road) {
            constexpr std::uint64_t kWords = 16;
            std::mt19937_64 random(seed * 64 + static_cast<std::uint64_t>(me));
            const std::uint64_t base = 64 + static_cast<std::uint64_t>(me) * kWords;
            std::vector<std::uint64_t> model(3 * kWords);
            std::vector<bool> touched(3 * kWords);
            for (int step = 0; step < 600; ++step) {
                const int to = (me + 1 + static_cast<int>(random() % 2)) % 3;
                const std::uint64_t index = random() % kWords;
                const std::size_t at = static_cast<std::size_t>(to) * kWords + index;
                const std::uint64_t value = random();
                if (touched[at] || random() % 8 == 0) {
                    // One operation on a word between two fences.
                    if (random() % 2 == 0)
                        road.fence();
                    else
                        road.quiet();
                    std::fill(touched.begin(), touched.end(), false);
                }
                touched[at] = true;
                std::uint64_t got = 0;
                switch (random() % 6) {
                    case 0:
                        road.put(to, word(base + index), &value, sizeof value);
                        model[at] = value;
                        break;
                    case 1:
                        road.post_atomic(to, word(base + index), {AtomicKind::add, 8, value, 0});
                        model[at] += value;
                        break;
                    case 2:
                        EXPECT_EQ(road.fetch_atomic(to, word(base + index),
                                                    {AtomicKind::swap, 8, value, 0}),
                                  model[at]);
                        model[at] = value;
                        break;
                    case 3:
                        road.get(to, &got, word(base + index), sizeof got);
                        EXPECT_EQ(got, model[at]);
                        break;
                    case 4:
                        road.put_signal(to, word(512 + base + index), &value, sizeof value,
                                        word(base + index), {AtomicKind::set, 8, value, 0});
                        model[at] = value;
                        break;
                    default:
                        road.get_nbi(to, &got, word(base + index), sizeof got);
                        road.quiet();
                        std::fill(touched.begin(), touched.end(), false);
                        EXPECT_EQ(got, model[at]);
                }
            }
            road.quiet();
            for (std::size_t at = 0; at < model.size(); ++at) {
                const int pe = static_cast<int>(at / kWords);
                if (pe == me) continue;
                EXPECT_EQ(seen(job, pe, base + at % kWords), model[at]);
            }
        });
    }
}

TEST_P(Contract, CarriesLongBlocksBothWays) {
    LoopJob job(2);
    job.run(GetParam().open, 6, kDelay, [&](int me, Transport& road) {
        if (me != 0) return;
        std::vector<std::uint64_t> data(50001);
        std::iota(data.begin(), data.end(), 5u);
        road.put(1, word(3), data.data(), data.size() * 8);
        road.fence();
        std::vector<std::uint64_t> back(data.size());
        road.get(1, back.data(), word(3), back.size() * 8);
        EXPECT_EQ(back, data);
        std::fill(back.begin(), back.end(), 0u);
        road.get_nbi(1, back.data(), word(3), back.size() * 8);
        road.quiet();
        EXPECT_EQ(back, data);
        std::fill(data.begin(), data.end(), 9u);
        road.put_nbi(1, word(3), data.data(), data.size() * 8);
        road.quiet();
        EXPECT_EQ(seen(job, 1, 3), 9u);
        EXPECT_EQ(seen(job, 1, 3 + 50000), 9u);
        EXPECT_EQ(seen(job, 1, 3 + 50001), 0u);
    });
}

// A link that notes how the messages begin that it is given.
template <bool does_prove>
struct NotingLink : isthmus::transport::test::OrderedLink {
    using OrderedLink::OrderedLink;
    static bool proves(const Services&) { return does_prove; }
    long send(int pe, Pieces pieces, Order order) {
        service::Seal seal;
        EXPECT_GE(pieces.begin()->count, service::kSealBytes);
        std::memcpy(static_cast<void*>(&seal), pieces.begin()->bytes, service::kSealBytes);
        ++((seal.tag[0] | seal.tag[1]) == 0 ? bare : hashed);
        EXPECT_NE(seal.number, 0U);
        return OrderedLink::send(pe, pieces, order);
    }
    static inline std::atomic<int> hashed{0};
    static inline std::atomic<int> bare{0};
};

template <bool does_prove>
void ask_and_answer() {
    using Link = NotingLink<does_prove>;
    LoopJob job(2);
    job.run<service::Road<Link>>(1, kDelay, [&](int me, Transport& road) {
        std::uint64_t back = 0;
        for (std::uint64_t turn = 0; turn < 20; ++turn) {
            back = road.fetch_atomic(1 - me, word(0), {AtomicKind::add, 8, 1, 0});
            EXPECT_EQ(back, turn);
        }
        road.put(1 - me, word(1), &back, sizeof back);
        road.quiet();
        road.get(1 - me, &back, word(1), sizeof back);
    });
    // Its questions and their answers.
    EXPECT_GE(does_prove ? Link::bare : Link::hashed, 80);
    EXPECT_EQ(does_prove ? Link::hashed : Link::bare, 0);
}

TEST(RoadsHash, WhatALinkDoesNotProveItself) {
    ask_and_answer<false>();
    ask_and_answer<true>();
}

}  // namespace
