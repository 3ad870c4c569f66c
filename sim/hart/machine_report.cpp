// What the machine says of its harts in words: where they are, and why they trapped.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "sim/hart/machine.hpp"
#include "sim/isa/disassemble.hpp"

namespace isthmus::sim {
namespace {

std::string hex(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%016lx", static_cast<unsigned long>(value));
    return text;
}

}  // namespace

std::string Machine::describe_trap(const Node& node, const Trap& trap) {
    char value[40];
    std::snprintf(value, sizeof value, "0x%lx", static_cast<unsigned long>(trap.value));
    std::string text = std::string(cause_name(trap.cause)) + " (cause " +
                       std::to_string(static_cast<unsigned>(trap.cause)) + ", value " + value;
    if (trap.name_space != 0) {
        const unsigned target = node.namespaces.node_of(trap.name_space);
        text += " in namespace " + std::to_string(trap.name_space) +
                (target == NamespaceTable::kUnmapped ? ", which is no node's"
                                                     : " of node " + std::to_string(target));
    }
    return text + ")";
}

std::string Machine::place(std::uint64_t address) const {
    const std::string name = program_.describe(address);
    return hex(address) + (name.empty() ? "" : " <" + name + ">");
}

std::vector<std::uint64_t> Machine::back_trace(const Node& node, const Hart& hart,
                                               std::size_t most) const {
    std::vector<std::uint64_t> trace = {hart.pc, hart.x[1]};
    const unsigned word_size = program_.xlen == Xlen::k64 ? 8 : 4;
    std::uint64_t at = hart.x[2];
    for (int i = 0; i < 512 && trace.size() < most; ++i, at += word_size) {
        std::uint64_t value = 0;
        if (!node.memory.read(at, &value, word_size)) break;
        if (value == trace.back() || (value & 1) || !node.memory.host(value, kExecute)) continue;
        if (program_.describe(value).find('+') == std::string::npos) continue;
        // A return address stands behind a call.
        std::uint32_t before = 0;
        std::uint16_t before_short = 0;
        Decoded d;
        const bool call4 = node.memory.read(value - 4, &before, 4, kExecute) &&
                           decoder_.decode(before, d) && d.size == 4 &&
                           (d.op == Op::jal || d.op == Op::jalr) && d.rd == 1;
        const bool call2 = node.memory.read(value - 2, &before_short, 2, kExecute) &&
                           decoder_.decode(before_short, d) && d.size == 2 && d.op == Op::jalr &&
                           d.rd == 1;
        if (call4 || call2) trace.push_back(value);
    }
    return trace;
}

std::string Machine::report(const Node& node, const Hart& hart) {
    std::string text;
    std::uint32_t word = 0;
    if (!node.memory.read(hart.pc, &word, 4, 0)) node.memory.read(hart.pc, &word, 2, 0);
    text += "  node " + std::to_string(node.id) + ", hart " + std::to_string(hart.id) + ", pc " +
            place(hart.pc) + ": " + disassemble(decoder_, word, hart.pc) + "\n";
    // Nodes that run one program crash alike; a thousand of them would hide what was first.
    if (reported_.value_or(node.id) != node.id) {
        if (!std::exchange(shortened_, true))
            text += "  (registers and back trace of the first node only)\n";
        return text;
    }
    reported_ = node.id;
    const auto file = [&](RegisterFile kind, const auto& values) {
        for (unsigned i = 0; i < 32; ++i) {
            char line[48];
            std::snprintf(line, sizeof line, "  %-5s%s%s", register_name(kind, i).c_str(),
                          hex(values[i]).c_str(), i % 4 == 3 ? "\n" : "");
            text += line;
        }
    };
    file(RegisterFile::x, hart.x);
    if (std::any_of(hart.e.begin() + 1, hart.e.begin() + 32,
                    [](std::uint64_t v) { return v != 0; }))
        file(RegisterFile::e, hart.e);
    text += "  back trace:\n";
    const std::vector<std::uint64_t> trace = back_trace(node, hart, 16);
    for (std::size_t i = 0; i < trace.size(); ++i)
        text += "    " + place(trace[i]) + (i < 2 ? "\n" : " (found on the stack)\n");
    return text;
}

void add_harts(std::vector<Whereabouts>& all, const Whereabouts& more) {
    auto same = std::ranges::find(all, more.place, &Whereabouts::place);
    if (same == all.end()) same = all.insert(same, {more.place, {}});
    same->harts.insert(same->harts.end(), more.harts.begin(), more.harts.end());
}

std::vector<Whereabouts> Machine::running() const {
    constexpr std::size_t kPlaces = 6;
    std::vector<Whereabouts> all;
    for (const auto& node : nodes_) {
        if (node->exited || !owns(node->id)) continue;
        for (const auto& hart : node->harts) {
            std::string place;
            for (const std::uint64_t address : back_trace(*node, *hart, kPlaces)) {
                const std::string name = program_.describe(address);
                place += (place.empty() ? "" : " from ") + (name.empty() ? hex(address) : name);
                if (name.starts_with("main+")) break;
            }
            std::string name = "node " + std::to_string(node->id);
            if (node->harts.size() != 1) name += " hart " + std::to_string(hart->id);
            add_harts(all, {std::move(place), {std::move(name)}});
        }
    }
    return all;
}

std::string describe(const std::vector<Whereabouts>& all) {
    constexpr std::size_t kMostPlaces = 16, kMostHarts = 8;
    const auto more = [](std::size_t count, std::size_t most) {
        return count > most ? " and " + std::to_string(count - most) + " more" : std::string();
    };
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), kMostPlaces); ++i) {
        const auto& [place, harts] = all[i];
        text += "  " + harts.front();
        for (std::size_t k = 1; k < std::min(harts.size(), kMostHarts); ++k)
            text += ", " + harts[k];
        text += more(harts.size(), kMostHarts) + ": " + place + "\n";
    }
    if (all.size() > kMostPlaces) text += " " + more(all.size(), kMostPlaces) + " places\n";
    return text;
}

}  // namespace isthmus::sim
