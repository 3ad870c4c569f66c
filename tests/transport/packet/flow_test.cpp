// The state machine of datagrams beside a model: two of them over a way that loses, doubles,
// reorders and delays by chance, and what each side must know of the other in the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <vector>

#include "transport/packet/flow.hpp"

using namespace isthmus::transport::packet;
using isthmus::packet::Delivery;
using isthmus::packet::Verdict;

namespace {

struct Way {
    double loss = 0, twice = 0, late = 0;  // shares of datagrams
    Microseconds delay = 100, jitter = 20, lateness = 2000;
    Microseconds each = 1;  // that the way takes for one
};

struct Datagram {
    Microseconds arrives = 0;
    std::uint64_t order = 0;
    int to = 0;
    bool has_packets = false;
    Delivery delivery;
    bool operator>(const Datagram& other) const {
        return std::pair(arrives, order) > std::pair(other.arrives, other.order);
    }
};

// Two sides; each is to send so many datagrams.
class Model {
  public:
    Model(const Way& way, unsigned seed, unsigned count_a, unsigned count_b)
        : way_(way), random_(seed), left_{count_a, count_b} {}

    // False: it did not end within this time.
    bool run(Microseconds limit) {
        while (now_ < limit) {
            for (const int side : {0, 1})
                leave(side);
            if (is_done()) return true;
            step();
        }
        return false;
    }
    bool is_done() const {
        return left_[0] + left_[1] == 0 && sides_[0].is_acknowledged() &&
               sides_[1].is_acknowledged();
    }
    Microseconds now() const { return now_; }
    std::uint64_t sent() const { return sent_; }
    // What each side sends is an answer to what the other one has sent.
    void take_turns(unsigned trips) {
        left_[0] = 1;
        turns_ = trips;
    }
    const Flow& side(int number) const { return sides_[number]; }
    // By side: numbers in the order in which they were handed over.
    const std::vector<Flow::Number>& taken(int side) const { return taken_[side]; }

    // Asserted all the time.
    void check() const {
        for (const int side : {0, 1}) {
            const Flow& flow = sides_[side];
            const Flow& other = sides_[1 - side];
            // What a side takes for acknowledged has come, and no more is under way than a sack
            // reaches.
            ASSERT_LE(flow.first_unacknowledged(), other.expected());
            ASSERT_LE(other.expected(), flow.next());
            ASSERT_LE(flow.next() - flow.first_unacknowledged(), Flow::kWindow);
        }
    }

