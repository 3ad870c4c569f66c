// A whole router, a channel a class, two flits each, links that give credits back at any time: on each
// channel of each link out packets are whole; a flit that is followed (any one, of any input) leaves once,
// at the output of its packet, in its class; no more comes out than went in.
module noc_router_proof
  import noc_pkg::*;
(
  input logic                 clk_i,
  input logic [NumPorts-1:0]  valid_i,
  input logic [NumPorts-1:0]  channel_i,
  input flit_t [NumPorts-1:0] flit_i,
  input logic [NumPorts-1:0]  credit_i,
  input logic [NumPorts-1:0]  credit_channel_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic  [NumPorts-1:0]           valid, out_valid, out_channel, credit_back, credit_channel_back, credit;
  flit_t [NumPorts-1:0]           flit, out_flit;
  logic  [NumPorts-1:0][1:0][1:0] in_q, out_q;        // flits on this side and on the other, by port and channel
  logic  [NumPorts-1:0][1:0]      inside_q, open_q;   // packets under way into it and out of it
  port_e [NumPorts-1:0]           route;
  port_e [NumPorts-1:0][1:0]      route_q;            // of the packet that comes in
  // The followed flit carries data bit 31, and no other does.
  logic  [NumPorts-1:0]           marked, marked_out, right;
  logic                           sent_q, gone_q, its_class_q;
  port_e                          its_output_q;

  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_port
    noc_route u_route (.x_i(3'd1), .y_i(3'd1), .header_i(flit_i[p].data), .port_o(route[p]));
    // Senders keep to credits, packets and turns.
    assign right[p] = Turns[p][flit_i[p].head ? route[p] : route_q[p][channel_i[p]]];
    assign valid[p] = valid_i[p] && in_q[p][channel_i[p]] != 2'd2 && flit_i[p].head != inside_q[p][channel_i[p]] && right[p];
    always_comb begin
      flit[p]          = flit_i[p];
      flit[p].data[31] = marked[p];
    end
    assign marked_out[p] = out_valid[p] && out_flit[p].data[31];
    assign credit[p]     = credit_i[p] && out_q[p][credit_channel_i[p]] != '0;
  end
  always_comb begin
    marked = '0;
    for (int p = 0; p < int'(NumPorts); p++) begin
      if (valid[p] && flit_i[p].data[31] && !sent_q && marked == '0) marked[p] = 1'b1;
    end
  end
  noc_router #(.PerClass(1), .Depth(2)) u_router (
    .clk_i, .rst_ni, .x_i(3'd1), .y_i(3'd1),
    .valid_i(valid), .channel_i, .flit_i(flit), .credit_valid_o(credit_back), .credit_channel_o(credit_channel_back),
    .valid_o(out_valid), .channel_o(out_channel), .flit_o(out_flit), .credit_valid_i(credit), .credit_channel_i
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q <= '0; out_q <= '0; inside_q <= '0; open_q <= '0; sent_q <= 1'b0; gone_q <= 1'b0;
    end else begin
      for (int p = 0; p < int'(NumPorts); p++) begin
        for (int c = 0; c < 2; c++) begin
          in_q[p][c]  <= in_q[p][c] + 2'(valid[p] && channel_i[p] == 1'(c)) -
                         2'(credit_back[p] && credit_channel_back[p] == 1'(c));
          out_q[p][c] <= out_q[p][c] + 2'(out_valid[p] && out_channel[p] == 1'(c)) -
                         2'(credit[p] && credit_channel_i[p] == 1'(c));
        end
        if (valid[p]) inside_q[p][channel_i[p]] <= !flit_i[p].tail;
        if (out_valid[p]) open_q[p][out_channel[p]] <= !out_flit[p].tail;
      end
      if (marked != '0) sent_q <= 1'b1;
      if (marked_out != '0) gone_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int p = 0; p < int'(NumPorts); p++) begin
      if (valid[p] && flit_i[p].head) route_q[p][channel_i[p]] <= route[p];
      if (marked[p]) begin
        its_output_q <= flit_i[p].head ? route[p] : route_q[p][channel_i[p]];
        its_class_q  <= channel_i[p];
      end
    end
  end
  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!out_valid[p] || out_flit[p].head != open_q[p][out_channel[p]]);
        assert (!out_valid[p] || out_q[p][out_channel[p]] != 2'd2);
        assert (!marked_out[p] || (sent_q && !gone_q && its_output_q == port_e'(p) && its_class_q == out_channel[p]));
        assert (!credit_back[p] || in_q[p][credit_channel_back[p]] != '0);
      end
    end
  end
  always_ff @(posedge clk_i) if (rst_ni) assert ((marked_out & (marked_out - NumPorts'(1))) == '0);
endmodule
