// The mesh in gates with its nodes around it: sends the packets of a list, takes what comes out,
// and judges it flit by flit.
#pragma once

#include <verilated.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/machine/random.hpp"
#include "tests/noc/ports.hpp"
#include "tests/noc/traffic.hpp"

namespace isthmus::rtl {

/// What the mesh is built with (rtl/noc/noc_mesh.sv).
struct MeshShape {
    unsigned width, height, per_class, depth;
};

/// How a node behaves, out of 256. Without any, it sends whenever it is let and takes at once, as
/// the simulator's nodes do.
struct NodeBehaviour {
    unsigned pause = 0;  ///< a flit is not offered in a cycle, in the middle of a packet too
    unsigned hold = 0;   ///< a buffer slot is not given back in a cycle
};

template <class Model>
class MeshGates {
  public:
    MeshGates(const MeshShape& shape, const std::vector<Offer>& offers, NodeBehaviour behaviour)
        : shape_(shape),
          nodes_(shape.width * shape.height),
          channel_bits_(shape.per_class == 1 ? 1 : 2),
          offers_(offers),
          behaviour_(behaviour),
          delivered_(offers.size(), kNever),
          by_number_(std::size_t{1} << 20),
          senders_(nodes_ * 2),
          takers_(nodes_ * shape.per_class * 2) {
        context_.randReset(2);
        if constexpr (requires { Model(&context_, shape_.width, shape_.height); }) {
            model_ = std::make_unique<Model>(&context_, shape_.width, shape_.height);
        } else {
            model_ = std::make_unique<Model>(&context_);
        }
        model_->rst_ni = 0;
        clear();
        for (int i = 0; i < 4; ++i) {
            model_->eval();
            clock();
        }
        model_->rst_ni = 1;
    }
    ~MeshGates() { model_->final(); }

    /// One cycle. Throws std::runtime_error with the place if a flit is lost, doubled, changed, out
    /// of order or at the wrong node, or a buffer of a node overflows.
    void step() {
        while (next_ < offers_.size() && offers_[next_].when <= now_) {
            by_number_[next_ & kNumbers] = next_;
            senders_[offers_[next_].source * 2u + offers_[next_].message_class].packets.push_back(
                next_);
            ++next_;
        }
        offer();
        take();  // from registers
        give_back();
        model_->eval();
        for (unsigned sender = 0; sender < senders_.size(); ++sender) {
            if (get(model_->send_ready_o, sender, 1) == 0) continue;
            Sender& s = senders_[sender];
            if (++s.flit == offers_[s.packets.front()].flits) {
                s.packets.pop_front();
                s.flit = 0;
            }
        }
        clock();
        ++now_;
    }
    std::uint64_t now() const { return now_; }
    bool done() const { return arrived_ == offers_.size(); }
    /// When each packet's last flit reached its node.
    const std::vector<std::uint64_t>& delivered() const { return delivered_; }
    std::uint64_t flits() const { return flits_; }

    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  private:
    static constexpr unsigned kFlitBits = 34;
    static constexpr std::uint64_t kNumbers = (1u << 20) - 1, kTail = std::uint64_t{1} << 32,
                                   kHead = std::uint64_t{1} << 33;
    struct Sender {
        std::deque<std::uint64_t> packets;
        unsigned flit = 0;
    };
    struct Taker {
        std::uint64_t packet = kNever;
        unsigned flit = 0, held = 0;
    };

