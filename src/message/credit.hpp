// What a PE may have under way to one of another host: the sender's half and the receiver's of one
// direction of a pair. Numbers alone, so that a model can walk them (tests/message/model_test.cpp).
//
// A request takes credit when it is sent, and gives it back when its handler has run. So what lies
// at the receiver, in whatever state, is bounded. What is given back is told as a difference, each
// once, with the next message of the other direction or by itself when it has become much; so the
// order in which these arrive does not matter. Replies take no credit: each belongs to a request.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/is_zero.hpp"

namespace isthmus::messages {

// 64 messages or 64 KiB.
inline constexpr std::uint64_t kPairCredit = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kLeastCost = kPairCredit / 64;

constexpr std::uint64_t credit_cost(std::size_t message_bytes) {
    return std::max<std::uint64_t>(message_bytes, kLeastCost);
}

// Of `pairs` pairs, so that all of them together are bounded. A message that costs more than the
// credit may be sent alone.
constexpr std::uint64_t pair_credit(std::uint64_t pairs, std::uint64_t all) {
    return std::min(kPairCredit, all / std::max<std::uint64_t>(pairs, 1));
}

// Any thread.
class CreditTaken {
  public:
    explicit CreditTaken(std::uint64_t credit = 0) : credit_(static_cast<std::int64_t>(credit)) {}
    CreditTaken(const CreditTaken& other)
        : under_way_(other.under_way_.load(std::memory_order_relaxed)), credit_(other.credit_) {}
    CreditTaken& operator=(const CreditTaken& other) {
        credit_ = other.credit_;
        under_way_.store(other.under_way_.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
        return *this;
    }
    bool may_take(std::uint64_t cost) const {
        return may_take(under_way_.load(std::memory_order_relaxed), signed_of(cost));
    }
    // False: not now. Relaxed, all: numbers alone; what a message carries is ordered by the road.
    bool take(std::uint64_t cost) {
        const std::int64_t before =
            under_way_.fetch_add(signed_of(cost), std::memory_order_relaxed);
        if (may_take(before, signed_of(cost))) return true;
        under_way_.fetch_sub(signed_of(cost), std::memory_order_relaxed);
        return false;
    }
    // The same where no more than that may be under way before, a word that the caller has: the
    // credit less the cost.
    bool take_behind(const std::atomic<std::int64_t>& most, std::int64_t cost) {
        if (!is_less(most, under_way_.fetch_add(cost, std::memory_order_relaxed))) [[likely]]
            return true;
        under_way_.fetch_sub(cost, std::memory_order_relaxed);
        return false;
    }
    // How much of it was under way: what comes from a network is not trusted.
    std::uint64_t give_back(std::uint64_t cost) {
        std::int64_t before = under_way_.load(std::memory_order_relaxed);
        std::int64_t back = 0;
        do {
            back = std::clamp(signed_of(cost), std::int64_t{0}, std::max(before, std::int64_t{0}));
        } while (
            !under_way_.compare_exchange_weak(before, before - back, std::memory_order_relaxed));
        return static_cast<std::uint64_t>(back);
    }
    std::uint64_t under_way() const {
        return static_cast<std::uint64_t>(under_way_.load(std::memory_order_relaxed));
    }

  private:
    static std::int64_t signed_of(std::uint64_t cost) { return static_cast<std::int64_t>(cost); }
    // Who finds no room has added its own for a moment: another one may then find none either.
    bool may_take(std::int64_t before, std::int64_t cost) const {
        return before == 0 || before + cost <= credit_;
    }
    std::atomic<std::int64_t> under_way_ = 0;  // first: its address is this one's
    std::int64_t credit_;
};

// Any thread.
class CreditOwed {
  public:
    // `largest`: what a message costs at most. Whoever waits for credit gets it though the other
    // side keeps back less than `step`: with less under way than that, the largest finds room.
    CreditOwed(std::uint64_t credit, std::uint64_t largest)
        : step_(credit > largest ? std::min(credit / 2, credit - largest) : 1) {}
    CreditOwed() : CreditOwed(0, 0) {}
    CreditOwed(const CreditOwed& other)
        : step_(other.step_), owed_(other.owed_.load(std::memory_order_relaxed)) {}
    CreditOwed& operator=(const CreditOwed& other) {
        step_ = other.step_;
        owed_.store(other.owed_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        return *this;
    }
    void handled(std::uint64_t cost) { owed_.fetch_add(cost, std::memory_order_relaxed); }
    // What is to be told by itself now; 0: nothing.
    std::uint64_t to_tell() {
        return owed_.load(std::memory_order_relaxed) >= step_ ? with_a_message() : 0;
    }
    bool is_some() const { return !is_zero(owed_); }
    // What goes with a message anyway.
    std::uint64_t with_a_message() { return owed_.exchange(0, std::memory_order_relaxed); }
    // The same where a message has room for a number up to `most`.
    std::uint64_t with_a_message(std::uint64_t most) {
        const std::uint64_t owed = with_a_message();
        if (owed > most) owed_.fetch_add(owed - most, std::memory_order_relaxed);
        return std::min(owed, most);
    }

  private:
    std::uint64_t step_;
    std::atomic<std::uint64_t> owed_ = 0;
};

}  // namespace isthmus::messages
