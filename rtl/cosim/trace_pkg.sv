// The trace of a retirement as words of 64 bits, for C++: verilated_trace.hpp reads them in the order of
// words_of. The first one stands highest.
package trace_pkg;
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;

  localparam int unsigned NumWords = 49;
  typedef logic [NumWords-1:0][63:0] words_t;

  function automatic logic [2:0][63:0] register_words(register_trace_t register);
    return {64'(register.file == FileE), 64'(register.number), register.value};
  endfunction

  function automatic words_t words_of(rvfi_t rvfi);
    return {
      64'(rvfi.valid), rvfi.order, 64'(rvfi.insn), 64'(rvfi.trap), 64'(rvfi.halt), 64'(rvfi.intr), 64'(rvfi.mode),
      64'(rvfi.ixl),
      64'(rvfi.rs1_addr), 64'(rvfi.rs2_addr), 64'(rvfi.rs3_addr), rvfi.rs1_rdata, rvfi.rs2_rdata, rvfi.rs3_rdata,
      64'(rvfi.rd_addr), rvfi.rd_wdata, rvfi.pc_rdata, rvfi.pc_wdata,
      rvfi.mem_addr, 64'(rvfi.mem_rmask), 64'(rvfi.mem_wmask), rvfi.mem_rdata, rvfi.mem_wdata,
      64'(rvfi.cause), rvfi.tval, 64'(rvfi.irq_number), 64'(rvfi.irq),
      rvfi.csr.mstatus, rvfi.csr.mie, rvfi.csr.mtvec, rvfi.csr.mcounteren, rvfi.csr.mscratch, rvfi.csr.mepc,
      rvfi.csr.mcause, rvfi.csr.mtval,
      register_words(rvfi.unit.e_read[0]), register_words(rvfi.unit.e_read[1]), register_words(rvfi.unit.e_write),
      64'(rvfi.unit.remote), 64'(rvfi.unit.posted), 64'(rvfi.late), 64'(rvfi.late_cause), rvfi.late_tval
    };
  endfunction
endpackage
