// Places in a ring: taken in order, completed in any order, given back in order.
//
// Invariants: a place has one owner at a time; places come back in the order in which they were taken,
// each once, and only after it was completed.
module reorder_ring #(
  /// Places; a power of two, at least 2.
  parameter int unsigned Depth = 32,
  /// Bits of what the taker leaves with its place, and of what completion adds.
  parameter int unsigned Width = 8,
  parameter int unsigned ResultW = 2,
  localparam int unsigned PlaceW = $clog2(Depth)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  /// The next place; done_i: complete from the beginning, with a result of zero.
  output logic               ready_o,
  output logic [PlaceW-1:0]  place_o,
  input  logic               take_i,
  input  logic               done_i,
  input  logic [Width-1:0]   data_i,
  /// A place that is taken and not complete.
  input  logic               complete_i,
  input  logic [PlaceW-1:0]  complete_place_i,
  input  logic [ResultW-1:0] complete_result_i,
  /// The oldest place, when it is complete.
  output logic               valid_o,
  input  logic               ready_i,
  output logic [PlaceW-1:0]  head_o,
  output logic [Width-1:0]   data_o,
  output logic [ResultW-1:0] result_o
);
  logic [Depth-1:0]              done_q;
  logic [Depth-1:0][ResultW-1:0] result_q;
  logic [Width-1:0]              data_q [Depth];
  logic [PlaceW:0]               wr_q, rd_q;
  logic                          take, pop;

  // The top bits differ and the others do not: full.
  assign ready_o  = (wr_q ^ rd_q) != {1'b1, {PlaceW{1'b0}}};
  assign place_o  = wr_q[PlaceW-1:0];
  assign head_o   = rd_q[PlaceW-1:0];
  assign valid_o  = wr_q != rd_q && done_q[head_o];
  assign data_o   = data_q[head_o];
  assign result_o = result_q[head_o];
  assign take     = take_i && ready_o;
  assign pop      = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (take) data_q[place_o] <= data_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q   <= '0;
      result_q <= '0;
      wr_q     <= '0;
      rd_q     <= '0;
    end else begin
      if (take) begin
        wr_q              <= wr_q + (PlaceW+1)'(1);
        done_q[place_o]   <= done_i;
        result_q[place_o] <= '0;
      end
      if (complete_i) begin
        done_q[complete_place_i]   <= 1'b1;
        result_q[complete_place_i] <= complete_result_i;
      end
      if (pop) rd_q <= rd_q + (PlaceW+1)'(1);
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  logic [PlaceW:0]   level;
  logic [PlaceW-1:0] complete_age;
  assign level        = wr_q - rd_q;
  assign complete_age = complete_place_i - head_o;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (level <= (PlaceW+1)'(Depth));
      assert (!take_i || ready_o);
      assert (!complete_i || ({1'b0, complete_age} < level && !done_q[complete_place_i]));
    end
  end
endmodule
