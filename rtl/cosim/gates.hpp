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
    u8 remote_rid = 0;  // which access is answered
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
    bool data_lock = false;  // of an atomic operation: nobody comes between it and the next one
    u8 data_be = 0;
    u64 data_addr = 0, data_wdata = 0;
    bool remote_valid = false;
    RemoteAccess remote;
    u8 remote_id = 0;
    bool bulk_piece = false;  // the data or remote request is part of a bulk transfer
    // The register of a posted load is written.
    bool late_valid = false;
    u8 late_rd = 0;
    u64 late_data = 0;

    // Of a node with its network interface: who asks for data (the core, a walk of the namespace
    // table, another node, and which), and what happens on the core's remote port. Of the request
    // of another node its number as well.
    u8 data_from = 0, data_source = 0, data_id = 0;
    bool data_own = false;
    bool remote_taken = false, remote_answered = false, remote_fault = false;
    u8 remote_rid = 0;
    u64 remote_found[2] = {};
};
inline constexpr u8 kFromCore = 0, kFromWalk = 1, kFromNode = 2;

/// One direction of a node's four links: north, east, south, west.
struct Links {
    struct Link {
        bool valid = false, credit = false;
        u8 channel = 0, credit_channel = 0;
        u64 flit = 0;
    } to[4];
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
    bool posted = false;  // the remote access goes on behind its instruction
    bool late = false;    // behind the trap of a posted access
    u8 late_cause = 0;
    u64 late_tval = 0;
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

/// A node: a core with its network interface and its part of the mesh.
class NodeGates : public CoreGates {
  public:
    /// Constant, before the first cycle.
    virtual void place(unsigned self, unsigned nodes, unsigned columns, u64 table) = 0;
    /// What leaves by its links, from registers.
    virtual Links links() = 0;
    /// What comes in this cycle, before set().
    virtual void connect(const Links& in) = 0;
};

/// A configuration of the gates, and the parameters of the hart that is its reference.
struct CoreKind {
    const char* name;
    unsigned xlen;
    const char* isa;
    bool xbgas;
    const char* parameters;  // further ones of the reference
    std::unique_ptr<CoreGates> (*make)();
    /// Entries of the namespace table of a node; 0: a core alone.
    unsigned table_entries = 0;
    /// Remote loads and stores that may be under way.
    unsigned outstanding = 1;
};
/// By name; null if there is none. `kinds` lists them.
const CoreKind* core_kind(const std::string& name);
std::string core_kinds();

}  // namespace isthmus::rtl
