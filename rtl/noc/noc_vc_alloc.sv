// Gives packets at the heads of input channels a virtual channel of their output, of their own class.
//
// The result is that of asking all input channels one after the other, starting behind the last one that
// got something: each takes a free channel of its class, one with a credit if there is one, and of two
// such the one behind the channel given last at this output (noc_vc_alloc_proof holds it to that). Done
// at once: of each class at most the first two that ask can get something.
//
// Invariants: an output channel is given to one packet at a time and comes free with its tail; who asks
// gets one whenever one of its class is free and nobody else of its class asks for that output.
module noc_vc_alloc
  import noc_pkg::*;
#(
  /// Virtual channels of each class, 1 or 2.
  parameter int unsigned PerClass = 2,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input  logic                                             clk_i,
  input  logic                                             rst_ni,
  /// By input and its channel: a head asks, for which output (one bit); it gets a channel there, this one.
  input  logic [NumPorts-1:0][Channels-1:0]                request_i,
  input  logic [NumPorts-1:0][Channels-1:0][NumPorts-1:0]  route_i,
  output logic [NumPorts-1:0][Channels-1:0]                grant_o,
  output logic [NumPorts-1:0][Channels-1:0][ChannelW-1:0]  grant_channel_o,
  /// By output: channels with a credit; channels whose packet ends in this cycle.
  input  logic [NumPorts-1:0][Channels-1:0]                has_credit_i,
  input  logic [NumPorts-1:0][Channels-1:0]                release_i
);
  localparam int unsigned N = NumPorts * Channels;  // input channels

  logic [N-1:0]                             mask_q;        // those behind the last one that got something
  logic [N-1:0]                             winners;
  logic [NumPorts-1:0][NumClasses-1:0][N-1:0] first, second;
  logic [NumPorts-1:0][NumClasses-1:0]      upper;         // the first one gets the class's upper channel

  function automatic logic [N-1:0] lowest(logic [N-1:0] set);
    return set & (~set + N'(1));
  endfunction
  function automatic logic [N-1:0] highest(logic [N-1:0] set);
    logic [N-1:0] turned;
    for (int unsigned i = 0; i < N; i++) turned[i] = set[N-1-i];
    turned = lowest(turned);
    for (int unsigned i = 0; i < N; i++) highest[i] = turned[N-1-i];
  endfunction
  // The first and the last in turn.
  function automatic logic [N-1:0] leader(logic [N-1:0] set, logic [N-1:0] mask);
    return (set & mask) != '0 ? lowest(set & mask) : lowest(set);
  endfunction
  function automatic logic [N-1:0] trailer(logic [N-1:0] set, logic [N-1:0] mask);
    return (set & ~mask) != '0 ? highest(set & ~mask) : highest(set);
  endfunction

  ////////////////////
  // At each output //
  ////////////////////

  for (genvar o = 0; o < int'(NumPorts); o++) begin : gen_output
    logic [Channels-1:0]         busy_q, given;
    logic [NumClasses-1:0]       lower_last_q;  // the channel given last was the lower one of this class
    logic [NumClasses-1:0][N-1:0] asks;
    logic [NumClasses-1:0]       leads;         // nobody of the other class gets something before
    logic [N-1:0]                last;

    for (genvar k = 0; k < int'(NumClasses); k++) begin : gen_class
      logic [PerClass-1:0] free, better;

      always_comb begin
        free   = ~busy_q[k*PerClass +: PerClass];
        better = (free & has_credit_i[o][k*PerClass +: PerClass]) != '0 ?
                 free & has_credit_i[o][k*PerClass +: PerClass] : free;
        asks[k] = '0;
        for (int unsigned i = 0; i < NumPorts; i++) begin
          for (int unsigned c = k * PerClass; c < (k + 1) * PerClass; c++) begin
            if (Turns[i][o]) begin
              asks[k][i*Channels + c] = request_i[i][c] && route_i[i][c][o] && free != '0;
            end
          end
        end
      end
      assign first[o][k] = leader(asks[k], mask_q);
      assign leads[k]    = (leader(asks[0] | asks[1], mask_q) & asks[k]) != '0;
      if (PerClass == 2) begin : gen_two
        assign second[o][k] = free == '1 ? leader(asks[k] & ~first[o][k], mask_q) : '0;
        assign upper[o][k]  = better[PerClass-1] && (!better[0] || (lower_last_q[k] && leads[k]));
        assign given[k*PerClass +: PerClass] =
            (first[o][k] != '0 ? {upper[o][k], !upper[o][k]} : 2'b00) |
            (second[o][k] != '0 ? {!upper[o][k], upper[o][k]} : 2'b00);
      end else begin : gen_one
        assign second[o][k] = '0;
        assign upper[o][k]  = 1'b0;
        assign given[k]     = first[o][k] != '0;
      end
    end

    assign last = trailer(first[o][0] | second[o][0] | first[o][1] | second[o][1], mask_q);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        busy_q       <= '0;
        lower_last_q <= '0;
      end else begin
        busy_q <= (busy_q | given) & ~release_i[o];
        if (last != '0) begin
          for (int unsigned k = 0; k < NumClasses; k++) begin
            lower_last_q[k] <= ((last & first[o][k]) != '0 && !upper[o][k]) ||
                               ((last & second[o][k]) != '0 && upper[o][k]);
          end
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert ((given & busy_q) == '0);
        assert ((release_i[o] & ~busy_q) == '0);
      end
    end
  end

  /////////////////////////////
  // For each input channel  //
  /////////////////////////////

  always_comb begin
    winners         = '0;
    grant_channel_o = '0;
    for (int unsigned o = 0; o < NumPorts; o++) begin
      for (int unsigned k = 0; k < NumClasses; k++) begin
        winners = winners | first[o][k] | second[o][k];
        for (int unsigned i = 0; i < NumPorts; i++) begin
          for (int unsigned c = 0; c < Channels; c++) begin
            if (first[o][k][i*Channels + c]) begin
              grant_channel_o[i][c] = grant_channel_o[i][c] | ChannelW'(k * PerClass + 32'(upper[o][k]));
            end
            if (second[o][k][i*Channels + c]) begin
              grant_channel_o[i][c] = grant_channel_o[i][c] | ChannelW'(k * PerClass + 32'(!upper[o][k]));
            end
          end
        end
      end
    end
  end
  assign grant_o = winners;

  logic [N-1:0] final_winner;
  assign final_winner = trailer(winners, mask_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mask_q <= '0;
    else if (final_winner != '0) mask_q <= ~(final_winner | (final_winner - N'(1)));
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((winners & ~request_i) == '0);
    end
  end
endmodule
