// What the two ends of a response have in common: a response finds by its tag who asked, is compared
// with what was asked for, and comes out with its data behind it. One that nobody waits for is dropped
// and counted; one that is not what was asked for is an error.
//
// Invariants: each response is looked up once, and its data is taken whole; what comes out was waited
// for; it waits for its reader and for nothing else.
module response_match
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Bits of the entry that the asker left, and of what else the response brings.
  parameter int unsigned EntryW = 32,
  parameter int unsigned ExtraW = 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  /// Responses and their data.
  input  logic              valid_i,
  output logic              ready_o,
  input  response_head_t    head_i,
  input  logic [ExtraW-1:0] extra_i,
  input  logic              data_valid_i,
  output logic              data_ready_o,
  input  logic [63:0]       data_i,
  /// The table of tags, which answers two cycles later.
  output logic              close_valid_o,
  input  logic              close_ready_i,
  input  logic              closed_valid_i,
  input  logic              closed_hit_i,
  input  logic              closed_late_i,
  input  logic              asked_is_read_i,
  input  logic [3:0]        asked_count_i,
  input  logic [EntryW-1:0] entry_i,
  /// Beats of responses that somebody waits for.
  output logic              valid_o,
  input  logic              ready_i,
  output response_head_t    head_o,
  output logic [ExtraW-1:0] extra_o,
  output logic [EntryW-1:0] entry_o,
  output logic [63:0]       data_o,
  output logic              has_data_o,
  output logic              sop_o,
  output logic              last_o,
  /// A response is gone, with its data.
  output logic              done_o,
  /// Counted.
  output logic              late_o,
  output logic              stray_o,
  output logic              bad_o
);
  localparam int unsigned Depth = 8;

  typedef struct packed {
    response_head_t    head;
    logic [ExtraW-1:0] extra;
    logic [EntryW-1:0] entry;
    logic              drop;
  } decided_t;

  response_head_t    head_1_q, head_2_q;
  logic [ExtraW-1:0] extra_1_q, extra_2_q;
  decided_t          decided_d, decided;
  logic              decided_valid, decided_ready, unused_decided_ready, as_asked;
  logic [$clog2(Depth):0] level;
  logic [$bits(decided_t)-1:0] unused_cmd;

  // Room for the two that may be under way as well.
  assign close_valid_o = valid_i && level < ($bits(level))'(Depth - 2);
  assign ready_o       = close_valid_o && close_ready_i;

  always_ff @(posedge clk_i) begin
    head_1_q  <= head_i;
    extra_1_q <= extra_i;
    head_2_q  <= head_1_q;
    extra_2_q <= extra_1_q;
  end

  assign as_asked = head_2_q.is_data == asked_is_read_i && (!head_2_q.is_data || head_2_q.count == asked_count_i);
  always_comb begin
    decided_d = '{head: head_2_q, extra: extra_2_q, entry: entry_i, drop: !closed_hit_i};
    if (head_2_q.err == ErrNone && !as_asked) decided_d.head.err = ErrData;
  end

  fifo #(.Width($bits(decided_t)), .Depth(Depth)) u_decided (
    .clk_i, .rst_ni, .valid_i(closed_valid_i), .ready_o(unused_decided_ready), .data_i(decided_d),
    .valid_o(decided_valid), .ready_i(decided_ready), .data_o(decided), .level_o(level)
  );
  packet_join #(.CmdWidth($bits(decided_t))) u_join (
    .clk_i, .rst_ni,
    .cmd_valid_i(decided_valid), .cmd_ready_o(decided_ready), .cmd_i(decided),
    .cmd_beats_i(decided.head.beats), .cmd_drop_i(decided.drop),
    .data_valid_i, .data_ready_o, .data_i,
    .valid_o, .ready_i, .cmd_o(unused_cmd), .data_o, .has_data_o, .sop_o, .last_o, .done_o
  );
  assign head_o  = decided.head;
  assign extra_o = decided.extra;
  assign entry_o = decided.entry;

  assign late_o  = closed_valid_i && !closed_hit_i && closed_late_i;
  assign stray_o = closed_valid_i && !closed_hit_i && !closed_late_i;
  assign bad_o   = closed_valid_i && closed_hit_i && head_2_q.err == ErrNone && !as_asked;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!closed_valid_i || unused_decided_ready);
  end
endmodule
