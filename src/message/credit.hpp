// What a PE may have under way to one of another host: the sender's half and the receiver's of one
// direction of a pair. Numbers alone, so that a model can walk them (tests/message/model_test.cpp).
//
// A request takes credit when it is sent, and gives it back when its handler has run. So what lies
// at the receiver, in whatever state, is bounded. What is given back is told as a difference, each
// once, with the next message of the other direction or by itself when it has become much; so the
// order in which these arrive does not matter. Replies take no credit: each belongs to a request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

class CreditTaken {
  public:
    explicit CreditTaken(std::uint64_t credit = 0) : credit_(credit) {}
    bool may_take(std::uint64_t cost) const {
        return under_way_ == 0 || under_way_ + cost <= credit_;
    }
    // False: not now.
    bool take(std::uint64_t cost) {
        if (!may_take(cost)) return false;
        under_way_ += cost;
        return true;
    }
    void give_back(std::uint64_t cost) { under_way_ -= std::min(cost, under_way_); }
    std::uint64_t under_way() const { return under_way_; }

  private:
    std::uint64_t credit_;
    std::uint64_t under_way_ = 0;
};

class CreditOwed {
  public:
    // `largest`: what a message costs at most. Whoever waits for credit gets it though the other
    // side keeps back less than `step`: with less under way than that, the largest finds room.
    CreditOwed(std::uint64_t credit, std::uint64_t largest)
        : step_(credit > largest ? std::min(credit / 2, credit - largest) : 1) {}
    CreditOwed() : CreditOwed(0, 0) {}
    void handled(std::uint64_t cost) { owed_ += cost; }
    // What is to be told by itself now; 0: nothing.
    std::uint64_t to_tell() { return owed_ >= step_ ? with_a_message() : 0; }
    // What goes with a message anyway.
    std::uint64_t with_a_message() {
        const std::uint64_t told = owed_;
        owed_ = 0;
        return told;
    }

  private:
    std::uint64_t step_;
    std::uint64_t owed_ = 0;
};

}  // namespace isthmus::messages
