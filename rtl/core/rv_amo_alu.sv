// What an atomic operation leaves in memory, and whether a compare-and-swap or a store-conditional finds what it expects.
// Combinational.
module rv_amo_alu
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen = 64
) (
  input  alu_e            op_i,
  /// 32 bits of 64: they have their sign when they are compared.
  input  logic            narrow_i,
  input  logic [Xlen-1:0] old_i,
  input  logic [Xlen-1:0] operand_i,
  input  logic [Xlen-1:0] compare_i,
  output logic            equal_o,
  output logic [Xlen-1:0] next_o
);
  logic [Xlen-1:0] old_value, operand, compared;
  logic            less, less_unsigned;

  if (Xlen == 64) begin : gen_narrow
    assign old_value = narrow_i ? {{32{old_i[31]}}, old_i[31:0]} : old_i;
    assign operand   = narrow_i ? {{32{operand_i[31]}}, operand_i[31:0]} : operand_i;
    assign compared  = narrow_i ? {{32{compare_i[31]}}, compare_i[31:0]} : compare_i;
  end else begin : gen_whole
    logic unused_narrow;
    assign unused_narrow = narrow_i;
    assign old_value     = old_i;
    assign operand       = operand_i;
    assign compared      = compare_i;
  end
  assign less_unsigned = old_value < operand;
  assign less          = old_value[Xlen-1] == operand[Xlen-1] ? less_unsigned : old_value[Xlen-1];
  assign equal_o       = old_value == compared;

  always_comb begin
    unique case (op_i)
      AluAdd:         next_o = old_value + operand;
      AluXor:         next_o = old_value ^ operand;
      AluOr:          next_o = old_value | operand;
      AluAnd:         next_o = old_value & operand;
      AluMin:         next_o = less ? old_value : operand;
      AluMax:         next_o = less ? operand : old_value;
      AluMinu:        next_o = less_unsigned ? old_value : operand;
      AluMaxu:        next_o = less_unsigned ? operand : old_value;
      AluCompareSwap: next_o = equal_o ? operand : old_value;
      default:        next_o = operand;  // swap, and a store-conditional
    endcase
  end
endmodule
