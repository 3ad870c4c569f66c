// Times of short operations, from programs/latency.c. What crosses between cores is divided by the
// raw ping-pong measured around it; the rest is compared as it is.
#include <cmath>

#include "harness/statistics.hpp"
#include "one-host/group.hpp"

namespace isthmus::bench {
namespace {

struct Batches {
    std::vector<double> values;  // nanoseconds, or times the raw ping-pong
    int drifted = 0;
};
using Times = std::map<std::string, Batches>;

struct Time {
    const char* name;
    const char* claim;
    bool crosses;                // between cores: divided by the raw ping-pong
    bool rate;                   // shown as millions a second
    std::optional<double> must;  // own bound; else no worse than the peer
};
const Time kTimes[] = {
    {"put_flag", "put + flag seen by the other PE", true, false, 1.15},
    {"barrier_all", "barrier_all, 2 PEs", true, false, {}},
    {"put8_quiet", "put 8 B + quiet", false, false, {}},
    {"get8", "get 8 B", false, false, {}},
    {"int_g", "shmem_int_g", false, false, {}},
    {"fetch_add", "fetch_add", false, false, {}},
    {"quiet", "quiet, nothing outstanding", false, false, {}},
    {"fence", "fence, nothing outstanding", false, false, {}},
    {"rate_int_p", "rate of shmem_int_p", false, true, {}},
    {"rate_putmem8", "rate of putmem 8 B", false, true, {}},
    {"rate_putmem_nbi8", "rate of putmem_nbi 8 B", false, true, {}},
    {"rate_atomic_add", "rate of atomic_add", false, true, {}},
};

constexpr double kDrift = 0.10;  // of the raw ping-pong during a batch, beyond which it is dropped

const Time* find(const std::string& name) {
    for (const Time& time : kTimes) {
        if (name == time.name) return &time;
    }
    return nullptr;
}

void collect(const std::vector<Record>& records, Times& times) {
    for (const Record& record : records) {
        const auto name = record.find("time");
        const Time* const time = name == record.end() ? nullptr : find(name->second);
        if (!time) continue;
        const double before = number(record, "before"), after = number(record, "after");
        const double raw = (before + after) / 2;
        Batches& batches = times[time->name];
        if (time->crosses && std::fabs(before - after) > kDrift * raw) {
            ++batches.drifted;
            continue;
        }
        const double ns = number(record, "ns");
        batches.values.push_back(time->crosses ? ns / raw : ns);
    }
}

}  // namespace

void measure_times(Run& run) {
    const std::vector<std::string> arguments{"--batches", run.options().quick ? "20" : "40"};
    Times ours, peer;
    std::string reason, peer_reason;
    // The sides take turns, so that both meet the machine in the same moods.
    for (Turns turns(run, "times of short operations", 4, 8, 6); turns.next();) {
        collect(run.records(Side::ours, 2, "latency", arguments, reason), ours);
        if (run.has_peer())
            collect(run.records(Side::peer, 2, "latency", arguments, peer_reason), peer);
    }
    for (const Time& time : kTimes) {
        const Batches& mine = ours[time.name];
        const Batches& theirs = peer[time.name];
        const auto shown = [&](const Batches& batches) -> std::optional<double> {
            if (batches.values.empty()) return {};
            const double value = median(batches.values);
            return time.rate ? 1e3 / value : value;
        };
        Row row;
        row.claim = time.claim;
        row.unit = time.crosses ? "x raw ping-pong" : time.rate ? "million/s" : "ns";
        row.ours = shown(mine);
        row.peer_value = shown(theirs);
        if (run.has_peer()) row.peer = Run::peer_name();
        if (time.must) {
            row.must = at_most(*time.must);
        } else if (row.peer_value) {
            row.must = time.rate ? at_least(*row.peer_value * (1 - kTie))
                                 : at_most(*row.peer_value * (1 + kTie));
        } else {
            run.lacks_peer(row, peer_reason);
        }
        row.method = time.crosses ? "each batch divided by the raw ping-pong around it"
                                  : "median batch; PE 1 idle";
        if (mine.drifted != 0)
            row.method += "; " + std::to_string(mine.drifted) + " batches dropped for drift";
        if (row.ours)
            row.spread = spread_text(mine.values);
        else
            row.reason =
                reason.empty() ? "every batch drifted; run again on a quieter machine" : reason;
        run.add(row);
    }
}

}  // namespace isthmus::bench
