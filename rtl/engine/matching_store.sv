// The target's tags: gives each request that goes to the own host a tag that is unique here, and
// finds by it, when the response comes, who asked. Origins' tags may collide as they like.
//
// Tags come first from a counter, then from the list of those given back, oldest first, so that a
// tag rests as long as possible before it is used again.
//
// Invariants: free, open and quarantined tags add up to all of them; a tag is given to one request
// at a time; when none is free, tag_valid_o is low and nothing else in the engine waits for it but
// non-posted requests.
module matching_store
  import engine_pkg::*;
#(
  /// Tags: 2^TagW.
  parameter int unsigned TagW = HostTagW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              ready_o,
  input  logic [StampW-1:0] now_i,
  input  logic [StampW-1:0] timeout_i,
  input  logic              expire_all_i,
  /// The next free tag; taken with its entry.
  output logic              tag_valid_o,
  input  logic              tag_take_i,
  output logic [TagW-1:0]   tag_o,
  input  match_t            entry_i,
  /// A response of the host, or a release by software; the answer comes two cycles later.
  input  logic              close_valid_i,
  output logic              close_ready_o,
  input  logic [TagW-1:0]   close_tag_i,
  input  logic              close_release_i,
  output logic              closed_valid_o,
  output logic              closed_hit_o,
  output logic              closed_late_o,
  output match_t            closed_entry_o,
  /// Requests whose time is up.
  output logic              expired_valid_o,
  input  logic              expired_ready_i,
  output match_t            expired_entry_o,
  /// A tag has become free, of the node named (for its quota).
  output logic              freed_o,
  /// Tags that are open or quarantined.
  output logic [TagW:0]     in_use_o
);
  localparam int unsigned Tags = 1 << TagW;

  ///////////////
  // Free tags //
  ///////////////

  // A ring in RAM, and a few tags read ahead of it: what the next requests get is in registers.
  localparam int unsigned Ahead = 8;
  logic [TagW:0]   fresh_q;            // tags never used so far
  logic [TagW:0]   wr_q, rd_q;         // ring
  logic            ring_some_q;        // it certainly had one a cycle ago
  logic [TagW:0]   rd_d;
  logic            refill, from_ring_1_q, from_ring_2_q, read_1_q, read_2_q, give, give_q, take_ok;
  logic [TagW-1:0] ring_out, ring_2_q, give_tag, give_tag_q, fresh_1_q, fresh_2_q;
  logic [$clog2(Ahead):0] ahead_level;
  logic            unused_ahead_ready, opened_valid, unused_opened_busy, unused_open_ready;
  logic [0:0]      unused_gen;
  logic [TagW-1:0] unused_expired_tag;

  assign take_ok = tag_valid_o && tag_take_i;
  assign rd_d    = rd_q + (TagW+1)'(refill && fresh_q[TagW]);
  // Two may be on their way to the queue.
  assign refill  = ready_o && ahead_level < ($bits(ahead_level))'(Ahead - 2) && (!fresh_q[TagW] || ring_some_q);

  ram_1r1w #(.Width(TagW), .Depth(Tags)) u_ring (
    .clk_i, .wr_valid_i(give_q), .wr_addr_i(wr_q[TagW-1:0]), .wr_data_i(give_tag_q),
    .rd_valid_i(1'b1), .rd_addr_i(rd_q[TagW-1:0]), .rd_data_o(ring_out)
  );
  fifo #(.Width(TagW), .Depth(Ahead)) u_ahead (
    .clk_i, .rst_ni, .valid_i(read_2_q), .ready_o(unused_ahead_ready), .data_i(from_ring_2_q ? ring_2_q : fresh_2_q),
    .valid_o(tag_valid_o), .ready_i(tag_take_i), .data_o(tag_o), .level_o(ahead_level)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fresh_q     <= '0;
      wr_q        <= '0;
      rd_q        <= '0;
      ring_some_q <= 1'b0;
      read_1_q    <= 1'b0;
      read_2_q    <= 1'b0;
      give_q      <= 1'b0;
      in_use_o    <= '0;
    end else begin
      give_q <= give;
      if (give_q) wr_q <= wr_q + (TagW+1)'(1);
      ring_some_q <= wr_q != rd_d;
      read_1_q <= refill;
      read_2_q <= read_1_q;
      if (refill) begin
        if (!fresh_q[TagW]) fresh_q <= fresh_q + (TagW+1)'(1);
      end
      rd_q     <= rd_d;
      in_use_o <= in_use_o + (TagW+1)'(take_ok) - (TagW+1)'(give_q);
    end
  end
  always_ff @(posedge clk_i) begin
    give_tag_q    <= give_tag;
    from_ring_1_q <= fresh_q[TagW];
    fresh_1_q     <= fresh_q[TagW-1:0];
    // The RAM's output has a register of its own; the choice comes behind it.
    from_ring_2_q <= from_ring_1_q;
    fresh_2_q     <= fresh_1_q;
    ring_2_q      <= ring_out;
  end

  ///////////
  // Table //
  ///////////

  tag_table #(.TagW(TagW), .EntryW($bits(match_t)), .GenW(1), .StampW(StampW), .Quarantine(1'b1)) u_table (
    .clk_i, .rst_ni, .ready_o, .incarnation_i(1'b0), .now_i, .timeout_i, .expire_all_i,
    .open_valid_i(take_ok), .open_ready_o(unused_open_ready), .open_tag_i(tag_o), .open_entry_i(entry_i),
    .opened_valid_o(opened_valid), .opened_busy_o(unused_opened_busy), .opened_gen_o(unused_gen),
    .close_valid_i, .close_ready_o, .close_tag_i, .close_gen_i(1'b0), .close_release_i,
    .closed_valid_o, .closed_hit_o, .closed_late_o, .closed_freed_o(give), .closed_tag_o(give_tag),
    .closed_entry_o,
    .expired_valid_o, .expired_ready_i, .expired_tag_o(unused_expired_tag), .expired_entry_o
  );
  assign freed_o = give;

  ////////////////
  // Assertions //
  ////////////////

  logic [TagW:0] free_count;
  // Never used, on the way to the ring, in it, on the way from it, read ahead, and open: all of them.
  assign free_count = ((TagW+1)'(Tags) - fresh_q) + (wr_q - rd_q) + (TagW+1)'(read_1_q) +
                      (TagW+1)'(read_2_q) + (TagW+1)'(ahead_level);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (free_count + in_use_o == (TagW+1)'(Tags));
      assert (!(opened_valid && unused_opened_busy));
      assert (!read_2_q || unused_ahead_ready);
      assert (in_use_o <= (TagW+1)'(Tags));
      assert (fresh_q <= (TagW+1)'(Tags));
      assert (wr_q - rd_q <= (TagW+1)'(Tags));
    end
  end

`ifdef FORMAL
  // Where each tag is: in use, or in exactly one place of the ring's way. For the proof's induction.
  logic [Tags-1:0] used_q;
  localparam int unsigned PlacesW = TagW + 3;  // wide enough for all that is added below
  logic [Tags-1:0][PlacesW-1:0] places;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
    end else begin
      if (give) used_q[give_tag] <= 1'b0;
      if (take_ok) used_q[tag_o] <= 1'b1;
    end
  end
  always_comb begin
    for (int unsigned t = 0; t < Tags; t++) begin
      places[t] = PlacesW'(used_q[t]) + PlacesW'((TagW+1)'(t) >= fresh_q) +
                  PlacesW'(give_q && give_tag_q == TagW'(t)) +
                  PlacesW'(read_1_q && (from_ring_1_q ? ring_out : fresh_1_q) == TagW'(t)) +
                  PlacesW'(read_2_q && (from_ring_2_q ? ring_2_q : fresh_2_q) == TagW'(t));
      for (int unsigned k = 0; k < Tags; k++) begin
        if ({1'b0, TagW'(TagW'(k) - rd_q[TagW-1:0])} < wr_q - rd_q && u_ring.mem_q[k] == TagW'(t)) begin
          places[t] = places[t] + PlacesW'(1);
        end
      end
      for (int unsigned k = 0; k < Ahead; k++) begin
        if ({1'b0, ($clog2(Ahead))'(($clog2(Ahead))'(k) - u_ahead.rd_q)} < ahead_level && u_ahead.mem_q[k] == TagW'(t)) begin
          places[t] = places[t] + PlacesW'(1);
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int unsigned t = 0; t < Tags; t++) assert (places[t] == PlacesW'(1));
    end
  end
`endif
endmodule
