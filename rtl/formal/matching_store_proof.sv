// Tags of the matching store, each followed from taking to freeing, under any times and responses: a
// tag has one request at a time, that request gets one of hit and time-out, a late response frees it
// once, and what comes back is what was left with it. So origins' tags may be equal: only the store's
// own tag decides.
//
// Time stands still here, and software's expiry stands for it: expire_all_i is any, and it and the age of a tag
// are asked in one place, either of them being enough. Whatever time could do, expire_all_i does.
module matching_store_proof
  import engine_pkg::*;
(
  input logic              clk_i,
  input logic              expire_all_i,
  input logic              take_i,
  input logic              mark_i,     // stands for the entry's contents
  input logic              close_i,
  input logic [1:0]        close_tag_i,
  input logic              release_i,
  input logic              expired_ready_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic       ready, tag_valid, take, close_ready, closed_valid, hit, late, expired_valid, freed;
  logic [1:0] tag, closed_tag_q;
  logic [2:0] in_use;
  logic       closed_release_q, expired_seen_q;
  match_t     entry, closed_entry, expired_entry;
  assign take = take_i && tag_valid;
  // What is left with a tag.
  function automatic match_t stored(logic [1:0] of, logic mark);
    stored = '0;
    stored.tag    = OriginTagW'(of);
    stored.gen[0] = mark;
  endfunction
  assign entry = stored(tag, mark_i);
  matching_store #(.TagW(2)) u_store (
    .clk_i, .rst_ni, .ready_o(ready), .now_i('0), .timeout_i('0), .expire_all_i,
    .tag_valid_o(tag_valid), .tag_take_i(take), .tag_o(tag), .entry_i(entry),
    .close_valid_i(close_i), .close_ready_o(close_ready), .close_tag_i, .close_release_i(release_i),
    .closed_valid_o(closed_valid), .closed_hit_o(hit), .closed_late_o(late), .closed_entry_o(closed_entry),
    .expired_valid_o(expired_valid), .expired_ready_i, .expired_entry_o(expired_entry), .freed_o(freed),
    .in_use_o(in_use)
  );

  // A tag is open from its taking on, and free from the answer on that frees it.
  typedef enum logic [1:0] {Free, Open, Quarantine} state_e;
  state_e [3:0] state_q, state;
  logic [3:0]   mark_q;
  logic [2:0]   used;
  logic [3:0][2:0] taken_ago_q;
  logic [1:0]   close_tag_1_q;
  logic         release_1_q, asked_1_q, asked_2_q, freed_q;
  logic         expires;  // reported for the first time
  logic [1:0]   expired_tag;
  assign expires     = expired_valid && !expired_seen_q;
  assign expired_tag = expired_entry.tag[1:0];
  always_comb begin
    state = state_q;
    if (expires) state[expired_tag] = Quarantine;
    used = '0;
    for (int i = 0; i < 4; i++) used += 3'(state[i] != Free);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= {4{Free}}; mark_q <= '0; expired_seen_q <= 1'b0; closed_tag_q <= '0; closed_release_q <= 1'b0;
      close_tag_1_q <= '0; release_1_q <= 1'b0; asked_1_q <= 1'b0; asked_2_q <= 1'b0; freed_q <= 1'b0; taken_ago_q <= '1;
    end else begin
      state_q          <= state;
      expired_seen_q   <= expired_valid && !expired_ready_i;
      close_tag_1_q    <= close_tag_i;
      closed_tag_q     <= close_tag_1_q;
      release_1_q      <= release_i;
      closed_release_q <= release_1_q;
      asked_1_q        <= close_i && close_ready;
      asked_2_q        <= asked_1_q;
      freed_q          <= freed;
      for (int i = 0; i < 4; i++) if (taken_ago_q[i] != '1) taken_ago_q[i] <= taken_ago_q[i] + 3'd1;
      if (take) begin
        state_q[tag]     <= Open;
        mark_q[tag]      <= mark_i;
        taken_ago_q[tag] <= '0;
      end
      if (closed_valid && (hit || late)) state_q[closed_tag_q] <= Free;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (closed_valid == asked_2_q);
      if (take) assert (state[tag] == Free);
      assert (in_use == used + 3'(freed_q));        // none lost, none counted twice; freed a cycle later
      if (expires) assert (state_q[expired_tag] == Open && expired_entry.gen[0] == mark_q[expired_tag]);
      assert (freed == (closed_valid && (hit || late)));
      if (closed_valid) begin
        assert (!(hit && late));
        if (hit) begin
          assert (!closed_release_q && state[closed_tag_q] == Open);
          assert (closed_entry.tag[1:0] == closed_tag_q && closed_entry.gen[0] == mark_q[closed_tag_q]);
        end
        assert (late == (state[closed_tag_q] == Quarantine));
        // Not found although open: only just taken, or asked by software.
        if (!hit && state[closed_tag_q] == Open) assert (closed_release_q || taken_ago_q[closed_tag_q] <= 3'd4);
      end
    end
  end

  ///////////////////
  // For induction //
  ///////////////////

  // The table's bits agree with what is followed above, but for the cycles in which they are being written; and each
  // stage of its pipelines with its bits, but for what was written behind its back. Names are those of the table.
  logic [3:0] opening, closing, busy, quarantined, side, resting;
  logic [1:0] tag_1, tag_2, tag_3, open_tag_1, open_tag_2, open_tag_3, tag_5_q;
  logic       found_1, found_2;  // a look has found its tag busy
  always_ff @(posedge clk_i) tag_5_q <= u_store.u_table.tag_4_q;
  assign tag_1      = u_store.u_table.tag_1_q;
  assign tag_2      = u_store.u_table.tag_2_q;
  assign tag_3      = u_store.u_table.tag_3_q;
  assign open_tag_1 = u_store.u_table.open_tag_1_q;
  assign open_tag_2 = u_store.u_table.open_tag_2_q;
  assign open_tag_3 = u_store.u_table.open_tag_3_q;
  assign found_1    = u_store.u_table.side_raw != u_store.u_table.closing_raw.side;
  assign found_2    = u_store.u_table.side_2_q != u_store.u_table.closing_2_q.side;
  always_comb begin
    for (int t = 0; t < 4; t++) begin
      opening[t] = (u_store.u_table.open_1_q && open_tag_1 == 2'(t)) || (u_store.u_table.open_2_q && open_tag_2 == 2'(t)) ||
                   (u_store.u_table.open_3_q && open_tag_3 == 2'(t));
      closing[t]     = u_store.u_table.write_3_q && tag_3 == 2'(t);
      side[t]        = u_store.u_table.u_side_look.mem_q[t];
      busy[t]        = side[t] != u_store.u_table.u_closing_look.mem_q[t][2];
      quarantined[t] = u_store.u_table.u_closing_look.mem_q[t][1];
      resting[t]     = 1'b0;  // in the ring
      for (int k = 0; k < 4; k++) begin
        if ({1'b0, 2'(2'(k) - u_store.rd_q[1:0])} < u_store.wr_q - u_store.rd_q && u_store.u_ring.mem_q[k] == 2'(t)) begin
          resting[t] = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int t = 0; t < 4; t++) begin
        assert (u_store.used_q[t] == (state_q[t] == Open || state_q[t] == Quarantine) && state_q[t] != 2'd3);
        if (ready || 3'(t) < u_store.u_table.sweep_q) begin
          assert (u_store.u_table.u_side_open.mem_q[t] == side[t]);
          assert (u_store.u_table.u_closing_open.mem_q[t] == u_store.u_table.u_closing_look.mem_q[t]);
          assert (u_store.used_q[t] == (opening[t] || (busy[t] && !closing[t])));
          assert (!(opening[t] && (busy[t] || quarantined[t])));
          assert ((quarantined[t] && !closing[t]) == (state[t] == Quarantine));
        end
        if (u_store.used_q[t] && !opening[t]) begin
          assert (u_store.u_table.u_entry.mem_q[t][$bits(match_t)-1:0] == stored(2'(t), mark_q[t]));
        end
      end
      // Openings under way: of different tags, found free.
      if (u_store.u_table.open_1_q) begin
        assert (u_store.used_q[open_tag_1] && taken_ago_q[open_tag_1] == 3'd0);
        assert (u_store.u_table.open_entry_1_q == stored(open_tag_1, mark_q[open_tag_1]));
        assert (u_store.u_table.open_side_raw == side[open_tag_1] && u_store.u_table.open_closing_raw.side == side[open_tag_1]);
      end
      if (u_store.u_table.open_2_q) begin
        assert (u_store.used_q[open_tag_2] && taken_ago_q[open_tag_2] == 3'd1);
        assert (u_store.u_table.open_entry_2_q == stored(open_tag_2, mark_q[open_tag_2]));
        assert (u_store.u_table.open_side_2_q == side[open_tag_2] && !u_store.unused_opened_busy);
      end
      if (u_store.u_table.open_3_q) begin
        assert (u_store.used_q[open_tag_3] && taken_ago_q[open_tag_3] == 3'd2);
        assert (u_store.u_table.open_entry_3_q == stored(open_tag_3, mark_q[open_tag_3]));
        assert (u_store.u_table.open_side_3_q == !side[open_tag_3]);
      end
      if (u_store.u_table.open_done_4_q) begin
        assert (u_store.used_q[u_store.u_table.open_tag_4_q] && taken_ago_q[u_store.u_table.open_tag_4_q] == 3'd3);
      end
      // What is closed rests in the ring, out of reach for as long as a look may have read what was before.
      assert (u_store.u_table.write_3_q == u_store.give_q);
      if (u_store.u_table.write_3_q) assert (u_store.give_tag_q == tag_3 && u_store.u_table.side_3_q == side[tag_3]);
      if (u_store.u_table.write_4_q) assert (resting[u_store.u_table.tag_4_q]);
      if (u_store.u_table.write_5_q) assert (resting[tag_5_q]);
      if (u_store.ring_some_q) assert (u_store.wr_q - u_store.rd_q > 3'(u_store.u_table.write_4_q));
      if (u_store.u_table.write_4_q) assert (u_store.u_ring.mem_q[2'(u_store.wr_q - 3'd1)] == u_store.u_table.tag_4_q);
      // Looks of responses: nothing is scanned beside them.
      if (u_store.u_table.close_1_q || u_store.u_table.close_2_q) begin
        assert (!u_store.u_table.scan_1_q && !u_store.u_table.scan_2_q && !u_store.u_table.scan_3_q);
      end
      assert (u_store.u_table.close_1_q == asked_1_q && u_store.u_table.close_2_q == asked_2_q);
      if (u_store.u_table.close_1_q || u_store.u_table.scan_1_q) begin
        if (found_1 && !(u_store.u_table.write_4_q && u_store.u_table.tag_4_q == tag_1)) begin
          assert (busy[tag_1] && quarantined[tag_1] == u_store.u_table.closing_raw.quarantined);
          assert (u_store.u_table.entry_raw == u_store.u_table.u_entry.mem_q[tag_1][$bits(match_t)-1:0]);
        end
        if (found_1) assert (side[tag_1] == u_store.u_table.side_raw);
        if (!found_1) assert (!u_store.used_q[tag_1] || taken_ago_q[tag_1] <= 3'd3);
      end
      if (u_store.u_table.close_1_q) assert (tag_1 == close_tag_1_q && u_store.u_table.release_1_q == release_1_q);
      if (u_store.u_table.close_2_q) assert (tag_2 == closed_tag_q && u_store.u_table.release_2_q == closed_release_q);
      assert (u_store.u_table.same_3_2_q == (tag_3 == tag_2) && u_store.u_table.same_5_2_q == (tag_5_q == tag_2));
      assert (u_store.u_table.same_4_2_q == (u_store.u_table.tag_4_q == tag_2));
      if (u_store.u_table.close_2_q || u_store.u_table.scan_2_q) begin
        if (u_store.u_table.busy) begin
          assert (busy[tag_2] && quarantined[tag_2] == u_store.u_table.closing_2_q.quarantined);
          assert (u_store.u_table.entry_2_q == u_store.u_table.u_entry.mem_q[tag_2][$bits(match_t)-1:0]);
          assert (side[tag_2] == u_store.u_table.side_2_q);
        end
        if (!found_2) assert (!u_store.used_q[tag_2] || taken_ago_q[tag_2] <= 3'd4);
      end
      // Scanning goes from tag to tag: no tag is in it twice.
      if (u_store.u_table.scan_1_q) assert (tag_1 == 2'(u_store.u_table.scan_q - 2'd1));
      if (u_store.u_table.scan_2_q) assert (tag_2 == 2'(u_store.u_table.scan_q - 2'd1 - 2'(u_store.u_table.scan_1_q)));
      if (u_store.u_table.scan_3_q) begin
        assert (tag_3 == 2'(u_store.u_table.scan_q - 2'd1 - 2'(u_store.u_table.scan_1_q) - 2'(u_store.u_table.scan_2_q)));
      end
      // What it has found busy stays so, for a response would have ended the scan.
      if (u_store.u_table.scan_3_q && u_store.u_table.busy_3_q) begin
        assert (busy[tag_3] && !closing[tag_3]);
        assert (quarantined[tag_3] == u_store.u_table.closing_3_q.quarantined);
        assert (u_store.u_table.entry_3_q == stored(tag_3, mark_q[tag_3]));
        assert (u_store.u_table.closing_3_q.side != side[tag_3]);
      end
      if (expired_valid && !expired_seen_q) assert (quarantined[expired_tag] && busy[expired_tag]);
      assert (!expired_seen_q || expired_valid);
      assert (u_store.u_table.sweep_q <= 3'd4);
      // While the table is emptied nothing is under way.
      if (!ready) begin
        assert (u_store.used_q == '0 && u_store.fresh_q == '0 && u_store.wr_q == '0 && u_store.rd_q == '0);
        assert (u_store.ahead_level == '0 && !u_store.read_1_q && !u_store.read_2_q && !u_store.give_q);
        assert (!u_store.u_table.open_1_q && !u_store.u_table.open_2_q && !u_store.u_table.open_3_q);
        assert (!u_store.u_table.close_1_q && !u_store.u_table.close_2_q && !u_store.u_table.write_3_q);
        assert (!u_store.u_table.write_4_q && !u_store.u_table.write_5_q && !u_store.u_table.open_done_4_q);
        assert (!u_store.u_table.scan_1_q && !u_store.u_table.scan_2_q && !u_store.u_table.scan_3_q && !expired_valid);
      end
    end
  end
endmodule
