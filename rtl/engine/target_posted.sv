// Target, posted requests: a write of the network goes to the host's posted channel, if a window
// allows it; else it is dropped with its data and counted.
//
// Invariants: writes reach the host in the order in which they came; this unit waits for the host's
// posted channel and nothing else, so the posted channel always drains.
module target_posted
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  window_t [NumWindows-1:0] window_i,
  /// The network's queue.
  input  logic              header_valid_i,
  output logic              header_ready_o,
  input  net_header_t       header_i,
  input  logic [3:0]        header_beats_i,
  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [63:0]       data_i,
  /// To the host's posted channel.
  output logic              valid_o,
  input  logic              ready_i,
  output host_beat_t        beat_o,
  output logic              last_o,
  /// A packet has gone or been dropped.
  output logic              done_o,
  output logic              dropped_o
);
  typedef struct packed {
    request_t   cmd;
    logic [3:0] beats;
    logic       drop;
  } checked_t;

  checked_t          checked_d, checked;
  logic              ok, checked_ready, checked_valid, pop;
  logic [1:0]        unused_level;
  logic [CmdW-1:0]   joined_cmd;
  logic [63:0]       joined_data;
  logic              joined_has_data, joined_sop;

  logic                  held_q, held_ready;
  net_header_t           held_header_q;
  logic [3:0]            held_beats_q;
  logic [NumWindows-1:0] held_by, held_by_q;

  window_check u_check (
    .window_i, .origin_i(header_i.src), .addr_i(net_addr(header_i)), .inside_o(held_by),
    .inside_i(held_by_q), .read_i(1'b0), .write_i(1'b1), .atomic_i(1'b0), .ok_o(ok)
  );
  assign held_ready     = !held_q || checked_ready;
  assign header_ready_o = held_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else if (held_ready) held_q <= header_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (held_ready) begin
      held_header_q <= header_i;
      held_beats_q  <= header_beats_i;
      held_by_q      <= held_by;
    end
  end
  assign checked_d = '{
    cmd: host_request(held_header_q.cmd, held_header_q.count, net_addr(held_header_q),
                      held_header_q.tag[HostTagW-1:0], held_header_q.seq_id, held_header_q.pass_pw),
    beats: held_beats_q, drop: !ok
  };

  fifo #(.Width($bits(checked_t)), .Depth(2)) u_checked (
    .clk_i, .rst_ni, .valid_i(held_q), .ready_o(checked_ready), .data_i(checked_d),
    .valid_o(checked_valid), .ready_i(pop), .data_o(checked), .level_o(unused_level)
  );
  packet_join #(.CmdWidth(CmdW)) u_join (
    .clk_i, .rst_ni,
    .cmd_valid_i(checked_valid), .cmd_ready_o(pop), .cmd_i(checked.cmd), .cmd_beats_i(checked.beats),
    .cmd_drop_i(checked.drop), .data_valid_i, .data_ready_o, .data_i,
    .valid_o, .ready_i, .cmd_o(joined_cmd), .data_o(joined_data), .has_data_o(joined_has_data),
    .sop_o(joined_sop), .last_o, .done_o
  );
  assign beat_o    = '{sop: joined_sop, has_data: joined_has_data, data: joined_data, cmd: joined_cmd};
  assign dropped_o = done_o && checked.drop;
endmodule
