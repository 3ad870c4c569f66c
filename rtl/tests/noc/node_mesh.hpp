// A mesh of Verilated noc_nodes, wired as noc_mesh wires them, with noc_mesh's ports. Verilator
// makes code of its own for each router of a noc_mesh, 300 MB of it for 8x8; here all share one.
#pragma once

#include <verilated.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/noc/ports.hpp"

namespace isthmus::rtl {

template <class Node, unsigned kChannelBits>
class NodeMesh {
  public:
    NodeMesh(VerilatedContext* context, unsigned width, unsigned height)
        : width_(width), height_(height) {
        for (unsigned n = 0; n < width * height; ++n) {
            nodes_.push_back(std::make_unique<Node>(context));
            nodes_[n]->x_i = static_cast<std::uint8_t>(n % width);
            nodes_[n]->y_i = static_cast<std::uint8_t>(n / width);
            nodes_[n]->valid_i = 0;  // over the edge
            nodes_[n]->credit_valid_i = 0;
        }
    }
    /// With the clock low wires follow registers; the rising edge comes to all nodes before that.
    void eval() {
        for (unsigned n = 0; n < nodes_.size(); ++n) {
            Node& node = *nodes_[n];
            node.clk_i = clk_i;
            node.rst_ni = rst_ni;
            if (clk_i == 0) connect(n);
        }
        for (unsigned n = 0; n < nodes_.size(); ++n) {
            Node& node = *nodes_[n];
            node.eval();
            put(send_ready_o, n * 2, 2, node.send_ready_o);
            put(take_valid_o, n, 1, node.take_valid_o);
            put(take_channel_o, n * kChannelBits, kChannelBits, node.take_channel_o);
            put(take_flit_o, n * kFlitBits, kFlitBits, get(node.take_flit_o, 0, kFlitBits));
        }
    }
    void final() {
        for (auto& node : nodes_)
            node->final();
    }

    // noc_mesh's ports.
    std::uint8_t clk_i = 0, rst_ni = 0;
    std::array<std::uint8_t, 24> send_valid_i{}, send_ready_o{}, send_next_i{}, take_valid_o{},
        take_channel_o{}, take_credit_valid_i{}, take_credit_channel_i{};
    std::array<std::uint8_t, 560> send_flit_i{}, take_flit_o{};

  private:
    static constexpr unsigned kFlitBits = 34;
    static constexpr unsigned kOpposite[] = {2, 3, 0, 1};  // north, east, south, west

    void connect(unsigned n) {
        Node& node = *nodes_[n];
        node.send_valid_i = static_cast<std::uint8_t>(get(send_valid_i, n * 2, 2));
        node.send_next_i = static_cast<std::uint8_t>(get(send_next_i, n * 2, 2));
        for (unsigned k = 0; k < 2; ++k) {
            put(node.send_flit_i, k * kFlitBits, kFlitBits,
                get(send_flit_i, (n * 2 + k) * kFlitBits, kFlitBits));
        }
        node.take_credit_valid_i = static_cast<std::uint8_t>(get(take_credit_valid_i, n, 1));
        node.take_credit_channel_i =
            static_cast<std::uint8_t>(get(take_credit_channel_i, n * kChannelBits, kChannelBits));
        const unsigned x = n % width_, y = n / width_;
        const bool linked[] = {y > 0, x + 1 < width_, y + 1 < height_, x > 0};
        const unsigned neighbour[] = {n - width_, n + 1, n + width_, n - 1};
        for (unsigned p = 0; p < 4; ++p) {
            if (!linked[p]) continue;
            const Node& other = *nodes_[neighbour[p]];
            const unsigned q = kOpposite[p];
            put(node.valid_i, p, 1, get(other.valid_o, q, 1));
            put(node.channel_i, p * kChannelBits, kChannelBits,
                get(other.channel_o, q * kChannelBits, kChannelBits));
            put(node.flit_i, p * kFlitBits, kFlitBits, get(other.flit_o, q * kFlitBits, kFlitBits));
            put(node.credit_valid_i, p, 1, get(other.credit_valid_o, q, 1));
            put(node.credit_channel_i, p * kChannelBits, kChannelBits,
                get(other.credit_channel_o, q * kChannelBits, kChannelBits));
        }
    }

    const unsigned width_, height_;
    std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace isthmus::rtl
