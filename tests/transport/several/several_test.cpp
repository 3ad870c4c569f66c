// Several roads as one (transport/several). handles_test.cpp runs over them as well.
#include "transport/several/several.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "several/crossed_roads.hpp"

using namespace isthmus::transport;
using isthmus::transport::test::CrossedRoads;
using isthmus::transport::test::LoopJob;

namespace {

constexpr std::uint64_t kDelay = 300'000;  // nanoseconds
const Atomic kAddOne{AtomicKind::add, 8, 1, 0};

Place word(std::uint64_t index) {
    return {kHeap, index * sizeof(std::uint64_t)};
}
std::uint64_t seen(LoopJob& job, int pe, std::uint64_t index) {
    // Acquire: partner is the service's thread of that PE.
    return __atomic_load_n(job.heap(pe) + index, __ATOMIC_ACQUIRE);
}

TEST(Several, SayWhereEachLeads) {
    LoopJob job(4);
    job.run<CrossedRoads>(1, kDelay, [&](int, Transport& road) {
        const std::string text = road.describe();
        EXPECT_EQ(text.find("to PE 0,2: "), 0u) << text;
        EXPECT_NE(text.find("; to PE 1,3: "), std::string::npos) << text;
        EXPECT_EQ(road.refused(), 0u);
    });
}

// What everyone does to everyone, and what each order and each wait promises of it.
TEST(Several, KeepWhatEachOperationPromises) {
    constexpr std::uint64_t kTurns = 25;
    LoopJob job(4);
    job.run<CrossedRoads>(2, kDelay, [&](int me, Transport& road) {
        const auto own = static_cast<std::uint64_t>(me);
        const std::unique_ptr<Channel> side = road.open_channel();
        std::vector<std::uint64_t> block(4000);
        for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
            Channel& on = turn % 2 == 0 ? *side : road;
            std::fill(block.begin(), block.end(), turn);
            for (int to = 0; to < 4; ++to) {
                if (to == me) continue;
                on.put(to, word(own), &turn, sizeof turn);
                on.put_nbi(to, word(100 + 4000 * own), block.data(), block.size() * 8);
                on.post_atomic(to, word(20 + own), kAddOne);
            }
            on.quiet();
            std::uint64_t back = 0;
            for (int to = 0; to < 4; ++to) {
                if (to == me) continue;
                EXPECT_EQ(seen(job, to, own), turn);
                EXPECT_EQ(seen(job, to, 20 + own), turn);
                EXPECT_EQ(seen(job, to, 100 + 4000 * own + 3999), turn);
                on.get(to, &back, word(own), sizeof back);
                EXPECT_EQ(back, turn);
                EXPECT_EQ(on.fetch_atomic(to, word(30 + own), kAddOne), turn - 1);
                on.put_signal(to, word(40 + own), &turn, sizeof turn, word(50 + own),
                              {AtomicKind::set, 8, turn, 0});
                on.fence();
                on.put(to, word(60 + own), &turn, sizeof turn);
            }
            for (int to = 0; to < 4; ++to) {
                if (to == me) continue;
                while (seen(job, to, 60 + own) != turn)
                    sched_yield();
                EXPECT_EQ(seen(job, to, 50 + own), turn);
                EXPECT_EQ(seen(job, to, 40 + own), turn);
            }
        }
    });
}

