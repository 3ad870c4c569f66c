// Flush: a host that flushes wants its earlier posted writes to be visible where they went. The unit
// keeps the set of nodes that were written since their last flush, sends each of them a probe, which
// the target's host answers when the writes before it are done, and answers the host's Flush when all
// probes are back. Probes travel as non-posted packets, so that they do not pass the writes.
//
// Invariants: a node that was written since its last probe is in the list exactly once; the host's
// Flush is answered once, after as many responses (or time-outs) as probes.
module flush_unit
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,
  /// A posted write has gone to a node.
  input  logic                sent_i,
  input  logic [NodeW-1:0]    sent_node_i,
  /// A Flush of the host.
  input  logic                flush_valid_i,
  output logic                flush_ready_o,
  input  logic [HostTagW-1:0] flush_tag_i,
  input  logic                flush_pass_pw_i,
  /// Probes to send; their responses or time-outs.
  output logic                probe_valid_o,
  input  logic                probe_ready_i,
  output logic [NodeW-1:0]    probe_node_o,
  output logic [7:0]          probe_id_o,
  input  logic                probe_done_i,
  input  err_e                probe_err_i,
  /// The answer to the Flush.
  output logic                answer_valid_o,
  input  logic                answer_ready_i,
  output answer_t             answer_o
);
  //////////////////////////
  // Set of nodes written //
  //////////////////////////

  // A bit for each node says whether it is in the list; both change one step at a time.
  typedef enum logic [1:0] {SetSweep, SetIdle, SetRead, SetLook} set_e;
  set_e                set_q;
  logic [NodeIdxW:0]   sweep_q;
  logic                event_valid, event_pop, unused_event_ready, bit_out, bit_q;
  logic [NodeIdxW-1:0] event_node, look_node_q;
  logic [2:0]          unused_event_level;
  logic [NodeIdxW:0]   list_wr_q, list_rd_q;
  logic                list_some, list_pop, list_read_q, list_push, set_wr, set_data, look_start;
  logic [NodeIdxW-1:0] list_out, list_q, set_addr;

  fifo #(.Width(NodeIdxW), .Depth(4)) u_events (
    .clk_i, .rst_ni, .valid_i(sent_i), .ready_o(unused_event_ready), .data_i(sent_node_i[NodeIdxW-1:0]),
    .valid_o(event_valid), .ready_i(event_pop), .data_o(event_node), .level_o(unused_event_level)
  );

  assign look_start = set_q == SetIdle && event_valid && !list_pop;
  assign event_pop  = look_start;
  assign list_push  = set_q == SetLook && !bit_q;
  assign list_some  = list_wr_q != list_rd_q;

  assign set_wr   = set_q == SetSweep || list_push || list_pop;
  assign set_addr = set_q == SetSweep ? sweep_q[NodeIdxW-1:0] : list_pop ? list_q : look_node_q;
  assign set_data = set_q != SetSweep && !list_pop;

  ram_1r1w #(.Width(1), .Depth(1 << NodeIdxW)) u_set (
    .clk_i, .wr_valid_i(set_wr), .wr_addr_i(set_addr), .wr_data_i(set_data),
    .rd_valid_i(look_start), .rd_addr_i(event_node), .rd_data_o(bit_out)
  );
  ram_1r1w #(.Width(NodeIdxW), .Depth(1 << NodeIdxW)) u_list (
    .clk_i, .wr_valid_i(list_push), .wr_addr_i(list_wr_q[NodeIdxW-1:0]), .wr_data_i(look_node_q),
    .rd_valid_i(1'b1), .rd_addr_i(list_rd_q[NodeIdxW-1:0]), .rd_data_o(list_out)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_q     <= SetSweep;
      sweep_q   <= '0;
      list_wr_q <= '0;
      list_rd_q <= '0;
    end else begin
      unique case (set_q)
        SetSweep: begin
          sweep_q <= sweep_q + (NodeIdxW+1)'(1);
          if (sweep_q[NodeIdxW-1:0] == '1) set_q <= SetIdle;
        end
        SetIdle: if (look_start) set_q <= SetRead;
        SetRead: set_q <= SetLook;
        default: set_q <= SetIdle;
      endcase
      if (list_push) list_wr_q <= list_wr_q + (NodeIdxW+1)'(1);
      if (list_pop) list_rd_q <= list_rd_q + (NodeIdxW+1)'(1);
    end
  end
  always_ff @(posedge clk_i) begin
    if (look_start) look_node_q <= event_node;
    bit_q  <= bit_out;
    list_q <= list_out;
  end
  assign ready_o = set_q != SetSweep;

  ///////////
  // Flush //
  ///////////

  typedef enum logic [2:0] {Idle, Gather, Read, Load, Probe, Wait, Answer} state_e;
  state_e             state_q, state_d;
  logic [8:0]         open_q;   // probes under way
  logic [NodeIdxW:0]  end_q;    // the list's end when the Flush came
  logic [7:0]         id_q;
  logic [HostTagW-1:0] tag_q;
  logic               pass_pw_q;
  err_e               err_q;
  logic               probe_sent;

  assign flush_ready_o = state_q == Idle && ready_o;
  // Not in the cycle in which the set writes a bit of its own.
  assign probe_valid_o = state_q == Probe && set_q == SetIdle;
  assign probe_node_o  = NodeW'(list_q);
  assign probe_id_o    = id_q;
  assign probe_sent    = probe_valid_o && probe_ready_i;
  // The node leaves the set as its probe goes: a write sent later puts it back.
  assign list_pop      = probe_sent;
  assign list_read_q   = state_q == Read;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:   if (flush_valid_i && flush_ready_o) state_d = Gather;
      // Writes that have gone but are not in the list yet.
      Gather: if (!event_valid && set_q == SetIdle) state_d = list_some ? Read : Answer;
      Read:   state_d = Load;
      Load:   state_d = Probe;
      Probe: begin
        if (probe_sent) begin
          // 256 numbers of probes: before they come round again, all must be back.
          if (list_rd_q + (NodeIdxW+1)'(1) == end_q || id_q == '1) state_d = Wait;
          else state_d = Read;
        end
      end
      Wait: if (open_q == '0) state_d = list_rd_q == end_q ? Answer : Read;
      Answer: if (answer_ready_i) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      open_q  <= '0;
      id_q    <= '0;
      end_q   <= '0;
      err_q   <= ErrNone;
    end else begin
      state_q <= state_d;
      open_q  <= open_q + 9'(probe_sent) - 9'(probe_done_i);
      if (probe_sent) id_q <= id_q + 8'd1;
      if (state_q == Gather) end_q <= list_wr_q;
      if (state_q == Idle) err_q <= ErrNone;
      else if (probe_done_i && probe_err_i != ErrNone) err_q <= probe_err_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (flush_valid_i && flush_ready_o) begin
      tag_q     <= flush_tag_i;
      pass_pw_q <= flush_pass_pw_i;
    end
  end

  assign answer_valid_o = state_q == Answer;
  assign answer_o = '{tag: tag_q, is_read: 1'b0, count: '0, pass_pw: pass_pw_q, err: err_q};

  ////////////////
  // Assertions //
  ////////////////

  logic [NodeIdxW:0] list_level;
  assign list_level = list_wr_q - list_rd_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!sent_i || unused_event_ready);
      assert (list_level <= (NodeIdxW+1)'(1 << NodeIdxW));
      assert (!probe_done_i || open_q != '0);
      assert (!list_read_q || list_some);
      assert (!probe_sent || set_q != SetSweep);
    end
  end
endmodule