  private:
    void leave(int side) {
        Flow& flow = sides_[side];
        flow.pass_time(now_);
        while (const auto number = flow.lost()) {
            flow.repeat(*number, now_);
            put(side, *number, true);
        }
        while (left_[side] != 0 && flow.may_send()) {
            --left_[side];
            put(side, flow.send(now_), true);
        }
        if (flow.must_answer()) put(side, flow.next(), false);
    }
    void put(int side, Flow::Number number, bool has_packets) {
        Datagram datagram;
        datagram.to = 1 - side;
        datagram.has_packets = has_packets;
        datagram.delivery.number = static_cast<std::uint32_t>(number);
        sides_[side].say(datagram.delivery, now_);
        ++sent_;
        free_at_[side] = std::max(free_at_[side], now_) + way_.each;
        const auto chance = [this](double share) {
            return std::bernoulli_distribution(share)(random_);
        };
        const int copies = chance(way_.loss) ? 0 : chance(way_.twice) ? 2 : 1;
        for (int copy = 0; copy < copies; ++copy) {
            datagram.order = ++orders_;
            datagram.arrives = free_at_[side] + way_.delay + random_() % (way_.jitter + 1) +
                               (chance(way_.late) ? random_() % way_.lateness : 0);
            under_way_.push(datagram);
        }
    }
    void step() {
        Microseconds next = now_ + 1'000'000;
        for (const Flow& flow : sides_)
            next = std::min(next, std::max(flow.due(), now_ + 1));
        if (!under_way_.empty()) next = std::min(next, std::max(now_, under_way_.top().arrives));
        now_ = next;
        while (!under_way_.empty() && under_way_.top().arrives <= now_) {
            const Datagram datagram = under_way_.top();
            under_way_.pop();
            hear(datagram);
        }
    }
    void hear(const Datagram& datagram) {
        Flow& flow = sides_[datagram.to];
        const Flow::Number number = flow.whole(datagram.delivery.number);
        std::set<Flow::Number>& early = early_[datagram.to];
        std::vector<Flow::Number>& taken = taken_[datagram.to];
        const bool is_known = number < taken.size() || early.count(number) != 0;
        switch (flow.hear(datagram.delivery, datagram.has_packets, now_)) {
            case Flow::Arrival::early:
                EXPECT_FALSE(is_known) << number;
                early.insert(number);
                break;
            case Flow::Arrival::in_turn:
                EXPECT_EQ(number, taken.size());
                taken.push_back(number);
                if (turns_ != 0) {
                    --turns_;
                    ++left_[datagram.to];
                }
                for (; early.erase(taken.size()) != 0;)
                    taken.push_back(taken.size());
                break;
            case Flow::Arrival::nothing: EXPECT_FALSE(datagram.has_packets); break;
            case Flow::Arrival::refused: EXPECT_TRUE(!datagram.has_packets || is_known); break;
        }
        EXPECT_EQ(flow.expected(), taken.size());
        check();
    }

