// Target, non-posted requests (the paper's responder, first half): gives each a tag of this node,
// remembers who asked, and hands it to the host; atomics go to the atomic unit instead. What no window
// allows, or is beyond its origin's quota, is refused with an error response.
//
// Requests of the network are started in the order in which they came. One that touches a word on
// which an atomic is under way waits for it, and all behind it.
//
// Invariants: each request is either refused or given exactly one tag; waiting here (no tag free, a
// locked word) holds back non-posted packets only.
module target_nonposted
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              ready_o,
  input  window_t [NumWindows-1:0] window_i,
  input  logic [10:0]       quota_i,
  /// The network's queue, behind its order gate.
  input  logic              header_valid_i,
  output logic              header_ready_o,
  input  net_header_t       header_i,
  input  logic [3:0]        header_beats_i,
  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [63:0]       data_i,
  /// Matching store.
  input  logic              tag_valid_i,
  output logic              tag_take_o,
  input  logic [HostTagW-1:0] tag_i,
  output match_t            entry_o,
  /// A tag of a remote request has become free.
  input  logic              freed_i,
  input  logic [NodeW-1:0]  freed_node_i,
  /// Locks of the atomic unit: a row is asked for, its words come a cycle later. What is given up.
  output logic [5:0]        lock_row_o,
  input  logic [7:0]        locked_i,
  input  unlock_t           unlock_i,
  /// To the atomic unit: begin, then operands.
  input  logic              atomic_slot_valid_i,
  input  logic [5:0]        atomic_slot_i,
  output logic              atomic_start_o,
  output logic [5:0]        atomic_row_o,
  output net_header_t       atomic_header_o,
  output logic              operand_valid_o,
  input  logic              operand_ready_i,
  output logic [5:0]        operand_slot_o,
  output logic [HostTagW-1:0] operand_tag_o,
  output logic [3:0]        operand_count_o,
  output logic [63:0]       operand_o,
  output logic              operand_last_o,
  /// To the host's non-posted channel.
  output logic              valid_o,
  input  logic              ready_i,
  output host_beat_t        beat_o,
  output logic              last_o,
  /// Refusals: error responses to the network.
  output logic              refuse_valid_o,
  input  logic              refuse_ready_i,
  output net_header_t       refuse_o,
  /// A packet is gone, with its data.
  output logic              done_o,
  /// Counted.
  output logic              refused_o,
  output logic              over_quota_o
);
  ///////////
  // Check //
  ///////////

  // First the windows, then the locks.
  logic                  first_q, first_ready, held_q, held_ready, take, ok, is_atomic, locked_q, locked_d;
  net_header_t           first_header_q, held_header_q;
  logic [3:0]            first_beats_q, held_beats_q;
  logic [NumWindows-1:0] held_by, held_by_q;
  logic [7:0]            first_touched_q, held_touched_q;
  logic [5:0]            first_row_q, held_row_q;
  logic                  ok_q;

  // Words of 8 B of the line that a request touches.
  function automatic logic [7:0] words_touched(net_header_t h);
    logic [4:0] first, last;
    first = {1'b0, h.addr_lo[3:0]};
    if (h.cmd == CmdAtomic) last = first + 5'd1;
    else if (is_read(h.cmd)) last = h.cmd[2] ? first + 5'(h.count) : first;
    else last = h.cmd[2] ? first + 5'(h.count) : first + 5'(h.count) - 5'd1;
    words_touched = '0;
    for (int unsigned i = 0; i < 8; i++) begin
      words_touched[i] = h.cmd != CmdFlush && 5'(i) >= {1'b0, first[4:1]} && 5'(i) <= {1'b0, last[4:1]};
    end
  endfunction

  window_check u_check (
    .window_i, .origin_i(header_i.src), .addr_i(net_addr(header_i)), .inside_o(held_by), .inside_i(held_by_q),
    .read_i(is_read(first_header_q.cmd)), .write_i(is_np_write(first_header_q.cmd)),
    .atomic_i(first_header_q.cmd == CmdAtomic), .ok_o(ok)
  );
  assign held_ready     = !held_q || take;
  assign first_ready    = !first_q || held_ready;
  assign header_ready_o = first_ready;
  assign lock_row_o     = first_ready ? lock_row(net_addr(header_i)) : first_row_q;
  assign atomic_row_o   = held_row_q;

  // The row of a request is asked for as the request comes, and seen a cycle later, when it is checked. What
  // was taken in those two cycles is not in what is seen then, nor what was given up: either is added here.
  // Behind the check only giving up can change a row, since nothing else begins before the request has gone.
  logic [7:0] row_locked_q, row_locked_d, found, kept;
  logic [5:0] started_row_q;
  logic [2:0] started_word_q, held_word;
  logic       started_q, same_row;

  assign held_word = held_header_q.addr_lo[3:1];
  always_comb begin
    found = locked_i;
    kept  = row_locked_q;
    if (started_q && started_row_q == first_row_q) found[started_word_q] = 1'b1;
    if (unlock_i.valid && unlock_i.row == first_row_q) found[unlock_i.word] = 1'b0;
    if (unlock_i.valid && unlock_i.row == held_row_q) kept[unlock_i.word] = 1'b0;
    same_row     = first_row_q == held_row_q;
    row_locked_d = held_ready ? found : kept;
    locked_d     = held_ready ? (found & first_touched_q) != '0 : (kept & held_touched_q) != '0;
    // Known last.
    if (atomic_start_o && same_row) begin
      row_locked_d[held_word] = 1'b1;
      if (first_touched_q[held_word]) locked_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q  <= 1'b0;
      held_q   <= 1'b0;
      locked_q <= 1'b0;
      started_q <= 1'b0;
    end else begin
      started_q <= atomic_start_o;
      if (first_ready) first_q <= header_valid_i;
      if (held_ready) held_q <= first_q;
      locked_q <= locked_d;
    end
  end
  always_ff @(posedge clk_i) begin
    row_locked_q   <= row_locked_d;
    started_row_q  <= held_row_q;
    started_word_q <= held_word;
    if (first_ready) begin
      first_header_q <= header_i;
      first_beats_q  <= header_beats_i;
      held_by_q       <= held_by;
      first_touched_q <= words_touched(header_i);
      first_row_q     <= lock_row(net_addr(header_i));
    end
    if (held_ready) begin
      held_header_q  <= first_header_q;
      held_beats_q   <= first_beats_q;
      held_touched_q <= first_touched_q;
      held_row_q     <= first_row_q;
      ok_q           <= ok || first_header_q.cmd == CmdFlush;
    end
  end

  ////////////
  // Decide //
  ////////////

  typedef struct packed {
    request_t   cmd;
    logic [3:0] beats;
    logic       atomic;
    logic       drop;
    logic [5:0] slot;
  } ready_t;

  localparam int unsigned Settle = 4;  // cycles until the quota's counter knows

  ready_t      ready_d, joined;
  logic        within_quota, quota_within, quota_ready, limited_q, decided, refuse, go, push_ready, join_valid, join_pop;
  logic [1:0]  unused_level;
  logic [2:0]  settle_q;

  quota_counter #(.GroupW(QuotaGroupW), .CountW(11)) u_quota (
    .clk_i, .rst_ni, .ready_o(quota_ready), .limit_i(quota_i),
    .add_i(tag_take_o), .undo_i(1'b0), .add_group_i(held_header_q.src[QuotaGroupW-1:0]),
    .remove_i(freed_i), .remove_group_i(freed_node_i[QuotaGroupW-1:0]),
    .group_i(held_header_q.src[QuotaGroupW-1:0]), .within_o(quota_within)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      settle_q  <= '0;
      limited_q <= 1'b0;
    end else begin
      limited_q <= quota_i != '0;
      if (held_ready) settle_q <= 3'(Settle);
      else if (settle_q != '0) settle_q <= settle_q - 3'd1;
    end
  end
  assign ready_o      = quota_ready;
  assign within_quota = !limited_q || quota_within;
  assign decided      = held_q && push_ready && quota_ready && (!limited_q || settle_q == '0);
  assign is_atomic    = held_header_q.cmd == CmdAtomic;
  assign refuse       = !ok_q || !within_quota;
  assign go           = !refuse && tag_valid_i && !locked_q && (!is_atomic || atomic_slot_valid_i);

  assign refuse_valid_o = decided && refuse;
  assign take           = decided && (refuse ? refuse_ready_i : go);
  assign tag_take_o     = decided && go;
  assign atomic_start_o = tag_take_o && is_atomic;
  assign atomic_header_o = held_header_q;

  always_comb begin
    entry_o = '{
      node: held_header_q.src, tag: held_header_q.tag, gen: held_header_q.gen, waiter: ForRemote,
      is_read: is_read(held_header_q.cmd), count: response_count(held_header_q.cmd, held_header_q.count),
      pass_pw: held_header_q.pass_pw
    };
    if (is_atomic) begin
      entry_o.waiter  = ForAtomic;
      entry_o.tag     = OriginTagW'(atomic_slot_i);
      entry_o.is_read = 1'b1;
      entry_o.count   = 4'd1;
    end
    refuse_o      = '0;
    refuse_o.cmd  = CmdTgtDone;
    refuse_o.dest = held_header_q.src;
    refuse_o.src  = held_header_q.dest;
    refuse_o.tag  = held_header_q.tag;
    refuse_o.gen  = held_header_q.gen;
    refuse_o.err  = ErrTargetAbort;
    ready_d.cmd    = host_request(held_header_q.cmd, held_header_q.count, net_addr(held_header_q), tag_i,
                                  held_header_q.seq_id, held_header_q.pass_pw);
    ready_d.beats  = held_beats_q;
    ready_d.atomic = is_atomic;
    ready_d.drop   = refuse;
    ready_d.slot   = atomic_slot_i;
  end

  fifo #(.Width($bits(ready_t)), .Depth(2)) u_ready (
    .clk_i, .rst_ni, .valid_i(take), .ready_o(push_ready), .data_i(ready_d),
    .valid_o(join_valid), .ready_i(join_pop), .data_o(joined), .level_o(unused_level)
  );

  /////////////
  // Hand on //
  /////////////

  logic            out_valid, out_ready, out_has_data, out_sop;
  logic [CmdW-1:0] out_cmd;
  logic [63:0]     out_data;

  packet_join #(.CmdWidth(CmdW)) u_join (
    .clk_i, .rst_ni,
    .cmd_valid_i(join_valid), .cmd_ready_o(join_pop), .cmd_i(joined.cmd), .cmd_beats_i(joined.beats),
    .cmd_drop_i(joined.drop), .data_valid_i, .data_ready_o, .data_i,
    .valid_o(out_valid), .ready_i(out_ready), .cmd_o(out_cmd), .data_o(out_data),
    .has_data_o(out_has_data), .sop_o(out_sop), .last_o, .done_o
  );
  assign out_ready = joined.atomic ? operand_ready_i : ready_i;
  assign valid_o   = out_valid && !joined.atomic;
  assign beat_o    = '{sop: out_sop, has_data: out_has_data, data: out_data, cmd: out_cmd};

  assign operand_valid_o = out_valid && joined.atomic;
  assign operand_slot_o  = joined.slot;
  assign operand_tag_o   = {joined.cmd.unit_id, joined.cmd.src_tag};
  assign operand_count_o = joined.cmd.count;
  assign operand_o       = out_data;
  assign operand_last_o  = last_o;

  assign refused_o    = take && refuse && !ok_q;
  assign over_quota_o = take && refuse && ok_q;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!tag_take_o || tag_valid_i);
      assert (!(tag_take_o && refuse_valid_o));
      assert (!atomic_start_o || atomic_slot_valid_i);
      assert (!tag_take_o || (row_locked_q & held_touched_q) == '0);
    end
  end
endmodule
