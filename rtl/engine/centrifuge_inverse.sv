// Spreads the low bits of a word over the places that a mask names (PDEP), the inverse of centrifuge, in
// three clock cycles at most. Uses the same routing, from the last level to the first.
module centrifuge_inverse #(
  /// Bits of a word.
  parameter int unsigned Width = 48,
  localparam int unsigned Levels = $clog2(Width)
) (
  input  logic                         clk_i,
  input  logic [Width-1:0]             data_i,
  input  logic [Width-1:0]             mask_i,
  input  logic [Levels-1:0][Width-1:0] move_i,
  /// (Levels + 1) / 2 cycles later.
  output logic [Width-1:0]             data_o
);
  // Two levels a cycle.
  localparam int unsigned Stages = (Levels + 1) / 2;

  logic [Width-1:0] data_q [Stages];

  assign data_o = data_q[0];
  for (genvar s = 0; s < int'(Stages); s++) begin : gen_stage
    logic [Width-1:0] spread;
    always_comb begin
      if (s + 1 < int'(Stages)) spread = data_q[(s + 1) % int'(Stages)];
      else spread = data_i;
      for (int i = 2 * s + 1; i >= 2 * s; i--) begin
        if (i < int'(Levels)) spread = (spread & ~move_i[i]) | ((spread << (1 << i)) & move_i[i]);
      end
      if (s == 0) spread = spread & mask_i;
    end
    always_ff @(posedge clk_i) data_q[s] <= spread;
  end
endmodule
