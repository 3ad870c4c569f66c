// Target, responses (the paper's responder, second half): a response of the host finds in the matching
// store who asked, and becomes a response of the network, the operand of an atomic, or data of a bulk
// transfer. A response with an error, or one that is not what was asked for, goes on as an error
// without data. One that nobody waits for is dropped and counted.
//
// Invariants: each tag is answered exactly once, here or by its time-out; waits for the network's
// response channel, and of bulk data for the posted one; never for a request to be answered.
module responder
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [NodeW-1:0]  node_id_i,
  /// The host's queue, behind its order gate.
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  response_t         cmd_i,
  input  logic [3:0]        cmd_beats_i,
  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [63:0]       data_i,
  /// Matching store.
  output logic              close_valid_o,
  input  logic              close_ready_i,
  output logic [HostTagW-1:0] close_tag_o,
  input  logic              closed_valid_i,
  input  logic              closed_hit_i,
  input  logic              closed_late_i,
  input  match_t            closed_entry_i,
  /// To the network's response channel.
  output logic              valid_o,
  input  logic              ready_i,
  output net_beat_t         beat_o,
  output logic              last_o,
  /// To the atomic unit, which always takes it.
  output logic              atomic_valid_o,
  output logic [5:0]        atomic_slot_o,
  output logic [63:0]       atomic_data_o,
  output err_e              atomic_err_o,
  /// To the bulk unit.
  output logic              bulk_valid_o,
  input  logic              bulk_ready_i,
  output logic [7:0]        bulk_slot_o,
  output logic [63:0]       bulk_data_o,
  output logic              bulk_last_o,
  output err_e              bulk_err_o,
  /// A packet has gone.
  output logic              done_o,
  /// Counted.
  output logic              late_o,
  output logic              stray_o,
  output logic              bad_o
);
  response_head_t head_d, head;
  match_t         entry;
  logic           join_valid, join_ready, join_has_data, join_sop, join_last, failed;
  logic [63:0]    join_data;
  logic           unused_extra;
  net_header_t    header;

  assign head_d = '{
    beats: cmd_beats_i, count: cmd_i.count, is_data: cmd_i.cmd == CmdRdResp,
    err: err_e'({cmd_i.err1, cmd_i.err0}), pass_pw: cmd_i.pass_pw
  };
  assign close_tag_o = {cmd_i.unit_id, cmd_i.src_tag};

  response_match #(.EntryW($bits(match_t)), .ExtraW(1)) u_match (
    .clk_i, .rst_ni, .valid_i(cmd_valid_i), .ready_o(cmd_ready_o), .head_i(head_d), .extra_i(1'b0),
    .data_valid_i, .data_ready_o, .data_i,
    .close_valid_o, .close_ready_i, .closed_valid_i, .closed_hit_i, .closed_late_i,
    .asked_is_read_i(closed_entry_i.is_read), .asked_count_i(closed_entry_i.count), .entry_i(closed_entry_i),
    .valid_o(join_valid), .ready_i(join_ready), .head_o(head), .extra_o(unused_extra), .entry_o(entry),
    .data_o(join_data), .has_data_o(join_has_data), .sop_o(join_sop), .last_o(join_last),
    .done_o, .late_o, .stray_o, .bad_o
  );
  assign failed = head.err != ErrNone;

  always_comb begin
    header = '0;
    header.cmd     = head.is_data && !failed ? CmdRdResp : CmdTgtDone;
    header.count   = head.is_data && !failed ? head.count : 4'd0;
    header.pass_pw = head.pass_pw;
    header.err     = head.err;
    header.dest    = entry.node;
    header.src     = node_id_i;
    header.tag     = entry.tag;
    header.gen     = entry.gen;
  end

  // Of a failed request only the last beat goes on, without its data.
  logic passes;
  assign passes  = !failed || join_last;
  assign valid_o = join_valid && entry.waiter == ForRemote && passes;
  assign last_o  = join_last;
  assign beat_o  = '{sop: join_sop || failed, has_data: join_has_data && !failed, data: join_data, header: header};

  assign atomic_valid_o = join_valid && entry.waiter == ForAtomic && passes;
  assign atomic_slot_o  = entry.tag[5:0];
  assign atomic_data_o  = join_data;
  assign atomic_err_o   = head.err;

  assign bulk_valid_o = join_valid && entry.waiter == ForBulk && passes;
  assign bulk_slot_o  = entry.tag[7:0];
  assign bulk_data_o  = join_data;
  assign bulk_last_o  = join_last;
  assign bulk_err_o   = head.err;

  always_comb begin
    unique case (entry.waiter)
      ForRemote: join_ready = !passes || ready_i;
      ForBulk:   join_ready = !passes || bulk_ready_i;
      default:   join_ready = 1'b1;
    endcase
  end
endmodule
