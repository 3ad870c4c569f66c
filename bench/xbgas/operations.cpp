// Single operations: how many instructions, which share of the latency is software
// (programs/micro.c).
#include <algorithm>

#include "harness/statistics.hpp"
#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"
#include "xbgas/micro.hpp"
#include "xbgas/share.hpp"

namespace isthmus::bench {
void measure_operation_counts(Run& run) {
    run.progress("counting the instructions of single operations");
    SimulatedMachine machine(run);
    constexpr int kCount = 1000;
    constexpr const char* kSeries = "against the RDMA NIC";
    std::vector<double> savings;
    for (const auto& [name, claim, category] : kWordOperations) {
        const auto ours = operation_instructions(machine, Road::xbgas, 2, name, 8, kCount);
        const auto theirs = operation_instructions(machine, Road::rdma, 2, name, 8, kCount);
        Row row;
        row.claim = std::string(claim) + ", instructions";
        row.unit = "instructions";
        row.peer = kRdmaPeer;
        row.ours = ours;
        row.peer_value = theirs;
        row.reason = machine.why_not();
        const std::string operation = name;
        // The call's own instructions: the argument's loads belong to the loop of the program.
        if (operation == "put" || operation == "get") {
            const auto own = [&](Road road) -> std::optional<double> {
                const auto counts = machine.count(road, 2, "micro", micro(operation, 8, kCount));
                if (!counts) return {};
                return counts->communication / kCount;
            };
            row.ours = own(Road::xbgas);
            row.peer_value = own(Road::rdma);
            row.must = at_most(2);
            row.method = "both without the arguments, which belong to the program's loop";
        } else {
            row.method = "both with arguments and return value, less the empty loop";
        }
        run.add(row);
        if (!ours || !theirs) continue;
        savings.push_back(saved(*ours, *theirs));
        run.add(saving_row(std::string(claim) + ", instructions saved", savings.back(),
                           "figure 3; both with arguments and return value, less the empty loop",
                           kSeries, category));
    }
    Row row;
    row.figure = kFigure3;
    row.series = kSeries;
    row.category = "mean";
    row.claim = "instructions saved: put, get and atomics of 8 bytes, mean";
    row.unit = "%";
    row.must = at_least(73.9);
    row.peer = "paper, against OpenSHMEM";
    row.peer_value = 73.89;
    row.reason = machine.why_not();
    row.method =
        "figure 3; the paper does not name its seven operations; our comparator is leaner "
        "than OpenSHMEM";
    if (savings.size() == std::size(kWordOperations)) row.ours = mean(savings);
    run.add(row);
}

void measure_put_by_size(Run& run) {
    run.progress("counting the instructions of puts by size");
    SimulatedMachine machine(run);
    constexpr int kCount = 50;
    const auto add = [&](const std::string& claim, const char* operation, const char* series,
                         int bytes, const char* method, bool bound) {
        Row row;
        row.claim = claim + ", instructions";
        row.unit = "instructions";
        row.peer = kRdmaPeer;
        row.ours = operation_instructions(machine, Road::xbgas, 2, operation, bytes, kCount);
        row.peer_value = operation_instructions(machine, Road::rdma, 2, "put", bytes, kCount);
        if (bound && row.peer_value) row.must = at_most(*row.peer_value);
        row.reason = machine.why_not();
        row.method = method;
        row.figure = "Fig. 15: instructions of a put by bytes";
        row.series = series;
        row.x = bytes;
        run.add(row);
    };
    for (const int bytes : {8, 64, 512, 4096, 32768, 131072}) {
        if (run.options().quick && bytes != 64 && bytes != 32768) continue;
        const std::string claim = "put of " + std::to_string(bytes) + " bytes";
        add(claim, "put", "xBGAS, as the library chooses", bytes,
            "figure 15 (the paper gives no numbers): bulk above 16 bytes", true);
        add(claim + " in single words", "put_words", "xBGAS, single words", bytes,
            "figure 15; the loop over the words included; the peer's is the block", false);
    }
}

void measure_software_share(Run& run) {
    run.progress("latency of single operations on the timed machine");
    SimulatedMachine machine(run);
    struct Share {
        std::optional<double> value;
        std::string parts;
        std::string reason;
    };
    const auto measure = [&](Road road, bool put, int bytes) -> Share {
        const int count = bytes <= 4096 ? 2000 : bytes <= 65536 ? 64 : 4;
        const auto timed =
            machine.time(road, 2, "micro", micro(put ? "put" : "get", bytes, count, true));
        if (!timed || timed->report.is_discarded()) return {{}, "", machine.why_not()};
        const auto& latency =
            timed->report["remote_latency"]
                         [bytes <= 8 ? (put ? "store" : "load") : (put ? "bulk_put" : "bulk_get")];
        const double cycles_per_ns =
            timed->report["machine"]["core"]["clock_mhz"].get<double>() / 1000;
        // The shortest, as the others wait for each other now and then: the share is rather
        // overstated. A quantile would be an edge of a step of the histogram.
        double network = latency["minimum"].get<double>();
        // Reading a descriptor is the NIC's part, too; that of the quiet behind a put is read
        // meanwhile. The latency of what asks for a completion has it in it; that of a put of a
        // word does not, but the quiet has to wait for one.
        if (road == Road::rdma) {
            const auto& nic = timed->report["machine"]["nic"];
            network += nic["descriptor_cycles"].get<double>();
            if (put && bytes <= 8) network += nic["completion_cycles"].get<double>();
        }
        // Reading the clock twice is in it, too: two system calls over all operations.
        const double all = timed->nanoseconds * cycles_per_ns / count;
        Share share;
        share.parts = number_text(all) + " cycles, the NIC's part " + number_text(network);
        share.value = software_share(all, network);
        if (!share.value) share.reason = "the NIC's part is longer than the whole: " + share.parts;
        return share;
    };
    constexpr const char* kFigure1 = "paper's OpenSHMEM over UCX";
    constexpr double kShareOfOneByte = 45.08;
    for (const bool put : {true, false}) {
        const std::string operation = put ? "put" : "get";
        for (const int bytes : {1, 2, 4, 8, 64, 512, 4096, 65536, 1 << 20}) {
            if (bytes > 8 && run.options().quick) continue;
            const Share ours = measure(Road::xbgas, put, bytes);
            const Share theirs = measure(Road::rdma, put, bytes);
            const auto add = [&](const char* against, const char* peer, std::optional<double> value,
                                 Must must, const std::string& method) {
                Row row;
                row.claim = "software share of the latency of a " + operation + " of " +
                            std::to_string(bytes) + " bytes" + against;
                row.unit = "%";
                row.ours = ours.value;
                row.reason = ours.reason;
                row.peer = peer;
                row.peer_value = value;
                row.must = must;
                row.method = (put ? "figure 9" : "figure 8") +
                             std::string(
                                 ": what lies beside the NIC's latency, loop included; each "
                                 "operation complete before the next; 2 nodes side by side; ") +
                             ours.parts + method;
                row.figure = put ? "Fig. 9: software share of a put by bytes"
                                 : "Fig. 8: software share of a get by bytes";
                row.series = "xBGAS";
                row.x = bytes;
                run.add(row);
            };
            // The paper's number is for small payloads, of which it names none: for each of them.
            if (bytes <= 8)
                add("", "paper (small payloads)", put ? 9.70 : 9.72, at_most(put ? 9.70 : 9.72),
                    "");
            if (!put && bytes == 1) add(", against figure 1", kFigure1, kShareOfOneByte, {}, "");
            if (!put && bytes == 8) {
                Row cut;
                cut.claim = "software share of a get of 8 bytes, cut against figure 1";
                cut.unit = "%";
                cut.must = at_least(78.43);
                cut.peer = "paper";
                cut.peer_value = 78.43;
                cut.reason = ours.reason;
                cut.method =
                    "figure 8 against figure 1's 45.08 % of 1 byte, as the paper compares them";
                if (ours.value) cut.ours = 100 * (kShareOfOneByte - *ours.value) / kShareOfOneByte;
                run.add(cut);
            }
            if (!put && bytes == 1 << 20) add(", against figure 1", kFigure1, 0.90, {}, "");
            add(", against the RDMA NIC", kRdmaPeer, theirs.value, {},
                "; the peer's: " + (theirs.value ? theirs.parts : theirs.reason));
        }
    }
}

void measure_broadcast(Run& run) {
    run.progress("broadcast on 6 nodes");
    SimulatedMachine machine(run);
    constexpr int kCount = 20;
    struct Part {
        double least = 1e9, most = 0, first = 0, last = 0;
        void add(double ours, double theirs) {
            if (first == 0) first = ours;
            last = ours;
            least = std::min(least, theirs / ours);
            most = std::max(most, theirs / ours);
        }
    } root, all;
    bool whole = true;
    for (const int bytes : kBroadcastBytes) {
        const auto arguments = micro("broadcast", bytes, kCount);
        const auto ours = machine.count(Road::xbgas, 6, "micro", arguments);
        const auto theirs = machine.count(Road::rdma, 6, "micro", arguments);
        whole = whole && ours && theirs;
        const auto add = [&](const char* where, auto value, const char* method, Part& part) {
            Row row;
            row.claim = "broadcast of " + std::to_string(bytes) + " bytes to 6 nodes, " + where +
                        ", instructions";
            row.unit = "instructions";
            row.peer = kRdmaPeer;
            row.reason = machine.why_not();
            row.method = method;
            row.figure = kFigure11;
            row.series = std::string("xBGAS, ") + where;
            row.x = bytes;
            if (ours && theirs) {
                row.ours = value(*ours) / kCount;
                row.peer_value = value(*theirs) / kCount;
                part.add(*row.ours, *row.peer_value);
            }
            run.add(row);
        };
        add(
            "at the root", [](const Counts& c) { return c.first_node; },
            "figure 11; from the call to its return, waiting left out", root);
        add(
            "at all together", [](const Counts& c) { return c.communication; },
            "of which the leaves wait for a flag only, alike by both roads", all);
        if (!whole) break;
    }
    const auto add = [&](const char* claim, double value, Must must, double paper,
                         const char* method, const char* reason, const char* series,
                         const char* category) {
        Row row;
        row.figure = kFigure11Ratios;
        row.series = series;
        row.category = category;
        row.claim = claim;
        row.unit = "x";
        row.must = must;
        row.peer = "paper, against OpenSHMEM";
        row.peer_value = paper;
        row.reason = machine.why_not();
        row.method = method;
        if (whole) row.ours = value;
        if (row.reason.empty() && !row.holds()) row.reason = reason;
        run.add(row);
    };
    constexpr const char* kRoot = "against the RDMA NIC, at the root";
    constexpr const char* kAll = "against the RDMA NIC, all together";
    constexpr const char* kRange = "figure 11, 8 B to 32 KB";
    constexpr const char* kLean =
        "the comparator moves any size with one descriptor of about 25 instructions and "
        "copies nothing; the paper's OpenSHMEM copies (see the rows against Open MPI OSHMEM)";
    add("broadcast on 6 nodes, fewer instructions than RDMA at the root, least", root.least,
        at_least(3.41), 3.41, kRange, kLean, kRoot, "least");
    add("broadcast on 6 nodes, fewer instructions than RDMA at the root, most", root.most,
        at_least(22.01), 22.01, kRange, kLean, kRoot, "most");
    add("broadcast on 6 nodes, fewer instructions than RDMA at all, least", all.least,
        at_least(3.41), 3.41, kRange,
        "the five that receive run the same 21 instructions by both roads", kAll, "least");
    add("broadcast on 6 nodes, fewer instructions than RDMA at all, most", all.most,
        at_least(22.01), 22.01, kRange, kLean, kAll, "most");
    add("broadcast on 6 nodes, growth from 8 B to 32 KB at all", all.last / all.first, at_most(2),
        2, "figure 11; the paper's OpenSHMEM grows 9.95 times; a tree above 512 B", "", kAll,
        "growth");
}

void measure_message_format(Run& run) {
    run.progress("share of payload in the messages");
    SimulatedMachine machine(run);
    const auto add = [&](int bytes, const char* claim, bool addresses, const char* method) {
        std::vector<std::string> options;
        if (!addresses) options = {"--set", "network.address_flits=0"};
        const auto timed =
            machine.time(Road::xbgas, 2, "micro", micro("put", bytes, 2000, true), options);
        Row row;
        row.claim =
            std::string("payload share of a put of ") + std::to_string(bytes) + " bytes, " + claim;
        row.unit = "%";
        const double formula = 100.0 * bytes / (bytes + 8);
        row.peer = "paper's p / (p + 8)";
        row.peer_value = formula;
        if (addresses) row.must = at_least(0.98 * formula);
        row.method = std::string(
                         "figure 12: bytes of payload among those of all flits, counted by the "
                         "NICs, set-up and barriers included; ") +
                     method;
        if (bytes < 8) row.method += "; three bytes of its flit are empty, the paper counts none";
        row.figure = "Fig. 12: payload of a put by bytes";
        row.series = claim;
        row.x = bytes;
        row.reason = machine.why_not();
        if (timed && !timed->report.is_discarded() && timed->report["total"].contains("nic")) {
            const auto& nic = timed->report["total"]["nic"];
            double flits = 0;
            for (const char* of : {"payload_flits", "header_flits", "address_flits"})
                flits += nic[of].get<double>();
            const double flit_bytes =
                timed->report["machine"]["network"]["flit_bits"].get<double>() / 8;
            row.ours = 100 * nic["payload_bytes"].get<double>() / (flits * flit_bytes);
        }
        run.add(row);
    };
    for (const int bytes : {1, 8, 64, 256, 1024}) {
        if (run.options().quick && bytes != 8 && bytes != 1024) continue;
        add(bytes, "without addresses", false,
            "not the default machine: network.address_flits=0, as the paper counts 8 bytes of "
            "control a pair of messages and no address; so without a bound");
        add(bytes, "default machine", true,
            "requests carry their address in two flits, which the paper does not count");
    }
}

}  // namespace isthmus::bench
