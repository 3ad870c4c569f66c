// Who is watched for signs of life: neighbours all the time, others while this PE waits for
// them. What a watched PE sends is such a sign; if none comes it is asked, and if it does not
// answer either it is lost. If beats come and the answer does not, the road is doubted: it may be
// full, or dead. Nothing here knows the network.
//
// Times are milliseconds since the watch began. Any thread may call.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace isthmus::transport::ofi {

using Milliseconds = std::uint32_t;  // 49 days; what is compared is near, so it may wrap

class Watch {
  public:
    // `patience`: after so long without a sign a PE is lost; 0: never.
    Watch(int pes, Milliseconds patience)
        : patience_(patience),
          heard_(std::make_unique<std::atomic<Milliseconds>[]>(static_cast<std::size_t>(pes))) {}

    enum class Why {
        neighbour,  // asked when it has been silent for a quarter of the patience
        waiting     // asked again and again, for its state
    };
    struct Action {
        bool ask = false;   // by the road, which loses nothing: not again before the answer
        bool beat = false;  // beside it
        bool lost = false;
        bool doubt = false;  // now and then: no answer for twice the patience
        Milliseconds silence = 0;
    };

    // To be called again and again; who has not been looked at for long is not blamed for it.
    Action look(int pe, Milliseconds now, Why why) {
        const std::lock_guard lock(guard_);
        Watched& watched = watched_[pe];
        if (!watched.known || now - watched.looked > gap()) {
            watched.known = true;
            watched.since = now;
        }
        watched.looked = now;
        // A sign may be newer than `now` of a thread that has slept in between.
        const Milliseconds heard = heard_[pe].load(std::memory_order_relaxed);
        const auto newest =
            static_cast<std::int32_t>(heard - watched.since) > 0 ? heard : watched.since;
        const auto passed = static_cast<std::int32_t>(now - newest);
        Action action;
        action.silence = passed > 0 ? static_cast<Milliseconds>(passed) : 0;
        const Milliseconds due = why == Why::neighbour ? std::max(patience_ / 4, 1u) : interval();
        if (!watched.unanswered) {
            action.ask = (why == Why::waiting || action.silence >= due) &&
                         (!watched.asked_ever || now - watched.asked >= due);
            return action;
        }
        action.lost =
            patience_ != 0 && action.silence > patience_ && now - watched.asked > patience_ / 2;
        action.beat = patience_ != 0 && now - watched.beaten >= std::max(patience_ / 16, 20u);
        if (action.beat) watched.beaten = now;
        action.doubt = doubts(now - watched.asked) && now - watched.doubted >= gap();
        if (action.doubt) watched.doubted = now;
        return action;
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
        watched.asked_ever = watched.unanswered = true;
        watched.asked = watched.beaten = now;
    }
    // Anything has come from it.
    void heard(int pe, Milliseconds now) { heard_[pe].store(now, std::memory_order_relaxed); }
    // The answer.
    void answered(int pe, std::uint64_t state) {
        const std::lock_guard lock(guard_);
        const auto found = watched_.find(pe);
        if (found == watched_.end()) return;  // nobody has asked
        found->second.unanswered = false;
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
        Milliseconds beaten = 0;
        Milliseconds doubted = 0;
        bool known = false;
        bool asked_ever = false;
        bool unanswered = false;
        std::uint64_t state = 0;
    };
    // Between questions of one that waits.
    Milliseconds interval() const {
        constexpr Milliseconds kInterval = 250;
        return patience_ == 0 ? kInterval : std::clamp(patience_ / 4, 1u, kInterval);
    }
    Milliseconds gap() const { return patience_ == 0 ? 1000 : std::max(patience_ / 2, 500u); }

    const Milliseconds patience_;
    // By PE. Relaxed: only the time is looked at.
    std::unique_ptr<std::atomic<Milliseconds>[]> heard_;
    mutable std::mutex guard_;
    std::map<int, Watched> watched_;  // a few: whom this PE has waited for for long
};

}  // namespace isthmus::transport::ofi
