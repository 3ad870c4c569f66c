// Gives the host a response that has no data from the network: TgtDone, or an error. A read that
// failed is answered with as many dwords as it asked for, all ones, as HyperTransport wants it.
module answer_expander
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  answer_t    answer_i,
  /// To the host's response channel.
  output logic       valid_o,
  input  logic       ready_i,
  output host_beat_t beat_o,
  output logic       last_o
);
  logic [3:0] beat_q, beats;
  response_t  response;

  assign beats    = answer_i.is_read ? data_beats(CmdRdResp, answer_i.count) : 4'd1;
  assign last_o   = beat_q + 4'd1 == beats;
  assign valid_o  = valid_i;
  assign ready_o  = ready_i && last_o && valid_i;
  assign response = host_response(answer_i.is_read ? CmdRdResp : CmdTgtDone,
                                  answer_i.is_read ? answer_i.count : 4'd0,
                                  answer_i.tag, answer_i.pass_pw, answer_i.err);
  assign beat_o   = '{sop: beat_q == '0, has_data: answer_i.is_read, data: '1, cmd: response};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (valid_i && ready_i) beat_q <= last_o ? '0 : beat_q + 4'd1;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (beat_q < beats || !valid_i);
  end
endmodule
