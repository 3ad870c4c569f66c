// The register between fetch and execute: an instruction, decoded. What the core does not know is an offload if there
// is a unit: its registers are then those of the fields 19:15, 24:20 and, third, 11:7, of the opcode of bulk transfers
// 31:27, as CV-X-IF has it. Of an atomic operation the arithmetic of execute is its address; its own comes beside.
module rv_decode
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen     = 64,
  parameter bit          HasXbgas = 1'b1,
  parameter bit          HasA     = 1'b0
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            flush_i,
  /// From fetch.
  input  logic            valid_i,
  output logic            ready_o,
  input  logic [31:0]     insn_i,
  input  logic [Xlen-1:0] pc_i,
  input  logic            taken_i,
  input  logic            fault_i,
  input  logic [Xlen-1:0] not_there_i,
  /// To execute; pc_o and others are stable until taken.
  output logic            valid_o,
  input  logic            ready_i,
  output logic [31:0]     word_o,         // of a compressed instruction the upper half is 0
  output instruction_t    insn_o,
  output control_t        control_o,
  output alu_e            amo_o,
  output logic            offload_o,
  output logic            reads_rs1_o,
  output logic            reads_rs2_o,
  output logic            reads_rs3_o,
  output logic [Xlen-1:0] pc_o,
  output logic            taken_o,
  output logic            fault_o,
  output logic [Xlen-1:0] not_there_o
);
  localparam logic [NumExtensions-1:0] Extensions =
      NumExtensions'(1) << ExtI | NumExtensions'(1) << ExtZifencei | NumExtensions'(1) << ExtZicsr |
      NumExtensions'(1) << ExtPrivileged | NumExtensions'(1) << ExtM | NumExtensions'(1) << ExtC |
      NumExtensions'(HasA) << ExtA;
  localparam logic [6:0] BulkOpcode = 7'b1011011;

  instruction_t decoded, insn_d;
  control_t     ctrl, control_d;
  logic         offload, wide;

  xbgas_decoder u_decoder (
    .insn_i, .rv64_i(Xlen == 64), .profile_b_i(1'b1), .extensions_i(Extensions),
    .instruction_o(decoded), .control_o(ctrl)
  );

  assign wide    = insn_i[1:0] == 2'b11;
  assign offload = HasXbgas && decoded.op == OpIllegal && wide && !fault_i;

  always_comb begin
    insn_d = decoded;
    if (decoded.op == OpIllegal) begin
      insn_d.rd         = insn_i[11:7];
      insn_d.rs1        = insn_i[19:15];
      insn_d.rs2        = insn_i[24:20];
      insn_d.rs3        = insn_i[6:0] == BulkOpcode ? insn_i[31:27] : insn_i[11:7];
      insn_d.compressed = !wide;
    end
  end

  always_comb begin
    control_d = ctrl;
    if (HasA && ctrl.klass == ClassAtomic) begin
      control_d.alu       = AluAdd;
      control_d.operand_b = BZero;
    end
  end

  assign ready_o = !valid_o || ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (flush_i) valid_o <= 1'b0;
    else if (ready_o) valid_o <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (ready_o) begin
      word_o      <= wide ? insn_i : {16'h0, insn_i[15:0]};
      insn_o      <= insn_d;
      control_o   <= control_d;
      amo_o       <= ctrl.alu;
      offload_o   <= offload;
      reads_rs1_o <= offload || (ctrl.rs1_file == FileX && !ctrl.csr_immediate);
      reads_rs2_o <= offload || ctrl.rs2_file == FileX;
      reads_rs3_o <= offload;
      pc_o        <= pc_i;
      taken_o     <= taken_i;
      fault_o     <= fault_i;
      not_there_o <= not_there_i;
    end
  end
endmodule
