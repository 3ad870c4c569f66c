// How the PEs of several hosts find out that an aggregator has nothing left to handle.
//
// One host's PEs read each other's counts (Aggregator::all_done). Between hosts the counts travel:
// PE 0 asks in waves, and the first PE of each host answers for its host, when all of its PEs have
// come to finish(). A wave brings, of every host, what was pushed and then what was handled. All is
// done if the pushed items of one wave are as many as the handled ones of the wave before: both
// only grow, and every reading of the one comes after every reading of the other, so at the moment
// between the two waves nothing was under way; and all were in finish() by then.
//
// A wave is one short message to each host and one back, without waiting: who takes part handles
// items meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace isthmus {

// What a PE tells the others about its progress; they read it to find out that all is done. Counts
// only grow. seq_cst, because "done" is concluded from the order in which they are read.
struct alignas(64) AggregatorCounts {
    std::atomic<std::uint64_t> pushed;
    std::atomic<std::uint64_t> handled;
    std::atomic<std::uint64_t> finishing;  // how many times this PE has come to finish()
    // The last finish() that this PE knows to be over: it handles nothing more in it. Release and
    // acquire suffice: what any handler did before is visible to whoever returns.
    std::atomic<std::uint64_t> over;
};
static_assert(sizeof(AggregatorCounts) == 64);

// At the first PE of each host, read by all of it; written by PE 0. Release by the transport (or by
// PE 0 for its own host), acquire by readers.
struct alignas(64) WaveCall {
    std::atomic<std::uint64_t> handled;  // everywhere, as of the wave before; behind it `wave`
    std::atomic<std::uint64_t> wave;     // number of the one that is asked for
    std::atomic<std::uint64_t> verdict;  // the last finish() in which all has been found handled
    std::atomic<std::uint64_t> left;     // the last one in which everyone knows that
};
static_assert(sizeof(WaveCall) == 64);

// At PE 0, one for each host, by its first PE; written by that.
struct WaveAnswer {
    std::atomic<std::uint64_t> pushed;
    std::atomic<std::uint64_t> handled;
    std::atomic<std::uint64_t> wave;  // behind both
    std::atomic<std::uint64_t> over;  // the last finish() that all of the host know to be over
};
static_assert(sizeof(WaveAnswer) == 32);

// One aggregator's, at every PE of a job of several hosts.
class Waves {
  public:
    // At corresponding places of every PE's heap, zero; `answers`: one a PE.
    Waves(AggregatorCounts* counts, WaveCall* call, WaveAnswer* answers);

    // All that this PE has to do for the others, and whether finish() number `epoch` is over.
    // Called again and again by every PE that is in it; never waits.
    bool is_over(std::uint64_t epoch);
    // The same for the second step: whether everyone knows that it is over. This PE's counts say
    // so by then.
    bool have_all_left(std::uint64_t epoch);
    // A first PE of another host whose next word this PE waits for, by turns if there are several;
    // -1: none. Its mates look after the others.
    int awaited(std::uint64_t epoch) const;
    // Items, everywhere, as of some time ago; it grows while any PE handles some.
    std::uint64_t handled_everywhere() const;

  private:
    struct Sums {
        std::uint64_t pushed;
        std::uint64_t handled;
    };
    AggregatorCounts& counts_of(int pe) const;
    WaveCall& call_here() const;  // my host's
    // All PEs of my host.
    bool have_all_come(std::uint64_t epoch) const;
    bool do_all_know(std::uint64_t epoch) const;
    Sums sums_here() const;
    void answer_wave(std::uint64_t epoch);
    void lead_waves(std::uint64_t epoch);
    void begin_wave(std::uint64_t now);
    bool end_wave();
    void publish(std::atomic<std::uint64_t> WaveCall::*word, std::uint64_t epoch);

    AggregatorCounts* counts_;
    WaveCall* call_;
    WaveAnswer* answers_;
    int leader_;                // first PE of my host
    std::vector<int> mates_;    // the PEs of my host, me too
    std::vector<int> leaders_;  // at PE 0: the first PEs of the other hosts
    std::uint64_t answered_ = 0;
    std::uint64_t left_ = 0;  // the last finish() that this leader has said its host has left

    // PE 0's.
    std::uint64_t wave_ = 0;
    bool under_way_ = false;
    std::uint64_t handled_before_ = 0;  // as the wave before has found it
    std::uint64_t next_at_ = 0;         // nanoseconds: no wave before that
    std::uint64_t pause_ = 0;
};

}  // namespace isthmus
