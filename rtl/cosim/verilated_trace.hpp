// The trace port of a Verilated core or node.
#pragma once

#include <verilated.h>

#include "cosim/gates.hpp"

namespace isthmus::rtl {

/// Reads the words of trace_pkg.sv, the first one first. It stands in the highest bits.
template <std::size_t halves>
class TraceWords {
  public:
    explicit TraceWords(const VlWide<halves>& port) : port_(port) {}
    ~TraceWords() = default;
    TraceWords(const TraceWords&) = delete;
    TraceWords& operator=(const TraceWords&) = delete;

    u64 next() {
        left_ -= 2;
        return u64(port_[left_ + 1]) << 32 | port_[left_];
    }
    isthmus_step_register next_register() {
        const bool there = next() != 0;
        const u8 number = u8(next());
        return {u8(there ? ISTHMUS_STEP_E : ISTHMUS_STEP_NONE), number, next()};
    }

  private:
    const VlWide<halves>& port_;
    std::size_t left_ = halves;
};

template <std::size_t halves>
bool retirement_of(const VlWide<halves>& port, Retirement& out) {
    TraceWords words(port);
    if (words.next() == 0) return false;
    step::Rvfi& r = out.rvfi;
    r.order = words.next();
    r.insn = u32(words.next());
    r.trap = words.next() != 0;
    r.halt = words.next() != 0;
    r.intr = words.next() != 0;
    r.mode = u8(words.next());
    r.ixl = u8(words.next());
    r.rs1_addr = u8(words.next());
    r.rs2_addr = u8(words.next());
    out.rs3_addr = u8(words.next());
    r.rs1_rdata = words.next();
    r.rs2_rdata = words.next();
    out.rs3_rdata = words.next();
    r.rd_addr = u8(words.next());
    r.rd_wdata = words.next();
    r.pc_rdata = words.next();
    r.pc_wdata = words.next();
    r.mem_addr = words.next();
    r.mem_rmask = u8(words.next());
    r.mem_wmask = u8(words.next());
    r.mem_rdata = words.next();
    r.mem_wdata = words.next();
    out.cause = u8(words.next());
    out.tval = words.next();
    out.irq_number = u8(words.next());
    out.irq = u8(words.next());
    static constexpr std::uint16_t kNumbers[8] = {0x300, 0x304, 0x305, 0x306,
                                                  0x340, 0x341, 0x342, 0x343};
    for (unsigned i = 0; i < 8; ++i)
        out.csrs[i] = {kNumbers[i], words.next()};
    out.e_read[0] = words.next_register();
    out.e_read[1] = words.next_register();
    out.e_write = words.next_register();
    out.remote = words.next() != 0;
    out.posted = words.next() != 0;
    out.late = words.next() != 0;
    out.late_cause = u8(words.next());
    out.late_tval = words.next();
    return true;
}

}  // namespace isthmus::rtl
