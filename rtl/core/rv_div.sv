// Division, a bit a cycle: as many cycles as the dividend has bits, of 8, 16, 32 and 64, and one.
//
// request_i is held with its operands until done_o; withdrawn before, the division is given up. Division by zero
// gives all ones and the dividend, the one overflow the dividend and 0, which comes out of the algorithm by itself.
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
  localparam int unsigned CountW = $clog2(Xlen) + 1;

  logic              is_signed, remainder, negative_a, negative_b;
  logic [Xlen-1:0]   a, b, magnitude_a, magnitude_b;
  logic              busy_q;
  logic [CountW-1:0] left_q;      // bits to go
  logic [Xlen-1:0]   rest_q, quotient_q;
  logic [Xlen:0]     difference;

  assign is_signed = alu_i == AluDiv || alu_i == AluRem;
  assign remainder = alu_i == AluRem || alu_i == AluRemu;
  if (Xlen == 64) begin : gen_word
    assign a = word_i ? {{32{is_signed && a_i[31]}}, a_i[31:0]} : a_i;
    assign b = word_i ? {{32{is_signed && b_i[31]}}, b_i[31:0]} : b_i;
  end else begin : gen_no_word
    assign a = a_i;
    assign b = b_i;
  end
  assign negative_a  = is_signed && a[Xlen-1];
  assign negative_b  = is_signed && b[Xlen-1];
  assign magnitude_a = negative_a ? -a : a;
  assign magnitude_b = negative_b ? -b : b;

  // Upper halves of the dividend that are 0 are left out.
  logic [CountW-1:0] width;
  always_comb begin
    width = CountW'(Xlen);
    if (Xlen == 64 && (magnitude_a >> 32) == '0) width = CountW'(32);
    if ((magnitude_a >> 16) == '0) width = CountW'(16);
    if ((magnitude_a >> 8) == '0) width = CountW'(8);
  end

  // The rest takes in the next bit of the dividend, which leaves the quotient's register at its upper end.
  assign difference = {rest_q, quotient_q[Xlen-1]} - {1'b0, magnitude_b};
  assign done_o     = busy_q && left_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= request_i && !done_o;
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      left_q     <= width;
      rest_q     <= '0;
      // Its bits stand at the upper end.
      quotient_q <= magnitude_a << (CountW'(Xlen) - width);
    end else if (!done_o) begin
      left_q     <= left_q - CountW'(1);
      rest_q     <= difference[Xlen] ? {rest_q[Xlen-2:0], quotient_q[Xlen-1]} : difference[Xlen-1:0];
      quotient_q <= {quotient_q[Xlen-2:0], !difference[Xlen]};
    end
  end

  logic [Xlen-1:0] quotient, rest, full;
  // By zero all ones, whatever the signs.
  assign quotient = b == '0 ? '1 : negative_a ^ negative_b ? -quotient_q : quotient_q;
  assign rest     = negative_a ? -rest_q : rest_q;
  assign full     = remainder ? rest : quotient;
  if (Xlen == 64) begin : gen_extend
    assign result_o = word_i ? {{32{full[31]}}, full[31:0]} : full;
  end else begin : gen_no_extend
    assign result_o = full;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni && done_o && b != '0) begin
      assert (rest_q < magnitude_b);
    end
  end
endmodule
