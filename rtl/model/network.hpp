// The network between the engines: a crossbar that keeps HyperTransport's order for each pair of
// nodes (posted packets in order; none of the others passes a posted one that left before it), with
// bounded room for each source and channel, delays, and loss where it is asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "model/node.hpp"

namespace isthmus::rtl {

struct NetworkBehaviour {
    unsigned latency = 2;
    unsigned latency_spread = 0;
    unsigned gap = 0;      // chance out of 256 of a pause between the words of a packet
    unsigned lose = 0;     // chance out of 65536 that a non-posted packet or a response is lost
    unsigned delay = 0;    // chance out of 65536 that one is held back
    unsigned delayed = 0;  // for so many cycles
    unsigned damage = 0;   // chance out of 65536 that one arrives cut short
};

class Network {
  public:
    Network(unsigned nodes, std::uint64_t seed);

    // One cycle of everything.
    void cycle();
    void cycles(unsigned count);
    Node& node(unsigned n) { return *nodes_[n]; }
    unsigned size() const { return static_cast<unsigned>(nodes_.size()); }
    std::uint64_t now() const { return now_; }
    bool empty() const;

    // A dead node's packets, and those for it, disappear.
    std::vector<bool> dead;
    // A packet that will not arrive, as words.
    std::function<void(unsigned channel, const std::vector<std::uint32_t>&)> on_lost;

    NetworkBehaviour behaviour;
    std::uint64_t words = 0;  // on all links

  private:
    struct Packet {
        unsigned source, destination, channel;
        std::uint64_t due;
        std::vector<std::uint32_t> words;
    };
    struct Port {
        std::vector<std::uint32_t> arriving;
        // Packets from here by channel, in the order in which they left.
        std::deque<Packet> inside[kChannels];
        int credits[kChannels];       // of the node's receive queues
        bool credit_back[kChannels];  // to the node, next cycle
        int credits_owed[kChannels];
        std::vector<std::uint32_t> leaving;
        std::size_t next_word = 0;
        unsigned leaving_channel = 0;
    };
    void take(unsigned n);
    Flit give(unsigned n);
    bool may_go(unsigned source, unsigned channel, std::size_t place) const;

    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<Port> ports_;
    std::mt19937 random_;
    std::uint64_t now_ = 0;
    std::uint64_t serial_ = 0;
    std::vector<std::deque<std::uint64_t>> posted_;  // serials of posted packets inside, by pair
    std::vector<std::vector<std::deque<std::uint64_t>>> serials_;
};

}  // namespace isthmus::rtl
