// Bulk transfers (RMA): a descriptor names a local and a global address and a length; the unit moves
// the memory line by line, up to 32 lines at a time, and says when it is done.
//
//   put  reads lines of the own host, posts them to the nodes that the global address names, then
//        posts the notification to a global address: behind the data of its node
//   get  reads lines of other nodes, writes them to the own host, then the notification to a local
//        address: behind the data
//
// Both addresses begin on a line; the length is a multiple of 8 B. A fragment that fails (not
// claimed, time-out, error) is counted; the transfer goes on, and a notification with errors carries
// the value's complement.
//
// Invariants: each fragment ends exactly once; the notification leaves after the last fragment.
module bulk_unit
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Fragments under way.
  parameter int unsigned Slots = 32
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [NodeW-1:0]  node_id_i,
  /// Descriptor; taken when the unit is idle.
  input  logic              start_i,
  input  logic              is_get_i,
  input  logic              notify_i,
  input  logic [AddrW-1:0]  local_addr_i,
  input  logic [AddrW-1:0]  global_addr_i,
  input  logic [31:0]       length_i,
  input  logic [AddrW-1:0]  notify_addr_i,
  input  logic [31:0]       value_i,
  output logic              busy_o,
  output logic [15:0]       done_o,     // descriptors
  output logic [15:0]       errors_o,   // fragments
  /// Translation, for what is posted.
  output logic              ask_valid_o,
  input  logic              ask_ready_i,
  output logic [AddrW-1:0]  ask_addr_o,
  input  logic              answer_valid_i,
  input  logic              answer_ok_i,
  input  logic [NodeW-1:0]  answer_node_i,
  input  logic [AddrW-1:0]  answer_addr_i,
  /// Reads of the own host: a tag of the matching store, then the request.
  input  logic              tag_valid_i,
  output logic              tag_take_o,
  input  logic [HostTagW-1:0] tag_i,
  output match_t            entry_o,
  output logic              read_valid_o,
  input  logic              read_ready_i,
  output host_beat_t        read_o,
  input  logic              word_valid_i,
  output logic              word_ready_o,
  input  logic [7:0]        word_slot_i,
  input  logic [63:0]       word_i,
  input  logic              word_last_i,
  input  err_e              word_err_i,
  /// Fragments whose read of the own host timed out.
  input  logic              expired_valid_i,
  output logic              expired_ready_o,
  input  logic [7:0]        expired_slot_i,
  /// To the network, posted.
  output logic              post_valid_o,
  input  logic              post_ready_i,
  output net_beat_t         post_o,
  output logic              post_last_o,
  /// A packet has gone there; the line that it writes, as the own host names it.
  output logic              posted_o,
  output logic [AddrW-7:0]  posted_line_o,
  /// Reads of other nodes.
  output logic              fetch_valid_o,
  input  logic              fetch_ready_i,
  output logic [AddrW-7:0]  fetch_line_o,
  output logic [7:0]        fetch_id_o,
  input  logic              refused_i,
  input  logic [7:0]        refused_id_i,
  input  logic              fill_valid_i,
  output logic              fill_ready_o,
  input  logic [7:0]        fill_id_i,
  input  logic [63:0]       fill_data_i,
  input  logic              fill_last_i,
  input  err_e              fill_err_i,
  /// To the own host, posted.
  output logic              write_valid_o,
  input  logic              write_ready_i,
  output host_beat_t        write_o,
  output logic              write_last_o
);
  localparam int unsigned SlotW = $clog2(Slots);

  ////////////////
  // Descriptor //
  ////////////////

  typedef enum logic [3:0] {Idle, Slot, Ask, Answer, Tag, Read, Fetch, Drain, Notify} state_e;
  state_e           state_q, state_d;
  logic             is_get_q, notify_q, failed_q;
  logic [AddrW-1:0] local_q, global_q, notify_addr_q;
  logic [28:0]      words_q;             // of 8 B, still to move
  logic [31:0]      value_q;
  logic [HostTagW-1:0] tag_q;
  logic             slot_valid, slot_pop, slot_back, unused_slot_ready, begun, notified, notify_ask_q;
  logic [SlotW-1:0] free_slot, slot, slot_back_id, slot_q;
  logic [SlotW:0]   fresh_q, open_q, unused_free_level;
  logic [3:0]       words_now;
  logic             fragment_failed, answer_failed;

  // A line, or what is left of the last one.
  assign words_now = words_q[28:3] != '0 ? 4'd8 : words_q[3:0];

  fifo #(.Width(SlotW), .Depth(Slots)) u_free (
    .clk_i, .rst_ni, .valid_i(slot_back), .ready_o(unused_slot_ready), .data_i(slot_back_id),
    .valid_o(slot_valid), .ready_i(slot_pop && fresh_q[SlotW]), .data_o(free_slot), .level_o(unused_free_level)
  );
  assign slot     = fresh_q[SlotW] ? free_slot : fresh_q[SlotW-1:0];
  assign slot_pop = state_q == Slot && words_q != '0 && (!fresh_q[SlotW] || slot_valid);

  // What a fragment's data becomes, by slot.
  typedef struct packed {
    logic [NodeW-1:0] node;
    logic [AddrW-1:0] addr;
    logic [AddrW-7:0] line;   // of a put: its line as the own host names it
    logic [3:0]       words;
  } context_t;
  context_t put_context_q, context_wr, context_out;
  logic     context_wr_valid;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (start_i) state_d = Slot;
      Slot: begin
        if (words_q == '0) state_d = Drain;
        else if (slot_pop) state_d = is_get_q ? Fetch : Ask;
      end
      Ask:    if (ask_ready_i) state_d = Answer;
      Answer: begin
        if (answer_valid_i) begin
          if (notify_ask_q) state_d = answer_ok_i ? Notify : Idle;
          else state_d = answer_ok_i ? Tag : Slot;
        end
      end
      Tag:    if (tag_valid_i) state_d = Read;
      Read:   if (read_ready_i) state_d = Slot;
      Fetch:  if (fetch_ready_i) state_d = Slot;
      Drain:  if (open_q == '0) state_d = !notify_q ? Idle : is_get_q ? Notify : Ask;
      Notify: if (notified) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  assign begun           = slot_pop;
  assign answer_failed   = state_q == Answer && answer_valid_i && !answer_ok_i && !notify_ask_q;
  assign busy_o          = state_q != Idle;
  assign ask_valid_o     = state_q == Ask;
  assign ask_addr_o      = notify_ask_q ? notify_addr_q : global_q;
  assign fetch_valid_o   = state_q == Fetch;
  assign fetch_line_o    = global_q[AddrW-1:6];
  assign fetch_id_o      = 8'(slot_q);

  // The tag comes first: a request that is offered to the host must not wait for one.
  assign tag_take_o   = state_q == Tag && tag_valid_i;
  assign read_valid_o = state_q == Read;
  assign entry_o      = '{node: node_id_i, tag: OriginTagW'(slot_q), gen: '0, waiter: ForBulk, is_read: 1'b1,
                          count: 4'({words_now, 1'b0} - 5'd1), pass_pw: 1'b1};
  assign read_o       = '{sop: 1'b1, has_data: 1'b0, data: '0,
                          cmd: host_request(CmdRd | 6'b001100, 4'({words_now, 1'b0} - 5'd1), local_q, tag_q, '0, 1'b1)};

  // A fragment of this state moves on when its request has been handed over, or refused.
  logic next_fragment;
  assign next_fragment = (state_q == Read && state_d == Slot) || (state_q == Fetch && fetch_ready_i) ||
                         answer_failed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= Idle;
      fresh_q      <= '0;
      open_q       <= '0;
      done_o       <= '0;
      errors_o     <= '0;
      notify_ask_q <= 1'b0;
      failed_q     <= 1'b0;
      words_q      <= '0;
    end else begin
      state_q <= state_d;
      if (slot_pop && !fresh_q[SlotW]) fresh_q <= fresh_q + (SlotW+1)'(1);
      open_q <= open_q + (SlotW+1)'(begun) - (SlotW+1)'(slot_back);
      if (state_q == Drain && state_d == Ask) notify_ask_q <= 1'b1;
      if (state_q == Idle) begin
        notify_ask_q <= 1'b0;
        failed_q     <= 1'b0;
        words_q      <= length_i[31:3];
      end else if (next_fragment) begin
        words_q <= words_q[28:3] != '0 ? {words_q[28:3] - 26'd1, words_q[2:0]} : '0;
      end
      if (fragment_failed) begin
        failed_q <= 1'b1;
        errors_o <= errors_o + 16'd1;
      end
      if (state_q != Idle && state_d == Idle) done_o <= done_o + 16'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Idle && start_i) begin
      is_get_q      <= is_get_i;
      notify_q      <= notify_i;
      local_q       <= {local_addr_i[AddrW-1:6], 6'd0};
      global_q      <= {global_addr_i[AddrW-1:6], 6'd0};
      notify_addr_q <= {notify_addr_i[AddrW-1:3], 3'd0};
      value_q       <= value_i;
    end else if (next_fragment) begin
      local_q  <= local_q + AddrW'(64);
      global_q <= global_q + AddrW'(64);
    end
    if (slot_pop) slot_q <= slot;
    if (tag_take_o) tag_q <= tag_i;
    if (answer_valid_i) begin
      put_context_q <= '{node: answer_node_i, addr: answer_addr_i, line: ask_addr_o[AddrW-1:6], words: words_now};
    end
  end

  assign context_wr_valid = state_q == Tag || state_q == Fetch;
  assign context_wr       = is_get_q ? '{node: '0, addr: local_q, line: '0, words: words_now} : put_context_q;

  ///////////////////////
  // Data of fragments //
  ///////////////////////

  // One descriptor at a time: its data is all from the host (put) or all from the network (get).
  typedef enum logic [1:0] {Wait, Look, Move} move_e;
  move_e            move_q, move_d;
  logic             in_valid, in_ready, in_last, out_ready;
  logic [SlotW-1:0] in_slot, move_slot_q;
  logic [63:0]      in_data;
  err_e             in_err;
  logic [3:0]       beat_q;
  logic             ends_here;

  assign in_valid = is_get_q ? fill_valid_i : word_valid_i;
  assign in_slot  = is_get_q ? fill_id_i[SlotW-1:0] : word_slot_i[SlotW-1:0];
  assign in_data  = is_get_q ? fill_data_i : word_i;
  assign in_last  = is_get_q ? fill_last_i : word_last_i;
  assign in_err   = is_get_q ? fill_err_i : word_err_i;
  assign fill_ready_o = is_get_q && in_ready;
  assign word_ready_o = !is_get_q && in_ready;

  ram_1r1w #(.Width($bits(context_t)), .Depth(Slots)) u_context (
    .clk_i, .wr_valid_i(context_wr_valid), .wr_addr_i(slot_q), .wr_data_i(context_wr),
    .rd_valid_i(move_q == Wait), .rd_addr_i(in_slot), .rd_data_o(context_out)
  );

  // Words beyond the fragment's own (a get reads whole lines) are taken and not written.
  logic beyond, in_fails;
  assign beyond    = beat_q >= context_out.words;
  assign in_fails  = in_valid && in_err != ErrNone;
  assign out_ready = is_get_q ? write_ready_i : post_ready_i;
  assign in_ready  = (move_q == Move && (beyond || out_ready)) || (move_q == Wait && in_fails);
  assign ends_here = in_valid && in_ready && in_last;

  always_comb begin
    move_d = move_q;
    unique case (move_q)
      Wait:   if (in_valid && !in_fails && state_q != Idle) move_d = Look;
      Look:   move_d = Move;
      Move:   if (ends_here) move_d = Wait;
      default: move_d = Wait;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      move_q <= Wait;
      beat_q <= '0;
    end else begin
      move_q <= move_d;
      if (move_q == Wait) beat_q <= '0;
      else if (move_q == Move && in_valid && in_ready) beat_q <= beat_q + 4'd1;
    end
  end
  always_ff @(posedge clk_i) if (move_q == Wait) move_slot_q <= in_slot;

  // Fragments end by their data, by a refusal, by time, or by a failed translation. Those without data
  // wait in a small queue for the one port that gives slots back.
  logic             late_valid, late_pop, late_push, unused_late_ready;
  logic [SlotW-1:0] late_slot, late_push_slot;
  logic [SlotW:0]   unused_late_level;

  assign expired_ready_o = !refused_i && !answer_failed;
  assign late_push      = refused_i || expired_valid_i || answer_failed;
  assign late_push_slot = refused_i ? refused_id_i[SlotW-1:0] : answer_failed ? slot_q : expired_slot_i[SlotW-1:0];
  fifo #(.Width(SlotW), .Depth(Slots)) u_late (
    .clk_i, .rst_ni, .valid_i(late_push), .ready_o(unused_late_ready), .data_i(late_push_slot),
    .valid_o(late_valid), .ready_i(late_pop), .data_o(late_slot), .level_o(unused_late_level)
  );
  assign slot_back    = ends_here || late_valid;
  assign slot_back_id = ends_here ? (move_q == Wait ? in_slot : move_slot_q) : late_slot;
  assign late_pop     = !ends_here;
  assign fragment_failed = (ends_here && in_err != ErrNone) || (late_valid && late_pop);

  /////////////
  // Outputs //
  /////////////

  net_header_t header;
  logic        notify_post, notify_write;
  logic [63:0] notify_value;
  assign notify_value = {32'd0, failed_q ? ~value_q : value_q};
  assign notify_post  = state_q == Notify && !is_get_q;
  assign notify_write = state_q == Notify && is_get_q;

  always_comb begin
    header = '0;
    header.cmd     = CmdWrPosted | 6'b000100;
    header.src     = node_id_i;
    header.count   = notify_post ? 4'd1 : 4'({context_out.words, 1'b0} - 5'd1);
    header.dest    = notify_post ? put_context_q.node : context_out.node;
    header.addr_lo = notify_post ? put_context_q.addr[31:2] : context_out.addr[31:2];
    header.addr_hi = notify_post ? put_context_q.addr[47:32] : context_out.addr[47:32];
  end
  logic last_of_fragment;
  assign last_of_fragment = beat_q + 4'd1 == context_out.words;
  assign post_valid_o = notify_post || (move_q == Move && !is_get_q && in_valid);
  assign post_last_o  = notify_post || in_last;
  assign post_o       = '{sop: notify_post || beat_q == '0, has_data: 1'b1,
                          data: notify_post ? notify_value : in_data, header: header};
  assign posted_o     = post_valid_o && post_ready_i && post_last_o;
  assign posted_line_o = notify_post ? put_context_q.line : context_out.line;

  assign write_valid_o = notify_write || (move_q == Move && is_get_q && in_valid && !beyond);
  assign write_last_o  = notify_write || last_of_fragment;
  assign write_o       = '{
    sop: notify_write || beat_q == '0, has_data: 1'b1, data: notify_write ? notify_value : in_data,
    cmd: host_request(CmdWrPosted | 6'b000100, notify_write ? 4'd1 : 4'({context_out.words, 1'b0} - 5'd1),
                      notify_write ? notify_addr_q : context_out.addr, '0, '0, 1'b0)
  };
  assign notified = (notify_post && post_ready_i) || (notify_write && write_ready_i);

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(refused_i && answer_failed));  // one is of gets, the other of puts
      assert (!late_push || unused_late_ready);
      assert (!slot_back || open_q != '0);
      assert (open_q <= (SlotW+1)'(Slots));
      assert (!(state_q == Notify && open_q != '0));
    end
  end
endmodule
