// A node's part of the mesh: its router, and its end of the link into it.
module noc_node
  import noc_pkg::*;
#(
  /// Virtual channels of each class, 1 or 2.
  parameter int unsigned PerClass = 2,
  /// Flits a virtual channel holds; a power of two.
  parameter int unsigned Depth = 8,
  /// Neighbours that there are, by port_e.
  parameter bit [NumPorts-2:0] Linked = '1,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  /// Where it stands. Constant.
  input  logic [CoordW-1:0]                  x_i,
  input  logic [CoordW-1:0]                  y_i,
  /// From the node, by class; see noc_injector.
  input  logic  [NumClasses-1:0]             send_valid_i,
  output logic  [NumClasses-1:0]             send_ready_o,
  input  flit_t [NumClasses-1:0]             send_flit_i,
  input  logic  [NumClasses-1:0]             send_next_i,
  /// To the node. It has room for Depth flits of each channel, and says when one has become free.
  output logic                               take_valid_o,
  output logic [ChannelW-1:0]                take_channel_o,
  output flit_t                              take_flit_o,
  input  logic                               take_credit_valid_i,
  input  logic [ChannelW-1:0]                take_credit_channel_i,
  /// Links from the neighbours, and credits to them.
  input  logic [NumPorts-2:0]                valid_i,
  input  logic [NumPorts-2:0][ChannelW-1:0]  channel_i,
  input  flit_t [NumPorts-2:0]               flit_i,
  output logic [NumPorts-2:0]                credit_valid_o,
  output logic [NumPorts-2:0][ChannelW-1:0]  credit_channel_o,
  /// Links to the neighbours, and credits from them.
  output logic [NumPorts-2:0]                valid_o,
  output logic [NumPorts-2:0][ChannelW-1:0]  channel_o,
  output flit_t [NumPorts-2:0]               flit_o,
  input  logic [NumPorts-2:0]                credit_valid_i,
  input  logic [NumPorts-2:0][ChannelW-1:0]  credit_channel_i
);
  logic                valid, credit;
  logic [ChannelW-1:0] channel, credit_channel;
  flit_t               flit;

  noc_injector #(.PerClass(PerClass), .Depth(Depth)) u_injector (
    .clk_i, .rst_ni,
    .valid_i(send_valid_i), .ready_o(send_ready_o), .flit_i(send_flit_i), .next_i(send_next_i),
    .valid_o(valid), .channel_o(channel), .flit_o(flit),
    .credit_valid_i(credit), .credit_channel_i(credit_channel)
  );
  // Local is the last port.
  noc_router #(.PerClass(PerClass), .Depth(Depth), .Linked({1'b1, Linked})) u_router (
    .clk_i, .rst_ni, .x_i, .y_i,
    .valid_i({valid, valid_i}), .channel_i({channel, channel_i}), .flit_i({flit, flit_i}),
    .credit_valid_o({credit, credit_valid_o}), .credit_channel_o({credit_channel, credit_channel_o}),
    .valid_o({take_valid_o, valid_o}), .channel_o({take_channel_o, channel_o}), .flit_o({take_flit_o, flit_o}),
    .credit_valid_i({take_credit_valid_i, credit_valid_i}), .credit_channel_i({take_credit_channel_i, credit_channel_i})
  );
endmodule
