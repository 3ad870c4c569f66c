// Writes of the engine to the own host become bursts of an AXI4 master: one burst of 64-bit words for
// each packet, within its line. Posted and non-posted ones share the channels under two IDs.
//
// A posted write begins when at most PostedInFlight - 1 before it are unanswered: with 1 writes become
// visible in order in any memory; a memory that itself keeps the order of an ID allows more.
//
// Invariants: a packet's bytes are written once, no other byte is; posted writes in order; a posted
// write waits for nothing but the memory.
module axi_store
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Posted writes that may be unanswered.
  parameter int unsigned PostedInFlight = 1,
  /// Non-posted ones.
  parameter int unsigned NonPostedInFlight = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  /// Packets, posted and non-posted, with their data.
  input  logic [1:0]        cmd_valid_i,
  output logic [1:0]        cmd_ready_o,
  input  request_t [1:0]    cmd_i,
  input  logic [1:0][3:0]   cmd_beats_i,
  input  logic [1:0]        data_valid_i,
  output logic [1:0]        data_ready_o,
  input  logic [1:0][63:0]  data_i,
  /// The beat taken is its packet's last.
  output logic              data_last_o,
  /// AXI4; ID 0 for posted writes, 1 for the others.
  output logic              aw_valid_o,
  input  logic              aw_ready_i,
  output logic              aw_id_o,
  output logic [AddrW-1:0]  aw_addr_o,
  output logic [7:0]        aw_len_o,
  output logic              w_valid_o,
  input  logic              w_ready_i,
  output logic [63:0]       w_data_o,
  output logic [7:0]        w_strb_o,
  output logic              w_last_o,
  input  logic              b_valid_i,
  output logic              b_ready_o,
  input  logic              b_id_i,
  input  logic [1:0]        b_resp_i,
  /// A posted write is visible; it failed, which nobody else hears.
  output logic              posted_done_o,
  output logic              posted_error_o,
  /// Answers to non-posted writes.
  output logic              valid_o,
  input  logic              ready_i,
  output host_beat_t        beat_o
);
  localparam int unsigned PostedW = $clog2(PostedInFlight + 1) + 1;

  typedef enum logic [1:0] {StIdle, StAddress, StData} state_e;
  state_e   state_q, state_d;
  logic     source_q, choose;
  logic [1:0] may_begin;

  ///////////
  // Begin //
  ///////////

  logic [PostedW-1:0] posted_q;
  logic               tags_ready, begin_now;
  request_t           cmd, cmd_q;
  logic [3:0]         beats_q;

  assign may_begin[0] = cmd_valid_i[0] && posted_q != PostedW'(PostedInFlight);
  assign may_begin[1] = cmd_valid_i[1] && tags_ready;
  assign choose       = !may_begin[0];  // posted first: nothing may hold them back
  assign begin_now    = state_q == StIdle && may_begin != '0;
  assign cmd_ready_o  = {begin_now && choose, begin_now && !choose};
  assign cmd          = cmd_i[choose];

  // Dwords of the line; of a byte-masked write the mask comes first and is none of them.
  logic       bytes_q, odd;
  logic [3:0] first_q, last_q;
  logic [2:0] word_q;     // of the line, the next one to write
  logic       shifted_q;  // a word's low half comes from the beat before

  assign odd = cmd.addr[0];

  always_ff @(posedge clk_i) begin
    if (begin_now) begin
      cmd_q     <= cmd;
      source_q  <= choose;
      bytes_q   <= !cmd.cmd[2];
      first_q   <= cmd.addr[3:0];
      last_q    <= cmd.addr[3:0] + cmd.count - 4'(!cmd.cmd[2]);
      shifted_q <= odd == cmd.cmd[2];
    end
  end

  //////////
  // Data //
  //////////

  logic [3:0]  beat_q;          // of the packet
  logic        beat_there, beat_take, word_valid, word_take, skip;
  logic [63:0] beat, word_data;
  logic [31:0] carry_q, mask_q, mask;
  logic [7:0]  word_strb;
  logic [2:0]  words;           // less one

  assign beat_there = beat_q != beats_q;
  assign beat       = beat_there ? data_i[source_q] : '0;
  assign mask       = beat_q == '0 ? beat[31:0] : mask_q;
  // The first beat of a shifted byte-masked write only fills the carry.
  assign skip     = shifted_q && bytes_q && beat_q == '0;

  always_comb begin
    word_data = shifted_q ? {beat[31:0], carry_q} : beat;
    for (int unsigned i = 0; i < 2; i++) begin
      word_strb[4*i +: 4] = '0;
      if ({word_q, 1'(i)} >= first_q && {word_q, 1'(i)} <= last_q) begin
        word_strb[4*i +: 4] = bytes_q ? mask[{word_q[1:0], 1'(i), 2'b00} +: 4] : 4'hf;
      end
    end
  end
  // A shifted packet may end with what the carry holds.
  assign word_valid = state_q == StData && !skip && (!beat_there || data_valid_i[source_q]);
  assign word_take  = word_valid && w_ready_i;
  assign beat_take  = state_q == StData && beat_there && data_valid_i[source_q] && (skip || w_ready_i);
  assign data_last_o  = beat_q + 4'd1 == beats_q;
  assign data_ready_o = {beat_take && source_q, beat_take && !source_q};

  assign aw_valid_o = state_q == StAddress;
  assign aw_id_o    = source_q;
  assign aw_addr_o  = request_addr(cmd_q) & ~AddrW'(7);
  assign words      = last_q[3:1] - first_q[3:1];
  assign aw_len_o   = 8'(words);
  assign w_valid_o  = word_valid;
  assign w_data_o   = word_data;
  assign w_strb_o   = word_strb;
  assign w_last_o   = word_q == last_q[3:1];

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:    if (begin_now) state_d = StAddress;
      StAddress: if (aw_ready_i) state_d = StData;
      StData:    if (word_take && w_last_o) state_d = StIdle;
      default:   state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      posted_q <= '0;
    end else begin
      state_q  <= state_d;
      posted_q <= posted_q + PostedW'(cmd_ready_o[0]) - PostedW'(posted_done_o);
    end
  end
  always_ff @(posedge clk_i) begin
    if (begin_now) begin
      beats_q <= cmd_beats_i[choose];
      beat_q  <= '0;
      word_q  <= cmd.addr[3:1];
    end else begin
      if (beat_take) begin
        beat_q  <= beat_q + 4'd1;
        carry_q <= beat[63:32];
        mask_q  <= mask;
      end
      if (word_take) word_q <= word_q + 3'd1;
    end
  end

  /////////////
  // Answers //
  /////////////

  // Tags of the non-posted writes under way, in order: those of one ID are answered in order. Answers
  // have as many places, so the memory never waits with them.
  typedef struct packed {
    logic [HostTagW-1:0] tag;
    logic                pass_pw;
    err_e                err;
  } done_t;

  logic  b_posted, b_other, tag_valid, done_valid, unused_tags_ready, unused_done_ready;
  done_t tag_d, tag, done_d, done;
  logic [$clog2(NonPostedInFlight):0] unused_tag_level, unused_done_level;
  logic [$clog2(NonPostedInFlight)+1:0] held_q;

  assign b_ready_o      = 1'b1;
  assign b_posted       = b_valid_i && !b_id_i;
  assign b_other        = b_valid_i && b_id_i;
  assign posted_done_o  = b_posted;
  assign posted_error_o = b_posted && b_resp_i[1];
  assign tag_d          = '{tag: {cmd.unit_id, cmd.src_tag}, pass_pw: 1'b0, err: ErrNone};
  assign tags_ready     = held_q != ($bits(held_q))'(NonPostedInFlight);

  fifo #(.Width($bits(done_t)), .Depth(NonPostedInFlight)) u_tags (
    .clk_i, .rst_ni, .valid_i(cmd_ready_o[1]), .ready_o(unused_tags_ready), .data_i(tag_d),
    .valid_o(tag_valid), .ready_i(b_other), .data_o(tag), .level_o(unused_tag_level)
  );
  always_comb begin
    done_d     = tag;
    done_d.err = !b_resp_i[1] ? ErrNone : b_resp_i[0] ? ErrMasterAbort : ErrTargetAbort;
  end
  fifo #(.Width($bits(done_t)), .Depth(NonPostedInFlight)) u_done (
    .clk_i, .rst_ni, .valid_i(b_other), .ready_o(unused_done_ready), .data_i(done_d),
    .valid_o(done_valid), .ready_i(ready_i), .data_o(done), .level_o(unused_done_level)
  );
  assign valid_o = done_valid;
  assign beat_o  = '{sop: 1'b1, has_data: 1'b0, data: '0,
                     cmd: host_response(CmdTgtDone, '0, done.tag, done.pass_pw, done.err)};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else held_q <= held_q + ($bits(held_q))'(cmd_ready_o[1]) - ($bits(held_q))'(valid_o && ready_i);
  end

  ////////////////
  // Assertions //
  ////////////////

  logic             aw_held_q, w_held_q;
  logic [AddrW-1:0] aw_held_addr_q;
  logic [71:0]      w_held_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_held_q <= 1'b0;
      w_held_q  <= 1'b0;
    end else begin
      aw_held_q <= aw_valid_o && !aw_ready_i;
      w_held_q  <= w_valid_o && !w_ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    aw_held_addr_q <= aw_addr_o;
    w_held_data_q  <= {w_data_o, w_strb_o};
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!aw_held_q || (aw_valid_o && aw_addr_o == aw_held_addr_q));
      assert (!w_held_q || (w_valid_o && {w_data_o, w_strb_o} == w_held_data_q));
      assert (!b_other || (tag_valid && unused_done_ready));
      assert (!b_posted || posted_q != '0);
      assert (!begin_now || is_write(cmd.cmd));
      // All beats of the packet are used when its last word goes.
      assert (!(word_take && w_last_o) || beat_q + 4'(beat_take) == beats_q);
    end
  end
endmodule
