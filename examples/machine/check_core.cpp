// A core of your own beside the machine's hart: every instruction that it retires is compared.
//
//     c++ -std=c++20 check_core.cpp $(pkg-config --cflags --libs isthmus-step) -o check_core
//     ./check_core 5000          # equal
//     ./check_core 5000 bug      # sra forgets the sign: the report says where, and both states
// The core is a little of RV32I here; yours is a Verilated model with an RVFI port.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <isthmus/step.hpp>
#include <random>
#include <vector>
using u32 = std::uint32_t;
constexpr u32 kBase = 0x80000000, kData = kBase + 0x8000;

struct Core {
    std::vector<u32> memory = std::vector<u32>(0x10000 / 4);
    u32 x[32] = {}, pc = kBase;
    bool bug = false;
    u32& word(u32 address) { return memory[(address - kBase) / 4]; }
    static u32 arithmetic(unsigned function, bool other, u32 a, u32 b, bool bug) {
        switch (function) {
            case 0: return other ? a - b : a + b;
            case 1: return a << (b & 31);
            case 2: return static_cast<int>(a) < static_cast<int>(b);
            case 3: return a < b;
            case 4: return a ^ b;
            case 5: return other && !bug ? u32(static_cast<int>(a) >> (b & 31)) : a >> (b & 31);
            case 6: return a | b;
            default: return a & b;
        }
    }
    /// Executes one instruction and returns what its RVFI port shows.
    isthmus::step::Rvfi step() {
        isthmus::step::Rvfi port{};
        const u32 insn = port.insn = word(pc);
        const unsigned opcode = insn & 0x7f, rd = insn >> 7 & 31, function = insn >> 12 & 7;
        const unsigned a = insn >> 15 & 31, b = insn >> 20 & 31;
        const u32 immediate = u32(static_cast<int>(insn) >> 20);
        port.mode = 3;
        port.pc_rdata = pc;
        port.pc_wdata = pc += 4;
        port.rs1_addr = a;
        port.rs1_rdata = x[a];
        u32 result = 0;
        if (opcode == 0x33 || opcode == 0x23) {
            port.rs2_addr = b;
            port.rs2_rdata = x[b];
        }
        if (opcode == 0x33 || opcode == 0x13) {  // arithmetic
            const bool other = insn >> 30 & (opcode == 0x33 || function == 5);
            result = arithmetic(function, other, x[a], opcode == 0x33 ? x[b] : immediate, bug);
        } else if (opcode == 0x03) {  // lw
            port.mem_addr = x[a] + immediate;
            port.mem_rmask = 15;
            port.mem_rdata = result = word(x[a] + immediate);
        } else {  // sw
            port.mem_addr = x[a] + ((immediate & ~31u) | rd);
            port.mem_wmask = 15;
            port.mem_wdata = word(u32(port.mem_addr)) = x[b];
        }
        if (opcode != 0x23 && rd != 0) {
            port.rd_addr = rd;
            port.rd_wdata = x[rd] = result;
        }
        return port;
    }
};

int main(int argc, char** argv) try {
    const unsigned count = argc > 1 ? u32(std::atoi(argv[1])) % 8000 : 1000;
    Core core{.bug = argc > 2};
    std::mt19937 random(1);
    for (u32& word : core.memory)
        word = random();
    for (unsigned i = 0; i < count; ++i) {  // x31, which nothing writes, points at the data
        const u32 r = random(), rd = (r & 30) << 7, a = (r >> 5 & 31) << 15,
                  b = (r >> 10 & 31) << 20;
        const u32 function = r >> 15 & 7, offset = 4 * (r >> 18 & 127);
        const u32 other = (function == 0 || function == 5) ? r << 5 & 1u << 30 : 0;
        const u32 shift = b | (function == 5 ? other : 0);
        const u32 small = function == 1 || function == 5 ? shift : r & 0xfff00000;
        const u32 kinds[] = {other | b | a | function << 12 | rd | 0x33,
                             small | a | function << 12 | rd | 0x13, offset << 20 | 0xfa003 | rd,
                             (offset >> 5) << 25 | b | 0xfa023 | (offset & 31) << 7};
        core.memory[i] = kinds[r >> 26 & 3];
    }
    isthmus::step::Hart hart("isa=rv32i memory=0x80000000:0x10000");
    hart.write_memory(kBase, core.memory.data(), 4 * core.memory.size());
    hart.set_x(31, core.x[31] = kData);
    unsigned equal = 0;
    while (equal < count && hart.check_rvfi(core.step()) == 0)
        ++equal;
    std::printf("%s%u of %u instructions equal\n", hart.report().c_str(), equal, count);
    return equal != count;
} catch (const std::exception& error) {
    std::puts(error.what());
    return 2;
}
