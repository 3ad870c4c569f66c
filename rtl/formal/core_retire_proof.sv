// The core without the unit, on its trace port, for any program and any times of memory, with errors and interrupts:
// each instruction reads, computes, writes and goes on as the table's meaning of its word has it (core_spec.py), and
// one that traps does with the cause that applies; it reads what the last one before it that wrote the register has
// written; it is where the one before it has led, behind a trap or interrupt at the vector; loads and stores are the
// accesses on the bus; numbers count. What fetch gives is of another proof (rv_fetch), products are stand-ins.
//
// The checks of the port stand last. Those before them say the same of instructions that are still on their way, so that
// induction holds from any state.
//
// What holds of all instructions has two proofs of its own: order, and then registers, which assumes order. Those of what
// a group of instructions means assume both.
`define ALWAYS(condition) if (OrderProof) assert (condition); else assume (condition)
`define READS(condition) if (RegistersProof) assert (condition); else if (!OrderProof) assume (condition)

module core_retire_proof
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
  import core_spec_pkg::*;
  import core_csr_spec_pkg::*;
#(
  localparam int unsigned Bytes = Xlen / 8,
  localparam int unsigned LaneW = $clog2(Bytes)
) (
  input logic             clk_i,
  input logic             instr_ready_i,
  input logic             instr_answer_i,
  input logic [31:0]      instr_rdata_i,
  input logic             instr_err_i,
  input logic             data_ready_i,
  input logic             data_answer_i,
  input logic [Xlen-1:0]  data_rdata_i,
  input logic             data_err_i,
  input irq_t             irq_i,
  input logic [63:0]      time_i
);
  localparam logic [63:0] ResetPc = 64'h8000_0000;

  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic             instr_valid, instr_rvalid, data_valid, data_write, data_rvalid, data_lock;
  word_t            instr_addr, data_addr, data_wdata;
  logic [Bytes-1:0] data_be;
  rvfi_t            rvfi;

  rv_core #(.Xlen(Xlen), .ResetPc(ResetPc), .HasA(HasA), .HasXbgas(1'b0), .Atomics(1'b0), .Bulk(1'b0)) u_core (
    .clk_i, .rst_ni, .hart_id_i('0), .time_i, .irq_i,
    .instr_valid_o(instr_valid), .instr_ready_i, .instr_addr_o(instr_addr), .instr_rvalid_i(instr_rvalid), .instr_rdata_i,
    .instr_err_i,
    .data_valid_o(data_valid), .data_ready_i, .data_addr_o(data_addr), .data_write_o(data_write), .data_be_o(data_be),
    .data_wdata_o(data_wdata), .data_lock_o(data_lock), .data_rvalid_i(data_rvalid), .data_rdata_i, .data_err_i,
    .remote_valid_o(), .remote_ready_i(1'b0), .remote_kind_o(), .remote_op_o(), .remote_size_o(), .remote_space_o(),
    .remote_addr_o(), .remote_wdata_o(), .remote_compare_o(), .remote_reserved_o(), .remote_id_o(),
    .remote_rvalid_i(1'b0), .remote_rid_i(1'b0), .remote_rdata_i('0), .remote_err_i(1'b0), .rvfi_o(rvfi)
  );

  // Memory answers what it has taken, sooner or later. The last access of data, as the bus had it.
  logic [2:0]       fetches_q;
  logic             data_busy_q, bus_write_q;
  word_t            bus_addr_q, bus_wdata_q;
  logic [Bytes-1:0] bus_be_q;
  assign instr_rvalid = instr_answer_i && fetches_q != '0;
  assign data_rvalid  = data_answer_i && data_busy_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetches_q   <= '0;
      data_busy_q <= 1'b0;
    end else begin
      fetches_q   <= fetches_q + 3'(instr_valid && instr_ready_i) - 3'(instr_rvalid);
      data_busy_q <= (data_valid && data_ready_i) || (data_busy_q && !data_rvalid);
    end
  end
  always_ff @(posedge clk_i) begin
    if (data_valid && data_ready_i) begin
      bus_addr_q  <= data_addr;
      bus_write_q <= data_write;
      bus_be_q    <= data_be;
      bus_wdata_q <= data_wdata;
    end
  end

  ////////////////////////////
  // What has been retired //
  ////////////////////////////

  typedef struct packed {
    word_t pc;      // where the program goes on
    word_t mtvec;
    logic  trap;
  } end_t;

  // Any register, always the same one.
  logic [4:0]  tracked;
  word_t       tracked_q, tracked_now;
  end_t        last_q, last;
  logic [63:0] count_q;
  initial tracked_q = '0;

  assign last        = rvfi.valid ? '{pc: word_t'(rvfi.pc_wdata), mtvec: word_t'(rvfi.csr.mtvec), trap: rvfi.trap} : last_q;
  assign tracked_now = rvfi.valid && rvfi.rd_addr == tracked ? word_t'(rvfi.rd_wdata) : tracked_q;
  always_ff @(posedge clk_i) tracked <= tracked;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q  <= '{pc: ResetPc[Xlen-1:0], mtvec: '0, trap: 1'b0};
      count_q <= '0;
    end else begin
      last_q  <= last;
      count_q <= count_q + 64'(rvfi.valid);
    end
  end
  always_ff @(posedge clk_i) tracked_q <= tracked_now;

  function automatic word_t base(input word_t mtvec);
    return {mtvec[Xlen-1:2], 2'b00};
  endfunction
  function automatic word_t vector(input word_t mtvec, input logic [3:0] number);
    return base(mtvec) + (mtvec[0] ? word_t'({number, 2'b00}) : '0);
  endfunction
  function automatic word_t behind(input end_t e);
    return e.trap ? base(e.mtvec) : e.pc;
  endfunction

  // lr is a load.
  function automatic logic is_atomic(input meaning_t m);
    return m.kind == Amo || m.kind == Conditional;
  endfunction

  // Whether what an instruction says of itself is what its word means. Loads and stores that memory refused have
  // another cause, which is only known at their end.
  function automatic logic traps_rightly(input rvfi_t r, input meaning_t m);
    logic plain;
    plain = m.kind == Plain || (m.kind == System && (r.insn[31:7] != 25'h0604000 || r.mode == PrivMachine));
    unique case (r.cause)
      CauseFetchFault:      return 1'b1;
      CauseIllegal:         return (m.kind == Illegal || m.kind == Csr || (m.kind == System && !plain)) && r.tval == 64'(r.insn);
      CauseBreakpoint:      return m.kind == Break && r.tval == r.pc_rdata;
      CauseUserCall:        return m.kind == Call && r.mode == PrivUser && r.tval == '0;
      CauseMachineCall:     return m.kind == Call && r.mode == PrivMachine && r.tval == '0;
      CauseLoadMisaligned:  return m.kind == Load && misaligned(m) && r.tval == 64'(m.address);
      CauseStoreMisaligned: return (m.kind == Store || is_atomic(m)) && misaligned(m) && r.tval == 64'(m.address);
      default:              return 1'b0;
    endcase
  endfunction
  function automatic logic ends_rightly(input rvfi_t r, input meaning_t m);
    return (m.kind == Plain || m.kind == Csr || m.kind == System || ((m.kind == Load || m.kind == Store) && !misaligned(m))) &&
           !(m.kind == System && r.insn[31:7] == 25'h0604000 && r.mode != PrivMachine) &&
           r.rs1_addr == m.rs1 && r.rs2_addr == m.rs2 &&
           (m.kind == System || r.pc_wdata == 64'(m.next_pc)) &&
           r.mem_rmask == (m.kind == Load ? 8'((1 << (1 << m.size)) - 1) : 8'd0) &&
           r.mem_wmask == (m.kind == Store ? 8'((1 << (1 << m.size)) - 1) : 8'd0) &&
           ((m.kind != Load && m.kind != Store) || r.mem_addr == 64'(m.address)) &&
           (m.kind != Store || r.mem_wdata == r.rs2_rdata);
  endfunction
  function automatic logic on_the_bus(input meaning_t m, input word_t data, input word_t addr, input logic write,
                                      input logic [Bytes-1:0] be, input word_t wdata);
    logic right;
    right = addr == {m.address[Xlen-1:LaneW], LaneW'(0)} && write == (m.kind == Store) &&
            be == Bytes'(((1 << (1 << m.size)) - 1) << m.address[LaneW-1:0]);
    for (int unsigned i = 0; i < Bytes; i++) begin
      if (write && be[i]) right = right && wdata[8*i+:8] == data[8*(i - 32'(m.address[LaneW-1:0]))+:8];
    end
    return right;
  endfunction

  ///////////////////////////////
  // Instructions on their way //
  ///////////////////////////////

  // In execute: decoded as its word says, guessed as its word says; fetch is behind it.
  instruction_t decoded;
  control_t     control, as_table;
  logic         guess;
  logic signed [20:0] offset;
  localparam logic [NumExtensions-1:0] Known =
      NumExtensions'(1) << ExtI | NumExtensions'(1) << ExtZifencei | NumExtensions'(1) << ExtZicsr |
      NumExtensions'(1) << ExtPrivileged | NumExtensions'(1) << ExtM | NumExtensions'(1) << ExtC |
      NumExtensions'(HasA) << ExtA;
  xbgas_decoder u_decoder (
    .insn_i(u_core.x_word), .rv64_i(Xlen == 64), .profile_b_i(1'b1), .extensions_i(Known), .instruction_o(decoded),
    .control_o(as_table)
  );
  // Of an atomic operation execute computes the address.
  always_comb begin
    control = as_table;
    if (HasA && as_table.klass == ClassAtomic) begin
      control.alu       = AluAdd;
      control.operand_b = BZero;
    end
  end
  rv_predict #(.Xlen(Xlen)) u_predict (.insn_i(u_core.x_word), .taken_o(guess), .offset_o(offset));

  always_comb begin
    if (rst_ni) begin
      if (u_core.x_valid) begin
        `ALWAYS(u_core.x_control == control && !u_core.x_offload);
        `ALWAYS(u_core.x_insn.op == decoded.op);
        `ALWAYS(!HasA || u_core.x_amo == as_table.alu);
        `ALWAYS(decoded.op == OpIllegal || u_core.x_insn == decoded);
        `ALWAYS(u_core.x_reads_rs1 == (control.rs1_file == FileX && !control.csr_immediate));
        `ALWAYS(u_core.x_reads_rs2 == (control.rs2_file == FileX));
        `ALWAYS(u_core.x_word[1:0] == 2'b11 || u_core.x_word[31:16] == '0);
        `ALWAYS(u_core.x_taken == (guess && !u_core.x_fault));
        `ALWAYS(u_core.x_fault || u_core.u_fetch.pc_q == u_core.x_pc + (guess ? word_t'(offset) :
                                                                        u_core.x_word[1:0] == 2'b11 ? word_t'(4) : word_t'(2)));
      end else begin
        `ALWAYS(u_core.u_fetch.pc_q == u_core.follows_q);
      end
      `ALWAYS(!u_core.x_valid || u_core.x_pc == u_core.follows_q);
      `ALWAYS(!u_core.u_fetch.pc_q[0] && !u_core.follows_q[0]);
      `ALWAYS(u_core.u_csr.privilege_q == PrivMachine || u_core.u_csr.privilege_q == PrivUser);
      `ALWAYS(!u_core.u_csr.state_q.mepc[0] && !u_core.u_csr.state_q.mtvec[1]);
      // A division keeps what it was asked for.
      `ALWAYS(!u_core.u_div.busy_q || !u_core.div_request ||
              u_core.u_div.result_o == stand_in(u_core.x_control.alu, u_core.x_control.word, u_core.value[0], u_core.value[1]));
      `ALWAYS(u_core.u_fetch.flight_q == fetches_q + 3'(u_core.u_fetch.held_q));
    end
  end

  // What its word means, found out once, when it leaves execute: asked, m of the one in write back, meant of the one on
  // the port. That this is the meaning of what the port says is checked, too.
  typedef struct packed {
    logic [31:0] insn;
    word_t       pc, a, b;
  } asked_t;

  function automatic asked_t asked_by(input rvfi_t r);
    return '{insn: r.insn, pc: word_t'(r.pc_rdata), a: word_t'(r.rs1_rdata), b: word_t'(r.rs2_rdata)};
  endfunction

  rvfi_t    going;
  asked_t   asking, asked, asked_of_port;
  meaning_t meaning_of, m, meant;
  assign going  = u_core.gen_rvfi.u_retire.going_q;
  assign asking = '{insn: u_core.x_word, pc: u_core.x_pc,
                    a: u_core.x_reads_rs1 && u_core.x_insn.rs1 != '0 ? u_core.value[0] : '0,
                    b: u_core.x_reads_rs2 && u_core.x_insn.rs2 != '0 ? u_core.value[1] : '0};
  assign meaning_of = meaning(asking.insn, asking.pc, asking.a, asking.b);
  always_ff @(posedge clk_i) begin
    if (u_core.leaves) begin
      asked <= asking;
      m     <= meaning_of;
    end
    asked_of_port <= asked;
    meant         <= m;
  end

  // So that no solver has to find it out while it compares sums.
  always_comb begin
    if (rst_ni && u_core.x_valid && meaning_of.here && meaning_of.immediate) begin
      assert (u_core.x_insn.imm == meaning_of.imm[31:0]);
    end
  end

  // Where it goes on, here as well: behind it a target that no instruction can stand at is assumed away.
  always_comb begin
    if (rst_ni && u_core.leaves && !u_core.exc && meaning_of.here && meaning_of.kind != System) begin
      goes_on_a : assert (u_core.next_pc == meaning_of.next_pc);
    end
  end

  // In write back. An atomic operation there is between its two accesses, or has one under way.
  logic [1:0] at;  // rv_atomic's state
  if (HasA) begin : gen_at
    assign at = u_core.gen_atomic.u_atomic.state_q;
  end else begin : gen_never_at
    assign at = 2'd0;
  end

  // Groups have no others' meanings, wherever induction begins.
  always_comb begin
    if (rst_ni && !AtomicsProof) begin
      assert (!u_core.w_valid_q || !m.here || (!is_atomic(m) && !(HasA && going.insn[6:0] == 7'h2f)) ||
              going.trap);
      assert (!rvfi.valid || !meant.here || (!is_atomic(meant) && !(HasA && rvfi.insn[6:0] == 7'h2f)) ||
              (rvfi.trap && rvfi.cause != CauseLoadFault && rvfi.cause != CauseStoreFault));
    end
  end

  always_comb begin
    if (rst_ni) begin
      `ALWAYS(data_busy_q == (u_core.w_valid_q && u_core.w_wait_q == 2'd2 && at != 2'd2));
      `ALWAYS(at == 2'd0 || (u_core.w_valid_q && u_core.w_wait_q == 2'd2));
      `ALWAYS(!(u_core.w_valid_q && u_core.w_wait_q == 2'd2) || (at != 2'd0) == (HasA && going.insn[6:0] == 7'h2f));
      `ALWAYS(u_core.w_wait_q == 2'd0 || u_core.w_valid_q);
      `ALWAYS(u_core.w_wait_q != 2'd3);
      if (u_core.w_valid_q) begin
        `READS(asked == asked_by(going));
        `ALWAYS(u_core.w_trapped_q == going.trap && going.rd_addr == '0 && going.rd_wdata == '0);
        `ALWAYS(word_t'(going.pc_rdata) == u_core.w_pc_q && !u_core.w_pc_q[0]);
        if (going.trap) begin
          assert (!m.here || traps_rightly(going, m));
          `ALWAYS(u_core.w_wait_q == 2'd0 && u_core.w_rd_q == '0);
          `ALWAYS(going.mem_rmask == '0 && going.mem_wmask == '0);
        end else if (m.here && !is_atomic(m)) begin
          assert (ends_rightly(going, m));
          assert (u_core.w_rd_q == m.rd);
          if (m.kind == Load || m.kind == Store) begin
            assert (u_core.w_wait_q == 2'd2 && u_core.w_result_q == m.address && u_core.w_size_q == m.size);
            assert (u_core.w_load_q == (m.kind == Load) && (m.kind != Load || u_core.w_signed_q == m.with_sign));
            assert (on_the_bus(m, word_t'(going.rs2_rdata), bus_addr_q, bus_write_q, bus_be_q, bus_wdata_q));
          end else begin
            assert (u_core.w_wait_q != 2'd2);
            assert (m.kind != Plain || m.rd == '0 || u_core.w_value == m.value);
          end
        end
        `ALWAYS(going.rs1_addr != '0 || going.rs1_rdata == '0);
        `ALWAYS(going.rs2_addr != '0 || going.rs2_rdata == '0);
        `READS(going.rs1_addr != tracked || tracked == '0 || going.rs1_rdata == 64'(tracked_now));
        `READS(going.rs2_addr != tracked || tracked == '0 || going.rs2_rdata == 64'(tracked_now));
        `ALWAYS(going.pc_rdata == 64'(going.intr ? vector(last.mtvec, going.irq_number) : behind(last)));
      end
      // The way.
      `ALWAYS(u_core.w_valid_q || u_core.u_csr.state_q.mtvec == last.mtvec);
      if (u_core.gen_rvfi.u_retire.handler_q) begin
        `ALWAYS(!u_core.w_valid_q && !u_core.u_csr.state_q.mie && u_core.u_csr.privilege_q == PrivMachine);
        `ALWAYS(u_core.follows_q == vector(last.mtvec, u_core.gen_rvfi.u_retire.handler_cause_q));
      end else if (u_core.w_valid_q) begin
        `ALWAYS(u_core.follows_q == (going.trap ? base(u_core.u_csr.state_q.mtvec) : word_t'(going.pc_wdata)));
      end else begin
        `ALWAYS(u_core.follows_q == behind(last));
      end
      `ALWAYS(u_core.gen_rvfi.u_retire.order_q == count_q + 64'(rvfi.valid));
    end
  end

  // Registers, which reset leaves alone.
  always_comb begin
    `READS(tracked == '0 || (u_core.u_registers.gen_port[0].mem_q[tracked] == tracked_now &&
                             u_core.u_registers.gen_port[1].mem_q[tracked] == tracked_now));
    `READS(u_core.u_registers.gen_port[0].mem_q[0] == '0 && u_core.u_registers.gen_port[1].mem_q[0] == '0);
  end

  //////////////////////////////////
  // Control and status registers //
  //////////////////////////////////

  if (CsrsProof) begin : gen_csrs
    // As the port has led to it; of the instruction in write back at its begin, and at its end if memory does not fail.
    world_t world_q, world, began, ended, began_of_port;
    assign began_of_port = rvfi.intr ? trapped(world_q, 64'(behind(last_q)), 1'b1, rvfi.irq_number, '0) : world_q;
    assign world         = rvfi.valid ? behind_instruction(began_of_port, rvfi) : world_q;
    assign began         = going.intr ? trapped(world, 64'(behind(last)), 1'b1, going.irq_number, '0) : world;
    assign ended         = behind_instruction(began, going);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) world_q <= at_reset();
      else world_q <= world;
    end

    world_t now;
    always_comb begin
      now = world;
      if (u_core.w_valid_q) now = ended;
      else if (u_core.gen_rvfi.u_retire.handler_q)
        now = trapped(world, 64'(behind(last)), 1'b1, u_core.gen_rvfi.u_retire.handler_cause_q, '0);
    end

    function automatic logic rightly_accessed(input world_t w, input rvfi_t r);
      if (!is_csr(r.insn)) return 1'b1;
      if (r.trap) return r.cause == CauseFetchFault || !is_legal(w, r.insn);
      return is_legal(w, r.insn);
    endfunction
    function automatic logic rightly_interrupted(input world_t w, input rvfi_t r);
      return r.intr ? interrupts(w, r.irq) && r.irq_number == first_of(w, r.irq) : !interrupts(w, r.irq);
    endfunction
    // The first instruction of a handler sees the lines of its own time.
    function automatic logic [63:0] lines(input rvfi_t r);
      return {52'd0, r.irq.external_irq, 3'd0, r.irq.timer_irq, 3'd0, r.irq.software_irq, 3'd0};
    endfunction
    function automatic logic rightly_read(input world_t w, input rvfi_t r, input logic [63:0] value);
      if (!is_csr(r.insn) || r.trap) return 1'b1;
      if (r.insn[31:20] == Mip) return r.intr || value == lines(r);
      return !is_known(r.insn[31:20]) || value == read(w, r.insn[31:20]);
    endfunction

    always_comb begin
      if (rst_ni) begin
        assert (u_core.csr_state == now.csr);
        assert (u_core.u_csr.privilege_q == (now.machine ? PrivMachine : PrivUser));
        assert (!u_core.shown_q || (u_core.x_valid && u_core.accesses && !u_core.w_valid_q && !interrupts(now, u_core.irq_q)));
        if (u_core.w_valid_q) begin
          assert (u_core.u_csr.instret_q == (sets_instret(going.insn) && !going.trap ? ended.instret : world.instret));
          assert (u_core.w_counts_q == (!going.trap && !sets_instret(going.insn)));
          assert (going.mode == (began.machine ? PrivMachine : PrivUser));
          assert (rightly_accessed(began, going) && rightly_interrupted(world, going));
          assert (rightly_read(began, going, 64'(u_core.w_value)));
          assert ((!is_csr(going.insn) && !is_mret(going.insn)) || u_core.w_wait_q == 2'd0);
          assert (going.trap || !is_csr(going.insn) || u_core.w_rd_q == going.insn[11:7]);
          assert (going.trap || !is_mret(going.insn) || (began.machine && going.pc_wdata == began.csr.mepc));
        end else begin
          assert (u_core.u_csr.instret_q == world.instret);
        end
        if (u_core.gen_rvfi.u_retire.handler_q) begin
          assert (interrupts(world, u_core.gen_rvfi.u_retire.handler_irq_q));
          assert (u_core.gen_rvfi.u_retire.handler_cause_q == first_of(world, u_core.gen_rvfi.u_retire.handler_irq_q));
        end
      end
      if (rst_ni && rvfi.valid) begin
        csr_a : assert (rvfi.csr == world.csr);
        mode_a : assert (rvfi.mode == (began_of_port.machine ? PrivMachine : PrivUser));
        csr_legal_a : assert (rightly_accessed(began_of_port, rvfi));
        if (rvfi.rd_addr != '0) csr_value_a : assert (rightly_read(began_of_port, rvfi, rvfi.rd_wdata));
        csr_rd_a : assert (rvfi.trap || !is_csr(rvfi.insn) || rvfi.rd_addr == rvfi.insn[11:7]);
        mret_a : assert (rvfi.trap || !is_mret(rvfi.insn) || rvfi.pc_wdata == began_of_port.csr.mepc);
        irq_a : assert (rightly_interrupted(world_q, rvfi));
      end
    end
  end

  // Checks of their own, in files of their own.
`include "core_atomics_checks.svh"
`include "core_alive_checks.svh"

  //////////////
  // The port //
  //////////////

  always_comb begin
    if (rst_ni && rvfi.valid) begin
      `READS(asked_of_port == asked_by(rvfi));
      if (rvfi.trap && meant.here) begin
        if (rvfi.cause == CauseLoadFault || rvfi.cause == CauseStoreFault) begin
          insn_fault_a : assert ((meant.kind == (rvfi.cause == CauseLoadFault ? Load : Store) ||
                                  (is_atomic(meant) && rvfi.cause == CauseStoreFault)) &&
                                 !misaligned(meant) && rvfi.tval == 64'(meant.address));
        end else begin
          insn_trap_a : assert (traps_rightly(rvfi, meant));
        end
      end else if (meant.here && !is_atomic(meant)) begin
        insn_a : assert (ends_rightly(rvfi, meant));
        insn_rd_a : assert (rvfi.rd_addr == meant.rd);
        if (meant.rd != '0 && meant.kind == Plain) insn_value_a : assert (rvfi.rd_wdata == 64'(meant.value));
        if (meant.rd != '0 && meant.kind == Load) begin
          insn_load_a : assert (rvfi.rd_wdata == 64'(loaded(meant.size, meant.with_sign, rvfi.mem_rdata)));
        end
      end
      `ALWAYS(!rvfi.trap || (rvfi.rd_addr == '0 && rvfi.mem_rmask == '0 && rvfi.mem_wmask == '0));
      `READS(rvfi.rs1_addr == '0 ? rvfi.rs1_rdata == '0 : rvfi.rs1_addr != tracked || rvfi.rs1_rdata == 64'(tracked_q));
      `READS(rvfi.rs2_addr == '0 ? rvfi.rs2_rdata == '0 : rvfi.rs2_addr != tracked || rvfi.rs2_rdata == 64'(tracked_q));
      `ALWAYS(rvfi.rd_addr != '0 || rvfi.rd_wdata == '0);
      `ALWAYS(rvfi.pc_rdata == 64'(rvfi.intr ? vector(last_q.mtvec, rvfi.irq_number) : behind(last_q)));
      `ALWAYS(rvfi.order == count_q);
    end
  end
endmodule

`undef ALWAYS
`undef READS
