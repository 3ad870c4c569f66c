// Sends packets of three channels as 32-bit words, without a gap between packets. A channel takes
// part while the receiver has room for one of its packets; those that can send take turns.
//
// Invariants: a packet's words are contiguous; a channel without credit never begins a packet, and
// never keeps another channel from sending.
module link_tx
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Streams by channel.
  input  logic      [NumVc-1:0] valid_i,
  output logic      [NumVc-1:0] ready_o,
  input  net_beat_t [NumVc-1:0] beat_i,
  /// The link. sop and eop frame a packet.
  output logic                  tx_valid_o,
  output logic [31:0]           tx_data_o,
  output vc_e                   tx_vc_o,
  output logic                  tx_sop_o,
  output logic                  tx_eop_o,
  /// One credit for a packet, by channel.
  input  logic      [NumVc-1:0] tx_credit_i
);
  //////////////////////
  // Choice and words //
  //////////////////////

  logic [NumVc-1:0] credit, use_credit, grant, current_q;  // channels, one bit each
  logic [1:0]       chosen, chosen_q;
  logic             busy_q, first, go, eop, in_data, last_word;
  logic             response_q, has_data_q;
  logic [4:0]       word_q, words_q;
  logic             data_word_q;
  net_beat_t        beat;
  logic [31:0]      first_word, word;

  for (genvar v = 0; v < int'(NumVc); v++) begin : gen_credit
    logic [$clog2(NetCredits+1)-1:0] unused_count;
    credit_sender #(.Initial(NetCredits)) u_credit (
      .clk_i, .rst_ni, .use_i(use_credit[v]), .return_i(tx_credit_i[v]), .some_o(credit[v]),
      .count_o(unused_count)
    );
  end

  round_robin #(.N(NumVc)) u_arbiter (
    .clk_i, .rst_ni, .request_i(valid_i & credit), .take_i(!busy_q), .grant_o(grant), .index_o(chosen)
  );

  // The first word is chosen with the channel; all later ones are of the channel in registers.
  always_comb begin
    first_word = '0;
    beat       = '0;
    for (int unsigned v = 0; v < NumVc; v++) begin
      if (grant[v]) first_word = first_word | beat_i[v].header[31:0];
      if (current_q[v]) beat = beat | beat_i[v];
    end
  end

  always_comb begin
    unique case (word_q)
      5'd1:    word = beat.header[63:32];
      5'd2:    word = beat.header[95:64];
      default: word = beat.header[127:96];
    endcase
    if (in_data) word = data_word_q ? beat.data[63:32] : beat.data[31:0];
  end

  // A beat goes with its second word, or with the packet's last one. Every packet has two words or more;
  // how many is known behind the first.
  assign first     = !busy_q && grant != '0;
  assign in_data   = word_q >= (response_q ? 5'd2 : 5'd4);
  assign last_word = word_q == words_q;
  assign go        = busy_q ? !in_data || (valid_i & current_q) != '0 : first;
  assign eop       = busy_q && last_word;

  always_comb begin
    ready_o    = '0;
    use_credit = '0;
    if (busy_q && (last_word || (in_data && data_word_q))) ready_o = current_q & valid_i;
    if (!busy_q) use_credit = grant;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      current_q <= '0;
      word_q    <= 5'd1;
    end else if (!busy_q) begin
      busy_q    <= first;
      current_q <= grant;
      word_q    <= 5'd1;
    end else if (go) begin
      busy_q <= !last_word;
      word_q <= word_q + 5'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      response_q  <= grant[VcResponse];
      chosen_q    <= chosen;
      words_q     <= '0;
      has_data_q  <= 1'b0;
      data_word_q <= 1'b0;
      for (int unsigned v = 0; v < NumVc; v++) begin
        if (grant[v]) begin
          // The number of the last word.
          words_q    <= (v == 32'(VcResponse) ? 5'd1 : 5'd3) + (beat_i[v].has_data ? 5'(beat_i[v].header.count) + 5'd1 : 5'd0);
          has_data_q <= beat_i[v].has_data;
        end
      end
    end else if (go && in_data) begin
      data_word_q <= !data_word_q;
    end
  end

  /////////////
  // Outputs //
  /////////////

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tx_valid_o <= 1'b0;
      tx_vc_o    <= VcPosted;
      tx_sop_o   <= 1'b0;
      tx_eop_o   <= 1'b0;
    end else begin
      tx_valid_o <= go;
      tx_vc_o    <= vc_e'(busy_q ? chosen_q : chosen);
      tx_sop_o   <= first;
      tx_eop_o   <= go && eop;
    end
  end
  always_ff @(posedge clk_i) tx_data_o <= busy_q ? word : first_word;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((current_q & (current_q - NumVc'(1))) == '0);
      assert (!busy_q || current_q != '0);
      assert (!busy_q || has_data_q || words_q == (response_q ? 5'd1 : 5'd3));
      assert ((ready_o & ~valid_i) == '0);
      assert (!busy_q || (valid_i & current_q) != '0 || in_data);  // a header stays until it has gone
    end
  end
endmodule
