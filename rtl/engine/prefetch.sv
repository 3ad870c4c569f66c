// Origin: reads ahead of the host. The unit sits in the path of the host's non-posted requests. Reads
// that advance by equal steps become a stream, whose next lines are fetched before they are asked for;
// a read that finds its line here is answered here.
//
// There is no coherence between nodes, and a copy is older than the memory it came from. So only
// intervals marked for it are prefetched; own writes (the bulk unit's, too) and atomics throw the copies
// of their line away, Flush and software all copies. A copy is thrown away when it has been read to its
// end.
//
// Invariants: all copies of a line are thrown away together; data that was on its way when its line was thrown away is not
// used; without `enable_i` requests pass untouched.
module prefetch
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Lines held.
  parameter int unsigned Lines = 32
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              enable_i,
  /// Lines ahead of a stream.
  input  logic [5:0]        ahead_i,
  input  logic              invalidate_i,
  /// Requests of the host, in and on.
  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  request_t          cmd_i,
  input  logic [3:0]        cmd_beats_i,
  output logic              cmd_valid_o,
  input  logic              cmd_ready_i,
  output request_t          cmd_o,
  output logic [3:0]        cmd_beats_o,
  /// A posted write to a line has gone, of the host or of the bulk unit.
  input  logic              write_i,
  input  logic [AddrW-7:0]  write_line_i,
  /// A read that missed, in an interval marked for it.
  input  logic              train_i,
  input  logic [AddrW-1:0]  train_addr_i,
  /// Lines to fetch; refused by translation.
  output logic              fetch_valid_o,
  input  logic              fetch_ready_i,
  output logic [AddrW-7:0]  fetch_line_o,
  output logic [7:0]        fetch_id_o,
  input  logic              refused_i,
  input  logic [7:0]        refused_id_i,
  /// Their data.
  input  logic              fill_valid_i,
  input  logic [7:0]        fill_id_i,
  input  logic [63:0]       fill_data_i,
  input  logic              fill_last_i,
  input  err_e              fill_err_i,
  /// Responses to the host.
  output logic              valid_o,
  input  logic              ready_i,
  output host_beat_t        beat_o,
  output logic              last_o,
  /// Counted: a read answered here, a line asked for, a line thrown away unread.
  output logic              hit_o,
  output logic              issue_o,
  output logic              waste_o
);
  localparam int unsigned IdxW = $clog2(Lines);
  localparam int unsigned LineAddrW = AddrW - 6;

  typedef enum logic [1:0] {Free, Pending, Valid, Poisoned} state_e;
  state_e [Lines-1:0]               state_q, state_d;
  logic   [Lines-1:0][LineAddrW-1:0] line_q;
  logic   [Lines-1:0]               read_q, read_d;      // read at least once
  logic   [Lines-1:0]               forward_q, single_q; // which word is the last; one read ends it

  /////////////////////////////
  // Request being looked up //
  /////////////////////////////

  // Cycle 1: compared with all lines. 2: which of those that match have data. 3: one of them. 4: it goes on or
  // is served.
  logic             stage_q, stage_pass, stage_leave, looked_1_q, looked_2_q, looked_3_q, candidate_q;
  request_t         stage_cmd_q;
  logic [3:0]       stage_beats_q;
  logic [Lines-1:0] match_q, match_d, valid_hit_q;
  logic [LineAddrW-1:0] stage_line;
  logic [AddrW-1:0] stage_addr;
  logic             serve_start, serve_idle, may_pass, stage_is_write_q, stage_is_flush_q;
  logic             hit_q, pending_1_q, pending_q, changes, unchanged;
  logic [1:0]       changed_q;
  logic [IdxW-1:0]  hit_d, hit_idx;

  assign stage_addr     = request_addr(stage_cmd_q);
  assign stage_line     = stage_addr[AddrW-1:6];

  always_comb begin
    hit_d = '0;
    // Two streams may have brought the same line: the lowest copy is read.
    for (int i = int'(Lines) - 1; i >= 0; i--) begin
      match_d[i] = line_q[i] == stage_line && state_q[i] != Free;
      if (valid_hit_q[i]) hit_d = IdxW'(i);
    end
  end

  // What was found holds only if no line changed while it was looked for.
  assign unchanged   = changed_q == '0;
  assign may_pass    = looked_3_q && unchanged && (!candidate_q || !(hit_q || pending_q));
  assign serve_start = stage_q && looked_3_q && unchanged && candidate_q && hit_q && serve_idle;
  assign stage_pass  = stage_q && may_pass && cmd_ready_i;
  assign stage_leave = stage_pass || serve_start;

  assign cmd_ready_o = stage_q ? enable_i && stage_leave : enable_i || cmd_ready_i;
  assign cmd_valid_o = stage_q ? may_pass : !enable_i && cmd_valid_i;
  assign cmd_o       = stage_q ? stage_cmd_q : cmd_i;
  assign cmd_beats_o = stage_q ? stage_beats_q : cmd_beats_i;

  logic stage_enter;
  assign stage_enter = enable_i && cmd_valid_i && cmd_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage_q    <= 1'b0;
      looked_1_q <= 1'b0;
      looked_2_q <= 1'b0;
      looked_3_q <= 1'b0;
      match_q    <= '0;
      changed_q  <= '0;
    end else begin
      if (stage_enter) stage_q <= 1'b1;
      else if (stage_leave) stage_q <= 1'b0;
      looked_1_q <= stage_q && !stage_leave;
      looked_2_q <= stage_q && !stage_leave && looked_1_q;
      looked_3_q <= stage_q && !stage_leave && looked_2_q;
      match_q    <= match_d;
      changed_q  <= {changed_q[0], changes};
    end
  end
  always_ff @(posedge clk_i) begin
    // Dword reads that begin on 8 B, within their line.
    candidate_q      <= is_read(stage_cmd_q.cmd) && stage_cmd_q.cmd[2] && !stage_cmd_q.addr[0] && in_reach(stage_cmd_q) &&
                        is_legal(stage_cmd_q.cmd, stage_cmd_q.count, stage_cmd_q.addr[3:0]);
    stage_is_write_q <= is_np_write(stage_cmd_q.cmd) || stage_cmd_q.cmd == CmdAtomic;
    stage_is_flush_q <= stage_cmd_q.cmd == CmdFlush;
    hit_q            <= valid_hit_q != '0;
    hit_idx          <= hit_d;
    pending_1_q      <= 1'b0;
    pending_q        <= pending_1_q;
    for (int unsigned i = 0; i < Lines; i++) begin
      valid_hit_q[i] <= match_q[i] && state_q[i] == Valid;
      if (match_q[i] && state_q[i] == Pending) pending_1_q <= 1'b1;
    end
    if (stage_enter) begin
      stage_cmd_q   <= cmd_i;
      stage_beats_q <= cmd_beats_i;
    end
  end

  /////////////
  // Serving //
  /////////////

  logic            serving_q, out_valid_q, out_sop_q, out_last_q, advance, read_now;
  logic [IdxW-1:0] serve_idx_q, ram_idx;
  logic [2:0]      word_q, ram_word;
  logic [3:0]      left_q;
  response_t       response_q;
  logic [63:0]     ram_out;
  logic [3:0]      stage_last_word;
  logic            ends;

  assign serve_idle = !serving_q && (!out_valid_q || ready_i);
  assign advance    = !out_valid_q || ready_i;
  assign read_now   = serve_start || (serving_q && advance);
  assign ram_idx    = serve_start ? hit_idx : serve_idx_q;
  assign ram_word   = serve_start ? stage_cmd_q.addr[3:1] : word_q;

  logic [2:0] fill_word_q;
  ram_1r1w #(.Width(64), .Depth(Lines * 8)) u_data (
    .clk_i, .wr_valid_i(fill_valid_i && fill_err_i == ErrNone),
    .wr_addr_i({fill_id_i[IdxW-1:0], fill_word_q}), .wr_data_i(fill_data_i),
    .rd_valid_i(read_now), .rd_addr_i({ram_idx, ram_word}), .rd_data_o(ram_out)
  );

  logic [3:0] start_beats;
  assign start_beats = data_beats(CmdRdResp, stage_cmd_q.count);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      serving_q   <= 1'b0;
      out_valid_q <= 1'b0;
      out_sop_q   <= 1'b0;
      out_last_q  <= 1'b0;
      left_q      <= '0;
      word_q      <= '0;
      fill_word_q <= '0;
    end else begin
      if (read_now) begin
        out_valid_q <= 1'b1;
        out_sop_q   <= serve_start;
        out_last_q  <= serve_start ? start_beats == 4'd1 : left_q == 4'd1;
        word_q      <= ram_word + 3'd1;
        left_q      <= (serve_start ? start_beats : left_q) - 4'd1;
        serving_q   <= serve_start ? start_beats != 4'd1 : left_q != 4'd1;
      end else if (ready_i) begin
        out_valid_q <= 1'b0;
      end
      if (fill_valid_i && fill_err_i == ErrNone) fill_word_q <= fill_last_i ? '0 : fill_word_q + 3'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (serve_start) begin
      serve_idx_q <= hit_idx;
      response_q  <= host_response(CmdRdResp, stage_cmd_q.count, {stage_cmd_q.unit_id, stage_cmd_q.src_tag},
                                   stage_cmd_q.cmd[3], ErrNone);
    end
  end
  assign valid_o = out_valid_q;
  assign beat_o  = '{sop: out_sop_q, has_data: 1'b1, data: ram_out, cmd: response_q};
  assign last_o  = out_last_q;
  assign hit_o   = serve_start;

  ////////////////////
  // State of lines //
  ////////////////////

  logic             free_some_q, alloc, alloc_q, reclaim, reclaims_q, reclaim_some_q, fetch_gone;
  logic [2:0]       reclaimed_q;
  logic [IdxW-1:0]  free_idx, free_d, reclaim_q, reclaim_idx_q;
  logic [Lines-1:0] freed_unread, freed_unread_q, free_lines, free_lines_q, stale_q;
  logic             write_q, drop_write_q, drop_flush_q, served_q, served_ends_q, drop_all;
  logic [Lines-1:0] drop_match_q;
  logic [LineAddrW-1:0] write_line_q;
  logic             fetch_q;                 // a line is waiting to be asked for
  logic [IdxW-1:0]  fetch_idx_q;
  logic [LineAddrW-1:0] next_line_q;
  logic             next_forward_q, next_single_q;

  assign stage_last_word = {1'b0, stage_cmd_q.addr[3:1]} + start_beats - 4'd1;
  assign ends = single_q[hit_idx] || (forward_q[hit_idx] ? stage_last_word == 4'd7
                                                         : stage_cmd_q.addr[3:1] == 3'd0);

  // A posted write is compared a cycle later, and its line dropped another one later: a read that must
  // not pass the write comes behind that.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q      <= 1'b0;
      drop_write_q <= 1'b0;
    end else begin
      write_q      <= write_i;
      drop_write_q <= write_q;
    end
  end
  always_ff @(posedge clk_i) begin
    write_line_q <= write_line_i;
    for (int unsigned i = 0; i < Lines; i++) stale_q[i] <= line_q[i] == write_line_q;
  end
  // What leaves the stage changes lines a cycle later: the next request is not compared before that.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      served_q      <= 1'b0;
      served_ends_q <= 1'b0;
      drop_match_q  <= '0;
      drop_flush_q  <= 1'b0;
    end else begin
      served_q      <= serve_start;
      served_ends_q <= serve_start && ends;
      drop_match_q  <= stage_pass && stage_is_write_q ? match_q : '0;
      drop_flush_q  <= stage_pass && stage_is_flush_q;
    end
  end
  assign drop_all = invalidate_i || drop_flush_q;
  // Whatever may take a line from what was found, or bring it.
  assign changes  = alloc_q || (fill_valid_i && fill_last_i) || refused_i || served_q || reclaims_q || drop_all ||
                    write_q || drop_write_q || drop_match_q != '0;

  always_comb begin
    state_d      = state_q;
    read_d       = read_q;
    freed_unread = '0;
    for (int unsigned i = 0; i < Lines; i++) begin
      if (alloc_q && fetch_idx_q == IdxW'(i)) begin
        state_d[i] = Pending;
        read_d[i]  = 1'b0;
      end
      // Data: complete, failed, or of a line thrown away.
      if (fill_valid_i && fill_last_i && fill_id_i[IdxW-1:0] == IdxW'(i)) begin
        state_d[i] = state_q[i] == Pending && fill_err_i == ErrNone ? Valid : Free;
      end
      if (refused_i && refused_id_i[IdxW-1:0] == IdxW'(i)) state_d[i] = Free;
      if (served_q && serve_idx_q == IdxW'(i)) begin
        read_d[i] = 1'b1;
        if (served_ends_q) state_d[i] = Free;
      end
      if (reclaims_q && reclaim_idx_q == IdxW'(i) && state_q[i] == Valid) begin
        state_d[i]      = Free;
        freed_unread[i] = !read_q[i];
      end
      if (drop_all || (drop_write_q && stale_q[i]) || drop_match_q[i]) begin
        freed_unread[i] = state_q[i] == Valid && !read_q[i];
        unique case (state_d[i])
          Pending: state_d[i] = Poisoned;
          Valid:   state_d[i] = Free;
          default: ;
        endcase
      end
    end
  end

  // The line that the next fetch gets, found two cycles ahead: a fetch is never sooner behind another one. A
  // line that is being read out is not free yet.
  always_comb begin
    free_d = '0;
    for (int i = int'(Lines) - 1; i >= 0; i--) begin
      free_lines[i] = state_q[i] == Free && !(serving_q && serve_idx_q == IdxW'(i));
      if (free_lines_q[i]) free_d = IdxW'(i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Lines; i++) state_q[i] <= Free;
      read_q      <= '0;
      reclaim_q   <= '0;
      reclaimed_q <= '0;
      reclaims_q  <= 1'b0;
      alloc_q     <= 1'b0;
      free_some_q <= 1'b0;
      waste_o     <= 1'b0;
      free_lines_q   <= '0;
      freed_unread_q <= '0;
    end else begin
      reclaimed_q <= {reclaimed_q[1:0], reclaim};
      // Lines change a cycle behind what decides it, and in their own place. Whether there is a copy to reclaim was
      // seen a cycle before; it must still be there.
      reclaims_q  <= reclaim && reclaim_some_q;
      alloc_q     <= alloc;
      free_some_q <= free_lines_q != '0;
      waste_o     <= freed_unread_q != '0;
      free_lines_q   <= free_lines;
      freed_unread_q <= freed_unread;
      state_q <= state_d;
      read_q  <= read_d;
      if (reclaim) reclaim_q <= reclaim_q + IdxW'(1);
    end
  end
  always_ff @(posedge clk_i) begin
    free_idx       <= free_d;
    reclaim_some_q <= state_q[reclaim_q] == Valid;
    reclaim_idx_q  <= reclaim_q;
    if (alloc_q) begin
      line_q[fetch_idx_q]    <= fetch_line_o;
      forward_q[fetch_idx_q] <= next_forward_q;
      single_q[fetch_idx_q]  <= next_single_q;
    end
  end

  /////////////
  // Streams //
  /////////////

  // A train takes five cycles: distances to all streams, which of them it may belong to, one of those, where
  // that one would fetch next, its change.
  typedef struct packed {
    logic                    valid;
    logic [AddrW-1:0]        last;
    logic signed [15:0]      stride;  // what a train moves by; 0: not known
    logic signed [15:0]      step;    // what a fetch moves by: no less than a line
    logic                    single;  // one read a line
    logic                    active;
    logic [AddrW-1:0]        next;    // next to fetch
    logic [5:0]              ahead;
  } stream_t;

  stream_t [NumStreams-1:0] stream_q, stream_d;
  typedef enum logic [2:0] {TrainWait, TrainCompare, TrainChoose, TrainAdd, TrainChange} train_e;
  train_e                   train_state_q;
  logic                     train_now, train_valid, train_change, unused_train_ready;
  logic [2:0]               unused_train_level;
  logic [AddrW-1:0]         train_addr_d, train_addr_q;
  logic [NumStreams-1:0][AddrW-1:0] distance_q;
  logic [1:0]               victim_q, chosen_d, chosen, issue_stream, pick_d;
  logic [NumStreams-1:0]    same, near, same_q, near_q, can_issue, can_issue_q, issue_grant;
  logic                     any_same, any_near, pick_q, picked_q, pick_now, moves, moved_q;
  logic signed [AddrW-1:0]  step_new, step_issue;
  logic [AddrW-1:0]         trained_next_q, issued_next_q;
  logic signed [15:0]       stride_new_q;
  logic [NumStreams-1:0]    new_line_q;  // the train is on another line than a stream's last one

  assign train_now    = (train_i || serve_start) && enable_i;
  assign train_addr_d = serve_start ? {stage_line, stage_cmd_q.addr[3:0], 2'b00} : train_addr_i;
  // More than come in a row are forgotten: a stream then runs a line less ahead.
  fifo #(.Width(AddrW), .Depth(4)) u_trains (
    .clk_i, .rst_ni, .valid_i(train_now), .ready_o(unused_train_ready), .data_i(train_addr_d),
    .valid_o(train_valid), .ready_i(train_change), .data_o(train_addr_q), .level_o(unused_train_level)
  );
  assign train_change = train_state_q == TrainChange;

  always_comb begin
    for (int unsigned i = 0; i < NumStreams; i++) begin
      same[i] = stream_q[i].valid && stream_q[i].stride != '0 &&
                distance_q[i] == AddrW'(stream_q[i].stride);
      near[i] = stream_q[i].valid && distance_q[i] != '0 &&
                (distance_q[i][AddrW-1:12] == '0 || distance_q[i][AddrW-1:12] == '1);
    end
    chosen_d = victim_q;
    for (int i = int'(NumStreams) - 1; i >= 0; i--) if (near_q[i] && same_q == '0) chosen_d = 2'(i);
    for (int i = int'(NumStreams) - 1; i >= 0; i--) if (same_q[i]) chosen_d = 2'(i);
  end

  function automatic logic signed [15:0] step_of(logic signed [15:0] stride);
    if (is_single(stride)) return stride;
    return stride[15] ? -16'sd64 : 16'sd64;
  endfunction
  function automatic logic is_single(logic signed [15:0] stride);
    return stride >= 16'sd64 || stride <= -16'sd64;
  endfunction

  assign step_new   = AddrW'(stream_q[chosen].step);
  assign step_issue = AddrW'(stream_q[issue_stream].step);

  round_robin #(.N(NumStreams)) u_issue (
    .clk_i, .rst_ni, .request_i(can_issue_q), .take_i(pick_now), .grant_o(issue_grant), .index_o(pick_d)
  );
  always_comb begin
    for (int unsigned i = 0; i < NumStreams; i++) begin
      can_issue[i] = enable_i && stream_q[i].active && stream_q[i].ahead < ahead_i;
    end
  end
  // Who may issue is known a cycle late: nobody is picked behind a change, and a change takes the pick back.
  assign moves    = train_change || alloc || invalidate_i || refused_i;
  assign pick_now = !pick_q && !moved_q;
  // A training step has the streams to itself. Without a free line the oldest copies make room.
  assign alloc   = picked_q && free_some_q && !fetch_q && !train_change;
  assign reclaim = picked_q && !free_some_q && !fetch_q && !train_change && reclaimed_q == '0;

  always_comb begin
    stream_d = stream_q;
    if (train_change) begin
      stream_d[chosen].last = train_addr_q;
      if (any_same) begin
        // A step onto a new line uses one of those ahead.
        if (stream_q[chosen].active) begin
          if ((stream_q[chosen].single || new_line_q[chosen]) && stream_q[chosen].ahead != '0) begin
            stream_d[chosen].ahead = stream_q[chosen].ahead - 6'd1;
          end
        end else begin
          stream_d[chosen].active = 1'b1;
          stream_d[chosen].ahead  = '0;
          stream_d[chosen].next   = trained_next_q;
        end
      end else if (any_near) begin
        stream_d[chosen].stride = stride_new_q;
        stream_d[chosen].step   = step_of(stride_new_q);
        stream_d[chosen].single = is_single(stride_new_q);
        stream_d[chosen].active = 1'b0;
      end else begin
        stream_d[chosen] = '{valid: 1'b1, last: train_addr_q, stride: '0, step: '0, single: 1'b0, active: 1'b0, next: '0,
                             ahead: '0};
      end
    end else if (alloc) begin
      stream_d[issue_stream].next  = issued_next_q;
      stream_d[issue_stream].ahead = stream_q[issue_stream].ahead + 6'd1;
    end
    // What translation refuses ends all streams: one of them has left its interval.
    if (invalidate_i || refused_i) begin
      for (int unsigned i = 0; i < NumStreams; i++) stream_d[i].active = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stream_q <= '0;
      victim_q <= '0;
      fetch_q  <= 1'b0;
      pick_q   <= 1'b0;
      picked_q <= 1'b0;
      moved_q  <= 1'b0;
      train_state_q <= TrainWait;
    end else begin
      stream_q <= stream_d;
      unique case (train_state_q)
        TrainWait:    if (train_valid) train_state_q <= TrainCompare;
        TrainCompare: train_state_q <= TrainChoose;
        TrainChoose:  train_state_q <= TrainAdd;
        TrainAdd:     train_state_q <= TrainChange;
        default:      train_state_q <= TrainWait;
      endcase
      // A stream is chosen first, then its next line and the one behind that are worked out, then it is asked for.
      picked_q <= enable_i && pick_q && !moves;
      pick_q  <= enable_i && !moves && (pick_q || (pick_now && issue_grant != '0));
      moved_q <= moves;
      if (train_change && !any_same && !any_near) victim_q <= victim_q + 2'd1;
      if (alloc) fetch_q <= 1'b1;
      else if (fetch_gone) fetch_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumStreams; i++) begin
      distance_q[i] <= train_addr_q - stream_q[i].last;
      new_line_q[i] <= train_addr_q[AddrW-1:6] != stream_q[i].last[AddrW-1:6];
    end
    same_q   <= same;
    near_q   <= near;
    any_same <= same_q != '0;
    any_near <= near_q != '0;
    chosen   <= chosen_d;
    can_issue_q <= can_issue;
    if (pick_now) issue_stream <= pick_d;
    trained_next_q <= train_addr_q + step_new;
    stride_new_q   <= 16'(signed'(distance_q[chosen]));
    next_line_q    <= stream_q[issue_stream].next[AddrW-1:6];
    next_forward_q <= !stream_q[issue_stream].stride[15];
    next_single_q  <= stream_q[issue_stream].single;
    issued_next_q  <= stream_q[issue_stream].next + step_issue;
    if (alloc) begin
      fetch_idx_q  <= free_idx;
      fetch_line_o <= next_line_q;
    end
  end

  assign fetch_valid_o = fetch_q;
  assign fetch_id_o    = 8'(fetch_idx_q);
  assign fetch_gone    = fetch_q && fetch_ready_i;
  assign issue_o       = fetch_gone;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Data comes only for lines that were asked for.
      if (fill_valid_i) begin
        assert (state_q[fill_id_i[IdxW-1:0]] == Pending || state_q[fill_id_i[IdxW-1:0]] == Poisoned);
      end
      assert (!serve_start || state_q[hit_idx] == Valid);
      assert (!alloc_q || (state_q[fetch_idx_q] == Free && !(serving_q && serve_idx_q == fetch_idx_q)));
      assert (!alloc_q || next_line_q == fetch_line_o);
      // What was worked out ahead is the stream's still.
      assert (!alloc || (next_line_q == stream_q[issue_stream].next[AddrW-1:6] &&
                         issued_next_q == stream_q[issue_stream].next + step_issue));
      assert (!train_change || trained_next_q == train_addr_q + step_new);
    end
  end
endmodule
