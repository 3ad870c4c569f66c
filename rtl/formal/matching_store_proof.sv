// Tags of the matching store, each followed from taking to freeing, under any times and responses: a
// tag has one request at a time, that request gets one of hit and time-out, a late response frees it
// once, and what comes back is what was left with it. So origins' tags may be equal: only the store's
// own tag decides.
module matching_store_proof
  import engine_pkg::*;
(
  input logic              clk_i,
  input logic [StampW-1:0] now_i,      // any: a tag may be as old as it likes
  input logic [StampW-1:0] timeout_i,
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
  always_comb begin
    entry = '0;
    entry.tag    = OriginTagW'(tag);
    entry.gen[0] = mark_i;
  end
  matching_store #(.TagW(2)) u_store (
    .clk_i, .rst_ni, .ready_o(ready), .now_i, .timeout_i, .expire_all_i,
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
endmodule
