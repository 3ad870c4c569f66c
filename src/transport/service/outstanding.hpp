// What was issued on a channel and is not known to have arrived.
//
// Operations that end by themselves (writes and reads under way, and what asks behind others) stand
// in a list in the order in which they were issued, each with a number. So "all that was issued
// until now" is a number, and waiting for it holds up nobody who goes on issuing.
//
// Short puts and requests leave nothing that ends: a mark by PE says that something went there. Who
// takes the marks puts what asks behind them into the list, in one step, so that everybody else
// finds the one or the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "transport/service/marks.hpp"

namespace isthmus::transport::service {

using Kinds = std::uint8_t;
inline constexpr Kinds kMoves = 1;          // its end is all that quiet waits for
inline constexpr Kinds kWrites = 2;         // likewise; and fence, as the link keeps no order
inline constexpr Kinds kConfirmations = 4;  // asks behind what went to a PE
inline constexpr Kinds kAllKinds = kMoves | kWrites | kConfirmations;

// Whose marks are taken: of PEs that puts went to, requests, or either. Who asks behind requests
// asks behind the puts before them as well.
enum class Behind : std::uint8_t { puts, requests, all };
inline constexpr int kEveryPe = -1;

class Outstanding {
  public:
    // Its memory is the operation's, and stays until remove().
    struct Entry {
        Entry* before = nullptr;
        Entry* next = nullptr;
        std::uint64_t number = 0;
        int pe = -1;
        Kinds kind = 0;
    };

    explicit Outstanding(int pes) : pes_(pes), written_(pes), asked_of_(pes) {}
    Outstanding(const Outstanding&) = delete;
    Outstanding& operator=(const Outstanding&) = delete;

    // Behind the operation: who takes the mark and then asks for an answer asks behind it. Acquire:
    // partner is the release in first_written(), behind which quiet has its flag.
    void mark_written(int pe) {
        if (written_[pe].load(std::memory_order_acquire) == 0) [[unlikely]]
            first_written(pe);
    }
    // The same of a request. Acquire: likewise.
    void mark_asked(int pe) {
        if (asked_of_[pe].load(std::memory_order_acquire) == 0) [[unlikely]]
            first_asked(pe);
    }
    const std::atomic<std::uint8_t>* written() const { return written_.bytes(); }

    // Not 0 while there may be something that quiet (fence) must see to. Acquire: partner is the
    // release in review().
    const std::atomic<int>* before_quiet() const { return &quiet_; }
    const std::atomic<int>* before_fence() const { return &fence_; }

    // Before the operation leaves.
    void add(Entry& entry, int pe, Kinds kind) {
        const std::lock_guard lock(guard_);
        append(entry, pe, kind);
        quiet_.store(1, std::memory_order_relaxed);
    }
    // Behind its end. Nothing of the entry's is touched any more when this returns.
    void remove(Entry& entry) {
        const std::lock_guard lock(guard_);
        (entry.next ? entry.next->before : last_) = entry.before;
        if (entry.before) {
            entry.before->next = entry.next;
        } else {
            first_ = entry.next;
            // Release: partner is have_ended().
            oldest_.store(first_ ? first_->number : kNone, std::memory_order_release);
        }
    }

    // The latest number: all that stands in the list has this one or a lower one.
    std::uint64_t latest() const {
        const std::lock_guard lock(guard_);
        return number_;
    }

    // Takes the marks of the PE, or of every PE, and lists for each what asks there:
    // by(pe, request) gives the entry, or null if nothing need ask. `request`: behind requests,
    // else behind puts alone. Returns latest().
    template <typename By>
    std::uint64_t take(int pe, Behind what, By&& by) {
        const std::lock_guard lock(guard_);
        // A call here would cost quiet 34 instructions, for which its budget has no room.
        const auto one = [&](int marked) __attribute__((always_inline)) {
            const bool request =
                what != Behind::puts && asked_of_[marked].load(std::memory_order_relaxed) != 0;
            const bool put =
                what != Behind::requests && written_[marked].load(std::memory_order_relaxed) != 0;
            if (!request && !put) return;
            if (request) asked_of_[marked].store(0, std::memory_order_relaxed);
            written_[marked].store(0, std::memory_order_relaxed);
            if (Entry* const entry = by(marked, request)) append(*entry, marked, kConfirmations);
        };
        if (pe != kEveryPe)
            one(pe);
        else
            for (int marked = 0; marked < pes_; ++marked)
                one(marked);
        // The marks are off before anything asks: partners are mark_written() and mark_asked().
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return number_;
    }

    // Whether all have ended that have a number up to this one. Their effects are then seen.
    bool have_ended(std::uint64_t until) const {
        return oldest_.load(std::memory_order_acquire) > until;
    }
    // The PE of the oldest operation of these kinds with a number up to `until`, to that PE or to
    // every; -1: all have ended. Likewise: the mutex is that of remove().
    int oldest(std::uint64_t until, int pe, Kinds kinds) const {
        if (have_ended(until)) return -1;
        const std::lock_guard lock(guard_);
        for (const Entry* entry = first_; entry && entry->number <= until; entry = entry->next) {
            if ((entry->kind & kinds) != 0 && (pe == kEveryPe || entry->pe == pe)) return entry->pe;
        }
        return -1;
    }

    // Behind a wait: whether anything is left for quiet and fence.
    void review() {
        const std::lock_guard lock(guard_);
        bool confirms = false;
        for (const Entry* entry = first_; entry && !confirms; entry = entry->next)
            confirms = entry->kind == kConfirmations;
        const bool asked = confirms || asked_of_.any();
        fence_.store(asked ? 1 : 0, std::memory_order_release);
        quiet_.store(asked || first_ || written_.any() ? 1 : 0, std::memory_order_release);
    }

  private:
    [[gnu::noinline]] void first_written(int pe) {
        const std::lock_guard lock(guard_);
        quiet_.store(1, std::memory_order_relaxed);
        // Behind the flag: another thread that finds the mark must not find the flag still down.
        // Release: partners are mark_written(), and who marks for it (core/reach/far.hpp).
        written_[pe].store(1, std::memory_order_release);
    }
    [[gnu::noinline]] void first_asked(int pe) {
        const std::lock_guard lock(guard_);
        fence_.store(1, std::memory_order_relaxed);
        quiet_.store(1, std::memory_order_relaxed);
        // Likewise. Release: partner is mark_asked().
        asked_of_[pe].store(1, std::memory_order_release);
    }
    void append(Entry& entry, int pe, Kinds kind) {
        entry = {last_, nullptr, ++number_, pe, kind};
        if (!last_) oldest_.store(number_, std::memory_order_relaxed);
        (last_ ? last_->next : first_) = &entry;
        last_ = &entry;
    }

    const int pes_;
    Marks written_;
    Marks asked_of_;
    std::atomic<int> quiet_{0};
    std::atomic<int> fence_{0};
    mutable std::mutex guard_;  // of what follows, and of setting and taking marks
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::atomic<std::uint64_t> oldest_{kNone};  // number of `first_`
    Entry* first_ = nullptr;
    Entry* last_ = nullptr;
    std::uint64_t number_ = 0;
};

}  // namespace isthmus::transport::service
