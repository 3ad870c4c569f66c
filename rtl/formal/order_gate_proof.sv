// HyperTransport's ordering, row by row, for any one packet followed through the gate:
//   a non-posted packet or response whose PassPW is clear goes exactly when the posted packets that came
//   before it (those of its own cycle included) are done;
//   one whose PassPW is set never waits for them;
//   a posted packet waits for nobody: the gate has no way to hold it.
module order_gate_proof #(
  /// Posted packets that can be open.
  parameter int unsigned Older = 2
) (
  input logic clk_i,
  input logic older_push_i,
  input logic older_done_i,
  input logic younger_push_i,
  input logic younger_pass_i,
  input logic younger_pop_i,
  input logic pick_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Pushes within the credits given out, and done and pop only of what is there.
  logic       older_push, older_done, younger_push, younger_pop, ok;
  logic [2:0] older_q, younger_q;
  assign older_push   = older_push_i && older_q != 3'(Older);
  assign older_done   = older_done_i && older_q != '0;
  assign younger_push = younger_push_i && younger_q != 3'd2;
  assign younger_pop  = younger_pop_i && ok && younger_q != '0;
  order_gate #(.OlderDepth(Older), .YoungerDepth(2)) u_gate (
    .clk_i, .rst_ni, .older_push_i(older_push), .older_done_i(older_done), .younger_push_i(younger_push),
    .younger_pass_i, .younger_ok_o(ok), .younger_pop_i(younger_pop)
  );

  logic       followed_q, pass_q;
  logic [2:0] before_q, ahead_q;  // posted packets before it, younger ones before it
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      older_q <= '0; younger_q <= '0; followed_q <= 1'b0; pass_q <= 1'b0; before_q <= '0; ahead_q <= '0;
    end else begin
      older_q   <= older_q + 3'(older_push) - 3'(older_done);
      younger_q <= younger_q + 3'(younger_push) - 3'(younger_pop);
      if (younger_push && pick_i && !followed_q) begin
        followed_q <= 1'b1;
        pass_q     <= younger_pass_i;
        before_q   <= older_q + 3'(older_push) - 3'(older_done);
        ahead_q    <= younger_q - 3'(younger_pop);
      end else if (followed_q) begin
        if (older_done && before_q != '0) before_q <= before_q - 3'd1;
        if (younger_pop) begin
          ahead_q <= ahead_q - 3'd1;
          if (ahead_q == '0) followed_q <= 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!followed_q || ahead_q < younger_q);
      assert (!followed_q || before_q <= older_q);
      if (followed_q && ahead_q == '0) assert (ok == (pass_q || before_q == '0));
    end
  end
endmodule
