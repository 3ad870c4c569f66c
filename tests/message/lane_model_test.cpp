// Lanes (src/message/lanes.hpp) as a model: producers with a ring of one to three places and a lane
// or two, and one consumer, step by step at random. What a producer writes into a lane is seen
// late, as processors do it: when it drains, at a barrier, or before its next locked instruction.
// Everything is handled once, in the order of its producer; the ring always has room for notices; a
// lane is one producer's at a time. Models with one rule left out are not like that.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <random>
#include <vector>

#include "message/lane_word.hpp"

using namespace isthmus::messages;

namespace {

enum class Rules {
    all,
    producer_does_not_look_again,
    consumer_has_no_barrier,
    lane_is_over_while_consumer_tries,
    lane_is_read_before_its_announcement,
    leaving_is_not_waited_for
};

struct Item {
    enum class Kind { message, announced, left } kind;
    int producer;
    int number;
    std::size_t lane;
    std::uint64_t opening;
};

class Model {
  public:
    Model(unsigned seed, Rules rules) : random_(seed), rules_(rules) {
        places_ = 1 + draw(3);
        lane_places_ = 1 + draw(3);
        lanes_.resize(1 + static_cast<std::size_t>(draw(2)));
        producers_.resize(1 + static_cast<std::size_t>(draw(3)));
        for (Producer& producer : producers_) {
            producer.to_send = draw(25);
            left_ += producer.to_send;
        }
    }

    // Whether all has been handled, in order.
    bool run() {
        for (int step = 0; step < 20000 && right_ && left_ != 0; ++step) {
            const int mover = draw(2 * static_cast<int>(producers_.size()) + 2);
            const auto producer = static_cast<std::size_t>(mover / 2);
            if (producer == producers_.size())
                consume();
            else if (mover % 2 == 0)
                produce(producer);
            else
                drain(producers_[producer]);
        }
        return right_ && left_ == 0;
    }

  private:
    struct Lane {
        std::deque<Item> frames;  // that are seen
        int outstanding = 0;      // and others
        std::uint64_t word = 0;
        std::uint64_t opening = 0;  // of who had it last
        int owner = -1;
        bool is_looked_at = false;
    };
    enum class Next { check, write, look };
    struct Producer {
        int to_send = 0;
        int number = 0;
        bool has_lane = false;  // also when it is leaving
        bool is_leaving = false;
        std::size_t lane = 0;
        std::uint64_t opening = 0;
        Next next = Next::check;
        std::deque<Item> written;  // into its lane, not seen yet
        int handled = 0;
    };
    enum class Trying { no, said, fenced };

    int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

    void drain(Producer& producer) {
        if (producer.written.empty()) return;
        Lane& lane = lanes_[producer.lane];
        lane.frames.push_back(producer.written.front());
        producer.written.pop_front();
    }
    void drain_all(Producer& producer) {
        while (!producer.written.empty())
            drain(producer);
    }
    // A place is taken by a locked instruction.
    void to_ring(Producer& producer, const Item& item) {
        drain_all(producer);
        ring_.push_back(item);
        if (item.kind == Item::Kind::message) {
            ++messages_in_ring_;
        } else {
            ++notices_in_ring_;
            right_ &= notices_in_ring_ <= 3 * static_cast<int>(lanes_.size()) + 1;
        }
    }
    void announce(Producer& producer, std::size_t me) {
        to_ring(producer, {Item::Kind::announced, static_cast<int>(me), 0, producer.lane,
                           ++producer.opening});
    }

    void produce(std::size_t me) {
        Producer& producer = producers_[me];
        if (!producer.has_lane || producer.is_leaving) {
            if (draw(4) == 0 && open(producer, me)) return;
            if (producer.to_send == 0 || messages_in_ring_ >= places_) return;
            --producer.to_send;
            to_ring(producer, {Item::Kind::message, static_cast<int>(me), producer.number++, 0, 0});
            return;
        }
        Lane& lane = lanes_[producer.lane];
        switch (producer.next) {
            case Next::check:
                if (producer.to_send == 0) return;
                if (is_over(lane.word, producer.opening)) {
                    give_away(producer, lane);
                } else if (lane.outstanding < lane_places_) {
                    producer.next = Next::write;
                } else if (draw(3) == 0) {  // full for long
                    to_ring(producer, {Item::Kind::left, static_cast<int>(me), 0, producer.lane,
                                       producer.opening});
                    producer.is_leaving = true;
                }
                return;
            case Next::write:
                --producer.to_send;
                ++lane.outstanding;
                producer.written.push_back(
                    {Item::Kind::message, static_cast<int>(me), producer.number++, 0, 0});
                producer.next = Next::look;
                return;
            case Next::look:
                producer.next = Next::check;
                if (rules_ != Rules::producer_does_not_look_again &&
                    LaneWord::is_unseen(lane.word, producer.opening))
                    announce(producer, me);
                return;
        }
    }
    bool is_over(std::uint64_t word, std::uint64_t opening) const {
        return LaneWord::is_over(word, opening) ||
               (rules_ == Rules::lane_is_over_while_consumer_tries &&
                word == LaneWord::of(opening, LaneLook::trying));
    }
    bool open(Producer& producer, std::size_t me) {
        if (producer.is_leaving) {
            Lane& lane = lanes_[producer.lane];
            if (!is_over(lane.word, producer.opening)) return false;
            // Kept, or given to others, who may be faster.
            if (draw(2) == 0) {
                give_away(producer, lane);
                return true;
            }
        } else {
            std::size_t free = 0;
            while (free < lanes_.size() && lanes_[free].owner != -1)
                ++free;
            if (free == lanes_.size()) return false;
            producer.lane = free;
            lanes_[free].owner = static_cast<int>(me);
            producer.opening = lanes_[free].opening;
            right_ &= lanes_[free].outstanding == 0;
        }
        producer.has_lane = true;
        producer.is_leaving = false;
        producer.next = Next::check;
        announce(producer, me);
        return true;
    }
    void give_away(Producer& producer, Lane& lane) {
        drain_all(producer);
        lane.opening = producer.opening;
        lane.owner = -1;
        producer.has_lane = false;
        producer.is_leaving = false;
    }

