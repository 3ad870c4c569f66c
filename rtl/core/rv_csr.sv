// Control and status registers, privilege, traps in and out, interrupts.
//
// What happens in a cycle is one of: an access (access_i), a trap or interrupt (trap_i), mret (mret_i). Registers that
// are there by the standard but hold nothing (event counters, physical memory protection, triggers) read 0; writes to
// them are dropped. docs/core.md has the list.
module rv_csr
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen     = 64,
  parameter bit          HasXbgas = 1'b1,
  parameter bit          HasA     = 1'b0
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  /// Constant, and what `time` reads.
  input  logic [63:0]     hart_id_i,
  input  logic [63:0]     time_i,
  input  irq_t            irq_i,
  /// An instruction's access. rdata_o and illegal_o are of number_i, op_i and writes_i at any time.
  input  logic            access_i,
  input  csr_e            op_i,
  input  logic            writes_i,
  input  logic [11:0]     number_i,
  input  logic [Xlen-1:0] operand_i,
  output logic [Xlen-1:0] rdata_o,
  output logic            illegal_o,
  /// A counter of instructions is written, so that this one does not count.
  output logic            sets_instret_o,
  /// Traps and interrupts.
  input  logic            trap_i,
  input  logic            trap_is_irq_i,
  input  logic [3:0]      trap_cause_i,
  input  logic [Xlen-1:0] trap_pc_i,
  input  logic [Xlen-1:0] trap_tval_i,
  input  logic            mret_i,
  input  logic            retire_i,
  /// An interrupt is to be taken before the next instruction.
  output logic            irq_o,
  output logic [3:0]      irq_cause_o,
  output logic [Xlen-1:0] vector_o,
  output logic [Xlen-1:0] mepc_o,
  output priv_e           privilege_o,
  /// For the trace: as they are, and as they are after this cycle.
  output csr_state_t      state_o,
  output csr_state_t      next_state_o
);
  typedef struct packed {
    logic            mie, mpie, mpp, mprv;  // of mstatus; mpp: machine
    irq_t            enable;
    logic [Xlen-1:0] mtvec;
    logic [31:0]     mcounteren;
    logic [Xlen-1:0] mscratch;
    logic [Xlen-1:0] mepc;
    logic [Xlen-1:0] mcause;
    logic [Xlen-1:0] mtval;
  } state_t;

  state_t      state_q, state_d;
  priv_e       privilege_q, privilege_d;
  logic [63:0] cycle_q, cycle_d, instret_q, instret_d;

  function automatic logic [Xlen-1:0] mstatus_of(input state_t s);
    logic [63:0] value;
    value        = '0;
    value[3]     = s.mie;
    value[7]     = s.mpie;
    value[12:11] = {2{s.mpp}};
    value[17]    = s.mprv;
    if (Xlen == 64) value[33:32] = 2'd2;  // UXL
    return value[Xlen-1:0];
  endfunction

  function automatic logic [Xlen-1:0] lines(input irq_t irq);
    logic [63:0] value;
    value     = '0;
    value[11] = irq.external_irq;
    value[7]  = irq.timer_irq;
    value[3]  = irq.software_irq;
    return value[Xlen-1:0];
  endfunction

  function automatic csr_state_t trace_of(input state_t s);
    return '{mstatus: 64'(mstatus_of(s)), mie: 64'(lines(s.enable)), mtvec: 64'(s.mtvec), mcounteren: 64'(s.mcounteren),
             mscratch: 64'(s.mscratch), mepc: 64'(s.mepc), mcause: 64'(s.mcause), mtval: 64'(s.mtval)};
  endfunction

  // C, I, M, U and, if they are there, A and X; the width stands in the upper two bits.
  localparam logic [25:0]     Letters = 26'h0101104 | (HasXbgas ? 26'h0800000 : 26'h0) | 26'(HasA);
  localparam logic [Xlen-1:0] Misa    = {Xlen == 32 ? 2'd1 : 2'd2, (Xlen-28)'(0), Letters};

  ////////////
  // Access //
  ////////////

  logic            there, closed;
  logic [63:0]     counter;
  logic [Xlen-1:0] old, next;

  // Counters as user mode has them, upper halves on 32 bits.
  always_comb begin
    unique case (number_i[1:0])
      2'd0:    counter = cycle_q;
      2'd1:    counter = time_i;
      2'd2:    counter = instret_q;
      default: counter = '0;
    endcase
  end

  always_comb begin
    there = 1'b1;
    old   = '0;
    unique case (number_i) inside
      12'h300: old = mstatus_of(state_q);
      12'h301: old = Misa;
      12'h304: old = lines(state_q.enable);
      12'h305: old = state_q.mtvec;
      12'h306: old = Xlen'(state_q.mcounteren);
      12'h310, 12'h31a: there = Xlen == 32;
      12'h30a, 12'h320: old = '0;
      12'h340: old = state_q.mscratch;
      12'h341: old = state_q.mepc;
      12'h342: old = state_q.mcause;
      12'h343: old = state_q.mtval;
      12'h344: old = lines(irq_i);
      12'hb00, 12'hb02, 12'hc00, 12'hc01, 12'hc02: old = counter[Xlen-1:0];
      12'hb80, 12'hb82, 12'hc80, 12'hc81, 12'hc82: begin
        old   = Xlen'(counter[63:32]);
        there = Xlen == 32;
      end
      12'hca0: begin  // no remote access is under way: each is complete with its instruction
        old   = Xlen'(1);
        there = HasXbgas;
      end
      12'hf11, 12'hf12, 12'hf13, 12'hf15: old = '0;
      12'hf14: old = Xlen'(hart_id_i);
      // There, but nothing in them.
      12'h7a0, 12'h7a1, 12'h7a2, 12'h7a3, 12'h7a5: old = '0;
      [12'h323:12'h33f], [12'hb03:12'hb1f], [12'hc03:12'hc1f], [12'h3b0:12'h3ef]: old = '0;
      [12'hb83:12'hb9f], [12'hc83:12'hc9f]: there = Xlen == 32;
      [12'h3a0:12'h3af]: there = Xlen == 32 || !number_i[0];
      default: there = 1'b0;
    endcase
  end

  // User mode reads the counters that machine mode has opened.
  assign closed = privilege_q == PrivUser && (number_i[9:8] != 2'd0 ||
                  (number_i[11:8] == 4'hc && number_i[6:5] == 2'd0 && !state_q.mcounteren[number_i[4:0]]));
  assign illegal_o = !there || closed || (writes_i && number_i[11:10] == 2'd3);
  assign rdata_o   = old;

  always_comb begin
    unique case (op_i)
      CsrSet:   next = old | operand_i;
      CsrClear: next = old & ~operand_i;
      default:  next = operand_i;
    endcase
  end

  logic write;
  assign write          = access_i && writes_i;
  assign sets_instret_o = writes_i && (number_i == 12'hb02 || (Xlen == 32 && number_i == 12'hb82));

  always_comb begin
    cycle_d   = cycle_q + 64'd1;
    instret_d = instret_q + 64'(retire_i);
    if (write) begin
      if (Xlen == 64) begin
        if (number_i == 12'hb00) cycle_d = 64'(next);
        if (number_i == 12'hb02) instret_d = 64'(next);
      end else begin
        if (number_i == 12'hb00) cycle_d = {cycle_q[63:32], next[31:0]};
        if (number_i == 12'hb80) cycle_d = {next[31:0], cycle_q[31:0]};
        if (number_i == 12'hb02) instret_d = {instret_q[63:32], next[31:0]};
        if (number_i == 12'hb82) instret_d = {next[31:0], instret_q[31:0]};
      end
    end
  end

  ////////////////////////
  // Traps in, and back //
  ////////////////////////

  always_comb begin
    state_d     = state_q;
    privilege_d = privilege_q;
    if (write) begin
      unique case (number_i)
        12'h300: begin
          state_d.mie  = next[3];
          state_d.mpie = next[7];
          state_d.mpp  = next[12:11] == 2'd3;
          state_d.mprv = next[17];
        end
        12'h304: state_d.enable = '{external_irq: next[11], timer_irq: next[7], software_irq: next[3]};
        12'h305: state_d.mtvec = {next[Xlen-1:2], 1'b0, next[0]};
        12'h306: state_d.mcounteren = next[31:0];
        12'h340: state_d.mscratch = next;
        12'h341: state_d.mepc = {next[Xlen-1:1], 1'b0};
        12'h342: state_d.mcause = next;
        12'h343: state_d.mtval = next;
        default: ;
      endcase
    end
    if (mret_i) begin
      state_d.mie  = state_q.mpie;
      state_d.mpie = 1'b1;
      state_d.mpp  = 1'b0;
      if (!state_q.mpp) state_d.mprv = 1'b0;
      privilege_d  = state_q.mpp ? PrivMachine : PrivUser;
    end
    if (trap_i) begin
      state_d.mie    = 1'b0;
      state_d.mpie   = state_q.mie;
      state_d.mpp    = privilege_q == PrivMachine;
      state_d.mepc   = trap_pc_i;
      state_d.mcause = {trap_is_irq_i, (Xlen-5)'(0), trap_cause_i};
      state_d.mtval  = trap_tval_i;
      privilege_d    = PrivMachine;
    end
  end

  irq_t pending;
  assign pending     = irq_i & state_q.enable;
  assign irq_o       = pending != '0 && (privilege_q == PrivUser || state_q.mie);
  assign irq_cause_o = pending.external_irq ? 4'd11 : pending.software_irq ? 4'd3 : 4'd7;
  assign vector_o    = {state_q.mtvec[Xlen-1:2], 2'b00} +
                       (trap_is_irq_i && state_q.mtvec[0] ? Xlen'({trap_cause_i, 2'b00}) : '0);
  assign mepc_o      = state_q.mepc;
  assign privilege_o = privilege_q;
  assign state_o      = trace_of(state_q);
  assign next_state_o = trace_of(state_d);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= '0;
      privilege_q <= PrivMachine;
      cycle_q     <= '0;
      instret_q   <= '0;
    end else begin
      state_q     <= state_d;
      privilege_q <= privilege_d;
      cycle_q     <= cycle_d;
      instret_q   <= instret_d;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (32'(access_i) + 32'(trap_i) + 32'(mret_i) <= 1);
      assert (!access_i || !illegal_o);
      assert (!mret_i || privilege_q == PrivMachine);
    end
  end
endmodule
