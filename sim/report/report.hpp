// What a run did, as JSON and as a timeline.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sim/timing/timing_simulator.hpp"

namespace isthmus::sim {

/// All counters: "machine", "cycles", sums in "total" (of peaks the highest), one entry per node in
/// "nodes", one per router in "links". Host times are left out, so that equal runs give equal text;
/// see host_report().
nlohmann::ordered_json report(const TimingSimulator& simulator);
/// How fast the host was: seconds, simulated instructions a second, windows.
nlohmann::ordered_json host_report(const TimingSimulator& simulator);

/// Collects every remote operation of a run for a timeline. Attach before run(); the simulator must
/// not outlive it.
class Timeline {
  public:
    static constexpr std::size_t kUsualLimit = 100000;

    /// Keeps at most `limit` operations per node, the first ones.
    explicit Timeline(TimingSimulator& simulator, std::size_t limit = kUsualLimit);
    /// Writes the Chrome trace format (Perfetto, chrome://tracing): a process per node, operations
    /// as asynchronous slices with target and size. Times are microseconds of simulated time. How
    /// many operations are not in it stands in "otherData".
    void write(std::ostream& out) const;
    std::size_t size() const;
    /// Operations that have ended and are not kept, because their node had `limit` before. While
    /// the simulator lives.
    std::size_t left_out() const;

  private:
    const TimingSimulator& simulator_;
    const std::uint64_t clock_mhz_;
    std::vector<std::vector<OperationRecord>> records_;
};

}  // namespace isthmus::sim
