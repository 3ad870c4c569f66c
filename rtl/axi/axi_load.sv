// Reads of the engine from the own host become bursts of an AXI4 master, of the words of 8 B that hold
// the dwords asked for. A burst is begun only when its data has a place here, so the memory is never
// made to wait for the engine: a write behind it could be a posted one.
//
// Invariants: as many dwords as asked for, in order, with the tag of their request; data once accepted
// waits for the response channel and nothing else.
module axi_load
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Reads under way, and places of 64 B for their data.
  parameter int unsigned InFlight = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// Requests.
  input  logic             cmd_valid_i,
  output logic             cmd_ready_o,
  input  request_t         cmd_i,
  /// AXI4, one ID.
  output logic             ar_valid_o,
  input  logic             ar_ready_i,
  output logic [AddrW-1:0] ar_addr_o,
  output logic [7:0]       ar_len_o,
  input  logic             r_valid_i,
  output logic             r_ready_o,
  input  logic [63:0]      r_data_i,
  input  logic [1:0]       r_resp_i,
  input  logic             r_last_i,
  /// Responses.
  output logic             valid_o,
  input  logic             ready_i,
  output host_beat_t       beat_o,
  output logic             last_o
);
  typedef struct packed {
    logic [HostTagW-1:0] tag;
    logic [3:0]          count;  // dwords less one
    logic                odd;    // the first is the high half of its word
    logic                pass_pw;
  } asked_t;
  typedef struct packed {
    logic [HostTagW-1:0] tag;
    logic [3:0]          count;
    logic                pass_pw;
    err_e                err;
  } answer_head_t;
  localparam int unsigned LevelW = $clog2(InFlight) + 1;

  /////////////
  // Request //
  /////////////

  logic             busy_q, accept, asked_valid, asked_pop, unused_asked_ready, unused_head_ready;
  logic [3:0]       count, final_dword;
  logic [AddrW-1:0] addr_q;
  logic [2:0]       words_q;
  asked_t           asked_d, asked;
  logic [LevelW-1:0] held_q;
  logic [LevelW-1:0] unused_asked_level, unused_head_level;

  // A byte read names bytes of one dword; all of it is read.
  assign count       = cmd_i.cmd[2] ? cmd_i.count : 4'd0;
  assign final_dword = cmd_i.addr[3:0] + count;
  assign cmd_ready_o = !busy_q && held_q != LevelW'(InFlight);
  assign accept      = cmd_valid_i && cmd_ready_o;
  assign asked_d     = '{tag: {cmd_i.unit_id, cmd_i.src_tag}, count: count, odd: cmd_i.addr[0],
                         pass_pw: cmd_i.cmd[3]};
  assign ar_valid_o  = busy_q;
  assign ar_addr_o   = addr_q;
  assign ar_len_o    = 8'(words_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      held_q <= '0;
    end else begin
      busy_q <= busy_q ? !ar_ready_i : accept;
      held_q <= held_q + LevelW'(accept) - LevelW'(valid_o && ready_i && last_o);
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept) begin
      addr_q  <= request_addr(cmd_i) & ~AddrW'(7);
      words_q <= final_dword[3:1] - cmd_i.addr[3:1];
    end
  end
  fifo #(.Width($bits(asked_t)), .Depth(InFlight)) u_asked (
    .clk_i, .rst_ni, .valid_i(accept), .ready_o(unused_asked_ready), .data_i(asked_d),
    .valid_o(asked_valid), .ready_i(asked_pop), .data_o(asked), .level_o(unused_asked_level)
  );

  //////////
  // Data //
  //////////

  // With an odd first dword each beat is a word's high half and the next one's low half; an odd number
  // of dwords then ends with the carry alone, one cycle later.
  logic         inside_q, tail_q, word_take, push, whole;
  logic [31:0]  carry_q;
  logic [1:0]   worst_q, worst;
  logic [63:0]  pushed, data;
  logic         data_valid, data_pop, data_ready;
  answer_head_t head_d, head;
  logic         head_valid, head_pop;
  logic [$clog2(InFlight*8):0] unused_data_level;

  assign r_ready_o = !tail_q;
  assign word_take = r_valid_i && r_ready_o;
  assign push      = tail_q || (word_take && (!asked.odd || inside_q));
  assign pushed    = !asked.odd ? r_data_i : {r_data_i[31:0], carry_q};
  assign worst     = r_resp_i > worst_q ? r_resp_i : worst_q;
  assign whole     = tail_q || (word_take && r_last_i && !(asked.odd && !asked.count[0]));
  assign asked_pop = whole;
  always_comb begin
    head_d = '{tag: asked.tag, count: asked.count, pass_pw: asked.pass_pw, err: ErrNone};
    unique case (tail_q ? worst_q : worst)
      2'b10:   head_d.err = ErrTargetAbort;
      2'b11:   head_d.err = ErrMasterAbort;
      default: head_d.err = ErrNone;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      tail_q   <= 1'b0;
      worst_q  <= '0;
    end else begin
      tail_q <= word_take && r_last_i && !whole;
      if (word_take) inside_q <= !r_last_i;
      if (whole) worst_q <= '0;
      else if (word_take) worst_q <= worst;
    end
  end
  always_ff @(posedge clk_i) begin
    if (word_take) carry_q <= r_data_i[63:32];
  end

  fifo #(.Width(64), .Depth(InFlight * 8)) u_data (
    .clk_i, .rst_ni, .valid_i(push), .ready_o(data_ready), .data_i(pushed),
    .valid_o(data_valid), .ready_i(data_pop), .data_o(data), .level_o(unused_data_level)
  );
  fifo #(.Width($bits(answer_head_t)), .Depth(InFlight)) u_heads (
    .clk_i, .rst_ni, .valid_i(whole), .ready_o(unused_head_ready), .data_i(head_d),
    .valid_o(head_valid), .ready_i(head_pop), .data_o(head), .level_o(unused_head_level)
  );

  //////////////
  // Response //
  //////////////

  logic [3:0] beat_q;
  assign last_o   = beat_q + 4'd1 == data_beats(CmdRdResp, head.count);
  assign valid_o  = head_valid;
  assign data_pop = valid_o && ready_i;
  assign head_pop = data_pop && last_o;
  assign beat_o   = '{sop: beat_q == '0, has_data: 1'b1, data: data,
                      cmd: host_response(CmdRdResp, head.count, head.tag, head.pass_pw, head.err)};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (data_pop) beat_q <= last_o ? '0 : beat_q + 4'd1;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!r_valid_i || asked_valid || tail_q);
      assert (!push || data_ready);
      assert (!whole || unused_head_ready);
      assert (!accept || unused_asked_ready);
      assert (!valid_o || data_valid);
    end
  end
endmodule