    void handle(const Item& item) {
        Producer& producer = producers_[static_cast<std::size_t>(item.producer)];
        right_ &= item.number == producer.handled;
        ++producer.handled;
        --left_;
    }
    bool handle_frame(Lane& lane) {
        if (lane.frames.empty()) return false;
        handle(lane.frames.front());
        lane.frames.pop_front();
        --lane.outstanding;
        return true;
    }
    void look_away(Lane& lane, std::uint64_t opening) {
        lane.word = LaneWord::of(opening, LaneLook::away);
        lane.is_looked_at = false;
    }

    void consume() {
        if (trying_ != Trying::no) return go_on_trying();
        if (is_given_again_ || draw(2) == 0) return take_from_ring();
        Lane& lane = lanes_[static_cast<std::size_t>(draw(static_cast<int>(lanes_.size())))];
        if (!lane.is_looked_at && rules_ != Rules::lane_is_read_before_its_announcement) return;
        if (handle_frame(lane) || !lane.is_looked_at || draw(3) != 0) return;
        lane.word = LaneWord::of(LaneWord::opening(lane.word), LaneLook::trying);
        trying_lane_ = &lane;
        trying_ = Trying::said;
    }
    void go_on_trying() {
        Lane& lane = *trying_lane_;
        if (trying_ == Trying::said) {
            if (rules_ != Rules::consumer_has_no_barrier) {
                for (Producer& producer : producers_)
                    drain_all(producer);
            }
            trying_ = Trying::fenced;
            return;
        }
        trying_ = Trying::no;
        const std::uint64_t opening = LaneWord::opening(lane.word);
        if (lane.frames.empty())
            look_away(lane, opening);
        else
            lane.word = LaneWord::of(opening, LaneLook::there);
    }
    void take_from_ring() {
        if (ring_.empty()) return;
        const Item item = ring_.front();
        // A notice may be given twice, in a row.
        is_given_again_ = !is_given_again_ && item.kind != Item::Kind::message && draw(2) == 0;
        if (!is_given_again_) {
            ring_.pop_front();
            --(item.kind == Item::Kind::message ? messages_in_ring_ : notices_in_ring_);
        }
        if (item.kind == Item::Kind::message) return handle(item);
        Lane& lane = lanes_[item.lane];
        if (item.kind == Item::Kind::announced) {
            if (!LaneWord::is_news(lane.word, item.opening)) return;
            lane.word = LaneWord::of(item.opening, LaneLook::there);
            lane.is_looked_at = true;
        } else if (lane.word == LaneWord::of(item.opening, LaneLook::there)) {
            while (rules_ != Rules::leaving_is_not_waited_for && handle_frame(lane)) {
            }
            if (rules_ == Rules::leaving_is_not_waited_for && !lane.frames.empty()) return;
            look_away(lane, item.opening);
        }
    }

    std::mt19937 random_;
    Rules rules_;
    int places_ = 0;
    int lane_places_ = 0;
    std::vector<Lane> lanes_;
    std::vector<Producer> producers_;
    std::deque<Item> ring_;
    int messages_in_ring_ = 0;
    int notices_in_ring_ = 0;
    bool is_given_again_ = false;
    Trying trying_ = Trying::no;
    Lane* trying_lane_ = nullptr;
    int left_ = 0;
    bool right_ = true;
};

unsigned schedules() {
    const char* const text = std::getenv("ISTHMUS_MODEL_SCHEDULES");
    return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 20000;
}

int wrong_with(Rules rules) {
    int wrong = 0;
    for (unsigned seed = 1; seed <= 3000; ++seed)
        wrong += Model(seed, rules).run() ? 0 : 1;
    return wrong;
}

TEST(LaneModel, HandlesAllOfItInOrder) {
    for (unsigned seed = 1; seed <= schedules(); ++seed)
        ASSERT_TRUE(Model(seed, Rules::all).run()) << "schedule " << seed;
}

TEST(LaneModel, DoesNotWithoutARule) {
    EXPECT_GT(wrong_with(Rules::producer_does_not_look_again), 0);
    EXPECT_GT(wrong_with(Rules::consumer_has_no_barrier), 0);
    EXPECT_GT(wrong_with(Rules::lane_is_over_while_consumer_tries), 0);
    EXPECT_GT(wrong_with(Rules::lane_is_read_before_its_announcement), 0);
    EXPECT_GT(wrong_with(Rules::leaving_is_not_waited_for), 0);
}

}  // namespace
