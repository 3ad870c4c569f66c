// Bare-metal programs of random instructions: every one of the table's base extensions and of
// xBGAS, on random operands, with traps between them and a handler that goes on behind what
// trapped.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/sim/hart/instruction_stream.hpp"
#include "tests/sim/tools.hpp"

namespace isthmus::sim::test {

class RandomProgram : public InstructionStream {
  public:
    RandomProgram(Xlen xlen, unsigned start) : InstructionStream(xlen, start) {}

    /// Every instruction `passes` times, all of that `repeats` times.
    std::string text(int passes, int repeats = 1) {
        for (int pass = 0; pass < passes; ++pass) {
            stream(1);
            remote_pass();
        }
        const char* const store = xlen_ == Xlen::k32 ? "sw" : "sd";
        std::ostringstream out;
        out << ".option norelax\n.option norvc\n.macro checkpoint\n    ecall\n    csrr x5, mcycle\n"
               "    csrr x6, mcause\n    csrw mscratch, x7\n    ebreak\n    .4byte 0\n.endm\n"
               ".text\n.globl _start\n_start:\n    la x5, handler\n    csrw mtvec, x5\n"
               "    li x5, 0x6000\n    csrs mstatus, x5\n"
               "    la x2, middle\n    la x8, middle\n    la x31, middle\n    la x9, edges\n"
               "    la x30, buffer\n";
        for (int r = 0; r < 32; ++r)
            out << "    fld f" << r << ", " << 8 * r << "(x9)\n";
        out << "again:\n" << body_.str();
        out << "    la x5, repeats\n    lw x6, 0(x5)\n    addi x6, x6, -1\n    sw x6, 0(x5)\n"
               "    beqz x6, 1f\n    j again\n1:\n    la x5, tohost\n    li x6, 1\n    "
            << store
            << " x6, 0(x5)\n2:  j 2b\n"
               ".balign 4\nhandler:\n    csrw mscratch, x5\n    csrr x5, mepc\n    lhu x5, 0(x5)\n"
               "    andi x5, x5, 3\n    addi x5, x5, -3\n    snez x5, x5\n    slli x5, x5, 1\n"
               "    neg x5, x5\n    addi x5, x5, 4\n    sw x6, -4(x30)\n    csrr x6, mepc\n"
               "    add x5, x5, x6\n    csrw mepc, x5\n    lw x6, -4(x30)\n    csrr x5, mscratch\n"
               "    mret\n.data\n.balign 4096\n.globl tohost\ntohost: .8byte 0\n.balign 4096\n"
               ".8byte 0\nbuffer: .zero 64\n";
        for (int i = 0; i < 520; ++i)
            out << (i == 260 ? "middle:\n" : "") << ".8byte " << random_() << "\n";
        out << ".zero 512\nrepeats: .8byte " << repeats << "\n.balign 64\nedges:\n";
        static constexpr std::uint64_t kEdge[] = {0,
                                                  1,
                                                  ~0ull,
                                                  0x7fffffffffffffff,
                                                  0x8000000000000000,
                                                  0x7fffffff,
                                                  0x80000000,
                                                  0xffffffff80000000,
                                                  0x3ff0000000000000,
                                                  0x7ff8000000000000,
                                                  0x7ff0000000000000,
                                                  1ull << 52,
                                                  0xffffffff3f800000,
                                                  0xffffffff7f800001,
                                                  0xffffffff00000001,
                                                  31};
        for (int i = 0; i < 48; ++i)
            out << ".8byte " << (below(2) ? kEdge[below(16)] : random_()) << "\n";
        return out.str();
    }

    /// Assembles and links it; what went wrong, if something did.
    Result build(const Scratch& scratch, const std::string& program, int passes, int repeats = 1) {
        write_file(scratch / "random.s", text(passes, repeats));
        const bool narrow = xlen_ == Xlen::k32;
        return run(std::string(ISTHMUS_TEST_AS) +
                   (narrow ? " -march=rv32gc -mabi=ilp32d " : " -march=rv64gc ") +
                   (scratch / "random.s") + " -o " + (scratch / "random.o") +
                   " && riscv64-linux-gnu-ld -N " + (narrow ? "-m elf32lriscv " : "") +
                   "-Ttext=0x80000000 -o " + program + " " + (scratch / "random.o"));
    }

  private:
    void load_edge(RegisterFile file, unsigned r) override {
        if (file == RegisterFile::x && r != 0 && !reserved(r))
            body_ << (xlen_ == Xlen::k32 ? "lw x" : "ld x") << r << ", " << 8 * below(48)
                  << "(x9)\n";
        else if (file == RegisterFile::f)
            body_ << "fld f" << r << ", " << 8 * below(48) << "(x9)\n";
    }
    static const Encoding& row(std::string_view name) {
        for (const Encoding& encoding : encodings()) {
            if (encoding.name == name && encoding.profiles & 2) return encoding;
        }
        throw std::logic_error("no such row");
    }
    /// e[r] = a namespace: mostly the own node's, sometimes the own memory, or none.
    void name_space(unsigned r) {
        const unsigned value = below(8) == 0 ? 7 : below(4) == 0 ? 0 : 1;
        body_ << ".4byte " << (row("eaddie").match | value << 20 | r << 7) << "\n";
    }
    void remote_pass() {
        const Decoder decoder(xlen_, Profile::b);
        for (const Encoding& encoding : encodings()) {
            if (!encoding.extension.starts_with("Xbgas") || !(encoding.profiles & 2) ||
                !(encoding.xlens & (xlen_ == Xlen::k32 ? 1 : 2)))
                continue;
            for (;;) {
                const std::uint32_t word =
                    encoding.match | (static_cast<std::uint32_t>(random_()) & ~encoding.mask);
                Decoded d;
                if (!decoder.decode(word, d) || encodings()[d.encoding].name != encoding.name)
                    continue;
                const OpInfo& op = info(d.op);
                if (op.rd == RegisterFile::x && reserved(d.rd)) continue;
                const bool atomic = op.klass == InstructionClass::remote_atomic;
                const bool bulk = op.klass == InstructionClass::bulk;
                const auto in_buffer = [](unsigned r) { return r == 31 || r == 2 || r == 8; };
                if (op.klass != InstructionClass::address && !in_buffer(d.rs1) &&
                    !(atomic && d.rs1 == 30))
                    continue;
                if (bulk && (d.rs2 == d.rs1 || !in_buffer(d.rs2) || d.rs3 < 10 || reserved(d.rs3)))
                    continue;
                name_space(bulk                        ? d.rs2
                           : op.rs3 == RegisterFile::e ? d.rs3
                           : op.rs2 == RegisterFile::e ? d.rs2
                                                       : d.rs1);
                if (bulk) body_ << "    li x" << unsigned(d.rs3) << ", " << below(60) << "\n";
                body_ << ".4byte " << word << " # " << encoding.name << "\n";
                break;
            }
        }
    }
};

}  // namespace isthmus::sim::test
