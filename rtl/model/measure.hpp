// What two engines do on a line of known delay: the figures of the benchmark and of the tool.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "model/golden.hpp"

namespace isthmus::rtl {

// The clock and the delays around the engine that the paper's prototype has. Cycles of 6.4 ns.
struct PaperConstants {
    static constexpr double kMegahertz = 156;
    static constexpr unsigned kHostRead = 28;  // 180 ns: read through the HT core
    static constexpr unsigned kOneWay = 109;   // 700 ns: links and switches between two cards
};

// Two nodes, wired to each other; nothing between them but the delay, which buffers what is under
// way.
class Line {
  public:
    Line(unsigned delay, unsigned host_latency, const EngineSettings& settings = {},
         std::uint64_t start = 1);

    void cycle();
    Node& node(unsigned n) { return network_.node(n); }
    const AddressMap& map() const { return map_; }
    std::uint64_t now() { return network_.node(0).now(); }
    // Words on the link to a node.
    std::uint64_t words[2] = {};

  private:
    struct Word {
        std::uint64_t due;
        Flit flit;
    };
    Network network_;  // for its nodes only
    AddressMap map_;
    unsigned delay_;
    std::deque<Word> inside_[2][kChannels];  // to node n
    int credits_[2][kChannels];
    int current_[2] = {-1, -1};
};

struct Trip {
    double engine = 0;  // cycles in the two engines
    double whole = 0;   // with the host and the line
};

// Cycles for each posted write of so many bytes, one behind the other.
double posted_cycles(unsigned bytes, unsigned count);
// One request at a time: a read of so many bytes, or an atomic.
Trip round_trip(unsigned bytes, bool atomic, unsigned delay, unsigned host_latency);
// Payload bytes a cycle with so many reads open.
double read_rate(unsigned bytes, unsigned open, unsigned delay, unsigned host_latency,
                 unsigned count);

struct Stream {
    double bytes_per_cycle = 0;
    double link_share = 0;  // of the words that the link could have carried
    double hit_rate = 0;
    double wasted = 0;  // share of the lines fetched that nobody read
};
// One load at a time, each `bytes` long, `stride` apart.
Stream read_stream(unsigned bytes, int stride, unsigned lines_ahead, unsigned delay,
                   unsigned host_latency, unsigned count);
// Bulk put or get of so many bytes: bytes a cycle from the start to the notification.
double bulk_rate(bool get, unsigned bytes, unsigned delay, unsigned host_latency);

}  // namespace isthmus::rtl
