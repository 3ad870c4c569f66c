// The target's half of the engine: requests of the network go to the host, if its windows allow them, and
// the host's responses back to who asked.
//
//   P   target_posted ------------------------------------------> host P
//   NP  target_nonposted -- tag of matching_store --------------> host NP
//                        \-- atomic_unit: read, work, write ----> host NP, P
//   R   host R --> responder --> network R, atomic_unit or bulk unit
//
// Invariants: each request of the network gets one response: of the host, refused, or by time; posted
// packets wait for nothing but the host.
module target_side
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              ready_o,
  input  config_t           config_i,
  input  logic [StampW-1:0] now_i,
  /// Software gives a quarantined tag back.
  input  logic              release_i,
  input  logic [HostTagW-1:0] release_tag_i,
  output logic [HostTagW:0] tags_in_use_o,
  /// Requests of the network; responses of the host.
  input  net_head_t         posted_i,
  output head_take_t        posted_take_o,
  input  net_head_t         nonposted_i,
  output head_take_t        nonposted_take_o,
  input  host_head_t        response_i,
  output head_take_t        response_take_o,
  /// Requests to the host: posted (0) and non-posted (1). Responses to the network.
  output host_stream_t [1:0] to_host_o,
  input  logic [1:0]        to_host_ready_i,
  output net_stream_t       to_net_o,
  input  logic              to_net_ready_i,
  /// The bulk unit's tags, its requests to the host, the words that come back, its time-outs.
  output logic              bulk_tag_valid_o,
  output logic [HostTagW-1:0] bulk_tag_o,
  input  logic              bulk_tag_take_i,
  input  match_t            bulk_entry_i,
  input  host_stream_t      bulk_read_i,
  output logic              bulk_read_ready_o,
  input  host_stream_t      bulk_write_i,
  output logic              bulk_write_ready_o,
  output logic              bulk_word_valid_o,
  input  logic              bulk_word_ready_i,
  output logic [7:0]        bulk_word_slot_o,
  output logic [63:0]       bulk_word_o,
  output logic              bulk_word_last_o,
  output err_e              bulk_word_err_o,
  output logic              bulk_expired_o,
  input  logic              bulk_expired_ready_i,
  output logic [7:0]        bulk_expired_slot_o,
  /// Counted.
  output target_events_t    events_o
);
  ////////////////////////////
  // posted writes //
  ////////////////////////////

  logic       tp_valid, tp_ready, tp_last;
  host_beat_t tp_beat;
  target_posted u_target_posted (
    .clk_i, .rst_ni, .window_i(config_i.window),
    .header_valid_i(posted_i.cmd_valid), .header_ready_o(posted_take_o.cmd_ready), .header_i(posted_i.header),
    .header_beats_i(posted_i.beats), .data_valid_i(posted_i.data_valid), .data_ready_o(posted_take_o.data_ready),
    .data_i(posted_i.data),
    .valid_o(tp_valid), .ready_i(tp_ready), .beat_o(tp_beat), .last_o(tp_last),
    .done_o(posted_take_o.done), .dropped_o(events_o.p_dropped_target)
  );

  //////////////////////////////////
  // non-posted requests //
  //////////////////////////////////

  logic                match_ready, target_ready, tag_valid, tn_tag_take, tag_take, tag_freed;
  logic [HostTagW-1:0] tag;
  match_t              tn_entry, match_closed_entry, match_expired_entry;
  logic                match_close_valid, match_close_ready, match_closed_valid, match_closed_hit;
  logic                match_closed_late, match_expired_valid, match_expired_ready, release_q, release_take;
  logic [HostTagW-1:0] match_close_tag, responder_close_tag, release_tag_q;
  logic                responder_close_valid, responder_close_ready, responder_closed_valid, released_1_q, released_q;
  logic [5:0]          lock_row_at, start_row;
  logic [7:0]          locked;
  unlock_t             unlock;
  logic [3:0]          operand_count;
  logic                slot_valid, atomic_start, operand_valid, operand_ready, operand_last;
  logic [5:0]          slot, operand_slot;
  net_header_t         atomic_header;
  logic [HostTagW-1:0] operand_tag;
  logic [63:0]         operand;
  logic                tn_valid, tn_ready, tn_last, refuse_valid, refuse_ready;
  host_beat_t          tn_beat;
  net_header_t         refuse;
  logic                tn_header_ready;

  assign nonposted_take_o.cmd_ready = tn_header_ready;

  target_nonposted u_target_nonposted (
    .clk_i, .rst_ni, .ready_o(target_ready), .window_i(config_i.window), .quota_i(config_i.target_quota),
    .header_valid_i(nonposted_i.cmd_valid), .header_ready_o(tn_header_ready),
    .header_i(nonposted_i.header), .header_beats_i(nonposted_i.beats), .data_valid_i(nonposted_i.data_valid),
    .data_ready_o(nonposted_take_o.data_ready), .data_i(nonposted_i.data),
    .tag_valid_i(tag_valid), .tag_take_o(tn_tag_take), .tag_i(tag), .entry_o(tn_entry),
    .freed_i(tag_freed && match_closed_entry.waiter != ForBulk), .freed_node_i(match_closed_entry.node),
    .lock_row_o(lock_row_at), .locked_i(locked), .unlock_i(unlock),
    .atomic_slot_valid_i(slot_valid), .atomic_slot_i(slot), .atomic_start_o(atomic_start),
    .atomic_row_o(start_row), .atomic_header_o(atomic_header), .operand_valid_o(operand_valid), .operand_ready_i(operand_ready),
    .operand_slot_o(operand_slot), .operand_tag_o(operand_tag), .operand_o(operand),
    .operand_count_o(operand_count), .operand_last_o(operand_last),
    .valid_o(tn_valid), .ready_i(tn_ready), .beat_o(tn_beat), .last_o(tn_last),
    .refuse_valid_o(refuse_valid), .refuse_ready_i(refuse_ready), .refuse_o(refuse),
    .done_o(nonposted_take_o.done), .refused_o(events_o.np_refused_target), .over_quota_o(events_o.np_over_quota)
  );

  assign ready_o = match_ready && target_ready;

  // The bulk unit gets a tag when no request of the network takes one.
  assign bulk_tag_valid_o = tag_valid && !tn_tag_take;
  assign bulk_tag_o       = tag;
  assign tag_take = tn_tag_take || bulk_tag_take_i;
  matching_store u_matching_store (
    .clk_i, .rst_ni, .ready_o(match_ready), .now_i(now_i), .timeout_i(config_i.timeout), .expire_all_i(config_i.expire),
    .tag_valid_o(tag_valid), .tag_take_i(tag_take), .tag_o(tag),
    .entry_i(tn_tag_take ? tn_entry : bulk_entry_i),
    .close_valid_i(match_close_valid), .close_ready_o(match_close_ready), .close_tag_i(match_close_tag),
    .close_release_i(release_take), .closed_valid_o(match_closed_valid), .closed_hit_o(match_closed_hit),
    .closed_late_o(match_closed_late), .closed_entry_o(match_closed_entry),
    .expired_valid_o(match_expired_valid), .expired_ready_i(match_expired_ready),
    .expired_entry_o(match_expired_entry), .freed_o(tag_freed), .in_use_o(tags_in_use_o)
  );

  // Software's release of a tag waits for a cycle without a response.
  assign release_take      = release_q && !responder_close_valid;
  assign match_close_valid = responder_close_valid || release_q;
  assign match_close_tag   = release_take ? release_tag_q : responder_close_tag;
  assign responder_close_ready  = match_close_ready;
  assign responder_closed_valid = match_closed_valid && !released_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      release_q  <= 1'b0;
      released_1_q <= 1'b0;
      released_q <= 1'b0;
    end else begin
      if (release_i) release_q <= 1'b1;
      else if (release_take && match_close_ready) release_q <= 1'b0;
      released_1_q <= release_take;
      released_q   <= released_1_q;
    end
  end
  always_ff @(posedge clk_i) if (release_i) release_tag_q <= release_tag_i;

  ///////////////////////////////
  // Egress: responses, atomics //
  ///////////////////////////////

  logic        rs_valid, rs_ready, rs_last, word_valid;
  net_beat_t   rs_beat;
  logic [5:0]  word_slot;
  logic [63:0] word;
  err_e        word_err;
  logic        rs_cmd_ready;
  logic rs_done;

  assign response_take_o.cmd_ready = rs_cmd_ready;

  responder u_responder (
    .clk_i, .rst_ni, .node_id_i(config_i.node_id),
    .cmd_valid_i(response_i.cmd_valid), .cmd_ready_o(rs_cmd_ready), .cmd_i(response_t'(response_i.cmd)),
    .cmd_beats_i(response_i.beats), .data_valid_i(response_i.data_valid), .data_ready_o(response_take_o.data_ready),
    .data_i(response_i.data),
    .close_valid_o(responder_close_valid), .close_ready_i(responder_close_ready),
    .close_tag_o(responder_close_tag), .closed_valid_i(responder_closed_valid),
    .closed_hit_i(match_closed_hit), .closed_late_i(match_closed_late), .closed_entry_i(match_closed_entry),
    .valid_o(rs_valid), .ready_i(rs_ready), .beat_o(rs_beat), .last_o(rs_last),
    .atomic_valid_o(word_valid), .atomic_slot_o(word_slot), .atomic_data_o(word), .atomic_err_o(word_err),
    .bulk_valid_o(bulk_word_valid_o), .bulk_ready_i(bulk_word_ready_i), .bulk_slot_o(bulk_word_slot_o),
    .bulk_data_o(bulk_word_o), .bulk_last_o(bulk_word_last_o), .bulk_err_o(bulk_word_err_o),
    .done_o(rs_done), .late_o(events_o.late_host), .stray_o(events_o.stray_host), .bad_o(events_o.bad_response)
  );
  assign response_take_o.done = rs_done;

  logic        atomic_expired, timeout_valid, timeout_ready;
  net_header_t timeout_header;
  assign atomic_expired = match_expired_valid && match_expired_entry.waiter == ForAtomic && !word_valid;
  assign bulk_expired_slot_o = match_expired_entry.tag[7:0];
  assign bulk_expired_o   = match_expired_valid && match_expired_entry.waiter == ForBulk;
  assign timeout_valid  = match_expired_valid && match_expired_entry.waiter == ForRemote;
  always_comb begin
    unique case (match_expired_entry.waiter)
      ForAtomic: match_expired_ready = !word_valid;
      ForBulk:   match_expired_ready = bulk_expired_ready_i;
      default:   match_expired_ready = timeout_ready;
    endcase
    timeout_header = '0;
    timeout_header.cmd     = CmdTgtDone;
    timeout_header.dest    = match_expired_entry.node;
    timeout_header.src     = config_i.node_id;
    timeout_header.tag     = match_expired_entry.tag;
    timeout_header.gen     = match_expired_entry.gen;
    timeout_header.pass_pw = match_expired_entry.pass_pw;
    timeout_header.err     = ErrData;
  end
  assign events_o.target_timeout = match_expired_valid && match_expired_ready;

  logic       aread_valid, aread_ready, awrite_valid, awrite_ready, ares_valid, ares_ready, ares_last;
  host_beat_t aread_beat, awrite_beat;
  net_beat_t  ares_beat;
  atomic_unit u_atomic (
    .clk_i, .rst_ni, .node_id_i(config_i.node_id), .lock_row_i(lock_row_at), .locked_o(locked), .unlock_o(unlock),
    .slot_valid_o(slot_valid), .slot_o(slot), .start_i(atomic_start), .start_row_i(start_row), .header_i(atomic_header),
    .operand_valid_i(operand_valid), .operand_ready_o(operand_ready), .operand_slot_i(operand_slot),
    .operand_tag_i(operand_tag), .operand_i(operand), .operand_count_i(operand_count), .operand_last_i(operand_last),
    .read_valid_o(aread_valid), .read_ready_i(aread_ready), .read_o(aread_beat),
    .word_valid_i(word_valid), .word_slot_i(word_slot), .word_i(word), .word_err_i(word_err),
    .expired_valid_i(atomic_expired), .expired_slot_i(match_expired_entry.tag[5:0]),
    .write_valid_o(awrite_valid), .write_ready_i(awrite_ready), .write_o(awrite_beat),
    .answer_valid_o(ares_valid), .answer_ready_i(ares_ready), .answer_o(ares_beat), .answer_last_o(ares_last)
  );

  //////////////////////////////////////
  // Towards the network and the host //

  net_beat_t refuse_beat, timeout_beat;
  assign refuse_beat  = '{sop: 1'b1, has_data: 1'b0, data: '0, header: refuse};
  assign timeout_beat = '{sop: 1'b1, has_data: 1'b0, data: '0, header: timeout_header};

  packet_mux #(.N(4), .Width(NetBeatW)) u_out_r (
    .clk_i, .rst_ni, .valid_i({timeout_valid, ares_valid, refuse_valid, rs_valid}),
    .ready_o({timeout_ready, ares_ready, refuse_ready, rs_ready}),
    .data_i({timeout_beat, ares_beat, refuse_beat, rs_beat}), .last_i({1'b1, ares_last, 1'b1, rs_last}),
    .valid_o(to_net_o.valid), .ready_i(to_net_ready_i), .data_o(to_net_o.beat), .last_o(to_net_o.last)
  );
  packet_mux #(.N(3), .Width(HostBeatW)) u_in_p (
    .clk_i, .rst_ni, .valid_i({bulk_write_i.valid, awrite_valid, tp_valid}),
    .ready_o({bulk_write_ready_o, awrite_ready, tp_ready}), .data_i({bulk_write_i.beat, awrite_beat, tp_beat}),
    .last_i({bulk_write_i.last, 1'b1, tp_last}),
    .valid_o(to_host_o[0].valid), .ready_i(to_host_ready_i[0]),
    .data_o(to_host_o[0].beat), .last_o(to_host_o[0].last)
  );
  packet_mux #(.N(3), .Width(HostBeatW)) u_in_np (
    .clk_i, .rst_ni, .valid_i({bulk_read_i.valid, aread_valid, tn_valid}),
    .ready_o({bulk_read_ready_o, aread_ready, tn_ready}), .data_i({bulk_read_i.beat, aread_beat, tn_beat}),
    .last_i({1'b1, 1'b1, tn_last}),
    .valid_o(to_host_o[1].valid), .ready_i(to_host_ready_i[1]),
    .data_o(to_host_o[1].beat), .last_o(to_host_o[1].last)
  );

  ////////////////
  // Assertions //
  ////////////////

  // No request goes on while an atomic is under way on a word that it touches. Netlists have no arrays to look into.
`ifndef NETLIST
  always_ff @(posedge clk_i) begin
    if (rst_ni && tn_tag_take) begin
      assert ((u_atomic.locks_q[start_row] & u_target_nonposted.held_touched_q) == '0);
    end
  end
`endif
endmodule
