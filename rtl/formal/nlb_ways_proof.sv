// The entries of the namespace lookaside buffer beside a list in order of use: the same identifiers are found, with what
// was inserted with them, and the one that leaves is the last of the list. For any look-ups, insertions and forgetting.
module nlb_ways_proof #(
  parameter int unsigned Entries = 3,
  parameter int unsigned IdW     = 2
) (
  input logic           clk_i,
  input logic [IdW-1:0] id_i,
  input logic           use_i,
  input logic           insert_i,
  input logic           data_i,
  input logic           forget_i,
  input logic           forget_all_i,
  input logic [IdW-1:0] forget_id_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic hit, data, insert, uses, forget, forget_all;
  assign forget_all = forget_all_i;
  assign forget     = forget_i && !forget_all;
  assign insert     = insert_i && !hit && !forget && !forget_all;
  assign uses       = use_i && !insert && !forget && !forget_all;

  nlb_ways #(.Entries(Entries), .IdW(IdW), .Width(1)) u_ways (
    .clk_i, .rst_ni, .id_i, .use_i(uses), .hit_o(hit), .data_o(data), .insert_i(insert), .data_i,
    .forget_i(forget), .forget_all_i(forget_all), .forget_id_i
  );

  // Place 0 is the one used last; a place holds something if those before it do.
  logic [Entries-1:0]          there_q, there_d;
  logic [Entries-1:0][IdW-1:0] id_q, id_d;
  logic [Entries-1:0]          data_q, data_d;
  logic                        known, known_data, gone;

  always_comb begin
    known      = 1'b0;
    known_data = 1'b0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (there_q[i] && id_q[i] == id_i) begin
        known      = 1'b1;
        known_data = data_q[i];
      end
    end
  end

  always_comb begin
    there_d = there_q;
    id_d    = id_q;
    data_d  = data_q;
    gone    = 1'b0;
    if (insert || (uses && known)) begin
      // Those before the one that comes to the front move back.
      for (int unsigned i = Entries; i > 1; i--) begin
        gone = 1'b0;
        for (int unsigned k = 0; k < i - 1; k++) gone = gone || (!insert && there_q[k] && id_q[k] == id_i);
        if (!gone) begin
          there_d[i-1] = there_q[i-2];
          id_d[i-1]    = id_q[i-2];
          data_d[i-1]  = data_q[i-2];
        end
      end
      there_d[0] = 1'b1;
      id_d[0]    = id_i;
      data_d[0]  = insert ? data_i : known_data;
    end
    if (forget) begin
      // Those behind it move up.
      for (int unsigned i = 0; i < Entries; i++) begin
        gone = gone || (there_q[i] && id_q[i] == forget_id_i);
        if (gone) begin
          there_d[i] = i + 1 < Entries ? there_q[(i+1) % Entries] : 1'b0;
          id_d[i]    = id_q[(i+1) % Entries];
          data_d[i]  = data_q[(i+1) % Entries];
        end
      end
    end
    if (forget_all) there_d = '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      there_q <= '0;
      id_q    <= '0;
      data_q  <= '0;
    end else begin
      there_q <= there_d;
      id_q    <= id_d;
      data_q  <= data_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (hit == known);
      if (hit) assert (data == known_data);
    end
  end
endmodule
