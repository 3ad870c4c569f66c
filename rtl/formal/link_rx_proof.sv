// Whatever words come, right or wrong: for each packet that begins on a channel its credit goes back
// once, by the queue it was handed to or as thrown away; and data is either committed with a header or
// taken back.
module link_rx_proof
  import ht_pkg::*;
  import engine_pkg::*;
(
  input logic        clk_i,
  input logic        valid_i,
  input logic [31:0] data_i,
  input logic [1:0]  vc_i,
  input logic        sop_i,
  input logic        eop_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumVc-1:0] data_valid, header_valid, abort, discard;
  logic [63:0]      data;
  net_header_t      header;
  logic [3:0]       beats;
  logic             malformed, misrouted;
  link_rx u_rx (
    .clk_i, .rst_ni, .node_id_i(16'd5), .rx_valid_i(valid_i), .rx_data_i(data_i), .rx_vc_i(vc_i), .rx_sop_i(sop_i),
    .rx_eop_i(eop_i), .data_valid_o(data_valid), .data_o(data), .header_valid_o(header_valid), .header_o(header),
    .beats_o(beats), .abort_o(abort), .discard_o(discard), .malformed_o(malformed), .misrouted_o(misrouted)
  );

  // Packets whose credit is owed: begun, and not handed over or thrown away. One more cycle may be
  // needed when a packet ends inside another one.
  logic [NumVc-1:0][2:0] owed_q;
  logic [NumVc-1:0][4:0] loose_q;  // beats written and neither committed nor taken back
  logic [1:0]            vc_q;
  logic                  inside_q;
  logic [2:0]            quiet_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q <= '0; loose_q <= '0; inside_q <= 1'b0; vc_q <= '0; quiet_q <= '0;
    end else begin
      for (int v = 0; v < 3; v++) begin
        owed_q[v] <= owed_q[v] + 3'(valid_i && sop_i && vc_i == 2'(v)) - 3'(header_valid[v]) - 3'(discard[v]);
        loose_q[v] <= header_valid[v] || abort[v] ? '0 : loose_q[v] + 5'(data_valid[v]);
      end
      if (valid_i) begin
        inside_q <= (sop_i || inside_q) && !eop_i;
        if (sop_i) vc_q <= vc_i;
      end
      quiet_q <= valid_i ? '0 : quiet_q == '1 ? quiet_q : quiet_q + 3'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int v = 0; v < 3; v++) begin
        assert (owed_q[v] <= 3'd3);
        if (quiet_q >= 3'd3) assert (owed_q[v] == 3'(inside_q && vc_q == 2'(v)));
        if (quiet_q >= 3'd3 && !inside_q) assert (loose_q[v] == '0);
        // A header comes with as many beats as it says, this cycle's included.
        if (header_valid[v]) assert (loose_q[v] + 5'(data_valid[v]) == 5'(beats));
        assert (loose_q[v] <= 5'd8);
      end
    end
  end
endmodule
