// Origin, responses: a response of the network finds its request in the origin table by tag and
// generation, and goes to the host or to the unit of the engine that asked. One that nobody waits for
// any more is dropped and counted: late, if its generation is an old one, else stray.
//
// Invariants: each request gets exactly one response: from the network, or from its time-out; data of
// a response that is not what was asked for never reaches the host.
module completer_response
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  /// The network's queue, behind its order gate.
  input  logic              header_valid_i,
  output logic              header_ready_o,
  input  net_header_t       header_i,
  input  logic [3:0]        header_beats_i,
  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [63:0]       data_i,
  /// Origin table.
  output logic              close_valid_o,
  input  logic              close_ready_i,
  output logic [OriginTagW-1:0] close_tag_o,
  output logic [GenW-1:0]   close_gen_o,
  input  logic              closed_valid_i,
  input  logic              closed_hit_i,
  input  logic              closed_late_i,
  input  outstanding_t      closed_entry_i,
  /// Data to the host's response channel.
  output logic              valid_o,
  input  logic              ready_i,
  output host_beat_t        beat_o,
  output logic              last_o,
  /// Answers without data.
  output logic              answer_valid_o,
  input  logic              answer_ready_i,
  output answer_t           answer_o,
  /// To the engine's own units: beats, err with the last (and only) beat of a failed request.
  output logic              own_valid_o,
  input  logic              own_ready_i,
  output logic [9:0]        own_tag_o,
  output logic [63:0]       own_data_o,
  output logic              own_last_o,
  output err_e              own_err_o,
  /// A packet is gone (for the order gate it left when its header did).
  output logic              packet_done_o,
  /// Counted.
  output logic              late_o,
  output logic              stray_o,
  output logic              bad_o
);
  typedef enum logic [1:0] {ToHost, ToAnswer, ToOwn} route_e;

  response_head_t        head_d, head;
  outstanding_t          entry;
  route_e                route;
  logic [OriginTagW-1:0] tag;
  logic                  join_valid, join_ready, join_has_data, join_sop, join_last;
  logic [63:0]           join_data;

  assign head_d = '{
    beats: header_beats_i, count: header_i.count, is_data: header_i.cmd == CmdRdResp, err: header_i.err,
    pass_pw: header_i.pass_pw
  };
  assign close_tag_o = header_i.tag;
  assign close_gen_o = header_i.gen;

  response_match #(.EntryW($bits(outstanding_t)), .ExtraW(OriginTagW)) u_match (
    .clk_i, .rst_ni, .valid_i(header_valid_i), .ready_o(header_ready_o), .head_i(head_d), .extra_i(header_i.tag),
    .data_valid_i, .data_ready_o, .data_i,
    .close_valid_o, .close_ready_i, .closed_valid_i, .closed_hit_i, .closed_late_i,
    .asked_is_read_i(closed_entry_i.is_read), .asked_count_i(closed_entry_i.count), .entry_i(closed_entry_i),
    .valid_o(join_valid), .ready_i(join_ready), .head_o(head), .extra_o(tag), .entry_o(entry),
    .data_o(join_data), .has_data_o(join_has_data), .sop_o(join_sop), .last_o(join_last),
    .done_o(packet_done_o), .late_o, .stray_o, .bad_o
  );

  always_comb begin
    if (tag[OriginTagW-1]) route = ToOwn;
    else if (head.err == ErrNone && head.is_data) route = ToHost;
    else route = ToAnswer;
  end

  response_t response;
  logic      own_error;
  assign response = host_response(CmdRdResp, head.count, tag[HostTagW-1:0],
                                  head.pass_pw, ErrNone);
  assign beat_o   = '{sop: join_sop, has_data: join_has_data, data: join_data, cmd: response};
  assign last_o   = join_last;
  assign valid_o  = join_valid && route == ToHost;

  // An answer is given with the last beat of data that is thrown away.
  assign answer_valid_o = join_valid && route == ToAnswer && join_last;
  assign answer_o = '{tag: tag[HostTagW-1:0], is_read: entry.is_read, count: entry.count,
                      pass_pw: head.pass_pw, err: head.err};

  // Of a failed request the own unit sees one beat.
  assign own_error   = head.err != ErrNone;
  assign own_valid_o = join_valid && route == ToOwn && (!own_error || join_last);
  assign own_tag_o   = tag[9:0];
  assign own_data_o  = join_data;
  assign own_last_o  = join_last;
  assign own_err_o   = head.err;

  always_comb begin
    unique case (route)
      ToHost:   join_ready = ready_i;
      ToAnswer: join_ready = !join_last || answer_ready_i;
      default:  join_ready = (own_error && !join_last) || own_ready_i;
    endcase
  end
endmodule
