// A node: the engine in gates and the host at its side. The host sends what it is told to, keeps
// the memory, and answers what the engine asks of it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>

#include "model/packet.hpp"

class Vht_engine;
class VerilatedContext;
class VerilatedVcdC;

namespace isthmus::rtl {

// One word of the link.
struct Flit {
    bool valid = false;
    std::uint32_t data = 0;
    unsigned channel = 0;
    bool first = false;
    bool last = false;
};

// How the host behaves. Chances are out of 256, of each cycle.
struct HostBehaviour {
    unsigned latency = 4;         // cycles from a request to the beginning of its response
    unsigned latency_spread = 0;  // and up to this more, so that responses change places
    unsigned hold_command = 0;    // chance not to send a command, a beat
    unsigned hold_credit = 0;     // chance not to return a credit
    unsigned forget = 0;          // chance, of a request, to answer only after `forgotten` cycles
    unsigned forgotten = 0;
    unsigned response_pass = 0;  // chance, of a response, to set PassPW though not asked to
    bool noise = false;          // bits that carry nothing are any
};

class Node {
  public:
    Node(unsigned number, std::uint64_t seed);
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    unsigned number() const { return number_; }

    // A cycle: inputs of the host's side and the link's, then the clock edge.
    void cycle(const Flit& in, const bool credit_in[kChannels]);
    Flit out() const;
    bool credit_out(unsigned channel) const;

    // Registers, between cycles; each takes cycles of its own (the link is idle meanwhile).
    void write_register(unsigned address, std::uint32_t value);
    std::uint32_t read_register(unsigned address);

    // Sends a packet of the host, in its channel's order and behind the posted writes that were
    // sent before it, unless it may pass them. There is no limit to the queue.
    void send(Channel channel, Packet packet);
    std::size_t queued(Channel channel) const { return to_send_[channel].size(); }

    // The host's memory: lines that nobody wrote are zero.
    std::uint8_t* line(std::uint64_t address);

    // What arrives at the host, before memory changes or an answer is made.
    std::function<void(const Packet&)> on_posted, on_request, on_response;
    // An answer that the host gives to a request, as it begins to wait for its time.
    std::function<void(const Packet& request, Packet& response)> on_answer;
    // When the host's response takes its place behind the host's posted writes.
    std::function<void(const Packet& response)> on_answer_sent;

    HostBehaviour behaviour;
    std::uint64_t now() const { return now_; }
    bool idle() const;  // the host owes nothing and has nothing to send

    void trace(const std::string& file);
    void reset(unsigned incarnation);

  private:
    struct Receive {
        Packet packet;
        unsigned beats_left = 0;
    };
    struct Answer {
        std::uint64_t due;
        Packet packet;
    };
    void drive(const Flit& in, const bool credit_in[kChannels]);
    void add_noise(const Packet& packet, std::array<std::uint32_t, 3>& words);
    void sample();
    void edge();
    void received(unsigned channel, Packet packet);
    bool chance(unsigned of_256) { return of_256 != 0 && (random_() & 255) < of_256; }

    unsigned number_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vht_engine> model_;
    std::unique_ptr<VerilatedVcdC> trace_;
    std::mt19937 random_;
    std::uint64_t now_ = 0;

    struct Waiting {
        Packet packet;
        std::uint64_t posted_before;  // posted writes that must have gone
    };
    std::deque<Waiting> to_send_[kChannels];
    std::uint64_t posted_queued_ = 0, posted_gone_ = 0;
    // Of the packet whose command has gone: data that has not.
    std::deque<std::uint64_t> beats_[kChannels];
    int command_credits_[kChannels], data_credits_[kChannels];
    Receive receive_[kChannels];
    int command_returns_[kChannels] = {}, data_returns_[kChannels] = {};
    std::deque<Answer> answers_;
    std::unordered_map<std::uint64_t, std::array<std::uint8_t, 64>> memory_;
};

}  // namespace isthmus::rtl
