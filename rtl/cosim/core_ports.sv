// The core with its trace as words and all values 64 bits wide, for C++.
module core_ports
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen     = 64,
  parameter logic [63:0] ResetPc  = 64'h1000,
  parameter bit          HasA     = 1'b0,
  parameter bit          HasXbgas = 1'b1,
  parameter bit          ProfileB = 1'b1,
  parameter bit          Atomics  = 1'b1,
  parameter bit          Bulk     = 1'b1,
  parameter bit          StrictE  = 1'b0,
  parameter int unsigned Outstanding = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] hart_id_i,
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
  output logic        data_lock_o,
  input  logic        data_rvalid_i,
  input  logic [63:0] data_rdata_i,
  input  logic        data_err_i,

  output logic        remote_valid_o,
  input  logic        remote_ready_i,
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
  input  logic        remote_rvalid_i,
  input  logic [7:0]  remote_rid_i,
  input  logic [63:0] remote_rdata_i,
  input  logic [63:0] remote_rdata_high_i,
  input  logic        remote_err_i,
  /// The request on the data port, or on the remote port, is a piece of a bulk transfer.
  output logic        bulk_piece_o,
  /// The register of a posted load is written.
  output logic        late_valid_o,
  output logic [7:0]  late_rd_o,
  output logic [63:0] late_data_o,

  /// A retirement: there is one where the first word is not 0.
  output trace_pkg::words_t rvfi_o
);
  localparam int unsigned Bytes     = Xlen / 8;
  localparam int unsigned RemoteIdW = Outstanding > 1 ? $clog2(Outstanding) : 1;

  rvfi_t             rvfi;
  irq_t              irq;
  remote_kind_e      kind;
  alu_e              op;
  logic [2:0]        size;
  logic [RemoteIdW-1:0] id;
  logic [Xlen-1:0]   instr_addr, data_addr, data_wdata, space, addr, compare;
  logic [Bytes-1:0]  be;
  logic [2*Xlen-1:0] remote_wdata, remote_rdata;

  assign irq = irq_i;

  rv_core #(
    .Xlen(Xlen), .ResetPc(ResetPc), .HasA(HasA), .HasXbgas(HasXbgas), .ProfileB(ProfileB), .Atomics(Atomics), .Bulk(Bulk),
    .StrictE(StrictE), .Outstanding(Outstanding)
  ) u_core (
    .clk_i, .rst_ni, .hart_id_i, .time_i, .irq_i(irq),
    .instr_valid_o, .instr_ready_i, .instr_addr_o(instr_addr), .instr_rvalid_i, .instr_rdata_i, .instr_err_i,
    .data_valid_o, .data_ready_i, .data_addr_o(data_addr), .data_write_o, .data_be_o(be), .data_wdata_o(data_wdata), .data_lock_o,
    .data_rvalid_i, .data_rdata_i(data_rdata_i[Xlen-1:0]), .data_err_i,
    .remote_valid_o, .remote_ready_i, .remote_kind_o(kind), .remote_op_o(op), .remote_size_o(size),
    .remote_space_o(space), .remote_addr_o(addr), .remote_wdata_o(remote_wdata), .remote_compare_o(compare),
    .remote_reserved_o, .remote_id_o(id), .remote_rvalid_i, .remote_rid_i(remote_rid_i[RemoteIdW-1:0]),
    .remote_rdata_i(remote_rdata), .remote_err_i,
    .rvfi_o(rvfi)
  );

  if (HasXbgas) begin : gen_bulk
    assign bulk_piece_o = u_core.gen_unit.u_unit.bulk_mem_valid || u_core.gen_unit.u_unit.bulk_remote_valid;
  end else begin : gen_no_bulk
    assign bulk_piece_o = 1'b0;
  end
  logic unused_rid;
  assign unused_rid          = ^remote_rid_i;
  assign late_valid_o        = u_core.late_valid && !u_core.w_writes;
  assign late_rd_o           = 8'(u_core.late_rd);
  assign late_data_o         = 64'(u_core.late_data);
  assign remote_id_o         = 8'(id);
  assign instr_addr_o        = 64'(instr_addr);
  assign data_addr_o         = 64'(data_addr);
  assign data_wdata_o        = 64'(data_wdata);
  assign data_be_o           = 8'(be);
  assign remote_kind_o       = 8'(kind);
  assign remote_op_o         = 8'(op);
  assign remote_size_o       = 8'(size);
  assign remote_space_o      = 64'(space);
  assign remote_addr_o       = 64'(addr);
  assign remote_compare_o    = 64'(compare);
  assign remote_wdata_o      = 64'(remote_wdata[Xlen-1:0]);
  assign remote_wdata_high_o = 64'(remote_wdata[2*Xlen-1:Xlen]);
  assign remote_rdata        = {remote_rdata_high_i[Xlen-1:0], remote_rdata_i[Xlen-1:0]};

  assign rvfi_o = trace_pkg::words_of(rvfi);
endmodule
