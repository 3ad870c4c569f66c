// A queue with its head in a register, for readers whose logic begins with what they read: what comes to an
// empty queue enters the register at once, so it takes no cycle more. Holds Depth + 1 words. The place that
// comes next is written in each cycle while there is one, whether a word comes or not: so the store's write
// enable, which is many cells wide, waits for no input.
//
// Invariant: a word accepted comes out once, in order.
module fifo_head #(
  /// Bits of a word.
  parameter int unsigned Width = 8,
  /// Words behind the head; a power of two, at least 2.
  parameter int unsigned Depth = 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// Write side. ready_o does not depend on ready_i.
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  /// Read side.
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  localparam int unsigned PtrW = $clog2(Depth);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_depth_check
    $fatal(1, "fifo_head: Depth must be a power of two and at least 2");
  end

  logic [Width-1:0] mem_q [Depth];
  logic [PtrW-1:0]  wr_q, rd_q;
  logic [PtrW:0]    level_q;       // words behind the head
  logic             valid_q, queued_q, free, push, pop;  // queued_q: the level is not 0
  logic [Width-1:0] data_q;

  assign free    = !valid_q || ready_i;
  assign ready_o = !level_q[PtrW];
  assign push    = valid_i && ready_o && (queued_q || !free);
  assign pop     = queued_q && free;
  assign valid_o = valid_q;
  assign data_o  = data_q;

  always_ff @(posedge clk_i) begin
    if (ready_o) mem_q[wr_q] <= data_i;
    if (free) data_q <= queued_q ? mem_q[rd_q] : data_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      queued_q <= 1'b0;
      wr_q     <= '0;
      rd_q     <= '0;
      level_q  <= '0;
    end else begin
      if (free) valid_q <= queued_q || valid_i;
      if (push) wr_q <= wr_q + PtrW'(1);
      if (pop) rd_q <= rd_q + PtrW'(1);
      if (push != pop) queued_q <= push || level_q != (PtrW + 1)'(1);
      level_q <= level_q + (PtrW + 1)'(push) - (PtrW + 1)'(pop);
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (valid_q || !queued_q);
      assert (queued_q == (level_q != '0));
      assert (level_q <= (PtrW + 1)'(Depth));
      assert (wr_q - rd_q == level_q[PtrW-1:0]);
    end
  end
endmodule
