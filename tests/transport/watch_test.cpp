// Who is lost and when, with a clock of the test's; and datagrams of this job and of others.
#include "transport/ofi/watch.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "transport/ofi/pulse.hpp"

namespace isthmus::transport::ofi {
namespace {

constexpr Milliseconds kPatience = 4000;
using Why = Watch::Why;

// Looks every 10 ms from `begin` to `end`; what was asked for and when, as in a job whose questions
// leave at once. Stops where the PE is lost.
struct Story {
    std::vector<Milliseconds> asked;
    std::vector<Milliseconds> beaten;
    Milliseconds lost = 0;
};
Story look_on(Watch& watch, Milliseconds begin, Milliseconds end, Why why) {
    Story story;
    for (Milliseconds now = begin; now < end; now += 10) {
        const Watch::Action action = watch.look(1, now, why);
        if (action.ask) {
            watch.asked(1, now);
            story.asked.push_back(now);
        }
        if (action.beat) story.beaten.push_back(now);
        if (action.lost) {
            story.lost = now;
            break;
        }
    }
    return story;
}

TEST(Watch, LosesASilentNeighbourWithinThePatience) {
    Watch watch(2, kPatience);
    const Story story = look_on(watch, 0, 60'000, Why::neighbour);
    EXPECT_EQ(story.asked, (std::vector<Milliseconds>{kPatience / 4}));
    EXPECT_GT(story.lost, kPatience);
    EXPECT_LE(story.lost, kPatience + 20);
    EXPECT_GT(story.beaten.size(), 5u);
}

TEST(Watch, AsksANeighbourNothingThatSendsAnyway) {
    Watch watch(2, kPatience);
    for (Milliseconds now = 0; now < 60'000; now += 500) {
        watch.heard(1, now);
        const Story story = look_on(watch, now, now + 500, Why::neighbour);
        EXPECT_TRUE(story.asked.empty() && story.lost == 0) << now;
    }
}

TEST(Watch, LosesNobodyThatAnswersOnlyByDatagrams) {
    Watch watch(2, kPatience);
    for (Milliseconds now = 0; now < 60'000; now += kPatience / 2) {
        const Story story = look_on(watch, now, now + kPatience / 2, Why::neighbour);
        EXPECT_EQ(story.lost, 0u) << now;
        watch.heard(1, now + kPatience / 2);
    }
}

TEST(Watch, DoubtsTheRoadToOneThatAnswersOnlyByDatagrams) {
    Watch watch(2, kPatience);
    std::vector<Milliseconds> doubts;
    Milliseconds asked = 0;
    for (Milliseconds now = 0; now < 4 * kPatience; now += 10) {
        watch.heard(1, now);
        const Watch::Action action = watch.look(1, now, Why::waiting);
        if (action.ask) watch.asked(1, asked = now);
        if (action.doubt) doubts.push_back(now);
    }
    ASSERT_EQ(doubts.size(), 4u);  // every half of the patience, from twice the patience on
    EXPECT_GT(doubts[0], asked + 2 * kPatience);
    EXPECT_LE(doubts[0], asked + 2 * kPatience + 20);
    EXPECT_FALSE(watch.is_long(kPatience / 2));
    EXPECT_TRUE(watch.is_long(kPatience / 2 + 1));
    watch.answered(1, 1);
    EXPECT_FALSE(watch.look(1, 4 * kPatience + 10, Why::waiting).doubt);
}

TEST(Watch, AsksAtOnceForOneThatWaitsAndHandsOutTheAnswer) {
    Watch watch(2, kPatience);
    EXPECT_EQ(look_on(watch, 0, 200, Why::waiting).asked, (std::vector<Milliseconds>{0}));
    EXPECT_EQ(watch.state(1), 0u);
    watch.heard(1, 200);
    watch.answered(1, 42);
    EXPECT_EQ(watch.state(1), 42u);
    EXPECT_EQ(look_on(watch, 200, 400, Why::waiting).asked, (std::vector<Milliseconds>{250}));
    watch.answered(0, 7);  // an answer that nobody has asked for
    EXPECT_EQ(watch.state(0), 0u);
}

TEST(Watch, BlamesNobodyForATimeInWhichItDidNotLook) {
    Watch watch(2, kPatience);
    look_on(watch, 0, 100, Why::waiting);  // asks; no answer is seen
    const Story story = look_on(watch, 100'000, 102'000, Why::waiting);
    EXPECT_EQ(story.lost, 0u);
}

TEST(Watch, LosesNobodyWithoutPatience) {
    Watch watch(2, 0);
    EXPECT_EQ(look_on(watch, 0, 600'000, Why::waiting).lost, 0u);
}

TEST(Pulse, TakesBeatsOfItsJobAndCountsOthers) {
    sockaddr_in loop{};
    loop.sin_family = AF_INET;
    loop.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Pulse pulse(1234, 0, 2);
    Pulse peer(1234, 1, 2);
    Pulse stranger(4321, 1, 2);
    for (Pulse* each : {&pulse, &peer, &stranger}) {
        each->open(&loop, sizeof loop);
        ASSERT_NE(each->port(), 0);
    }
    peer.send(&loop, sizeof loop, pulse.port(), true);
    peer.send(&loop, sizeof loop, pulse.port(), false);
    stranger.send(&loop, sizeof loop, pulse.port(), true);
    const int file = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in to = loop;
    to.sin_port = pulse.port();
    const char noise[40] = {};
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{3}, sizeof(Beat), sizeof noise})
        ASSERT_EQ(sendto(file, noise, bytes, 0, reinterpret_cast<sockaddr*>(&to), sizeof to),
                  static_cast<ssize_t>(bytes));
    close(file);
    std::vector<std::pair<int, bool>> heard;
    unsigned refused = 0;
    pollfd ready{pulse.descriptor(), POLLIN, 0};
    while (heard.size() + refused < 7 && poll(&ready, 1, 5000) == 1)
        refused += pulse.receive([&](int pe, bool question) { heard.emplace_back(pe, question); });
    EXPECT_EQ(heard, (std::vector<std::pair<int, bool>>{{1, true}, {1, false}}));
    EXPECT_EQ(refused, 5u);
}

TEST(Pulse, IsSilentOnNetworksThatAreNotIp) {
    const char address[] = "fi_shm://1234";
    Pulse pulse(1, 0, 1);
    pulse.open(address, sizeof address);
    EXPECT_EQ(pulse.port(), 0);
    pulse.send(address, sizeof address, 1, true);
    EXPECT_EQ(pulse.receive([](int, bool) {}), 0u);
}

}  // namespace
}  // namespace isthmus::transport::ofi
