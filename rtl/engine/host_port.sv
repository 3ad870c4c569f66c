// The host's side: queues for its three channels, with HyperTransport's order between them; beats for it
// while it has room.
//
// Invariants: what the queues offer may go, as far as the order of the host's own packets is concerned;
// each credit goes back once, when its packet is gone.
module host_port
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  /// From the host, by channel; credits for it.
  input  logic [NumVc-1:0]           rx_cmd_valid_i,
  input  logic [NumVc-1:0][CmdW-1:0] rx_cmd_i,
  input  logic [NumVc-1:0]           rx_data_valid_i,
  input  logic [NumVc-1:0][63:0]     rx_data_i,
  output logic [NumVc-1:0]           rx_cmd_credit_o,
  output logic [NumVc-1:0]           rx_data_credit_o,
  /// To the host.
  output logic [NumVc-1:0]           tx_cmd_valid_o,
  output logic [NumVc-1:0][CmdW-1:0] tx_cmd_o,
  output logic [NumVc-1:0]           tx_data_valid_o,
  output logic [NumVc-1:0][63:0]     tx_data_o,
  input  logic [NumVc-1:0]           tx_cmd_credit_i,
  input  logic [NumVc-1:0]           tx_data_credit_i,
  /// The queues' heads. `done` comes with the last beat of a packet.
  output host_head_t [NumVc-1:0]     head_o,
  input  head_take_t [NumVc-1:0]     take_i,
  /// Streams to the host.
  input  host_stream_t [NumVc-1:0]   stream_i,
  output logic [NumVc-1:0]           ready_o
);
  logic [NumVc-1:0] queued, allowed, pop;

  for (genvar v = 0; v < int'(NumVc); v++) begin : gen_channel
    request_t cmd;
    logic [$clog2(HostCredits):0] unused_level;
    assign cmd    = rx_cmd_i[v];
    assign pop[v] = head_o[v].cmd_valid && take_i[v].cmd_ready;
    assign head_o[v].cmd_valid = queued[v] && allowed[v];
    vc_queue #(.CmdWidth(CmdW), .Depth(HostCredits)) u_queue (
      .clk_i, .rst_ni,
      .cmd_valid_i(rx_cmd_valid_i[v]), .cmd_i(cmd), .cmd_beats_i(data_beats(cmd.cmd, cmd.count)),
      .data_valid_i(rx_data_valid_i[v]), .data_i(rx_data_i[v]), .commit_i(1'b1), .abort_i(1'b0),
      .cmd_valid_o(queued[v]), .cmd_ready_i(pop[v]), .cmd_o(head_o[v].cmd), .cmd_beats_o(head_o[v].beats),
      .data_valid_o(head_o[v].data_valid), .data_ready_i(take_i[v].data_ready), .data_o(head_o[v].data),
      .level_o(unused_level)
    );
    assign rx_cmd_credit_o[v]  = pop[v];
    assign rx_data_credit_o[v] = head_o[v].data_valid && take_i[v].data_ready && take_i[v].done;

    // Posted packets wait for nothing.
    if (v == 32'(VcPosted)) begin : gen_posted
      assign allowed[v] = 1'b1;
    end else begin : gen_gate
      order_gate #(.OlderDepth(2 * HostCredits), .YoungerDepth(HostCredits)) u_gate (
        .clk_i, .rst_ni, .older_push_i(rx_cmd_valid_i[VcPosted]), .older_done_i(take_i[VcPosted].done),
        .younger_push_i(rx_cmd_valid_i[v]), .younger_pass_i(cmd.pass_pw),
        .younger_ok_o(allowed[v]), .younger_pop_i(pop[v])
      );
    end

    host_tx u_tx (
      .clk_i, .rst_ni, .valid_i(stream_i[v].valid), .ready_o(ready_o[v]), .beat_i(stream_i[v].beat),
      .cmd_valid_o(tx_cmd_valid_o[v]), .cmd_o(tx_cmd_o[v]), .data_valid_o(tx_data_valid_o[v]),
      .data_o(tx_data_o[v]), .cmd_credit_i(tx_cmd_credit_i[v]), .data_credit_i(tx_data_credit_i[v])
    );
  end
endmodule
