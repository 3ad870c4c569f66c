// The crossbar: one flit of an input, one to an output, only with a credit, to the output and channel of
// its packet; an output that somebody can send to is idle only if each such input sends elsewhere, or
// proposed another of its channels; and what ends is said. For any offers and credits. One of two of a
// class each, as two channels a class differ from one in width only.
module noc_switch_alloc_proof
  import noc_pkg::*;
(
  input logic                           clk_i,
  input logic [NumPorts-1:0][1:0]       offer_i,
  input logic [NumPorts-1:0][1:0][2:0]  port_i,
  input logic [NumPorts-1:0][1:0]       channel_i,
  input logic [NumPorts-1:0][1:0]       tail_i,
  input logic [NumPorts-1:0][1:0]       credit_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumPorts-1:0][1:0]               offer, take, ends, want_ends;
  logic [NumPorts-1:0][1:0][NumPorts-1:0] goal;
  logic [NumPorts-1:0]                    send, send_channel, want_send, able;
  logic [NumPorts-1:0][NumPorts-1:0]      select, want_select;
  logic                                   wrong;

  always_comb begin
    for (int unsigned i = 0; i < NumPorts; i++) begin
      for (int unsigned c = 0; c < 2; c++) begin
        goal[i][c]  = NumPorts'(1) << port_i[i][c];
        offer[i][c] = offer_i[i][c] && port_i[i][c] < 3'd5 && (goal[i][c] & Turns[i]) != '0;
      end
    end
  end
  noc_switch_alloc #(.PerClass(1)) u_alloc (
    .clk_i, .rst_ni, .offer_i(offer), .output_i(goal), .output_channel_i(channel_i), .tail_i, .take_o(take),
    .has_credit_i(credit_i), .send_o(send), .select_o(select), .send_channel_o(send_channel), .release_o(ends)
  );

  // What the flits taken mean for the outputs.
  always_comb begin
    want_send   = '0;
    want_select = '0;
    want_ends   = '0;
    able        = '0;
    wrong       = 1'b0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      wrong = wrong || take[i] == 2'b11;
      for (int unsigned c = 0; c < 2; c++) begin
        for (int unsigned o = 0; o < NumPorts; o++) begin
          if (offer[i][c] && goal[i][c][o] && credit_i[o][channel_i[i][c]]) able[i] = 1'b1;
          if (take[i][c] && goal[i][c][o]) begin
            wrong = wrong || want_send[o] || !offer[i][c] || !credit_i[o][channel_i[i][c]] || send_channel[o] != channel_i[i][c];
            want_send[o]      = 1'b1;
            want_select[o][i] = 1'b1;
            if (tail_i[i][c]) want_ends[o][channel_i[i][c]] = 1'b1;
          end
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!wrong);
      assert (send == want_send && select == want_select && ends == want_ends);
      assert ((able != '0) == (send != '0));  // somebody goes if anybody can
    end
  end
  // Who can go and does not was beaten at an output that is busy: each of its channels that can go wants
  // an output that sends, or another of its channels was proposed, to one that sends.
  for (genvar i = 0; i < int'(NumPorts); i++) begin : gen_input
    logic beaten;
    always_comb begin
      beaten = 1'b0;
      for (int unsigned c = 0; c < 2; c++) begin
        for (int unsigned o = 0; o < NumPorts; o++) begin
          if (offer[i][c] && goal[i][c][o] && credit_i[o][channel_i[i][c]] && send[o]) beaten = 1'b1;
        end
      end
    end
    always_ff @(posedge clk_i) if (rst_ni) assert (!able[i] || take[i] != '0 || beaten);
  end
endmodule
