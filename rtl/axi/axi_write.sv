// Stores of an AXI4 master become writes of the host. Beats are gathered by line; a line goes as one
// write of dwords if whole dwords without a gap were written, else as one byte-masked write for each
// half of 32 B that has bytes. A bufferable store (AWCACHE[0]) is posted: answered when the engine has
// it. Another is non-posted: answered when it has been done, with its error.
//
// Answers come in the order of the addresses, whatever their IDs. No exclusive access: such stores are
// done and answered OKAY, from which a master knows it.
//
// Invariants: each burst has one answer, after its last packet has gone (posted) or been answered
// (non-posted); each byte whose strobe is set goes once, no other byte goes.
module axi_write
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Bits of an AXI ID; non-posted writes and answers under way.
  parameter int unsigned IdW = 4,
  parameter int unsigned Depth = 32,
  localparam int unsigned PlaceW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// AXI4.
  input  logic             aw_valid_i,
  output logic             aw_ready_o,
  input  logic [IdW-1:0]   aw_id_i,
  input  logic [AddrW-1:0] aw_addr_i,
  input  logic [7:0]       aw_len_i,
  input  logic [2:0]       aw_size_i,
  input  logic [1:0]       aw_burst_i,
  input  logic             aw_bufferable_i,
  input  logic             w_valid_i,
  output logic             w_ready_o,
  input  logic [63:0]      w_data_i,
  input  logic [7:0]       w_strb_i,
  input  logic             w_last_i,
  output logic             b_valid_o,
  input  logic             b_ready_i,
  output logic [IdW-1:0]   b_id_o,
  output logic [1:0]       b_resp_o,
  /// To the posted and the non-posted channel.
  output logic             posted_valid_o,
  input  logic             posted_ready_i,
  output logic             nonposted_valid_o,
  input  logic             nonposted_ready_i,
  output host_beat_t       beat_o,
  output logic             last_o,
  /// A non-posted write has been answered: its place, by its tag.
  input  logic             complete_i,
  input  logic [PlaceW-1:0] complete_place_i,
  input  logic [1:0]       complete_resp_i
);
  ////////////
  // Gather //
  ////////////

  typedef struct packed {
    logic           bufferable;
    logic [IdW-1:0] id;
  } user_t;
  typedef enum logic [1:0] {StGather, StPlan, StSend, StFinish} state_e;

  state_e            state_q, state_d;
  user_t             user_d, user, user_q;
  logic              beat_valid, beat_take, beat_run_last, beat_last, last_q;
  logic [AddrW-1:0]  beat_addr;
  logic [AddrW-7:0]  line_q;
  logic [15:0][31:0] data_q;
  logic [63:0]       strb_q;

  assign user_d = '{bufferable: aw_bufferable_i, id: aw_id_i};
  axi_beats #(.AddrW(AddrW), .UserW($bits(user_t))) u_beats (
    .clk_i, .rst_ni, .valid_i(aw_valid_i), .ready_o(aw_ready_o), .addr_i(aw_addr_i), .len_i(aw_len_i),
    .size_i(aw_size_i), .burst_i(aw_burst_i), .user_i(user_d),
    .valid_o(beat_valid), .ready_i(beat_take), .addr_o(beat_addr), .user_o(user),
    .run_last_o(beat_run_last), .last_o(beat_last)
  );
  assign w_ready_o = state_q == StGather && beat_valid;
  assign beat_take = w_valid_i && w_ready_o;

  //////////
  // Plan //
  //////////

  function automatic logic [3:0] lowest(logic [15:0] dwords);
    lowest = '0;
    for (int i = 15; i >= 0; i--) if (dwords[i]) lowest = 4'(i);
  endfunction
  function automatic logic [3:0] highest(logic [15:0] dwords);
    highest = '0;
    for (int unsigned i = 0; i < 16; i++) if (dwords[i]) highest = 4'(i);
  endfunction

  logic [15:0] any, full, chosen;
  logic        whole, high_half;
  logic [3:0]  first, final_dword;
  logic [3:0]  first_q, count_q;
  logic [31:0] mask_q;
  logic        bytes_q, high_half_q;

  always_comb begin
    for (int unsigned i = 0; i < 16; i++) begin
      any[i]  = strb_q[4*i +: 4] != '0;
      full[i] = strb_q[4*i +: 4] == '1;
    end
    // Adding the lowest bit to a run of ones leaves none of them.
    whole       = any == full && (any & (any + (any & (~any + 16'd1)))) == '0;
    high_half   = any[7:0] == '0;
    chosen      = whole ? any : high_half ? {any[15:8], 8'd0} : {8'd0, any[7:0]};
    first       = lowest(chosen);
    final_dword = highest(chosen);
  end

  //////////
  // Send //
  //////////

  logic [3:0]  beat_q, position_q;
  logic        send_valid, send_ready, send_last, place_ready, place_take, finish;
  logic [PlaceW-1:0] place;
  logic [63:0] rest_strb;
  logic [3:0]  position_high;

  assign rest_strb = !bytes_q ? '0 : high_half_q ? {32'd0, strb_q[31:0]} : {strb_q[63:32], 32'd0};
  assign position_high = position_q + 4'd1;
  assign send_last = beat_q + 4'd1 == data_beats(CmdWrPosted, count_q);
  // A non-posted write needs a place before its first beat.
  assign send_valid        = state_q == StSend && (user_q.bufferable || beat_q != '0 || place_ready);
  assign posted_valid_o    = send_valid && user_q.bufferable;
  assign nonposted_valid_o = send_valid && !user_q.bufferable;
  assign send_ready        = user_q.bufferable ? posted_ready_i : nonposted_ready_i;
  assign last_o            = send_last;
  assign beat_o = '{
    sop: beat_q == '0, has_data: 1'b1,
    data: {data_q[position_high], bytes_q && beat_q == '0 ? mask_q : data_q[position_q]},
    cmd: host_request((user_q.bufferable ? CmdWrPosted : CmdWrNp) | (bytes_q ? 6'd0 : 6'b000100), count_q,
                      {line_q, first_q, 2'b00}, user_q.bufferable ? '0 : {1'b1, (HostTagW-1)'(place)}, '0, 1'b0)
  };
  assign finish = state_q == StFinish && (!last_q || place_ready);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StGather: if (beat_take && beat_run_last) state_d = StPlan;
      StPlan:   state_d = any == '0 ? StFinish : StSend;
      StSend:   if (send_valid && send_ready && send_last) state_d = rest_strb == '0 ? StFinish : StPlan;
      StFinish: if (finish) state_d = StGather;
      default:  state_d = StGather;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StGather;
      strb_q  <= '0;
      beat_q  <= '0;
    end else begin
      state_q <= state_d;
      if (beat_take) strb_q[{beat_addr[5:3], 3'd0} +: 8] <= strb_q[{beat_addr[5:3], 3'd0} +: 8] | w_strb_i;
      if (send_valid && send_ready) begin
        beat_q <= send_last ? '0 : beat_q + 4'd1;
        if (send_last) strb_q <= rest_strb;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (beat_take) begin
      for (int unsigned i = 0; i < 8; i++) begin
        if (w_strb_i[i]) data_q[{beat_addr[5:3], i >= 4}][8*(i%4) +: 8] <= w_data_i[8*i +: 8];
      end
      line_q <= beat_addr[AddrW-1:6];
      user_q <= user;
      last_q <= beat_last;
    end
    if (state_q == StPlan) begin
      first_q     <= first;
      bytes_q     <= !whole;
      high_half_q <= high_half;
      // Of a byte-masked write the mask is a dword as well.
      count_q     <= final_dword - first + 4'(!whole);
      mask_q      <= high_half ? strb_q[63:32] : strb_q[31:0];
      position_q  <= first - 4'(!whole);
    end else if (send_valid && send_ready) begin
      position_q  <= position_q + 4'd2;
    end
  end

  ////////////
  // Answer //
  ////////////

  typedef struct packed {
    logic           last;
    logic [IdW-1:0] id;
  } place_t;

  place_t     place_d, head;
  logic       head_valid, head_pop;
  logic [PlaceW-1:0] unused_head;
  logic [1:0] head_resp, worst_q, worst;

  // Each non-posted packet has a place; the burst has one more, complete from the beginning.
  assign place_take = (send_valid && send_ready && beat_q == '0 && !user_q.bufferable) ||
                      (state_q == StFinish && last_q && place_ready);
  assign place_d    = '{last: state_q == StFinish, id: user_q.id};
  reorder_ring #(.Depth(Depth), .Width($bits(place_t)), .ResultW(2)) u_places (
    .clk_i, .rst_ni, .ready_o(place_ready), .place_o(place), .take_i(place_take),
    .done_i(state_q == StFinish), .data_i(place_d),
    .complete_i, .complete_place_i, .complete_result_i(complete_resp_i),
    .valid_o(head_valid), .ready_i(head_pop), .head_o(unused_head), .data_o(head), .result_o(head_resp)
  );
  // Higher is worse: OKAY, (EXOKAY,) SLVERR, DECERR.
  assign worst     = head_resp > worst_q ? head_resp : worst_q;
  assign b_valid_o = head_valid && head.last;
  assign b_id_o    = head.id;
  assign b_resp_o  = worst;
  assign head_pop  = head_valid && (!head.last || b_ready_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) worst_q <= '0;
    else if (head_pop) worst_q <= head.last ? '0 : worst;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!beat_take || w_last_i == beat_last);
      assert (state_q != StSend || !bytes_q || count_q <= 4'd8);
      assert (state_q != StGather || !beat_take || strb_q == '0 || line_q == beat_addr[AddrW-1:6]);
      assert (!(posted_valid_o && nonposted_valid_o));
    end
  end
endmodule
