// The rules that keep messages from deadlock and loss (docs/messages.md), as a model: PEs with
// rings of one to three places, credit of one to three messages, and programs that send at random.
// Random schedules are walked until all is handled; at each point nothing is above its bound, and
// somebody can move. Models with one rule left out do get stuck, or the model shows nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "message/credit.hpp"

using namespace isthmus::messages;

namespace {

enum class Rules { all, sender_polls_replies_only, handler_does_not_poll, credit_is_not_told };

struct Request {
    int from;
    bool wants_reply;
    std::uint64_t cost;
};
struct Wire {
    bool is_message;
    bool is_reply;
    Request request;
    std::uint64_t credit;
};

class Model {
  public:
    Model(unsigned seed, Rules rules) : random_(seed), rules_(rules) {
        pes_ = 2 + draw(4);
        places_ = 1 + draw(3);
        credit_ = (1 + static_cast<std::uint64_t>(draw(3))) * kLeastCost;
        const int hosts = 1 + draw(2);
        largest_ = (1 + static_cast<std::uint64_t>(draw(2))) * kLeastCost;
        for (int pe = 0; pe < pes_; ++pe)
            host_.push_back(hosts == 1 ? 0 : draw(2));
        pe_.resize(static_cast<std::size_t>(pes_));
        net_.resize(static_cast<std::size_t>(pes_ * pes_));
        for (Pe& pe : pe_) {
            pe.taken.assign(static_cast<std::size_t>(pes_), CreditTaken(credit_));
            pe.owed.assign(static_cast<std::size_t>(pes_), CreditOwed(credit_, largest_));
            pe.lying.assign(static_cast<std::size_t>(pes_), 0);
            const int sends = draw(30);
            for (int i = 0; i < sends; ++i)
                pe.to_send.push_back(draw(pes_));
            sent_ += static_cast<int>(pe.to_send.size());
        }
    }

    // False: stuck before all was handled.
    bool run() {
        int idle = 0;
        while (!is_finished()) {
            // At random; and when that has led to nothing for long, each in turn.
            const int movers = pes_ + pes_ * pes_;
            bool moved = false;
            if (idle < 20) {
                moved = move(draw(movers));
            } else {
                for (int mover = 0; mover < movers && !moved; ++mover)
                    moved = move(mover);
                if (!moved) return false;
            }
            idle = moved ? 0 : idle + 1;
        }
        return true;
    }
    bool is_finished() const { return handled_ == sent_ && answered_ == asked_; }
    bool is_bounded() const { return bounded_; }

  private:
    struct Pe {
        std::deque<int> to_send;
        std::deque<Request> requests;      // ring
        std::deque<Request> far_requests;  // store
        std::deque<int> replies;
        std::deque<int> far_replies;
        std::optional<Request> running;  // its handler
        bool is_far = false;             // that one
        std::optional<Request> next;     // to send
        int target = 0;
        std::vector<CreditTaken> taken;
        std::vector<CreditOwed> owed;
        std::vector<std::uint64_t> lying;
    };

    int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    Pe& at(int pe) { return pe_[static_cast<std::size_t>(pe)]; }
    bool is_near(int a, int b) const {
        return host_[static_cast<std::size_t>(a)] == host_[static_cast<std::size_t>(b)];
    }
    std::deque<Wire>& net(int from, int to) {
        return net_[static_cast<std::size_t>(from * pes_ + to)];
    }

    bool move(int mover) {
        if (mover < pes_) return step(mover);
        return carry((mover - pes_) / pes_, (mover - pes_) % pes_);
    }

    // The network brings one thing; who serves it only lays it down.
    bool carry(int from, int to) {
        auto& between = net(from, to);
        if (between.empty()) return false;
        const Wire wire = between.front();
        between.pop_front();
        Pe& pe = at(to);
        const auto of = static_cast<std::size_t>(from);
        pe.taken[of].give_back(wire.credit);
        if (!wire.is_message) return true;
        if (wire.is_reply) {
            pe.far_replies.push_back(from);
            return true;
        }
        pe.far_requests.push_back(wire.request);
        pe.lying[of] += wire.request.cost;
        bounded_ &= pe.lying[of] <= std::max(credit_, largest_);
        return true;
    }

    bool step(int me) {
        Pe& pe = at(me);
        if (pe.running) return answer(me);
        if (!pe.next && !pe.to_send.empty()) {
            pe.target = pe.to_send.front();
            pe.to_send.pop_front();
            const std::uint64_t cost = draw(2) != 0 ? kLeastCost : largest_;
            pe.next = Request{me, draw(2) != 0, cost};
            asked_ += pe.next->wants_reply ? 1 : 0;
        }
        if (pe.next && send(me)) return true;
        if (take_reply(pe)) return true;
        if (pe.next && rules_ == Rules::sender_polls_replies_only) return false;
        return take_request(pe);
    }

    bool send(int me) {
        Pe& pe = at(me);
        const int to = pe.target;
        if (to == me) {  // here and now, its reply too
            ++handled_;
            answered_ += pe.next->wants_reply ? 1 : 0;
        } else if (is_near(me, to)) {
            if (static_cast<int>(at(to).requests.size()) >= places_) return false;
            at(to).requests.push_back(*pe.next);
        } else {
            if (!pe.taken[static_cast<std::size_t>(to)].take(pe.next->cost)) return false;
            net(me, to).push_back(
                {true, false, *pe.next, pe.owed[static_cast<std::size_t>(to)].with_a_message()});
        }
        pe.next.reset();
        return true;
    }

