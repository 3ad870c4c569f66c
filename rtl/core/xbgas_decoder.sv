// The decoder of a core: one instruction a cycle, combinational. What it knows is the instruction table's
// (sim/isa/instructions.toml), which xbgas_decode_pkg is generated from.
//
// Promises: `control_o` is that of `instruction_o.op`; an instruction that is not there has no control signal set.
module xbgas_decoder
  import xbgas_decode_pkg::*;
(
  input  logic [31:0]              insn_i,
  input  logic                     rv64_i,
  /// Which of the two published encodings of xBGAS.
  input  logic                     profile_b_i,
  /// A bit an extension; Ext* are their places.
  input  logic [NumExtensions-1:0] extensions_i,
  output instruction_t             instruction_o,
  output control_t                 control_o
);
  assign instruction_o = decode(insn_i, rv64_i, profile_b_i, extensions_i);
  assign control_o     = control(instruction_o.op);

  ////////////////
  // Assertions //
  ////////////////

  always_comb begin
    if (instruction_o.op == OpIllegal) begin
      quiet_a : assert (control_o == '0);
    end
    if (control_o.bulk) begin
      bulk_is_remote_a : assert (control_o.remote && control_o.space != SpaceNone);
    end
    if (control_o.mem_read || control_o.mem_write) begin
      size_a : assert (control_o.mem_size <= 3'd4);
    end
  end
endmodule
