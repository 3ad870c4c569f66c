// What the control and status registers hold behind an instruction, trap or interrupt, for the proof of the core's
// retirements: by the privileged specification and the list of docs/core.md, without a look at rv_csr.
package core_csr_spec_pkg;
  import rv_core_pkg::*;
  import core_spec_pkg::*;

  /// As a program can see it.
  typedef struct packed {
    csr_state_t  csr;
    logic        machine;  // mode
    logic [63:0] instret;
  } world_t;

  localparam logic [63:0] Width = Xlen == 64 ? 64'h2_0000_0000 : 64'd0;  // UXL of mstatus
  localparam logic [63:0] Whole = Xlen == 64 ? 64'hffff_ffff_ffff_ffff : 64'hffff_ffff;
  localparam logic [11:0] Mstatus = 12'h300, Misa = 12'h301, Mie = 12'h304, Mtvec = 12'h305, Mcounteren = 12'h306,
                          Mscratch = 12'h340, Mepc = 12'h341, Mcause = 12'h342, Mtval = 12'h343, Mip = 12'h344,
                          Minstret = 12'hb02, Minstreth = 12'hb82, Instret = 12'hc02, Instreth = 12'hc82;

  function automatic world_t at_reset();
    world_t w;
    w             = '0;
    w.csr.mstatus = Width;
    w.machine     = 1'b1;
    return w;
  endfunction

  ////////////////////////
  // Traps in, and back //
  ////////////////////////

  function automatic world_t trapped(input world_t start, input logic [63:0] pc, input logic interrupt, input logic [3:0] cause,
                                     input logic [63:0] tval);
    world_t w;
    w                    = start;
    w.csr.mstatus[7]     = start.csr.mstatus[3];
    w.csr.mstatus[3]     = 1'b0;
    w.csr.mstatus[12:11] = {2{start.machine}};
    w.csr.mepc           = pc;
    w.csr.mcause         = 64'(cause) | (interrupt ? 64'd1 << (Xlen - 1) : 64'd0);
    w.csr.mtval          = tval;
    w.machine            = 1'b1;
    return w;
  endfunction

  function automatic world_t returned(input world_t start);
    world_t w;
    w                    = start;
    w.csr.mstatus[3]     = start.csr.mstatus[7];
    w.csr.mstatus[7]     = 1'b1;
    w.csr.mstatus[12:11] = 2'b00;
    w.csr.mstatus[17]    = start.csr.mstatus[17] && start.csr.mstatus[12:11] == 2'b11;
    w.machine            = start.csr.mstatus[12:11] == 2'b11;
    return w;
  endfunction

  /// Whether lines are to be taken, and which is the first of them.
  function automatic logic interrupts(input world_t w, input irq_t lines);
    return (!w.machine || w.csr.mstatus[3]) &&
           ((lines.external_irq && w.csr.mie[11]) || (lines.software_irq && w.csr.mie[3]) || (lines.timer_irq && w.csr.mie[7]));
  endfunction
  function automatic logic [3:0] first_of(input world_t w, input irq_t lines);
    if (lines.external_irq && w.csr.mie[11]) return 4'd11;
    if (lines.software_irq && w.csr.mie[3]) return 4'd3;
    return 4'd7;
  endfunction

  //////////////////
  // Instructions //
  //////////////////

  function automatic logic is_csr(input logic [31:0] insn);
    return insn[6:0] == 7'h73 && insn[13:12] != 2'b00;
  endfunction
  function automatic logic is_mret(input logic [31:0] insn);
    return insn == 32'h3020_0073;
  endfunction
  function automatic logic writes(input logic [31:0] insn);
    return insn[13:12] == 2'b01 || insn[19:15] != '0;
  endfunction
  function automatic logic sets_instret(input logic [31:0] insn);
    return is_csr(insn) && writes(insn) && (insn[31:20] == Minstret || (Xlen == 32 && insn[31:20] == Minstreth));
  endfunction

  function automatic logic is_there(input logic [11:0] number);
    unique case (number) inside
      Mstatus, Misa, Mie, Mtvec, Mcounteren, Mscratch, Mepc, Mcause, Mtval, Mip: return 1'b1;
      12'h30a, 12'h320, 12'hb00, Minstret: return 1'b1;
      [12'h323:12'h33f], [12'hb03:12'hb1f], [12'hc00:12'hc1f], [12'h3b0:12'h3ef]: return 1'b1;
      [12'hf11:12'hf15], [12'h7a0:12'h7a3], 12'h7a5: return 1'b1;
      12'h310, 12'h31a, 12'hb80, [12'hb82:12'hb9f], [12'hc80:12'hc9f]: return Xlen == 32;
      [12'h3a0:12'h3af]: return Xlen == 32 || !number[0];
      default: return 1'b0;
    endcase
  endfunction
  function automatic logic is_legal(input world_t w, input logic [31:0] insn);
    logic [11:0] number;
    number = insn[31:20];
    if (!is_there(number) || (writes(insn) && number[11:10] == 2'b11)) return 1'b0;
    if (w.machine) return 1'b1;
    return number[9:8] == 2'b00 && w.csr.mcounteren[number[4:0]];
  endfunction

  /// What is read is said: all but cycles, time, and the lines (see the proof).
  function automatic logic is_known(input logic [11:0] number);
    return !(number inside {12'hb00, 12'hc00, 12'hc01, 12'hb80, 12'hc80, 12'hc81, Mip});
  endfunction
  function automatic logic [63:0] read(input world_t w, input logic [11:0] number);
    unique case (number)
      Mstatus:             return w.csr.mstatus;
      Misa:                return 64'h10_1104 | 64'(Xlen == 64 ? 2 : 1) << (Xlen - 2);
      Mie:                 return w.csr.mie;
      Mtvec:               return w.csr.mtvec;
      Mcounteren:          return w.csr.mcounteren;
      Mscratch:            return w.csr.mscratch;
      Mepc:                return w.csr.mepc;
      Mcause:              return w.csr.mcause;
      Mtval:               return w.csr.mtval;
      Minstret, Instret:   return w.instret & Whole;
      Minstreth, Instreth: return w.instret >> 32;
      default:             return '0;
    endcase
  endfunction

  function automatic world_t written(input world_t start, input logic [11:0] number, input logic [63:0] value);
    world_t w;
    w = start;
    unique case (number)
      Mstatus: begin
        w.csr.mstatus        = Width | (value & 64'h2_0088);
        w.csr.mstatus[12:11] = {2{value[12:11] == 2'b11}};
      end
      Mie:        w.csr.mie = value & 64'h888;
      Mtvec:      w.csr.mtvec = value & ~64'h2;
      Mcounteren: w.csr.mcounteren = value & 64'hffff_ffff;
      Mscratch:   w.csr.mscratch = value;
      Mepc:       w.csr.mepc = value & ~64'h1;
      Mcause:     w.csr.mcause = value;
      Mtval:      w.csr.mtval = value;
      Minstret:   w.instret = Xlen == 64 ? value : {start.instret[63:32], value[31:0]};
      Minstreth:  w.instret = Xlen == 64 ? start.instret : {value[31:0], start.instret[31:0]};
      default: ;
    endcase
    return w;
  endfunction

  /// Behind what the port says of an instruction.
  function automatic world_t behind_instruction(input world_t start, input rvfi_t r);
    world_t      w;
    logic [63:0] old, operand, value;
    if (r.trap) return trapped(start, r.pc_rdata, 1'b0, r.cause, r.tval);
    w       = start;
    old     = read(start, r.insn[31:20]);
    operand = r.insn[14] ? 64'(r.insn[19:15]) : r.rs1_rdata;
    unique case (r.insn[13:12])
      2'b10:   value = old | operand;
      2'b11:   value = old & ~operand;
      default: value = operand;
    endcase
    if (is_csr(r.insn) && writes(r.insn)) w = written(start, r.insn[31:20], value & Whole);
    if (is_mret(r.insn)) w = returned(start);
    if (!sets_instret(r.insn)) w.instret = start.instret + 64'd1;
    return w;
  endfunction
endpackage
