// Output port of a router: credits of the buffers at the link's other end, and the link's registers.
// A flit that won the crossbar in cycle s passes it in s + 1 and is on the link in s + 2.
//
// Invariant: no flit leaves without a credit of its channel.
module noc_output
  import noc_pkg::*;
#(
  /// Virtual channels of each class, and flits that one holds at the other end.
  parameter int unsigned PerClass = 2,
  parameter int unsigned Depth = 8,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  /// A flit has won this output, for a channel.
  input  logic                send_i,
  input  logic [ChannelW-1:0] send_channel_i,
  /// The flit, a cycle later.
  input  flit_t               flit_i,
  /// Channels that may be sent on.
  output logic [Channels-1:0] has_credit_o,
  /// The link.
  output logic                valid_o,
  output logic [ChannelW-1:0] channel_o,
  output flit_t               flit_o,
  input  logic                credit_valid_i,
  input  logic [ChannelW-1:0] credit_channel_i
);
  logic                passing_q;
  logic [ChannelW-1:0] channel_q;

  for (genvar c = 0; c < int'(Channels); c++) begin : gen_credit
    logic [$clog2(Depth+1)-1:0] unused_count;
    credit_sender #(.Initial(Depth)) u_credit (
      .clk_i, .rst_ni,
      .use_i   (send_i && send_channel_i == ChannelW'(c)),
      .return_i(credit_valid_i && credit_channel_i == ChannelW'(c)),
      .some_o  (has_credit_o[c]),
      .count_o (unused_count)
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      passing_q <= 1'b0;
      valid_o   <= 1'b0;
    end else begin
      passing_q <= send_i;
      valid_o   <= passing_q;
    end
  end
  always_ff @(posedge clk_i) begin
    channel_q <= send_channel_i;
    channel_o <= channel_q;
    flit_o    <= flit_i;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!send_i || has_credit_o[send_channel_i]);
  end
endmodule
