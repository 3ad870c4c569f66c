// A packet is handed over exactly if it is whole, of a kind that its channel carries, legal and for this
// node, with its own header and its own data; every other one is taken back, and counted by its reason.
// Said a second time, from the words themselves. By induction: so it names what the module keeps.
module link_rx_words_proof
  import ht_pkg::*;
  import engine_pkg::*;
(
  input logic        clk_i,
  input logic        valid_i,
  input logic [31:0] data_i,
  input logic [1:0]  vc_i,
  input logic        sop_i,
  input logic        eop_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumVc-1:0] data_valid, header_valid, abort, unused_discard;
  logic [63:0]      data;
  net_header_t      header;
  logic [3:0]       beats;
  logic             malformed, misrouted;
  link_rx u_rx (
    .clk_i, .rst_ni, .node_id_i(16'd5), .rx_valid_i(valid_i), .rx_data_i(data_i), .rx_vc_i(vc_i), .rx_sop_i(sop_i),
    .rx_eop_i(eop_i), .data_valid_o(data_valid), .data_o(data), .header_valid_o(header_valid), .header_o(header),
    .beats_o(beats), .abort_o(abort), .discard_o(unused_discard), .malformed_o(malformed), .misrouted_o(misrouted)
  );

  //////////////////////////////
  // The packet, word by word //
  //////////////////////////////

  logic [3:0][31:0] words_q, words;  // its first four words, this one included
  logic [5:0]       count_q, count;  // words before this one
  logic [31:0]      before_q;        // the word before this one
  logic [1:0]       vc;
  logic [5:0]       cmd, first_data, length;
  logic [3:0]       dwords;
  logic             kind, whole, is_beat, ends, ours, inside_q;
  logic [1:0]       vc_q;
  logic [NumVc-1:0] channel;
  logic [NumVc-1:0] good_q, thrown_q, broken_q, beat_q;
  logic             malformed_q, misrouted_q;
  logic [63:0]      beat_data_q;
  logic [127:0]     header_q;

  assign vc    = sop_i ? vc_i : vc_q;
  assign count = sop_i ? '0 : count_q;
  always_comb begin
    words = sop_i ? '0 : words_q;
    if (count < 6'd4) words[count[1:0]] = data_i;
    if (vc == 2'd2) words[3:2] = '0;
  end
  assign cmd        = words[0][5:0];
  assign dwords     = words[0][9:6];
  assign ours       = words[0][31:16] == 16'd5;
  assign first_data = vc == 2'd2 ? 6'd2 : 6'd4;
  assign length     = first_data + (has_data(cmd) ? 6'(dwords) + 6'd1 : 6'd0);
  always_comb begin
    unique case (vc)
      2'd0:    kind = cmd[5:3] == 3'b101;
      2'd1:    kind = cmd[5:3] == 3'b001 || cmd[5:4] == 2'b01 || cmd == CmdAtomic || cmd == CmdFlush;
      2'd2:    kind = cmd == CmdRdResp || cmd == CmdTgtDone;
      default: kind = 1'b0;
    endcase
  end
  assign whole   = kind && count + 6'd1 == length && ours &&
                   (vc == 2'd2 || cmd == CmdFlush || is_legal(cmd, dwords, words[2][5:2]));
  assign ends    = valid_i && eop_i && (sop_i || inside_q);
  assign channel = vc == 2'd3 ? '0 : 3'd1 << vc;
  assign is_beat = valid_i && (sop_i || inside_q) && count >= first_data && count < first_data + 6'd16 &&
                   (count[0] || eop_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0; words_q <= '0; before_q <= '0; good_q <= '0; thrown_q <= '0; broken_q <= '0; beat_q <= '0;
      malformed_q <= 1'b0; misrouted_q <= 1'b0; beat_data_q <= '0; header_q <= '0; inside_q <= 1'b0; vc_q <= '0;
    end else begin
      if (valid_i) begin
        count_q  <= eop_i ? '0 : count == first_data + 6'd16 ? count : count + 6'd1;
        words_q  <= words;
        before_q <= data_i;
        inside_q <= (sop_i || inside_q) && !eop_i;
        vc_q     <= vc;
      end
      good_q      <= ends && whole ? channel : '0;
      thrown_q    <= ends && !whole ? channel : '0;
      broken_q    <= valid_i && sop_i && inside_q && vc_q != 2'd3 ? 3'd1 << vc_q : '0;
      malformed_q <= (valid_i && sop_i && inside_q) || (ends && !whole && ours);
      misrouted_q <= ends && !whole && !ours;
      beat_q      <= is_beat ? channel : '0;
      beat_data_q <= count[0] ? {data_i, before_q} : {32'd0, data_i};
      header_q    <= words;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What the module keeps is what was said.
      assert (u_rx.open_q == inside_q && !(u_rx.open_q && u_rx.owed_q != '0));
      if (inside_q) begin
        assert (u_rx.vc_q == vc_q && u_rx.word_q == count_q[4:0]);
        assert (count_q != '0 && count_q <= (vc_q == 2'd2 ? 6'd18 : 6'd20));
        assert (!u_rx.overrun_q || count_q == (vc_q == 2'd2 ? 6'd18 : 6'd20));
        assert (u_rx.in_data_q == (count_q >= (vc_q == 2'd2 ? 6'd2 : 6'd4)));
        for (int w = 0; w < 4; w++) if (count_q > 6'(w)) assert (u_rx.header_q[32 * w +: 32] == words_q[w]);
        if (u_rx.in_data_q) assert (u_rx.data_word_q == count_q[0] || count_q >= (vc_q == 2'd2 ? 6'd18 : 6'd20));
        if (u_rx.in_data_q && count_q[0]) assert (u_rx.low_q == before_q);
        if (count_q >= 6'd2) begin
          assert (u_rx.last_q == (vc_q == 2'd2 ? 5'd1 : 5'd3) +
                  (has_data(words_q[0][5:0]) ? 5'(words_q[0][9:6]) + 5'd1 : 5'd0));
        end
      end
      assert (header_valid == good_q && abort == (thrown_q | broken_q));
      assert (malformed == malformed_q && misrouted == misrouted_q);
      if (header_valid != '0) assert (header == header_q && beats == data_beats(header_q[5:0], header_q[9:6]));
      assert (data_valid == beat_q);
      if (data_valid != '0) assert (data == beat_data_q);
    end
  end
endmodule