    bool take_reply(Pe& pe) {
        auto& from = !pe.replies.empty() ? pe.replies : pe.far_replies;
        if (from.empty()) return false;
        from.pop_front();
        ++answered_;
        return true;
    }

    // In place: its room is given back when the handler has run.
    bool take_request(Pe& pe) {
        if (pe.requests.empty() && pe.far_requests.empty()) return false;
        pe.is_far = pe.requests.empty();
        pe.running = pe.is_far ? pe.far_requests.front() : pe.requests.front();
        return true;
    }

    bool answer(int me) {
        Pe& pe = at(me);
        const Request request = *pe.running;
        const auto of = static_cast<std::size_t>(request.from);
        if (request.wants_reply) {
            if (is_near(me, request.from)) {
                auto& ring = at(request.from).replies;
                if (static_cast<int>(ring.size()) >= places_)
                    return rules_ != Rules::handler_does_not_poll && take_reply(pe);
                ring.push_back(me);
            } else {
                net(me, request.from).push_back({true, true, {}, pe.owed[of].with_a_message()});
            }
        }
        pe.running.reset();
        ++handled_;
        if (!pe.is_far) {
            pe.requests.pop_front();
            return true;
        }
        pe.far_requests.pop_front();
        pe.lying[of] -= request.cost;
        pe.owed[of].handled(request.cost);
        if (rules_ == Rules::credit_is_not_told) return true;
        if (const std::uint64_t credit = pe.owed[of].to_tell())
            net(me, request.from).push_back({false, false, {}, credit});
        return true;
    }

    std::mt19937 random_;
    Rules rules_;
    int pes_ = 0;
    int places_ = 0;
    std::uint64_t credit_ = 0;
    std::uint64_t largest_ = 0;
    std::vector<int> host_;
    std::vector<Pe> pe_;
    std::vector<std::deque<Wire>> net_;
    int sent_ = 0;
    int asked_ = 0;
    int handled_ = 0;
    int answered_ = 0;
    bool bounded_ = true;
};

unsigned schedules() {
    const char* const text = std::getenv("ISTHMUS_MODEL_SCHEDULES");
    return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 20000;
}

int stuck_with(Rules rules) {
    int stuck = 0;
    for (unsigned seed = 1; seed <= 3000; ++seed)
        stuck += Model(seed, rules).run() ? 0 : 1;
    return stuck;
}

TEST(MessageModel, HandlesAllOfIt) {
    for (unsigned seed = 1; seed <= schedules(); ++seed) {
        Model model(seed, Rules::all);
        ASSERT_TRUE(model.run()) << "stuck; schedule " << seed;
        ASSERT_TRUE(model.is_bounded()) << "above the credit; schedule " << seed;
    }
}

TEST(MessageModel, GetsStuckWithoutARule) {
    EXPECT_GT(stuck_with(Rules::sender_polls_replies_only), 0);
    EXPECT_GT(stuck_with(Rules::handler_does_not_poll), 0);
    EXPECT_GT(stuck_with(Rules::credit_is_not_told), 0);
}

// Threads of one PE take and give back at once: never more than the credit is under way, and what
// is owed is told once.
TEST(MessageCredit, IsSharedByThreads) {
    constexpr int kThreads = 4, kTurns = 20000;
    CreditTaken taken(3 * kLeastCost);
    CreditOwed owed(4 * kLeastCost, kLeastCost);
    const std::atomic<std::int64_t> most_before{2 * kLeastCost};
    std::atomic<int> holders{0}, most{0};
    std::atomic<std::uint64_t> told{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            for (int turn = 0; turn < kTurns; ++turn) {
                const bool got =
                    i % 2 == 0
                        ? taken.take(kLeastCost)
                        : taken.take_behind(most_before, static_cast<std::int64_t>(kLeastCost));
                if (!got) continue;
                const int now = holders.fetch_add(1) + 1;
                int seen = most.load();
                while (seen < now && !most.compare_exchange_weak(seen, now)) {
                }
                holders.fetch_sub(1);
                EXPECT_EQ(taken.give_back(kLeastCost), kLeastCost);
                owed.handled(1);
                told += owed.with_a_message(2);
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_LE(most.load(), 3);
    EXPECT_EQ(taken.under_way(), 0u);
    // More than was taken does not come back.
    EXPECT_EQ(taken.give_back(kLeastCost), 0u);
    EXPECT_EQ(taken.under_way(), 0u);
    owed.handled(5);
    EXPECT_EQ(owed.with_a_message(2), 2u);
    EXPECT_TRUE(owed.is_some());
    EXPECT_GE(owed.with_a_message(), 3u);
    EXPECT_FALSE(owed.is_some());
}

TEST(MessageCredit, IsBoundedAndComesBack) {
    CreditTaken taken(4 * kLeastCost);
    EXPECT_TRUE(taken.take(8 * kLeastCost));  // alone it always may
    EXPECT_FALSE(taken.take(kLeastCost));
    taken.give_back(8 * kLeastCost);
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE(taken.take(kLeastCost));
    EXPECT_FALSE(taken.take(kLeastCost));
    CreditOwed owed(4 * kLeastCost, kLeastCost);
    owed.handled(kLeastCost);
    EXPECT_EQ(owed.to_tell(), 0u);
    owed.handled(kLeastCost);
    EXPECT_EQ(owed.to_tell(), 2 * kLeastCost);
    EXPECT_EQ(owed.with_a_message(), 0u);
    EXPECT_EQ(credit_cost(1), kPairCredit / 64);
    EXPECT_EQ(pair_credit(1, 1 << 20), kPairCredit);
    EXPECT_EQ(pair_credit(1024, 1 << 20), 1024u);
}

}  // namespace
