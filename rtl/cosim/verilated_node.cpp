// The node behind NodeGates.
#include <verilated_vcd_c.h>

#include "Vnode_rv64.h"
#include "cosim/verilated_trace.hpp"
#include "tests/noc/ports.hpp"

namespace isthmus::rtl {
namespace {

constexpr unsigned kFlitBits = 34;

class VerilatedNode final : public NodeGates {
  public:
    VerilatedNode() : model_(&context_) {
        context_.assertOn(true);
        model_.clk_i = 0;
        model_.rst_ni = 1;
        model_.valid_i = 0;
        model_.credit_valid_i = 0;
        model_.eval();
    }
    ~VerilatedNode() override {
        if (trace_) trace_->close();
        model_.final();
    }

    void place(unsigned self, unsigned nodes, unsigned columns, u64 table) override {
        model_.self_i = static_cast<u8>(self);
        model_.nodes_i = static_cast<u8>(nodes);
        model_.columns_i = static_cast<u8>(columns);
        model_.x_i = static_cast<u8>(self % columns);
        model_.y_i = static_cast<u8>(self / columns);
        model_.table_base_i = table;
    }

    Links links() override {
        Links out;
        for (unsigned p = 0; p < 4; ++p) {
            out.to[p] = {get(model_.valid_o, p, 1) != 0, get(model_.credit_valid_o, p, 1) != 0,
                         static_cast<u8>(get(model_.channel_o, p * 2, 2)),
                         static_cast<u8>(get(model_.credit_channel_o, p * 2, 2)),
                         get(model_.flit_o, p * kFlitBits, kFlitBits)};
        }
        return out;
    }
    void connect(const Links& in) override {
        for (unsigned p = 0; p < 4; ++p) {
            put(model_.valid_i, p, 1, in.to[p].valid);
            put(model_.credit_valid_i, p, 1, in.to[p].credit);
            put(model_.channel_i, p * 2, 2, in.to[p].channel);
            put(model_.credit_channel_i, p * 2, 2, in.to[p].credit_channel);
            put(model_.flit_i, p * kFlitBits, kFlitBits, in.to[p].flit);
        }
    }

    void set(const CoreInputs& in) override {
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
        out.data_from = model_.data_from_o;
        // A source is a row and a column.
        out.data_source = static_cast<u8>((model_.data_source_o >> 3) * model_.columns_i +
                                          (model_.data_source_o & 7));
        out.data_own = model_.data_own_o;
        out.remote_valid = model_.remote_valid_o;
        out.remote = {model_.remote_kind_o,
                      model_.remote_op_o,
                      model_.remote_size_o,
                      model_.remote_reserved_o != 0,
                      model_.remote_space_o,
                      model_.remote_addr_o,
                      {model_.remote_wdata_o, model_.remote_wdata_high_o},
                      model_.remote_compare_o};
        out.remote_taken = model_.remote_taken_o;
        out.remote_answered = model_.remote_rvalid_o;
        out.remote_fault = model_.remote_err_o;
        out.remote_found[0] = model_.remote_rdata_o;
        out.remote_found[1] = model_.remote_rdata_high_o;
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
    void dump() {
        if (trace_) trace_->dump(time_);
        ++time_;
    }

    VerilatedContext context_;
    Vnode_rv64 model_;
    std::unique_ptr<VerilatedVcdC> trace_;
    u64 time_ = 0;
};

}  // namespace

std::unique_ptr<CoreGates> make_node64() {
    return std::make_unique<VerilatedNode>();
}

}  // namespace isthmus::rtl
