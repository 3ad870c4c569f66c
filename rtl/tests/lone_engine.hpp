// One engine for tests of which the network is a part: they see what it sends, and send it what
// they like.
#pragma once

#include <deque>
#include <random>

#include <gtest/gtest.h>

#include "model/golden.hpp"
#include "tests/engine_registers.hpp"

namespace isthmus::rtl {

class LoneEngine : public testing::Test {
  protected:
    // A packet that the engine has sent, in words.
    virtual void left(unsigned of, const std::vector<std::uint32_t>& words) = 0;

    void register_pair(unsigned low, std::uint64_t value) {
        node.write_register(low, static_cast<std::uint32_t>(value));
        node.write_register(low + 4, static_cast<std::uint32_t>(value >> 32));
    }
    // After a reset of the engine.
    void give_credits() {
        for (unsigned& c : credits)
            c = kNetCredits;
    }

    void step() {
        bool credit[kChannels] = {};
        const Flit out = node.out();
        for (unsigned c = 0; c < kChannels; ++c)
            credits[c] += node.credit_out(c);
        if (out.valid) {
            if (out.first) leaving.clear();
            leaving.push_back(out.data);
            credit[out.channel] = out.last;
            if (out.last) left(out.channel, leaving);
        }
        if (coming.empty()) {
            const unsigned first = static_cast<unsigned>(random() % kChannels);
            for (unsigned i = 0; i < kChannels && coming.empty(); ++i) {
                channel = (first + i) % kChannels;
                if (credits[channel] == 0 || waiting[channel].empty()) continue;
                --credits[channel];
                coming = std::move(waiting[channel].front());
                waiting[channel].pop_front();
                at = 0;
            }
        }
        Flit in;
        if (!coming.empty()) {
            in = {true, coming[at], channel, at == 0, at + 1 == coming.size()};
            if (++at == coming.size()) coming.clear();
        }
        node.cycle(in, credit);
    }
    void steps(unsigned count) {
        for (; count > 0; --count)
            step();
    }
    template <class Done>
    bool until(Done done, unsigned limit = 60000) {
        for (; !done() && limit > 0; --limit)
            step();
        return done();
    }

    std::mt19937_64 random{5};
    Node node{0, 3};
    // Packets for the engine, in words, by channel.
    std::deque<std::vector<std::uint32_t>> waiting[kChannels];

  private:
    static constexpr unsigned kNetCredits = 16;

    unsigned credits[kChannels] = {kNetCredits, kNetCredits, kNetCredits}, channel = 0;
    std::size_t at = 0;
    std::vector<std::uint32_t> leaving, coming;
};

}  // namespace isthmus::rtl