    std::uint64_t flit_of(std::uint64_t packet, unsigned index) const {
        const Offer& o = offers_[packet];
        std::uint64_t data = sim::Random(packet, index).next() & 0xffffffff;
        if (index == 0) {
            data = (packet & kNumbers) << 12 | std::uint64_t{o.source / shape_.width} << 9 |
                   std::uint64_t{o.source % shape_.width} << 6 |
                   std::uint64_t{o.destination / shape_.width} << 3 | o.destination % shape_.width;
        }
        return (index == 0 ? kHead : 0) | (index + 1 == o.flits ? kTail : 0) | data;
    }
    void offer() {
        for (unsigned sender = 0; sender < senders_.size(); ++sender) {
            const Sender& s = senders_[sender];
            const bool valid = !s.packets.empty() && !random_.below_of_256(behaviour_.pause);
            put(model_->send_valid_i, sender, 1, valid);
            if (!valid) continue;
            put(model_->send_flit_i, sender * kFlitBits, kFlitBits,
                flit_of(s.packets.front(), s.flit));
            put(model_->send_next_i, sender, 1, s.packets.size() > 1);
        }
    }
    void take() {
        for (unsigned node = 0; node < nodes_; ++node) {
            if (get(model_->take_valid_o, node, 1) == 0) continue;
            const auto channel = static_cast<unsigned>(
                get(model_->take_channel_o, node * channel_bits_, channel_bits_));
            const std::uint64_t flit = get(model_->take_flit_o, node * kFlitBits, kFlitBits);
            Taker& t = takers_[node * shape_.per_class * 2 + channel];
            if (t.flit == 0) t.packet = by_number_[flit >> 12 & kNumbers];
            if (t.packet >= next_ || flit != flit_of(t.packet, t.flit) ||
                delivered_[t.packet] != kNever || offers_[t.packet].destination != node ||
                offers_[t.packet].message_class != channel / shape_.per_class) {
                throw std::runtime_error(where(node, channel) + "flit " + std::to_string(t.flit) +
                                         " is not the packet's");
            }
            if (++t.held > shape_.depth)
                throw std::runtime_error(where(node, channel) + "overflow");
            ++flits_;
            if (++t.flit < offers_[t.packet].flits) continue;
            delivered_[t.packet] = now_;
            ++arrived_;
            t.flit = 0;
        }
    }
    void give_back() {
        for (unsigned node = 0; node < nodes_; ++node) {
            const unsigned channels = shape_.per_class * 2;
            const auto first = static_cast<unsigned>(random_.next() % channels);
            put(model_->take_credit_valid_i, node, 1, 0);
            if (random_.below_of_256(behaviour_.hold)) continue;
            for (unsigned i = 0; i < channels; ++i) {
                const unsigned channel = (first + i) % channels;
                Taker& t = takers_[node * channels + channel];
                if (t.held == 0) continue;
                --t.held;
                put(model_->take_credit_valid_i, node, 1, 1);
                put(model_->take_credit_channel_i, node * channel_bits_, channel_bits_, channel);
                break;
            }
        }
    }
    void clear() {
        for (unsigned i = 0; i < nodes_; ++i)
            put(model_->take_credit_valid_i, i, 1, 0);
        for (unsigned i = 0; i < nodes_ * 2; ++i)
            put(model_->send_valid_i, i, 1, 0);
    }
    void clock() {
        model_->clk_i = 1;
        model_->eval();
        model_->clk_i = 0;  // seen by the next cycle's eval
    }
    std::string where(unsigned node, unsigned channel) const {
        return "cycle " + std::to_string(now_) + ": node " + std::to_string(node) + ", channel " +
               std::to_string(channel) + ": ";
    }
    struct Dice : sim::Random {
        using sim::Random::Random;
        bool below_of_256(unsigned share) { return share != 0 && next() % 256 < share; }
    };

    const MeshShape shape_;
    const unsigned nodes_, channel_bits_;
    const std::vector<Offer>& offers_;
    const NodeBehaviour behaviour_;
    VerilatedContext context_;
    std::unique_ptr<Model> model_;
    std::uint64_t now_ = 0, next_ = 0, arrived_ = 0, flits_ = 0;
    std::vector<std::uint64_t> delivered_;
    std::vector<std::uint64_t>
        by_number_;                // packets under way, by the low bits that a head carries
    std::vector<Sender> senders_;  // by node and class
    std::vector<Taker> takers_;    // by node and channel
    Dice random_{7};
};

}  // namespace isthmus::rtl
