// The link's side: packets of the network in queues for their three channels, with the order between
// them; packets for the network while the receiver has room.
//
// Invariants: what the queues offer is whole, for this node, and may go; each credit goes back once.
module net_port
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [NodeW-1:0] node_id_i,
  /// Link to the network and back, with credits of a packet each.
  output logic             tx_valid_o,
  output logic [31:0]      tx_data_o,
  output logic [1:0]       tx_vc_o,
  output logic             tx_sop_o,
  output logic             tx_eop_o,
  input  logic [NumVc-1:0] tx_credit_i,
  input  logic             rx_valid_i,
  input  logic [31:0]      rx_data_i,
  input  logic [1:0]       rx_vc_i,
  input  logic             rx_sop_i,
  input  logic             rx_eop_i,
  output logic [NumVc-1:0] rx_credit_o,
  /// The queues' heads.
  output net_head_t  [NumVc-1:0] head_o,
  input  head_take_t [NumVc-1:0] take_i,
  /// Streams to the network.
  input  net_stream_t [NumVc-1:0] stream_i,
  output logic [NumVc-1:0] ready_o,
  /// Counted.
  output logic             malformed_o,
  output logic             misrouted_o
);
  logic        [NumVc-1:0] data_valid, header_valid, abort, discard, queued, allowed, pop, valid;
  logic        [63:0]      data;
  net_header_t             header;
  logic        [3:0]       beats;
  net_beat_t   [NumVc-1:0] beat;
  vc_e                     tx_vc;

  link_rx u_link_rx (
    .clk_i, .rst_ni, .node_id_i, .rx_valid_i, .rx_data_i, .rx_vc_i, .rx_sop_i, .rx_eop_i,
    .data_valid_o(data_valid), .data_o(data), .header_valid_o(header_valid), .header_o(header),
    .beats_o(beats), .abort_o(abort), .discard_o(discard), .malformed_o, .misrouted_o
  );

  for (genvar v = 0; v < int'(NumVc); v++) begin : gen_channel
    // Credits that wait to go back: a packet done and one thrown away may meet.
    logic [$clog2(NetCredits+1)-1:0] returns_q;
    logic [$clog2(NetCredits):0] unused_level;
    assign pop[v] = head_o[v].cmd_valid && take_i[v].cmd_ready;
    assign head_o[v].cmd_valid = queued[v] && allowed[v];
    vc_queue #(.CmdWidth(NetHeaderW), .Depth(NetCredits)) u_queue (
      .clk_i, .rst_ni,
      .cmd_valid_i(header_valid[v]), .cmd_i(header), .cmd_beats_i(beats),
      .data_valid_i(data_valid[v]), .data_i(data), .commit_i(header_valid[v]), .abort_i(abort[v]),
      .cmd_valid_o(queued[v]), .cmd_ready_i(pop[v]), .cmd_o(head_o[v].header), .cmd_beats_o(head_o[v].beats),
      .data_valid_o(head_o[v].data_valid), .data_ready_i(take_i[v].data_ready), .data_o(head_o[v].data),
      .level_o(unused_level)
    );
    assign rx_credit_o[v] = returns_q != '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) returns_q <= '0;
      else returns_q <= returns_q + ($bits(returns_q))'(take_i[v].done) + ($bits(returns_q))'(discard[v]) -
                        ($bits(returns_q))'(rx_credit_o[v]);
    end

    // Posted packets wait for nothing.
    if (v == 32'(VcPosted)) begin : gen_posted
      assign allowed[v] = 1'b1;
    end else begin : gen_gate
      order_gate #(.OlderDepth(NetCredits), .YoungerDepth(NetCredits)) u_gate (
        .clk_i, .rst_ni, .older_push_i(header_valid[VcPosted]), .older_done_i(take_i[VcPosted].done),
        .younger_push_i(header_valid[v]), .younger_pass_i(header.pass_pw),
        .younger_ok_o(allowed[v]), .younger_pop_i(pop[v])
      );
    end
    assign valid[v] = stream_i[v].valid;
    assign beat[v]  = stream_i[v].beat;
  end

  link_tx u_link_tx (
    .clk_i, .rst_ni, .valid_i(valid), .ready_o, .beat_i(beat),
    .tx_valid_o, .tx_data_o, .tx_vc_o(tx_vc), .tx_sop_o, .tx_eop_o, .tx_credit_i
  );
  assign tx_vc_o = tx_vc;
endmodule
