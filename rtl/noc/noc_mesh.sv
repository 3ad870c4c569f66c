// A mesh of X times Y routers, a node at each. Node y * X + x stands in column x of row y; row 0 is the
// northern one.
//
// No circle of waits: a class waits only for itself, XY routing has no circle of channels, and what the
// nodes take does not wait for what they send (docs/mesh.md).
module noc_mesh
  import noc_pkg::*;
#(
  /// Columns and rows, 1 to 8 each.
  parameter int unsigned X = 2,
  parameter int unsigned Y = 2,
  /// Virtual channels of each class, 1 or 2.
  parameter int unsigned PerClass = 2,
  /// Flits a virtual channel holds; a power of two.
  parameter int unsigned Depth = 8,
  localparam int unsigned Nodes = X * Y,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  /// From the nodes, by class; see noc_injector.
  input  logic  [Nodes-1:0][NumClasses-1:0]  send_valid_i,
  output logic  [Nodes-1:0][NumClasses-1:0]  send_ready_o,
  input  flit_t [Nodes-1:0][NumClasses-1:0]  send_flit_i,
  input  logic  [Nodes-1:0][NumClasses-1:0]  send_next_i,
  /// To the nodes. A node has room for Depth flits of each channel, and says when one has become free.
  output logic  [Nodes-1:0]                  take_valid_o,
  output logic  [Nodes-1:0][ChannelW-1:0]    take_channel_o,
  output flit_t [Nodes-1:0]                  take_flit_o,
  input  logic  [Nodes-1:0]                  take_credit_valid_i,
  input  logic  [Nodes-1:0][ChannelW-1:0]    take_credit_channel_i
);
  if (X < 1 || X > 8 || Y < 1 || Y > 8) begin : gen_size_check
    $fatal(1, "noc_mesh: X and Y must be 1 to 8");
  end

  localparam int unsigned NumLinks = NumPorts - 1;

  // By node and port: what its router sends, and the credits that it gives back.
  logic  [Nodes-1:0][NumLinks-1:0]               valid, credit;
  logic  [Nodes-1:0][NumLinks-1:0][ChannelW-1:0] channel, credit_channel;
  flit_t [Nodes-1:0][NumLinks-1:0]               flit;

  for (genvar y = 0; y < int'(Y); y++) begin : gen_row
    for (genvar x = 0; x < int'(X); x++) begin : gen_column
      localparam int unsigned Node = y * X + x;
      localparam bit [NumLinks-1:0] Linked = {x > 0, y < int'(Y) - 1, x < int'(X) - 1, y > 0};
      localparam int unsigned Neighbour [NumLinks] = '{Node - X, Node + 1, Node + X, Node - 1};
      localparam int unsigned Opposite [NumLinks] = '{32'(South), 32'(West), 32'(North), 32'(East)};

      // By port: what the neighbour there sends, and the credits that it gives back.
      logic  [NumLinks-1:0]               valid_in, credit_in;
      logic  [NumLinks-1:0][ChannelW-1:0] channel_in, credit_channel_in;
      flit_t [NumLinks-1:0]               flit_in;

      for (genvar p = 0; p < int'(NumLinks); p++) begin : gen_link
        if (Linked[p]) begin : gen_linked
          assign valid_in[p]          = valid[Neighbour[p]][Opposite[p]];
          assign channel_in[p]        = channel[Neighbour[p]][Opposite[p]];
          assign flit_in[p]           = flit[Neighbour[p]][Opposite[p]];
          assign credit_in[p]         = credit[Neighbour[p]][Opposite[p]];
          assign credit_channel_in[p] = credit_channel[Neighbour[p]][Opposite[p]];
        end else begin : gen_edge
          assign valid_in[p]          = 1'b0;
          assign channel_in[p]        = '0;
          assign flit_in[p]           = '0;
          assign credit_in[p]         = 1'b0;
          assign credit_channel_in[p] = '0;
        end
      end

      noc_node #(.PerClass(PerClass), .Depth(Depth), .Linked(Linked)) u_node (
        .clk_i, .rst_ni, .x_i(CoordW'(x)), .y_i(CoordW'(y)),
        .send_valid_i(send_valid_i[Node]), .send_ready_o(send_ready_o[Node]),
        .send_flit_i(send_flit_i[Node]), .send_next_i(send_next_i[Node]),
        .take_valid_o(take_valid_o[Node]), .take_channel_o(take_channel_o[Node]), .take_flit_o(take_flit_o[Node]),
        .take_credit_valid_i(take_credit_valid_i[Node]), .take_credit_channel_i(take_credit_channel_i[Node]),
        .valid_i(valid_in), .channel_i(channel_in), .flit_i(flit_in),
        .credit_valid_o(credit[Node]), .credit_channel_o(credit_channel[Node]),
        .valid_o(valid[Node]), .channel_o(channel[Node]), .flit_o(flit[Node]),
        .credit_valid_i(credit_in), .credit_channel_i(credit_channel_in)
      );
    end
  end
endmodule
