// Multiplication: operands in one cycle, the product in the next.
//
// Promise: result_o is that of the last start_i, from the cycle behind it on.
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
  // Operands with a bit more, which is the sign or 0.
  logic signed [Xlen:0]     a_q, b_q;
  logic                     high_q, word_q;
  logic signed [2*Xlen+1:0] product;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      a_q    <= {a_i[Xlen-1] && alu_i != AluMulhu, a_i};
      b_q    <= {b_i[Xlen-1] && alu_i == AluMulh, b_i};
      high_q <= alu_i != AluMul;
      word_q <= word_i;
    end
  end

  logic [Xlen-1:0] full;
  assign product = a_q * b_q;
  assign full    = high_q ? product[2*Xlen-1:Xlen] : product[Xlen-1:0];
  if (Xlen == 64) begin : gen_extend
    assign result_o = word_q ? {{32{full[31]}}, full[31:0]} : full;
  end else begin : gen_no_extend
    assign result_o = full;
  end
endmodule
