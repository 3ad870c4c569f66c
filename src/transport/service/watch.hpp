// Who is watched for signs of life: neighbours all the time, others while this PE waits for
// them. What a watched PE sends is such a sign; if none comes it is asked, and if it does not
// answer either it is lost. If beats come and the answer does not, the road is doubted: it may be
// full, or dead, or who is asked can take in no request any more. If next to nothing moves on it
// while it is doubted, it is given up. Nothing here knows the network.
//
// Times are milliseconds since the watch began. Any thread may call.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace isthmus::transport::service {

using Milliseconds = std::uint32_t;  // 49 days; what is compared is near, so it may wrap

// The messages between this PE and another, one way: whether some of them have been missing for so
// long that they have gone elsewhere. What was sent before a question comes before it, but for what
// another thread is about to send.
class Missing {
  public:
    // All up to `whole` have come, and `next` came or is about to. `held`: the sender has some that
    // have a number and have not left. True if for longer than `patience` not even the first has
    // come that was missing then.
    bool is_overdue(std::uint64_t whole, std::uint64_t next, bool held, Milliseconds now,
                    Milliseconds patience) {
        const bool none = whole + 1 >= next || held;
        if (none || !some_ || whole != whole_) since_ = now;
        some_ = !none;
        whole_ = whole;
        return some_ && patience != 0 && now - since_ > patience;
    }

  private:
    bool some_ = false;
    std::uint64_t whole_ = 0;
    Milliseconds since_ = 0;
};

class Watch {
  public:
    // `patience`: after so long without a sign a PE is lost; 0: never.
    Watch(int pes, Milliseconds patience)
        : patience_(patience),
          heard_(std::make_unique<std::atomic<Milliseconds>[]>(static_cast<std::size_t>(pes))),
          proved_(std::make_unique<std::atomic<Milliseconds>[]>(static_cast<std::size_t>(pes))) {}

    enum class Why {
        neighbour,  // asked when it has been silent for a quarter of the patience
        waiting,    // asked again and again, for its state
        report      // the same, for a report: so is the next question, whoever asks it
    };
    struct Action {
        bool ask = false;     // by the road, which loses nothing: not again before the answer
        bool report = false;  // for a report
        bool beat = false;    // beside it
        bool lost = false;
        bool doubt = false;  // now and then: no answer for twice the patience
        Milliseconds silence = 0;
        Milliseconds unanswered = 0;
    };

