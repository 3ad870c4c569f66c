// Where fetch goes on behind an instruction, guessed from its word alone: direct jumps and backward branches are
// taken. It knows four formats by itself, since it has no time for the decoder. Whether one jumps may be guessed wrong,
// the execute stage compares; where it jumps to may not, which the core asserts against the decoder.
module rv_predict #(
  /// 32 or 64.
  parameter int unsigned Xlen = 64
) (
  /// Of a compressed instruction the upper half has no meaning.
  input  logic [31:0]        insn_i,
  output logic               taken_o,
  /// Distance to the target, if taken.
  output logic signed [20:0] offset_o
);
  logic jal, branch, cj, cbranch;

  assign jal     = insn_i[6:0] == 7'b1101111;
  assign branch  = insn_i[6:0] == 7'b1100011 && insn_i[31];
  assign cj      = insn_i[1:0] == 2'b01 && (insn_i[15:13] == 3'b101 || (Xlen == 32 && insn_i[15:13] == 3'b001));
  assign cbranch = insn_i[1:0] == 2'b01 && insn_i[15:14] == 2'b11 && insn_i[12];

  assign taken_o = jal | branch | cj | cbranch;

  always_comb begin
    offset_o = {{12{insn_i[12]}}, insn_i[12], insn_i[6:5], insn_i[2], insn_i[11:10], insn_i[4:3], 1'b0};
    if (jal) offset_o = {insn_i[31], insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};
    if (branch) offset_o = {{8{insn_i[31]}}, insn_i[31], insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
    if (cj) begin
      offset_o = {{9{insn_i[12]}}, insn_i[12], insn_i[8], insn_i[10:9], insn_i[6], insn_i[7], insn_i[2], insn_i[11],
                  insn_i[5:3], 1'b0};
    end
  end
endmodule