    const Way way_;
    std::mt19937 random_;
    unsigned left_[2];
    unsigned turns_ = 0;
    Flow sides_[2];
    std::set<Flow::Number> early_[2];
    std::vector<Flow::Number> taken_[2];
    std::priority_queue<Datagram, std::vector<Datagram>, std::greater<>> under_way_;
    Microseconds free_at_[2] = {};
    Microseconds now_ = 1'000'000;
    std::uint64_t orders_ = 0;
    std::uint64_t sent_ = 0;
};

TEST(PacketFlow, EverythingArrivesOnceWhateverTheWayDoes) {
    std::mt19937 random(2);
    for (unsigned seed = 0; seed < 300; ++seed) {
        Way way;
        const double most[] = {0, 0.01, 0.05, 0.2, 0.5};
        way.loss = most[random() % 5];
        way.twice = most[random() % 4];
        way.late = most[random() % 5];
        way.delay = 1 + random() % 20'000;
        way.jitter = random() % 300;
        way.lateness = 1 + random() % 20'000;
        way.each = random() % 50;
        const unsigned a = random() % 2000, b = random() % 4 == 0 ? random() % 2000 : 0;
        Model model(way, seed, a, b);
        ASSERT_TRUE(model.run(2'000'000'000)) << "seed " << seed << " loss " << way.loss;
        EXPECT_EQ(model.taken(1).size(), a);
        EXPECT_EQ(model.taken(0).size(), b);
        if (HasFatalFailure()) return;
    }
}

// Datagrams a second of one side, on a way like a local network's.
double goodput(double loss, unsigned seed) {
    Way way;
    way.loss = loss;
    way.each = 5;
    constexpr unsigned kCount = 20'000;
    Model model(way, seed, kCount, 0);
    EXPECT_TRUE(model.run(1'000'000'000));
    return kCount / static_cast<double>(model.now() - 1'000'000);
}

TEST(PacketFlow, LossCostsLittleMoreThanWhatIsLost) {
    const double whole = goodput(0, 1);
    EXPECT_GT(whole, 0.8 / 5);  // of what the way takes
    for (unsigned seed = 1; seed < 6; ++seed) {
        EXPECT_GT(goodput(0.01, seed), 0.8 * whole);
        EXPECT_GT(goodput(0.05, seed), 0.5 * whole);
        EXPECT_GT(goodput(0.2, seed), 0.1 * whole);
    }
}

// Where nothing follows that would show what is lost, time does; and what is lost several times by
// chance is not taken for a way that is cut.
TEST(PacketFlow, ALostWordCostsNoMoreThanSomeRoundTrips) {
    constexpr unsigned kTrips = 5000;
    const auto time = [](double loss) {
        Way way;
        way.loss = loss;
        way.delay = 1000;
        Model model(way, 1, 0, 0);
        model.take_turns(kTrips);
        EXPECT_TRUE(model.run(1'000'000'000));
        return static_cast<double>(model.now() - 1'000'000) / kTrips;
    };
    const double whole = time(0);
    EXPECT_LT(whole, 1100);
    EXPECT_LT(time(0.05), 1.4 * whole);
    EXPECT_LT(time(0.2), 2.2 * whole);
    EXPECT_LT(time(0.35), 5 * whole);
}

TEST(PacketFlow, NothingIsRepeatedThatIsNotLost) {
    for (const Microseconds delay : {50, 500, 20'000}) {
        Way way;
        way.delay = delay;
        way.jitter = 0;
        way.each = 5;
        Model model(way, 7, 5000, 0);
        ASSERT_TRUE(model.run(1'000'000'000));
        // An answer for each few datagrams, and no datagram twice.
        EXPECT_LT(model.sent(), 5000U + 5000U / 2) << delay;
    }
}

// A queue that grows shows in the round trips: no more is under way than twice what the way holds.
TEST(PacketFlow, AQueueIsNotFilled) {
    Way way;
    way.each = 1000;  // a slow one
    way.delay = 2000;
    Model model(way, 3, 3000, 0);
    ASSERT_TRUE(model.run(1'000'000'000));
    EXPECT_LT(model.side(0).round_trip(), 16'000U);
    EXPECT_LT(model.now() - 1'000'000, 3000U * 1000U * 11 / 10);
}

TEST(PacketFlow, ASilentPeerIsAskedLessAndLess) {
    Flow flow;
    flow.begin(200);
    Microseconds now = 1000;
    for (int i = 0; i < 10; ++i)
        flow.send(now);
    unsigned repeated = 0;
    for (; now < 10'000'000; now = std::max(flow.due(), now + 1)) {
        flow.pass_time(now);
        for (; const auto number = flow.lost(); ++repeated)
            flow.repeat(*number, now);
    }
    EXPECT_GT(repeated, 20U);
    EXPECT_LT(repeated, 150U);
    EXPECT_LT(flow.window(), 5);
}

// Where a machine has more PEs than processors most have no turn, and are asked in vain.
TEST(PacketFlow, ManyThatAnswerLateAreAskedNoMoreOftenThanFew) {
    const auto asked = [](unsigned others) {
        Flow flow;
        flow.begin(200);
        flow.wait_beside(others);
        Microseconds now = 1000;
        flow.send(now);
        unsigned repeated = 0;
        for (; now < 10'000'000; now = std::max(flow.due(), now + 1)) {
            flow.pass_time(now);
            for (; const auto number = flow.lost(); ++repeated)
                flow.repeat(*number, now);
        }
        return repeated;
    };
    const unsigned alone = asked(0);
    EXPECT_EQ(asked(16), alone);
    for (const unsigned many : {64U, 256U}) {
        EXPECT_LE(many * asked(many), 16 * alone) << many;
        EXPECT_GE(asked(many), 2U) << many;
    }
}

// ---- what only somebody says who is no PE, or is broken

struct Heard {
    Flow flow;
    Microseconds now = 5000;
    Heard() {
        for (int i = 0; i < 5; ++i)
            flow.send(now);
    }
    Flow::Arrival hear(std::uint32_t number, std::uint32_t expected, std::uint64_t sack = 0,
                       bool has_packets = true) {
        Delivery delivery;
        delivery.number = number;
        delivery.expected = expected;
        delivery.sack[0] = sack;
        delivery.sack_words = sack != 0 ? 1 : 0;
        return flow.hear(delivery, has_packets, ++now);
    }
};

TEST(PacketFlow, ForgedAcknowledgementsAreRefused) {
    Heard heard;
    EXPECT_EQ(heard.hear(0, 6), Flow::Arrival::refused);              // more than was sent
    EXPECT_EQ(heard.hear(0, 0, 1ULL << 40), Flow::Arrival::refused);  // likewise, in the sack
    EXPECT_EQ(heard.hear(0, 5, 1), Flow::Arrival::refused);
    EXPECT_EQ(heard.flow.first_unacknowledged(), 0U);
    EXPECT_EQ(heard.flow.expected(), 0U);
    EXPECT_EQ(heard.hear(0, 5), Flow::Arrival::in_turn);
    EXPECT_TRUE(heard.flow.is_acknowledged());
}

TEST(PacketFlow, AnOldEchoIsNoRoundTrip) {
    Flow flow;
    const auto acknowledge = [&flow](std::uint32_t expected, std::uint32_t echo, Microseconds now) {
        Delivery delivery;
        delivery.expected = expected;
        delivery.is_timed = true;
        delivery.sent = 1;
        delivery.echo = echo;
        flow.hear(delivery, false, now);
    };
    flow.send(1000);
    acknowledge(1, 1000, 1200);
    EXPECT_EQ(flow.round_trip(), 200U);
    flow.send(100'000);
    acknowledge(2, 1000, 100'200);  // what it answers was overtaken
    EXPECT_TRUE(flow.is_acknowledged());
    EXPECT_EQ(flow.round_trip(), 200U);
}

TEST(PacketFlow, WhatWasSeenIsNotTakenAgain) {
    Heard heard;
    EXPECT_EQ(heard.hear(0, 0), Flow::Arrival::in_turn);
    EXPECT_EQ(heard.hear(0, 0), Flow::Arrival::refused);
    EXPECT_TRUE(heard.flow.must_answer());  // the answer may have been lost
    EXPECT_EQ(heard.hear(3, 0), Flow::Arrival::early);
    EXPECT_EQ(heard.hear(3, 0), Flow::Arrival::refused);
    EXPECT_EQ(heard.hear(1, 0), Flow::Arrival::in_turn);
    EXPECT_EQ(heard.flow.expected(), 2U);
    EXPECT_EQ(heard.hear(2, 0), Flow::Arrival::in_turn);
    EXPECT_EQ(heard.flow.expected(), 4U);
}

TEST(PacketFlow, NumbersAreTakenAsFarAsASackReaches) {
    Heard heard;
    EXPECT_EQ(heard.hear(Flow::kWindow + 1, 0), Flow::Arrival::refused);
    EXPECT_EQ(heard.hear(Flow::kWindow, 0), Flow::Arrival::early);
    EXPECT_EQ(heard.hear(~std::uint32_t{0}, 0), Flow::Arrival::refused);  // before the first
}

TEST(PacketFlow, AnOvertakenAcknowledgementTakesNothingBack) {
    Heard heard;
    EXPECT_EQ(heard.hear(0, 4, 0, false), Flow::Arrival::nothing);
    EXPECT_EQ(heard.hear(0, 1, 1, false), Flow::Arrival::nothing);
    EXPECT_EQ(heard.flow.first_unacknowledged(), 4U);
}

TEST(PacketFlow, NumbersGoOnBehindTheirLowHalf) {
    Way way;
    way.loss = 0.1;
    way.delay = 10;
    way.jitter = 10;
    // The low half is all that is sent: what both make of it is the same across its end.
    Flow::Number whole = (Flow::Number{1} << 32) - 3;
    for (int step = 0; step < 6; ++step, ++whole)
        EXPECT_EQ(isthmus::packet::widen(static_cast<std::uint32_t>(whole), whole - 2), whole);
}

}  // namespace
