// Arithmetic of one cycle: everything but multiplication and division. Comparisons give 0 or 1.
module rv_alu
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen = 64
) (
  input  alu_e            alu_i,
  /// The result is one of 32 bits, sign-extended.
  input  logic            word_i,
  input  logic [Xlen-1:0] a_i,
  input  logic [Xlen-1:0] b_i,
  output logic [Xlen-1:0] result_o
);
  localparam int unsigned ShiftW = $clog2(Xlen);

  //////////////////////////
  // Sums and comparisons //
  //////////////////////////

  logic            subtract, less, less_unsigned, equal;
  logic [Xlen:0]   sum;

  assign subtract = alu_i != AluAdd;
  assign sum      = {1'b0, a_i} + {1'b0, subtract ? ~b_i : b_i} + (Xlen+1)'(subtract);
  assign equal    = a_i == b_i;
  // No carry out of a - b: b is the larger.
  assign less_unsigned = !sum[Xlen];
  assign less          = a_i[Xlen-1] == b_i[Xlen-1] ? less_unsigned : a_i[Xlen-1];

  ////////////
  // Shifts //
  ////////////

  // One shifter to the right; to the left it is the same of the mirrored word.
  logic              left, fill;
  logic [ShiftW-1:0] amount;
  logic [Xlen-1:0]   value, shift_in, shifted, mirrored_in, mirrored_out;

  assign left   = alu_i == AluSll;
  assign amount = word_i ? ShiftW'(b_i[4:0]) : b_i[ShiftW-1:0];
  if (Xlen == 64) begin : gen_word
    assign value = !word_i || left ? a_i : {{32{alu_i == AluSra && a_i[31]}}, a_i[31:0]};
  end else begin : gen_no_word
    assign value = a_i;
  end
  for (genvar i = 0; i < int'(Xlen); i++) begin : gen_mirror
    assign mirrored_in[i]  = value[Xlen-1-i];
    assign mirrored_out[i] = shifted[Xlen-1-i];
  end
  assign shift_in = left ? mirrored_in : value;
  assign fill     = alu_i == AluSra && value[Xlen-1];
  logic unused_high;
  assign {unused_high, shifted} = (Xlen+1)'($signed({fill, shift_in}) >>> amount);

  ////////////
  // Result //
  ////////////

  logic [Xlen-1:0] full;

  always_comb begin
    unique case (alu_i)
      AluAdd, AluSub:         full = sum[Xlen-1:0];
      AluSlt:                 full = Xlen'(less);
      AluSltu:                full = Xlen'(less_unsigned);
      AluGe:                  full = Xlen'(!less);
      AluGeu:                 full = Xlen'(!less_unsigned);
      AluEq:                  full = Xlen'(equal);
      AluNe:                  full = Xlen'(!equal);
      AluXor:                 full = a_i ^ b_i;
      AluOr:                  full = a_i | b_i;
      AluAnd:                 full = a_i & b_i;
      AluSll:                 full = mirrored_out;
      AluSrl, AluSra:         full = shifted;
      AluSecond:              full = b_i;
      default:                full = '0;
    endcase
  end

  if (Xlen == 64) begin : gen_extend
    assign result_o = word_i ? {{32{full[31]}}, full[31:0]} : full;
  end else begin : gen_no_extend
    assign result_o = full;
  end
endmodule
