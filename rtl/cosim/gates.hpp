// The core's ports, without the class that Verilator makes of one configuration.
#pragma once

#include <cstdint>
#include <isthmus/step.hpp>
#include <memory>
#include <string>

namespace isthmus::rtl {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// What goes into the core in a cycle.
struct CoreInputs {
    bool reset = false;
    u64 hart_id = 0, time = 0;
    u8 irq = 0;  // software, timer, external: bits 0, 1, 2
    bool instr_ready = false, instr_rvalid = false, instr_err = false;
    u32 instr_rdata = 0;
    bool data_ready = false, data_rvalid = false, data_err = false;
    u64 data_rdata = 0;
    bool remote_ready = false, remote_rvalid = false, remote_err = false;
    u64 remote_rdata[2] = {};
};

/// A remote access as the port has it.
struct RemoteAccess {
    u8 kind = 0, op = 0, size = 0;  // rv_core_pkg::remote_kind_e, xbgas_decode_pkg::alu_e, log2
    bool reserved = false;
    u64 space = 0, address = 0, data[2] = {}, compare = 0;
};

/// What comes out of it before the clock's edge.
struct CoreOutputs {
    bool instr_valid = false;
    u64 instr_addr = 0;
    bool data_valid = false, data_write = false;
    u8 data_be = 0;
    u64 data_addr = 0, data_wdata = 0;
    bool remote_valid = false;
    RemoteAccess remote;
};

/// One retirement or trap, as the trace port has it.
struct Retirement {
    step::Rvfi rvfi{};
    u8 rs3_addr = 0;
    u64 rs3_rdata = 0;
    u8 cause = 0, irq_number = 0, irq = 0;
    u64 tval = 0;
    isthmus_step_csr csrs[8] = {};
    isthmus_step_register e_read[2] = {}, e_write{};  // file 0: none
    bool remote = false;
};

/// One Verilated core. A cycle is set(), outputs(), tick(); behind it retired() says whether an
/// instruction ended.
class CoreGates {
  public:
    virtual ~CoreGates() = default;
    virtual void set(const CoreInputs& inputs) = 0;
    virtual CoreOutputs outputs() = 0;
    virtual void tick() = 0;
    virtual bool retired(Retirement& out) = 0;
    /// Writes a waveform (VCD) from now on.
    virtual void trace(const std::string& file) = 0;
};

/// A configuration of the gates, and the parameters of the hart that is its reference.
struct CoreKind {
    const char* name;
    unsigned xlen;
    const char* isa;
    bool xbgas;
    const char* parameters;  // further ones of the reference
    std::unique_ptr<CoreGates> (*make)();
};
/// By name; null if there is none. `kinds` lists them.
const CoreKind* core_kind(const std::string& name);
std::string core_kinds();

}  // namespace isthmus::rtl
