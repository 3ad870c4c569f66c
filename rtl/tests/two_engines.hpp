// Two engines for tests of single cases: node 0 asks, node 1 is asked.
#pragma once

#include <cstring>

#include <gtest/gtest.h>

#include "model/golden.hpp"
#include "tests/engine_registers.hpp"

namespace isthmus::rtl {

class Engines : public testing::Test {
  protected:
    void start(const EngineSettings& settings = {}, std::uint64_t mask = 0, bool compact = true) {
        map = AddressMap::make(2, 20, mask, compact);
        configure(network, map, settings);
        watch();
    }
    void watch() {
        network.node(0).on_response = [this](const Packet& p) { answers.push_back(p); };
        network.node(1).on_request = [this](const Packet& p) { arrived.push_back(p); };
    }
    void ask(unsigned command, unsigned count, std::uint64_t offset, unsigned tag,
             std::vector<std::uint32_t> data = {}) {
        Packet p;
        p.command = command;
        p.count = count;
        p.address = map.global(1, offset);
        p.tag = tag;
        p.data = std::move(data);
        network.node(0).send(kNonPosted, std::move(p));
    }
    void read(std::uint64_t offset, unsigned tag) {
        ask(command::kRead | command::kDwords, 1, offset, tag);
    }
    // Runs until there are so many answers; false: they do not come.
    bool until(std::size_t count, unsigned limit = 5000) {
        for (; answers.size() < count && limit > 0; --limit)
            network.cycle();
        return answers.size() >= count;
    }
    std::uint64_t word(std::uint64_t offset) {
        const std::uint64_t address = map.local(1, offset);
        std::uint64_t value;
        std::memcpy(&value, network.node(1).line(address) + (address & 63), 8);
        return value;
    }
    void set_word(std::uint64_t offset, std::uint64_t value) {
        const std::uint64_t address = map.local(1, offset);
        std::memcpy(network.node(1).line(address) + (address & 63), &value, 8);
    }
    unsigned in_use(unsigned node) {
        return network.node(node).read_register(registers::kStatus) >> 1 & 2047;
    }
    static std::uint64_t wide(const Packet& p, unsigned at) {
        return p.data.at(at) | std::uint64_t{p.data.at(at + 1)} << 32;
    }
    static std::vector<std::uint32_t> dwords(std::initializer_list<std::uint64_t> words) {
        std::vector<std::uint32_t> data;
        for (const std::uint64_t w : words) {
            data.push_back(static_cast<std::uint32_t>(w));
            data.push_back(static_cast<std::uint32_t>(w >> 32));
        }
        return data;
    }

    Network network{2, 1};
    AddressMap map;
    std::vector<Packet> answers, arrived;
};

}  // namespace isthmus::rtl
