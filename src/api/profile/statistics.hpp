// Counts of calls, bytes and time: of each routine, and towards each PE.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "api/profile/description.hpp"

namespace isthmus::profile {

// Written by one thread, read by others while it writes: relaxed, because each number stands for
// itself. A load and a store, no locked instruction.
class Counter {
  public:
    void add(std::uint64_t amount) {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

struct RoutineCount {
    Counter calls;
    Counter bytes;
    Counter nanoseconds;
};
struct PeerCount {
    Counter operations;
    Counter bytes;
};

// The counts of a thread, or of a PE.
class Tally {
  public:
    explicit Tally(int pes) : peers_(static_cast<std::size_t>(pes)) {}

    void count(Index routine, std::uint64_t nanoseconds, std::uint64_t bytes, int target) {
        RoutineCount& mine = routines_[static_cast<std::size_t>(routine)];
        mine.calls.add(1);
        mine.bytes.add(bytes);
        mine.nanoseconds.add(nanoseconds);
        if (static_cast<std::size_t>(target) >= peers_.size()) return;
        peers_[static_cast<std::size_t>(target)].operations.add(1);
        peers_[static_cast<std::size_t>(target)].bytes.add(bytes);
    }
    void add(const Tally& other);

    const RoutineCount& routine(std::size_t index) const { return routines_[index]; }
    const PeerCount& peer(int pe) const { return peers_[static_cast<std::size_t>(pe)]; }

  private:
    std::vector<RoutineCount> routines_ = std::vector<RoutineCount>(kRoutines);
    std::vector<PeerCount> peers_;
};

// Collective. Takes the symmetric memory through which the counts will be gathered; false, with
// the library's message, if there is none.
bool open_statistics();

// Collective: PE 0 gathers every PE's counts and writes the table or the file.
// `exits`: by the end of the process and not by shmem_finalize.
void report_statistics(const Tally& mine, bool exits);

}  // namespace isthmus::profile
