// The xBGAS unit: extended registers, address management, loads and stores at {namespace, address}, remote atomics,
// bulk transfers.
//
// It hangs on a core in the manner of CV-X-IF: an instruction that the core does not know is issued to it with the
// registers that its fields name; the unit says at once whether it is one of its own; commit lets it begin or kills
// it; the result ends it. Local accesses (namespace 0, and ele and ese) go through the core, remote ones through a
// port of the unit's own. It works on one instruction at a time. With Outstanding 1 its access is complete with its
// result: a fence behind it has nothing to wait for, and faults are precise.
//
// With more, a remote load of an integer register, or a store, has its result when its request is taken: it is
// posted. Its register is written later, by the late port; until then it is in busy_o, and the core neither reads nor
// writes it. One that fails says so by the late fault, for which the core waits until nothing is under way. Other
// remote accesses (atomics, extended registers, 128 bits, bulk transfers) wait for what is posted and are as with 1.
//
// Promises: nothing leaves the unit, and no register of it changes, before commit; an instruction with an exception
// changes no register; requests are stable until taken.
module xbgas_unit
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen     = 64,
  /// Which of the two published encodings. Stores of profile A need NumRs 3.
  parameter bit          ProfileB = 1'b1,
  /// Remote atomics; compare-and-swap needs NumRs 3.
  parameter bit          Atomics  = 1'b1,
  /// Bulk transfers; they need NumRs 3, and as third register that of the field 31:27.
  parameter bit          Bulk     = 1'b1,
  /// e0 to e9 as an address trap.
  parameter bit          StrictE  = 1'b0,
  parameter int unsigned NumRs    = 3,
  parameter int unsigned IdW      = 1,
  /// Remote loads and stores that may be under way: 1 or a power of two.
  parameter int unsigned Outstanding = 1,
  localparam int unsigned RemoteIdW  = Outstanding > 1 ? $clog2(Outstanding) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  /// Issue: the registers of fields 19:15, 24:20 and, third, 11:7, of bulk transfers 31:27. Combinational answer.
  input  logic                       issue_valid_i,
  output logic                       issue_ready_o,
  input  logic [IdW-1:0]             issue_id_i,
  input  logic [31:0]                issue_insn_i,
  input  logic [NumRs-1:0][Xlen-1:0] issue_rs_i,
  output logic                       issue_accept_o,
  output logic                       issue_writeback_o,
  /// Commit of what was issued: in the same cycle or later, once.
  input  logic                       commit_valid_i,
  input  logic                       commit_kill_i,
  /// Local memory, one access at a time: naturally aligned, data from its lowest byte.
  output logic                       mem_valid_o,
  input  logic                       mem_ready_i,
  output logic [Xlen-1:0]            mem_addr_o,
  output logic                       mem_write_o,
  output logic [1:0]                 mem_size_o,
  output logic [Xlen-1:0]            mem_wdata_o,
  input  logic                       mem_rvalid_i,
  input  logic [Xlen-1:0]            mem_rdata_i,
  input  logic                       mem_err_i,
  /// Remote memory, Outstanding accesses at a time, which have numbers and are answered in any order, at any byte
  /// address: kind, what an atomic computes, data from its lowest
  /// byte (of 128 bits the upper half as well). A store-conditional that has no reservation (reserved 0) only reads;
  /// one that has stores if memory still has `compare`, as a compare-and-swap does. The answer is what was there.
  output logic                       remote_valid_o,
  input  logic                       remote_ready_i,
  output remote_kind_e               remote_kind_o,
  output alu_e                       remote_op_o,
  output logic [2:0]                 remote_size_o,
  output logic [Xlen-1:0]            remote_space_o,
  output logic [Xlen-1:0]            remote_addr_o,
  output logic [2*Xlen-1:0]          remote_wdata_o,
  output logic [Xlen-1:0]            remote_compare_o,
  output logic                       remote_reserved_o,
  output logic [RemoteIdW-1:0]       remote_id_o,
  input  logic                       remote_rvalid_i,
  input  logic [RemoteIdW-1:0]       remote_rid_i,
  input  logic [2*Xlen-1:0]          remote_rdata_i,
  input  logic                       remote_err_i,
  /// Result.
  output logic                       result_valid_o,
  input  logic                       result_ready_i,
  output logic [IdW-1:0]             result_id_o,
  output logic [Xlen-1:0]            result_data_o,
  output logic                       result_write_o,
  output logic [4:0]                 result_rd_o,
  output logic                       result_exc_o,
  output logic [3:0]                 result_cause_o,
  output logic [Xlen-1:0]            result_tval_o,
  /// It is posted.
  output logic                       result_posted_o,
  /// Of what is posted: registers still to be written, whether anything is under way, the write of a register, a
  /// fault, which is taken when nothing is under way.
  output logic [31:0]                busy_o,
  output logic                       pending_o,
  output logic                       late_valid_o,
  input  logic                       late_ready_i,
  output logic [4:0]                 late_rd_o,
  output logic [Xlen-1:0]            late_data_o,
  output logic                       late_fault_o,
  input  logic                       late_fault_taken_i,
  output logic                       late_fault_store_o,
  output logic [Xlen-1:0]            late_fault_addr_o,
  output unit_trace_t                trace_o
);
  localparam logic [NumExtensions-1:0] Extensions = NumExtensions'(1) << ExtXbgas |
                                                    NumExtensions'(Atomics) << ExtXbgasamo |
                                                    NumExtensions'(Bulk) << ExtXbgasbulk;

  if (!ProfileB && NumRs < 3) begin : gen_profile_check
    $fatal(1, "xbgas_unit: profile A needs three registers of an instruction");
  end
  if (Atomics && NumRs < 3) begin : gen_atomics_check
    $fatal(1, "xbgas_unit: compare-and-swap needs three registers of an instruction");
  end

  if (Bulk && NumRs < 3) begin : gen_bulk_check
    $fatal(1, "xbgas_unit: bulk transfers need three registers of an instruction");
  end

  ///////////
  // Issue //
  ///////////

  instruction_t insn, insn_q;
  control_t     ctrl, control_q;
  logic         own, take, begins;

  xbgas_decoder u_decoder (
    .insn_i(issue_insn_i), .rv64_i(Xlen == 64), .profile_b_i(ProfileB), .extensions_i(Extensions),
    .instruction_o(insn), .control_o(ctrl)
  );
  assign own               = insn.op != OpIllegal;
  assign issue_accept_o    = own;
  assign issue_writeback_o = own && ctrl.rd_file == FileX && insn.rd != '0;

  // The register of a number is that of the field which has the number.
  logic [Xlen-1:0] rs1, rs2, rs1_q, rs2_q;
  function automatic logic [Xlen-1:0] source(input logic [4:0] number);
    if (number == issue_insn_i[19:15]) return issue_rs_i[0];
    if (number == issue_insn_i[24:20] || NumRs < 3) return issue_rs_i[1];
    return issue_rs_i[NumRs-1];
  endfunction
  assign rs1 = source(insn.rs1);
  assign rs2 = source(insn.rs2);

  typedef enum logic [2:0] {
    StIdle,    // nothing there
    StHeld,    // issued, not committed
    StExecute, // result of address management, or the request of an access
    StLocal,   // a local access is under way
    StRemote,  // a remote one
    StBulk,    // a transfer
    StAnswer   // its answer, or its end, waits for the core to take the result
  } state_e;
  state_e state_q, state_d;

  assign issue_ready_o = state_q == StIdle;
  assign take          = issue_valid_i && issue_ready_o && own;
  assign begins        = commit_valid_i && !commit_kill_i;

  logic [31:0]     word_q;
  logic [IdW-1:0]  id_q;
  logic [Xlen-1:0] third_q;  // what a compare-and-swap compares with, or the elements of a transfer

  always_ff @(posedge clk_i) begin
    if (take) begin
      insn_q    <= insn;
      control_q <= ctrl;
      word_q    <= issue_insn_i;
      rs1_q     <= rs1;
      rs2_q     <= rs2;
      id_q      <= issue_id_i;
    end
  end
  if (Atomics || Bulk) begin : gen_third
    always_ff @(posedge clk_i) if (take) third_q <= issue_rs_i[NumRs-1];
  end else begin : gen_no_third
    assign third_q = '0;
  end

  ////////////////////////
  // Extended registers //
  ////////////////////////

  logic                e_write;
  logic [Xlen-1:0]     e_wdata;
  logic [1:0][4:0]     e_number;
  logic [1:0][Xlen-1:0] e_value;

  // The first port reads the namespace, or what address management reads; the second what is stored.
  always_comb begin
    unique case (control_q.space)
      SpaceRs2: e_number[0] = insn_q.rs2;
      SpaceRs3: e_number[0] = insn_q.rs3;
      default:  e_number[0] = insn_q.rs1;
    endcase
    e_number[1] = insn_q.rs2;
  end

  rv_regfile #(.Xlen(Xlen), .NumRead(2)) u_registers (
    .clk_i, .write_i(e_write), .waddr_i(insn_q.rd), .wdata_i(e_wdata), .raddr_i(e_number), .rdata_o(e_value)
  );

  ////////////////////////
  // Address and access //
  ////////////////////////

  logic [Xlen-1:0] base, address, data;
  logic            accesses, quad, atomic, bulk, remote, misaligned, barred, endless, refused, posts, allowed;
  logic [3:0]      refusal;

  assign base    = control_q.rs1_file == FileE ? e_value[0] : rs1_q;
  assign address = base + (control_q.operand_b == BImmediate ? Xlen'($signed(insn_q.imm)) : '0);
  assign data    = control_q.rs2_file == FileE ? e_value[1] : rs2_q;

  assign accesses = control_q.mem_read || control_q.mem_write;
  assign quad     = control_q.mem_size == 3'd4;
  assign atomic   = control_q.klass == ClassRemoteAtomic;
  assign bulk     = Bulk && control_q.bulk;
  // 128 bits, atomics and bulk transfers go the remote way for the own memory, too.
  assign remote   = control_q.remote && (e_value[0] != '0 || quad || atomic || bulk);

  always_comb begin
    unique case (control_q.mem_size[1:0])
      2'd0:    misaligned = 1'b0;
      2'd1:    misaligned = address[0];
      2'd2:    misaligned = address[1:0] != '0;
      default: misaligned = address[2:0] != '0;
    endcase
    if (remote && !atomic) misaligned = 1'b0;  // the other node's memory takes any address
  end
  assign barred  = StrictE && control_q.remote && e_number[0] < 5'd10;
  // More bytes than 64 bits count.
  assign endless = bulk && Xlen == 64 && (third_q >> (7'(Xlen) - 7'(control_q.mem_size))) != '0;
  assign refused = accesses && (barred || misaligned || endless);
  assign posts   = Outstanding > 1 && accesses && !refused && remote && !quad && !atomic && !bulk &&
                   (control_q.mem_write ? control_q.rs2_file == FileX : control_q.rd_file == FileX);
  always_comb begin
    refusal = control_q.mem_write ? CauseStoreMisaligned : CauseLoadMisaligned;
    if (endless) refusal = control_q.mem_write ? CauseStoreFault : CauseLoadFault;
    if (barred) refusal = CauseIllegal;
  end

  logic            bulk_start, bulk_done, bulk_fault, bulk_fault_local;
  logic            bulk_mem_valid, bulk_mem_write, bulk_remote_valid, bulk_remote_write;
  logic [1:0]      bulk_mem_size, bulk_remote_size;
  logic [Xlen-1:0] bulk_fault_addr, bulk_mem_addr, bulk_mem_wdata, bulk_remote_addr, bulk_remote_wdata;

  assign mem_valid_o = bulk_mem_valid || (state_q == StExecute && accesses && !refused && !remote);
  assign mem_addr_o  = bulk ? bulk_mem_addr : address;
  assign mem_write_o = bulk ? bulk_mem_write : control_q.mem_write;
  assign mem_size_o  = bulk ? bulk_mem_size : control_q.mem_size[1:0];
  assign mem_wdata_o = bulk ? bulk_mem_wdata : data;

  assign remote_valid_o   = bulk_remote_valid || (state_q == StExecute && accesses && !refused && remote && !bulk &&
                                                  (posts ? allowed : !pending_o));
  assign remote_op_o      = atomic && !control_q.reserve && !control_q.conditional ? control_q.alu : AluNone;
  assign remote_size_o    = bulk ? {1'b0, bulk_remote_size} : control_q.mem_size;
  assign remote_space_o   = e_value[0];
  assign remote_addr_o    = bulk ? bulk_remote_addr : address;
  assign remote_wdata_o   = {e_value[1], bulk ? bulk_remote_wdata : data};
  always_comb begin
    remote_kind_o = control_q.mem_write ? RemoteStore : RemoteLoad;
    if (atomic) begin
      remote_kind_o = control_q.reserve ? RemoteLoadReserved
                      : control_q.conditional ? RemoteStoreConditional : RemoteAtomic;
    end
    if (bulk) remote_kind_o = bulk_remote_write ? RemoteStore : RemoteLoad;
  end

  assign bulk_start = state_q == StExecute && bulk && !refused && !pending_o;
  if (Bulk) begin : gen_bulk
    // Elements lie one behind the other on both sides: the instructions name no strides.
    logic [Xlen-1:0] element;
    assign element = Xlen'(1) << control_q.mem_size[1:0];
    xbgas_bulk #(.Xlen(Xlen)) u_bulk (
      .clk_i, .rst_ni,
      .start_i(bulk_start), .to_local_i(control_q.mem_read), .size_i(control_q.mem_size[1:0]), .count_i(third_q),
      .local_addr_i(rs1_q), .local_stride_i(element), .remote_addr_i(rs2_q), .remote_stride_i(element),
      .done_o(bulk_done), .fault_o(bulk_fault), .fault_local_o(bulk_fault_local), .fault_addr_o(bulk_fault_addr),
      .mem_valid_o(bulk_mem_valid), .mem_ready_i, .mem_addr_o(bulk_mem_addr), .mem_write_o(bulk_mem_write),
      .mem_size_o(bulk_mem_size), .mem_wdata_o(bulk_mem_wdata), .mem_rvalid_i(mem_rvalid_i && state_q == StBulk),
      .mem_rdata_i, .mem_err_i,
      .remote_valid_o(bulk_remote_valid), .remote_ready_i, .remote_addr_o(bulk_remote_addr),
      .remote_write_o(bulk_remote_write), .remote_size_o(bulk_remote_size), .remote_wdata_o(bulk_remote_wdata),
      .remote_rvalid_i(remote_rvalid_i && state_q == StBulk), .remote_rdata_i(remote_rdata_i[Xlen-1:0]), .remote_err_i
    );
  end else begin : gen_no_bulk
    assign bulk_done         = 1'b0;
    assign bulk_fault        = 1'b0;
    assign bulk_fault_local  = 1'b0;
    assign bulk_fault_addr   = '0;
    assign bulk_mem_valid    = 1'b0;
    assign bulk_mem_addr     = '0;
    assign bulk_mem_write    = 1'b0;
    assign bulk_mem_size     = '0;
    assign bulk_mem_wdata    = '0;
    assign bulk_remote_valid = 1'b0;
    assign bulk_remote_addr  = '0;
    assign bulk_remote_write = 1'b0;
    assign bulk_remote_size  = '0;
    assign bulk_remote_wdata = '0;
  end

  ////////////
  // Posted //
  ////////////

  logic posted;
  assign posted          = state_q == StExecute && posts && remote_valid_o && remote_ready_i;
  assign result_posted_o = posts;
  if (Outstanding > 1) begin : gen_scoreboard
    logic empty;
    xbgas_scoreboard #(.Xlen(Xlen), .N(Outstanding)) u_scoreboard (
      .clk_i, .rst_ni, .load_i(control_q.mem_read), .rd_i(insn_q.rd), .size_i(control_q.mem_size[1:0]),
      .signed_i(control_q.mem_signed), .address_i(address), .allowed_o(allowed), .id_o(remote_id_o), .begin_i(posted),
      .answer_i(remote_rvalid_i && state_q != StRemote && state_q != StBulk), .answer_id_i(remote_rid_i),
      .answer_err_i(remote_err_i), .answer_data_i(remote_rdata_i[Xlen-1:0]),
      .write_o(late_valid_o), .write_ready_i(late_ready_i), .write_rd_o(late_rd_o), .write_data_o(late_data_o),
      .fault_o(late_fault_o), .fault_taken_i(late_fault_taken_i), .fault_store_o(late_fault_store_o),
      .fault_address_o(late_fault_addr_o), .busy_o, .empty_o(empty)
    );
    assign pending_o = !empty;
  end else begin : gen_no_scoreboard
    logic unused_late;
    assign unused_late        = ^{late_ready_i, late_fault_taken_i, remote_rid_i};
    assign allowed            = 1'b1;
    assign remote_id_o        = '0;
    assign busy_o             = '0;
    assign pending_o          = 1'b0;
    assign late_valid_o       = 1'b0;
    assign late_rd_o          = '0;
    assign late_data_o        = '0;
    assign late_fault_o       = 1'b0;
    assign late_fault_store_o = 1'b0;
    assign late_fault_addr_o  = '0;
  end

  /////////////////
  // Reservation //
  /////////////////

  logic            reserved, kept;
  logic [Xlen-1:0] found;
  if (Atomics) begin : gen_reservation
    logic            valid_q;
    logic [2:0]      size_q;
    logic [Xlen-1:0] space_q, address_q, value_q;
    assign reserved = valid_q && size_q == control_q.mem_size && space_q == e_value[0] && address_q == address;
    assign kept     = reserved && value_q == found;
    assign remote_compare_o = control_q.conditional ? value_q : third_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= 1'b0;
      else if (result_valid_o && result_ready_i && !result_exc_o && atomic) begin
        if (control_q.reserve) valid_q <= 1'b1;
        if (control_q.conditional) valid_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (result_valid_o && result_ready_i && !result_exc_o && atomic && control_q.reserve) begin
        size_q    <= control_q.mem_size;
        space_q   <= e_value[0];
        address_q <= address;
        value_q   <= found;
      end
    end
  end else begin : gen_no_reservation
    assign reserved         = 1'b0;
    assign kept             = 1'b0;
    assign remote_compare_o = '0;
  end
  assign remote_reserved_o = control_q.conditional && reserved;

  ////////////
  // Answer //
  ////////////

  logic              answers, answer_err, err_q;
  logic [2*Xlen-1:0] answer, answer_q;

  assign answers = (state_q == StLocal && mem_rvalid_i) || (state_q == StRemote && remote_rvalid_i) ||
                   (state_q == StBulk && bulk_done) || state_q == StAnswer;
  always_comb begin
    answer     = answer_q;
    answer_err = err_q;
    if (state_q == StLocal) begin
      answer     = (2*Xlen)'(mem_rdata_i);
      answer_err = mem_err_i;
    end
    if (state_q == StRemote) begin
      answer     = remote_rdata_i;
      answer_err = remote_err_i;
    end
    if (state_q == StBulk) answer_err = bulk_fault;
    if (state_q == StExecute) answer_err = 1'b0;  // of a transfer of nothing
  end
  always_ff @(posedge clk_i) begin
    if (state_q != StAnswer) begin
      answer_q <= answer;
      err_q    <= answer_err;
    end
  end

  // A store-conditional compares what it finds with what its load-reserved has found, which had a sign.
  logic        has_sign;
  logic [63:0] wide, extended;
  assign has_sign = control_q.mem_signed || control_q.conditional;
  assign wide     = 64'(answer[Xlen-1:0]);
  always_comb begin
    unique case (control_q.mem_size)
      3'd0:    extended = {{56{has_sign && wide[7]}}, wide[7:0]};
      3'd1:    extended = {{48{has_sign && wide[15]}}, wide[15:0]};
      3'd2:    extended = {{32{has_sign && wide[31]}}, wide[31:0]};
      default: extended = wide;
    endcase
  end
  assign found = extended[Xlen-1:0];

  ////////////
  // Result //
  ////////////

  logic done;

  // Of a transfer of nothing the end comes with its beginning.
  assign result_valid_o = (state_q == StExecute && (!accesses || refused || (bulk && bulk_done) || posted)) || answers;
  assign result_id_o    = id_q;
  assign result_exc_o   = state_q == StExecute ? refused : answer_err;
  always_comb begin
    // The local side of a transfer is written where the remote one is read.
    result_cause_o = control_q.mem_write != (bulk && bulk_fault_local) ? CauseStoreFault : CauseLoadFault;
    result_tval_o  = bulk ? bulk_fault_addr : address;
    if (state_q == StExecute) begin
      result_cause_o = refusal;
      result_tval_o  = barred ? Xlen'(word_q) : bulk ? rs2_q : address;
    end
  end
  assign result_write_o = control_q.rd_file == FileX && insn_q.rd != '0 && !result_exc_o && !posts;
  assign result_rd_o    = insn_q.rd;
  always_comb begin
    result_data_o = accesses ? found : address;
    if (control_q.conditional) result_data_o = Xlen'(!kept);
    if (bulk) result_data_o = third_q;
  end

  assign done = result_valid_o && result_ready_i;
  always_comb begin
    e_write = done && !result_exc_o && (control_q.rd_file == FileE || (quad && control_q.mem_read));
    e_wdata = quad ? answer[2*Xlen-1:Xlen] : result_data_o;
  end

  ///////////
  // State //
  ///////////

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:    if (take && !(commit_valid_i && commit_kill_i)) state_d = begins ? StExecute : StHeld;
      StHeld:    if (commit_valid_i) state_d = commit_kill_i ? StIdle : StExecute;
      StExecute: begin
        if (mem_valid_o && mem_ready_i) state_d = StLocal;
        if (remote_valid_o && remote_ready_i) state_d = posts ? StAnswer : StRemote;
        if (bulk_start) state_d = bulk_done ? StAnswer : StBulk;
        if (done) state_d = StIdle;
      end
      StLocal, StRemote, StBulk, StAnswer: if (answers) state_d = result_ready_i ? StIdle : StAnswer;
      default: state_d = StIdle;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  ///////////
  // Trace //
  ///////////

  logic reads_second;
  assign reads_second = control_q.rs2_file == FileE && control_q.space != SpaceRs2;
  always_comb begin
    trace_o           = '0;
    trace_o.e_read[0] = '{file: accesses && !control_q.remote || !accesses && control_q.rs1_file != FileE ? FileNone : FileE,
                          number: e_number[0], value: 64'(e_value[0])};
    trace_o.e_read[1] = '{file: reads_second || (quad && control_q.mem_write) ? FileE : FileNone,
                          number: e_number[1], value: 64'(e_value[1])};
    trace_o.e_write   = '{file: e_write ? FileE : FileNone, number: insn_q.rd, value: 64'(e_wdata)};
    trace_o.local_access   = accesses && !remote && !result_exc_o;
    trace_o.local_write    = control_q.mem_write;
    trace_o.local_size     = control_q.mem_size[1:0];
    trace_o.local_address  = 64'(address);
    trace_o.local_data     = control_q.mem_write ? 64'(data) : 64'(answer[Xlen-1:0]);
    trace_o.remote         = accesses && remote && (bulk ? !barred : state_q != StExecute || posted);
    trace_o.posted         = posts;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Commit speaks of what is there.
      assert (!commit_valid_i || take || state_q == StHeld);
      assert (!mem_rvalid_i || state_q == StLocal || state_q == StBulk);
      assert (!remote_rvalid_i || state_q == StRemote || state_q == StBulk || pending_o);
      assert (!mem_valid_o || !remote_valid_o);
      assert (!e_write || state_q != StHeld);
    end
  end
endmodule
