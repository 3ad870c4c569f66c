// The node behind NodeGates. Compiled once for each, with NODE_CLASS and NODE_HEADER of its
// Verilated class and NODE_MAKE for the function that makes one.
#include NODE_HEADER
#include "cosim/verilated.hpp"
#include "tests/noc/ports.hpp"

namespace isthmus::rtl {
namespace {

constexpr unsigned kFlitBits = 34;

class VerilatedNode final : public Verilated<NODE_CLASS, NodeGates> {
  public:
    VerilatedNode() {
        model_.valid_i = 0;
        model_.credit_valid_i = 0;
        model_.eval();
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
        set_inputs(in);
        eval_inputs();
    }

    CoreOutputs outputs() override {
        CoreOutputs out = common_outputs();
        out.data_from = model_.data_from_o;
        // A source is a row and a column.
        out.data_source = static_cast<u8>((model_.data_source_o >> 3) * model_.columns_i +
                                          (model_.data_source_o & 7));
        out.data_id = model_.data_id_o;
        out.data_own = model_.data_own_o;
        out.remote_id = model_.remote_id_o;
        out.remote_rid = model_.remote_rid_o;
        out.late_valid = model_.late_valid_o;
        out.late_rd = model_.late_rd_o;
        out.late_data = model_.late_data_o;
        out.remote_taken = model_.remote_taken_o;
        out.remote_answered = model_.remote_rvalid_o;
        out.remote_fault = model_.remote_err_o;
        out.remote_found[0] = model_.remote_rdata_o;
        out.remote_found[1] = model_.remote_rdata_high_o;
        return out;
    }
};

}  // namespace

std::unique_ptr<CoreGates> NODE_MAKE() {
    return std::make_unique<VerilatedNode>();
}

}  // namespace isthmus::rtl
