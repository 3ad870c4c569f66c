#include "sim/isa/instruction.hpp"

namespace isthmus::sim {

const std::array<OpInfo, kOpCount> kOpInfo = {{
#define ISTHMUS_SIM_OP(id, name, klass, rd, rs1, rs2, rs3) \
    {name,                                                 \
     InstructionClass::klass,                              \
     RegisterFile::rd,                                     \
     RegisterFile::rs1,                                    \
     RegisterFile::rs2,                                    \
     RegisterFile::rs3},
#include "isthmus/sim/isa/ops.inc"
#undef ISTHMUS_SIM_OP
}};

std::string_view class_name(InstructionClass klass) {
    static constexpr std::string_view kNames[] = {
        "alu",        "multiply",    "divide",        "load",          "store",
        "branch",     "jump",        "jump_register", "system",        "fence",
        "atomic",     "fp_add",      "fp_multiply",   "fp_divide",     "fp_fma",
        "fp_convert", "fp_compare",  "fp_move",       "fp_load",       "fp_store",
        "address",    "remote_load", "remote_store",  "remote_atomic", "bulk"};
    return kNames[static_cast<std::size_t>(klass)];
}

}  // namespace isthmus::sim
