// What an instruction is: the operations, their classes and register files, generated from the
// instruction table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace isthmus::sim {

/// Everything with semantics of its own. Compressed instructions decode to the operation they stand
/// for.
enum class Op : std::uint16_t {
#define ISTHMUS_SIM_OP(id, ...) id,
#include "isthmus/sim/isa/ops.inc"
#undef ISTHMUS_SIM_OP
    kCount
};

inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::kCount);

/// What a timing model needs to know of an instruction.
enum class InstructionClass : std::uint8_t {
    alu,
    multiply,
    divide,
    load,
    store,
    branch,
    jump,
    jump_register,
    system,
    fence,
    atomic,
    fp_add,
    fp_multiply,
    fp_divide,
    fp_fma,
    fp_convert,
    fp_compare,
    fp_move,
    fp_load,
    fp_store,
    address,
    remote_load,
    remote_store,
    remote_atomic,
    bulk,
};

/// The register file a slot of an instruction names.
enum class RegisterFile : std::uint8_t { none, x, f, e };

struct OpInfo {
    std::string_view name;
    InstructionClass klass;
    RegisterFile rd, rs1, rs2, rs3;
};

/// Indexed by Op.
extern const std::array<OpInfo, kOpCount> kOpInfo;

inline const OpInfo& info(Op op) {
    return kOpInfo[static_cast<std::size_t>(op)];
}

/// True for an operation after which execution does not simply go on with the next instruction.
constexpr bool ends_block(InstructionClass klass) {
    return klass == InstructionClass::branch || klass == InstructionClass::jump ||
           klass == InstructionClass::jump_register || klass == InstructionClass::system;
}

constexpr bool is_floating_point(InstructionClass klass) {
    return klass >= InstructionClass::fp_add && klass <= InstructionClass::fp_store;
}

constexpr bool is_remote(InstructionClass klass) {
    return klass >= InstructionClass::remote_load;
}

std::string_view class_name(InstructionClass klass);

}  // namespace isthmus::sim
