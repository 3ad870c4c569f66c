// Who is lost and when, with a clock of the test's; and datagrams of this job and of others.
#include "transport/service/watch.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "transport/service/pulse.hpp"

namespace isthmus::transport::service {
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

// Whoever waits for it asks all the time, so that a question for a report finds none due of its
// own.
TEST(Watch, AsksForAReportWithTheNextQuestion) {
    Watch watch(2, kPatience);
    EXPECT_EQ(look_on(watch, 0, 10, Why::waiting).asked.size(), 1u);
    watch.answered(1, 7);
    EXPECT_FALSE(watch.look(1, 20, Why::report).ask);
    std::vector<bool> reports;
    for (Milliseconds now = 30; now < 1000; now += 10) {
        const Watch::Action action = watch.look(1, now, Why::waiting);
        if (!action.ask) continue;
        reports.push_back(action.report);
        watch.asked(1, now);
        watch.answered(1, 7);
    }
    EXPECT_EQ(reports, (std::vector<bool>{true, false, false}));
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

// The question's answer never comes, beats do; `carried` says what the connections have carried by
// then. Returns when there is no hope.
template <typename Carried>
Milliseconds give_up(Watch& watch, Milliseconds end, Carried carried) {
    std::vector<Milliseconds> asked;
    for (Milliseconds now = 0; now < end; now += 10) {
        watch.heard(1, now);
        const Watch::Action action = watch.look(1, now, Why::neighbour);
        if (now < kPatience) continue;
        if (now == kPatience) watch.asked(1, now);
        if (action.ask) watch.asked(1, now);
        if (action.ask) asked.push_back(now);
        if (action.doubt && watch.is_hopeless(1, now, carried(now))) {
            EXPECT_GE(asked.size(), 3u) << "the question may have been lost";
            return now;
        }
    }
    return 0;
}

TEST(Watch, GivesUpOneThatAnswersNoRequestAndWhoseConnectionsAreStill) {
    Watch watch(2, kPatience);
    // Only what questions make.
    const Milliseconds when = give_up(watch, 60'000, [](Milliseconds now) { return now / 10; });
    EXPECT_GT(when, 5 * kPatience);  // asked at 1
    EXPECT_LE(when, 5 * kPatience + kPatience / 2 + 50);
}

TEST(Watch, HopesAsLongAsAnythingMoves) {
    Watch watch(2, kPatience);
    // 64 kbit/s.
    EXPECT_EQ(give_up(watch, 120'000, [](Milliseconds now) { return 8u * now; }), 0u);
    // Closed and made anew.
    Watch other(2, kPatience);
    EXPECT_EQ(give_up(other, 120'000,
                      [](Milliseconds now) { return (now / 5000) % 2 == 0 ? 100'000u : 0u; }),
              0u);
}

TEST(Watch, HopesAnewBehindAnAnswerAndBehindAPauseOfItsOwn) {
    Watch watch(2, kPatience);
    EXPECT_GT(give_up(watch, 60'000, [](Milliseconds) { return 0u; }), 0u);
    watch.answered(1, 0);
    watch.asked(1, 60'000);
    EXPECT_FALSE(watch.is_hopeless(1, 60'010, 0));
    // Stopped for long.
    watch.look(1, 200'000, Why::neighbour);
    const Watch::Action action = watch.look(1, 200'010, Why::neighbour);
    EXPECT_FALSE(action.doubt);
    EXPECT_FALSE(watch.is_hopeless(1, 200'020, 0));
}

TEST(Watch, IsPutOffOnceByWhatMayHaveBeenKeptBack) {
    Watch watch(2, kPatience);
    watch.heard(1, 10'000);
    Milliseconds lost = 0;
    for (Milliseconds now = 10'000; now < 60'000 && lost == 0; now += 10) {
        watch.hinted(1, now);
        const Watch::Action action = watch.look(1, now, Why::waiting);
        if (action.ask) watch.asked(1, now);
        if (action.lost) lost = now;
    }
    EXPECT_GT(lost, 10'000 + 2 * kPatience);
    EXPECT_LE(lost, 10'000 + 2 * kPatience + 20);
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
    JobSecret secret{1};
    Pulse pulse(secret, 0, 0, 2);
    Pulse peer(secret, 0, 1, 2);
    Pulse stranger(JobSecret{2}, 0, 1, 2);
    for (Pulse* each : {&pulse, &peer, &stranger}) {
        each->open(&loop, sizeof loop);
        ASSERT_NE(each->port(), 0);
    }
    peer.send(0, &loop, sizeof loop, pulse.port(), 0);
    pulse.send(1, &loop, sizeof loop, peer.port(), 0);
    pollfd asked{peer.descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&asked, 1, 5000), 1);
    ASSERT_EQ(peer.receive([&](int, const Beat& beat) {
        peer.send(0, &loop, sizeof loop, pulse.port(), answer_to(beat.number));
    }),
              0u);
    stranger.send(0, &loop, sizeof loop, pulse.port(), 0);
    const int file = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in to = loop;
    to.sin_port = pulse.port();
    const char noise[40] = {};
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{3}, sizeof(Beat), sizeof noise})
        ASSERT_EQ(sendto(file, noise, bytes, 0, reinterpret_cast<sockaddr*>(&to), sizeof to),
                  static_cast<ssize_t>(bytes));
    close(file);
    struct Heard {
        int pe;
        bool question;
        bool operator==(const Heard&) const = default;
    };
    std::vector<Heard> heard;
    unsigned refused = 0;
    pollfd ready{pulse.descriptor(), POLLIN, 0};
    while (heard.size() + refused < 7 && poll(&ready, 1, 5000) == 1)
        refused += pulse.receive([&](int pe, const Beat& beat) {
            heard.push_back({pe, beat.answers == 0});
        });
    EXPECT_EQ(heard, (std::vector<Heard>{{1, true}, {1, false}}));
    EXPECT_EQ(refused, 5u);
}

// Whoever keeps back what a PE has sent, and hands it over when that PE has long gone.
TEST(Pulse, TakesNoAnswerToAnOldQuestion) {
    sockaddr_in loop{};
    loop.sin_family = AF_INET;
    loop.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Pulse pulse(JobSecret{1}, 0, 0, 2);
    Pulse peer(JobSecret{1}, 0, 1, 2);
    for (Pulse* each : {&pulse, &peer}) {
        each->open(&loop, sizeof loop);
        ASSERT_NE(each->port(), 0);
    }
    constexpr std::uint64_t kAsked = 20;
    for (std::uint64_t i = 0; i < kAsked; ++i)
        pulse.send(1, &loop, sizeof loop, peer.port(), 0);
    for (std::uint64_t question = 0; question <= kAsked + 1; ++question)
        peer.send(0, &loop, sizeof loop, pulse.port(), answer_to(question));
    std::vector<std::uint32_t> heard;
    unsigned refused = 0;
    pollfd ready{pulse.descriptor(), POLLIN, 0};
    while (poll(&ready, 1, 200) == 1)
        refused +=
            pulse.receive([&](int, const Beat& beat) { heard.push_back(beat.answers & 0xff); });
    std::vector<std::uint32_t> expected;  // of the last sixteen
    for (std::uint32_t question = 5; question <= kAsked; ++question)
        expected.push_back(question);
    EXPECT_EQ(heard, expected);
    EXPECT_EQ(refused, 0u);
}

TEST(Pulse, AnswersBeforeItKnowsWhereOthersAre) {
    sockaddr_in loop{};
    loop.sin_family = AF_INET;
    loop.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Pulse pulse(JobSecret{1}, 0, 0, 2);
    Pulse peer(JobSecret{1}, 0, 1, 2);
    Pulse stranger(JobSecret{2}, 0, 0, 2);
    for (Pulse* each : {&pulse, &peer, &stranger}) {
        each->open(&loop, sizeof loop);
        ASSERT_NE(each->port(), 0);
    }
    FirstAnswers answers(peer);
    stranger.send(1, &loop, sizeof loop, peer.port(), 0);
    pulse.send(1, &loop, sizeof loop, peer.port(), 0);
    pollfd ready{pulse.descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&ready, 1, 5000), 1);
    int from = -1;
    EXPECT_EQ(pulse.receive([&](int pe, const Beat& beat) {
        EXPECT_NE(beat.answers, 0u);
        from = pe;
    }),
              0u);
    EXPECT_EQ(from, 1);
    EXPECT_EQ(answers.end(), 1u);
}

TEST(Missing, IsOverdueWhereTheFirstOfAGapHasNotComeForLong) {
    Missing missing;
    const auto at = [&](std::uint64_t whole, std::uint64_t next, Milliseconds now,
                        bool held = false) {
        return missing.is_overdue(whole, next, held, now, kPatience);
    };
    EXPECT_FALSE(at(5, 6, 0));
    EXPECT_FALSE(at(5, 6, 60'000));
    EXPECT_FALSE(at(5, 8, 60'010));
    EXPECT_FALSE(at(5, 9, 60'010 + kPatience));
    EXPECT_TRUE(at(5, 10, 60'011 + kPatience));
    EXPECT_FALSE(at(6, 12, 60'012 + kPatience)) << "it has come";
    EXPECT_FALSE(at(6, 12, 60'012 + 2 * kPatience));
    EXPECT_FALSE(at(6, 12, 60'013 + 2 * kPatience, true)) << "its sender has it still";
    EXPECT_FALSE(at(6, 12, 60'013 + 3 * kPatience));
    EXPECT_FALSE(at(6, 12, 60'013 + 4 * kPatience)) << "the time begins when it has left";
    EXPECT_TRUE(at(6, 12, 60'014 + 4 * kPatience));
    EXPECT_FALSE(missing.is_overdue(6, 12, false, 200'000, 0));
}

TEST(Pulse, IsSilentOnNetworksThatAreNotIp) {
    const char address[] = "fi_shm://1234";
    Pulse pulse(JobSecret{1}, 0, 0, 1);
    pulse.open(address, sizeof address);
    EXPECT_EQ(pulse.port(), 0);
    pulse.send(0, address, sizeof address, 1, 0);
    EXPECT_EQ(pulse.receive([](int, const Beat&) {}), 0u);
}

}  // namespace
}  // namespace isthmus::transport::service
