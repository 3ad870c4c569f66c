// Takes the words of the link apart: headers and data for the three receive queues. A packet is
// handed over whole at its last word, or not at all: one of a wrong length, of a kind that its
// channel does not carry, or for another node is counted, its data taken back, its credit returned.
//
// Invariant: after any sequence of words, each packet's credit is given back exactly once, here for
// a packet thrown away, by the queue for one handed over.
module link_rx
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  /// Number of this node.
  input  logic [NodeW-1:0]  node_id_i,
  /// The link.
  input  logic              rx_valid_i,
  input  logic [31:0]       rx_data_i,
  input  logic [1:0]        rx_vc_i,
  input  logic              rx_sop_i,
  input  logic              rx_eop_i,
  /// To the queues: beats, then the header with commit, or abort.
  output logic [NumVc-1:0]  data_valid_o,
  output logic [63:0]       data_o,
  output logic [NumVc-1:0]  header_valid_o,
  output net_header_t       header_o,
  output logic [3:0]        beats_o,
  output logic [NumVc-1:0]  abort_o,
  /// Packets thrown away: their credits go back.
  output logic [NumVc-1:0]  discard_o,
  output logic              malformed_o,
  output logic              misrouted_o
);
  //////////////////
  // Word by word //
  //////////////////

  logic [4:0]  word_q, word;
  logic        open_q, overrun_q, overrun;
  logic [1:0]  vc_q, vc;
  net_header_t header_q, header;
  logic [31:0] low_q;
  logic [4:0]  header_words, last_q;
  logic        data_word, data_word_q, in_data, in_data_q, resync;

  // A packet that begins inside another one ends that one, as malformed.
  assign resync = rx_valid_i && rx_sop_i && open_q;
  assign word   = rx_sop_i ? '0 : word_q;
  assign vc     = rx_sop_i ? rx_vc_i : vc_q;

  always_comb begin
    header = header_q;
    unique case (word)
      5'd0: header[31:0]  = rx_data_i;
      5'd1: header[63:32] = rx_data_i;
      5'd2: if (vc != VcResponse) header[95:64] = rx_data_i;
      5'd3: if (vc != VcResponse) header[127:96] = rx_data_i;
      default: ;
    endcase
    if (vc == VcResponse) header[127:64] = '0;
  end

  assign header_words = vc == VcResponse ? 5'd2 : 5'd4;
  assign in_data      = !rx_sop_i && in_data_q;
  assign data_word    = !rx_sop_i && data_word_q;
  assign overrun      = !rx_sop_i && (overrun_q || word_q >= header_words + 5'd16);

  // The kinds that a channel carries; everything else on it is malformed.
  // A whole packet has two words or more, and its last one changes nothing of what is judged here but
  // its address's top: so all is worked out of registers.
  logic kind_ok, length_ok, legal, for_us, good, known_vc;
  always_comb begin
    unique case (vc_q)
      VcPosted:    kind_ok = is_posted_write(header_q.cmd);
      VcNonPosted: kind_ok = is_np_write(header_q.cmd) || is_read(header_q.cmd) || header_q.cmd == CmdAtomic ||
                             header_q.cmd == CmdFlush;
      VcResponse:  kind_ok = header_q.cmd == CmdRdResp || header_q.cmd == CmdTgtDone;
      default:     kind_ok = 1'b0;
    endcase
  end
  assign known_vc  = vc != 2'd3;
  assign for_us    = (rx_sop_i ? header.dest : header_q.dest) == node_id_i;
  assign legal     = vc_q == VcResponse || header_q.cmd == CmdFlush ||
                     is_legal(header_q.cmd, header_q.count, header_q.addr_lo[3:0]);
  // The number of the last word is in a register from the third word on; a response without data has two.
  assign length_ok = word_q == 5'd1 ? vc_q == VcResponse && !has_data(header_q.cmd) : word_q == last_q && !overrun;
  assign good      = !rx_sop_i && open_q && kind_ok && length_ok && for_us && legal;

  logic finish;
  assign finish = rx_valid_i && rx_eop_i && (rx_sop_i || open_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q    <= '0;
      open_q    <= 1'b0;
      overrun_q <= 1'b0;
      vc_q      <= '0;
      in_data_q <= 1'b0;
    end else if (rx_valid_i) begin
      in_data_q <= !rx_eop_i && word + 5'd1 >= header_words;
      word_q    <= rx_eop_i ? '0 : (overrun ? word : word + 5'd1);
      open_q    <= !rx_eop_i && (rx_sop_i || open_q);
      overrun_q <= !rx_eop_i && overrun;
      vc_q      <= vc;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rx_valid_i) begin
      header_q <= header;
      if (in_data && !data_word) low_q <= rx_data_i;
      data_word_q <= in_data && !data_word;
      last_q      <= (vc_q == VcResponse ? 5'd1 : 5'd3) + (has_data(header_q.cmd) ? 5'(header_q.count) + 5'd1 : 5'd0);
    end
  end

  /////////////
  // Outputs //
  /////////////

  // Registered: the queues see a packet one cycle after its last word.
  logic [NumVc-1:0] one_hot, one_hot_open;
  assign one_hot      = known_vc ? NumVc'(1) << vc : '0;
  assign one_hot_open = vc_q != 2'd3 ? NumVc'(1) << vc_q : '0;

  // Credits to give back, and those that wait: a packet that ends inside another one ends two.
  logic [NumVc-1:0]      thrown, broken;
  logic [NumVc-1:0][1:0] owed, owed_q;
  assign thrown = finish && !good ? one_hot : '0;
  assign broken = resync ? one_hot_open : '0;
  always_comb begin
    for (int unsigned v = 0; v < NumVc; v++) owed[v] = owed_q[v] + 2'(thrown[v]) + 2'(broken[v]);
  end

  logic beat_now;
  assign beat_now = rx_valid_i && (open_q || rx_sop_i) && in_data && !overrun &&
                    (data_word || rx_eop_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_valid_o   <= '0;
      header_valid_o <= '0;
      abort_o        <= '0;
      discard_o      <= '0;
      malformed_o    <= 1'b0;
      misrouted_o    <= 1'b0;
    end else begin
      data_valid_o   <= beat_now ? one_hot : '0;
      header_valid_o <= finish && good ? one_hot : '0;
      abort_o        <= thrown | broken;
      for (int unsigned v = 0; v < NumVc; v++) discard_o[v] <= owed[v] != '0;
      malformed_o    <= resync || (finish && !good && for_us);
      misrouted_o    <= finish && !good && !for_us;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owed_q <= '0;
    else begin
      for (int unsigned v = 0; v < NumVc; v++) owed_q[v] <= owed[v] - 2'(owed[v] != '0);
    end
  end
  always_ff @(posedge clk_i) begin
    data_o   <= data_word ? {rx_data_i, low_q} : {32'd0, rx_data_i};
    header_o <= header;
    beats_o  <= data_beats(header_q.cmd, header_q.count);
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((owed_q & {NumVc{2'b10}}) == '0);  // one at most waits
      assert ((header_valid_o & (header_valid_o - NumVc'(1))) == '0);
    end
  end
endmodule
