// What was issued on a channel and is kept back, and the order in which it goes.
//
// Two operations of a channel to one PE that no fence separates go in any order, to different PEs
// always. So do the words of one put: a network may bring its parts by several ways. A fence is a
// number, the epoch: an operation goes behind all of earlier epochs to its PE, and those to other
// PEs stay where they are. So a fence is no quiet, as the standard has it.
//
// Memory that is mapped here is written by this processor when an operation goes; the road does the
// rest, and is fenced where the one must come behind the other.
//
// One thread at a time (schedule.hpp has the lock).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/late/draw.hpp"
#include "transport/transport.hpp"

namespace isthmus::transport::late {

// How a job is late.
struct Manner {
    std::uint64_t seed = 0;
    std::uint64_t longest = 0;  // nanoseconds that an operation is kept back
    int me = 0;
    int pes = 0;
    // This place of the PE's memory, if it is mapped here; null: only the road leads there.
    char* (*find)(int pe, Place place, std::size_t bytes) = nullptr;
    // Behind an operation on such memory: a waiter of the PE's that sleeps is to look.
    void (*stir)(int pe) = nullptr;
    // First on the thread that lets operations go.
    void (*begin_thread)() = nullptr;
};

enum class Kind : std::uint8_t {
    put,
    put_nbi,
    get_nbi,
    atomic,
    fetch_nbi,
    put_signal,
    put_signal_nbi,
    request
};

struct Operation {
    Kind kind = Kind::put;
    int pe = 0;
    Place place{};  // of the data, or of the atomic's word
    Place word{};   // of a signal
    Atomic atomic{};
    const void* source = nullptr;
    void* dest = nullptr;
    std::size_t bytes = 0;
    std::uint32_t handler = 0;  // of a request
    // The backlog's.
    std::vector<char> copy{};  // of the source, where the caller may change that
    std::uint64_t number = 0;
    std::uint64_t epoch = 0;
    std::uint64_t due = 0;
};

class Backlog {
  public:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    // More are not kept back: the oldest go.
    static constexpr std::size_t kMost = 512;
    static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

    // `number`: of the channel; each draws for itself.
    Backlog(Channel& base, const Manner& manner, std::uint64_t number)
        : base_(base),
          manner_(manner),
          lateness_(manner.seed, number << 16 | static_cast<std::uint64_t>(manner.me)),
          order_(~manner.seed, number << 16 | static_cast<std::uint64_t>(manner.me)),
          pauses_(manner.seed + 1, number << 16 | static_cast<std::uint64_t>(manner.me)),
          cuts_(~manner.seed + 1, number << 16 | static_cast<std::uint64_t>(manner.me)),
          unfenced_(static_cast<std::size_t>(manner.pes)) {}
    Backlog(const Backlog&) = delete;
    Backlog& operator=(const Backlog&) = delete;

    // Goes now or later; of a put of several words some may come before others.
    void add(Operation operation, std::uint64_t now);
    void fence() { ++epoch_; }
    // Those to this PE go, or all of them (Channel::kAll).
    void release(int pe);
    // Those go that must before an operation to this PE which is not kept back.
    void precede(int pe);
    // Until when a quiet waits before it releases what is here; 0: it does not. What was kept back
    // would else come so shortly behind what was not that nobody sees the one without the other.
    std::uint64_t pause_until(std::uint64_t now);
    // Something went to this PE by the road that is not kept back.
    void went(int pe) { unfenced_[static_cast<std::size_t>(pe)] = epoch_; }
    // Those go that are due; when the next one is, or kNever.
    std::uint64_t release_due(std::uint64_t now);
    std::uint64_t next_due() const;
    std::size_t size() const { return held_.size(); }

  private:
    void add_whole(Operation operation, std::uint64_t now);
    std::size_t draw_cut(const Operation& operation);
    template <typename Which>
    void release_which(Which&& which);
    void go(Operation operation);
    void perform(const Operation& operation);
    bool perform_here(const Operation& operation);
    Operation take(std::size_t index);
    void fence_road();

    Channel& base_;
    const Manner& manner_;
    Draw lateness_;  // one draw an operation, so that clocks change nothing about it
    Draw order_;
    Draw pauses_;
    Draw cuts_;
    std::vector<Operation> held_;
    std::size_t copied_ = 0;  // bytes of copies
    std::uint64_t issued_ = 0;
    std::uint64_t epoch_ = 1;
    // By PE: the epoch of what has gone there by the road since that was fenced; 0: nothing has.
    std::vector<std::uint64_t> unfenced_;
};

}  // namespace isthmus::transport::late
