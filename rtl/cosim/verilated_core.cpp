// One configuration of the gates behind CoreGates. Compiled once for each, with CORE_CLASS and
// CORE_HEADER of its Verilated class and CORE_MAKE for the function that makes one.
#include <verilated_vcd_c.h>

#include CORE_HEADER
#include "cosim/gates.hpp"
#include "cosim/verilated_trace.hpp"

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
        out.bulk_piece = model_.bulk_piece_o;
        return out;
    }

    void tick() override {
        model_.clk_i = 1;
        model_.eval();
        dump();
        model_.clk_i = 0;
    }

    bool retired(Retirement& out) override { return retirement_of(model_, out); }

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
