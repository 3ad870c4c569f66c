// An in-order core: RV32IMC or RV64IMC with Zicsr and Zifencei, by parameter A, machine and user mode, and the xBGAS
// unit.
//
//   fetch | decode | execute | write back      (docs/core.md has the picture)
//
// Fetch takes a cycle of memory; the word is decoded in the cycle in which it arrives. Execute reads registers, which
// write back forwards, computes, decides where the program goes on, and shows the request of a load or store. Write
// back waits for memory, the product or the unit. An instruction leaves execute only when the one before it ends
// without a trap, so what execute does (requests, control and status registers, traps) is never taken back.
//
// Promises: every instruction ends once, in order, on the RVFI port; one that traps changes nothing but what a trap
// changes; an interrupt is taken before any instruction that sees its line up and enabled.
module rv_core
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
#(
  /// 32 or 64.
  parameter int unsigned  Xlen     = 64,
  /// Where it begins.
  parameter logic [63:0]  ResetPc  = 64'h8000_0000,
  /// The A extension.
  parameter bit           HasA     = 1'b0,
  /// The xBGAS unit; which encoding, remote atomics, bulk transfers, e0 to e9 as addresses trap.
  parameter bit           HasXbgas = 1'b1,
  parameter bit           ProfileB = 1'b1,
  parameter bit           Atomics  = 1'b1,
  parameter bit           Bulk     = 1'b1,
  parameter bit           StrictE  = 1'b0,
  /// Remote loads and stores that may be under way (see xbgas_unit).
  parameter int unsigned  Outstanding = 1,
  /// The trace port; without it rvfi_o is 0.
  parameter bit           Rvfi     = 1'b1,
  localparam int unsigned Bytes    = Xlen / 8,
  localparam int unsigned RemoteIdW = Outstanding > 1 ? $clog2(Outstanding) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [63:0]       hart_id_i,
  /// What the CSR `time` reads.
  input  logic [63:0]       time_i,
  /// Levels of the interrupt lines.
  input  irq_t              irq_i,
  /// Instructions: requests are stable until taken; each is answered in order, a cycle later at the earliest; answers
  /// are always taken. At most 4 are under way.
  output logic              instr_valid_o,
  input  logic              instr_ready_i,
  output logic [Xlen-1:0]   instr_addr_o,
  input  logic              instr_rvalid_i,
  input  logic [31:0]       instr_rdata_i,
  input  logic              instr_err_i,
  /// Data: the same, one under way, lanes of the bus by be_o. Stores are answered, too. data_lock_o: of an atomic
  /// operation, from its read's being shown until its write is taken; nobody else's access may come between them.
  output logic              data_valid_o,
  input  logic              data_ready_i,
  output logic [Xlen-1:0]   data_addr_o,
  output logic              data_write_o,
  output logic [Bytes-1:0]  data_be_o,
  output logic [Xlen-1:0]   data_wdata_o,
  output logic              data_lock_o,
  input  logic              data_rvalid_i,
  input  logic [Xlen-1:0]   data_rdata_i,
  input  logic              data_err_i,
  /// Remote memory (see xbgas_unit).
  output logic              remote_valid_o,
  input  logic              remote_ready_i,
  output remote_kind_e      remote_kind_o,
  output alu_e              remote_op_o,
  output logic [2:0]        remote_size_o,
  output logic [Xlen-1:0]   remote_space_o,
  output logic [Xlen-1:0]   remote_addr_o,
  output logic [2*Xlen-1:0] remote_wdata_o,
  output logic [Xlen-1:0]   remote_compare_o,
  output logic              remote_reserved_o,
  output logic [RemoteIdW-1:0] remote_id_o,
  input  logic              remote_rvalid_i,
  input  logic [RemoteIdW-1:0] remote_rid_i,
  input  logic [2*Xlen-1:0] remote_rdata_i,
  input  logic              remote_err_i,
  output rvfi_t             rvfi_o
);
  localparam int unsigned LaneW = $clog2(Bytes);
  /// Registers of an instruction that go to the unit.
  localparam int unsigned NumRs = HasXbgas && (Atomics || Bulk || !ProfileB) ? 3 : 2;

  if (Xlen != 32 && Xlen != 64) begin : gen_xlen_check
    $fatal(1, "rv_core: Xlen is 32 or 64");
  end

  //////////////////////
  // Fetch and decode //
  //////////////////////

  logic            redirect;
  logic [Xlen-1:0] redirect_pc;
  logic            f_valid, f_ready, f_taken, f_fault;
  logic [31:0]     f_insn;
  logic [Xlen-1:0] f_pc, f_not_there;

  rv_fetch #(.Xlen(Xlen), .ResetPc(ResetPc)) u_fetch (
    .clk_i, .rst_ni, .redirect_valid_i(redirect), .redirect_pc_i(redirect_pc),
    .valid_o(f_valid), .ready_i(f_ready), .insn_o(f_insn), .pc_o(f_pc), .taken_o(f_taken), .fault_o(f_fault),
    .not_there_o(f_not_there),
    .instr_valid_o, .instr_ready_i, .instr_addr_o, .instr_rvalid_i, .instr_rdata_i, .instr_err_i
  );

  logic            x_valid, x_ready, x_offload, x_reads_rs1, x_reads_rs2, x_reads_rs3, x_taken, x_fault;
  logic [31:0]     x_word;
  logic [Xlen-1:0] x_pc, x_not_there;
  instruction_t    x_insn;
  control_t        x_control;
  alu_e            x_amo;

  rv_decode #(.Xlen(Xlen), .HasXbgas(HasXbgas), .HasA(HasA)) u_decode (
    .clk_i, .rst_ni, .flush_i(redirect),
    .valid_i(f_valid), .ready_o(f_ready), .insn_i(f_insn), .pc_i(f_pc), .taken_i(f_taken), .fault_i(f_fault),
    .not_there_i(f_not_there),
    .valid_o(x_valid), .ready_i(x_ready), .word_o(x_word), .insn_o(x_insn), .control_o(x_control), .amo_o(x_amo),
    .offload_o(x_offload), .reads_rs1_o(x_reads_rs1), .reads_rs2_o(x_reads_rs2), .reads_rs3_o(x_reads_rs3),
    .pc_o(x_pc), .taken_o(x_taken), .fault_o(x_fault), .not_there_o(x_not_there)
  );

  //////////////////////////
  // Write back: register //
  //////////////////////////

  typedef enum logic [1:0] {
    WaitNothing,  // the result is there
    WaitProduct,  // of the multiplier, which is there as well, but too late to be forwarded
    WaitMemory,
    WaitUnit
  } wait_e;

  logic             w_valid_q, w_counts_q, w_trapped_q, w_load_q, w_signed_q;
  wait_e            w_wait_q;
  logic [4:0]       w_rd_q;  // 0: nothing is written
  logic [Xlen-1:0]  w_result_q;  // of memory: the address
  logic [Xlen-1:0]  w_pc_q;
  logic [1:0]       w_size_q;
  // What becomes of it in this cycle.
  logic             w_done, w_trap, w_writes, w_free;
  logic [Xlen-1:0]  w_value;

  ///////////////
  // Registers //
  ///////////////

  logic [NumRs-1:0][4:0]      number;
  logic [NumRs-1:0][Xlen-1:0] stored, value;
  logic [NumRs-1:0]           reads, meets;
  logic                       too_late;
  // Of what the unit has posted.
  logic [31:0]     busy, soon;
  logic            pending, late_valid, late_held_q, late_fault, late_fault_store, result_posted, x_writes, held;
  logic            posts, under_way;
  logic [4:0]      late_rd;
  logic [Xlen-1:0] late_data, late_fault_addr;

  assign number[0] = x_insn.rs1;
  assign number[1] = x_insn.rs2;
  assign reads[0]  = x_reads_rs1;
  assign reads[1]  = x_reads_rs2;
  if (NumRs == 3) begin : gen_third
    assign number[2] = x_insn.rs3;
    assign reads[2]  = x_reads_rs3;
  end

  rv_regfile #(.Xlen(Xlen), .NumRead(NumRs)) u_registers (
    .clk_i, .write_i(w_writes || late_valid), .waddr_i(w_writes ? w_rd_q : late_rd),
    .wdata_i(w_writes ? w_value : late_data), .raddr_i(number), .rdata_o(stored)
  );

  for (genvar i = 0; i < int'(NumRs); i++) begin : gen_forward
    assign meets[i] = w_valid_q && w_rd_q != '0 && w_rd_q == number[i];
    assign value[i] = meets[i] ? w_value : stored[i];
  end
  assign too_late = w_wait_q == WaitProduct && (meets & reads) != '0;

  // What is posted: its register, still to be written, holds those that read or write it in execute; so it does in
  // the cycle in which the unit posts it. A write that found the register file in use gets the next cycle.
  assign posts     = w_valid_q && w_wait_q == WaitUnit && result_posted;
  assign under_way = pending || posts;
  always_comb begin
    soon = busy;
    if (posts) soon[w_rd_q] = 1'b1;
    soon[0] = 1'b0;
    held    = x_writes && soon[x_insn.rd];
    for (int unsigned i = 0; i < NumRs; i++) begin
      if (reads[i] && soon[number[i]]) held = 1'b1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_held_q <= 1'b0;
    else late_held_q <= late_valid && w_writes;
  end

  /////////////
  // Compute //
  /////////////

  logic [Xlen-1:0] a, b, immediate, result, quotient, sequel, branch_target, next_pc, mepc;
  logic            divide, div_request, div_done, multiply, jumps;

  assign immediate = Xlen'($signed(x_insn.imm));
  always_comb begin
    unique case (x_control.operand_a)
      APc:     a = x_pc;
      AZero:   a = '0;
      default: a = value[0];
    endcase
    unique case (x_control.operand_b)
      BImmediate: b = immediate;
      BZero:      b = '0;
      default:    b = value[1];
    endcase
  end

  rv_alu #(.Xlen(Xlen)) u_alu (.alu_i(x_control.alu), .word_i(x_control.word), .a_i(a), .b_i(b), .result_o(result));

  assign divide   = x_control.klass == ClassDivide;
  assign multiply = x_control.klass == ClassMultiply;
  rv_div #(.Xlen(Xlen)) u_div (
    .clk_i, .rst_ni, .request_i(div_request), .alu_i(x_control.alu), .word_i(x_control.word),
    .a_i(value[0]), .b_i(value[1]), .done_o(div_done), .result_o(quotient)
  );

  assign sequel        = x_pc + (x_insn.compressed ? Xlen'(2) : Xlen'(4));
  assign branch_target = x_pc + immediate;
  assign jumps         = x_control.jump || (x_control.branch && result[0]);
  always_comb begin
    next_pc = sequel;
    if (x_control.branch && result[0]) next_pc = branch_target;
    if (x_control.jump) next_pc = {result[Xlen-1:1], 1'b0};
    if (x_insn.op == OpMret) next_pc = mepc;
  end

  ////////////
  // Access //
  ////////////

  logic             accesses, shows, misaligned, x_data_valid, u_mem_valid, u_mem_write;
  logic [1:0]       u_mem_size;
  logic [Xlen-1:0]  u_mem_addr, u_mem_wdata, loaded, loaded_raw;
  // Atomic operations: in execute; the one in write back, and its write.
  logic             x_atomic, x_reserved, a_busy, a_done, a_mem_valid, a_lock, a_wrote;
  logic [Xlen-1:0]  a_mem_wdata, a_value, a_found;

  assign accesses = x_control.mem_read || x_control.mem_write;
  assign x_atomic = HasA && x_control.klass == ClassAtomic;
  // A store-conditional without a reservation fails by itself.
  assign shows    = accesses && !(x_atomic && x_control.conditional && !x_reserved);

  // Of what is in write back the unit asks, or the write of an atomic operation, and execute does not.
  logic [Xlen-1:0]  access_addr, access_wdata;
  logic [1:0]       access_size;
  always_comb begin
    access_addr  = result;
    access_size  = x_control.mem_size[1:0];
    access_wdata = value[1];
    if (u_mem_valid) begin
      access_addr  = u_mem_addr;
      access_size  = u_mem_size;
      access_wdata = u_mem_wdata;
    end
    if (a_mem_valid) begin
      access_addr  = w_result_q;
      access_size  = w_size_q;
      access_wdata = a_mem_wdata;
    end
  end
  rv_lsu #(.Xlen(Xlen)) u_lsu (
    .address_i(access_addr), .size_i(access_size), .wdata_i(access_wdata), .misaligned_o(misaligned),
    .addr_o(data_addr_o), .be_o(data_be_o), .wdata_o(data_wdata_o),
    .lane_i(w_result_q[LaneW-1:0]), .rsize_i(w_size_q), .signed_i(w_signed_q), .rdata_i(data_rdata_i),
    .value_o(loaded), .raw_o(loaded_raw)
  );
  assign data_valid_o = x_data_valid || u_mem_valid || a_mem_valid;
  assign data_write_o = u_mem_valid ? u_mem_write : a_mem_valid || (x_control.mem_write && !x_atomic);
  assign data_lock_o  = a_lock || (x_data_valid && x_atomic && !x_control.reserve);

  /////////////////////////////////////
  // What becomes of the instruction //
  /////////////////////////////////////

  logic             go, shown_q, serial, waits, exc, irq, csr_illegal, sets_instret, take_irq, take_trap, leaves;
  logic             drains, take_late;
  logic [3:0]       cause, irq_cause;
  logic [Xlen-1:0]  tval, vector, csr_rdata;
  priv_e            privilege;
  logic             issue_valid, issue_ready, issue_accept, issue_writeback, is_csr;
  irq_t             irq_q;

  assign is_csr = x_control.csr != CsrNone;
  // They read or change what the instruction before them may still have to say, or what fetch sees; atomic operations
  // are ordered with what is posted.
  assign serial = is_csr || x_atomic || x_insn.op == OpMret || x_insn.op == OpFenceI || x_insn.op == OpFence ||
                  x_insn.op == OpWfi;

  // Nothing holds it in execute but what it does there itself.
  assign go       = x_valid && w_free && !too_late && !held && !(serial && (w_valid_q || under_way)) && (shown_q || !drains);
  assign take_irq = go && irq && !shown_q;
  // Traps wait until nothing is under way, so that no handler meets the late fault of what was before it.
  assign drains    = late_fault || late_held_q || (irq && under_way);
  assign take_late = x_valid && w_free && !shown_q && late_fault && !under_way;

  // Whether it traps in execute, and why: the first that applies.
  always_comb begin
    exc   = 1'b1;
    cause = CauseIllegal;
    tval  = Xlen'(x_word);
    if (x_fault) begin
      cause = CauseFetchFault;
      tval  = x_not_there;
    end else if (x_insn.op == OpIllegal) begin
      exc = !(x_offload && issue_accept);
    end else if (x_insn.op == OpEcall) begin
      cause = privilege == PrivMachine ? CauseMachineCall : CauseUserCall;
      tval  = '0;
    end else if (x_insn.op == OpEbreak) begin
      cause = CauseBreakpoint;
      tval  = x_pc;
    end else if (accesses && misaligned) begin
      cause = x_control.mem_write ? CauseStoreMisaligned : CauseLoadMisaligned;
      tval  = result;
    end else begin
      exc = (is_csr && csr_illegal) || (x_insn.op == OpMret && privilege != PrivMachine);
    end
  end

  // A request that was shown stays, whatever the lines do.
  assign x_data_valid = go && !take_irq && shows && !exc;
  assign issue_valid  = go && !take_irq && x_offload && !x_fault;
  assign div_request  = go && !take_irq && divide;
  assign waits        = (exc && under_way) || (shows && !exc && !data_ready_i) || (x_offload && !exc && !issue_ready) ||
                        (divide && !div_done);
  assign leaves       = go && !take_irq && !waits;
  assign take_trap    = leaves && exc;

  logic mret, csr_access, mispredicted;
  assign mret         = leaves && !exc && x_insn.op == OpMret;
  assign csr_access   = leaves && !exc && is_csr;
  // A guessed target is right (asserted below), so only whether it was taken counts; of jalr there is no guess.
  assign mispredicted = x_insn.op == OpFenceI || x_insn.op == OpMret || jumps != x_taken;

  always_comb begin
    redirect    = leaves && mispredicted;
    redirect_pc = next_pc;
    if (w_trap || take_irq || take_trap || take_late) begin
      redirect    = 1'b1;
      redirect_pc = vector;
    end
  end

  assign x_ready = leaves;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shown_q <= 1'b0;
    else shown_q <= (x_data_valid || (issue_valid && issue_accept)) && !leaves;
  end
  always_ff @(posedge clk_i) if (!shown_q) irq_q <= irq_i;

  //////////////////////////////////
  // Control and status registers //
  //////////////////////////////////

  logic            writes_csr;
  logic [3:0]      w_cause, late_cause;
  logic [Xlen-1:0] w_tval;
  csr_state_t      csr_state, next_csr_state;

  assign late_cause = late_fault_store ? CauseStoreFault : CauseLoadFault;
  assign writes_csr = x_control.csr == CsrWrite || x_insn.rs1 != '0;

  rv_csr #(.Xlen(Xlen), .HasXbgas(HasXbgas), .HasA(HasA)) u_csr (
    .clk_i, .rst_ni, .hart_id_i, .time_i, .irq_i,
    .access_i(csr_access), .op_i(x_control.csr), .writes_i(writes_csr), .number_i(x_insn.imm[11:0]),
    .operand_i(x_control.csr_immediate ? Xlen'(x_insn.rs1) : value[0]), .rdata_o(csr_rdata), .illegal_o(csr_illegal),
    .sets_instret_o(sets_instret),
    .trap_i(w_trap || take_irq || take_trap || take_late), .trap_is_irq_i(take_irq && !w_trap),
    .trap_cause_i(w_trap ? w_cause : take_late ? late_cause : take_irq ? irq_cause : cause),
    .trap_pc_i(w_trap ? w_pc_q : x_pc), .trap_tval_i(w_trap ? w_tval : take_late ? late_fault_addr : take_irq ? '0 : tval),
    .mret_i(mret), .retire_i(w_done && w_counts_q && !w_trap),
    .irq_o(irq), .irq_cause_o(irq_cause), .vector_o(vector), .mepc_o(mepc), .privilege_o(privilege),
    .state_o(csr_state), .next_state_o(next_csr_state)
  );

  //////////////
  // The unit //
  //////////////

  logic            result_valid, result_write, result_exc;
  logic [3:0]      result_cause;
  logic [4:0]      result_rd;
  logic [Xlen-1:0] result_data, result_tval;
  unit_trace_t     unit_trace;

  if (HasXbgas) begin : gen_unit
    logic result_id;
    xbgas_unit #(
      .Xlen(Xlen), .ProfileB(ProfileB), .Atomics(Atomics), .Bulk(Bulk), .StrictE(StrictE), .NumRs(NumRs),
      .Outstanding(Outstanding)
    ) u_unit (
      .clk_i, .rst_ni,
      .issue_valid_i(issue_valid), .issue_ready_o(issue_ready), .issue_id_i(1'b0), .issue_insn_i(x_word),
      .issue_rs_i(value), .issue_accept_o(issue_accept), .issue_writeback_o(issue_writeback),
      // What is issued is not speculative.
      .commit_valid_i(issue_valid && issue_ready && issue_accept), .commit_kill_i(1'b0),
      .mem_valid_o(u_mem_valid), .mem_ready_i(data_ready_i), .mem_addr_o(u_mem_addr), .mem_write_o(u_mem_write),
      .mem_size_o(u_mem_size), .mem_wdata_o(u_mem_wdata), .mem_rvalid_i(data_rvalid_i && w_wait_q == WaitUnit),
      .mem_rdata_i(loaded_raw), .mem_err_i(data_err_i),
      .remote_valid_o, .remote_ready_i, .remote_kind_o, .remote_op_o, .remote_size_o, .remote_space_o, .remote_addr_o,
      .remote_wdata_o, .remote_compare_o, .remote_reserved_o, .remote_id_o, .remote_rvalid_i, .remote_rid_i,
      .remote_rdata_i, .remote_err_i,
      .result_valid_o(result_valid), .result_ready_i(1'b1), .result_id_o(result_id), .result_data_o(result_data),
      .result_write_o(result_write), .result_rd_o(result_rd), .result_exc_o(result_exc), .result_cause_o(result_cause),
      .result_tval_o(result_tval), .result_posted_o(result_posted), .busy_o(busy), .pending_o(pending),
      .late_valid_o(late_valid), .late_ready_i(!w_writes), .late_rd_o(late_rd), .late_data_o(late_data),
      .late_fault_o(late_fault), .late_fault_taken_i(take_late), .late_fault_store_o(late_fault_store),
      .late_fault_addr_o(late_fault_addr), .trace_o(unit_trace)
    );
    logic unused_id;
    assign unused_id = result_id;
  end else begin : gen_no_unit
    assign issue_ready       = 1'b1;
    assign issue_accept      = 1'b0;
    assign issue_writeback   = 1'b0;
    assign u_mem_valid       = 1'b0;
    assign u_mem_addr        = '0;
    assign u_mem_write       = 1'b0;
    assign u_mem_size        = '0;
    assign u_mem_wdata       = '0;
    assign remote_valid_o    = 1'b0;
    assign remote_kind_o     = RemoteLoad;
    assign remote_op_o       = AluNone;
    assign remote_size_o     = '0;
    assign remote_space_o    = '0;
    assign remote_addr_o     = '0;
    assign remote_wdata_o    = '0;
    assign remote_compare_o  = '0;
    assign remote_reserved_o = 1'b0;
    assign result_valid      = 1'b0;
    assign result_write      = 1'b0;
    assign result_exc        = 1'b0;
    assign result_cause      = '0;
    assign result_rd         = '0;
    assign result_data       = '0;
    assign result_tval       = '0;
    assign unit_trace        = '0;
    assign remote_id_o       = '0;
    assign result_posted     = 1'b0;
    assign busy              = '0;
    assign pending           = 1'b0;
    assign late_valid        = 1'b0;
    assign late_rd           = '0;
    assign late_data         = '0;
    assign late_fault        = 1'b0;
    assign late_fault_store  = 1'b0;
    assign late_fault_addr   = '0;
  end

  ///////////////////////
  // Atomic operations //
  ///////////////////////

  if (HasA) begin : gen_atomic
    rv_atomic #(.Xlen(Xlen)) u_atomic (
      .clk_i, .rst_ni, .x_address_i(value[0]), .x_size_i(x_control.mem_size[1:0]), .x_reserved_o(x_reserved),
      .begin_i(leaves && x_atomic && !exc), .reads_i(shows), .reserve_i(x_control.reserve),
      .conditional_i(x_control.conditional), .op_i(x_amo), .operand_i(value[1]),
      .address_i(w_result_q), .size_i(w_size_q), .rvalid_i(data_rvalid_i), .err_i(data_err_i), .rdata_i(loaded),
      .mem_valid_o(a_mem_valid), .mem_ready_i(data_ready_i), .mem_wdata_o(a_mem_wdata), .lock_o(a_lock),
      .busy_o(a_busy), .done_o(a_done), .value_o(a_value), .found_o(a_found), .wrote_o(a_wrote)
    );
  end else begin : gen_no_atomic
    logic unused_amo;
    assign unused_amo  = ^x_amo;
    assign x_reserved  = 1'b0;
    assign a_mem_valid = 1'b0;
    assign a_mem_wdata = '0;
    assign a_lock      = 1'b0;
    assign a_busy      = 1'b0;
    assign a_done      = 1'b0;
    assign a_value     = '0;
    assign a_found     = '0;
    assign a_wrote     = 1'b0;
  end

  ////////////////
  // Write back //
  ////////////////

  logic [Xlen-1:0] product, x_result;
  logic [4:0]      x_rd;
  wait_e           x_wait;

  rv_mul #(.Xlen(Xlen)) u_mul (
    .clk_i, .start_i(leaves && multiply), .alu_i(x_control.alu), .word_i(x_control.word), .a_i(value[0]), .b_i(value[1]),
    .result_o(product)
  );

  always_comb begin
    x_wait = WaitNothing;
    if (multiply) x_wait = WaitProduct;
    if (shows) x_wait = WaitMemory;
    if (x_offload) x_wait = WaitUnit;
    if (exc) x_wait = WaitNothing;
    unique case (x_control.write_back)
      BackNextPc: x_result = sequel;
      BackCsr:    x_result = csr_rdata;
      BackStatus: x_result = shows ? result : Xlen'(1);
      default:    x_result = divide ? quotient : result;
    endcase
    x_rd = x_control.rd_file == FileX && x_control.write_back != BackNone ? x_insn.rd : '0;
    if (x_offload) x_rd = issue_writeback ? x_insn.rd : '0;
    if (exc) x_rd = '0;
  end
  assign x_writes = x_offload ? issue_writeback : x_control.rd_file == FileX && x_control.write_back != BackNone;

  always_comb begin
    unique case (w_wait_q)
      WaitMemory: w_done = w_valid_q && (a_busy ? a_done : data_rvalid_i);
      WaitUnit:   w_done = w_valid_q && result_valid;
      default:    w_done = w_valid_q;
    endcase
    unique case (w_wait_q)
      WaitProduct: w_value = product;
      WaitMemory:  w_value = a_busy ? a_value : loaded;
      WaitUnit:    w_value = result_data;
      default:     w_value = w_result_q;
    endcase
    w_trap  = 1'b0;
    w_cause = w_load_q ? CauseLoadFault : CauseStoreFault;
    w_tval  = w_result_q;
    if (w_wait_q == WaitMemory) w_trap = w_done && data_rvalid_i && data_err_i;
    if (w_wait_q == WaitUnit) begin
      w_trap  = w_done && result_exc;
      w_cause = result_cause;
      w_tval  = result_tval;
    end
  end
  assign w_writes = w_done && !w_trap && w_rd_q != '0 && !posts;
  assign w_free   = !w_valid_q || (w_done && !w_trap);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      w_valid_q   <= 1'b0;
      w_wait_q    <= WaitNothing;
      w_trapped_q <= 1'b0;
    end else if (leaves) begin
      w_valid_q   <= 1'b1;
      w_wait_q    <= x_wait;
      w_trapped_q <= exc;
    end else if (w_done) begin
      w_valid_q   <= 1'b0;
      w_wait_q    <= WaitNothing;
      w_trapped_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (leaves) begin
      w_counts_q <= !exc && !(is_csr && sets_instret);
      w_rd_q     <= x_rd;
      w_result_q <= x_result;
      w_pc_q     <= x_pc;
      w_load_q   <= !x_control.mem_write;
      w_size_q   <= x_control.mem_size[1:0];
      w_signed_q <= x_control.mem_signed;
    end else if (u_mem_valid) begin
      // Where the answer to the unit stands on the bus.
      w_result_q <= u_mem_addr;
      w_size_q   <= u_mem_size;
    end
  end

  ///////////
  // Trace //
  ///////////

  if (Rvfi) begin : gen_rvfi
    logic [4:0]      rs3;
    logic [Xlen-1:0] rs3_value;
    if (NumRs == 3) begin : gen_third
      assign rs3       = x_reads_rs3 ? x_insn.rs3 : '0;
      assign rs3_value = value[2];
    end else begin : gen_no_third
      assign rs3       = '0;
      assign rs3_value = '0;
    end
    rv_retire #(.Xlen(Xlen)) u_retire (
      .clk_i, .rst_ni, .irq_taken_i(take_irq), .irq_cause_i(irq_cause),
      .late_taken_i(take_late), .late_cause_i(late_cause), .late_tval_i(late_fault_addr),
      .commit_i(leaves), .irq_i(shown_q ? irq_q : irq_i), .word_i(x_word), .privilege_i(privilege),
      .rs1_i(x_reads_rs1 ? x_insn.rs1 : '0), .rs2_i(x_reads_rs2 ? x_insn.rs2 : '0), .rs3_i(rs3),
      .rs1_value_i(value[0]), .rs2_value_i(value[1]), .rs3_value_i(rs3_value), .pc_i(x_pc),
      .next_pc_i(next_pc), .trap_i(exc), .cause_i(cause), .tval_i(tval),
      .load_i(x_control.mem_read), .store_i(x_control.mem_write && shows), .size_i(x_control.mem_size[1:0]),
      .address_i(result), .wdata_i(value[1]),
      .end_i(w_done), .end_trap_i(w_trap), .end_cause_i(w_cause), .end_tval_i(w_tval), .rd_i(w_writes ? w_rd_q : '0),
      .rd_value_i(w_value), .rdata_i(a_busy ? a_found : loaded_raw), .atomic_i(a_busy),
      .wrote_i(a_wrote), .written_i(a_mem_wdata), .offloaded_i(w_wait_q == WaitUnit), .unit_i(unit_trace),
      .csr_i(w_trap ? next_csr_state : csr_state), .rvfi_o
    );
  end else begin : gen_no_rvfi
    assign rvfi_o = '0;
  end

  ////////////////
  // Assertions //
  ////////////////

  // Where the program goes on: fetch has guessed it, or was led there.
  logic [Xlen-1:0] follows_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) follows_q <= ResetPc[Xlen-1:0];
    else if (redirect) follows_q <= redirect_pc;
    else if (leaves) follows_q <= next_pc;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!x_valid || x_pc == follows_q);
      // Nothing leaves execute behind a trap.
      assert (!(w_trap && (leaves || take_irq || take_late)));
      assert (!(leaves && take_late));
      assert (32'(x_data_valid) + 32'(u_mem_valid) + 32'(a_mem_valid) <= 1);
      // Memory and the unit answer what is there.
      assert (!data_rvalid_i || (w_valid_q && (w_wait_q == WaitMemory || w_wait_q == WaitUnit)));
      assert (!result_valid || (w_valid_q && w_wait_q == WaitUnit));
      assert (!(w_done && result_valid && result_write) || result_rd == w_rd_q);
      // What is guessed to jump can.
      assert (!(x_valid && x_taken && !x_fault) || x_control.branch || x_control.jump || x_insn.op == OpIllegal);
      assert (!w_trapped_q || w_rd_q == '0);
    end
  end
endmodule
