// The entries of the namespace lookaside buffer: fully associative, the least recently used leaves.
//
// Each entry has a rank, 0 for the one used last; the ranks are a permutation, and entries that hold nothing have the
// highest. So the entry of the highest rank is always the one to fill: an empty one while there is one, and else the
// one that has not been used for longest.
//
// Invariants: an identifier is in one entry at most; what was inserted is found until it is forgotten or Entries others
// have been used since.
module nlb_ways #(
  /// A power of two is not needed.
  parameter int unsigned Entries = 16,
  /// Bits of an identifier, and of what is kept with it.
  parameter int unsigned IdW     = 64,
  parameter int unsigned Width   = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// Look-up, combinational. With use_i a hit becomes the entry used last.
  input  logic [IdW-1:0]   id_i,
  input  logic             use_i,
  output logic             hit_o,
  output logic [Width-1:0] data_o,
  /// Adds id_i, which is not there, as the one used last.
  input  logic             insert_i,
  input  logic [Width-1:0] data_i,
  /// Forgets one identifier, or all. Not together with the others.
  input  logic             forget_i,
  input  logic             forget_all_i,
  input  logic [IdW-1:0]   forget_id_i
);
  localparam int unsigned RankW = Entries > 1 ? $clog2(Entries) : 1;
  localparam logic [RankW-1:0] Oldest = RankW'(Entries - 1);

  if (Entries < 1) begin : gen_entries_check
    $fatal(1, "nlb_ways: there is at least one entry");
  end

  logic [Entries-1:0]            valid_q, valid_d, match, leaves, chosen, filled;
  logic [Entries-1:0][RankW-1:0] rank_q, rank_d;
  logic [IdW-1:0]                ids_q  [Entries];
  logic [Width-1:0]              data_q [Entries];
  logic                          younger, older;
  logic [RankW-1:0]              rank;

  always_comb begin
    data_o = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      match[i]  = valid_q[i] && ids_q[i] == id_i;
      leaves[i] = valid_q[i] && ids_q[i] == forget_id_i;
      filled[i] = rank_q[i] == Oldest;
      if (match[i]) data_o = data_o | data_q[i];
    end
  end
  assign hit_o = match != '0;

  // Which entry changes its place: to the front, or to the back.
  assign younger = insert_i || (use_i && hit_o);
  assign older   = forget_i && leaves != '0;
  always_comb begin
    chosen = '0;
    if (insert_i) chosen = filled;
    else if (younger) chosen = match;
    else if (older) chosen = leaves;
    rank = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (chosen[i]) rank = rank | rank_q[i];
    end
  end

  always_comb begin
    valid_d = valid_q;
    rank_d  = rank_q;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (younger) begin
        if (chosen[i]) rank_d[i] = '0;
        else if (rank_q[i] < rank) rank_d[i] = rank_q[i] + RankW'(1);
      end else if (older) begin
        if (chosen[i]) rank_d[i] = Oldest;
        else if (rank_q[i] > rank) rank_d[i] = rank_q[i] - RankW'(1);
      end
    end
    if (insert_i) valid_d = valid_q | filled;
    if (older) valid_d = valid_q & ~leaves;
    if (forget_all_i) valid_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      for (int unsigned i = 0; i < Entries; i++) rank_q[i] <= RankW'(i);
    end else begin
      valid_q <= valid_d;
      rank_q  <= rank_d;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Entries; i++) begin
      if (insert_i && filled[i]) begin
        ids_q[i]  <= id_i;
        data_q[i] <= data_i;
      end
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (32'(insert_i) + 32'(forget_i) + 32'(forget_all_i) <= 1);
      assert (!(use_i && (forget_i || forget_all_i)));
      assert (!insert_i || !hit_o);
      assert ((match & (match - Entries'(1))) == '0);
    end
  end
endmodule
