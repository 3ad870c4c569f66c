// What starting costs: processor time of the launcher and all PEs of the smallest program.
#include "harness/statistics.hpp"
#include "one-host/group.hpp"

namespace isthmus::bench {
namespace {

constexpr int kPes = 16;

// Seconds of processor time, one a run; empty if it failed.
std::vector<double> start(const Run& run, Side side, int times, const char* heap,
                          std::string& reason) {
    std::vector<double> samples;
    for (int i = 0; i < times; ++i) {
        const Finished finished =
            run.job(side, kPes, "hello", {}, {}, {{"SHMEM_SYMMETRIC_SIZE", heap}});
        if (!finished.succeeded()) {
            reason = finished.last_words();
            return {};
        }
        samples.push_back(finished.cpu_seconds);
    }
    return samples;
}

}  // namespace

void measure_startup(Run& run) {
    run.progress("start-up of 16 PEs");
    const int times = run.options().quick ? 5 : 15;
    std::string reason, peer_reason;
    std::vector<double> small, large, peer;
    // In turns, for the machine's moods.
    for (int i = 0; i < times; ++i) {
        for (double sample : start(run, Side::ours, 1, "1M", reason))
            small.push_back(sample);
        for (double sample : start(run, Side::ours, 1, "50%", reason))
            large.push_back(sample);
    }
    if (run.has_peer())
        peer = start(run, Side::peer, run.options().quick ? 1 : 3, "16M", peer_reason);
    Row row;
    row.claim = "isthmus run -n 16 hello, heap of 50 % of memory a PE";
    row.unit = "s of CPU time in all";
    row.must = at_most(0.25);
    if (run.has_peer()) row.peer = Run::peer_name();
    if (!peer.empty()) row.peer_value = median(peer);
    if (!peer_reason.empty()) row.method = "peer: " + peer_reason;
    Row effect;
    effect.claim = "start-up, heap of 50 % of memory instead of 1 MB";
    effect.unit = "x CPU time";
    effect.must = at_most(1.1);
    effect.goal = 1.0;
    if (small.empty() || large.empty()) {
        row.reason = effect.reason = reason;
    } else {
        row.ours = median(large);
        row.spread = spread_text(large);
        effect.ours = median(large) / median(small);
        effect.spread = spread_text(small) + " with 1 MB";
    }
    run.add(row);
    run.add(effect);
}

}  // namespace isthmus::bench
