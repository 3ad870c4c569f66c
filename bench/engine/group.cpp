// Figures 6 to 9 of the paper, from the gates, and what goes beyond them. Cycles are counted in
// Verilator, so the machine that this runs on does not matter; MB/s and us are at the prototype's
// 156 MHz. The paper's curves exist as pictures only: its columns hold what its text says.
#include "engine/group.hpp"

#include "model/measure.hpp"

namespace isthmus::bench {

namespace {

using namespace rtl;
constexpr double kMegahertz = PaperConstants::kMegahertz;
constexpr unsigned kOneWay = PaperConstants::kOneWay, kRead = PaperConstants::kHostRead;
constexpr const char* kDelays = "gates; one way 700 ns (109 cycles), host's read 180 ns (28)";

void add(Run& run, const std::string& claim, double value, const char* unit, Must must,
         const char* method, std::optional<double> paper = {}, const char* figure = "",
         const char* series = "", double x = 0) {
    Row row;
    row.claim = claim;
    row.ours = value;
    row.unit = unit;
    row.must = must;
    row.method = method;
    if (paper) {
        row.peer = "the paper's prototype";
        row.peer_value = paper;
    }
    row.figure = figure;
    row.series = series;
    row.x = x;
    run.add(row);
}

// Figures 6 and 7: posted writes.
void measure_writes(Run& run) {
    for (const unsigned bytes : {4u, 8u, 16u, 32u, 64u}) {
        run.progress("writes of " + std::to_string(bytes) + " B");
        const double cycles = posted_cycles(bytes, 400);
        const Must must = bytes == 8 ? at_most(8) : bytes == 64 ? at_most(22) : Must{};
        const std::optional<double> paper = bytes == 8    ? std::optional(25.0)
                                            : bytes == 64 ? std::optional(32.0)
                                                          : std::nullopt;
        const std::string name = "posted write of " + std::to_string(bytes) + " B";
        add(run, name, cycles, "cycles", must, "gates, 32-bit link", paper);
        add(run, "figure 6: " + name, bytes * kMegahertz / cycles, "MB/s",
            bytes == 8    ? at_least(50)
            : bytes == 64 ? at_least(300)
                          : Must{},
            "at 156 MHz",
            bytes == 8    ? std::optional(50.0)
            : bytes == 64 ? std::optional(300.0)
                          : std::nullopt,
            "write throughput", "gates", bytes);
        add(run, "figure 7: " + name, kMegahertz / cycles, "M/s",
            bytes <= 32 ? at_least(6.25) : at_least(4.7), "at 156 MHz",
            bytes == 8 || bytes == 32 ? std::optional(6.24)
            : bytes == 64             ? std::optional(4.88)
                                      : std::nullopt,
            "posted rate", "gates", bytes);
    }
}

// Figure 8: one read at a time.
void measure_latency(Run& run) {
    run.progress("latency");
    const Trip near = round_trip(8, false, 1, 4), far8 = round_trip(8, false, kOneWay, kRead);
    add(run, "read of 8 B, in the two engines", near.engine, "cycles", at_most(40),
        "gates; both sides, both ways");
    add(run, "figure 8: read of 8 B", far8.whole / kMegahertz, "us", at_most(2), kDelays, 2.0);
    for (const unsigned bytes : {16u, 32u, 64u}) {
        const Trip far = round_trip(bytes, false, kOneWay, kRead);
        add(run, "read of " + std::to_string(bytes) + " B against 8 B", far.whole / far8.whole, "x",
            bytes == 64 ? at_most(1.12) : Must{}, kDelays,
            bytes == 64 ? std::optional(1.12) : std::nullopt, "read latency", "gates", bytes);
    }
    add(run, "atomic, in the two engines", round_trip(8, true, 1, 4).engine, "cycles", at_most(44),
        "gates; fetch-add");
}

// Figure 9: reads by how many are open.
void measure_reads(Run& run) {
    for (const unsigned bytes : {8u, 64u}) {
        const double one = read_rate(bytes, 1, kOneWay, kRead, 32);
        const double link = bytes == 8 ? 8.0 / 4 : 64.0 / 18;  // payload of the response's words
        for (unsigned open = 1; open <= 1024; open *= run.options().quick ? 8 : 2) {
            run.progress("reads of " + std::to_string(bytes) + " B, " + std::to_string(open) +
                         " open");
            const double rate =
                open == 1 ? one : read_rate(bytes, open, kOneWay, kRead, 600 + 4 * open);
            add(run,
                "figure 9: reads of " + std::to_string(bytes) + " B, " + std::to_string(open) +
                    " open, of what n / round trip or the link give",
                rate / std::min(one * open, link), "x", at_least(0.9), kDelays, {},
                "read throughput", bytes == 8 ? "8 B" : "64 B", open);
            add(run,
                "figure 9: reads of " + std::to_string(bytes) + " B, " + std::to_string(open) +
                    " open",
                rate * kMegahertz, "MB/s", {}, kDelays);
        }
    }
}

void measure_prefetch(Run& run) {
    for (const int stride : {64, -64, 256, 4032}) {
        run.progress("prefetch");
        const unsigned count = run.options().quick ? 600 : 1000;
        const Stream with = read_stream(64, stride, 28, kOneWay, kRead, count),
                     without = read_stream(64, stride, 0, kOneWay, kRead, 32);
        const std::string name =
            "loads of 64 B, " + std::to_string(stride) + " B apart, one open: ";
        add(run, name + "share of the link", with.link_share, "", at_least(0.9), kDelays);
        add(run, name + "share of the link without prefetch", without.link_share, "", {}, kDelays);
        add(run, name + "hit rate", with.hit_rate, "", at_least(0.9), "counters of the gates");
        add(run, name + "lines fetched for nothing", with.wasted, "", at_most(0.1),
            "counters of the gates");
    }
    const Stream words = read_stream(8, 8, 28, kOneWay, kRead, 2000),
                 none = read_stream(8, 8, 0, kOneWay, kRead, 32);
    add(run, "loads of 8 B in a row, one open: times faster by prefetch",
        words.bytes_per_cycle / none.bytes_per_cycle, "x", {}, kDelays);
}

void measure_bulk(Run& run) {
    run.progress("bulk");
    add(run, "bulk put of 64 KiB, of the link's 64 B in 20 words",
        bulk_rate(false, 65536, kOneWay, kRead) * 20 / 64, "", at_least(0.85), kDelays);
    add(run, "bulk get of 64 KiB, of the link's 64 B in 18 words",
        bulk_rate(true, 65536, kOneWay, kRead) * 18 / 64, "", at_least(0.85), kDelays);
}

}  // namespace

Group engine() {
    return {
        "engine",
        "the HyperTransport engine in gates: figures 6 to 9 of its paper, atomics, prefetch, bulk",
        {{"writes", measure_writes},
         {"latency", measure_latency},
         {"reads", measure_reads},
         {"prefetch", measure_prefetch},
         {"bulk", measure_bulk}}};
}

}  // namespace isthmus::bench
