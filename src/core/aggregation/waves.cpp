#include "core/aggregation/waves.hpp"

#include <algorithm>

#include "base/os.hpp"
#include "core/job/host_table.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"

namespace isthmus {
namespace {

constexpr const char* kRoutine = "isthmus_aggregator_finish";

// Nanoseconds between waves that found something under way: little first, since most often it is
// handled at once; then more, for a wave is work for every host.
// And of one PE's turn to be watched: enough to ask it and to hear from it.
constexpr std::uint64_t kTurn = 500'000'000;
constexpr std::uint64_t kShortestPause = 10'000;
constexpr std::uint64_t kLongestPause = 500'000;

// Sets the word at PE `pe`, behind `bytes` of `data` at `dest` there.
void tell_word(std::atomic<std::uint64_t>* word, std::uint64_t value, int pe, void* dest = nullptr,
               const void* data = nullptr, std::size_t bytes = 0) {
    far::tell(dest, data, bytes, reinterpret_cast<std::uint64_t*>(word), value, pe, kRoutine);
}

}  // namespace

Waves::Waves(AggregatorCounts* counts, WaveCall* call, WaveAnswer* answers)
    : counts_(counts), call_(call), answers_(answers), leader_(first_on_host(job.me)) {
    for (int pe = 0; pe < job.pes; ++pe) {
        if (first_on_host(pe) == leader_)
            mates_.push_back(pe);
        else if (job.me == 0 && first_on_host(pe) == pe)
            leaders_.push_back(pe);
    }
}

AggregatorCounts& Waves::counts_of(int pe) const {
    return *translate(counts_, pe);
}

WaveCall& Waves::call_here() const {
    return *translate(call_, leader_);
}

bool Waves::have_all_come(std::uint64_t epoch) const {
    return std::ranges::all_of(mates_, [&](int pe) {
        return counts_of(pe).finishing.load(std::memory_order_seq_cst) >= epoch;
    });
}

bool Waves::do_all_know(std::uint64_t epoch) const {
    // Partner: the release in Aggregator::finish.
    return std::ranges::all_of(mates_, [&](int pe) {
        return counts_of(pe).over.load(std::memory_order_acquire) >= epoch;
    });
}

// Pushed first: see above.
Waves::Sums Waves::sums_here() const {
    Sums sums{};
    for (const int pe : mates_)
        sums.pushed += counts_of(pe).pushed.load(std::memory_order_seq_cst);
    for (const int pe : mates_)
        sums.handled += counts_of(pe).handled.load(std::memory_order_seq_cst);
    return sums;
}

std::uint64_t Waves::handled_everywhere() const {
    return call_here().handled.load(std::memory_order_relaxed);
}

// Of the first PE of a host. A wave of the finish before has been answered before that was over.
void Waves::answer_wave(std::uint64_t epoch) {
    const std::uint64_t asked = call_->wave.load(std::memory_order_acquire);
    if (asked == answered_ || !have_all_come(epoch)) return;
    answered_ = asked;
    const Sums sums = sums_here();
    WaveAnswer& answer = answers_[job.me];
    tell_word(&answer.wave, asked, 0, &answer, &sums, sizeof sums);
}

void Waves::begin_wave(std::uint64_t now) {
    pause_ = std::clamp(2 * pause_, kShortestPause, kLongestPause);
    next_at_ = now + pause_;
    ++wave_;
    under_way_ = true;
    call_->handled.store(handled_before_, std::memory_order_relaxed);
    for (const int pe : leaders_)
        tell_word(&call_->wave, wave_, pe, &call_->handled, &handled_before_,
                  sizeof handled_before_);
}

// True if it has come back and found that all is done. The wave before may be one of the finish
// before: then nobody has pushed anything since, up to having come to this one.
bool Waves::end_wave() {
    for (const int pe : leaders_) {
        if (answers_[pe].wave.load(std::memory_order_acquire) != wave_) return false;
    }
    under_way_ = false;
    Sums sums = sums_here();
    for (const int pe : leaders_) {
        sums.pushed += answers_[pe].pushed.load(std::memory_order_relaxed);
        sums.handled += answers_[pe].handled.load(std::memory_order_relaxed);
    }
    const bool done = sums.pushed == handled_before_;
    handled_before_ = sums.handled;
    return done;
}

// Of PE 0.
void Waves::lead_waves(std::uint64_t epoch) {
    if (!under_way_) {
        const std::uint64_t now = os::monotonic_nanoseconds();
        if (now < next_at_ || !have_all_come(epoch)) return;
        begin_wave(now);
    }
    if (!end_wave()) return;
    pause_ = next_at_ = 0;
    publish(&WaveCall::verdict, epoch);
}

void Waves::publish(std::atomic<std::uint64_t> WaveCall::*word, std::uint64_t epoch) {
    for (const int pe : leaders_)
        tell_word(&(call_->*word), epoch, pe);
    (call_->*word).store(epoch, std::memory_order_release);
}

int Waves::awaited(std::uint64_t epoch) const {
    if (job.me != leader_) return -1;
    if (job.me != 0) return 0;
    const bool all_over = call_here().verdict.load(std::memory_order_relaxed) >= epoch;
    const std::size_t turn = os::monotonic_nanoseconds() / kTurn;
    for (std::size_t i = 0; i < leaders_.size(); ++i) {
        const int pe = leaders_[(turn + i) % leaders_.size()];
        const WaveAnswer& answer = answers_[pe];
        if (all_over ? answer.over.load(std::memory_order_relaxed) < epoch
                     : answer.wave.load(std::memory_order_relaxed) != wave_)
            return pe;
    }
    return -1;
}

bool Waves::is_over(std::uint64_t epoch) {
    const auto over = [&] { return call_here().verdict.load(std::memory_order_acquire) >= epoch; };
    if (over()) return true;
    if (job.me == 0)
        lead_waves(epoch);
    else if (job.me == leader_)
        answer_wave(epoch);
    return over();
}

bool Waves::have_all_left(std::uint64_t epoch) {
    if (job.me == leader_ && left_ < epoch && do_all_know(epoch)) {
        if (job.me != 0) {
            left_ = epoch;
            tell_word(&answers_[job.me].over, epoch, 0);
        } else if (std::ranges::all_of(leaders_, [&](int pe) {
                       return answers_[pe].over.load(std::memory_order_acquire) >= epoch;
                   })) {
            left_ = epoch;
            publish(&WaveCall::left, epoch);
        }
    }
    return call_here().left.load(std::memory_order_acquire) >= epoch;
}

}  // namespace isthmus
