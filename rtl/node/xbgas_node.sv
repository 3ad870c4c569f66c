// A node of the xBGAS machine: the core, its network interface with the namespace lookaside buffer, the arbiter of its
// memory, and its part of the mesh. Memory is outside, one request under way, as the core's data port has it.
//
// No circle of waits: replies are always taken, since each request of a node that is under way has its place in the core;
// requests wait for the replies to those before them, which nothing holds up but the mesh's own channels.
module xbgas_node
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
  import noc_pkg::*;
  import node_pkg::*;
#(
  parameter int unsigned  Xlen         = 64,
  parameter logic [63:0]  ResetPc      = 64'h8000_0000,
  /// The A extension of the core.
  parameter bit           HasA         = 1'b0,
  /// Of the lookaside buffer, and of the namespace table in memory.
  parameter int unsigned  Entries      = 16,
  parameter int unsigned  TableEntries = 4096,
  /// Remote loads and stores that may be under way (see xbgas_unit), up to 64.
  parameter int unsigned  Outstanding  = 1,
  /// Of the mesh.
  parameter int unsigned  PerClass     = 2,
  parameter int unsigned  Depth        = 8,
  /// The trace port; without it rvfi_o is 0.
  parameter bit           Rvfi         = 1'b1,
  localparam int unsigned Bytes        = Xlen / 8,
  localparam int unsigned NodeW        = 2 * CoordW,
  localparam int unsigned Channels     = NumClasses * PerClass,
  localparam int unsigned ChannelW     = $clog2(Channels)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  /// Constant: number of the node, of nodes, of columns; where the namespace table is.
  input  logic [NodeW-1:0]   self_i,
  input  logic [NodeW:0]     nodes_i,
  input  logic [CoordW:0]    columns_i,
  input  logic [CoordW-1:0]  x_i,
  input  logic [CoordW-1:0]  y_i,
  input  logic [Xlen-1:0]    table_base_i,
  input  logic               forget_all_i,
  input  logic [63:0]        time_i,
  input  irq_t               irq_i,
  /// Instructions (see rv_core).
  output logic               instr_valid_o,
  input  logic               instr_ready_i,
  output logic [Xlen-1:0]    instr_addr_o,
  input  logic               instr_rvalid_i,
  input  logic [31:0]        instr_rdata_i,
  input  logic               instr_err_i,
  /// Memory, and who asks: 0 the core, 1 the walk of the namespace table, 2 another node, by mem_source_o,
  /// the request of the number mem_id_o.
  output logic               mem_valid_o,
  input  logic               mem_ready_i,
  output logic [Xlen-1:0]    mem_addr_o,
  output logic               mem_write_o,
  output logic [Bytes-1:0]   mem_be_o,
  output logic [Xlen-1:0]    mem_wdata_o,
  output logic [1:0]         mem_from_o,
  output logic [NodeW-1:0]   mem_source_o,
  output logic [5:0]         mem_id_o,
  output logic               mem_own_o,
  input  logic               mem_rvalid_i,
  input  logic [Xlen-1:0]    mem_rdata_i,
  input  logic               mem_err_i,
  /// Links from the neighbours, and credits to them; links to the neighbours, and credits from them (see noc_node).
  input  logic [NumPorts-2:0]                valid_i,
  input  logic [NumPorts-2:0][ChannelW-1:0]  channel_i,
  input  flit_t [NumPorts-2:0]               flit_i,
  output logic [NumPorts-2:0]                credit_valid_o,
  output logic [NumPorts-2:0][ChannelW-1:0]  credit_channel_o,
  output logic [NumPorts-2:0]                valid_o,
  output logic [NumPorts-2:0][ChannelW-1:0]  channel_o,
  output flit_t [NumPorts-2:0]               flit_o,
  input  logic [NumPorts-2:0]                credit_valid_i,
  input  logic [NumPorts-2:0][ChannelW-1:0]  credit_channel_i,
  output rvfi_t              rvfi_o
);
  //////////
  // Core //
  //////////

  logic              data_valid, data_write, remote_valid, remote_ready, remote_reserved, remote_rvalid, remote_err;
  logic [Xlen-1:0]   data_addr, data_wdata, remote_space, remote_addr, remote_compare;
  logic [Bytes-1:0]  data_be;
  remote_kind_e      remote_kind;
  alu_e              remote_op;
  logic [2:0]        remote_size;
  logic [2*Xlen-1:0] remote_wdata, remote_rdata;
  localparam int unsigned RemoteIdW = Outstanding > 1 ? $clog2(Outstanding) : 1;
  logic [RemoteIdW-1:0] remote_id, remote_rid;

  // By who asks, the core first.
  logic [2:0]            valid, ready, write, lock, rvalid;
  logic [2:0][Xlen-1:0]  addr, wdata;
  logic [2:0][Bytes-1:0] be;
  logic [Xlen-1:0]       rdata;
  logic                  err;

  rv_core #(.Xlen(Xlen), .ResetPc(ResetPc), .HasA(HasA), .Outstanding(Outstanding), .Rvfi(Rvfi)) u_core (
    .clk_i, .rst_ni, .hart_id_i(64'(self_i)), .time_i, .irq_i,
    .instr_valid_o, .instr_ready_i, .instr_addr_o, .instr_rvalid_i, .instr_rdata_i, .instr_err_i,
    .data_valid_o(data_valid), .data_ready_i(ready[0]), .data_addr_o(data_addr), .data_write_o(data_write),
    .data_be_o(data_be), .data_wdata_o(data_wdata), .data_lock_o(lock[0]),
    .data_rvalid_i(rvalid[0]), .data_rdata_i(rdata), .data_err_i(err),
    .remote_valid_o(remote_valid), .remote_ready_i(remote_ready), .remote_kind_o(remote_kind), .remote_op_o(remote_op),
    .remote_size_o(remote_size), .remote_space_o(remote_space), .remote_addr_o(remote_addr),
    .remote_wdata_o(remote_wdata), .remote_compare_o(remote_compare), .remote_reserved_o(remote_reserved),
    .remote_id_o(remote_id), .remote_rvalid_i(remote_rvalid), .remote_rid_i(remote_rid), .remote_rdata_i(remote_rdata),
    .remote_err_i(remote_err), .rvfi_o
  );
  assign valid[0] = data_valid;
  assign addr[0]  = data_addr;
  assign write[0] = data_write;
  assign be[0]    = data_be;
  assign wdata[0] = data_wdata;

  ///////////////////////
  // Network interface //
  ///////////////////////

  logic  [NumClasses-1:0] send_valid, send_ready;
  flit_t [NumClasses-1:0] send_flit;
  logic                   reply_valid, request_valid, request_ready;
  flit_t                  reply_flit, request_flit;

  node_initiator #(
    .Xlen(Xlen), .Entries(Entries), .TableEntries(TableEntries), .Outstanding(Outstanding)
  ) u_initiator (
    .clk_i, .rst_ni, .self_i, .nodes_i, .columns_i, .table_base_i, .forget_all_i,
    .remote_valid_i(remote_valid), .remote_ready_o(remote_ready), .remote_kind_i(remote_kind), .remote_op_i(remote_op),
    .remote_size_i(remote_size), .remote_space_i(remote_space), .remote_addr_i(remote_addr),
    .remote_wdata_i(remote_wdata), .remote_compare_i(remote_compare), .remote_reserved_i(remote_reserved),
    .remote_id_i(remote_id), .remote_rvalid_o(remote_rvalid), .remote_rid_o(remote_rid), .remote_rdata_o(remote_rdata),
    .remote_err_o(remote_err),
    .mem_valid_o(valid[1]), .mem_ready_i(ready[1]), .mem_addr_o(addr[1]), .mem_rvalid_i(rvalid[1]), .mem_rdata_i(rdata),
    .mem_err_i(err),
    .send_valid_o(send_valid[0]), .send_ready_i(send_ready[0]), .send_flit_o(send_flit[0]),
    .take_valid_i(reply_valid), .take_flit_i(reply_flit)
  );
  assign write[1] = 1'b0;
  assign be[1]    = '1;
  assign wdata[1] = '0;
  assign lock[1]  = 1'b0;

  node_target #(.Xlen(Xlen)) u_target (
    .clk_i, .rst_ni, .take_valid_i(request_valid), .take_ready_o(request_ready), .take_flit_i(request_flit),
    .send_valid_o(send_valid[1]), .send_ready_i(send_ready[1]), .send_flit_o(send_flit[1]),
    .mem_valid_o(valid[2]), .mem_ready_i(ready[2]), .mem_addr_o(addr[2]), .mem_write_o(write[2]), .mem_be_o(be[2]),
    .mem_wdata_o(wdata[2]), .lock_o(lock[2]), .mem_rvalid_i(rvalid[2]), .mem_rdata_i(rdata), .mem_err_i(err),
    .source_o(mem_source_o), .id_o(mem_id_o), .own_o(mem_own_o)
  );

  mem_arbiter #(.Xlen(Xlen), .N(3)) u_arbiter (
    .clk_i, .rst_ni, .valid_i(valid), .ready_o(ready), .addr_i(addr), .write_i(write), .be_i(be), .wdata_i(wdata),
    .lock_i(lock), .rvalid_o(rvalid), .rdata_o(rdata), .err_o(err),
    .mem_valid_o, .mem_ready_i, .mem_addr_o, .mem_write_o, .mem_be_o, .mem_wdata_o, .mem_from_o, .mem_rvalid_i,
    .mem_rdata_i, .mem_err_i
  );

  //////////
  // Mesh //
  //////////

  logic                take_valid, credit_valid;
  logic [ChannelW-1:0] take_channel, credit_channel;
  flit_t               take_flit;

  noc_node #(.PerClass(PerClass), .Depth(Depth)) u_noc (
    .clk_i, .rst_ni, .x_i, .y_i,
    .send_valid_i(send_valid), .send_ready_o(send_ready), .send_flit_i(send_flit), .send_next_i('0),
    .take_valid_o(take_valid), .take_channel_o(take_channel), .take_flit_o(take_flit),
    .take_credit_valid_i(credit_valid), .take_credit_channel_i(credit_channel),
    .valid_i, .channel_i, .flit_i, .credit_valid_o, .credit_channel_o,
    .valid_o, .channel_o, .flit_o, .credit_valid_i, .credit_channel_i
  );

  // What comes waits by channel; a flit a cycle leaves, of replies first, and its credit goes back. Packets go to where
  // they are for whole, those of each class.
  logic  [Channels-1:0] waits, push, pop, room;
  flit_t [Channels-1:0] next;
  for (genvar c = 0; c < int'(Channels); c++) begin : gen_take
    logic [$clog2(Depth):0] unused_level;
    assign push[c] = take_valid && take_channel == ChannelW'(c);
    fifo #(.Width($bits(flit_t)), .Depth(Depth)) u_fifo (
      .clk_i, .rst_ni, .valid_i(push[c]), .ready_o(room[c]), .data_i(take_flit), .valid_o(waits[c]), .ready_i(pop[c]),
      .data_o(next[c]), .level_o(unused_level)
    );
  end

  logic [PerClass-1:0] of_request, grant;
  logic                inside_q, begins, reply_inside_q;
  logic [PerClass-1:0] inside_of_q, reply_of_q;
  logic [(PerClass > 1 ? $clog2(PerClass) : 1)-1:0] unused_index;
  assign of_request = waits[PerClass-1:0];
  round_robin #(.N(PerClass)) u_choice (
    .clk_i, .rst_ni, .request_i(of_request), .take_i(begins), .grant_o(grant), .index_o(unused_index)
  );

  logic [Channels-1:0] chosen;
  always_comb begin
    chosen        = '0;
    reply_valid   = 1'b0;
    request_valid = 1'b0;
    reply_flit    = '0;
    request_flit  = '0;
    for (int unsigned c = PerClass; c < Channels; c++) begin
      if (waits[c] && !reply_valid && (!reply_inside_q || reply_of_q[c-PerClass])) begin
        reply_valid = 1'b1;
        reply_flit  = next[c];
        chosen[c]   = 1'b1;
      end
    end
    for (int unsigned c = 0; c < PerClass; c++) begin
      if (!reply_valid && waits[c] && (inside_q ? inside_of_q[c] : grant[c])) begin
        request_valid = 1'b1;
        request_flit  = next[c];
        chosen[c]     = request_ready;
      end
    end
  end
  assign pop          = chosen;
  assign credit_valid = chosen != '0;
  always_comb begin
    credit_channel = '0;
    for (int unsigned c = 0; c < Channels; c++) begin
      if (chosen[c]) credit_channel = ChannelW'(c);
    end
  end
  assign begins = request_valid && request_ready && request_flit.head;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= 1'b0;
    else if (request_valid && request_ready) inside_q <= !request_flit.tail;
  end
  always_ff @(posedge clk_i) if (begins) inside_of_q <= grant;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reply_inside_q <= 1'b0;
    else if (reply_valid) reply_inside_q <= !reply_flit.tail;
  end
  always_ff @(posedge clk_i) if (reply_valid) reply_of_q <= chosen[Channels-1:PerClass];

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((push & ~room) == '0);
      assert (!reply_valid || reply_flit.head != reply_inside_q);
      assert ((chosen & (chosen - Channels'(1))) == '0);
    end
  end
endmodule