// PE 1 is reached by the second road, which keeps no order, and serves nobody until it is opened:
// what waits for the first road alone returns before.
void expect_to_wait(const std::function<void(Transport& road)>& issue,
                    const std::function<void(Transport& road)>& wait) {
    LoopJob job(2);
    job.serves_by_itself[1] = false;
    std::atomic<bool> is_open{false};
    std::atomic<bool> over{false};
    job.run<test::Crossed<test::OrderedLoopRoad, test::LoopRoad>>(
        7, kDelay, [&](int me, Transport& road) {
            while (me == 1 && !over) {
                if (is_open) road.progress();
                sched_yield();
            }
            if (me == 1) return;
            issue(road);
            std::atomic<bool> has_waited{false};
            std::thread other([&] {
                test::this_job = &job;
                wait(road);
                EXPECT_EQ(seen(job, 1, 0), 1u);
                has_waited = true;
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            EXPECT_FALSE(has_waited);
            is_open = true;
            other.join();
            road.settle();
            over = true;
        });
}

TEST(Several, WaitForTheLastRoadToo) {
    static const std::uint64_t one = 1;
    const auto put = [](Transport& road) { road.put(1, word(0), &one, sizeof one); };
    const auto tell = [](Transport& road) {
        road.tell(1, word(0), nullptr, 0, word(0), {AtomicKind::set, 8, 1, 0});
    };
    expect_to_wait(put, [](Transport& road) { road.quiet(); });
    expect_to_wait(put, [](Transport& road) { road.fence(); });
    expect_to_wait(put, [](Transport& road) { road.order_puts(); });
    expect_to_wait(tell, [](Transport& road) { road.settle(); });
    const std::vector<int> pes(130, 1);  // more than are looked at together
    expect_to_wait(put, [&](Transport& road) { road.quiet(pes.data(), pes.size()); });
    expect_to_wait(put, [&](Transport& road) { road.quiet(pes.data(), 1); });
    expect_to_wait(put, [](Transport& road) {
        Completion handle;
        road.begin_quiet(Channel::kAll, handle);
        road.await(handle);
    });
}

// The first operation of the handle is the other road's. Where the road keeps order the end of a
// put does not show that it has arrived: each road asks for its own.
TEST(Several, CompleteAHandleOnEachOfItsRoads) {
    LoopJob job(3);
    job.serves_by_itself[1] = false;
    std::atomic<bool> is_open{false};
    std::atomic<bool> over{false};
    job.run<CrossedRoads>(8, kDelay, [&](int me, Transport& road) {
        while (me == 1 && !over) {
            if (is_open) road.progress();
            sched_yield();
        }
        if (me != 0) return;
        const std::uint64_t one = 1;
        Completion handle;
        road.begin_put(2, word(0), &one, sizeof one, handle);
        road.begin_put(1, word(0), &one, sizeof one, handle);
        const auto began = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(30))
            EXPECT_FALSE(road.test(handle));
        EXPECT_EQ(seen(job, 2, 0), 1u);
        is_open = true;
        road.await(handle);
        EXPECT_EQ(seen(job, 1, 0), 1u);
        road.settle();
        over = true;
    });
}

TEST(Several, AskAndRequestThePeItself) {
    LoopJob job(3);
    job.run<CrossedRoads>(3, kDelay, [&](int me, Transport& road) {
        for (std::uint64_t turn = 1; turn <= 20; ++turn) {
            for (int to = 0; to < 3; ++to) {
                if (to == me) continue;
                const std::uint64_t question = 100 * turn + static_cast<std::uint64_t>(to);
                std::uint64_t answer = 0;
                EXPECT_EQ(road.ask(to, 7, &question, sizeof question, &answer, sizeof answer),
                          sizeof answer);
                EXPECT_EQ(answer, question);
            }
        }
    });
}

TEST(Several, SettleWhatIsTold) {
    LoopJob job(3);
    job.run<CrossedRoads>(4, kDelay, [&](int me, Transport& road) {
        for (std::uint64_t turn = 1; turn <= 20 && me == 0; ++turn) {
            for (int to = 1; to < 3; ++to)
                road.tell(to, word(1), &turn, sizeof turn, word(2), {AtomicKind::set, 8, turn, 0});
            road.settle();
            for (int to = 1; to < 3; ++to) {
                EXPECT_EQ(seen(job, to, 1), turn);
                EXPECT_EQ(seen(job, to, 2), turn);
            }
        }
    });
}

// The short operations find the road by themselves.
TEST(Several, LayTheShortCallsReady) {
    LoopJob job(3);
    job.run<CrossedRoads>(5, kDelay, [&](int me, Transport& road) {
        if (me != 0) return;
        const ShortCalls calls = road.short_calls();
        ASSERT_TRUE(calls.get && calls.fetch);
        EXPECT_EQ(calls.put, nullptr);  // neither road has one
        for (int to = 1; to < 3; ++to) {
            const auto there = static_cast<std::uint64_t>(to);
            job.heap(to)[4] = 10 * there;
            std::uint64_t back = 0;
            calls.get(calls.self, &back, to, 32, sizeof back);
            EXPECT_EQ(back, 10 * there);
            EXPECT_EQ(calls.fetch(calls.self, 3, to, 32, atomic_code(AtomicKind::add, 8), 0),
                      10 * there);
            EXPECT_EQ(seen(job, to, 4), 10 * there + 3);
            EXPECT_EQ(calls.fetch(calls.self, 77, to, 32, atomic_code(AtomicKind::compare_swap, 8),
                                  10 * there + 3),
                      10 * there + 3);
            EXPECT_EQ(seen(job, to, 4), 77u);
        }
    });
}

// Who sleeps wakes for what comes on any road, whoever serves it.
TEST(Several, WakeForEachRoad) {
    for (const bool by_itself : {false, true}) {
        LoopJob job(3);
        job.serves_by_itself[0] = by_itself;
        std::atomic<int> slept{0};
        std::chrono::steady_clock::duration longest{};
        job.run<CrossedRoads>(6, 1000, [&](int me, Transport& road) {
            if (me != 0) return;
            for (std::uint64_t turn = 1; turn <= 20; ++turn) {
                // The answer comes on the road of the PE that is asked.
                const int to = turn % 2 == 0 ? 2 : 1;
                std::uint64_t back = 0;
                job.heap(to)[0] = turn;
                Completion get;
                road.begin_get(to, &back, word(0), sizeof back, get);
                const auto began = std::chrono::steady_clock::now();
                while (!road.test(get))
                    slept += road.sleep(900'000'000) ? 1 : 0;
                longest = std::max(longest, std::chrono::steady_clock::now() - began);
                EXPECT_EQ(back, turn);
            }
        });
        EXPECT_GT(slept, 0);
        EXPECT_LT(longest, std::chrono::milliseconds(800));
    }
}

}  // namespace
