// Loads of an AXI4 master become reads of the host, one for each line of a burst, of the words of 8 B
// from the lowest to the highest that the burst touches there. Responses come in any order into a
// buffer; data goes back in the order of the addresses, whatever their IDs.
//
// Invariants: each burst gets as many beats as it asked for, the last one marked; a line is handed on
// only when all of it has come.
module axi_read
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Bits of an AXI ID; reads under way.
  parameter int unsigned IdW = 4,
  parameter int unsigned Depth = 32,
  localparam int unsigned PlaceW = $clog2(Depth)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  /// AXI4.
  input  logic              ar_valid_i,
  output logic              ar_ready_o,
  input  logic [IdW-1:0]    ar_id_i,
  input  logic [AddrW-1:0]  ar_addr_i,
  input  logic [7:0]        ar_len_i,
  input  logic [2:0]        ar_size_i,
  input  logic [1:0]        ar_burst_i,
  output logic              r_valid_o,
  input  logic              r_ready_i,
  output logic [IdW-1:0]    r_id_o,
  output logic [63:0]       r_data_o,
  output logic [1:0]        r_resp_o,
  output logic              r_last_o,
  /// To the non-posted channel.
  output logic              valid_o,
  input  logic              ready_i,
  output host_beat_t        beat_o,
  /// A word of a response, by its read's place and its number in the response; the response is whole.
  input  logic              word_valid_i,
  input  logic [PlaceW-1:0] word_place_i,
  input  logic [2:0]        word_index_i,
  input  logic [63:0]       word_i,
  input  logic              complete_i,
  input  logic [PlaceW-1:0] complete_place_i,
  input  logic [1:0]        complete_resp_i
);
  //////////
  // Runs //
  //////////

  logic             beat_valid, beat_take, beat_run_last, beat_last;
  logic [AddrW-1:0] beat_addr;
  logic [IdW-1:0]   beat_id;
  logic             inside_q;  // of a run
  logic [2:0]       low_q, high_q, low, high;

  axi_beats #(.AddrW(AddrW), .UserW(IdW)) u_beats (
    .clk_i, .rst_ni, .valid_i(ar_valid_i), .ready_o(ar_ready_o), .addr_i(ar_addr_i), .len_i(ar_len_i),
    .size_i(ar_size_i), .burst_i(ar_burst_i), .user_i(ar_id_i),
    .valid_o(beat_valid), .ready_i(beat_take), .addr_o(beat_addr), .user_o(beat_id),
    .run_last_o(beat_run_last), .last_o(beat_last)
  );
  assign low  = inside_q && low_q < beat_addr[5:3] ? low_q : beat_addr[5:3];
  assign high = inside_q && high_q > beat_addr[5:3] ? high_q : beat_addr[5:3];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= 1'b0;
    else if (beat_take) inside_q <= !beat_run_last;
  end
  always_ff @(posedge clk_i) begin
    if (beat_take) begin
      low_q  <= low;
      high_q <= high;
    end
  end

  // What each beat of data will need, in order. Deeper than the longest run, so that a run is always
  // asked for before its place here is needed.
  typedef struct packed {
    logic [IdW-1:0] id;
    logic [2:0]     word;
    logic           run_last;
    logic           last;
  } beat_t;
  localparam int unsigned BeatDepth = Depth * 8 < 128 ? 128 : Depth * 8;

  beat_t beat_d, beat;
  logic  order_ready, order_valid, order_pop, place_ready, ask;
  logic [PlaceW-1:0] place;
  logic [$clog2(BeatDepth):0] unused_order_level;
  assign beat_d = '{id: beat_id, word: beat_addr[5:3], run_last: beat_run_last, last: beat_last};
  fifo #(.Width($bits(beat_t)), .Depth(BeatDepth)) u_order (
    .clk_i, .rst_ni, .valid_i(beat_take), .ready_o(order_ready), .data_i(beat_d),
    .valid_o(order_valid), .ready_i(order_pop), .data_o(beat), .level_o(unused_order_level)
  );

  // The last beat of a run is taken when its read goes.
  assign valid_o   = beat_valid && beat_run_last && order_ready && place_ready;
  assign ask       = valid_o && ready_i;
  assign beat_take = beat_valid && order_ready && (!beat_run_last || ask);
  assign beat_o = '{
    sop: 1'b1, has_data: 1'b0, data: '0,
    cmd: host_request(CmdRd | 6'b000100, {high - low, 1'b1}, {beat_addr[AddrW-1:6], low, 3'd0},
                      {1'b0, (HostTagW-1)'(place)}, '0, 1'b0)
  };

  ////////////
  // Places //
  ////////////

  logic              line_valid, line_pop, unused_data;
  logic [PlaceW-1:0] line;
  logic [1:0]        line_resp;
  reorder_ring #(.Depth(Depth), .Width(1), .ResultW(2)) u_places (
    .clk_i, .rst_ni, .ready_o(place_ready), .place_o(place), .take_i(ask), .done_i(1'b0), .data_i(1'b0),
    .complete_i, .complete_place_i, .complete_result_i(complete_resp_i),
    .valid_o(line_valid), .ready_i(line_pop), .head_o(line), .data_o(unused_data), .result_o(line_resp)
  );

  // The word with which each read begins.
  logic [2:0] low_of_q [Depth];
  always_ff @(posedge clk_i) begin
    if (ask) low_of_q[place] <= low;
  end

  //////////
  // Data //
  //////////

  logic fetch, r_valid_q;
  assign fetch     = order_valid && line_valid && (!r_valid_q || r_ready_i);
  assign order_pop = fetch;
  assign line_pop  = fetch && beat.run_last;
  assign r_valid_o = r_valid_q;

  ram_1r1w #(.Width(64), .Depth(Depth * 8)) u_lines (
    .clk_i, .wr_valid_i(word_valid_i), .wr_addr_i({word_place_i, low_of_q[word_place_i] + word_index_i}),
    .wr_data_i(word_i),
    .rd_valid_i(fetch), .rd_addr_i({line, beat.word}), .rd_data_o(r_data_o)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_valid_q <= 1'b0;
    else if (!r_valid_q || r_ready_i) r_valid_q <= fetch;
  end
  always_ff @(posedge clk_i) begin
    if (fetch) begin
      r_id_o   <= beat.id;
      r_resp_o <= line_resp;
      r_last_o <= beat.last;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!ask || low <= high);
      assert (!line_pop || order_pop);
    end
  end
endmodule
