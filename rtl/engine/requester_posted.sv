// Origin, posted requests: the host's posted packets become packets of the network, in order.
//
// Fence needs nothing more: posted packets of all units share this queue and never pass each other.
// What is not claimed, illegal or not to be forwarded is dropped with its data and counted: nobody
// would hear an error.
//
// Invariants: packets leave in the order in which they came; this unit waits for the posted channel
// of the network and nothing else.
module requester_posted
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [NodeW-1:0]  node_id_i,
  input  logic              enable_i,
  /// The host's queue.
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  request_t          cmd_i,
  input  logic [3:0]        cmd_beats_i,
  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [63:0]       data_i,
  /// Question to translate; its answer.
  output logic              ask_valid_o,
  input  logic              ask_ready_i,
  output logic [AddrW-1:0]  ask_addr_o,
  input  logic              answer_valid_i,
  input  logic              answer_ok_i,
  input  logic [NodeW-1:0]  answer_node_i,
  input  logic [AddrW-1:0]  answer_addr_i,
  /// To the network.
  output logic              valid_o,
  input  logic              ready_i,
  output net_beat_t         beat_o,
  output logic              last_o,
  /// A packet has gone or been dropped.
  output logic              done_o,
  /// A write has gone, to this node: prefetched copies of its line are stale. Not before: a copy that is
  /// fetched behind the write's translation might still overtake it.
  output logic              sent_o,
  output logic [NodeW-1:0]  sent_node_o,
  output logic [AddrW-7:0]  sent_line_o,
  /// Counted.
  output logic              dropped_o,
  output logic              fence_o,
  output logic              non_forwarded_o
);
  localparam int unsigned Depth = 8;  // what is being translated and what waits behind it

  typedef struct packed {
    logic [5:0]  cmd;
    logic [3:0]  count;
    logic [9:0]  tag;
    logic [3:0]  seq_id;
    logic        pass_pw;
    logic [3:0]  beats;
    logic        legal;
    logic        in_reach;
    logic [AddrW-7:0] line;
  } info_t;
  typedef struct packed {
    logic             ok;
    logic [NodeW-1:0] node;
    logic [AddrW-1:0] addr;
  } result_t;

  ////////////
  // Asking //
  ////////////

  info_t   info_d, info;
  result_t result;
  logic    info_ready, info_valid, result_valid, unused_result_ready, pop;
  logic [$clog2(Depth):0] unused_info_level, unused_result_level;

  assign info_d = '{
    cmd: cmd_i.cmd, count: cmd_i.count, tag: {cmd_i.unit_id, cmd_i.src_tag},
    seq_id: {cmd_i.seq_hi, cmd_i.seq_lo}, pass_pw: cmd_i.pass_pw, beats: cmd_beats_i,
    legal: is_posted_write(cmd_i.cmd) && is_legal(cmd_i.cmd, cmd_i.count, cmd_i.addr[3:0]),
    in_reach: in_reach(cmd_i),
    line: ask_addr_o[AddrW-1:6]
  };
  assign ask_addr_o  = request_addr(cmd_i);
  assign ask_valid_o = cmd_valid_i && info_ready && enable_i;
  assign cmd_ready_o = ask_valid_o && ask_ready_i;

  fifo #(.Width($bits(info_t)), .Depth(Depth)) u_info (
    .clk_i, .rst_ni, .valid_i(cmd_ready_o), .ready_o(info_ready), .data_i(info_d),
    .valid_o(info_valid), .ready_i(pop), .data_o(info), .level_o(unused_info_level)
  );
  fifo #(.Width($bits(result_t)), .Depth(Depth)) u_result (
    .clk_i, .rst_ni, .valid_i(answer_valid_i), .ready_o(unused_result_ready),
    .data_i({answer_ok_i, answer_node_i, answer_addr_i}),
    .valid_o(result_valid), .ready_i(pop), .data_o(result), .level_o(unused_result_level)
  );

  /////////////
  // Sending //
  /////////////

  net_header_t header, joined_header;
  logic        send, joined_has_data, joined_sop, join_done;
  logic [63:0] joined_data;

  always_comb begin
    header = '0;
    header.cmd     = info.cmd;
    header.count   = info.count;
    header.pass_pw = info.pass_pw;
    header.dest    = result.node;
    header.src     = node_id_i;
    header.tag     = {1'b0, info.tag};
    header.seq_id  = info.seq_id;
    header.addr_lo = result.addr[31:2];
    header.addr_hi = result.addr[47:32];
  end
  assign send = info.legal && info.in_reach && result.ok;

  packet_join #(.CmdWidth(NetHeaderW)) u_join (
    .clk_i, .rst_ni,
    .cmd_valid_i(info_valid && result_valid), .cmd_ready_o(pop), .cmd_i(header),
    .cmd_beats_i(info.beats), .cmd_drop_i(!send),
    .data_valid_i, .data_ready_o, .data_i,
    .valid_o, .ready_i, .cmd_o(joined_header), .data_o(joined_data), .has_data_o(joined_has_data),
    .sop_o(joined_sop), .last_o, .done_o(join_done)
  );
  assign beat_o = '{sop: joined_sop, has_data: joined_has_data, data: joined_data, header: joined_header};

  assign done_o          = join_done;
  assign sent_o          = join_done && send;
  assign sent_node_o     = result.node;
  assign sent_line_o     = info.line;
  assign fence_o         = join_done && info.cmd == CmdFence;
  assign non_forwarded_o = join_done && !is_posted_write(info.cmd) && info.cmd != CmdFence;
  assign dropped_o       = join_done && is_posted_write(info.cmd) && !send;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!answer_valid_i || unused_result_ready);
      assert (unused_result_level <= unused_info_level);
    end
  end
endmodule
