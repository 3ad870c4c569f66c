// One configuration of the gates behind CoreGates. Compiled once for each, with CORE_CLASS and
// CORE_HEADER of its Verilated class and CORE_MAKE for the function that makes one.
#include <verilated_vcd_c.h>

#include CORE_HEADER
#include "cosim/gates.hpp"

namespace isthmus::rtl {
namespace {

class VerilatedCore final : public CoreGates {
  public:
    VerilatedCore() : model_(&context_) {
        context_.assertOn(true);
        model_.clk_i = 0;
        model_.rst_ni = 1;
        model_.eval();
    }
    ~VerilatedCore() override {
        if (trace_) trace_->close();
        model_.final();
    }

    void set(const CoreInputs& in) override {
        model_.rst_ni = !in.reset;
        model_.hart_id_i = in.hart_id;
        model_.time_i = in.time;
        model_.irq_i = in.irq;
        model_.instr_ready_i = in.instr_ready;
        model_.instr_rvalid_i = in.instr_rvalid;
        model_.instr_rdata_i = in.instr_rdata;
        model_.instr_err_i = in.instr_err;
        model_.data_ready_i = in.data_ready;
        model_.data_rvalid_i = in.data_rvalid;
        model_.data_rdata_i = in.data_rdata;
        model_.data_err_i = in.data_err;
        model_.remote_ready_i = in.remote_ready;
        model_.remote_rvalid_i = in.remote_rvalid;
        model_.remote_rdata_i = in.remote_rdata[0];
        model_.remote_rdata_high_i = in.remote_rdata[1];
        model_.remote_err_i = in.remote_err;
        model_.eval();
        dump();
    }

    CoreOutputs outputs() override {
        CoreOutputs out;
        out.instr_valid = model_.instr_valid_o;
        out.instr_addr = model_.instr_addr_o;
        out.data_valid = model_.data_valid_o;
        out.data_write = model_.data_write_o;
        out.data_be = model_.data_be_o;
        out.data_addr = model_.data_addr_o;
        out.data_wdata = model_.data_wdata_o;
        out.remote_valid = model_.remote_valid_o;
        out.remote = {model_.remote_kind_o,
                      model_.remote_op_o,
                      model_.remote_size_o,
                      model_.remote_reserved_o != 0,
                      model_.remote_space_o,
                      model_.remote_addr_o,
                      {model_.remote_wdata_o, model_.remote_wdata_high_o},
                      model_.remote_compare_o};
        return out;
    }

    void tick() override {
        model_.clk_i = 1;
        model_.eval();
        dump();
        model_.clk_i = 0;
    }

    bool retired(Retirement& out) override {
        if (!model_.rvfi_valid_o) return false;
        step::Rvfi& r = out.rvfi;
        r.order = model_.rvfi_order_o;
        r.insn = model_.rvfi_insn_o;
        r.trap = model_.rvfi_trap_o;
        r.halt = model_.rvfi_halt_o;
        r.intr = model_.rvfi_intr_o;
        r.mode = model_.rvfi_mode_o;
        r.ixl = model_.rvfi_ixl_o;
        r.rs1_addr = model_.rvfi_rs1_addr_o;
        r.rs2_addr = model_.rvfi_rs2_addr_o;
        r.rs1_rdata = model_.rvfi_rs1_rdata_o;
        r.rs2_rdata = model_.rvfi_rs2_rdata_o;
        r.rd_addr = model_.rvfi_rd_addr_o;
        r.rd_wdata = model_.rvfi_rd_wdata_o;
        r.pc_rdata = model_.rvfi_pc_rdata_o;
        r.pc_wdata = model_.rvfi_pc_wdata_o;
        r.mem_addr = model_.rvfi_mem_addr_o;
        r.mem_rmask = model_.rvfi_mem_rmask_o;
        r.mem_wmask = model_.rvfi_mem_wmask_o;
        r.mem_rdata = model_.rvfi_mem_rdata_o;
        r.mem_wdata = model_.rvfi_mem_wdata_o;
        out.rs3_addr = model_.rvfi_rs3_addr_o;
        out.rs3_rdata = model_.rvfi_rs3_rdata_o;
        out.cause = model_.rvfi_cause_o;
        out.tval = model_.rvfi_tval_o;
        out.irq_number = model_.rvfi_irq_number_o;
        out.irq = model_.rvfi_irq_o;
        const u64 csrs[8] = {model_.rvfi_csr_mstatus_o,  model_.rvfi_csr_mie_o,
                             model_.rvfi_csr_mtvec_o,    model_.rvfi_csr_mcounteren_o,
                             model_.rvfi_csr_mscratch_o, model_.rvfi_csr_mepc_o,
                             model_.rvfi_csr_mcause_o,   model_.rvfi_csr_mtval_o};
        static constexpr std::uint16_t kNumbers[8] = {0x300, 0x304, 0x305, 0x306,
                                                      0x340, 0x341, 0x342, 0x343};
        for (unsigned i = 0; i < 8; ++i)
            out.csrs[i] = {kNumbers[i], csrs[i]};
        const auto e = [](bool there, u8 number, u64 value) {
            return isthmus_step_register{u8(there ? ISTHMUS_STEP_E : ISTHMUS_STEP_NONE), number,
                                         value};
        };
        out.e_read[0] = e(model_.rvfi_e0_read_o, model_.rvfi_e0_number_o, model_.rvfi_e0_value_o);
        out.e_read[1] = e(model_.rvfi_e1_read_o, model_.rvfi_e1_number_o, model_.rvfi_e1_value_o);
        out.e_write = e(model_.rvfi_e_write_o, model_.rvfi_e_number_o, model_.rvfi_e_value_o);
        out.remote = model_.rvfi_remote_o;
        return true;
    }

    void trace(const std::string& file) override {
        context_.traceEverOn(true);
        trace_ = std::make_unique<VerilatedVcdC>();
        model_.trace(trace_.get(), 99);
        trace_->open(file.c_str());
    }

  private:
    // Two steps of time a cycle: cycle n stands at 2 n.
    void dump() {
        if (trace_) trace_->dump(time_);
        ++time_;
    }

    VerilatedContext context_;
    CORE_CLASS model_;
    std::unique_ptr<VerilatedVcdC> trace_;
    u64 time_ = 0;
};

}  // namespace

std::unique_ptr<CoreGates> CORE_MAKE() {
    return std::make_unique<VerilatedCore>();
}

}  // namespace isthmus::rtl
