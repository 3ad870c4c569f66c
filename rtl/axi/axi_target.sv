// Requests of the engine to the own host, on an AXI4 master port: the memory that other nodes reach.
// A non-posted request whose PassPW is clear begins when the posted writes that came before it are
// visible; a Flush is answered then.
//
// Invariants: posted writes wait for the memory and nothing else; each non-posted request is answered
// once.
module axi_target
  import ht_pkg::*;
  import engine_pkg::*;
#(
  parameter int unsigned PostedInFlight = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// From the engine: posted and non-posted channel, and credits for it.
  input  logic [1:0]           cmd_valid_i,
  input  logic [1:0][CmdW-1:0] cmd_i,
  input  logic [1:0]           data_valid_i,
  input  logic [1:0][63:0]     data_i,
  output logic [1:0]           cmd_credit_o,
  output logic [1:0]           data_credit_o,
  /// AXI4.
  output logic             aw_valid_o,
  input  logic             aw_ready_i,
  output logic             aw_id_o,
  output logic [AddrW-1:0] aw_addr_o,
  output logic [7:0]       aw_len_o,
  output logic             w_valid_o,
  input  logic             w_ready_i,
  output logic [63:0]      w_data_o,
  output logic [7:0]       w_strb_o,
  output logic             w_last_o,
  input  logic             b_valid_i,
  output logic             b_ready_o,
  input  logic             b_id_i,
  input  logic [1:0]       b_resp_i,
  output logic             ar_valid_o,
  input  logic             ar_ready_i,
  output logic [AddrW-1:0] ar_addr_o,
  output logic [7:0]       ar_len_o,
  input  logic             r_valid_i,
  output logic             r_ready_o,
  input  logic [63:0]      r_data_i,
  input  logic [1:0]       r_resp_i,
  input  logic             r_last_i,
  /// A posted write failed in the memory: nobody else hears of it.
  output logic             posted_error_o,
  /// Responses to the engine.
  output logic             valid_o,
  input  logic             ready_i,
  output host_beat_t       beat_o
);
  ////////////
  // Queues //
  ////////////

  logic     [1:0]       cmd_valid, cmd_ready, data_valid, data_ready, store_valid, store_ready;
  request_t [1:0]       cmd;
  logic     [1:0][3:0]  beats;
  logic     [1:0][63:0] data;
  logic                 data_last;

  for (genvar v = 0; v < 2; v++) begin : gen_queue
    request_t arriving;
    logic [$clog2(HostCredits):0] unused_level;
    assign arriving = cmd_i[v];
    vc_queue #(.CmdWidth(CmdW), .Depth(HostCredits)) u_queue (
      .clk_i, .rst_ni, .cmd_valid_i(cmd_valid_i[v]), .cmd_i(arriving),
      .cmd_beats_i(data_beats(arriving.cmd, arriving.count)),
      .data_valid_i(data_valid_i[v]), .data_i(data_i[v]), .commit_i(1'b1), .abort_i(1'b0),
      .cmd_valid_o(cmd_valid[v]), .cmd_ready_i(cmd_ready[v]), .cmd_o(cmd[v]), .cmd_beats_o(beats[v]),
      .data_valid_o(data_valid[v]), .data_ready_i(data_ready[v]), .data_o(data[v]), .level_o(unused_level)
    );
    assign cmd_credit_o[v] = cmd_valid[v] && cmd_ready[v];
    assign data_credit_o[v] = data_valid[v] && data_ready[v] && data_last;
  end

  ////////////
  // Choice //
  ////////////

  logic posted_done, gate_ok, go, is_load, is_store, load_ready, flush_ready;
  order_gate #(.OlderDepth(2 * HostCredits), .YoungerDepth(HostCredits)) u_gate (
    .clk_i, .rst_ni, .older_push_i(cmd_valid_i[0]), .older_done_i(posted_done),
    .younger_push_i(cmd_valid_i[1]), .younger_pass_i(cmd_i[1][15]),
    .younger_ok_o(gate_ok), .younger_pop_i(cmd_credit_o[1])
  );
  assign go       = cmd_valid[1] && gate_ok;
  assign is_load  = is_read(cmd[1].cmd);
  assign is_store = is_np_write(cmd[1].cmd);

  assign store_valid  = {go && is_store, cmd_valid[0]};
  assign cmd_ready[0] = store_ready[0];
  assign cmd_ready[1] = gate_ok && (is_store ? store_ready[1] : is_load ? load_ready : flush_ready);

  ////////////
  // Memory //
  ////////////

  logic [2:0]       answer_valid, answer_ready;
  host_beat_t [2:0] answer;
  logic             load_last, unused_last;
  err_e             flush_err;

  axi_store #(.PostedInFlight(PostedInFlight)) u_store (
    .clk_i, .rst_ni, .cmd_valid_i(store_valid), .cmd_ready_o(store_ready), .cmd_i(cmd), .cmd_beats_i(beats),
    .data_valid_i(data_valid), .data_ready_o(data_ready), .data_i(data),
    .data_last_o(data_last), .aw_valid_o, .aw_ready_i, .aw_id_o, .aw_addr_o, .aw_len_o, .w_valid_o, .w_ready_i, .w_data_o,
    .w_strb_o, .w_last_o, .b_valid_i, .b_ready_o, .b_id_i, .b_resp_i,
    .posted_done_o(posted_done), .posted_error_o,
    .valid_o(answer_valid[0]), .ready_i(answer_ready[0]), .beat_o(answer[0])
  );
  axi_load u_load (
    .clk_i, .rst_ni, .cmd_valid_i(go && is_load), .cmd_ready_o(load_ready), .cmd_i(cmd[1]),
    .ar_valid_o, .ar_ready_i, .ar_addr_o, .ar_len_o, .r_valid_i, .r_ready_o, .r_data_i, .r_resp_i, .r_last_i,
    .valid_o(answer_valid[1]), .ready_i(answer_ready[1]), .beat_o(answer[1]), .last_o(load_last)
  );
  // Flush; the engine hands nothing else on, and what it might would be answered with an error.
  assign flush_err       = cmd[1].cmd == CmdFlush ? ErrNone : ErrTargetAbort;
  assign answer_valid[2] = go && !is_load && !is_store;
  assign flush_ready     = answer_ready[2];
  assign answer[2] = '{sop: 1'b1, has_data: 1'b0, data: '0,
                       cmd: host_response(CmdTgtDone, '0, {cmd[1].unit_id, cmd[1].src_tag}, 1'b0, flush_err)};

  packet_mux #(.N(3), .Width(HostBeatW)) u_answers (
    .clk_i, .rst_ni, .valid_i(answer_valid), .ready_o(answer_ready), .data_i(answer),
    .last_i({1'b1, load_last, 1'b1}), .valid_o, .ready_i, .data_o(beat_o), .last_o(unused_last)
  );

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!cmd_credit_o[1] || is_load || is_store || cmd[1].cmd == CmdFlush);
      assert (!cmd_credit_o[0] || is_posted_write(cmd[0].cmd));
    end
  end
endmodule
