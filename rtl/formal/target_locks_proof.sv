// Locks of words at the target, any one followed, under any requests and any times of giving up: no request
// that touches a word goes on while an atomic is under way on it, and none waits for a lock that is gone. The
// atomic unit is played here: it says a cycle later what was locked when it was asked, and tells what is given up.
module target_locks_proof
  import ht_pkg::*;
  import engine_pkg::*;
(
  input logic        clk_i,
  input logic [5:0]  row_i,          // of the lock that is followed; chosen in the first cycle
  input logic [2:0]  word_i,
  input logic        header_valid_i,
  input net_header_t header_i,
  input logic [3:0]  beats_i,
  input window_t [NumWindows-1:0] window_i,
  input logic        tag_valid_i,
  input logic        slot_valid_i,
  input logic        data_valid_i,
  input logic        operand_ready_i,
  input logic        ready_i,
  input logic        refuse_ready_i,
  input logic        done_i,         // the atomic on the word ends
  input logic [7:0]  others_i,       // other locks of the row, and other rows
  input unlock_t     unlock_i        // other locks that are given up
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [5:0]  row_q, asked;
  logic [2:0]  word_q;
  logic        lock_q, done, done_q, asked_it_q, was_locked_q, start, take;
  logic [7:0]  locked;
  unlock_t     unlock;
  net_header_t held;

  always_comb begin
    locked = others_i;
    if (asked_it_q) locked[word_q] = was_locked_q;
    unlock = unlock_i;
    if (unlock.row == row_q && unlock.word == word_q) unlock.valid = 1'b0;
    if (done_q) unlock = '{valid: 1'b1, row: row_q, word: word_q};
  end

  // link_rx lets no others through.
  logic legal;
  assign legal = header_i.cmd == CmdFlush ||
                 ((is_read(header_i.cmd) || is_np_write(header_i.cmd) || header_i.cmd == CmdAtomic) &&
                  is_legal(header_i.cmd, header_i.count, header_i.addr_lo[3:0]));

  logic       unused_ready, unused_header_ready, unused_data_ready, unused_operand, unused_operand_last, unused_valid;
  logic       unused_last, unused_refuse, unused_done, unused_refused, unused_quota;
  logic [5:0] unused_slot, start_row;
  logic [3:0] unused_count;
  logic [63:0] unused_data;
  logic [HostTagW-1:0] unused_tag;
  match_t     unused_entry;
  host_beat_t unused_beat;
  net_header_t unused_refusal;
  target_nonposted u_target (
    .clk_i, .rst_ni, .ready_o(unused_ready), .window_i, .quota_i('0), .header_valid_i(header_valid_i && legal),
    .header_ready_o(unused_header_ready), .header_i, .header_beats_i(beats_i), .data_valid_i,
    .data_ready_o(unused_data_ready), .data_i('0), .tag_valid_i, .tag_take_o(take), .tag_i('0), .entry_o(unused_entry),
    .freed_i(1'b0), .freed_node_i('0), .lock_row_o(asked), .locked_i(locked), .unlock_i(unlock),
    .atomic_slot_valid_i(slot_valid_i), .atomic_slot_i('0), .atomic_start_o(start), .atomic_row_o(start_row),
    .atomic_header_o(held), .operand_valid_o(unused_operand), .operand_ready_i, .operand_slot_o(unused_slot),
    .operand_tag_o(unused_tag), .operand_count_o(unused_count), .operand_o(unused_data),
    .operand_last_o(unused_operand_last), .valid_o(unused_valid), .ready_i, .beat_o(unused_beat), .last_o(unused_last),
    .refuse_valid_o(unused_refuse), .refuse_ready_i, .refuse_o(unused_refusal), .done_o(unused_done),
    .refused_o(unused_refused), .over_quota_o(unused_quota)
  );

  // The request that goes touches the word: an atomic its own, others the words from the first dword to the last.
  logic       same_row, touches;
  logic [4:0] first, last;
  assign same_row = lock_row(net_addr(held)) == row_q;
  assign first    = {1'b0, held.addr_lo[3:0]};
  assign last     = first + 5'(held.count);
  always_comb begin
    touches = first[3:1] == word_q;
    if (held.cmd != CmdAtomic && held.cmd[2]) touches = first[4:1] <= {1'b0, word_q} && {1'b0, word_q} <= last[4:1];
    if (held.cmd == CmdFlush || !same_row) touches = 1'b0;
  end
  assign done = done_i && lock_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      row_q  <= row_i;
      word_q <= word_i;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lock_q <= 1'b0; done_q <= 1'b0; asked_it_q <= 1'b0; was_locked_q <= 1'b0;
    end else begin
      if (done) lock_q <= 1'b0;
      else if (start && touches) lock_q <= 1'b1;
      done_q       <= done;
      asked_it_q   <= asked == row_q;
      was_locked_q <= lock_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (take && touches) assert (!lock_q);
      if (start) assert (start_row == lock_row(net_addr(held)));
      // What waits behind the check knows the lock, but for the cycle in which its end is told.
      if (u_target.held_q && same_row) begin
        assert (!lock_q || u_target.row_locked_q[word_q]);
        assert (!u_target.row_locked_q[word_q] || lock_q || done_q);
      end
    end
  end
endmodule

// No quota here, so no 64 cycles of emptying its counters: what a quota refuses touches no lock.
module quota_counter #(
  parameter int unsigned GroupW = 6,
  parameter int unsigned CountW = 11
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              ready_o,
  input  logic              add_i,
  input  logic              undo_i,
  input  logic [GroupW-1:0] add_group_i,
  input  logic              remove_i,
  input  logic [GroupW-1:0] remove_group_i,
  input  logic [GroupW-1:0] group_i,
  input  logic [CountW-1:0] limit_i,
  output logic              within_o
);
  assign ready_o  = 1'b1;
  assign within_o = 1'b1;
endmodule
