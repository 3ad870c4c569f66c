// A node with its trace as words and all values 64 bits wide, for C++; the core's remote port is seen from outside.
module node_ports
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
  import noc_pkg::*;
#(
  parameter int unsigned Xlen         = 64,
  parameter logic [63:0] ResetPc      = 64'h1000,
  parameter bit          HasA         = 1'b1,
  parameter int unsigned Entries      = 4,
  parameter int unsigned TableEntries = 64,
  parameter int unsigned Outstanding  = 1,
  localparam int unsigned NumLinks    = NumPorts - 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [5:0]  self_i,
  input  logic [6:0]  nodes_i,
  input  logic [3:0]  columns_i,
  input  logic [2:0]  x_i,
  input  logic [2:0]  y_i,
  input  logic [63:0] table_base_i,
  input  logic        forget_all_i,
  input  logic [63:0] time_i,
  input  logic [2:0]  irq_i,

  output logic        instr_valid_o,
  input  logic        instr_ready_i,
  output logic [63:0] instr_addr_o,
  input  logic        instr_rvalid_i,
  input  logic [31:0] instr_rdata_i,
  input  logic        instr_err_i,

  output logic        data_valid_o,
  input  logic        data_ready_i,
  output logic [63:0] data_addr_o,
  output logic        data_write_o,
  output logic [7:0]  data_be_o,
  output logic [63:0] data_wdata_o,
  output logic [7:0]  data_from_o,
  output logic [7:0]  data_source_o,
  output logic [7:0]  data_id_o,
  output logic        data_own_o,
  output logic        data_lock_o,
  input  logic        data_rvalid_i,
  input  logic [63:0] data_rdata_i,
  input  logic        data_err_i,

  /// The core's remote port: a request that the network interface takes, an answer.
  output logic        remote_valid_o,
  output logic        remote_taken_o,
  output logic [7:0]  remote_kind_o,
  output logic [7:0]  remote_op_o,
  output logic [7:0]  remote_size_o,
  output logic [63:0] remote_space_o,
  output logic [63:0] remote_addr_o,
  output logic [63:0] remote_wdata_o,
  output logic [63:0] remote_wdata_high_o,
  output logic [63:0] remote_compare_o,
  output logic        remote_reserved_o,
  output logic [7:0]  remote_id_o,
  output logic        remote_rvalid_o,
  output logic [7:0]  remote_rid_o,
  output logic [63:0] remote_rdata_o,
  output logic [63:0] remote_rdata_high_o,
  output logic        remote_err_o,
  output logic        bulk_piece_o,
  /// The register of a posted load is written.
  output logic        late_valid_o,
  output logic [7:0]  late_rd_o,
  output logic [63:0] late_data_o,

  input  logic [NumLinks-1:0]        valid_i,
  input  logic [NumLinks-1:0][1:0]   channel_i,
  input  logic [NumLinks-1:0][33:0]  flit_i,
  output logic [NumLinks-1:0]        credit_valid_o,
  output logic [NumLinks-1:0][1:0]   credit_channel_o,
  output logic [NumLinks-1:0]        valid_o,
  output logic [NumLinks-1:0][1:0]   channel_o,
  output logic [NumLinks-1:0][33:0]  flit_o,
  input  logic [NumLinks-1:0]        credit_valid_i,
  input  logic [NumLinks-1:0][1:0]   credit_channel_i,

  /// A retirement: there is one where the first word is not 0.
  output trace_pkg::words_t rvfi_o
);
  localparam int unsigned Bytes = Xlen / 8;

  rvfi_t            rvfi;
  irq_t             irq;
  logic [Xlen-1:0]  instr_addr, data_addr, data_wdata;
  logic [Bytes-1:0] be;
  logic [1:0]       from;
  logic [5:0]       source, id;

  assign irq = irq_i;

  xbgas_node #(
    .Xlen(Xlen), .ResetPc(ResetPc), .HasA(HasA), .Entries(Entries), .TableEntries(TableEntries),
    .Outstanding(Outstanding)
  ) u_node (
    .clk_i, .rst_ni, .self_i, .nodes_i, .columns_i, .x_i, .y_i,
    .table_base_i(table_base_i[Xlen-1:0]), .forget_all_i, .time_i, .irq_i(irq),
    .instr_valid_o, .instr_ready_i, .instr_addr_o(instr_addr), .instr_rvalid_i, .instr_rdata_i, .instr_err_i,
    .mem_valid_o(data_valid_o), .mem_ready_i(data_ready_i), .mem_addr_o(data_addr), .mem_write_o(data_write_o),
    .mem_be_o(be), .mem_wdata_o(data_wdata), .mem_from_o(from), .mem_source_o(source), .mem_id_o(id),
    .mem_own_o(data_own_o),
    .mem_rvalid_i(data_rvalid_i), .mem_rdata_i(data_rdata_i[Xlen-1:0]), .mem_err_i(data_err_i),
    .valid_i, .channel_i, .flit_i, .credit_valid_o, .credit_channel_o,
    .valid_o, .channel_o, .flit_o, .credit_valid_i, .credit_channel_i, .rvfi_o(rvfi)
  );

  assign instr_addr_o        = 64'(instr_addr);
  assign data_addr_o         = 64'(data_addr);
  assign data_wdata_o        = 64'(data_wdata);
  assign data_be_o           = 8'(be);
  assign data_from_o         = 8'(from);
  assign data_source_o       = 8'(source);
  assign data_id_o           = 8'(id);
  assign data_lock_o         = u_node.lock[0];
  assign remote_id_o         = 8'(u_node.remote_id);
  assign remote_rid_o        = 8'(u_node.remote_rid);
  assign late_valid_o        = u_node.u_core.late_valid && !u_node.u_core.w_writes;
  assign late_rd_o           = 8'(u_node.u_core.late_rd);
  assign late_data_o         = 64'(u_node.u_core.late_data);
  assign remote_valid_o      = u_node.remote_valid;
  assign remote_taken_o      = u_node.remote_valid && u_node.remote_ready;
  assign remote_kind_o       = 8'(u_node.remote_kind);
  assign remote_op_o         = 8'(u_node.remote_op);
  assign remote_size_o       = 8'(u_node.remote_size);
  assign remote_space_o      = 64'(u_node.remote_space);
  assign remote_addr_o       = 64'(u_node.remote_addr);
  assign remote_wdata_o      = 64'(u_node.remote_wdata[Xlen-1:0]);
  assign remote_wdata_high_o = 64'(u_node.remote_wdata[2*Xlen-1:Xlen]);
  assign remote_compare_o    = 64'(u_node.remote_compare);
  assign remote_reserved_o   = u_node.remote_reserved;
  assign remote_rvalid_o     = u_node.remote_rvalid;
  assign remote_rdata_o      = 64'(u_node.remote_rdata[Xlen-1:0]);
  assign remote_rdata_high_o = 64'(u_node.remote_rdata[2*Xlen-1:Xlen]);
  assign remote_err_o        = u_node.remote_err;
  assign bulk_piece_o        = u_node.u_core.gen_unit.u_unit.bulk_mem_valid ||
                               u_node.u_core.gen_unit.u_unit.bulk_remote_valid;

  assign rvfi_o = trace_pkg::words_of(rvfi);
endmodule
