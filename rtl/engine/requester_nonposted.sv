// Origin, non-posted requests: those of the host, and those that the engine makes itself (prefetch,
// bulk reads, flush probes), become packets of the network. Each opens its tag in the origin table,
// which finds it again by its response or gives it up after its time.
//
// A Flush of the host goes to the flush unit, in its place. What is not claimed or illegal is
// answered with an error, its data dropped. A target whose quota is used up holds the queue back.
//
// Invariants: every request of the host leads to exactly one of packet, answer and duplicate; a packet
// leaves only with its tag open. Waits for tags, quotas, the network's non-posted channel and the
// host's responses, never for the posted channel but in the order gate before it.
module requester_nonposted
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [NodeW-1:0]  node_id_i,
  input  logic              enable_i,
  input  logic [10:0]       quota_i,
  /// The host's queue, behind its order gate.
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  request_t          cmd_i,
  input  logic [3:0]        cmd_beats_i,
  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [63:0]       data_i,
  output logic              data_last_o,
  /// The engine's own reads of whole lines: prefetch and bulk.
  input  logic [1:0]        own_valid_i,
  output logic [1:0]        own_ready_o,
  input  logic [1:0][AddrW-7:0] own_line_i,
  input  logic [1:0][7:0]   own_id_i,
  /// An own read was not claimed, or its interval does not allow prefetch.
  output logic [1:0]        own_refused_o,
  output logic [7:0]        own_refused_id_o,
  /// Question to translate; its answer.
  output logic              ask_valid_o,
  input  logic              ask_ready_i,
  output logic [AddrW-1:0]  ask_addr_o,
  output logic              ask_write_o,
  input  logic              answer_valid_i,
  input  logic              answer_ok_i,
  input  logic              answer_prefetch_i,
  input  logic [NodeW-1:0]  answer_node_i,
  input  logic [AddrW-1:0]  answer_addr_i,
  /// A read of the host that may be prefetched was translated.
  output logic              train_o,
  output logic [AddrW-1:0]  train_addr_o,
  /// Flush probes, ready to send; a Flush of the host.
  input  logic              probe_valid_i,
  output logic              probe_ready_o,
  input  logic [NodeW-1:0]  probe_node_i,
  input  logic [7:0]        probe_id_i,
  output logic              flush_valid_o,
  input  logic              flush_ready_i,
  output logic [HostTagW-1:0] flush_tag_o,
  output logic              flush_pass_pw_o,
  /// Origin table.
  output logic              open_valid_o,
  input  logic              open_ready_i,
  output logic [OriginTagW-1:0] open_tag_o,
  output outstanding_t      open_entry_o,
  input  logic              opened_valid_i,
  input  logic              opened_busy_i,
  input  logic [GenW-1:0]   opened_gen_i,
  /// A tag of a target of this node has been closed.
  input  logic              closed_i,
  input  logic [NodeW-1:0]  closed_node_i,
  /// Answers to the host without the network.
  output logic              refuse_valid_o,
  input  logic              refuse_ready_i,
  output answer_t           refuse_o,
  /// To the network.
  output logic              valid_o,
  input  logic              ready_i,
  output net_beat_t         beat_o,
  output logic              last_o,
  /// Counted.
  output logic              refused_o,
  output logic              duplicate_o,
  output logic              non_forwarded_o
);
  localparam int unsigned Depth = 8;

  typedef struct packed {
    logic [5:0]  cmd;
    logic [3:0]  count;
    logic [OriginTagW-1:0] tag;
    logic [3:0]  seq_id;
    logic        pass_pw;
    logic [3:0]  beats;
    logic        legal;
    logic        in_reach;
    logic [AddrW-7:0] line;  // of the host's address, for prefetch
  } info_t;
  typedef struct packed {
    logic             ok;
    logic             prefetch;
    logic [NodeW-1:0] node;
    logic [AddrW-1:0] addr;
  } result_t;

  ////////////
  // Asking //
  ////////////

  logic    head_valid_q;
  info_t   info_d, info;
  result_t result, result_d, result_queued;
  logic    info_ready, info_valid, result_valid, unused_result_ready, pop;
  logic [$clog2(Depth):0] unused_info_level, unused_result_level;
  logic [2:0] ask_request, ask_grant;
  logic [1:0] unused_ask_index;
  logic       ask_take;

  assign ask_request = {own_valid_i, cmd_valid_i} & {3{info_ready && enable_i}};
  assign ask_valid_o = ask_request != '0;
  assign ask_take    = ask_valid_o && ask_ready_i;
  round_robin #(.N(3)) u_ask (
    .clk_i, .rst_ni, .request_i(ask_request), .take_i(ask_take), .grant_o(ask_grant),
    .index_o(unused_ask_index)
  );
  assign cmd_ready_o = ask_grant[0] && ask_ready_i;
  assign own_ready_o = ask_grant[2:1] & {2{ask_ready_i}};

  always_comb begin
    if (ask_grant[0]) begin
      info_d = '{
        cmd: cmd_i.cmd, count: cmd_i.count, tag: {1'b0, cmd_i.unit_id, cmd_i.src_tag},
        seq_id: {cmd_i.seq_hi, cmd_i.seq_lo}, pass_pw: cmd_i.pass_pw, beats: cmd_beats_i,
        legal: (is_np_write(cmd_i.cmd) || is_read(cmd_i.cmd) || cmd_i.cmd == CmdAtomic) &&
               is_legal(cmd_i.cmd, cmd_i.count, cmd_i.addr[3:0]),
        in_reach: in_reach(cmd_i), line: '0
      };
      ask_addr_o  = request_addr(cmd_i);
      ask_write_o = !is_read(cmd_i.cmd);
    end else begin
      info_d = '{
        cmd: CmdRd | 6'b000100, count: 4'd15,
        tag: {1'b1, ask_grant[1] ? OwnPrefetch : OwnBulk, ask_grant[1] ? own_id_i[0] : own_id_i[1]},
        // A copy must not be older than a write that went before its read.
        seq_id: '0, pass_pw: !ask_grant[1], beats: '0, legal: 1'b1, in_reach: 1'b1, line: '0
      };
      ask_addr_o  = {ask_grant[1] ? own_line_i[0] : own_line_i[1], 6'd0};
      ask_write_o = 1'b0;
    end
    info_d.line = ask_addr_o[AddrW-1:6];
  end

  fifo #(.Width($bits(info_t)), .Depth(Depth)) u_info (
    .clk_i, .rst_ni, .valid_i(ask_take), .ready_o(info_ready), .data_i(info_d),
    .valid_o(info_valid), .ready_i(pop), .data_o(info), .level_o(unused_info_level)
  );
  assign result_d = {answer_ok_i, answer_prefetch_i, answer_node_i, answer_addr_i};
  assign result   = result_valid ? result_queued : result_d;
  fifo #(.Width($bits(result_t)), .Depth(Depth)) u_result (
    .clk_i, .rst_ni, .valid_i(answer_valid_i && (result_valid || head_valid_q)), .ready_o(unused_result_ready),
    .data_i(result_d), .valid_o(result_valid), .ready_i(pop), .data_o(result_queued), .level_o(unused_result_level)
  );

  //////////
  // Head //
  //////////

  // The oldest request, and what is to become of it, in registers.
  typedef struct packed {
    net_header_t  header;
    outstanding_t entry;
    logic [3:0]   beats;
    logic         send;
    logic         refuse;
    logic         own_refuse;
    logic         flush;
    logic         forwarded;   // of a kind that can be sent at all
    answer_t      refusal;
  } head_t;

  head_t head_d, head_q;
  logic  head_leave, is_own, is_flush, claimed, own_allowed;

  assign is_own      = info.tag[OriginTagW-1];
  assign is_flush    = !is_own && info.cmd == CmdFlush;
  assign claimed     = info.in_reach && result.ok;
  assign own_allowed = !is_own || info.tag[9:8] != OwnPrefetch || result.prefetch;

  always_comb begin
    head_d = '0;
    head_d.header.cmd     = info.cmd;
    head_d.header.count   = info.count;
    head_d.header.pass_pw = info.pass_pw;
    head_d.header.dest    = result.node;
    head_d.header.src     = node_id_i;
    head_d.header.tag     = info.tag;
    head_d.header.seq_id  = info.seq_id;
    head_d.header.addr_lo = result.addr[31:2];
    head_d.header.addr_hi = result.addr[47:32];
    head_d.refusal = '{
      tag: info.tag[HostTagW-1:0], is_read: is_read(info.cmd) || info.cmd == CmdAtomic,
      count: response_count(info.cmd, info.count), pass_pw: info.pass_pw,
      err: info.legal ? ErrMasterAbort : ErrTargetAbort
    };
    head_d.entry = '{node: result.node, is_read: head_d.refusal.is_read, count: head_d.refusal.count,
                     pass_pw: info.pass_pw};
    head_d.beats      = info.beats;
    head_d.flush      = is_flush;
    head_d.send       = !is_flush && info.legal && claimed && own_allowed;
    head_d.refuse     = !is_flush && !is_own && !(info.legal && claimed);
    head_d.own_refuse = is_own && !(claimed && own_allowed);
    head_d.forwarded  = is_np_write(info.cmd) || is_read(info.cmd) || info.cmd == CmdAtomic;
  end

  // Refilled the cycle after it has gone: an opening takes three cycles in any case.
  // An answer for which the head is free does not wait in the queue.
  assign pop = info_valid && (result_valid || answer_valid_i) && !head_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      train_o      <= 1'b0;
    end else begin
      head_valid_q <= head_valid_q ? !head_leave : pop;
      train_o      <= pop && !is_own && head_d.send && result.prefetch && is_read(info.cmd);
    end
  end
  always_ff @(posedge clk_i) begin
    if (pop) begin
      head_q       <= head_d;
      train_addr_o <= {info.line, result.addr[5:0]};
    end
  end

  /////////////
  // Opening //
  /////////////

  // What the join does with the packet's data. The packets of one queue stay in order.
  typedef struct packed {
    net_header_t header;
    logic [3:0]  beats;
    logic        drop;
  } ready_t;

  localparam int unsigned Settle = 4;  // cycles until the quota's counter knows

  logic    idle, from_probe, open_1_q, open_2_q, open_probe_q, open_take, refuse_take, own_refuse, flush_take;
  logic    ready_push, ready_full_next, join_pop, join_valid, quota_ok, quota_ready, quota_within;
  ready_t  ready_d, joined;
  net_header_t header_q;
  logic [3:0]  beats_q;
  logic [1:0]  ready_level;
  logic [2:0] settle_q;

  // One tag at a time is being opened: a request may be of a group that the one before it fills.
  assign idle = !open_1_q && !open_2_q && ready_level != 2'd2;
  // Probes go between requests: they wait for nothing that those hold.
  assign from_probe = probe_valid_i;

  quota_counter #(.GroupW(QuotaGroupW), .CountW(11)) u_quota (
    .clk_i, .rst_ni, .ready_o(quota_ready), .limit_i(quota_i),
    .add_i(open_take), .undo_i(opened_valid_i && opened_busy_i),
    .add_group_i(open_take ? open_entry_o.node[QuotaGroupW-1:0] : header_q.dest[QuotaGroupW-1:0]),
    .remove_i(closed_i), .remove_group_i(closed_node_i[QuotaGroupW-1:0]),
    .group_i(head_q.header.dest[QuotaGroupW-1:0]), .within_o(quota_within)
  );
  assign quota_ok = quota_ready && (quota_i == '0 || (settle_q == '0 && quota_within));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) settle_q <= '0;
    else if (pop || open_take) settle_q <= 3'(Settle);
    else if (settle_q != '0) settle_q <= settle_q - 3'd1;
  end

  assign open_valid_o = idle && (from_probe || (head_valid_q && head_q.send && quota_ok));
  assign open_tag_o   = from_probe ? {1'b1, OwnFlush, probe_id_i} : head_q.header.tag;
  assign open_entry_o = from_probe ? '{node: probe_node_i, is_read: 1'b0, count: '0, pass_pw: 1'b0} : head_q.entry;
  assign open_take     = open_valid_o && open_ready_i;
  assign probe_ready_o = open_take && from_probe;

  // What is not sent takes the same way, so that its data is dropped in its place.
  assign refuse_o       = head_q.refusal;
  assign refuse_valid_o = head_valid_q && head_q.refuse && !from_probe && idle;
  assign refuse_take    = refuse_valid_o && refuse_ready_i;
  assign own_refuse     = head_valid_q && head_q.own_refuse && !from_probe && idle;
  assign flush_valid_o  = head_valid_q && head_q.flush && !from_probe && idle;
  assign flush_take     = flush_valid_o && flush_ready_i;
  assign flush_tag_o     = head_q.refusal.tag;
  assign flush_pass_pw_o = head_q.refusal.pass_pw;

  assign own_refused_o    = own_refuse ? (head_q.header.tag[9:8] == OwnPrefetch ? 2'b01 : 2'b10) : 2'b00;
  assign own_refused_id_o = head_q.header.tag[7:0];

  assign head_leave = (open_take && !from_probe) || refuse_take || own_refuse || flush_take;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_1_q     <= 1'b0;
      open_2_q     <= 1'b0;
      open_probe_q <= 1'b0;
    end else begin
      open_1_q <= open_take;
      open_2_q <= open_1_q;
      if (open_take) open_probe_q <= from_probe;
    end
  end
  always_ff @(posedge clk_i) begin
    if (open_take) begin
      header_q <= head_q.header;
      beats_q  <= head_q.beats;
      if (from_probe) begin
        header_q <= '{cmd: CmdFlush, dest: probe_node_i, src: node_id_i, tag: {1'b1, OwnFlush, probe_id_i},
                      err: ErrNone, default: '0};
        beats_q  <= '0;
      end
    end
  end

  always_comb begin
    ready_d.header     = header_q;
    ready_d.header.gen = opened_gen_i;
    ready_d.beats      = open_2_q ? beats_q : head_q.beats;
    ready_d.drop       = !open_2_q || opened_busy_i;
  end
  assign ready_push = opened_valid_i || refuse_take;

  fifo #(.Width($bits(ready_t)), .Depth(2)) u_ready (
    .clk_i, .rst_ni, .valid_i(ready_push), .ready_o(ready_full_next), .data_i(ready_d),
    .valid_o(join_valid), .ready_i(join_pop), .data_o(joined), .level_o(ready_level)
  );

  /////////////
  // Sending //
  /////////////

  net_header_t joined_header;
  logic        joined_has_data, joined_sop;
  logic [63:0] joined_data;

  packet_join #(.CmdWidth(NetHeaderW)) u_join (
    .clk_i, .rst_ni,
    .cmd_valid_i(join_valid), .cmd_ready_o(join_pop), .cmd_i(joined.header),
    .cmd_beats_i(joined.beats), .cmd_drop_i(joined.drop),
    .data_valid_i, .data_ready_o, .data_i,
    .valid_o, .ready_i, .cmd_o(joined_header), .data_o(joined_data), .has_data_o(joined_has_data),
    .sop_o(joined_sop), .last_o, .done_o(data_last_o)
  );
  assign beat_o = '{sop: joined_sop, has_data: joined_has_data, data: joined_data, header: joined_header};

  assign refused_o       = refuse_take;
  assign duplicate_o     = opened_valid_i && opened_busy_i;
  assign non_forwarded_o = refuse_take && !head_q.forwarded;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!answer_valid_i || unused_result_ready);
      assert (!ready_push || ready_full_next);
      assert (opened_valid_i == open_2_q);
      assert (!(opened_valid_i && opened_busy_i && open_probe_q));  // the flush unit keeps them apart
    end
  end
endmodule
