// Input port of a router: a buffer for each virtual channel, and what the packet at its head owns.
//
// A flit is on the link in cycle a and is written at its end, with its route. A head flit asks for a
// channel of its output from a + 1 on, any flit for the crossbar from a + 2 on; the cycle after it won,
// it is read. All channels share one memory, because a link brings one flit a cycle and the crossbar
// takes one.
//
// Invariants: flits of a channel leave in the order in which they came, each once; one credit goes back
// for each; a packet keeps its output channel from its head to its tail.
module noc_input
  import noc_pkg::*;
#(
  /// Virtual channels of each class, 1 or 2.
  parameter int unsigned PerClass = 2,
  /// Flits a channel holds; a power of two.
  parameter int unsigned Depth = 8,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  /// This router.
  input  logic [CoordW-1:0]                  x_i,
  input  logic [CoordW-1:0]                  y_i,
  /// The link. Its sender holds a credit for everything that it sends.
  input  logic                               valid_i,
  input  logic [ChannelW-1:0]                channel_i,
  input  flit_t                              flit_i,
  /// A place has become free.
  output logic                               credit_valid_o,
  output logic [ChannelW-1:0]                credit_channel_o,
  /// Allocation of output channels, by channel: a head asks, the output it needs (one bit); the answer.
  output logic [Channels-1:0]                request_o,
  output logic [Channels-1:0][NumPorts-1:0]  route_o,
  input  logic [Channels-1:0]                grant_i,
  input  logic [Channels-1:0][ChannelW-1:0]  grant_channel_i,
  /// Crossbar, by channel: a flit may go, to which output (one bit) and channel; the one that goes.
  output logic [Channels-1:0]                offer_o,
  output logic [Channels-1:0][NumPorts-1:0]  output_o,
  output logic [Channels-1:0][ChannelW-1:0]  output_channel_o,
  output logic [Channels-1:0]                tail_o,
  input  logic [Channels-1:0]                take_i,
  /// The flit taken, a cycle later.
  output flit_t                              flit_o
);
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned LevelW = PtrW + 1;

  if (PerClass < 1 || PerClass > 2) begin : gen_channels_check
    $fatal(1, "noc_input: PerClass must be 1 or 2");
  end
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_depth_check
    $fatal(1, "noc_input: Depth must be a power of two and at least 2");
  end

  logic [Channels-1:0][PtrW-1:0]   wr_q, rd_q;
  logic [Channels-1:0][LevelW-1:0] level_q, ripe_q;   // flits held; those that may ask for the crossbar
  logic [Channels-1:0]             push, came_q;      // came_q: written in the cycle before
  logic [Channels-1:0]             owns_q;            // the packet at the head has an output channel
  port_e                           route;
  logic [ChannelW-1:0]             taken;

  ///////////////////
  // Flits of all  //
  ///////////////////

  flit_t                     mem_q [Channels * Depth];
  logic [ChannelW+PtrW-1:0]  read_q;

  noc_route u_route (.x_i, .y_i, .header_i(flit_i.data), .port_o(route));

  always_comb begin
    taken = '0;
    for (int unsigned c = 0; c < Channels; c++) begin
      push[c] = valid_i && channel_i == ChannelW'(c);
      if (take_i[c]) taken = ChannelW'(c);
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) mem_q[{channel_i, wr_q[channel_i]}] <= flit_i;
    read_q <= {taken, rd_q[taken]};
  end
  assign flit_o = mem_q[read_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) credit_valid_o <= 1'b0;
    else credit_valid_o <= take_i != '0;
  end
  always_ff @(posedge clk_i) credit_channel_o <= taken;

  //////////////////////
  // Of each channel  //
  //////////////////////

  for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
    // What must be known of a flit before it is read.
    logic [2:0]          route_q [Depth];
    logic                tail_q  [Depth];
    logic [2:0]          front, output_q;
    logic [ChannelW-1:0] channel_q;

    always_ff @(posedge clk_i) begin
      if (push[c]) begin
        route_q[wr_q[c]] <= route;
        tail_q[wr_q[c]]  <= flit_i.tail;
      end
      if (grant_i[c]) begin
        output_q  <= front;
        channel_q <= grant_channel_i[c];
      end
    end
    assign front     = route_q[rd_q[c]];
    assign tail_o[c] = tail_q[rd_q[c]];

    assign request_o[c]        = !owns_q[c] && level_q[c] != '0;
    assign route_o[c]          = NumPorts'(1) << front;
    assign offer_o[c]          = owns_q[c] && ripe_q[c] != '0;
    assign output_o[c]         = NumPorts'(1) << output_q;
    assign output_channel_o[c] = channel_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        wr_q[c]    <= '0;
        rd_q[c]    <= '0;
        level_q[c] <= '0;
        ripe_q[c]  <= '0;
        came_q[c]  <= 1'b0;
        owns_q[c]  <= 1'b0;
      end else begin
        wr_q[c]    <= wr_q[c] + PtrW'(push[c]);
        rd_q[c]    <= rd_q[c] + PtrW'(take_i[c]);
        level_q[c] <= level_q[c] + LevelW'(push[c]) - LevelW'(take_i[c]);
        ripe_q[c]  <= ripe_q[c] + LevelW'(came_q[c]) - LevelW'(take_i[c]);
        came_q[c]  <= push[c];
        if (take_i[c] && tail_o[c]) owns_q[c] <= 1'b0;
        else if (grant_i[c]) owns_q[c] <= 1'b1;
      end
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  logic [Channels-1:0] inside_q;  // a packet's tail is still to come

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= '0;
    else if (valid_i) inside_q[channel_i] <= !flit_i.tail;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((take_i & (take_i - Channels'(1))) == '0);
      assert ((take_i & ~offer_o) == '0);
      assert ((grant_i & ~request_o) == '0);
      assert (!valid_i || flit_i.head != inside_q[channel_i]);  // packets of a channel come whole
    end
  end
  for (genvar c = 0; c < int'(Channels); c++) begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!push[c] || level_q[c] != LevelW'(Depth));      // the sender had a credit
        assert (ripe_q[c] <= level_q[c] && level_q[c] <= LevelW'(Depth));
        assert (level_q[c] == ripe_q[c] + LevelW'(came_q[c]));
        assert (PtrW'(wr_q[c] - rd_q[c]) == level_q[c][PtrW-1:0]);
      end
    end
  end
endmodule
