// Open requests by tag: opened on one side, closed by their response or by time on the other, both
// once a cycle. Whether a tag is open is the difference of two bits, each written by one side only;
// so block RAM with one write port serves for everything.
//
//   cycle 0  accepted, block RAM asked     1  its output     2  the answer     3  written
//
// The RAM's output goes nowhere but into registers, so four cycles of a side may be under way. An
// operation that follows another one of its side on the same tag knows of it by comparison of tags.
// Looking for tags whose time is up gives way: one that any response has come behind is done again.
// An opening and a closing of one tag do not look at each other: whoever opens a tag within three
// cycles of its closing finds it busy.
//
// A tag whose time is up is reported once. Then, with Quarantine, it stays closed to new requests
// until its late response comes or software releases it; without, it is free at once under a new
// generation, and a late response of the old one is told from those of the new.
//
// Invariants: each opened tag is closed by exactly one of hit, expired (and, in quarantine, late or
// released); a response never closes a tag it does not belong to.
module tag_table #(
  /// Tags: 2^TagW.
  parameter int unsigned TagW = 10,
  /// Bits that an entry keeps for its owner.
  parameter int unsigned EntryW = 32,
  /// Bits of the generation and of the time.
  parameter int unsigned GenW = 4,
  parameter int unsigned StampW = 16,
  parameter bit          Quarantine = 1'b0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  /// Low while the table is being emptied after reset.
  output logic              ready_o,
  /// Generation that all tags start with: differs from life to life of the engine.
  input  logic [GenW-1:0]   incarnation_i,
  /// Time in ticks, and after how many a tag has expired (0: never); all of them at once.
  input  logic [StampW-1:0] now_i,
  input  logic [StampW-1:0] timeout_i,
  input  logic              expire_all_i,

  /// Opening. The answer comes two cycles after the request: busy, or opened under a generation.
  input  logic              open_valid_i,
  output logic              open_ready_o,
  input  logic [TagW-1:0]   open_tag_i,
  input  logic [EntryW-1:0] open_entry_i,
  output logic              opened_valid_o,
  output logic              opened_busy_o,
  output logic [GenW-1:0]   opened_gen_o,

  /// Closing by a response, or by software (release: only what is in quarantine). The answer comes
  /// two cycles later: one of hit, late and neither (stray).
  input  logic              close_valid_i,
  output logic              close_ready_o,
  input  logic [TagW-1:0]   close_tag_i,
  input  logic [GenW-1:0]   close_gen_i,
  input  logic              close_release_i,
  output logic              closed_valid_o,
  output logic              closed_hit_o,
  output logic              closed_late_o,
  output logic              closed_freed_o,
  output logic [TagW-1:0]   closed_tag_o,
  output logic [EntryW-1:0] closed_entry_o,

  /// Tags whose time is up.
  output logic              expired_valid_o,
  input  logic              expired_ready_i,
  output logic [TagW-1:0]   expired_tag_o,
  output logic [EntryW-1:0] expired_entry_o
);
  localparam int unsigned Tags = 1 << TagW;

  typedef struct packed {
    logic            side;        // equal to the opening side's bit: closed
    logic            quarantined;
    logic [GenW-1:0] gen;
  } closing_t;

  ///////////
  // Reset //
  ///////////

  logic [TagW:0] sweep_q;
  logic          sweeping;
  assign sweeping = !sweep_q[TagW];
  assign ready_o  = !sweeping;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sweep_q <= '0;
    else if (sweeping) sweep_q <= sweep_q + (TagW+1)'(1);
  end

  /////////////
  // Opening //
  /////////////

  // The second number of a name is its cycle.
  logic              open_accept, open_1_q, open_2_q, open_3_q, open_done_4_q;
  logic [TagW-1:0]   open_tag_1_q, open_tag_2_q, open_tag_3_q, open_tag_4_q;
  logic [EntryW-1:0] open_entry_1_q, open_entry_2_q, open_entry_3_q;
  logic              open_side_raw, open_side_2_q, open_side_3_q, open_behind_2_q;
  closing_t          open_closing_raw, open_closing_2_q;

  assign open_ready_o = !sweeping;
  assign open_accept  = open_valid_i && open_ready_o;

  assign opened_valid_o = open_2_q;
  assign opened_busy_o  = open_side_2_q != open_closing_2_q.side || open_behind_2_q;
  assign opened_gen_o   = open_closing_2_q.gen;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_1_q      <= 1'b0;
      open_2_q      <= 1'b0;
      open_3_q      <= 1'b0;
      open_done_4_q <= 1'b0;
    end else begin
      open_1_q      <= open_accept;
      open_2_q      <= open_1_q;
      open_3_q      <= open_2_q && !opened_busy_o;
      open_done_4_q <= open_3_q;
    end
  end
  always_ff @(posedge clk_i) begin
    open_tag_1_q     <= open_tag_i;
    open_entry_1_q   <= open_entry_i;
    open_tag_2_q     <= open_tag_1_q;
    open_entry_2_q   <= open_entry_1_q;
    open_side_2_q    <= open_side_raw;
    open_closing_2_q <= open_closing_raw;
    // Behind an opening that was not written when this one was read: that tag is busy in any case.
    open_behind_2_q  <= (open_2_q && !opened_busy_o && open_tag_2_q == open_tag_1_q) ||
                        (open_3_q && open_tag_3_q == open_tag_1_q) ||
                        (open_done_4_q && open_tag_4_q == open_tag_1_q);
    open_tag_3_q     <= open_tag_2_q;
    open_entry_3_q   <= open_entry_2_q;
    open_side_3_q    <= !open_side_2_q;
    open_tag_4_q     <= open_tag_3_q;
  end

  //////////////////////////
  // Closing and scanning //
  //////////////////////////

  localparam int unsigned ScanEvery = 5;  // scanning gets a turn every 2^this cycles

  logic              close_accept, scan, scan_turn, turn_q;
  logic [TagW-1:0]   scan_q, scan_again, look_tag;
  logic [ScanEvery:0] since_scan_q;
  logic              close_1_q, close_2_q, scan_1_q, scan_2_q, scan_3_q;
  logic              write_3_q, write_4_q, write_5_q;          // closed by a response
  logic [TagW-1:0]   tag_1_q, tag_2_q, tag_3_q, tag_4_q, tag_5_q;
  logic [GenW-1:0]   gen_1_q, gen_2_q;
  logic              release_1_q, release_2_q;
  logic              side_raw, side_2_q, side_3_q, same_3_2_q, same_4_2_q, same_5_2_q;
  closing_t          closing_raw, closing_2_q, closing_3_q;
  logic [StampW-1:0] stamp_raw, stamp_2_q, age_3_q;
  logic [EntryW-1:0] entry_raw, entry_2_q, entry_3_q;
  logic              busy, busy_3_q, closes, expire, look_write;
  closing_t          look_closing;

  // A turn of scanning has the table to itself.
  assign scan_turn     = since_scan_q[ScanEvery];
  assign close_ready_o = !sweeping && !turn_q;
  assign close_accept  = close_valid_i && close_ready_o;
  assign scan          = !sweeping && !(close_valid_i && !turn_q) && !close_1_q && !close_2_q && !write_3_q &&
                         !expired_valid_o;
  assign look_tag      = close_valid_i && !turn_q ? close_tag_i : scan_q;

  // Another one of the same tag, written after this one was read, has closed it.
  assign busy = side_2_q != closing_2_q.side &&
                !((same_3_2_q && write_3_q) || (same_4_2_q && write_4_q) || (same_5_2_q && write_5_q));

  assign closed_valid_o = close_2_q;
  assign closed_hit_o   = busy && !closing_2_q.quarantined && !release_2_q &&
                          (Quarantine || closing_2_q.gen == gen_2_q);
  assign closed_late_o  = Quarantine ? busy && closing_2_q.quarantined
                                     : closing_2_q.gen != gen_2_q;
  assign closes         = close_2_q && (closed_hit_o || (Quarantine && closed_late_o));
  assign closed_freed_o = closes;
  assign closed_tag_o   = tag_2_q;
  assign closed_entry_o = entry_2_q;

  // A response that is accepted now has read what was there before: it comes first.
  assign expire = scan_3_q && busy_3_q && !closing_3_q.quarantined && !expired_valid_o && !close_accept &&
                  (expire_all_i || (timeout_i != '0 && age_3_q >= timeout_i));

  // A response ends the scans under way; they begin again with the oldest.
  assign scan_again = scan_3_q ? tag_3_q : scan_2_q ? tag_2_q : scan_1_q ? tag_1_q : scan_q;

  always_comb begin
    look_write   = write_3_q || expire;
    look_closing = closing_3_q;
    if (write_3_q || !Quarantine) look_closing.side = side_3_q;
    look_closing.quarantined = !write_3_q && Quarantine;
    if (!write_3_q && !Quarantine) look_closing.gen = closing_3_q.gen + GenW'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      close_1_q       <= 1'b0;
      close_2_q       <= 1'b0;
      scan_1_q        <= 1'b0;
      scan_2_q        <= 1'b0;
      scan_3_q        <= 1'b0;
      write_3_q       <= 1'b0;
      write_4_q       <= 1'b0;
      write_5_q       <= 1'b0;
      scan_q          <= '0;
      since_scan_q    <= '0;
      turn_q          <= 1'b0;
      expired_valid_o <= 1'b0;
    end else begin
      close_1_q <= close_accept;
      close_2_q <= close_1_q;
      scan_1_q  <= scan;
      scan_2_q  <= scan_1_q && !close_accept;
      scan_3_q  <= scan_2_q && !close_accept;
      write_3_q <= closes;
      write_4_q <= write_3_q;
      write_5_q <= write_4_q;
      if (scan) scan_q <= scan_q + TagW'(1);
      else if (close_accept) scan_q <= scan_again;
      // Its turn ends when a scan has come to its end, or none is wanted.
      if ((scan_3_q && !close_accept) || expired_valid_o) begin
        since_scan_q <= '0;
        turn_q       <= 1'b0;
      end else begin
        if (!scan_turn) since_scan_q <= since_scan_q + (ScanEvery+1)'(1);
        turn_q <= scan_turn;
      end
      if (expire) expired_valid_o <= 1'b1;
      else if (expired_ready_i) expired_valid_o <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    tag_1_q     <= look_tag;
    gen_1_q     <= close_gen_i;
    release_1_q <= close_release_i;
    tag_2_q     <= tag_1_q;
    gen_2_q     <= gen_1_q;
    release_2_q <= release_1_q;
    side_2_q    <= side_raw;
    closing_2_q <= closing_raw;
    stamp_2_q   <= stamp_raw;
    entry_2_q   <= entry_raw;
    same_3_2_q  <= tag_2_q == tag_1_q;
    same_4_2_q  <= tag_3_q == tag_1_q;
    same_5_2_q  <= tag_4_q == tag_1_q;
    tag_3_q     <= tag_2_q;
    side_3_q    <= side_2_q;
    closing_3_q <= closing_2_q;
    age_3_q     <= now_i - stamp_2_q;
    busy_3_q    <= busy;
    entry_3_q   <= entry_2_q;
    tag_4_q     <= tag_3_q;
    if (!expired_valid_o) begin
      expired_tag_o   <= tag_3_q;
      expired_entry_o <= entry_3_q;
    end
  end

  ///////////
  // Store //
  ///////////

  // Written from registers; the sweep after reset goes the same way.
  logic            side_wr, closing_wr, side_data;
  logic [TagW-1:0] side_addr, closing_addr;
  closing_t        closing_data;

  assign side_wr      = sweeping || open_3_q;
  assign side_addr    = sweeping ? sweep_q[TagW-1:0] : open_tag_3_q;
  assign side_data    = !sweeping && open_side_3_q;
  assign closing_wr   = sweeping || look_write;
  assign closing_addr = sweeping ? sweep_q[TagW-1:0] : tag_3_q;
  assign closing_data = sweeping ? '{side: 1'b0, quarantined: 1'b0, gen: incarnation_i} : look_closing;

  ram_1r1w #(.Width(1), .Depth(Tags)) u_side_open (
    .clk_i, .wr_valid_i(side_wr), .wr_addr_i(side_addr), .wr_data_i(side_data),
    .rd_valid_i(1'b1), .rd_addr_i(open_tag_i), .rd_data_o(open_side_raw)
  );
  ram_1r1w #(.Width(1), .Depth(Tags)) u_side_look (
    .clk_i, .wr_valid_i(side_wr), .wr_addr_i(side_addr), .wr_data_i(side_data),
    .rd_valid_i(1'b1), .rd_addr_i(look_tag), .rd_data_o(side_raw)
  );
  ram_1r1w #(.Width($bits(closing_t)), .Depth(Tags)) u_closing_open (
    .clk_i, .wr_valid_i(closing_wr), .wr_addr_i(closing_addr), .wr_data_i(closing_data),
    .rd_valid_i(1'b1), .rd_addr_i(open_tag_i), .rd_data_o(open_closing_raw)
  );
  ram_1r1w #(.Width($bits(closing_t)), .Depth(Tags)) u_closing_look (
    .clk_i, .wr_valid_i(closing_wr), .wr_addr_i(closing_addr), .wr_data_i(closing_data),
    .rd_valid_i(1'b1), .rd_addr_i(look_tag), .rd_data_o(closing_raw)
  );
  ram_1r1w #(.Width(StampW + EntryW), .Depth(Tags)) u_entry (
    .clk_i, .wr_valid_i(open_3_q), .wr_addr_i(open_tag_3_q), .wr_data_i({now_i, open_entry_3_q}),
    .rd_valid_i(1'b1), .rd_addr_i(look_tag), .rd_data_o({stamp_raw, entry_raw})
  );

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(closed_valid_o && closed_hit_o && closed_late_o));
      assert (!(open_3_q && look_write && open_tag_3_q == tag_3_q));
      assert (!(write_3_q && expire));
      assert (!(expired_valid_o && expire));
    end
  end
endmodule
