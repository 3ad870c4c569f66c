// Target: may this origin do this to this line? A request is allowed if one window holds its line, has
// the right, and names its origin. A request never leaves its line.
//
// Two steps, a register of the user between them: which windows hold line and origin, and whether one
// of those gives the right.
module window_check
  import engine_pkg::*;
(
  input  window_t [NumWindows-1:0] window_i,
  /// First step.
  input  logic [NodeW-1:0]         origin_i,
  input  logic [AddrW-1:0]         addr_i,
  output logic [NumWindows-1:0]    inside_o,
  /// Second step.
  input  logic [NumWindows-1:0]    inside_i,
  input  logic                     read_i,
  input  logic                     write_i,
  input  logic                     atomic_i,
  output logic                     ok_o
);
  logic [AddrW-7:0] line;
  logic [5:0]       unused_offset;
  assign {line, unused_offset} = addr_i;

  always_comb begin
    ok_o = 1'b0;
    for (int unsigned i = 0; i < NumWindows; i++) begin
      inside_o[i] = window_i[i].valid && line >= window_i[i].first && line <= window_i[i].last &&
                    origin_i >= window_i[i].origin_first && origin_i <= window_i[i].origin_last;
      if (inside_i[i] && (!read_i || window_i[i].read) && (!write_i || window_i[i].write) &&
          (!atomic_i || window_i[i].atomic)) begin
        ok_o = 1'b1;
      end
    end
  end
endmodule