    // To be called again and again; who has not been looked at for long is not blamed for it.
    Action look(int pe, Milliseconds now, Why why) {
        const std::lock_guard lock(guard_);
        Watched& watched = watched_[pe];
        if (!watched.known || now - watched.looked > gap()) {
            watched.known = true;
            watched.since = now;
            if (watched.unanswered) watched.first = now;
            watched.doubts = 0;
        }
        watched.looked = now;
        // A sign may be newer than `now` of a thread that has slept in between.
        const Milliseconds heard = heard_[pe].load(std::memory_order_relaxed);
        const auto newest =
            static_cast<std::int32_t>(heard - watched.since) > 0 ? heard : watched.since;
        const auto passed = static_cast<std::int32_t>(now - newest);
        if (why == Why::report) watched.report = true;
        Action action;
        action.report = watched.report;
        action.silence = passed > 0 ? static_cast<Milliseconds>(passed) : 0;
        const Milliseconds due = why == Why::neighbour ? std::max(patience_ / 4, 1u) : interval();
        if (!watched.unanswered) {
            action.ask = (why != Why::neighbour || action.silence >= due) &&
                         (!watched.asked_ever || now - watched.asked >= due);
            return action;
        }
        action.unanswered = now - watched.first;
        action.ask = watched.again;
        action.lost =
            patience_ != 0 && action.silence > patience_ && now - watched.asked > patience_ / 2;
        action.beat = patience_ != 0 && now - watched.beaten >= std::max(patience_ / 16, 20u);
        if (action.beat) watched.beaten = now;
        action.doubt = doubts(action.unanswered) && now - watched.doubted >= gap();
        if (action.doubt) watched.doubted = now;
        return action;
    }
    // What a doubt has found: the bytes that the connections to this PE have carried so far. It is
    // to be asked again, since the question may be what has been lost. True if there is no hope:
    // for twice the patience nothing has moved but such questions, which nobody has answered.
    bool is_hopeless(int pe, Milliseconds now, std::uint64_t carried) {
        const std::lock_guard lock(guard_);
        Watched& watched = watched_[pe];
        if (!watched.unanswered) return false;
        watched.again = true;
        const std::uint64_t moved =
            std::max(carried, watched.carried) - std::min(carried, watched.carried);
        if (watched.doubts++ == 0 || moved > kQuestions) watched.still = now;
        watched.carried = carried;
        return now - watched.still > 2 * patience_;
    }
    // So long without a word by the road, though its question has been asked, is no slow network.
    bool doubts(Milliseconds unanswered) const {
        return patience_ != 0 && unanswered > 2 * patience_;
    }
    // Of a connection that has not got through, beside such a question.
    bool is_long(Milliseconds stalled) const { return stalled > patience_ / 2; }
    // The question has left.
    void asked(int pe, Milliseconds now) {
        const std::lock_guard lock(guard_);
        Watched& watched = watched_[pe];
        if (!watched.unanswered) {
            watched.first = now;
            watched.doubts = 0;
        }
        watched.asked_ever = watched.unanswered = true;
        watched.again = watched.report = false;
        watched.asked = watched.beaten = now;
    }
    // What it can only have sent a moment ago has come from it.
    void heard(int pe, Milliseconds now) {
        heard_[pe].store(now, std::memory_order_relaxed);
        proved_[pe].store(now, std::memory_order_relaxed);
    }
    // What somebody may have kept back for as long as he liked: of use for a while, behind a cut
    // that ends one way before it ends the other.
    void hinted(int pe, Milliseconds now) {
        if (now - proved_[pe].load(std::memory_order_relaxed) <= patience_)
            heard_[pe].store(now, std::memory_order_relaxed);
    }
    // The answer.
    void answered(int pe, std::uint64_t state) {
        const std::lock_guard lock(guard_);
        const auto found = watched_.find(pe);
        if (found == watched_.end()) return;  // nobody has asked
        found->second.unanswered = found->second.again = false;
        found->second.state = state;
    }
    std::uint64_t state(int pe) const {
        const std::lock_guard lock(guard_);
        const auto found = watched_.find(pe);
        return found == watched_.end() ? 0 : found->second.state;
    }

  private:
    struct Watched {
        Milliseconds since = 0;  // looked at without a gap
        Milliseconds looked = 0;
        Milliseconds asked = 0;
        Milliseconds first = 0;  // asked since the last answer
        Milliseconds beaten = 0;
        Milliseconds doubted = 0;
        Milliseconds still = 0;  // nothing has moved since
        std::uint64_t carried = 0;
        unsigned doubts = 0;  // since the last answer
        bool known = false;
        bool asked_ever = false;
        bool unanswered = false;
        bool again = false;  // to be asked, although there is no answer yet
        bool report = false;
        std::uint64_t state = 0;
    };
    // Bytes between two doubts that are no more than questions and their acknowledgements.
    static constexpr std::uint64_t kQuestions = 4096;
    // Between questions of one that waits.
    Milliseconds interval() const {
        constexpr Milliseconds kInterval = 250;
        return patience_ == 0 ? kInterval : std::clamp(patience_ / 4, 1u, kInterval);
    }
    Milliseconds gap() const { return patience_ == 0 ? 1000 : std::max(patience_ / 2, 500u); }

    const Milliseconds patience_;
    // By PE. Relaxed: only the time is looked at.
    std::unique_ptr<std::atomic<Milliseconds>[]> heard_;
    std::unique_ptr<std::atomic<Milliseconds>[]> proved_;
    mutable std::mutex guard_;
    std::map<int, Watched> watched_;  // a few: whom this PE has waited for for long
};

}  // namespace isthmus::transport::service
