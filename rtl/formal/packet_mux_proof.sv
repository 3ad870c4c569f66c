// Packets of one source are not broken by another's; words come from their source, unchanged and in
// order; whoever waits is served after at most one packet of each other source; nothing is offered that
// no source offers, and what is offered stays.
module packet_mux_proof (
  input logic            clk_i,
  input logic [2:0]      valid_i,
  input logic [2:0][1:0] data_i,
  input logic [2:0]      last_i,
  input logic            ready_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [2:0] ready;
  logic       valid, last;
  logic [1:0] data;
  packet_mux #(.N(3), .Width(2)) u_mux (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .last_i, .valid_o(valid), .ready_i, .data_o(data), .last_o(last)
  );
  logic [2:0]      inside_q;     // sources in the middle of a packet
  logic [2:0]      waits_q, waited;  // offered and not taken
  logic [2:0][1:0] data_q;
  logic [2:0]      last_q;
  logic            offered_q, offered_last_q;
  logic [1:0]      offered_data_q;
  logic [2:0][2:0] passed_q;     // packets of each source that began while one waits for its first word
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0; waits_q <= '0; offered_q <= 1'b0; passed_q <= '0; data_q <= '0; last_q <= '0;
      offered_data_q <= '0; offered_last_q <= 1'b0;
    end else begin
      waits_q <= valid_i & ~ready; data_q <= data_i; last_q <= last_i;
      offered_q <= valid && !ready_i; offered_data_q <= data; offered_last_q <= last;
      for (int i = 0; i < 3; i++) begin
        if (ready[i]) inside_q[i] <= !last_i[i];
        for (int k = 0; k < 3; k++) begin
          if (ready[i] || !valid_i[i]) passed_q[i][k] <= 1'b0;
          else if (ready[k] && !inside_q[k]) passed_q[i][k] <= 1'b1;
        end
      end
    end
  end
  // Sources keep what they offer.
  always_comb begin
    for (int i = 0; i < 3; i++) if (waits_q[i]) assume (valid_i[i] && data_i[i] == data_q[i] && last_i[i] == last_q[i]);
  end
  // In turn: the first that offers, behind the last one chosen; a choice stays until its packet has gone.
  logic       held_q;
  logic [1:0] choice, choice_q, turn_q;  // turn_q: the first to be asked
  always_comb begin
    choice = choice_q;
    if (!held_q) begin
      for (int i = 2; i >= 0; i--) if (valid_i[i]) choice = 2'(i);
      for (int i = 2; i >= 0; i--) if (valid_i[i] && 2'(i) >= turn_q) choice = 2'(i);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= 1'b0; choice_q <= '0; turn_q <= '0;
    end else begin
      choice_q <= choice;
      if (!held_q && valid_i != '0) turn_q <= choice + 2'd1;
      if (held_q ? valid_i[choice] : valid_i != '0) held_q <= !(ready_i && last_i[choice]);
    end
  end
  assign waited = waits_q & valid_i & ~inside_q;
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((inside_q & (inside_q - 3'd1)) == '0);
      assert ((ready & valid_i) == ready);
      assert ((ready != '0) == (valid && ready_i));
      assert ((ready & (ready - 3'd1)) == '0);
      assert (valid == (inside_q != '0 ? (valid_i & inside_q) != '0 : valid_i != '0));
      if (inside_q != '0) assert ((ready & ~inside_q) == '0);
      for (int i = 0; i < 3; i++) begin
        if (ready[i]) assert (data == data_i[i] && last == last_i[i]);
        // Nobody begins twice while another one waits for its beginning.
        for (int k = 0; k < 3; k++) begin
          if (waited[i] && i != k && passed_q[i][k]) assert (!ready[k] || inside_q[k]);
        end
      end
      if (valid) assert (data == data_i[choice] && last == last_i[choice]);
      assert (ready == (valid && ready_i ? 3'd1 << choice : 3'd0));
      if (offered_q) assert (valid && data == offered_data_q && last == offered_last_q);
    end
  end
endmodule
