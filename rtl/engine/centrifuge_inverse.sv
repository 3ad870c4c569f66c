// Spreads the low bits of a word over the places that a mask names (PDEP), the inverse of centrifuge;
// combinational. Uses the same routing, from the last level to the first.
module centrifuge_inverse #(
  /// Bits of a word.
  parameter int unsigned Width = 48,
  localparam int unsigned Levels = $clog2(Width)
) (
  input  logic [Width-1:0]             data_i,
  input  logic [Width-1:0]             mask_i,
  input  logic [Levels-1:0][Width-1:0] move_i,
  output logic [Width-1:0]             data_o
);
  always_comb begin
    data_o = data_i;
    for (int i = int'(Levels) - 1; i >= 0; i--) begin
      data_o = (data_o & ~move_i[i]) | ((data_o << (1 << i)) & move_i[i]);
    end
    data_o = data_o & mask_i;
  end
endmodule
