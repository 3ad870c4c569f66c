// What a Verilated core and a Verilated node have alike.
#pragma once

#include <verilated_vcd_c.h>

#include <memory>
#include <string>

#include "cosim/gates.hpp"
#include "cosim/verilated_trace.hpp"

namespace isthmus::rtl {

/// `Gates`: CoreGates or NodeGates.
template <class Model, class Gates>
class Verilated : public Gates {
  public:
    ~Verilated() override {
        if (trace_) trace_->close();
        model_.final();
    }

    void tick() override {
        model_.clk_i = 1;
        model_.eval();
        dump();
        model_.clk_i = 0;
    }

    bool retired(Retirement& out) override { return retirement_of(model_.rvfi_o, out); }

    void trace(const std::string& file) override {
        context_.traceEverOn(true);
        trace_ = std::make_unique<VerilatedVcdC>();
        model_.trace(trace_.get(), 99);
        trace_->open(file.c_str());
    }

  protected:
    Verilated() : model_(&context_) {
        context_.assertOn(true);
        model_.clk_i = 0;
        model_.rst_ni = 1;
    }

    // What both are given; eval_inputs() behind the rest.
    void set_inputs(const CoreInputs& in) {
        model_.rst_ni = !in.reset;
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
    }
    void eval_inputs() {
        model_.eval();
        dump();
    }

    CoreOutputs common_outputs() const {
        CoreOutputs out;
        out.instr_valid = model_.instr_valid_o;
        out.instr_addr = model_.instr_addr_o;
        out.data_valid = model_.data_valid_o;
        out.data_write = model_.data_write_o;
        out.data_lock = model_.data_lock_o;
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

  private:
    // Two steps of time a cycle: cycle n stands at 2 n.
    void dump() {
        if (trace_) trace_->dump(time_);
        ++time_;
    }

    VerilatedContext context_;

  protected:
    Model model_;

  private:
    std::unique_ptr<VerilatedVcdC> trace_;
    u64 time_ = 0;
};

}  // namespace isthmus::rtl
