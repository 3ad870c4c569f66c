// The node's end of the link into its router: packets of two classes share it flit by flit, each in a
// virtual channel of its class, in turn.
//
// A packet takes the lowest channel of its class that has a credit. A class that sends its tail in its
// own turn chooses the channel of its next packet at once, so `next_i` must say whether there is one.
module noc_injector
  import noc_pkg::*;
#(
  /// Virtual channels of each class, 1 or 2.
  parameter int unsigned PerClass = 2,
  /// Flits that a virtual channel of the router holds.
  parameter int unsigned Depth = 8,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  /// By class: a flit; it is taken; behind it, if it is a tail, another packet waits already.
  input  logic  [NumClasses-1:0]  valid_i,
  output logic  [NumClasses-1:0]  ready_o,
  input  flit_t [NumClasses-1:0]  flit_i,
  input  logic  [NumClasses-1:0]  next_i,
  /// The link.
  output logic                    valid_o,
  output logic  [ChannelW-1:0]    channel_o,
  output flit_t                   flit_o,
  input  logic                    credit_valid_i,
  input  logic  [ChannelW-1:0]    credit_channel_i
);
  localparam int unsigned CountW = $clog2(Depth + 1);

  logic                                  turn_q;  // class that is asked first
  logic [NumClasses-1:0]                 holds_q; // a channel is held
  logic [NumClasses-1:0][ChannelW-1:0]   channel_q, channel, next_channel;
  logic [NumClasses-1:0]                 can, next_holds;
  logic [Channels-1:0]                   has_credit, keeps_credit;  // now; behind this cycle's flit
  logic [Channels-1:0][CountW-1:0]       count;
  logic                                  sent, class_sent;

  for (genvar c = 0; c < int'(Channels); c++) begin : gen_credit
    credit_sender #(.Initial(Depth)) u_credit (
      .clk_i, .rst_ni,
      .use_i   (sent && channel[class_sent] == ChannelW'(c)),
      .return_i(credit_valid_i && credit_channel_i == ChannelW'(c)),
      .some_o  (has_credit[c]),
      .count_o (count[c])
    );
    assign keeps_credit[c] = count[c] > CountW'(sent && channel[class_sent] == ChannelW'(c));
  end

  for (genvar k = 0; k < int'(NumClasses); k++) begin : gen_class
    always_comb begin
      channel[k] = channel_q[k];
      if (!holds_q[k]) begin
        for (int unsigned c = PerClass; c > 0; c--) begin
          if (has_credit[k*PerClass + c - 1]) channel[k] = ChannelW'(k * PerClass + c - 1);
        end
      end
      can[k] = valid_i[k] && (holds_q[k] ? has_credit[channel_q[k]] : has_credit[k*PerClass +: PerClass] != '0);
    end
    always_comb begin
      next_holds[k]   = holds_q[k];
      next_channel[k] = channel[k];
      if (ready_o[k]) begin
        next_holds[k] = 1'b1;
        if (flit_i[k].tail) begin
          next_holds[k] = turn_q == 1'(k) && next_i[k] && keeps_credit[k*PerClass +: PerClass] != '0;
          for (int unsigned c = PerClass; c > 0; c--) begin
            if (keeps_credit[k*PerClass + c - 1]) next_channel[k] = ChannelW'(k * PerClass + c - 1);
          end
        end
      end
    end
    assign ready_o[k] = sent && class_sent == 1'(k);
  end

  assign class_sent = can[turn_q] ? turn_q : !turn_q;
  assign sent       = can != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q  <= 1'b0;
      holds_q <= '0;
      valid_o <= 1'b0;
    end else begin
      if (sent) turn_q <= !class_sent;
      holds_q <= next_holds;
      valid_o <= sent;
    end
  end
  always_ff @(posedge clk_i) begin
    channel_q <= next_channel;
    channel_o <= channel[class_sent];
    flit_o    <= flit_i[class_sent];
  end

  ////////////////
  // Assertions //
  ////////////////

  logic [NumClasses-1:0] inside_q;  // a packet's tail is still to come

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= '0;
    else if (sent) inside_q[class_sent] <= !flit_i[class_sent].tail;
  end
  for (genvar k = 0; k < int'(NumClasses); k++) begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!ready_o[k] || valid_i[k]);
        assert (!ready_o[k] || flit_i[k].head != inside_q[k]);  // packets come whole
        assert (!inside_q[k] || holds_q[k]);
        assert (!holds_q[k] || 32'(channel_q[k]) / PerClass == k);
      end
    end
  end
endmodule
