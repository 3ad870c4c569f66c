// Works out a mask's routing for the centrifuge, one level every two cycles (parity, then its use): a bit must move down by the number
// of zeros below it, and level i moves it if bit i of that number is set. The parity of the zeros
// below each place gives one bit of all the numbers; the zeros that remain are every second one.
//
// Invariant: ready_o is high exactly when move_o belongs to mask_i.
module centrifuge_control #(
  /// Bits of a word.
  parameter int unsigned Width = 48,
  localparam int unsigned Levels = $clog2(Width)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic [Width-1:0]             mask_i,
  output logic [Levels-1:0][Width-1:0] move_o,
  output logic                         ready_o
);
  localparam int unsigned StepW = $clog2(Levels + 1);

  logic [Width-1:0]  of_mask_q;              // the mask that is being worked on
  logic [Width-1:0]  rest_q, zeros_q;        // the mask after the levels so far; its zeros, shifted
  logic [StepW-1:0]  step_q;
  logic [Levels-1:0][Width-1:0] move_q;
  logic [Width-1:0]  parity, parity_q, move, rest_d;
  logic              restart_q, use_q;

  always_comb begin
    parity = zeros_q;
    for (int unsigned i = 0; i < Levels; i++) parity = parity ^ (parity << (1 << i));
  end
  assign move    = parity_q & rest_q;
  assign rest_d  = (rest_q ^ move) | (move >> (1 << step_q));
  assign ready_o = of_mask_q == mask_i && step_q == StepW'(Levels);
  assign move_o  = move_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      of_mask_q <= '0;
      restart_q <= 1'b0;
      rest_q    <= '0;
      zeros_q   <= '0;
      use_q     <= 1'b0;
      parity_q  <= '0;
      step_q    <= StepW'(Levels);  // the routing of an empty mask is empty
      move_q    <= '0;
    end else begin
      // The comparison of masks has a cycle of its own: a change is begun twice, and what was done of the
      // old mask meanwhile belongs to of_mask_q, too.
      restart_q <= of_mask_q != mask_i;
      if (restart_q) begin
        of_mask_q <= mask_i;
        rest_q    <= mask_i;
        zeros_q   <= ~mask_i << 1;
        step_q    <= '0;
        use_q     <= 1'b0;
      end else if (!use_q) begin
        parity_q <= parity;
        use_q    <= step_q != StepW'(Levels);
      end else begin
        use_q          <= 1'b0;
        move_q[step_q] <= move;
        rest_q         <= rest_d;
        zeros_q        <= zeros_q & ~parity_q;
        step_q         <= step_q + StepW'(1);
      end
    end
  end
endmodule
