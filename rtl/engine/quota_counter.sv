// Counts what is open for each group of nodes, and says whether one more is within a limit: one comes,
// one goes in a cycle, of any groups. Two stores of which each has one writer; the difference is the
// count.
//
// Invariants: a count is what was added less what was undone and taken off; taking off never passes
// adding (asked of the user). `within_o` knows of what was added four cycles later.
module quota_counter #(
  /// Groups: 2^GroupW.
  parameter int unsigned GroupW = 6,
  /// Bits of a count.
  parameter int unsigned CountW = 11
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              ready_o,
  /// One comes; one that came did not begin after all. Not both in a cycle.
  input  logic              add_i,
  input  logic              undo_i,
  input  logic [GroupW-1:0] add_group_i,
  /// One goes.
  input  logic              remove_i,
  input  logic [GroupW-1:0] remove_group_i,
  /// A group has fewer than the limit.
  input  logic [GroupW-1:0] group_i,
  input  logic [CountW-1:0] limit_i,
  output logic              within_o
);
  localparam int unsigned Groups = 1 << GroupW;

  logic [CountW-1:0] added_q [Groups];
  logic [CountW-1:0] removed_q [Groups];
  logic [GroupW:0]   sweep_q;
  logic              sweeping;

  assign sweeping = !sweep_q[GroupW];
  assign ready_o  = !sweeping;

  // Read, then written a cycle later; the one behind on the same group gets what is being written.
  logic              add_1_q, undo_1_q, remove_1_q, add_2_q, undo_2_q, remove_2_q;
  logic [GroupW-1:0] add_group_1_q, remove_group_1_q, add_group_2_q, remove_group_2_q;
  logic [CountW-1:0] add_old_q, remove_old_q, add_new, remove_new, count_q;

  assign add_new    = add_old_q + (undo_2_q ? '1 : CountW'(1));
  assign remove_new = remove_old_q + CountW'(1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweep_q    <= '0;
      add_1_q    <= 1'b0;
      remove_1_q <= 1'b0;
      add_2_q    <= 1'b0;
      remove_2_q <= 1'b0;
    end else begin
      if (sweeping) sweep_q <= sweep_q + (GroupW+1)'(1);
      add_1_q    <= add_i || undo_i;
      remove_1_q <= remove_i;
      add_2_q    <= add_1_q;
      remove_2_q <= remove_1_q;
    end
  end
  always_ff @(posedge clk_i) begin
    undo_1_q         <= undo_i;
    add_group_1_q    <= add_group_i;
    remove_group_1_q <= remove_group_i;
    undo_2_q         <= undo_1_q;
    add_group_2_q    <= add_group_1_q;
    remove_group_2_q <= remove_group_1_q;
    add_old_q    <= add_2_q && add_group_2_q == add_group_1_q ? add_new : added_q[add_group_1_q];
    remove_old_q <= remove_2_q && remove_group_2_q == remove_group_1_q ? remove_new : removed_q[remove_group_1_q];
    count_q      <= added_q[group_i] - removed_q[group_i];
    within_o     <= count_q < limit_i;
  end
  always_ff @(posedge clk_i) begin
    if (sweeping) added_q[sweep_q[GroupW-1:0]] <= '0;
    else if (add_2_q) added_q[add_group_2_q] <= add_new;
  end
  always_ff @(posedge clk_i) begin
    if (sweeping) removed_q[sweep_q[GroupW-1:0]] <= '0;
    else if (remove_2_q) removed_q[remove_group_2_q] <= remove_new;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(add_i && undo_i));
  end
endmodule
