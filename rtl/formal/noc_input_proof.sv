// Two channels of four flits: for any flits of a sender that keeps to its credits, any grants and any
// choice of who goes, a flit comes out once, in its place, unchanged; its credit goes back then; and a
// packet keeps the output and the channel that it was given. The proof follows one flit, any one.
module noc_input_proof
  import noc_pkg::*;
(
  input logic       clk_i,
  input logic       send_i,
  input logic       channel_i,
  input flit_t      flit_i,
  input logic [1:0] grant_i,
  input logic [1:0] grant_channel_i,
  input logic [1:0] take_i,
  input logic       pick_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic                     valid, credit, credit_channel;
  logic [1:0]               request, offer, tail, grant, take, output_channel;
  logic [1:0][NumPorts-1:0] route, goal;
  flit_t                    flit;
  logic [1:0][2:0]          held_q;     // sent and not given back
  logic [1:0]               inside_q;   // its sender is in the middle of a packet

  assign valid = send_i && held_q[channel_i] != 3'd4 && flit_i.head != inside_q[channel_i];
  assign grant = grant_i & request;
  assign take  = take_i & offer & {!(take_i[0] && offer[0]), 1'b1};
  noc_input #(.PerClass(1), .Depth(4)) u_input (
    .clk_i, .rst_ni, .x_i(3'd3), .y_i(3'd4), .valid_i(valid), .channel_i, .flit_i,
    .credit_valid_o(credit), .credit_channel_o(credit_channel),
    .request_o(request), .route_o(route), .grant_i(grant), .grant_channel_i({grant_channel_i[1], grant_channel_i[0]}),
    .offer_o(offer), .output_o(goal), .output_channel_o(output_channel), .tail_o(tail), .take_i(take), .flit_o(flit)
  );

  // What the sender knows.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= '0;
      inside_q <= '0;
    end else begin
      for (int c = 0; c < 2; c++) begin
        held_q[c] <= held_q[c] + 3'(valid && channel_i == 1'(c)) - 3'(credit && credit_channel == 1'(c));
      end
      if (valid) inside_q[channel_i] <= !flit_i.tail;
    end
  end

  // Flits in the buffer, and the one followed: its channel, how many are before it, what it was.
  logic [1:0][2:0] level_q;
  logic            followed_q, over_q, read_q, its_channel_q;
  logic [2:0]      ahead_q;
  logic [3:0]      mark_q, mark;
  assign mark = {flit_i.head, flit_i.tail, flit_i.data[31], flit_i.data[0]};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q <= '0; followed_q <= 1'b0; over_q <= 1'b0; read_q <= 1'b0; its_channel_q <= 1'b0; ahead_q <= '0; mark_q <= '0;
    end else begin
      for (int c = 0; c < 2; c++) level_q[c] <= level_q[c] + 3'(valid && channel_i == 1'(c)) - 3'(take[c]);
      read_q <= 1'b0;
      if (valid && pick_i && !followed_q && !over_q) begin
        followed_q    <= 1'b1;
        its_channel_q <= channel_i;
        mark_q        <= mark;
        ahead_q       <= level_q[channel_i] - 3'(take[channel_i]);
      end else if (followed_q && take[its_channel_q]) begin
        ahead_q <= ahead_q - 3'd1;
        if (ahead_q == '0) begin
          followed_q <= 1'b0;
          over_q     <= 1'b1;
          read_q     <= 1'b1;
        end
      end
    end
  end
  // The packet at the head of each channel: whether it was given something, and what.
  logic [1:0]               owns_q, owned_channel_q;
  logic [1:0][NumPorts-1:0] owned_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owns_q <= '0; owned_channel_q <= '0; owned_q <= '0;
    end else begin
      for (int c = 0; c < 2; c++) begin
        if (grant[c]) begin
          owns_q[c]          <= 1'b1;
          owned_q[c]         <= route[c];
          owned_channel_q[c] <= grant_channel_i[c];
        end else if (take[c] && tail[c]) begin
          owns_q[c] <= 1'b0;
        end
      end
    end
  end
  logic [1:0] took_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) took_q <= '0;
    else took_q <= take;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int c = 0; c < 2; c++) begin
        assert (held_q[c] == level_q[c] + 3'(took_q[c]) && held_q[c] <= 3'd4);   // none lost, none doubled
        assert ((credit && credit_channel == 1'(c)) == took_q[c]);
        assert (!offer[c] || (owns_q[c] && level_q[c] != '0));
        assert (!owns_q[c] || (goal[c] == owned_q[c] && output_channel[c] == owned_channel_q[c]));
        assert (request[c] == (!owns_q[c] && level_q[c] != '0));                  // nobody waits unheard
      end
      assert (!read_q || {flit.head, flit.tail, flit.data[31], flit.data[0]} == mark_q);
      if (followed_q && ahead_q == '0) assert (tail[its_channel_q] == mark_q[2]);
      assert (!followed_q || level_q[its_channel_q] > ahead_q);
    end
  end
endmodule
