// Tags of the origin: each that is opened is closed by exactly one of the response of its own generation
// and its time; a response of another generation, or of a tag that is not open, closes nothing.
module tag_table_proof (
  input logic       clk_i,
  input logic [1:0] now_i,
  input logic [1:0] timeout_i,
  input logic       expire_all_i,
  input logic       open_i,
  input logic [1:0] open_tag_i,
  input logic       mark_i,
  input logic       close_i,
  input logic [1:0] close_tag_i,
  input logic [1:0] close_gen_i,
  input logic       expired_ready_i,
  input logic [1:0] incarnation_i
);
  // Reset in the first cycle, and then no more.
  logic       rst_ni = 1'b0;
  logic [1:0] incarnation_q;
  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    if (!rst_ni) incarnation_q <= incarnation_i;
  end

  logic       ready, open_ready, opened, busy, close_ready, closed, hit, late, closed_freed, expired;
  logic [1:0] opened_gen, closed_tag, expired_tag;
  logic       closed_mark, expired_mark;
  tag_table #(.TagW(2), .EntryW(1), .GenW(2), .StampW(2)) u_table (
    .clk_i, .rst_ni, .ready_o(ready), .incarnation_i(incarnation_q), .now_i, .timeout_i, .expire_all_i,
    .open_valid_i(open_i), .open_ready_o(open_ready), .open_tag_i, .open_entry_i(mark_i),
    .opened_valid_o(opened), .opened_busy_o(busy), .opened_gen_o(opened_gen),
    .close_valid_i(close_i), .close_ready_o(close_ready), .close_tag_i, .close_gen_i, .close_release_i(1'b0),
    .closed_valid_o(closed), .closed_hit_o(hit), .closed_late_o(late), .closed_freed_o(closed_freed),
    .closed_tag_o(closed_tag), .closed_entry_o(closed_mark),
    .expired_valid_o(expired), .expired_ready_i, .expired_tag_o(expired_tag), .expired_entry_o(expired_mark)
  );

  // What is open, as the answers tell it: openings and closings count in the cycle of their answer, a
  // time-out in the cycle in which it is first reported.
  logic [3:0]      open_q, open, mark_q;
  logic [3:0][1:0] gen_q, gen;
  logic [3:0][2:0] opened_ago_q, closed_ago_q;  // cycles since then, up to 7
  logic [1:0]      tag_1_q, tag_2_q, close_gen_1_q, close_gen_2_q, close_tag_1_q, close_tag_2_q;
  logic            mark_1_q, mark_2_q, expired_seen_q, expires, accepted_1_q, accepted_2_q, asked_1_q, asked_2_q;
  logic            may_expire_q, stamps_q;
  logic [1:0]      stamps_tag_q;
  logic [3:0][1:0] stamp_q;      // when each was opened
  logic [1:0]      now_1_q, now_2_q, timeout_q, age;
  assign expires = expired && !expired_seen_q;
  assign age     = now_2_q - stamp_q[expired_tag];
  always_comb begin
    open = open_q;
    gen  = gen_q;
    if (expires) begin
      open[expired_tag] = 1'b0;
      gen[expired_tag]  = gen_q[expired_tag] + 2'd1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0; mark_q <= '0; gen_q <= {4{incarnation_i}}; expired_seen_q <= 1'b0;
      tag_1_q <= '0; tag_2_q <= '0; close_gen_1_q <= '0; close_gen_2_q <= '0; mark_1_q <= 1'b0; mark_2_q <= 1'b0;
      accepted_1_q <= 1'b0; accepted_2_q <= 1'b0; asked_1_q <= 1'b0; asked_2_q <= 1'b0; may_expire_q <= 1'b0;
      stamp_q <= '0; now_1_q <= '0; now_2_q <= '0; timeout_q <= '0; stamps_q <= 1'b0; stamps_tag_q <= '0;
      opened_ago_q <= '1; closed_ago_q <= '1; close_tag_1_q <= '0; close_tag_2_q <= '0;
    end else begin
      open_q <= open;
      gen_q  <= gen;
      expired_seen_q <= expired && !expired_ready_i;
      accepted_1_q <= open_i && open_ready; accepted_2_q <= accepted_1_q;
      asked_1_q <= close_i && close_ready; asked_2_q <= asked_1_q;
      may_expire_q <= expire_all_i; now_1_q <= now_i; now_2_q <= now_1_q; timeout_q <= timeout_i;
      tag_1_q <= open_tag_i; tag_2_q <= tag_1_q; mark_1_q <= mark_i; mark_2_q <= mark_1_q;
      close_gen_1_q <= close_gen_i; close_gen_2_q <= close_gen_1_q;
      close_tag_1_q <= close_tag_i; close_tag_2_q <= close_tag_1_q;
      for (int i = 0; i < 4; i++) begin
        if (opened_ago_q[i] != '1) opened_ago_q[i] <= opened_ago_q[i] + 3'd1;
        if (closed_ago_q[i] != '1) closed_ago_q[i] <= closed_ago_q[i] + 3'd1;
      end
      if (expires) closed_ago_q[expired_tag] <= '0;
      // The time is that of writing, a cycle after the answer.
      stamps_q     <= opened && !busy;
      stamps_tag_q <= tag_2_q;
      if (stamps_q) stamp_q[stamps_tag_q] <= now_i;
      if (opened && !busy) begin
        open_q[tag_2_q] <= 1'b1;
        mark_q[tag_2_q] <= mark_2_q;
        opened_ago_q[tag_2_q] <= '0;
      end
      if (closed && hit) begin
        open_q[closed_tag] <= 1'b0;
        closed_ago_q[closed_tag] <= '0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (opened == accepted_2_q && closed == asked_2_q);
      if (closed) assert (closed_tag == close_tag_2_q && closed_freed == hit);
      if (expires) assert (may_expire_q || (timeout_q != '0 && age >= timeout_q));  // not before its time
      if (opened) begin
        if (!busy) assert (!open[tag_2_q] && opened_gen == gen[tag_2_q]);
        // Found busy although closed: only just closed.
        if (busy) assert (open_q[tag_2_q] || closed_ago_q[tag_2_q] <= 3'd2);
      end
      if (closed) begin
        if (hit) assert (open[closed_tag] && close_gen_2_q == gen[closed_tag] && closed_mark == mark_q[closed_tag]);
        // Not found although open: only just opened.
        if (!hit && close_gen_2_q == gen[closed_tag]) assert (!open[closed_tag] || opened_ago_q[closed_tag] <= 3'd2);
        assert (late == (close_gen_2_q != gen[closed_tag]));
      end
      if (expires) assert (open_q[expired_tag] && expired_mark == mark_q[expired_tag]);
    end
  end
endmodule
