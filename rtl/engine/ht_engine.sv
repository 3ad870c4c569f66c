// The HyperTransport engine: loads and stores of a host reach the memory of other nodes.
//
//            host P/NP/R in            translate, tags              link out
//   egress   vc_queue x 3  ----> requesters, responder ----------> link_tx
//   ingress  host_tx x 3   <---- target_*, completer_response <--- vc_queue x 3 <- link_rx
//
// The three channels depend on each other in one direction only: a non-posted packet may wait for a
// response, a response for a posted packet, a posted packet for nothing but room in the host or at the
// next node, which both drain. So no channel can stop another in a circle.
module ht_engine
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Differs from reset to reset: late responses of an earlier life are told by it.
  input  logic [GenW-1:0]       incarnation_i,

  /// From the host, by channel (posted, non-posted, response); credits for it.
  input  logic [NumVc-1:0]           host_rx_cmd_valid_i,
  input  logic [NumVc-1:0][CmdW-1:0] host_rx_cmd_i,
  input  logic [NumVc-1:0]           host_rx_data_valid_i,
  input  logic [NumVc-1:0][63:0]     host_rx_data_i,
  output logic [NumVc-1:0]           host_rx_cmd_credit_o,
  output logic [NumVc-1:0]           host_rx_data_credit_o,
  /// To the host.
  output logic [NumVc-1:0]           host_tx_cmd_valid_o,
  output logic [NumVc-1:0][CmdW-1:0] host_tx_cmd_o,
  output logic [NumVc-1:0]           host_tx_data_valid_o,
  output logic [NumVc-1:0][63:0]     host_tx_data_o,
  input  logic [NumVc-1:0]           host_tx_cmd_credit_i,
  input  logic [NumVc-1:0]           host_tx_data_credit_i,

  /// Link to the network and back, with credits of a packet each.
  output logic             net_tx_valid_o,
  output logic [31:0]      net_tx_data_o,
  output logic [1:0]       net_tx_vc_o,
  output logic             net_tx_sop_o,
  output logic             net_tx_eop_o,
  input  logic [NumVc-1:0] net_tx_credit_i,
  input  logic             net_rx_valid_i,
  input  logic [31:0]      net_rx_data_i,
  input  logic [1:0]       net_rx_vc_i,
  input  logic             net_rx_sop_i,
  input  logic             net_rx_eop_i,
  output logic [NumVc-1:0] net_rx_credit_o,

  /// Registers.
  input  logic             reg_write_i,
  input  logic [8:0]       reg_addr_i,
  input  logic [31:0]      reg_wdata_i,
  output logic [31:0]      reg_rdata_o
);
  localparam int unsigned P  = 0;
  localparam int unsigned NP = 1;
  localparam int unsigned R  = 2;

  ///////////////////
  // Configuration //
  ///////////////////

  config_t cfg;
  events_t events;
  logic    ready, ready_to_read, tables_ready_q, translate_settled;
  logic    translate_ready, origin_ready, target_ready;
  logic [HostTagW:0]   tags_in_use;
  logic                table_wr, table_routable, prefetch_invalidate, release_valid;
  logic [NodeIdxW-1:0] table_node;
  logic [AddrW-7:0]    table_base;
  logic [NodeW-1:0]    inverse_node;
  logic [AddrW-1:0]    inverse_offset, inverse_addr;
  logic [HostTagW-1:0] release_tag;
  logic                bulk_start, bulk_is_get, bulk_notify, bulk_busy;
  logic [AddrW-1:0]    bulk_local, bulk_global, bulk_notify_addr;
  logic [31:0]         bulk_length, bulk_value;
  logic [15:0]         bulk_done, bulk_errors;

  engine_config u_config (
    .clk_i, .rst_ni, .reg_write_i, .reg_addr_i, .reg_wdata_i, .reg_rdata_o,
    .config_o(cfg), .events_i(events), .ready_i(ready_to_read), .tags_in_use_i(tags_in_use),
    .table_wr_o(table_wr), .table_node_o(table_node), .table_routable_o(table_routable),
    .table_base_o(table_base), .inverse_node_o(inverse_node), .inverse_offset_o(inverse_offset),
    .inverse_addr_i(inverse_addr), .prefetch_invalidate_o(prefetch_invalidate),
    .release_valid_o(release_valid), .release_tag_o(release_tag),
    .bulk_start_o(bulk_start), .bulk_is_get_o(bulk_is_get), .bulk_notify_o(bulk_notify),
    .bulk_local_o(bulk_local), .bulk_global_o(bulk_global), .bulk_length_o(bulk_length),
    .bulk_notify_addr_o(bulk_notify_addr), .bulk_value_o(bulk_value),
    .bulk_busy_i(bulk_busy), .bulk_done_i(bulk_done), .bulk_errors_i(bulk_errors)
  );
  assign ready         = tables_ready_q && translate_ready;
  assign ready_to_read = tables_ready_q && translate_settled;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) tables_ready_q <= 1'b0;
    else tables_ready_q <= origin_ready && target_ready;
  end

  logic [15:0]       cycles_q;
  logic [StampW-1:0] now_q;
  logic [15:0]       tick_mask;
  assign tick_mask = (16'd1 << cfg.tick_log) - 16'd1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycles_q <= '0;
      now_q    <= '0;
    end else begin
      cycles_q <= cycles_q + 16'd1;
      if ((cycles_q & tick_mask) == '0) now_q <= now_q + StampW'(1);
    end
  end

  ////////////////////
  // Host's packets //
  ////////////////////

  host_head_t   [NumVc-1:0] hq;
  head_take_t   [NumVc-1:0] hq_take;
  host_stream_t [NumVc-1:0] to_host;
  logic         [NumVc-1:0] to_host_ready;

  host_port u_host_port (
    .clk_i, .rst_ni,
    .rx_cmd_valid_i(host_rx_cmd_valid_i), .rx_cmd_i(host_rx_cmd_i), .rx_data_valid_i(host_rx_data_valid_i),
    .rx_data_i(host_rx_data_i), .rx_cmd_credit_o(host_rx_cmd_credit_o), .rx_data_credit_o(host_rx_data_credit_o),
    .tx_cmd_valid_o(host_tx_cmd_valid_o), .tx_cmd_o(host_tx_cmd_o), .tx_data_valid_o(host_tx_data_valid_o),
    .tx_data_o(host_tx_data_o), .tx_cmd_credit_i(host_tx_cmd_credit_i), .tx_data_credit_i(host_tx_data_credit_i),
    .head_o(hq), .take_i(hq_take), .stream_i(to_host), .ready_o(to_host_ready)
  );

  /////////////////////
  // Network packets //
  /////////////////////

  net_head_t   [NumVc-1:0] nq;
  head_take_t  [NumVc-1:0] nq_take;
  net_stream_t [NumVc-1:0] to_net;
  logic        [NumVc-1:0] to_net_ready;

  net_port u_net_port (
    .clk_i, .rst_ni, .node_id_i(cfg.node_id),
    .tx_valid_o(net_tx_valid_o), .tx_data_o(net_tx_data_o), .tx_vc_o(net_tx_vc_o), .tx_sop_o(net_tx_sop_o),
    .tx_eop_o(net_tx_eop_o), .tx_credit_i(net_tx_credit_i),
    .rx_valid_i(net_rx_valid_i), .rx_data_i(net_rx_data_i), .rx_vc_i(net_rx_vc_i), .rx_sop_i(net_rx_sop_i),
    .rx_eop_i(net_rx_eop_i), .rx_credit_o(net_rx_credit_o),
    .head_o(nq), .take_i(nq_take), .stream_i(to_net), .ready_o(to_net_ready),
    .malformed_o(events.rx_malformed), .misrouted_o(events.rx_misrouted)
  );

  ///////////////////////
  // Origin and target //

  logic [NodeW-1:0] answer_node;
  logic [AddrW-1:0] answer_addr, bulk_ask_addr;
  logic             bulk_ask_valid, bulk_ask_ready, bulk_answer_valid, answer_ok, bulk_posted;
  logic             bulk_fetch_valid, bulk_fetch_ready, bulk_refused, bulk_fill_valid, bulk_fill_ready, fill_last;
  logic [AddrW-7:0] bulk_fetch_line, bulk_posted_line;
  logic [7:0]       bulk_fetch_id, refused_id, fill_id, bulk_word_slot, bulk_expired_slot;
  logic [63:0]      fill_data, bulk_word;
  err_e             fill_err, bulk_word_err;
  logic             bulk_tag_valid, bulk_tag_take, bulk_word_valid, bulk_word_ready, bulk_word_last;
  logic             bulk_expired, bulk_expired_ready, bulk_post_ready, bulk_read_ready, bulk_write_ready;
  logic [HostTagW-1:0] bulk_tag;
  match_t           bulk_entry;
  net_stream_t      bulk_post;
  host_stream_t     bulk_read, bulk_write;

  origin_side u_origin (
    .clk_i, .rst_ni, .incarnation_i, .ready_o(origin_ready), .translate_ready_o(translate_ready),
    .translate_settled_o(translate_settled), .enable_i(cfg.enable && ready), .config_i(cfg), .now_i(now_q),
    .prefetch_invalidate_i(prefetch_invalidate),
    .table_wr_i(table_wr), .table_node_i(table_node), .table_routable_i(table_routable),
    .table_base_i(table_base), .inverse_node_i(inverse_node), .inverse_offset_i(inverse_offset),
    .inverse_addr_o(inverse_addr),
    .posted_i(hq[P]), .posted_take_o(hq_take[P]), .nonposted_i(hq[NP]), .nonposted_take_o(hq_take[NP]),
    .response_i(nq[R]), .response_take_o(nq_take[R]),
    .to_net_o(to_net[NP:P]), .to_net_ready_i(to_net_ready[NP:P]),
    .to_host_o(to_host[R]), .to_host_ready_i(to_host_ready[R]),
    .bulk_ask_valid_i(bulk_ask_valid), .bulk_ask_ready_o(bulk_ask_ready), .bulk_ask_addr_i(bulk_ask_addr),
    .bulk_answer_valid_o(bulk_answer_valid), .answer_ok_o(answer_ok), .answer_node_o(answer_node),
    .answer_addr_o(answer_addr), .bulk_post_i(bulk_post), .bulk_post_ready_o(bulk_post_ready),
    .bulk_posted_i(bulk_posted), .bulk_posted_line_i(bulk_posted_line),
    .bulk_fetch_valid_i(bulk_fetch_valid), .bulk_fetch_ready_o(bulk_fetch_ready),
    .bulk_fetch_line_i(bulk_fetch_line), .bulk_fetch_id_i(bulk_fetch_id), .bulk_refused_o(bulk_refused),
    .refused_id_o(refused_id), .bulk_fill_valid_o(bulk_fill_valid), .bulk_fill_ready_i(bulk_fill_ready),
    .fill_id_o(fill_id), .fill_data_o(fill_data), .fill_last_o(fill_last), .fill_err_o(fill_err),
    .events_o(events.origin)
  );
  target_side u_target (
    .clk_i, .rst_ni, .ready_o(target_ready), .config_i(cfg), .now_i(now_q),
    .release_i(release_valid), .release_tag_i(release_tag), .tags_in_use_o(tags_in_use),
    .posted_i(nq[P]), .posted_take_o(nq_take[P]), .nonposted_i(nq[NP]), .nonposted_take_o(nq_take[NP]),
    .response_i(hq[R]), .response_take_o(hq_take[R]),
    .to_host_o(to_host[NP:P]), .to_host_ready_i(to_host_ready[NP:P]),
    .to_net_o(to_net[R]), .to_net_ready_i(to_net_ready[R]),
    .bulk_tag_valid_o(bulk_tag_valid), .bulk_tag_o(bulk_tag), .bulk_tag_take_i(bulk_tag_take),
    .bulk_entry_i(bulk_entry), .bulk_read_i(bulk_read), .bulk_read_ready_o(bulk_read_ready),
    .bulk_write_i(bulk_write), .bulk_write_ready_o(bulk_write_ready),
    .bulk_word_valid_o(bulk_word_valid), .bulk_word_ready_i(bulk_word_ready), .bulk_word_slot_o(bulk_word_slot),
    .bulk_word_o(bulk_word), .bulk_word_last_o(bulk_word_last), .bulk_word_err_o(bulk_word_err),
    .bulk_expired_o(bulk_expired), .bulk_expired_ready_i(bulk_expired_ready),
    .bulk_expired_slot_o(bulk_expired_slot), .events_o(events.target)
  );

  //////////
  // Bulk //
  //////////

  bulk_unit u_bulk (
    .clk_i, .rst_ni, .node_id_i(cfg.node_id),
    .start_i(bulk_start), .is_get_i(bulk_is_get), .notify_i(bulk_notify), .local_addr_i(bulk_local),
    .global_addr_i(bulk_global), .length_i(bulk_length), .notify_addr_i(bulk_notify_addr),
    .value_i(bulk_value), .busy_o(bulk_busy), .done_o(bulk_done), .errors_o(bulk_errors),
    .ask_valid_o(bulk_ask_valid), .ask_ready_i(bulk_ask_ready), .ask_addr_o(bulk_ask_addr),
    .answer_valid_i(bulk_answer_valid), .answer_ok_i(answer_ok),
    .answer_node_i(answer_node), .answer_addr_i(answer_addr),
    .tag_valid_i(bulk_tag_valid), .tag_take_o(bulk_tag_take), .tag_i(bulk_tag), .entry_o(bulk_entry),
    .read_valid_o(bulk_read.valid), .read_ready_i(bulk_read_ready), .read_o(bulk_read.beat),
    .word_valid_i(bulk_word_valid), .word_ready_o(bulk_word_ready), .word_slot_i(bulk_word_slot),
    .word_i(bulk_word), .word_last_i(bulk_word_last), .word_err_i(bulk_word_err),
    .expired_valid_i(bulk_expired), .expired_ready_o(bulk_expired_ready),
    .expired_slot_i(bulk_expired_slot),
    .post_valid_o(bulk_post.valid), .post_ready_i(bulk_post_ready), .post_o(bulk_post.beat), .post_last_o(bulk_post.last),
    .posted_o(bulk_posted), .posted_line_o(bulk_posted_line),
    .fetch_valid_o(bulk_fetch_valid), .fetch_ready_i(bulk_fetch_ready), .fetch_line_o(bulk_fetch_line),
    .fetch_id_o(bulk_fetch_id), .refused_i(bulk_refused), .refused_id_i(refused_id),
    .fill_valid_i(bulk_fill_valid), .fill_ready_o(bulk_fill_ready),
    .fill_id_i(fill_id), .fill_data_i(fill_data), .fill_last_i(fill_last), .fill_err_i(fill_err),
    .write_valid_o(bulk_write.valid), .write_ready_i(bulk_write_ready), .write_o(bulk_write.beat), .write_last_o(bulk_write.last)
  );
  assign bulk_read.last = 1'b1;
endmodule
