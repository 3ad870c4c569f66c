// Random programs of every instruction of one width, in the assembler's words. Reserved: x2, x8 and
// x31 point into the middle of a data buffer, x9 at edge operands, x30 at an aligned word of the
// buffer for atomics. The tests add what comes before and after, and what a checkpoint writes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/isa/decode.hpp"
#include "sim/isa/disassemble.hpp"

namespace isthmus::sim::test {

class InstructionStream {
  public:
    InstructionStream(Xlen xlen, unsigned start) : xlen_(xlen), random_(start) {}
    virtual ~InstructionStream() = default;

  protected:
    // Every instruction `passes` times in random orders, a checkpoint after each forty.
    void stream(int passes) {
        for (int pass = 0; pass < passes; ++pass) {
            std::vector<const Encoding*> order;
            for (const Encoding& encoding : encodings()) {
                if (usable(encoding)) order.push_back(&encoding);
            }
            std::shuffle(order.begin(), order.end(), random_);
            for (const Encoding* encoding : order) {
                emit(*encoding);
                if (++emitted_ % 40 == 0) checkpoint();
            }
        }
    }
    void checkpoint() {
        body_ << "checkpoint\n";
        ++checkpoints_;
    }
    // Puts an edge operand into the register, if it may be written.
    virtual void load_edge(RegisterFile file, unsigned r) = 0;

    static bool reserved(unsigned r) { return r == 2 || r == 8 || r == 9 || r == 30 || r == 31; }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

    const Xlen xlen_;
    std::mt19937_64 random_;
    std::ostringstream body_;
    unsigned checkpoints_ = 0;

  private:
    bool usable(const Encoding& encoding) const {
        if (encoding.extension.starts_with("Xbgas") || encoding.extension == "Privileged" ||
            encoding.extension == "Supervisor")
            return false;
        if (!(encoding.xlens & (xlen_ == Xlen::k32 ? 1 : 2))) return false;
        static const std::set<std::string_view> kNot = {"ecall", "ebreak", "c.ebreak", "fence",
                                                        "fence.i"};
        return !kNot.count(encoding.name);
    }
    // An x-register that may be written.
    unsigned writable() {
        unsigned r;
        do
            r = below(32);
        while (reserved(r));
        return r;
    }
    void random_word(const Encoding& encoding) {
        const Decoder decoder(xlen_, Profile::b);
        for (int trial = 0; trial < 8000; ++trial) {
            std::uint32_t word =
                encoding.match | (static_cast<std::uint32_t>(random_()) & ~encoding.mask);
            if (encoding.size == 2) word &= 0xffff;
            Decoded d;
            if (!decoder.decode(word, d) || encodings()[d.encoding].name != encoding.name) continue;
            const OpInfo& op = info(d.op);
            if (op.rd == RegisterFile::x && reserved(d.rd)) continue;
            const bool memory =
                op.klass == InstructionClass::load || op.klass == InstructionClass::store ||
                op.klass == InstructionClass::fp_load || op.klass == InstructionClass::fp_store;
            if (memory && d.rs1 != 31 && d.rs1 != 2 && d.rs1 != 8) continue;
            if (op.klass == InstructionClass::atomic && d.rs1 != 30) continue;
            if (encoding.syntax.find("rm") != std::string_view::npos && d.imm > 4 && d.imm != 7)
                continue;
            if (!memory && op.klass != InstructionClass::atomic) {
                if (below(3)) load_edge(op.rs1, d.rs1);
                if (below(3)) load_edge(op.rs2, d.rs2);
                if (below(3)) load_edge(op.rs3, d.rs3);
            }
            body_ << (encoding.size == 4 ? ".4byte " : ".2byte ") << word << " # "
                  << disassemble(decoder, word, 0, true) << "\n";
            return;
        }
        ADD_FAILURE() << "no usable word found for " << encoding.name;
    }
    void filler() {
        body_ << "addi x" << writable() << ", x" << below(32) << ", "
              << static_cast<int>(below(4096)) - 2048 << "\n";
    }
    void emit(const Encoding& encoding) {
        const std::string name(encoding.name);
        const bool compressed = encoding.size == 2;
        const std::string mode = compressed ? ".option rvc\n" : "";
        const std::string back = compressed ? ".option norvc\n" : "";
        const InstructionClass klass = info(encoding.op).klass;
        if (klass == InstructionClass::branch) {
            const unsigned a = compressed ? 10 + below(6) : below(32), b = below(32);
            if (below(2)) load_edge(RegisterFile::x, a);
            body_ << mode << name << " x" << a;
            if (!compressed) body_ << ", x" << (below(4) ? b : a);
            body_ << ", 1f\n" << back;
            filler();
            body_ << "1:\n";
        } else if (klass == InstructionClass::jump) {
            body_ << mode << name;
            if (!compressed) body_ << " x" << writable() << ",";
            body_ << " 1f\n" << back;
            filler();
            body_ << "1:\n";
        } else if (klass == InstructionClass::jump_register) {
            body_ << "lla x5, 1f\n" << mode;
            if (compressed)
                body_ << name << " x5\n" << back;
            else
                body_ << "addi x5, x5, -12\njalr x" << writable() << ", 12(x5)\n";
            filler();
            body_ << "1:\n";
        } else if (encoding.extension == "Zicsr") {
            // Only values that leave a legal rounding mode.
            const bool immediate = name.back() == 'i';
            static const char* const kFlags[] = {"fflags", "fcsr"};
            const bool clears = name.find('c', 4) != std::string::npos;
            body_ << name << " x" << writable() << ", " << kFlags[clears ? below(2) : 0] << ", ";
            if (immediate)
                body_ << below(32) << "\n";
            else
                body_ << "x" << below(32) << "\n";
            body_ << "csrrwi x" << writable() << ", frm, " << below(5) << "\n";
        } else if (name == "c.addi16sp") {
            const int step = 16 * (1 + static_cast<int>(below(30)));
            body_ << mode << "c.addi16sp sp, " << step << "\nc.addi16sp sp, -" << step << "\n"
                  << back;
        } else if (name.starts_with("sc.")) {
            // What an SC of another width than its LR does is left open, so each has its own; half
            // of them find the value changed.
            body_ << "lr" << name.substr(2, 2) << " x" << writable() << ", (x30)\n";
            filler();
            if (below(2)) body_ << "amoadd.w x" << writable() << ", x" << below(32) << ", (x30)\n";
            random_word(encoding);
        } else {
            random_word(encoding);
        }
    }

    std::uint64_t emitted_ = 0;
};

}  // namespace isthmus::sim::test
