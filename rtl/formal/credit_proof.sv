// Credits are conserved between a sender and any receiver that returns what it got: those held, those
// in use and those on their way back are as many as were given out. So the receiver never overflows.
module credit_proof (
  input logic clk_i,
  input logic send_i,
  input logic free_i,    // the receiver is done with one
  input logic arrive_i   // a credit under way arrives
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic       some;
  logic [2:0] count;
  logic [2:0] there_q, back_q;
  credit_sender #(.Initial(5)) u_credit (
    .clk_i, .rst_ni, .use_i(send_i && some), .return_i(arrive_i && back_q != 0), .some_o(some), .count_o(count)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      there_q <= '0;
      back_q  <= '0;
    end else begin
      there_q <= there_q + 3'(send_i && some) - 3'(free_i && there_q != 0);
      back_q  <= back_q + 3'(free_i && there_q != 0) - 3'(arrive_i && back_q != 0);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (4'(count) + 4'(there_q) + 4'(back_q) == 4'd5);
      assert (there_q <= 3'd5);
      assert (some == (4'(there_q) + 4'(back_q) < 4'd5));  // none held back
    end
  end
endmodule
