// Atomics at the target. Each locks its word, reads it from the host, works, writes the result back as
// a posted write, answers its origin and unlocks. Up to 64 are under way, one begins and one ends a
// cycle, on different words; a request to a locked word waits in target_nonposted.
//
// A lock stands for a word of 8 B by the low bits of its line's hash, so two words may share one: they
// then wait for each other for nothing. Atomic with respect to other remote atomics, non-posted writes
// and reads; a plain posted write of another node may fall between reading and writing, as it may in
// OpenSHMEM.
//
//   count 1  fetch and add     count 3  compare and swap (compare, value)
//   count 5  extended: (operation, a, b); bit 4 of it: 32 bits, bit 5: the high half
//
// Invariants: a slot and a lock are taken and given back together, once; the write back is handed to
// the host before the lock opens, so the next reader of the word comes behind it.
module atomic_unit
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [NodeW-1:0]    node_id_i,
  /// A row of locks is asked for; a cycle later its words as they were when it was asked. A word's lock
  /// that was open in that cycle may have been given up at its end: that is told then.
  input  logic [5:0]          lock_row_i,
  output logic [7:0]          locked_o,
  output unlock_t             unlock_o,
  /// Begin: takes the slot and the lock of the header's word, in this row.
  output logic                slot_valid_o,
  output logic [5:0]          slot_o,
  input  logic                start_i,
  input  logic [5:0]          start_row_i,
  input  net_header_t         header_i,
  /// Operands, in the order of the starts.
  input  logic                operand_valid_i,
  output logic                operand_ready_o,
  input  logic [5:0]          operand_slot_i,
  input  logic [HostTagW-1:0] operand_tag_i,
  input  logic [3:0]          operand_count_i,
  input  logic [63:0]         operand_i,
  input  logic                operand_last_i,
  /// Read of the word, to the host's non-posted channel.
  output logic                read_valid_o,
  input  logic                read_ready_i,
  output host_beat_t          read_o,
  /// The word, or an error.
  input  logic                word_valid_i,
  input  logic [5:0]          word_slot_i,
  input  logic [63:0]         word_i,
  input  err_e                word_err_i,
  /// A slot whose read timed out: answered with an error. Not with a word in the same cycle.
  input  logic                expired_valid_i,
  input  logic [5:0]          expired_slot_i,
  /// Write back, to the host's posted channel.
  output logic                write_valid_o,
  input  logic                write_ready_i,
  output host_beat_t          write_o,
  /// Answers to the network.
  output logic                answer_valid_o,
  input  logic                answer_ready_i,
  output net_beat_t           answer_o,
  output logic                answer_last_o
);
  localparam int unsigned Slots = 64;

  typedef struct packed {
    logic [AddrW-1:0]      addr;
    logic [NodeW-1:0]      node;
    logic [OriginTagW-1:0] tag;
    logic [GenW-1:0]       gen;
    logic [3:0]            count;
    logic                  pass_pw;
  } context_t;

  /////////////////////
  // Slots and locks //
  /////////////////////

  logic [Slots-1:0][7:0] locks_q;
  logic       free_valid, free_pop, slot_back, unused_free_ready;
  logic [5:0] free_slot, slot_back_id;
  logic [6:0] fresh_q, unused_free_level;
  context_t   start_context;
  logic [AddrW-1:0] done_addr;
  logic       done;  // write back handed over, or none
  logic       addr_space;

  // Slots: first from a counter, then those given back.
  fifo #(.Width(6), .Depth(Slots)) u_free (
    .clk_i, .rst_ni, .valid_i(slot_back), .ready_o(unused_free_ready), .data_i(slot_back_id),
    .valid_o(free_valid), .ready_i(free_pop), .data_o(free_slot), .level_o(unused_free_level)
  );
  // A slot given up by time may come back while its read still waits: the reads have their own limit.
  assign slot_valid_o = (!fresh_q[6] || free_valid) && addr_space;
  assign slot_o       = fresh_q[6] ? free_slot : fresh_q[5:0];
  assign free_pop     = start_i && fresh_q[6];

  // Found in two steps: the rows that have the low half of the number, one of them.
  logic [7:0][7:0] candidates_q;
  logic [2:0]      row_high_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 8; i++) candidates_q[i] <= locks_q[{3'(i), lock_row_i[2:0]}];
    row_high_q <= lock_row_i[5:3];
  end
  assign locked_o = candidates_q[row_high_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fresh_q  <= '0;
      locks_q  <= '0;
      unlock_o <= '0;
    end else begin
      unlock_o <= '{valid: done, row: lock_row(done_addr), word: done_addr[5:3]};
      if (start_i && !fresh_q[6]) fresh_q <= fresh_q + 7'd1;
      if (done) locks_q[lock_row(done_addr)][done_addr[5:3]] <= 1'b0;
      if (start_i) locks_q[start_row_i][start_context.addr[5:3]] <= 1'b1;
    end
  end

  //////////////
  // Contexts //
  //////////////

  // Written at the start and by the operands; all of a slot read when its word comes. Operands are
  // stored by what they are for: the operation, the first and the second operand, narrowed. FCAA's change
  // places, so that what is added is always the first.
  logic [1:0]  operand_beat_q;
  logic [5:0]  look_slot, operation_in;
  context_t    context_raw;
  logic [5:0]  operation_raw;
  logic [1:0][63:0] operand_raw;
  logic        operand_take, extended, fcaa_q, narrow_q;
  logic [63:0] operand_in;

  assign start_context = '{
    addr: net_addr(header_i), node: header_i.src, tag: header_i.tag, gen: header_i.gen,
    count: header_i.count, pass_pw: header_i.pass_pw
  };
  assign look_slot    = expired_valid_i ? expired_slot_i : word_slot_i;
  assign extended     = operand_count_i == 4'd5;
  assign operand_in   = {extended && narrow_q ? 32'd0 : operand_i[63:32], operand_i[31:0]};
  assign operation_in = extended ? operand_i[5:0] : operand_count_i == 4'd1 ? 6'd6 : 6'd7;

  ram_1r1w #(.Width($bits(context_t)), .Depth(Slots)) u_context (
    .clk_i, .wr_valid_i(start_i), .wr_addr_i(slot_o), .wr_data_i(start_context),
    .rd_valid_i(1'b1), .rd_addr_i(look_slot), .rd_data_o(context_raw)
  );
  ram_1r1w #(.Width(6), .Depth(Slots)) u_operation (
    .clk_i, .wr_valid_i(operand_take && operand_beat_q == '0), .wr_addr_i(operand_slot_i), .wr_data_i(operation_in),
    .rd_valid_i(1'b1), .rd_addr_i(look_slot), .rd_data_o(operation_raw)
  );
  for (genvar i = 0; i < 2; i++) begin : gen_operand
    ram_1r1w #(.Width(64), .Depth(Slots)) u_operand (
      .clk_i, .wr_valid_i(operand_take && operand_beat_q == 2'(extended && fcaa_q ? 1 - i : i) + 2'(extended)),
      .wr_addr_i(operand_slot_i), .wr_data_i(operand_in), .rd_valid_i(1'b1), .rd_addr_i(look_slot), .rd_data_o(operand_raw[i])
    );
  end

  ///////////////////////
  // Reads of the word //
  ///////////////////////

  // The address comes along with the operands through a queue of its own: starts and operands are
  // in the same order.
  logic             addr_valid, addr_pop, read_space;
  logic [AddrW-1:0] read_addr;
  logic [6:0]       unused_addr_level, unused_read_level;
  request_t         read_cmd, read_out;

  fifo #(.Width(AddrW), .Depth(Slots)) u_addr (
    .clk_i, .rst_ni, .valid_i(start_i), .ready_o(addr_space), .data_i(start_context.addr),
    .valid_o(addr_valid), .ready_i(addr_pop), .data_o(read_addr), .level_o(unused_addr_level)
  );
  assign operand_ready_o = addr_valid && read_space;
  assign operand_take    = operand_valid_i && operand_ready_o;
  assign addr_pop        = operand_take && operand_last_i;
  // The response may pass posted writes: nothing of them may wait for it. The read itself may not:
  // it must see the write back of the atomic before it.
  assign read_cmd = host_request(CmdRd | 6'b001100, 4'd1, {read_addr[AddrW-1:3], 3'd0}, operand_tag_i, '0, 1'b0);

  fifo #(.Width(CmdW), .Depth(Slots)) u_reads (
    .clk_i, .rst_ni, .valid_i(addr_pop), .ready_o(read_space), .data_i(read_cmd),
    .valid_o(read_valid_o), .ready_i(read_ready_i), .data_o(read_out), .level_o(unused_read_level)
  );
  assign read_o = '{sop: 1'b1, has_data: 1'b0, data: '0, cmd: read_out};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) operand_beat_q <= '0;
    else if (operand_take) operand_beat_q <= operand_last_i ? '0 : operand_beat_q + 2'd1;
  end
  always_ff @(posedge clk_i) begin
    if (operand_take && operand_beat_q == '0) begin
      fcaa_q   <= operand_i[3:0] == 4'd0;
      narrow_q <= operand_i[4];
    end
  end

  //////////
  // Work //
  //////////

  // Cycle 1: the RAMs' outputs, and what of the word the operation is about. 2: arithmetic. 3: the choice among
  // results. 4: write_q, answering_q.
  typedef struct packed {
    logic        valid;
    logic [5:0]  slot;
    logic [63:0] word;
    err_e        err;
    logic        failed;
  } work_t;
  typedef struct packed {
    logic [63:0] first;
    logic [63:0] second;
    logic [63:0] old_value;
    logic [63:0] sum;
    logic        at_most;   // old <= second
    logic        equal;     // old == first
  } results_t;
  typedef struct packed {
    logic [AddrW-1:0] addr;
    logic             writes;
    logic [63:0]      value;
  } write_t;
  typedef struct packed {
    logic [5:0]            slot;
    logic [NodeW-1:0]      node;
    logic [OriginTagW-1:0] tag;
    logic [GenW-1:0]       gen;
    logic                  pass_pw;
    logic                  failed;
    logic                  two;     // words
    err_e                  err;
    logic [63:0]           result;
    logic                  flag;
  } answering_t;

  work_t       work_d, work_1_q, work_2_q, work_3_q;
  context_t    context_2_q, context_3_q;
  logic [5:0]  operation_2_q, operation_3_q;
  logic [1:0][63:0] operand_2_q;
  logic [63:0] old_value_1, old_value_2_q;
  results_t    results_d, results_q;
  logic        narrow, high, writes;
  logic [63:0] new_value, merged;
  write_t      write_d, write_q, write;
  answering_t  answering_d, answering_q, answering;
  logic        outcome_valid_q;

  assign work_d = '{valid: word_valid_i || expired_valid_i, slot: look_slot, word: word_i,
                    err: expired_valid_i ? ErrData : word_err_i,
                    failed: expired_valid_i || word_err_i != ErrNone};

  // Chosen before the arithmetic, so that the carries begin with registers.
  always_comb begin
    old_value_1 = work_1_q.word;
    if (operation_raw[4]) old_value_1 = operation_raw[5] ? 64'(work_1_q.word[63:32]) : 64'(work_1_q.word[31:0]);
  end
  assign results_d = '{
    first: operand_2_q[0], second: operand_2_q[1], old_value: old_value_2_q, sum: old_value_2_q + operand_2_q[0],
    at_most: old_value_2_q <= operand_2_q[1], equal: old_value_2_q == operand_2_q[0]
  };

  always_comb begin
    narrow = operation_3_q[4];
    high   = operation_3_q[5];
    writes = 1'b1;
    unique case (operation_3_q[3:0])
      4'd0: begin  // FCAA: add if the word is at most a bound
        new_value = results_q.sum;
        writes    = results_q.at_most;
      end
      4'd1: new_value = results_q.first;
      4'd2: new_value = results_q.old_value & results_q.first;
      4'd3: new_value = results_q.old_value | results_q.first;
      4'd4: new_value = results_q.old_value ^ results_q.first;
      4'd5: new_value = (results_q.old_value & ~results_q.first) | (results_q.second & results_q.first);
      4'd6: new_value = results_q.sum;
      4'd7: begin
        new_value = results_q.second;
        writes    = results_q.equal;
      end
      default: begin  // not an operation: nothing is written, the flag says so
        new_value = results_q.old_value;
        writes    = 1'b0;
      end
    endcase
    merged = !narrow ? new_value : high ? {new_value[31:0], work_3_q.word[31:0]} : {work_3_q.word[63:32], new_value[31:0]};
    write_d = '{addr: context_3_q.addr, writes: writes && !work_3_q.failed, value: merged};
    answering_d = '{
      slot: work_3_q.slot, node: context_3_q.node, tag: context_3_q.tag, gen: context_3_q.gen,
      pass_pw: context_3_q.pass_pw, failed: work_3_q.err != ErrNone,
      two: context_3_q.count == 4'd5 && work_3_q.err == ErrNone, err: work_3_q.err,
      // FCAA returns what the word is afterwards, the others what it was.
      result: operation_3_q[3:0] == 4'd0 && writes ? (narrow ? 64'(new_value[31:0]) : new_value) : results_q.old_value,
      flag: writes
    };
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      work_1_q        <= '0;
      work_2_q        <= '0;
      work_3_q        <= '0;
      outcome_valid_q <= 1'b0;
    end else begin
      work_1_q        <= work_d;
      work_2_q        <= work_1_q;
      work_3_q        <= work_2_q;
      outcome_valid_q <= work_3_q.valid;
    end
  end
  always_ff @(posedge clk_i) begin
    context_2_q   <= context_raw;
    operation_2_q <= operation_raw;
    operand_2_q   <= operand_raw;
    old_value_2_q <= old_value_1;
    context_3_q   <= context_2_q;
    operation_3_q <= operation_2_q;
    results_q     <= results_d;
    write_q       <= write_d;
    answering_q   <= answering_d;
  end

  ////////////////////////
  // Write back, answer //
  ////////////////////////

  // Every slot has its place in both queues, so the words that come are never held up. An answer is queued
  // beside its write back, and may go a cycle after that has gone: what waits to be told is counted, so the
  // queue is written by nothing but registers.
  logic       write_valid, write_pop, answer_queued, answer_pop, write_room, answer_room, answer_second_q;
  logic [6:0] may_go_q;   // answers whose write back is done
  logic       any_may_q;  // it is not 0

  fifo_head #(.Width($bits(write_t)), .Depth(Slots)) u_writes (
    .clk_i, .rst_ni, .valid_i(outcome_valid_q), .ready_o(write_room), .data_i(write_q),
    .valid_o(write_valid), .ready_i(!write.writes || write_ready_i), .data_o(write)
  );
  assign write_valid_o = write_valid && write.writes;
  assign write_pop     = write_valid && (!write.writes || write_ready_i);
  assign write_o       = '{
    sop: 1'b1, has_data: 1'b1, data: write.value,
    cmd: host_request(CmdWrPosted | 6'b000100, 4'd1, {write.addr[AddrW-1:3], 3'd0}, '0, '0, 1'b0)
  };
  assign done      = write_pop;
  assign done_addr = write.addr;
  // The slot is free when the answer has gone as well: its place in the answers is then free.
  assign slot_back    = answer_pop;
  assign slot_back_id = answering.slot;

  fifo_head #(.Width($bits(answering_t)), .Depth(Slots)) u_answers (
    .clk_i, .rst_ni, .valid_i(outcome_valid_q), .ready_o(answer_room), .data_i(answering_q),
    .valid_o(answer_queued), .ready_i(answer_pop), .data_o(answering)
  );
  assign answer_valid_o = any_may_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      may_go_q  <= '0;
      any_may_q <= 1'b0;
    end else begin
      may_go_q <= may_go_q + 7'(write_pop) - 7'(answer_pop);
      if (write_pop) any_may_q <= 1'b1;
      else if (answer_pop) any_may_q <= may_go_q != 7'd1;
    end
  end

  net_header_t header;
  always_comb begin
    header = '0;
    header.cmd     = answering.failed ? CmdTgtDone : CmdRdResp;
    header.count   = answering.failed ? 4'd0 : answering.two ? 4'd3 : 4'd1;
    header.pass_pw = answering.pass_pw;
    header.err     = answering.err;
    header.dest    = answering.node;
    header.src     = node_id_i;
    header.tag     = answering.tag;
    header.gen     = answering.gen;
  end
  assign answer_last_o = !answering.two || answer_second_q;
  assign answer_pop    = answer_valid_o && answer_ready_i && answer_last_o;
  assign answer_o      = '{sop: !answer_second_q, has_data: !answering.failed,
                           data: answer_second_q ? 64'(answering.flag) : answering.result, header: header};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answer_second_q <= 1'b0;
    else if (answer_valid_o && answer_ready_i) answer_second_q <= !answer_last_o;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!start_i || slot_valid_o);
      assert (!start_i || start_row_i == lock_row(start_context.addr));
      assert (!start_i || !locks_q[lock_row(start_context.addr)][start_context.addr[5:3]]);
      assert (!done || locks_q[lock_row(done_addr)][done_addr[5:3]]);
      assert (!outcome_valid_q || write_room);
      assert (!outcome_valid_q || answer_room);
      assert (any_may_q == (may_go_q != '0));
      assert (!any_may_q || answer_queued);
      assert (!slot_back || unused_free_ready);
      assert (!(word_valid_i && expired_valid_i));
    end
  end
endmodule
