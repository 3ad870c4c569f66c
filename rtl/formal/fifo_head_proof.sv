// A word accepted comes out once, in its place, unchanged; what is offered stays; five words find room, and
// one that comes to an empty queue is there in the next cycle. The proof follows one word, any one.
module fifo_head_proof (
  input logic       clk_i,
  input logic       valid_i,
  input logic       ready_i,
  input logic [3:0] data_i,
  input logic       pick_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic       ready, valid;
  logic [3:0] data;
  fifo_head #(.Width(4), .Depth(4)) u_fifo (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data)
  );
  logic       followed_q, over_q;
  logic [2:0] ahead_q, count_q;  // count_q: words put in and not taken out
  logic [3:0] word_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      followed_q <= 1'b0; over_q <= 1'b0; ahead_q <= '0; word_q <= '0; count_q <= '0;
    end else begin
      count_q <= count_q + 3'(valid_i && ready) - 3'(valid && ready_i);
      if (valid_i && ready && pick_i && !followed_q && !over_q) begin
        followed_q <= 1'b1;
        word_q     <= data_i;
        ahead_q    <= count_q - 3'(valid && ready_i);
      end else if (followed_q && valid && ready_i) begin
        ahead_q <= ahead_q - 3'd1;
        if (ahead_q == 0) begin
          followed_q <= 1'b0;
          over_q     <= 1'b1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!followed_q || count_q > ahead_q);
      assert (ready == (count_q != 3'd5) && valid == (count_q != '0));
      if (followed_q && ahead_q == 0) assert (valid && data == word_q);
    end
  end
endmodule
