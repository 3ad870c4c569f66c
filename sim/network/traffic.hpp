// Synthetic traffic: the patterns by which networks are compared, and the run that measures one
// point of a latency-throughput curve.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine.hpp"
#include "sim/network/mesh.hpp"
#include "sim/statistics/histogram.hpp"

namespace isthmus::sim {

enum class TrafficPattern : std::uint8_t {
    uniform,         ///< any other node, evenly
    transpose,       ///< (x, y) to (y, x); square meshes
    bit_complement,  ///< (x, y) to (w-1-x, h-1-y)
    tornado,         ///< half the row less one to the east, going round
    neighbour,       ///< one to the east, going round
    hotspot,         ///< a share of the packets to one node, the rest uniform
};

std::string_view pattern_name(TrafficPattern pattern);
/// Throws std::invalid_argument with the known names.
TrafficPattern parse_pattern(std::string_view name);

struct TrafficRun {
    TrafficPattern pattern = TrafficPattern::uniform;
    double load = 0.1;  ///< offered flits per node and cycle
    std::uint32_t packet_flits = 5;
    double hotspot_share = 0.2;  ///< kHotspot only
    Cycle warmup = 2000, measure = 10000;
    Cycle drain_limit = 2000000;  ///< after this the run is an error
    std::uint64_t seed = 1;
    unsigned threads = 1;
};

struct TrafficResult {
    double offered = 0;   ///< flits per node and cycle that the sources made while measuring
    double accepted = 0;  ///< flits per node and cycle that arrived while measuring
    Histogram latency;    ///< of packets made while measuring, queueing at the source included
    Histogram network_latency;  ///< the same from the first flit on the wire
    Cycle cycles = 0;           ///< simulated in all, until the network was empty
    std::uint64_t packets = 0, flit_hops = 0;
    double seconds = 0;  ///< host time
    std::uint64_t digest =
        0;  ///< of every arrival (source, target, time): equal runs have equal digests
};

/// Throws std::invalid_argument for a run that cannot be made on the machine: a pattern that the
/// mesh cannot have, a load or a share outside 0..1, nothing to measure.
void check_traffic(const MachineDescription& machine, const TrafficRun& run);

/// The highest load (flits per node and cycle) that the busiest link of the pattern can carry under
/// XY routing: the inverse of its channel load, computed link by link. 1.0 where injection is the
/// limit.
double throughput_bound(const MachineDescription& machine, const TrafficRun& run);

/// Simulates and checks conservation at the end. Throws as check_traffic() does, ModelError if an
/// invariant breaks.
TrafficResult run_traffic(const MachineDescription& machine, const TrafficRun& run,
                          std::vector<RouterStatistics>* links = nullptr);

/// One point of a curve. No host times, so that equal runs give equal text.
nlohmann::ordered_json traffic_to_json(const TrafficRun& run, const TrafficResult& result);

}  // namespace isthmus::sim
