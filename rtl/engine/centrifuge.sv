// Gathers the bits of a word that a mask names at its low end, in order (PEXT), in two clock cycles.
// The mask's routing is worked out beforehand by centrifuge_control: level i moves bits by 2^i.
module centrifuge #(
  /// Bits of a word.
  parameter int unsigned Width = 48,
  localparam int unsigned Levels = $clog2(Width)
) (
  input  logic                           clk_i,
  /// Holds both stages.
  input  logic                           enable_i,
  input  logic [Width-1:0]               data_i,
  input  logic [Width-1:0]               mask_i,
  /// Bits that each level moves down.
  input  logic [Levels-1:0][Width-1:0]   move_i,
  /// Two cycles later.
  output logic [Width-1:0]               data_o
);
  localparam int unsigned Half = Levels / 2;

  function automatic logic [Width-1:0] levels(logic [Width-1:0] data, logic [Levels-1:0][Width-1:0] move,
                                              int unsigned first, int unsigned last);
    logic [Width-1:0] x;
    x = data;
    for (int unsigned i = 0; i < Levels; i++) begin
      if (i >= first && i < last) x = (x & ~move[i]) | ((x & move[i]) >> (1 << i));
    end
    return x;
  endfunction

  logic [Width-1:0] half_q;

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      half_q <= levels(data_i & mask_i, move_i, 0, Half);
      data_o <= levels(half_q, move_i, Half, Levels);
    end
  end
endmodule
