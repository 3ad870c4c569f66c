// First-in first-out queue, fall-through: what is at the head is visible without asking. The store is
// read without a clock edge, so it becomes distributed RAM; prim ram_1r1w is for what is deep.
//
// Invariants: a word accepted comes out once, in order; the level never passes Depth.
module fifo #(
  /// Bits of a word.
  parameter int unsigned Width = 8,
  /// Words; a power of two, at least 2.
  parameter int unsigned Depth = 4,
  localparam int unsigned LevelW = $clog2(Depth) + 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  /// Write side. ready_o does not depend on ready_i: a full queue accepts nothing, even if popped.
  input  logic              valid_i,
  output logic              ready_o,
  input  logic [Width-1:0]  data_i,
  /// Read side.
  output logic              valid_o,
  input  logic              ready_i,
  output logic [Width-1:0]  data_o,
  /// Words held.
  output logic [LevelW-1:0] level_o
);
  localparam int unsigned PtrW = LevelW - 1;

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_depth_check
    $fatal(1, "fifo: Depth must be a power of two and at least 2");
  end

  logic [Width-1:0]  mem_q [Depth];
  logic [PtrW-1:0]   wr_q, rd_q;
  logic [LevelW-1:0] level_q;
  logic              push, pop;

  assign push    = valid_i & ready_o;
  assign pop     = valid_o & ready_i;
  assign ready_o = level_q != LevelW'(Depth);
  assign valid_o = level_q != '0;
  assign data_o  = mem_q[rd_q];
  assign level_o = level_q;

  always_ff @(posedge clk_i) begin
    if (push) mem_q[wr_q] <= data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_q    <= '0;
      rd_q    <= '0;
      level_q <= '0;
    end else begin
      if (push) wr_q <= wr_q + PtrW'(1);
      if (pop) rd_q <= rd_q + PtrW'(1);
      level_q <= level_q + LevelW'(push) - LevelW'(pop);
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (level_q <= LevelW'(Depth));
      assert (wr_q - rd_q == level_q[PtrW-1:0]);
    end
  end
endmodule
