// Times of active messages: on one host beside lines that two processes hand over without a
// library, between hosts beside a bare ping-pong of what the road stands on, all in one run.
#include <unistd.h>

#include <cmath>

#include "harness/statistics.hpp"
#include "sfi/group.hpp"

namespace isthmus::bench {
namespace {

constexpr double kDrift = 0.10;  // of what is raw during a batch, beyond which it is dropped

// Batches beside what was measured right before and after them, nanoseconds an item.
struct Batches {
    std::vector<double> ours, raw;
    int drifted = 0;
};
using Near = std::map<std::string, Batches>;  // by op

void collect_near(const std::vector<Record>& records, Near& near) {
    for (const Record& record : records) {
        const auto op = record.find("op");
        if (op == record.end()) continue;
        const double before = number(record, "before"), after = number(record, "after");
        Batches& batches = near[op->second];
        if (std::fabs(before - after) > kDrift * (before + after) / 2) {
            ++batches.drifted;
            continue;
        }
        batches.ours.push_back(number(record, "ns"));
        batches.raw.push_back((before + after) / 2);
    }
}

// Each of `over` by that of `under`.
std::vector<double> ratios(const std::vector<double>& over, const std::vector<double>& under) {
    std::vector<double> all;
    for (std::size_t i = 0; i < std::min(over.size(), under.size()); ++i)
        all.push_back(over[i] / under[i]);
    return all;
}

void compare(Row& row, const std::vector<double>& over, const std::vector<double>& under) {
    const std::vector<double> all = ratios(over, under);
    if (all.empty()) return;
    row.ours = median(all);
    row.spread = spread_text(all);
}

void add_near(Run& run) {
    Near near;
    std::string reason;
    for (Turns turns(run, "messages on one host", 3, 9, 10); turns.next();) {
        for (const int pes : {2, 3})
            collect_near(run.records(Side::ours, pes, "message_times", {}, reason), near);
    }
    const auto add = [&](Row row, const Batches& batches, bool is_rate) {
        if (is_rate)
            compare(row, batches.raw, batches.ours);
        else
            compare(row, batches.ours, batches.raw);
        if (row.ours)
            row.method =
                "each batch beside the lines around it: " + number_text(median(batches.ours)) +
                " and " + number_text(median(batches.raw)) + " ns; " +
                std::to_string(batches.drifted) + " batches dropped for drift" + row.method;
        else
            row.reason =
                reason.empty() ? "every batch drifted; run again on a quieter machine" : reason;
        run.add(row);
    };
    Row trip;
    trip.claim = "short message and its reply, one host";
    trip.unit = "x a cache line there and one back";
    trip.must = at_most(1.5);
    add(trip, near["round_trip"], false);
    Row rate;
    rate.unit = "x that of raw lines of 64 B";
    rate.must = at_least(0.8);
    rate.claim = "rate of short messages to one PE, 1 sender";
    add(rate, near["rate1"], true);
    rate.claim = "rate of short messages to one PE, 2 senders";
    rate.method = "; of lines each sender has a ring of its own";
    add(rate, near["rate2"], true);
}

using Times =
    std::map<std::string, std::vector<double>>;  // microseconds by side and op, one a turn

// The best that the rival does: asleep or polling, whichever is less in that turn.
std::vector<double> least(const std::vector<double>& one, const std::vector<double>& other) {
    std::vector<double> all;
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
        all.push_back(std::min(one[i], other[i]));
    return all;
}

void add_far(Run& run) {
    Times times;
    std::string reason;
    if (find_program("mpiexec.hydra").empty())
        reason = "not measured: no mpiexec.hydra (package hydra)";
    else if (access(run.program(Side::ours, "bare").c_str(), X_OK) != 0)
        reason = "not measured: libfabric 1.17 was not there when this was built";
    if (reason.empty()) {
        run.progress("messages between hosts made of namespaces");
        Command command;
        const std::string script = run.program(Side::ours, "on_hosts.py");
        command.arguments = {"python3", script, script.substr(0, script.rfind('/')),
                             run.options().quick ? "3" : "9", "messages"};
        command.limit_seconds = 300;
        const Finished finished = run_command(command);
        run.end_progress();
        if (!finished.succeeded()) reason = "not measured: " + finished.last_words();
        for (const Record& record : parse_records(finished.output)) {
            const auto side = record.find("side"), op = record.find("op");
            if (side != record.end() && op != record.end())
                times[side->second + " " + op->second].push_back(number(record, "us"));
        }
    }
    const struct {
        const char* road;
        const char* rival;
        const std::vector<double>& ours;
        std::vector<double> bare;
    } roads[] = {
        {"packets", "bare TCP", times["ours round_trip"],
         least(times["bare_tcp round_trip"], times["bare_tcp round_trip_asleep"])},
        {"libfabric", "bare libfabric (tcp;ofi_rxm)", times["ours_by_ofi round_trip"],
         times["bare round_trip"]},
    };
    for (const auto& road : roads) {
        Row row;
        row.claim = std::string("short message and its reply between hosts, by ") + road.road;
        row.unit = std::string("x ") + road.rival;
        row.must = at_most(1.25);
        row.reason = reason;
        if (reason.empty()) compare(row, road.ours, road.bare);
        if (row.ours)
            row.method =
                "one process on each of 2 hosts made of namespaces of this machine; median of "
                "turns: " +
                number_text(median(road.ours)) + " us, " + road.rival + " " +
                number_text(median(road.bare)) + " us, both sides polling" +
                (row.claim.ends_with("packets") ? " or asleep, whichever is faster" : "");
        run.add(row);
    }
}

}  // namespace

void measure_active_messages(Run& run) {
    add_near(run);
    add_far(run);
}

}  // namespace isthmus::bench
