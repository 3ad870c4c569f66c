// Handles, quiet of some PEs, and channels (transport.hpp), over roads with and without order.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "loop_job.hpp"
#include "packet/packet_road.hpp"
#include "several/crossed_roads.hpp"

using namespace isthmus::transport;
using isthmus::transport::test::CrossedRoads;
using isthmus::transport::test::DatagramRoad;
using isthmus::transport::test::LoopJob;
using isthmus::transport::test::LoopRoad;
using isthmus::transport::test::NamedRoad;
using isthmus::transport::test::open_road;
using isthmus::transport::test::OpenRoad;
using isthmus::transport::test::OrderedLoopRoad;
using isthmus::transport::test::PacketRoad;

namespace {

constexpr std::uint64_t kDelay = 300'000;  // nanoseconds
constexpr int kOpen = 1;                   // the PE that serves always
constexpr int kShut = 2;                   // and the one that serves when it is told to

Place word(std::uint64_t index) {
    return {kHeap, index * sizeof(std::uint64_t)};
}
std::uint64_t seen(LoopJob& job, int pe, std::uint64_t index) {
    // Acquire: partner is the service's thread of that PE.
    return __atomic_load_n(job.heap(pe) + index, __ATOMIC_ACQUIRE);
}
const Atomic kAddOne{AtomicKind::add, 8, 1, 0};

// Whether there is something that quiet must see to. Several roads do not know it from a number.
void expect_before_quiet(const Channel& channel, bool something) {
    const std::atomic<int>* const before = channel.before_quiet();
    if (!before) return;
    EXPECT_EQ(before->load() != 0, something);
}

// Three PEs of which PE 0 runs the program. kShut serves nobody until it is opened: who waits for
// it by mistake waits for ever, which the time limit of the test ends. So does who sends it more
// than some 10 messages: a socket takes no more.
struct ShutJob : LoopJob {
    explicit ShutJob(OpenRoad road) : LoopJob(3), opens(road) { serves_by_itself[kShut] = false; }
    void run_at_0(const std::function<void(Transport& road)>& program) {
        LoopJob::run(opens, 1, kDelay, [&](int me, Transport& road) {
            if (me == 0) {
                program(road);
                open();
                road.settle();
                over = true;
            }
            while (me == kShut && !over) {
                if (is_open) road.progress();
                sched_yield();
            }
        });
    }
    void open() { is_open = true; }
    void shut() { is_open = false; }
    const OpenRoad opens;
    std::atomic<bool> is_open{false};
    std::atomic<bool> over{false};
};

constexpr NamedRoad kRoads[] = {{"loop", open_road<LoopRoad>},
                                {"ordered", open_road<OrderedLoopRoad>},
                                {"crossed", open_road<CrossedRoads>},
                                {"packet", open_road<PacketRoad>},
                                {"datagrams", open_road<DatagramRoad>}};

struct Handles : testing::TestWithParam<NamedRoad> {};
INSTANTIATE_TEST_SUITE_P(Roads, Handles, testing::ValuesIn(kRoads),
                         testing::PrintToStringParamName());

TEST_P(Handles, OfNothingAreComplete) {
    LoopJob job(2);
    job.run(GetParam().open, 1, kDelay, [&](int, Transport& road) {
        Completion handle;
        EXPECT_TRUE(road.test(handle));
        EXPECT_TRUE(road.test(handle));
        road.begin_put(1, word(0), &job, 0, handle);
        EXPECT_TRUE(road.test(handle));
        road.await(handle);
    });
}

TEST_P(Handles, OfPutsAreCompleteWhenTheDataAreAtTheTarget) {
    for (const std::size_t bytes : {8u, 4096u, 60000u}) {
        LoopJob job(2);
        job.run(GetParam().open, 2, kDelay, [&](int me, Transport& road) {
            std::vector<std::uint64_t> data(bytes / 8);
            Completion handle;
            for (std::uint64_t turn = 1; turn <= 40 && me == 0; ++turn) {
                std::fill(data.begin(), data.end(), turn);
                road.begin_put(1, word(8), data.data(), bytes, handle);
                if (turn % 2 == 0)
                    road.await(handle);
                else
                    while (!road.test(handle))
                        sched_yield();
                EXPECT_EQ(seen(job, 1, 8), turn);
                EXPECT_EQ(seen(job, 1, 8 + data.size() - 1), turn) << bytes;
            }
        });
    }
}

TEST_P(Handles, OfGetsAreCompleteWhenTheDataAreHere) {
    LoopJob job(2);
    job.run(GetParam().open, 3, kDelay, [&](int me, Transport& road) {
        if (me != 0) return;
        std::vector<std::uint64_t> back(6000);
        for (std::uint64_t turn = 1; turn <= 20; ++turn) {
            for (std::size_t i = 0; i < back.size(); ++i)
                __atomic_store_n(job.heap(1) + i, turn + i, __ATOMIC_RELEASE);
            Completion handle;
            road.begin_get(1, back.data(), word(0), back.size() * 8, handle);
            road.await(handle);
            EXPECT_EQ(back.front(), turn);
            EXPECT_EQ(back.back(), turn + back.size() - 1);
        }
    });
}

// More than the road leaves under way: those that are begun wait for room alone.
TEST_P(Handles, AreMany) {
    constexpr std::size_t kMany = 700;
    LoopJob job(3);
    job.run(GetParam().open, 4, kDelay, [&](int me, Transport& road) {
        if (me != 0) return;
        std::vector<std::uint64_t> data(kMany);
        std::vector<std::uint64_t> back(kMany);
        std::deque<Completion> handles(2 * kMany);
        for (std::size_t i = 0; i < kMany; ++i) {
            data[i] = 5 * i + 1;
            job.heap(2)[i] = 7 * i + 1;
            road.begin_put(1, word(i), &data[i], 8, handles[i]);
            road.begin_get(2, &back[i], word(i), 8, handles[kMany + i]);
        }
        // Whichever is complete first.
        std::vector<bool> done(2 * kMany);
        for (std::size_t left = 2 * kMany; left != 0;) {
            for (std::size_t i = 0; i < 2 * kMany; ++i) {
                if (done[i] || !road.test(handles[i])) continue;
                done[i] = true;
                --left;
                if (i < kMany)
                    EXPECT_EQ(seen(job, 1, i), data[i]);
                else
                    EXPECT_EQ(back[i - kMany], 7 * (i - kMany) + 1);
            }
        }
    });
}

TEST_P(Handles, StandForOperationsOnSeveralPes) {
    LoopJob job(4);
    job.run(GetParam().open, 5, kDelay, [&](int me, Transport& road) {
        Completion handle;
        for (std::uint64_t turn = 1; turn <= 30 && me == 0; ++turn) {
            for (int to = 1; to < 4; ++to)
                road.begin_put(to, word(0), &turn, sizeof turn, handle);
            road.await(handle);
            for (int to = 1; to < 4; ++to)
                EXPECT_EQ(seen(job, to, 0), turn);
        }
    });
}

TEST_P(Handles, AreTestedWithoutWaiting) {
    ShutJob job(GetParam().open);
    job.run_at_0([&](Transport& road) {
        const std::uint64_t one = 1;
        std::uint64_t back = 0;
        Completion put;
        Completion get;
        Completion quiet;
        Completion one_pe;
        road.begin_put(kShut, word(0), &one, sizeof one, put);
        road.begin_get(kShut, &back, word(1), sizeof back, get);
        road.post_atomic(kShut, word(2), kAddOne);
        road.begin_quiet(Channel::kAll, quiet);
        road.begin_quiet(kShut, one_pe);
        for (int i = 0; i < 1000; ++i)
            EXPECT_FALSE(road.test(put) || road.test(get) || road.test(quiet) || road.test(one_pe));
        EXPECT_EQ(seen(job, kShut, 0), 0u);
        job.open();
        road.await(one_pe);
        EXPECT_EQ(seen(job, kShut, 0), 1u);
        EXPECT_EQ(seen(job, kShut, 2), 1u);
        EXPECT_TRUE(road.test(put));
        road.await(quiet);
        road.await(get);
    });
}

TEST_P(Handles, WaitForTheirOwnOperationsAlone) {
    ShutJob job(GetParam().open);
    std::uint64_t back = 0;  // written when the job is opened, behind the program
    job.run_at_0([&](Transport& road) {
        for (std::uint64_t turn = 1; turn <= 2; ++turn) {
            road.put(kShut, word(turn), &turn, sizeof turn);
            road.post_atomic(kShut, word(0), kAddOne);
            road.get_nbi(kShut, &back, word(9), sizeof back);
            Completion handle;
            road.begin_put(kOpen, word(turn), &turn, sizeof turn, handle);
            road.await(handle);
            EXPECT_EQ(seen(job, kOpen, turn), turn);
            road.put(kOpen, word(turn + 8), &turn, sizeof turn);
            road.begin_quiet(kOpen, handle);
            road.await(handle);
            EXPECT_EQ(seen(job, kOpen, turn + 8), turn);
        }
        EXPECT_EQ(seen(job, kShut, 1), 0u);
    });
}

TEST_P(Handles, OfQuietDoNotWaitForWhatComesLater) {
    ShutJob job(GetParam().open);
    job.run_at_0([&](Transport& road) {
        const std::uint64_t one = 1;
        std::vector<std::uint64_t> block(5000, 3);
        std::uint64_t back = 0;
        job.heap(kOpen)[9000] = 4;
        road.put(kOpen, word(0), &one, sizeof one);
        road.put_nbi(kOpen, word(10), block.data(), block.size() * 8);
        road.get_nbi(kOpen, &back, word(9000), sizeof back);
        road.post_atomic(kOpen, word(1), kAddOne);
        Completion handle;
        road.begin_quiet(Channel::kAll, handle);
        road.put(kShut, word(0), &one, sizeof one);
        road.post_atomic(kShut, word(1), kAddOne);
        road.await(handle);
        EXPECT_EQ(seen(job, kOpen, 0), 1u);
        EXPECT_EQ(seen(job, kOpen, 1), 1u);
        EXPECT_EQ(seen(job, kOpen, 10 + 4999), 3u);
        EXPECT_EQ(back, 4u);
    });
}

TEST_P(Handles, QuietOfSomePesWaitsForThese) {
    ShutJob job(GetParam().open);
    job.run_at_0([&](Transport& road) {
        const int pes[] = {kOpen, 0};
        for (std::uint64_t turn = 1; turn <= 20; ++turn) {
            if (turn < 4) road.put(kShut, word(1), &turn, sizeof turn);
            road.put(kOpen, word(1), &turn, sizeof turn);
            road.post_atomic(kOpen, word(2), kAddOne);
            road.quiet(pes, 2);
            EXPECT_EQ(seen(job, kOpen, 1), turn);
            EXPECT_EQ(seen(job, kOpen, 2), turn);
        }
        EXPECT_EQ(seen(job, kShut, 1), 0u);
        job.open();
        const int other[] = {kShut};
        road.quiet(other, 1);
        EXPECT_EQ(seen(job, kShut, 1), 3u);
    });
}

// Who begins a quiet takes the marks of what others have issued: their quiet waits nevertheless.
TEST_P(Handles, OfQuietHideNothingFromOtherThreads) {
    for (const bool by_atomic : {false, true}) {
        ShutJob job(GetParam().open);
        job.run_at_0([&](Transport& road) {
            const std::uint64_t one = 1;
            if (by_atomic)
                road.post_atomic(kShut, word(0), kAddOne);
            else
                road.put(kShut, word(0), &one, sizeof one);
            Completion handle;
            road.begin_quiet(Channel::kAll, handle);
            std::atomic<bool> is_quiet = false;
            std::thread other([&] {
                isthmus::transport::test::this_job = &job;
                by_atomic ? road.fence() : road.quiet();
                EXPECT_EQ(seen(job, kShut, 0), 1u);
                is_quiet = true;
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            EXPECT_FALSE(is_quiet);
            job.open();
            other.join();
            road.await(handle);
        });
    }
}

TEST_P(Handles, OfPutsAreSeenToByFenceAndQuiet) {
    LoopJob job(2);
    job.run(GetParam().open, 6, kDelay, [&](int me, Transport& road) {
        std::vector<std::uint64_t> data(5000);
        for (std::uint64_t turn = 1; turn <= 40 && me == 0; ++turn) {
            std::fill(data.begin(), data.end(), turn);
            Completion handle;
            road.begin_put(1, word(0), data.data(), data.size() * 8, handle);
            if (turn % 2 == 0) {
                road.quiet();
            } else {
                road.fence();
                road.put(1, word(6000), &turn, sizeof turn);
                while (seen(job, 1, 6000) != turn)
                    sched_yield();
            }
            EXPECT_EQ(seen(job, 1, 0), turn);
            EXPECT_EQ(seen(job, 1, 4999), turn);
            road.await(handle);
        }
    });
}

TEST_P(Handles, LeaveWhatIsUnderWayToQuiet) {
    ShutJob job(GetParam().open);
    std::uint64_t back = 0;  // written when the job is opened, behind the program
    job.run_at_0([&](Transport& road) {
        road.get_nbi(kShut, &back, word(0), sizeof back);
        const int pe = kOpen;
        road.quiet(&pe, 1);
        expect_before_quiet(road, true);
    });
}

// A link that takes nothing while it is told so.
struct FullLink : isthmus::transport::test::OrderedLink {
    using OrderedLink::OrderedLink;
    long send(int pe, Pieces pieces, Order order) {
        return is_full ? kFull : OrderedLink::send(pe, pieces, order);
    }
    static inline std::atomic<bool> is_full{false};
};

TEST(HandlesOverAFullLink, AskWhenThereIsRoom) {
    LoopJob job(2);
    job.run<service::Road<FullLink>>(1, kDelay, [&](int me, Transport& road) {
        for (std::uint64_t turn = 1; turn <= 20 && me == 0; ++turn) {
            Completion put;
            Completion quiet;
            road.begin_put(1, word(0), &turn, sizeof turn, put);
            road.post_atomic(1, word(1), kAddOne);
            FullLink::is_full = true;
            EXPECT_FALSE(road.test(put));
            road.begin_quiet(Channel::kAll, quiet);
            EXPECT_FALSE(road.test(quiet));
            FullLink::is_full = false;
            road.await(quiet);
            EXPECT_EQ(seen(job, 1, 0), turn);
            EXPECT_EQ(seen(job, 1, 1), turn);
            road.await(put);
        }
    });
}

// A link of which a test sends the latest answer once more.
struct RepeatingLink : isthmus::transport::test::OrderedLink {
    explicit RepeatingLink(const Services& services) : OrderedLink(services) {
        if (services.me == kShut) of_shut = this;
    }
    long send(int pe, Pieces pieces, Order order) {
        std::vector<char> whole;
        for (const Piece& piece : pieces)
            whole.insert(whole.end(), static_cast<const char*>(piece.bytes),
                         static_cast<const char*>(piece.bytes) + piece.count);
        service::Request request;
        std::memcpy(static_cast<void*>(&request), whole.data(), service::kShortRequest);
        if (this == of_shut && request.kind == service::RequestKind::answer) answer = whole;
        return OrderedLink::send(pe, pieces, order);
    }
    static inline RepeatingLink* of_shut = nullptr;
    static inline std::vector<char> answer;
};

TEST(HandlesOverARepeatingLink, TakeNoAnswerTwice) {
    ShutJob job(open_road<service::Road<RepeatingLink>>);
    job.run_at_0([&](Transport& road) {
        job.open();
        road.post_atomic(kShut, word(0), kAddOne);
        road.quiet();
        job.shut();
        road.post_atomic(kShut, word(0), kAddOne);
        Completion handle;
        road.begin_quiet(Channel::kAll, handle);
        RepeatingLink::of_shut->OrderedLink::send(
            0, {{RepeatingLink::answer.data(), RepeatingLink::answer.size()}}, Order::strict);
        while (road.refused() == 0 && !road.test(handle))
            sched_yield();
        EXPECT_FALSE(road.test(handle));
        job.open();
        road.await(handle);
        EXPECT_EQ(seen(job, kShut, 0), 2u);
    });
}

// A link of which at PE 0 a connection ends at each look, while some are left.
struct EndingLink : isthmus::transport::test::OrderedLink {
    explicit EndingLink(const Services& services)
        : OrderedLink(services), is_first(services.me == 0) {}
    template <typename Sink>
    bool poll(Sink& sink) {
        if (is_first && left > 0 && left-- > 0) sink.failed(1, ECONNRESET);
        return OrderedLink::poll(sink);
    }
    void say_end(int) {}
    const bool is_first;
    static inline int left = 0;
    static inline Transport* road = nullptr;
};

// Who looks for the reason why a connection has ended finds that others end, on the same stack.
TEST(RoadOverAnEndingLink, LooksForTheReasonOnce) {
    constexpr int kConnections = 64;
    const pid_t child = fork();
    if (child == 0) {
        LoopJob job(2);
        job.serves_by_itself[0] = false;
        job.gone = [](int, const char*) {
            static int depth = 0;
            ++depth;
            for (int looks = 0; looks <= kConnections; ++looks)
                EndingLink::road->progress();
            _exit(EndingLink::left == 0 ? depth : 100);
        };
        job.run<service::Road<EndingLink>>(1, 0, [](int me, Transport& road) {
            if (me != 0) return;
            EndingLink::road = &road;
            EndingLink::left = kConnections;
            road.progress();
        });
        _exit(101);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
}

// A link at which PE 0's thread stays, with what has come before it, until it is let go.
struct HeldLink : isthmus::transport::test::OrderedLink {
    explicit HeldLink(const Services& services)
        : OrderedLink(services), is_first(services.me == 0) {}
    template <typename Sink>
    bool poll(Sink& sink) {
        if (is_first && holds && std::this_thread::get_id() != program) {
            is_held = true;
            is_held.notify_all();
            holds.wait(true);
        }
        return OrderedLink::poll(sink);
    }
    const bool is_first;
    static inline std::thread::id program;
    static inline std::atomic<bool> holds{false};
    static inline std::atomic<bool> is_held{false};
};

// While another thread reads, who sleeps is not woken by what that one has not read yet; but by
// what it finds.
TEST(RoadThatIsRead, LetsTheProgramSleep) {
    using std::chrono::milliseconds;
    constexpr std::uint64_t kNap = 20'000'000;
    constexpr int kMost = 200'000;
    LoopJob job(2);
    job.run<service::Road<HeldLink>>(1, 0, [&](int me, Transport& road) {
        if (me == 0) {
            HeldLink::program = std::this_thread::get_id();
            HeldLink::holds = true;
        }
        job.meet();
        if (me == 1) {
            road.post_atomic(0, word(0), kAddOne);
            HeldLink::is_held.wait(false);
            road.post_atomic(0, word(0), kAddOne);
        }
        HeldLink::is_held.wait(false);
        job.meet();
        if (me != 0) return;
        const auto nap = [&](std::uint64_t length) {
            const auto began = std::chrono::steady_clock::now();
            EXPECT_TRUE(road.sleep(length));
            return std::chrono::steady_clock::now() - began;
        };
        int whole = 0;
        for (int naps = 0; naps < kMost && whole < 3; ++naps)
            whole = nap(kNap) >= milliseconds(20) ? whole + 1 : 0;
        EXPECT_EQ(whole, 3);
        std::thread other([] {
            std::this_thread::sleep_for(milliseconds(20));
            HeldLink::holds = false;
            HeldLink::holds.notify_all();
        });
        EXPECT_LT(nap(900'000'000), milliseconds(800));
        other.join();
        while (seen(job, 0, 0) != 2)
            road.sleep(kNap);
    });
}

// Two that read, with a pause between, are not one that reads for long: what has come wakes.
TEST(RoadThatIsRead, WakesWhoHasMetAnotherReaderLongAgo) {
    using std::chrono::milliseconds;
    constexpr std::uint64_t kLong = 900'000'000;
    LoopJob job(2);
    job.run<service::Road<HeldLink>>(1, 0, [&](int me, Transport& road) {
        for (std::uint64_t round = 1; round <= 2; ++round) {
            if (me == 0) {
                HeldLink::program = std::this_thread::get_id();
                HeldLink::is_held = false;
                HeldLink::holds = true;
            }
            job.meet();
            HeldLink::is_held.wait(false);
            if (me == 1) road.post_atomic(0, word(0), kAddOne);
            job.meet();
            if (me != 0) continue;
            const auto began = std::chrono::steady_clock::now();
            EXPECT_TRUE(road.sleep(kLong));
            EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(800)) << round;
            HeldLink::holds = false;
            HeldLink::holds.notify_all();
            // Without a sleep, which would find that nobody reads.
            while (seen(job, 0, 0) != round)
                std::this_thread::sleep_for(milliseconds(2));
        }
    });
}

struct Channels : testing::TestWithParam<NamedRoad> {};
INSTANTIATE_TEST_SUITE_P(Roads, Channels, testing::ValuesIn(kRoads),
                         testing::PrintToStringParamName());

TEST_P(Channels, AreQuietWithoutEachOther) {
    ShutJob job(GetParam().open);
    job.run_at_0([&](Transport& road) {
        std::uint64_t back = 0;
        const std::unique_ptr<Channel> shut = road.open_channel();
        const std::unique_ptr<Channel> open = road.open_channel();
        for (std::uint64_t turn = 1; turn <= 2; ++turn) {
            shut->put(kShut, word(turn), &turn, sizeof turn);
            shut->post_atomic(kShut, word(0), kAddOne);
            shut->get_nbi(kShut, &back, word(9), sizeof back);
            for (Channel* const channel : {open.get(), static_cast<Channel*>(&road)}) {
                channel->put(kOpen, word(turn), &turn, sizeof turn);
                channel->post_atomic(kOpen, word(0), kAddOne);
                channel->fence();
                channel->quiet();
                EXPECT_EQ(seen(job, kOpen, turn), turn);
            }
        }
        EXPECT_EQ(seen(job, kOpen, 0), 4u);
        Completion handle;
        shut->begin_quiet(Channel::kAll, handle);
        EXPECT_FALSE(shut->test(handle));
        expect_before_quiet(*shut, true);
        expect_before_quiet(road, false);
        job.open();
        shut->await(handle);
        EXPECT_EQ(seen(job, kShut, 0), 2u);
        expect_before_quiet(*shut, false);
    });
}

TEST_P(Channels, AreQuietWhenTheyAreClosed) {
    LoopJob job(2);
    job.run(GetParam().open, 7, kDelay, [&](int me, Transport& road) {
        for (std::uint64_t turn = 1; turn <= 40 && me == 0; ++turn) {
            std::unique_ptr<Channel> channel = road.open_channel();
            channel->put(1, word(0), &turn, sizeof turn);
            channel->post_atomic(1, word(1), kAddOne);
            channel.reset();
            EXPECT_EQ(seen(job, 1, 0), turn);
            EXPECT_EQ(seen(job, 1, 1), turn);
        }
    });
}

// What leaves a job has settled all of its channels.
TEST_P(Channels, AreSettledWithTheRoad) {
    LoopJob job(2);
    job.run(GetParam().open, 8, kDelay, [&](int me, Transport& road) {
        const std::unique_ptr<Channel> channel = road.open_channel();
        for (std::uint64_t turn = 1; turn <= 40 && me == 0; ++turn) {
            channel->put(1, word(0), &turn, sizeof turn);
            road.settle();
            EXPECT_EQ(seen(job, 1, 0), turn);
        }
    });
}

// As Loop.BehavesAsItsModel: each operation on a channel or with a handle of its own, ordered
// before the next one on the same word by what the contract has for it.
TEST_P(Channels, BehaveAsTheirModel) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        LoopJob job(3);
        job.run(GetParam().open, seed, kDelay, [&](int me, Transport& road) {
            constexpr std::uint64_t kWords = 8;
            std::mt19937_64 random(seed * 64 + static_cast<std::uint64_t>(me));
            const std::uint64_t base = 64 + static_cast<std::uint64_t>(me) * 2 * kWords;
            const std::unique_ptr<Channel> side = road.open_channel();
            Channel* const channels[] = {&road, side.get()};
            struct Word {
                std::uint64_t value = 0;
                std::uint64_t source = 0;
                Completion handle;
            };
            std::vector<std::uint64_t> model(3 * 2 * kWords);
            std::deque<Word> under_way(model.size());
            std::vector<bool> touched(model.size());
            std::vector<bool> has_handle(model.size());
            for (int step = 0; step < 500; ++step) {
                const int to = (me + 1 + static_cast<int>(random() % 2)) % 3;
                // Each channel has words of its own.
                const std::size_t which = random() % 2;
                Channel& channel = *channels[which];
                const std::uint64_t index = which * kWords + random() % kWords;
                const std::size_t at = static_cast<std::size_t>(to) * 2 * kWords + index;
                Word& slot = under_way[at];
                if (has_handle[at]) {
                    channel.await(slot.handle);
                    EXPECT_EQ(seen(job, to, base + index), model[at]);
                } else if (touched[at]) {
                    Completion quiet;
                    switch (random() % 4) {
                        case 0: channel.fence(); break;
                        case 1: channel.quiet(&to, 1); break;
                        case 2: channel.quiet(); break;
                        default:
                            channel.begin_quiet(random() % 2 ? to : Channel::kAll, quiet);
                            channel.await(quiet);
                    }
                }
                touched[at] = true;
                has_handle[at] = false;
                slot.source = random();
                switch (random() % 4) {
                    case 0:
                        channel.begin_put(to, word(base + index), &slot.source, 8, slot.handle);
                        model[at] = slot.source;
                        has_handle[at] = true;
                        break;
                    case 1:
                        channel.put(to, word(base + index), &slot.source, 8);
                        model[at] = slot.source;
                        break;
                    case 2:
                        channel.post_atomic(to, word(base + index),
                                            {AtomicKind::add, 8, slot.source, 0});
                        model[at] += slot.source;
                        break;
                    default:
                        channel.begin_get(to, &slot.value, word(base + index), 8, slot.handle);
                        channel.await(slot.handle);
                        EXPECT_EQ(slot.value, model[at]);
                }
            }
            side->quiet();
            road.quiet();
            for (std::size_t at = 0; at < under_way.size(); ++at)
                channels[at / kWords % 2]->await(under_way[at].handle);
            for (std::size_t at = 0; at < model.size(); ++at) {
                const int pe = static_cast<int>(at / (2 * kWords));
                if (pe == me) continue;
                EXPECT_EQ(seen(job, pe, base + at % (2 * kWords)), model[at]);
            }
        });
    }
}

}  // namespace
