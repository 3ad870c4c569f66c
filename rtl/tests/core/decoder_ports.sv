// The decoder with each field as a port of its own, for C++.
module decoder_ports
  import xbgas_decode_pkg::*;
(
  input  logic [31:0]              insn_i,
  input  logic                     rv64_i,
  input  logic                     profile_b_i,
  input  logic [NumExtensions-1:0] extensions_i,
  output logic [15:0] op_o,
  output logic [7:0]  compressed_o, rd_o, rs1_o, rs2_o, rs3_o,
  output logic [31:0] imm_o,
  output logic [7:0]  klass_o, rd_file_o, rs1_file_o, rs2_file_o, rs3_file_o, alu_o, operand_a_o, operand_b_o, word_o,
  output logic [7:0]  write_back_o, mem_read_o, mem_write_o, mem_size_o, mem_signed_o, reserve_o, conditional_o,
  output logic [7:0]  branch_o, jump_o, csr_o, csr_immediate_o, remote_o, bulk_o, space_o
);
  instruction_t d;
  control_t     c;
  xbgas_decoder u_decoder (.insn_i, .rv64_i, .profile_b_i, .extensions_i, .instruction_o(d), .control_o(c));

  assign op_o            = 16'(d.op);
  assign compressed_o    = 8'(d.compressed);
  assign rd_o            = 8'(d.rd);
  assign rs1_o           = 8'(d.rs1);
  assign rs2_o           = 8'(d.rs2);
  assign rs3_o           = 8'(d.rs3);
  assign imm_o           = d.imm;
  assign klass_o         = 8'(c.klass);
  assign rd_file_o       = 8'(c.rd_file);
  assign rs1_file_o      = 8'(c.rs1_file);
  assign rs2_file_o      = 8'(c.rs2_file);
  assign rs3_file_o      = 8'(c.rs3_file);
  assign alu_o           = 8'(c.alu);
  assign operand_a_o     = 8'(c.operand_a);
  assign operand_b_o     = 8'(c.operand_b);
  assign word_o          = 8'(c.word);
  assign write_back_o    = 8'(c.write_back);
  assign mem_read_o      = 8'(c.mem_read);
  assign mem_write_o     = 8'(c.mem_write);
  assign mem_size_o      = 8'(c.mem_size);
  assign mem_signed_o    = 8'(c.mem_signed);
  assign reserve_o       = 8'(c.reserve);
  assign conditional_o   = 8'(c.conditional);
  assign branch_o        = 8'(c.branch);
  assign jump_o          = 8'(c.jump);
  assign csr_o           = 8'(c.csr);
  assign csr_immediate_o = 8'(c.csr_immediate);
  assign remote_o        = 8'(c.remote);
  assign bulk_o          = 8'(c.bulk);
  assign space_o         = 8'(c.space);
endmodule
