// Which region an instruction will probably address: a guess from the registers and the memory at
// the time of translation. A wrong one costs time and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/hart/block.hpp"
#include "sim/hart/hart.hpp"

namespace isthmus::sim {

class AddressGuess {
  public:
    explicit AddressGuess(Hart& hart) : hart_(hart) { start_block(); }

    /// Registers are again as they were; what they point to rarely changes within a region of code.
    void start_block() {
        for (unsigned r = 0; r < 32; ++r)
            values_[r] = r == 0 ? 0 : hart_.x[r];
    }
    /// The hart's window for the access of a load or store; -1: no guess.
    int window(const Insn& i) const {
        const auto at = sum(values_[i.rs1], i.imm);
        return at ? hart_.window_of(*at) : -1;
    }
    /// The instruction has been carried out, as far as it can be told.
    void step(std::uint64_t pc, const Insn& i, Op op) {
        if (info(op).rd != RegisterFile::x || i.rd == 0 || i.rd >= 32) return;
        values_[i.rd] = result(pc, i, op);
    }

  private:
    using Value = std::optional<std::uint64_t>;

    static Value sum(const Value& a, std::int64_t b) {
        return a ? Value(*a + static_cast<std::uint64_t>(b)) : std::nullopt;
    }
    bool is_address(const Value& value) const {
        return value && hart_.memory->find(*value) != nullptr;
    }
    Value result(std::uint64_t pc, const Insn& i, Op op) const {
        const auto immediate = static_cast<std::uint64_t>(static_cast<std::int64_t>(i.imm));
        const Value &a = values_[i.rs1], &b = values_[i.rs2];
        switch (op) {
            case Op::lui: return immediate;
            case Op::auipc: return pc + immediate;
            case Op::addi: return sum(a, i.imm);
            case Op::add:
                if (a && b && is_address(*a + *b)) return *a + *b;
                if (is_address(a)) return a;  // and an index
                return is_address(b) ? b : std::nullopt;
            case Op::sub: return is_address(a) ? a : std::nullopt;
            case Op::ld: return word_at(sum(a, i.imm));
            default: return std::nullopt;
        }
    }
    Value word_at(const Value& address) const {
        std::uint64_t word = 0;
        if (!address || !hart_.memory->read(*address, &word, sizeof word)) return std::nullopt;
        return word;
    }

    Hart& hart_;
    std::array<Value, 32> values_;
};

}  // namespace isthmus::sim
