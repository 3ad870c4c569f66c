// Who passes the crossbar: each input proposes one of its channels that has a credit, each output takes
// one proposal. Both choose in turn, and whoever was not taken keeps its turn.
//
// Invariants: at most one flit of an input and to an output; an output that is proposed takes one; no
// flit goes without a credit.
module noc_switch_alloc
  import noc_pkg::*;
#(
  /// Virtual channels of each class.
  parameter int unsigned PerClass = 2,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input  logic                                             clk_i,
  input  logic                                             rst_ni,
  /// By input and its channel, as noc_input has them.
  input  logic [NumPorts-1:0][Channels-1:0]                offer_i,
  input  logic [NumPorts-1:0][Channels-1:0][NumPorts-1:0]  output_i,
  input  logic [NumPorts-1:0][Channels-1:0][ChannelW-1:0]  output_channel_i,
  input  logic [NumPorts-1:0][Channels-1:0]                tail_i,
  output logic [NumPorts-1:0][Channels-1:0]                take_o,
  /// By output: channels with a credit; whether one goes, of which input (one bit), to which channel;
  /// channels whose packet ends.
  input  logic [NumPorts-1:0][Channels-1:0]                has_credit_i,
  output logic [NumPorts-1:0]                              send_o,
  output logic [NumPorts-1:0][NumPorts-1:0]                select_o,
  output logic [NumPorts-1:0][ChannelW-1:0]                send_channel_o,
  output logic [NumPorts-1:0][Channels-1:0]                release_o
);
  logic [NumPorts-1:0][Channels-1:0] ready, proposal;
  logic [NumPorts-1:0][NumPorts-1:0] wanted;   // by output: inputs that propose it
  logic [NumPorts-1:0][NumPorts-1:0] goal;     // by input: the output proposed
  logic [NumPorts-1:0][ChannelW-1:0] channel;  // by input: the channel there
  logic [NumPorts-1:0]               tail, won;

  always_comb begin
    ready = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      for (int unsigned c = 0; c < Channels; c++) begin
        for (int unsigned o = 0; o < NumPorts; o++) begin
          if (Turns[i][o] && output_i[i][c][o]) begin
            ready[i][c] = ready[i][c] | (offer_i[i][c] && has_credit_i[o][output_channel_i[i][c]]);
          end
        end
      end
    end
  end

  for (genvar i = 0; i < int'(NumPorts); i++) begin : gen_input
    logic [ChannelW-1:0] unused_index;
    round_robin #(.N(Channels)) u_propose (
      .clk_i, .rst_ni, .request_i(ready[i]), .take_i(won[i]), .grant_o(proposal[i]), .index_o(unused_index)
    );
    assign take_o[i] = won[i] ? proposal[i] : '0;
  end

  always_comb begin
    goal    = '0;
    channel = '0;
    tail    = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      for (int unsigned c = 0; c < Channels; c++) begin
        if (proposal[i][c]) begin
          goal[i]    = goal[i] | output_i[i][c];
          channel[i] = channel[i] | output_channel_i[i][c];
          tail[i]    = tail[i] | tail_i[i][c];
        end
      end
    end
  end

  for (genvar o = 0; o < int'(NumPorts); o++) begin : gen_output
    logic [$clog2(NumPorts)-1:0] unused_index;
    for (genvar i = 0; i < int'(NumPorts); i++) begin : gen_wanted
      assign wanted[o][i] = Turns[i][o] && goal[i][o];
    end
    round_robin #(.N(NumPorts)) u_take (
      .clk_i, .rst_ni, .request_i(wanted[o]), .take_i(1'b1), .grant_o(select_o[o]), .index_o(unused_index)
    );
    assign send_o[o] = wanted[o] != '0;
  end

  always_comb begin
    won            = '0;
    send_channel_o = '0;
    release_o      = '0;
    for (int unsigned o = 0; o < NumPorts; o++) begin
      won = won | select_o[o];
      for (int unsigned i = 0; i < NumPorts; i++) begin
        if (select_o[o][i]) begin
          send_channel_o[o] = send_channel_o[o] | channel[i];
          for (int unsigned c = 0; c < Channels; c++) begin
            if (tail[i] && channel[i] == ChannelW'(c)) release_o[o][c] = 1'b1;
          end
        end
      end
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_assert
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert ((take_o[p] & (take_o[p] - Channels'(1))) == '0);
        assert ((take_o[p] & ~offer_i[p]) == '0);
        assert ((select_o[p] & (select_o[p] - NumPorts'(1))) == '0);
        assert (!send_o[p] || has_credit_i[p][send_channel_o[p]]);
      end
    end
  end
endmodule
