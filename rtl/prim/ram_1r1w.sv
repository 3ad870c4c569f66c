// Memory with one write and one read port; the read takes a clock edge, so it becomes block RAM.
// A read of the word that the same edge writes returns what was there before, or anything on parts
// whose block RAM does not say: users must not depend on it.
module ram_1r1w #(
  /// Bits of a word.
  parameter int unsigned Width = 8,
  /// Words.
  parameter int unsigned Depth = 16,
  localparam int unsigned AddrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             wr_valid_i,
  input  logic [AddrW-1:0] wr_addr_i,
  input  logic [Width-1:0] wr_data_i,
  /// The output keeps its value while this is low.
  input  logic             rd_valid_i,
  input  logic [AddrW-1:0] rd_addr_i,
  output logic [Width-1:0] rd_data_o
);
  // Read and written at once: anything. So synthesis puts nothing behind the block RAM.
  (* no_rw_check *) logic [Width-1:0] mem_q [Depth];

  always_ff @(posedge clk_i) begin
    if (wr_valid_i) mem_q[wr_addr_i] <= wr_data_i;
    if (rd_valid_i) rd_data_o <= mem_q[rd_addr_i];
  end
endmodule
