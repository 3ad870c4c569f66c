// The trace port of a Verilated core or node.
#pragma once

#include "cosim/gates.hpp"

namespace isthmus::rtl {

template <class Model>
bool retirement_of(const Model& model, Retirement& out) {
    if (!model.rvfi_valid_o) return false;
    step::Rvfi& r = out.rvfi;
    r.order = model.rvfi_order_o;
    r.insn = model.rvfi_insn_o;
    r.trap = model.rvfi_trap_o;
    r.halt = model.rvfi_halt_o;
    r.intr = model.rvfi_intr_o;
    r.mode = model.rvfi_mode_o;
    r.ixl = model.rvfi_ixl_o;
    r.rs1_addr = model.rvfi_rs1_addr_o;
    r.rs2_addr = model.rvfi_rs2_addr_o;
    r.rs1_rdata = model.rvfi_rs1_rdata_o;
    r.rs2_rdata = model.rvfi_rs2_rdata_o;
    r.rd_addr = model.rvfi_rd_addr_o;
    r.rd_wdata = model.rvfi_rd_wdata_o;
    r.pc_rdata = model.rvfi_pc_rdata_o;
    r.pc_wdata = model.rvfi_pc_wdata_o;
    r.mem_addr = model.rvfi_mem_addr_o;
    r.mem_rmask = model.rvfi_mem_rmask_o;
    r.mem_wmask = model.rvfi_mem_wmask_o;
    r.mem_rdata = model.rvfi_mem_rdata_o;
    r.mem_wdata = model.rvfi_mem_wdata_o;
    out.rs3_addr = model.rvfi_rs3_addr_o;
    out.rs3_rdata = model.rvfi_rs3_rdata_o;
    out.cause = model.rvfi_cause_o;
    out.tval = model.rvfi_tval_o;
    out.irq_number = model.rvfi_irq_number_o;
    out.irq = model.rvfi_irq_o;
    const u64 csrs[8] = {model.rvfi_csr_mstatus_o,  model.rvfi_csr_mie_o,
                         model.rvfi_csr_mtvec_o,    model.rvfi_csr_mcounteren_o,
                         model.rvfi_csr_mscratch_o, model.rvfi_csr_mepc_o,
                         model.rvfi_csr_mcause_o,   model.rvfi_csr_mtval_o};
    static constexpr std::uint16_t kNumbers[8] = {0x300, 0x304, 0x305, 0x306,
                                                  0x340, 0x341, 0x342, 0x343};
    for (unsigned i = 0; i < 8; ++i)
        out.csrs[i] = {kNumbers[i], csrs[i]};
    const auto e = [](bool there, u8 number, u64 value) {
        return isthmus_step_register{u8(there ? ISTHMUS_STEP_E : ISTHMUS_STEP_NONE), number, value};
    };
    out.e_read[0] = e(model.rvfi_e0_read_o, model.rvfi_e0_number_o, model.rvfi_e0_value_o);
    out.e_read[1] = e(model.rvfi_e1_read_o, model.rvfi_e1_number_o, model.rvfi_e1_value_o);
    out.e_write = e(model.rvfi_e_write_o, model.rvfi_e_number_o, model.rvfi_e_value_o);
    out.remote = model.rvfi_remote_o;
    return true;
}

}  // namespace isthmus::rtl
