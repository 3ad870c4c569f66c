// What is taken comes back once, in its turn, after its completion, with its own data and result: the
// proof follows one place, any one.
module reorder_ring_proof (
  input logic       clk_i,
  input logic       take_i,
  input logic       done_i,
  input logic [1:0] data_i,
  input logic       complete_i,
  input logic [1:0] complete_place_i,
  input logic [1:0] complete_result_i,
  input logic       ready_i,
  input logic       pick_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic       room, take, complete, valid, pop;
  logic [1:0] place, head, data, result;
  logic [3:0] open_q;  // taken and not complete
  assign take     = take_i && room;
  assign complete = complete_i && open_q[complete_place_i];
  assign pop      = valid && ready_i;
  reorder_ring #(.Depth(4), .Width(2), .ResultW(2)) u_ring (
    .clk_i, .rst_ni, .ready_o(room), .place_o(place), .take_i(take), .done_i, .data_i,
    .complete_i(complete), .complete_place_i, .complete_result_i,
    .valid_o(valid), .ready_i, .head_o(head), .data_o(data), .result_o(result)
  );

  logic       followed_q, done_q;
  logic [1:0] place_q, data_q, result_q;
  logic [2:0] level_q, ahead_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0; followed_q <= 1'b0; level_q <= '0; ahead_q <= '0; done_q <= 1'b0;
      place_q <= '0; data_q <= '0; result_q <= '0;
    end else begin
      level_q <= level_q + 3'(take) - 3'(pop);
      if (complete) open_q[complete_place_i] <= 1'b0;
      if (take) open_q[place] <= !done_i;
      if (take && pick_i && !followed_q) begin
        followed_q <= 1'b1;
        place_q    <= place;
        data_q     <= data_i;
        done_q     <= done_i;
        result_q   <= '0;
        ahead_q    <= level_q - 3'(pop);
      end else if (followed_q) begin
        if (complete && complete_place_i == place_q) begin
          done_q   <= 1'b1;
          result_q <= complete_result_i;
        end
        if (pop) begin
          ahead_q <= ahead_q - 3'd1;
          if (ahead_q == '0) followed_q <= 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (level_q <= 3'd4 && room == (level_q != 3'd4));
      assert (!followed_q || ahead_q < level_q);
      if (followed_q && ahead_q == '0) begin
        assert (head == place_q && valid == done_q);  // neither early nor held back
        if (valid) assert (data == data_q && result == result_q);
      end
      if (followed_q) assert (place_q == 2'(head + ahead_q[1:0]));
      if (followed_q && take) assert (place != place_q);  // nobody else gets it
    end
  end
endmodule
