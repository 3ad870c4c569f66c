// Part of core_retire_proof: that it goes on. Where memory takes each request and answers it within Patience cycles, an
// instruction ends within Bound of the one before it, whatever interrupts do. For each state there is a number of cycles
// that are left at most; it falls in each cycle in which no instruction ends.
if (AliveProof) begin : gen_alive
  localparam int unsigned Patience = 3;
  localparam int unsigned Division = 16;                    // cycles of the stand-in
  localparam int unsigned MostEnd    = 4 * Patience + 4;    // in write back
  localparam int unsigned MostWork   = Patience + Division + 1;
  localparam int unsigned Word       = 2 * Patience + 2;    // a request and its answer
  localparam int unsigned MostFetch  = 6 * Word;            // four that are not wanted any more, and two halves
  localparam int unsigned Interrupt  = MostWork + MostFetch + 1;
  localparam int unsigned Bound      = MostEnd + MostWork + MostFetch + Interrupt;
  typedef logic [9:0] count_t;

  // Cycles that each side has kept the other waiting.
  count_t fetch_asks_q, fetch_waits_q, data_asks_q, data_waits_q, since_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetch_asks_q  <= '0;
      fetch_waits_q <= '0;
      data_asks_q   <= '0;
      data_waits_q  <= '0;
      since_q       <= '0;
    end else begin
      fetch_asks_q  <= instr_valid && !instr_ready_i ? fetch_asks_q + 10'd1 : '0;
      fetch_waits_q <= fetches_q != '0 && !instr_rvalid ? fetch_waits_q + 10'd1 : '0;
      data_asks_q   <= data_valid && !data_ready_i ? data_asks_q + 10'd1 : '0;
      data_waits_q  <= data_busy_q && !data_rvalid ? data_waits_q + 10'd1 : '0;
      since_q       <= u_core.w_done ? '0 : since_q + 10'd1;
    end
  end
  always_comb begin
    if (rst_ni) begin
      assume (fetch_asks_q != 10'(Patience - 1) || instr_ready_i);
      assume (fetch_waits_q != 10'(Patience - 1) || instr_answer_i);
      assume (data_asks_q != 10'(Patience - 1) || data_ready_i);
      assume (data_waits_q != 10'(Patience - 1) || data_answer_i);
    end
  end

  count_t to_end, to_work, to_fetch, words, left, division;
  logic [2:0] needs;
  assign needs    = u_core.u_fetch.pc_q[1] ? 3'd2 : 3'd1;
  assign words    = 10'(u_core.u_fetch.drop_q) + (u_core.u_fetch.level_q < needs ? 10'(needs - u_core.u_fetch.level_q) : '0);
  assign division = u_core.u_div.busy_q ? 10'(u_core.u_div.left_q) : 10'(Division);
  always_comb begin
    unique case (at)
      2'd1:    to_end = 10'(2 * Patience + 2) + 10'(Patience - 1) - data_waits_q;
      2'd2:    to_end = 10'(Patience + 1) + 10'(Patience - 1) - data_asks_q;
      default: to_end = u_core.w_wait_q == 2'd2 ? 10'(Patience - 1) - data_waits_q : '0;
    endcase
    to_work  = 10'(Patience - 1) - data_asks_q + division;
    to_fetch = '0;
    if (words != '0) begin
      to_fetch = 10'(Word) * words - (fetches_q != '0 ? 10'(Patience + 1) + fetch_waits_q : fetch_asks_q);
    end
    left = to_end;
    if (!u_core.w_valid_q) begin
      left = 10'(MostEnd) + (u_core.x_valid ? to_work : 10'(MostWork) + to_fetch);
      if (u_core.u_csr.privilege_q == PrivUser || u_core.u_csr.state_q.mie) left = left + 10'(Interrupt);
    end
  end

  always_comb begin
    if (rst_ni) begin
      assert (fetch_asks_q < 10'(Patience) && (fetch_asks_q != '0) == u_core.u_fetch.held_q);
      assert (fetch_waits_q < 10'(Patience) && (fetch_waits_q == '0 || fetches_q != '0));
      assert (data_waits_q < 10'(Patience) && (data_waits_q == '0 || data_busy_q));
      assert (data_asks_q < 10'(Patience) && (data_asks_q == '0 || u_core.shown_q || at == 2'd2));
      assert (!u_core.shown_q || (u_core.x_valid && u_core.accesses && !u_core.w_valid_q));
      assert (u_core.u_fetch.level_q <= 3'd4 && u_core.u_fetch.drop_q <= u_core.u_fetch.flight_q);
      assert (4'(u_core.u_fetch.level_q) + 4'(u_core.u_fetch.flight_q) - 4'(u_core.u_fetch.drop_q) <= 4'd4);
      assert (fetches_q <= 3'd4 && u_core.u_fetch.flight_q <= 3'd4);
      assert (u_core.u_fetch.drop_q == '0 || u_core.u_fetch.level_q == '0);
      assert (!u_core.u_div.busy_q || (u_core.x_valid && u_core.divide && !u_core.w_valid_q));
      ends_a : assert (since_q <= 10'(Bound) && since_q + left <= 10'(Bound));
    end
  end
end
