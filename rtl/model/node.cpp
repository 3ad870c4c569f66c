#include "model/node.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <verilated.h>
#include <verilated_vcd_c.h>

#include "Vht_engine.h"
#include "model/coverage.hpp"

namespace isthmus::rtl {

namespace {
constexpr int kHostCredits = 32;
}

Node::Node(unsigned number, std::uint64_t seed)
    : number_(number),
      context_(std::make_unique<VerilatedContext>()),
      random_(static_cast<std::mt19937::result_type>(seed * 1000003 + number)) {
    context_->traceEverOn(true);
    model_ = std::make_unique<Vht_engine>(context_.get());
    reset(0);
}

Node::~Node() {
    if (trace_) trace_->close();
    model_->final();
    keep_counts(*context_);
}

void Node::trace(const std::string& file) {
    trace_ = std::make_unique<VerilatedVcdC>();
    model_->trace(trace_.get(), 99);
    trace_->open(file.c_str());
}

void Node::reset(unsigned incarnation) {
    for (unsigned c = 0; c < kChannels; ++c) {
        to_send_[c].clear();
        beats_[c].clear();
        command_credits_[c] = data_credits_[c] = kHostCredits;
        command_returns_[c] = data_returns_[c] = 0;
        receive_[c] = {};
    }
    answers_.clear();
    posted_queued_ = posted_gone_ = 0;
    const bool none[kChannels] = {};
    model_->incarnation_i = incarnation;
    model_->rst_ni = 0;
    model_->reg_write_i = 0;
    for (int i = 0; i < 3; ++i) {
        drive({}, none);
        edge();
    }
    model_->rst_ni = 1;
    edge();
}

void Node::edge() {
    model_->clk_i = 0;
    model_->eval();
    if (trace_) trace_->dump(now_ * 2);
    model_->clk_i = 1;
    model_->eval();
    if (trace_) trace_->dump(now_ * 2 + 1);
    ++now_;
}

void Node::add_noise(const Packet& packet, std::array<std::uint32_t, 3>& words) {
    const auto any = [this](std::uint32_t mask) {
        return static_cast<std::uint32_t>(random_()) & mask;
    };
    if (packet.is_response()) {
        // Of a response: bits 7:6, 13, 14 (a bridge), 28:26, 31:30 (a unit of the host), and all
        // above.
        words[0] |= any(0xdc0060c0);
        words[1] = any(~0u);
        words[2] = any(~0u);
    } else {
        // Of a request: the compatibility bit, and two of the extension.
        words[0] |= any(1u << 21);
        words[2] |= any(0xc0);
    }
}

void Node::drive(const Flit& in, const bool credit_in[kChannels]) {
    model_->net_rx_valid_i = in.valid;
    model_->net_rx_data_i = in.data;
    model_->net_rx_vc_i = in.channel;
    model_->net_rx_sop_i = in.first;
    model_->net_rx_eop_i = in.last;
    unsigned net_credits = 0, command_valid = 0, data_valid = 0, command_credit = 0,
             data_credit = 0;
    for (unsigned c = 0; c < kChannels; ++c) {
        net_credits |= unsigned{credit_in[c]} << c;
        if (!to_send_[c].empty() && beats_[c].empty() && !chance(behaviour.hold_command)) {
            const Packet& packet = to_send_[c].front().packet;
            if (command_credits_[c] > 0 && to_send_[c].front().posted_before <= posted_gone_ &&
                (!packet.has_data() || data_credits_[c] > 0)) {
                auto words = encode(packet);
                if (behaviour.noise) add_noise(packet, words);
                for (unsigned w = 0; w < 3; ++w)
                    model_->host_rx_cmd_i[3 * c + w] = words[w];
                command_valid |= 1u << c;
                --command_credits_[c];
                if (packet.has_data()) --data_credits_[c];
                for (unsigned i = 0; i < packet.dwords(); i += 2) {
                    const std::uint64_t high = i + 1 < packet.dwords() ? packet.data[i + 1] : 0;
                    beats_[c].push_back(packet.data[i] | high << 32);
                }
                if (c == kPosted) ++posted_gone_;
                to_send_[c].pop_front();
            }
        }
        if (!beats_[c].empty() && !chance(behaviour.hold_command)) {
            model_->host_rx_data_i[2 * c] = static_cast<std::uint32_t>(beats_[c].front());
            model_->host_rx_data_i[2 * c + 1] = static_cast<std::uint32_t>(beats_[c].front() >> 32);
            data_valid |= 1u << c;
            beats_[c].pop_front();
        }
        if (command_returns_[c] > 0 && !chance(behaviour.hold_credit)) {
            --command_returns_[c];
            command_credit |= 1u << c;
        }
        if (data_returns_[c] > 0 && !chance(behaviour.hold_credit)) {
            --data_returns_[c];
            data_credit |= 1u << c;
        }
    }
    model_->net_tx_credit_i = net_credits;
    model_->host_rx_cmd_valid_i = command_valid;
    model_->host_rx_data_valid_i = data_valid;
    model_->host_tx_cmd_credit_i = command_credit;
    model_->host_tx_data_credit_i = data_credit;
}

void Node::sample() {
    for (unsigned c = 0; c < kChannels; ++c) {
        command_credits_[c] += model_->host_rx_cmd_credit_o >> c & 1;
        data_credits_[c] += model_->host_rx_data_credit_o >> c & 1;
        Receive& receive = receive_[c];
        if (model_->host_tx_cmd_valid_o >> c & 1) {
            if (receive.beats_left != 0) {
                std::fprintf(stderr, "node %u: a command inside a packet's data\n", number_);
                std::abort();
            }
            std::uint32_t words[3];
            for (unsigned w = 0; w < 3; ++w)
                words[w] = model_->host_tx_cmd_o[3 * c + w];
            receive.packet = decode(words);
            receive.beats_left = receive.packet.beats();
            ++command_returns_[c];
            if (receive.beats_left == 0) received(c, std::move(receive.packet));
        }
        if (model_->host_tx_data_valid_o >> c & 1) {
            if (receive.beats_left == 0) {
                std::fprintf(stderr, "node %u: data without a command\n", number_);
                std::abort();
            }
            receive.packet.data.push_back(model_->host_tx_data_o[2 * c]);
            receive.packet.data.push_back(model_->host_tx_data_o[2 * c + 1]);
            if (--receive.beats_left == 0) {
                receive.packet.data.resize(receive.packet.dwords());
                ++data_returns_[c];
                received(c, std::move(receive.packet));
            }
        }
    }
}

void Node::cycle(const Flit& in, const bool credit_in[kChannels]) {
    // Answers whose time has come, in the order of their times.
    while (!answers_.empty() && answers_.front().due <= now_) {
        send(kResponse, std::move(answers_.front().packet));
        answers_.pop_front();
    }
    drive(in, credit_in);
    model_->clk_i = 0;
    model_->eval();
    sample();
    edge();
}

Flit Node::out() const {
    return {static_cast<bool>(model_->net_tx_valid_o), model_->net_tx_data_o, model_->net_tx_vc_o,
            static_cast<bool>(model_->net_tx_sop_o), static_cast<bool>(model_->net_tx_eop_o)};
}

bool Node::credit_out(unsigned channel) const {
    return model_->net_rx_credit_o >> channel & 1;
}

void Node::write_register(unsigned address, std::uint32_t value) {
    const bool none[kChannels] = {};
    model_->reg_write_i = 1;
    model_->reg_addr_i = address;
    model_->reg_wdata_i = value;
    cycle({}, none);
    model_->reg_write_i = 0;
}

std::uint32_t Node::read_register(unsigned address) {
    const bool none[kChannels] = {};
    model_->reg_addr_i = address;
    cycle({}, none);
    return model_->reg_rdata_o;
}

void Node::send(Channel channel, Packet packet) {
    const std::uint64_t before = channel == kPosted || packet.pass_posted ? 0 : posted_queued_;
    if (channel == kPosted) ++posted_queued_;
    if (channel == kResponse && on_answer_sent) on_answer_sent(packet);
    to_send_[channel].push_back({std::move(packet), before});
}

std::uint8_t* Node::line(std::uint64_t address) {
    return memory_[address >> 6].data();  // zero when new
}

void Node::received(unsigned channel, Packet packet) {
    if (channel == kPosted) {
        if (on_posted) on_posted(packet);
        write_line(packet, line(packet.address));
        return;
    }
    if (channel == kResponse) {
        if (on_response) on_response(packet);
        return;
    }
    if (on_request) on_request(packet);
    Packet response;
    response.tag = packet.tag;
    response.pass_posted =
        (packet.is_read() && (packet.command & 8) != 0) || chance(behaviour.response_pass);
    if (packet.is_read()) {
        response.command = command::kReadResponse;
        response.data = read_line(packet, line(packet.address));
        response.count = static_cast<unsigned>(response.data.size()) - 1;
    } else {
        response.command = command::kTargetDone;
        if (packet.is_write()) write_line(packet, line(packet.address));
    }
    if (on_answer) on_answer(packet, response);
    std::uint64_t due = now_ + behaviour.latency;
    if (behaviour.latency_spread != 0) due += random_() % (behaviour.latency_spread + 1);
    if (chance(behaviour.forget)) due = now_ + behaviour.forgotten;
    const auto place = std::upper_bound(answers_.begin(), answers_.end(), due,
                                        [](std::uint64_t d, const Answer& a) { return d < a.due; });
    answers_.insert(place, {due, std::move(response)});
}

bool Node::idle() const {
    for (unsigned c = 0; c < kChannels; ++c) {
        if (!to_send_[c].empty() || !beats_[c].empty() || receive_[c].beats_left != 0) return false;
    }
    return answers_.empty();
}

}  // namespace isthmus::rtl
