// What stands for the multiplier in proofs of the core: the same time, and instead of the product something of operands and
// operation that is easily compared.
module rv_mul
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen = 64
) (
  input  logic            clk_i,
  input  logic            start_i,
  input  alu_e            alu_i,
  input  logic            word_i,
  input  logic [Xlen-1:0] a_i,
  input  logic [Xlen-1:0] b_i,
  output logic [Xlen-1:0] result_o
);
  always_ff @(posedge clk_i) if (start_i) result_o <= core_spec_pkg::stand_in(alu_i, word_i, a_i, b_i);
endmodule
