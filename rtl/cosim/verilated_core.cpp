// One configuration of the gates behind CoreGates. Compiled once for each, with CORE_CLASS and
// CORE_HEADER of its Verilated class and CORE_MAKE for the function that makes one.
#include CORE_HEADER
#include "cosim/verilated.hpp"

namespace isthmus::rtl {
namespace {

class VerilatedCore final : public Verilated<CORE_CLASS, CoreGates> {
  public:
    VerilatedCore() { model_.eval(); }

    void set(const CoreInputs& in) override {
        set_inputs(in);
        model_.hart_id_i = in.hart_id;
        model_.remote_ready_i = in.remote_ready;
        model_.remote_rid_i = in.remote_rid;
        model_.remote_rvalid_i = in.remote_rvalid;
        model_.remote_rdata_i = in.remote_rdata[0];
        model_.remote_rdata_high_i = in.remote_rdata[1];
        model_.remote_err_i = in.remote_err;
        eval_inputs();
    }

    CoreOutputs outputs() override {
        CoreOutputs out = common_outputs();
        out.remote_id = model_.remote_id_o;
        out.late_valid = model_.late_valid_o;
        out.late_rd = model_.late_rd_o;
        out.late_data = model_.late_data_o;
        return out;
    }
};

}  // namespace

std::unique_ptr<CoreGates> CORE_MAKE() {
    return std::make_unique<VerilatedCore>();
}

}  // namespace isthmus::rtl
