// The origin's half of the engine: requests of the host, of prefetch, of Flush and of the bulk unit go to
// the network, and its responses back to who asked.
//
//   P   requester_posted ----------------------------------------> network P
//   NP  prefetch --> requester_nonposted -- tag of the table ----> network NP
//   R   completer_response --> host R, prefetch, flush_unit or bulk unit
//
// Invariants: each request of the host gets one response: of the network, refused, from prefetch, or by
// time; posted packets wait for nothing but the network's posted channel.
module origin_side
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  /// Differs from reset to reset.
  input  logic [GenW-1:0]   incarnation_i,
  /// Tables are empty; translation has the masks' routing, for the gates and for software.
  output logic              ready_o,
  output logic              translate_ready_o,
  output logic              translate_settled_o,
  /// All of the engine is ready and switched on.
  input  logic              enable_i,
  input  config_t           config_i,
  input  logic [StampW-1:0] now_i,
  input  logic              prefetch_invalidate_i,
  /// Node table and the way back of the translation.
  input  logic              table_wr_i,
  input  logic [NodeIdxW-1:0] table_node_i,
  input  logic              table_routable_i,
  input  logic [AddrW-7:0]  table_base_i,
  input  logic [NodeW-1:0]  inverse_node_i,
  input  logic [AddrW-1:0]  inverse_offset_i,
  output logic [AddrW-1:0]  inverse_addr_o,
  /// Requests of the host; responses of the network.
  input  host_head_t        posted_i,
  output head_take_t        posted_take_o,
  input  host_head_t        nonposted_i,
  output head_take_t        nonposted_take_o,
  input  net_head_t         response_i,
  output head_take_t        response_take_o,
  /// Requests to the network: posted (0) and non-posted (1). Responses to the host.
  output net_stream_t [1:0] to_net_o,
  input  logic [1:0]        to_net_ready_i,
  output host_stream_t      to_host_o,
  input  logic              to_host_ready_i,
  /// The bulk unit's translations, what it posts, its reads and their data.
  input  logic              bulk_ask_valid_i,
  output logic              bulk_ask_ready_o,
  input  logic [AddrW-1:0]  bulk_ask_addr_i,
  output logic              bulk_answer_valid_o,
  output logic              answer_ok_o,
  output logic [NodeW-1:0]  answer_node_o,
  output logic [AddrW-1:0]  answer_addr_o,
  input  net_stream_t       bulk_post_i,
  output logic              bulk_post_ready_o,
  input  logic              bulk_posted_i,
  input  logic [AddrW-7:0]  bulk_posted_line_i,
  input  logic              bulk_fetch_valid_i,
  output logic              bulk_fetch_ready_o,
  input  logic [AddrW-7:0]  bulk_fetch_line_i,
  input  logic [7:0]        bulk_fetch_id_i,
  output logic              bulk_refused_o,
  output logic [7:0]        refused_id_o,
  output logic              bulk_fill_valid_o,
  input  logic              bulk_fill_ready_i,
  output logic [7:0]        fill_id_o,
  output logic [63:0]       fill_data_o,
  output logic              fill_last_o,
  output err_e              fill_err_o,
  /// Counted.
  output origin_events_t    events_o
);
  /////////////////
  // Translation //
  /////////////////

  logic             origin_ready, flush_ready;
  logic             ask_p_valid, ask_np_valid, ask_np_write, ask_take;
  logic [2:0]       ask_request, ask_grant;
  logic [1:0]       ask_index;
  logic [AddrW-1:0] ask_p_addr, ask_np_addr, ask_addr;
  logic             answer_valid, answer_ok, answer_prefetch;
  asker_e           answer_asker;
  logic [NodeW-1:0] answer_node;
  logic [AddrW-1:0] answer_addr;

  assign ask_request = {bulk_ask_valid_i, ask_np_valid, ask_p_valid} & {3{translate_ready_o}};
  assign ask_take    = ask_request != '0;
  round_robin #(.N(3)) u_ask (
    .clk_i, .rst_ni, .request_i(ask_request), .take_i(ask_take), .grant_o(ask_grant), .index_o(ask_index)
  );
  assign ask_addr = ask_grant[2] ? bulk_ask_addr_i : ask_grant[1] ? ask_np_addr : ask_p_addr;

  assign bulk_ask_ready_o    = ask_grant[2];
  assign bulk_answer_valid_o = answer_valid && answer_asker == AskBulk;
  assign answer_ok_o         = answer_ok;
  assign answer_node_o       = answer_node;
  assign answer_addr_o       = answer_addr;
  assign ready_o             = origin_ready && flush_ready;

  translate u_translate (
    .clk_i, .rst_ni, .config_i, .ready_o(translate_ready_o), .settled_o(translate_settled_o),
    .valid_i(ask_take), .asker_i(asker_e'(ask_index)), .addr_i(ask_addr),
    .write_i(ask_grant[1] ? ask_np_write : 1'b1),
    .valid_o(answer_valid), .asker_o(answer_asker), .ok_o(answer_ok), .prefetch_o(answer_prefetch),
    .node_o(answer_node), .addr_o(answer_addr),
    .table_wr_i, .table_node_i, .table_routable_i,
    .table_base_i, .inverse_node_i, .inverse_offset_i,
    .inverse_addr_o
  );

  ///////////////////////
  // Requests  //
  ///////////////////////

  logic             p_valid, p_ready, p_last, p_sent, egress_p_done;
  logic non_forwarded_p, non_forwarded_np;
  net_beat_t        p_beat;
  logic [NodeW-1:0] p_sent_node;
  logic [AddrW-7:0] p_sent_line;

  requester_posted u_requester_posted (
    .clk_i, .rst_ni, .node_id_i(config_i.node_id), .enable_i,
    .cmd_valid_i(posted_i.cmd_valid), .cmd_ready_o(posted_take_o.cmd_ready), .cmd_i(posted_i.cmd),
    .cmd_beats_i(posted_i.beats), .data_valid_i(posted_i.data_valid), .data_ready_o(posted_take_o.data_ready),
    .data_i(posted_i.data),
    .ask_valid_o(ask_p_valid), .ask_ready_i(ask_grant[0]), .ask_addr_o(ask_p_addr),
    .answer_valid_i(answer_valid && answer_asker == AskPosted), .answer_ok_i(answer_ok),
    .answer_node_i(answer_node), .answer_addr_i(answer_addr),
    .valid_o(p_valid), .ready_i(p_ready), .beat_o(p_beat), .last_o(p_last),
    .done_o(egress_p_done), .sent_o(p_sent), .sent_node_o(p_sent_node), .sent_line_o(p_sent_line),
    .dropped_o(events_o.p_dropped_origin), .fence_o(events_o.fence), .non_forwarded_o(non_forwarded_p)
  );
  assign posted_take_o.done = egress_p_done;

  // A write of the host or of the bulk unit has gone: one a cycle, since they share the way out.
  logic             write_sent;
  logic [NodeW-1:0] write_node;
  logic [AddrW-7:0] write_line;
  assign write_sent = p_sent || bulk_posted_i;
  assign write_node = bulk_posted_i ? bulk_post_i.beat.header.dest : p_sent_node;
  assign write_line = bulk_posted_i ? bulk_posted_line_i : p_sent_line;

  assign events_o.non_forwarded = non_forwarded_p || non_forwarded_np;

  // Non-posted requests pass prefetch on their way.
  logic       pf_in_ready, pf_cmd_valid, pf_cmd_ready, fetch_valid, fetch_ready, pf_refused;
  request_t   pf_cmd;
  logic [3:0] pf_beats;
  logic [AddrW-7:0] fetch_line;
  logic [7:0] fetch_id, refused_id;
  logic       train;
  logic [AddrW-1:0] train_addr;
  logic       pf_valid, pf_ready, pf_last;
  host_beat_t pf_beat;
  logic       own_valid, own_ready, own_last;
  logic [9:0] own_tag;
  logic [63:0] own_data;
  err_e       own_err;

  assign nonposted_take_o.cmd_ready = pf_in_ready;

  prefetch u_prefetch (
    .clk_i, .rst_ni, .enable_i(config_i.prefetch_enable), .ahead_i(config_i.prefetch_lines),
    .invalidate_i(prefetch_invalidate_i),
    .cmd_valid_i(nonposted_i.cmd_valid), .cmd_ready_o(pf_in_ready), .cmd_i(nonposted_i.cmd),
    .cmd_beats_i(nonposted_i.beats),
    .cmd_valid_o(pf_cmd_valid), .cmd_ready_i(pf_cmd_ready), .cmd_o(pf_cmd), .cmd_beats_o(pf_beats),
    .write_i(write_sent), .write_line_i(write_line), .train_i(train), .train_addr_i(train_addr),
    .fetch_valid_o(fetch_valid), .fetch_ready_i(fetch_ready), .fetch_line_o(fetch_line), .fetch_id_o(fetch_id),
    .refused_i(pf_refused), .refused_id_i(refused_id),
    .fill_valid_i(own_valid && own_tag[9:8] == OwnPrefetch), .fill_id_i(own_tag[7:0]),
    .fill_data_i(own_data), .fill_last_i(own_last), .fill_err_i(own_err),
    .valid_o(pf_valid), .ready_i(pf_ready), .beat_o(pf_beat), .last_o(pf_last),
    .hit_o(events_o.prefetch_hit), .issue_o(events_o.prefetch_issue), .waste_o(events_o.prefetch_waste)
  );

  logic                  probe_valid, probe_ready, flush_req_valid, flush_req_ready, flush_pass_pw;
  logic [NodeW-1:0]      probe_node;
  logic [7:0]            probe_id;
  logic [HostTagW-1:0]   flush_tag;
  logic                  open_valid, open_ready, opened_valid, opened_busy;
  logic [OriginTagW-1:0] open_tag;
  outstanding_t          open_entry;
  logic [GenW-1:0]       opened_gen;
  logic                  tag_closed;
  logic [NodeW-1:0]      tag_closed_node;
  logic                  np_refuse_valid, np_refuse_ready;
  answer_t               np_refuse;
  logic                  np_valid, np_ready, np_last, np_refused;
  net_beat_t             np_beat;

  requester_nonposted u_requester_nonposted (
    .clk_i, .rst_ni, .node_id_i(config_i.node_id), .enable_i, .quota_i(config_i.origin_quota),
    .cmd_valid_i(pf_cmd_valid), .cmd_ready_o(pf_cmd_ready), .cmd_i(pf_cmd), .cmd_beats_i(pf_beats),
    .data_valid_i(nonposted_i.data_valid), .data_ready_o(nonposted_take_o.data_ready), .data_i(nonposted_i.data),
    .data_last_o(nonposted_take_o.done),
    .own_valid_i({bulk_fetch_valid_i, fetch_valid}), .own_ready_o({bulk_fetch_ready_o, fetch_ready}),
    .own_line_i({bulk_fetch_line_i, fetch_line}), .own_id_i({bulk_fetch_id_i, fetch_id}),
    .own_refused_o({bulk_refused_o, pf_refused}), .own_refused_id_o(refused_id),
    .ask_valid_o(ask_np_valid), .ask_ready_i(ask_grant[1]), .ask_addr_o(ask_np_addr),
    .ask_write_o(ask_np_write),
    .answer_valid_i(answer_valid && answer_asker == AskNonPosted), .answer_ok_i(answer_ok),
    .answer_prefetch_i(answer_prefetch), .answer_node_i(answer_node), .answer_addr_i(answer_addr),
    .train_o(train), .train_addr_o(train_addr),
    .probe_valid_i(probe_valid), .probe_ready_o(probe_ready), .probe_node_i(probe_node), .probe_id_i(probe_id),
    .flush_valid_o(flush_req_valid), .flush_ready_i(flush_req_ready), .flush_tag_o(flush_tag),
    .flush_pass_pw_o(flush_pass_pw),
    .open_valid_o(open_valid), .open_ready_i(open_ready), .open_tag_o(open_tag), .open_entry_o(open_entry),
    .opened_valid_i(opened_valid), .opened_busy_i(opened_busy), .opened_gen_i(opened_gen),
    .closed_i(tag_closed), .closed_node_i(tag_closed_node),
    .refuse_valid_o(np_refuse_valid), .refuse_ready_i(np_refuse_ready), .refuse_o(np_refuse),
    .valid_o(np_valid), .ready_i(np_ready), .beat_o(np_beat), .last_o(np_last),
    .refused_o(np_refused), .duplicate_o(events_o.np_duplicate_tag), .non_forwarded_o(non_forwarded_np)
  );
  assign events_o.np_refused_origin = np_refused;

  logic flush_answer_valid, flush_answer_ready, own_done_flush;
  answer_t flush_answer;
  assign own_done_flush = own_valid && own_ready && own_tag[9:8] == OwnFlush && own_last;
  flush_unit u_flush (
    .clk_i, .rst_ni, .ready_o(flush_ready),
    .sent_i(write_sent), .sent_node_i(write_node),
    .flush_valid_i(flush_req_valid), .flush_ready_o(flush_req_ready), .flush_tag_i(flush_tag),
    .flush_pass_pw_i(flush_pass_pw),
    .probe_valid_o(probe_valid), .probe_ready_i(probe_ready), .probe_node_o(probe_node), .probe_id_o(probe_id),
    .probe_done_i(own_done_flush), .probe_err_i(own_err),
    .answer_valid_o(flush_answer_valid), .answer_ready_i(flush_answer_ready), .answer_o(flush_answer)
  );

  //////////////////
  // Origin table //
  //////////////////

  logic                  close_valid, close_ready, closed_valid, closed_hit, closed_late, unused_freed;
  logic [OriginTagW-1:0] close_tag, expired_tag, unused_closed_tag;
  logic [GenW-1:0]       close_gen;
  outstanding_t          closed_entry, expired_entry;
  logic                  expired_valid, expired_ready;

  tag_table #(.TagW(OriginTagW), .EntryW($bits(outstanding_t)), .GenW(GenW), .StampW(StampW)) u_origin_table (
    .clk_i, .rst_ni, .ready_o(origin_ready), .incarnation_i, .now_i, .timeout_i(config_i.timeout),
    .expire_all_i(config_i.expire),
    .open_valid_i(open_valid), .open_ready_o(open_ready), .open_tag_i(open_tag), .open_entry_i(open_entry),
    .opened_valid_o(opened_valid), .opened_busy_o(opened_busy), .opened_gen_o(opened_gen),
    .close_valid_i(close_valid), .close_ready_o(close_ready), .close_tag_i(close_tag), .close_gen_i(close_gen),
    .close_release_i(1'b0), .closed_valid_o(closed_valid), .closed_hit_o(closed_hit),
    .closed_late_o(closed_late), .closed_freed_o(unused_freed), .closed_tag_o(unused_closed_tag),
    .closed_entry_o(closed_entry),
    .expired_valid_o(expired_valid), .expired_ready_i(expired_ready), .expired_tag_o(expired_tag),
    .expired_entry_o(expired_entry)
  );

  assign bulk_fill_valid_o = own_valid && own_tag[9:8] == OwnBulk;
  assign fill_id_o         = own_tag[7:0];
  assign fill_data_o       = own_data;
  assign fill_last_o       = own_last;
  assign fill_err_o        = own_err;
  assign refused_id_o      = refused_id;

  // A time-out is handed to the host or to the own unit, when the port is free and no response is
  // being counted.
  logic expired_to_own, expired_answer_valid, expired_answer_ready, expired_free;
  logic response_own_valid, response_own_ready, response_own_last, own_inside_q;
  logic [9:0]  response_own_tag;
  logic [63:0] response_own_data;
  err_e        response_own_err;

  assign expired_to_own       = expired_tag[OriginTagW-1];
  assign expired_free         = !(closed_valid && closed_hit);
  assign expired_answer_valid = expired_valid && !expired_to_own && expired_free;
  assign expired_ready        = expired_free && (expired_to_own
                                    ? !response_own_valid && !own_inside_q && own_ready
                                    : expired_answer_ready);
  assign tag_closed           = (closed_valid && closed_hit) || (expired_valid && expired_ready);
  assign tag_closed_node      = closed_valid && closed_hit ? closed_entry.node : expired_entry.node;
  assign events_o.origin_timeout = expired_valid && expired_ready;

  always_comb begin
    own_valid = response_own_valid;
    own_tag   = response_own_tag;
    own_data  = response_own_data;
    own_last  = response_own_last;
    own_err   = response_own_err;
    if (!response_own_valid) begin
      own_valid = expired_valid && expired_to_own && expired_free && !own_inside_q;
      own_tag   = expired_tag[9:0];
      own_last  = 1'b1;
      own_err   = ErrData;
    end
  end
  assign own_ready          = own_tag[9:8] == OwnBulk ? bulk_fill_ready_i : 1'b1;
  assign response_own_ready = own_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) own_inside_q <= 1'b0;
    else if (response_own_valid && response_own_ready) own_inside_q <= !response_own_last;
  end

  ////////////////////////
  // Responses //
  ////////////////////////

  logic       r_valid, r_ready, r_last, r_answer_valid, r_answer_ready;
  host_beat_t r_beat;
  answer_t    r_answer;
  logic       r_header_ready;

  assign response_take_o.cmd_ready = r_header_ready;

  completer_response u_completer_response (
    .clk_i, .rst_ni,
    .header_valid_i(response_i.cmd_valid), .header_ready_o(r_header_ready), .header_i(response_i.header),
    .header_beats_i(response_i.beats), .data_valid_i(response_i.data_valid), .data_ready_o(response_take_o.data_ready),
    .data_i(response_i.data),
    .close_valid_o(close_valid), .close_ready_i(close_ready), .close_tag_o(close_tag), .close_gen_o(close_gen),
    .closed_valid_i(closed_valid), .closed_hit_i(closed_hit), .closed_late_i(closed_late),
    .closed_entry_i(closed_entry),
    .valid_o(r_valid), .ready_i(r_ready), .beat_o(r_beat), .last_o(r_last),
    .answer_valid_o(r_answer_valid), .answer_ready_i(r_answer_ready), .answer_o(r_answer),
    .own_valid_o(response_own_valid), .own_ready_i(response_own_ready), .own_tag_o(response_own_tag),
    .own_data_o(response_own_data), .own_last_o(response_own_last), .own_err_o(response_own_err),
    .packet_done_o(response_take_o.done),
    .late_o(events_o.late_response), .stray_o(events_o.stray_response), .bad_o(events_o.bad_response)
  );

  // Answers without data: from the network, from time, from refusals, from Flush.
  logic [3:0]               answer_valids, answer_readies;
  answer_t [3:0]            answer_all;
  logic                     expander_in_valid, expander_in_ready, unused_answer_last;
  answer_t                  expander_in;
  logic                     expander_valid, expander_ready, expander_last;
  host_beat_t               expander_beat;
  answer_t                  expired_answer;

  assign expired_answer = '{tag: expired_tag[HostTagW-1:0], is_read: expired_entry.is_read,
                            count: expired_entry.count, pass_pw: expired_entry.pass_pw, err: ErrData};
  assign answer_valids = {flush_answer_valid, np_refuse_valid, expired_answer_valid, r_answer_valid};
  assign answer_all    = {flush_answer, np_refuse, expired_answer, r_answer};
  assign {flush_answer_ready, np_refuse_ready, expired_answer_ready, r_answer_ready} = answer_readies;

  // Queued: one who refuses does not wait for the host.
  logic    answer_q_ready, answer_q_valid;
  answer_t answer_q;
  logic [2:0] unused_answer_level;
  packet_mux #(.N(4), .Width($bits(answer_t))) u_answers (
    .clk_i, .rst_ni, .valid_i(answer_valids), .ready_o(answer_readies), .data_i(answer_all), .last_i('1),
    .valid_o(answer_q_valid), .ready_i(answer_q_ready), .data_o(answer_q), .last_o(unused_answer_last)
  );
  fifo #(.Width($bits(answer_t)), .Depth(4)) u_answer_queue (
    .clk_i, .rst_ni, .valid_i(answer_q_valid), .ready_o(answer_q_ready), .data_i(answer_q),
    .valid_o(expander_in_valid), .ready_i(expander_in_ready), .data_o(expander_in), .level_o(unused_answer_level)
  );
  answer_expander u_expander (
    .clk_i, .rst_ni, .valid_i(expander_in_valid), .ready_o(expander_in_ready), .answer_i(expander_in),
    .valid_o(expander_valid), .ready_i(expander_ready), .beat_o(expander_beat), .last_o(expander_last)
  );

  //////////////////////////////////////
  // Towards the network and the host //

  packet_mux #(.N(2), .Width(NetBeatW)) u_out_p (
    .clk_i, .rst_ni, .valid_i({bulk_post_i.valid, p_valid}), .ready_o({bulk_post_ready_o, p_ready}),
    .data_i({bulk_post_i.beat, p_beat}), .last_i({bulk_post_i.last, p_last}),
    .valid_o(to_net_o[0].valid), .ready_i(to_net_ready_i[0]),
    .data_o(to_net_o[0].beat), .last_o(to_net_o[0].last)
  );
  assign to_net_o[1] = '{valid: np_valid, last: np_last, beat: np_beat};
  assign np_ready = to_net_ready_i[1];
  packet_mux #(.N(3), .Width(HostBeatW)) u_in_r (
    .clk_i, .rst_ni, .valid_i({pf_valid, expander_valid, r_valid}),
    .ready_o({pf_ready, expander_ready, r_ready}), .data_i({pf_beat, expander_beat, r_beat}),
    .last_i({pf_last, expander_last, r_last}),
    .valid_o(to_host_o.valid), .ready_i(to_host_ready_i), .data_o(to_host_o.beat), .last_o(to_host_o.last)
  );

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(p_sent && bulk_posted_i));
  end
endmodule
