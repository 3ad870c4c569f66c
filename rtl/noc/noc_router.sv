// Router of the mesh: wormhole, virtual channels, credits, XY. Three cycles from the link into it to the
// register of the link out of it, when nobody is in the way:
//
//   a      the flit is on the link in; its route is worked out; it is written
//   a + 1  a head gets a virtual channel of its output (noc_vc_alloc)
//   a + 2  it wins the crossbar (noc_switch_alloc); a credit goes back, there from a + 4 on
//   a + 3  it is read and passes the crossbar
//   a + 4  it is on the link out
//
// Outputs come from registers only, so a link may be as long as a cycle allows.
module noc_router
  import noc_pkg::*;
#(
  /// Virtual channels of each class, 1 or 2.
  parameter int unsigned PerClass = 2,
  /// Flits a virtual channel holds; a power of two. 4 or more keep an output without stalls busy.
  parameter int unsigned Depth = 8,
  /// Ports that there are, by port_e: a router at an edge lacks some.
  parameter bit [NumPorts-1:0] Linked = '1,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  /// Where it stands. Constant.
  input  logic [CoordW-1:0]                  x_i,
  input  logic [CoordW-1:0]                  y_i,
  /// Links in, by port. Who sends holds a credit, of Depth for each channel at reset.
  input  logic [NumPorts-1:0]                valid_i,
  input  logic [NumPorts-1:0][ChannelW-1:0]  channel_i,
  input  flit_t [NumPorts-1:0]               flit_i,
  output logic [NumPorts-1:0]                credit_valid_o,
  output logic [NumPorts-1:0][ChannelW-1:0]  credit_channel_o,
  /// Links out.
  output logic [NumPorts-1:0]                valid_o,
  output logic [NumPorts-1:0][ChannelW-1:0]  channel_o,
  output flit_t [NumPorts-1:0]               flit_o,
  input  logic [NumPorts-1:0]                credit_valid_i,
  input  logic [NumPorts-1:0][ChannelW-1:0]  credit_channel_i
);
  logic  [NumPorts-1:0][Channels-1:0]               request, grant, offer, tail, take, has_credit, ends;
  logic  [NumPorts-1:0][Channels-1:0][NumPorts-1:0] route, goal;
  logic  [NumPorts-1:0][Channels-1:0][ChannelW-1:0] grant_channel, goal_channel;
  logic  [NumPorts-1:0]                             send;
  logic  [NumPorts-1:0][NumPorts-1:0]               select, select_q;
  logic  [NumPorts-1:0][ChannelW-1:0]               send_channel;
  flit_t [NumPorts-1:0]                             read, passed;

  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_port
    if (Linked[p]) begin : gen_linked
      // Never over the edge: said here once, so that synthesis leaves out what would lead there.
      logic [Channels-1:0][NumPorts-1:0] any_route, any_goal;
      for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
        assign route[p][c] = any_route[c] & Linked;
        assign goal[p][c]  = any_goal[c] & Linked;
        always_ff @(posedge clk_i) if (rst_ni) assert (!request[p][c] || (any_route[c] & ~Linked) == '0);
      end
      noc_input #(.PerClass(PerClass), .Depth(Depth)) u_input (
        .clk_i, .rst_ni, .x_i, .y_i,
        .valid_i(valid_i[p]), .channel_i(channel_i[p]), .flit_i(flit_i[p]),
        .credit_valid_o(credit_valid_o[p]), .credit_channel_o(credit_channel_o[p]),
        .request_o(request[p]), .route_o(any_route), .grant_i(grant[p]), .grant_channel_i(grant_channel[p]),
        .offer_o(offer[p]), .output_o(any_goal), .output_channel_o(goal_channel[p]), .tail_o(tail[p]),
        .take_i(take[p]), .flit_o(read[p])
      );
      noc_output #(.PerClass(PerClass), .Depth(Depth)) u_output (
        .clk_i, .rst_ni,
        .send_i(send[p]), .send_channel_i(send_channel[p]), .flit_i(passed[p]), .has_credit_o(has_credit[p]),
        .valid_o(valid_o[p]), .channel_o(channel_o[p]), .flit_o(flit_o[p]),
        .credit_valid_i(credit_valid_i[p]), .credit_channel_i(credit_channel_i[p])
      );
    end else begin : gen_edge
      assign credit_valid_o[p]   = 1'b0;
      assign credit_channel_o[p] = '0;
      assign request[p]          = '0;
      assign route[p]            = '0;
      assign offer[p]            = '0;
      assign goal[p]             = '0;
      assign goal_channel[p]     = '0;
      assign tail[p]             = '0;
      assign read[p]             = '0;
      assign has_credit[p]       = '0;
      assign valid_o[p]          = 1'b0;
      assign channel_o[p]        = '0;
      assign flit_o[p]           = '0;
    end
  end

  noc_vc_alloc #(.PerClass(PerClass)) u_vc_alloc (
    .clk_i, .rst_ni,
    .request_i(request), .route_i(route), .grant_o(grant), .grant_channel_o(grant_channel),
    .has_credit_i(has_credit), .release_i(ends)
  );
  noc_switch_alloc #(.PerClass(PerClass)) u_switch_alloc (
    .clk_i, .rst_ni,
    .offer_i(offer), .output_i(goal), .output_channel_i(goal_channel), .tail_i(tail), .take_o(take),
    .has_credit_i(has_credit), .send_o(send), .select_o(select), .send_channel_o(send_channel), .release_o(ends)
  );
  noc_crossbar u_crossbar (.flit_i(read), .select_i(select_q), .flit_o(passed));

  always_ff @(posedge clk_i) select_q <= select;

  ////////////////
  // Assertions //
  ////////////////

  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_assert
    for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
      for (genvar o = 0; o < int'(NumPorts); o++) begin : gen_output
        // XY routing never turns back, or from Y to X.
        localparam bit Legal = Turns[p][o];
        always_ff @(posedge clk_i) if (rst_ni) assert (Legal || !request[p][c] || !route[p][c][o]);
      end
    end
    always_ff @(posedge clk_i) if (rst_ni) assert (Linked[p] || !valid_i[p]);
  end
endmodule
