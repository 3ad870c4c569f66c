// What stands for the divider in proofs of the core: any time, and instead of the quotient something of operands and operation
// that is easily compared. Operands and operation have to stay while it is asked.
module rv_div
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen = 64
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            request_i,
  input  alu_e            alu_i,
  input  logic            word_i,
  input  logic [Xlen-1:0] a_i,
  input  logic [Xlen-1:0] b_i,
  output logic            done_o,
  output logic [Xlen-1:0] result_o
);
  // Nobody drives it: it starts anywhere.
  logic [3:0] left_q;
  logic       busy_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= request_i && !done_o;
  end
  always_ff @(posedge clk_i) begin
    left_q <= busy_q ? left_q - 4'd1 : {a_i[2:0] ^ b_i[2:0], 1'b1};
    if (!busy_q) result_o <= core_spec_pkg::stand_in(alu_i, word_i, a_i, b_i);
  end
  assign done_o = busy_q && left_q == '0;
endmodule
