// Crossbar of a router: to each output the flit of the input that it selects, or zeros.
module noc_crossbar
  import noc_pkg::*;
(
  input  flit_t [NumPorts-1:0]               flit_i,
  /// By output: one bit for the input, or none.
  input  logic [NumPorts-1:0][NumPorts-1:0]  select_i,
  output flit_t [NumPorts-1:0]               flit_o
);
  always_comb begin
    for (int unsigned o = 0; o < NumPorts; o++) begin
      flit_o[o] = '0;
      for (int unsigned i = 0; i < NumPorts; i++) begin
        if (Turns[i][o] && select_i[o][i]) flit_o[o] = flit_o[o] | flit_i[i];
      end
    end
  end
endmodule
