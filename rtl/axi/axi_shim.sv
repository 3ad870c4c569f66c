// The engine's host side as AXI4: a subordinate port whose loads and stores reach other nodes, and a
// master port to the memory that other nodes reach. The master port must lead to memory only, never
// back to the subordinate port: posted writes would then wait for each other in a circle.
//
//   s_axi  axi_write --+--> P           P  --> axi_store --+-> m_axi
//                      +--> NP          NP --> axi_load  --+
//          axi_read  --+                       |
//          ^-- axi_responses <-- R      R <----+
module axi_shim
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Bits of the subordinate's IDs.
  parameter int unsigned IdW = 4,
  /// Posted writes of others that may be open in the memory: more than 1 needs a memory in which
  /// writes of one ID become visible in order.
  parameter int unsigned PostedInFlight = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  /// AXI4 subordinate.
  input  logic             s_axi_awvalid,
  output logic             s_axi_awready,
  input  logic [IdW-1:0]   s_axi_awid,
  input  logic [AddrW-1:0] s_axi_awaddr,
  input  logic [7:0]       s_axi_awlen,
  input  logic [2:0]       s_axi_awsize,
  input  logic [1:0]       s_axi_awburst,
  input  logic [3:0]       s_axi_awcache,
  input  logic             s_axi_wvalid,
  output logic             s_axi_wready,
  input  logic [63:0]      s_axi_wdata,
  input  logic [7:0]       s_axi_wstrb,
  input  logic             s_axi_wlast,
  output logic             s_axi_bvalid,
  input  logic             s_axi_bready,
  output logic [IdW-1:0]   s_axi_bid,
  output logic [1:0]       s_axi_bresp,
  input  logic             s_axi_arvalid,
  output logic             s_axi_arready,
  input  logic [IdW-1:0]   s_axi_arid,
  input  logic [AddrW-1:0] s_axi_araddr,
  input  logic [7:0]       s_axi_arlen,
  input  logic [2:0]       s_axi_arsize,
  input  logic [1:0]       s_axi_arburst,
  output logic             s_axi_rvalid,
  input  logic             s_axi_rready,
  output logic [IdW-1:0]   s_axi_rid,
  output logic [63:0]      s_axi_rdata,
  output logic [1:0]       s_axi_rresp,
  output logic             s_axi_rlast,

  /// AXI4 master: bursts of 64-bit words within a line of 64 B, IDs 0 and 1.
  output logic             m_axi_awvalid,
  input  logic             m_axi_awready,
  output logic [0:0]       m_axi_awid,
  output logic [AddrW-1:0] m_axi_awaddr,
  output logic [7:0]       m_axi_awlen,
  output logic [2:0]       m_axi_awsize,
  output logic [1:0]       m_axi_awburst,
  output logic             m_axi_wvalid,
  input  logic             m_axi_wready,
  output logic [63:0]      m_axi_wdata,
  output logic [7:0]       m_axi_wstrb,
  output logic             m_axi_wlast,
  input  logic             m_axi_bvalid,
  output logic             m_axi_bready,
  input  logic [0:0]       m_axi_bid,
  input  logic [1:0]       m_axi_bresp,
  output logic             m_axi_arvalid,
  input  logic             m_axi_arready,
  output logic [0:0]       m_axi_arid,
  output logic [AddrW-1:0] m_axi_araddr,
  output logic [7:0]       m_axi_arlen,
  output logic [2:0]       m_axi_arsize,
  output logic [1:0]       m_axi_arburst,
  input  logic             m_axi_rvalid,
  output logic             m_axi_rready,
  input  logic [0:0]       m_axi_rid,
  input  logic [63:0]      m_axi_rdata,
  input  logic [1:0]       m_axi_rresp,
  input  logic             m_axi_rlast,
  /// The memory refused a posted write of another node.
  output logic             posted_error_o,

  /// To the engine's host side, by channel; credits of it.
  output logic [NumVc-1:0]           tx_cmd_valid_o,
  output logic [NumVc-1:0][CmdW-1:0] tx_cmd_o,
  output logic [NumVc-1:0]           tx_data_valid_o,
  output logic [NumVc-1:0][63:0]     tx_data_o,
  input  logic [NumVc-1:0]           tx_cmd_credit_i,
  input  logic [NumVc-1:0]           tx_data_credit_i,
  /// From it.
  input  logic [NumVc-1:0]           rx_cmd_valid_i,
  input  logic [NumVc-1:0][CmdW-1:0] rx_cmd_i,
  input  logic [NumVc-1:0]           rx_data_valid_i,
  input  logic [NumVc-1:0][63:0]     rx_data_i,
  output logic [NumVc-1:0]           rx_cmd_credit_o,
  output logic [NumVc-1:0]           rx_data_credit_o
);
  localparam int unsigned Depth  = 32;  // reads, and non-posted writes, under way
  localparam int unsigned PlaceW = $clog2(Depth);
  localparam int unsigned P = 0, NP = 1, R = 2;

  /////////////////
  // Subordinate //
  /////////////////

  logic [NumVc-1:0]       tx_valid, tx_ready;
  host_beat_t [NumVc-1:0] tx_beat;
  host_beat_t             write_beat, read_beat;
  logic                   write_np_valid, write_np_ready, write_last, read_valid, read_ready;
  logic                   word_valid, read_complete, write_complete, unused_np_last;
  logic [PlaceW-1:0]      word_place, place;
  logic [2:0]             word_index;
  logic [63:0]            word;
  logic [1:0]             resp;

  axi_write #(.IdW(IdW), .Depth(Depth)) u_write (
    .clk_i, .rst_ni,
    .aw_valid_i(s_axi_awvalid), .aw_ready_o(s_axi_awready), .aw_id_i(s_axi_awid), .aw_addr_i(s_axi_awaddr),
    .aw_len_i(s_axi_awlen), .aw_size_i(s_axi_awsize), .aw_burst_i(s_axi_awburst),
    .aw_bufferable_i(s_axi_awcache[0]),
    .w_valid_i(s_axi_wvalid), .w_ready_o(s_axi_wready), .w_data_i(s_axi_wdata), .w_strb_i(s_axi_wstrb),
    .w_last_i(s_axi_wlast), .b_valid_o(s_axi_bvalid), .b_ready_i(s_axi_bready), .b_id_o(s_axi_bid),
    .b_resp_o(s_axi_bresp),
    .posted_valid_o(tx_valid[P]), .posted_ready_i(tx_ready[P]), .nonposted_valid_o(write_np_valid),
    .nonposted_ready_i(write_np_ready), .beat_o(write_beat), .last_o(write_last),
    .complete_i(write_complete), .complete_place_i(place), .complete_resp_i(resp)
  );
  axi_read #(.IdW(IdW), .Depth(Depth)) u_read (
    .clk_i, .rst_ni,
    .ar_valid_i(s_axi_arvalid), .ar_ready_o(s_axi_arready), .ar_id_i(s_axi_arid), .ar_addr_i(s_axi_araddr),
    .ar_len_i(s_axi_arlen), .ar_size_i(s_axi_arsize), .ar_burst_i(s_axi_arburst),
    .r_valid_o(s_axi_rvalid), .r_ready_i(s_axi_rready), .r_id_o(s_axi_rid), .r_data_o(s_axi_rdata),
    .r_resp_o(s_axi_rresp), .r_last_o(s_axi_rlast),
    .valid_o(read_valid), .ready_i(read_ready), .beat_o(read_beat),
    .word_valid_i(word_valid), .word_place_i(word_place), .word_index_i(word_index), .word_i(word),
    .complete_i(read_complete), .complete_place_i(place), .complete_resp_i(resp)
  );
  axi_responses #(.Depth(Depth)) u_responses (
    .clk_i, .rst_ni, .cmd_valid_i(rx_cmd_valid_i[R]), .cmd_i(rx_cmd_i[R]), .data_valid_i(rx_data_valid_i[R]),
    .data_i(rx_data_i[R]), .cmd_credit_o(rx_cmd_credit_o[R]), .data_credit_o(rx_data_credit_o[R]),
    .word_valid_o(word_valid), .word_place_o(word_place), .word_index_o(word_index), .word_o(word),
    .read_complete_o(read_complete), .write_complete_o(write_complete), .place_o(place), .resp_o(resp)
  );
  assign tx_beat[P] = write_beat;
  packet_mux #(.N(2), .Width(HostBeatW)) u_nonposted (
    .clk_i, .rst_ni, .valid_i({read_valid, write_np_valid}), .ready_o({read_ready, write_np_ready}),
    .data_i({read_beat, write_beat}), .last_i({1'b1, write_last}),
    .valid_o(tx_valid[NP]), .ready_i(tx_ready[NP]), .data_o(tx_beat[NP]), .last_o(unused_np_last)
  );

  ////////////
  // Master //
  ////////////

  axi_target #(.PostedInFlight(PostedInFlight)) u_target (
    .clk_i, .rst_ni,
    .cmd_valid_i(rx_cmd_valid_i[NP:P]), .cmd_i(rx_cmd_i[NP:P]), .data_valid_i(rx_data_valid_i[NP:P]),
    .data_i(rx_data_i[NP:P]), .cmd_credit_o(rx_cmd_credit_o[NP:P]), .data_credit_o(rx_data_credit_o[NP:P]),
    .aw_valid_o(m_axi_awvalid), .aw_ready_i(m_axi_awready), .aw_id_o(m_axi_awid), .aw_addr_o(m_axi_awaddr),
    .aw_len_o(m_axi_awlen), .w_valid_o(m_axi_wvalid), .w_ready_i(m_axi_wready), .w_data_o(m_axi_wdata),
    .w_strb_o(m_axi_wstrb), .w_last_o(m_axi_wlast), .b_valid_i(m_axi_bvalid), .b_ready_o(m_axi_bready),
    .b_id_i(m_axi_bid), .b_resp_i(m_axi_bresp),
    .ar_valid_o(m_axi_arvalid), .ar_ready_i(m_axi_arready), .ar_addr_o(m_axi_araddr), .ar_len_o(m_axi_arlen),
    .r_valid_i(m_axi_rvalid), .r_ready_o(m_axi_rready), .r_data_i(m_axi_rdata), .r_resp_i(m_axi_rresp),
    .r_last_i(m_axi_rlast), .posted_error_o,
    .valid_o(tx_valid[R]), .ready_i(tx_ready[R]), .beat_o(tx_beat[R])
  );
  assign m_axi_awsize  = 3'd3;
  assign m_axi_awburst = 2'd1;  // incrementing
  assign m_axi_arid    = 1'b0;
  assign m_axi_arsize  = 3'd3;
  assign m_axi_arburst = 2'd1;

  ///////////////////
  // To the engine //
  ///////////////////

  for (genvar v = 0; v < int'(NumVc); v++) begin : gen_tx
    host_tx u_tx (
      .clk_i, .rst_ni, .valid_i(tx_valid[v]), .ready_o(tx_ready[v]), .beat_i(tx_beat[v]),
      .cmd_valid_o(tx_cmd_valid_o[v]), .cmd_o(tx_cmd_o[v]), .data_valid_o(tx_data_valid_o[v]),
      .data_o(tx_data_o[v]), .cmd_credit_i(tx_cmd_credit_i[v]), .data_credit_i(tx_data_credit_i[v])
    );
  end
endmodule
