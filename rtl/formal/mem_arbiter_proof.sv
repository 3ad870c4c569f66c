// One memory for three: a request that memory has been shown stays; it is done once, as it was asked; the answer comes
// to who asked and to nobody else; who asks is served behind one of each of the others at most; nobody comes between a
// read and its write where they are locked. For any requests that stay until they are taken, and any memory.
module mem_arbiter_proof #(
  parameter int unsigned N = 3
) (
  input logic         clk_i,
  input logic [N-1:0] want_i,
  input logic [N-1:0] mark_i,
  input logic [N-1:0] lock_i,
  input logic         mem_ready_i,
  input logic         mem_answer_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Who asks: stays until it is taken, then awaits its answer. One bit of the address says which request it is.
  logic [N-1:0]       asks_q, asks, mark_q, mark, ready, rvalid, awaits_q, lock;
  logic [N-1:0][31:0] addr;
  logic               mem_valid, mem_write, err, mem_rvalid;
  logic [31:0]        mem_addr, rdata, mem_wdata;
  logic [3:0]         mem_be;
  logic [1:0]         from;

  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      asks[i] = asks_q[i] || (want_i[i] && (!awaits_q[i] || rvalid[i]));
      mark[i] = asks_q[i] ? mark_q[i] : mark_i[i];
      addr[i] = {29'd0, mark[i], 2'(i)};
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asks_q   <= '0;
      awaits_q <= '0;
      mark_q   <= '0;
    end else begin
      asks_q   <= asks & ~ready;
      awaits_q <= (awaits_q & ~rvalid) | ready;
      mark_q   <= mark;
    end
  end

  mem_arbiter #(.Xlen(32), .N(N)) u_arbiter (
    .clk_i, .rst_ni, .valid_i(asks), .ready_o(ready), .addr_i(addr), .write_i('0), .be_i('0), .wdata_i('0),
    .lock_i(lock), .rvalid_o(rvalid), .rdata_o(rdata), .err_o(err),
    .mem_valid_o(mem_valid), .mem_ready_i, .mem_addr_o(mem_addr), .mem_write_o(mem_write), .mem_be_o(mem_be),
    .mem_wdata_o(mem_wdata), .mem_from_o(from), .mem_rvalid_i(mem_rvalid), .mem_rdata_i('0), .mem_err_i(1'b0)
  );

  // Memory answers what is under way, sooner or later. A lock is held over one more access at most.
  logic        busy_q, held_q, shown_q;
  logic [31:0] shown_addr_q;
  logic [1:0]  owner_q;
  assign mem_rvalid = busy_q && mem_answer_i;
  always_comb begin
    lock = '0;
    if (held_q) lock[owner_q] = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      held_q       <= 1'b0;
      owner_q      <= '0;
      shown_q      <= 1'b0;
      shown_addr_q <= '0;
    end else begin
      busy_q <= (mem_valid && mem_ready_i) || (busy_q && !mem_rvalid);
      if (mem_valid && mem_ready_i) begin
        owner_q <= mem_addr[1:0];
        held_q  <= !held_q && lock_i[mem_addr[1:0]];
      end
      shown_q      <= mem_valid && !mem_ready_i;
      shown_addr_q <= mem_addr;
    end
  end

  // How many accesses of others were done since one asks; a lock makes two of one.
  logic [N-1:0][2:0] passed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) passed_q <= '0;
    else begin
      for (int unsigned i = 0; i < N; i++) begin
        if (!asks[i] || ready[i]) passed_q[i] <= '0;
        else if (mem_valid && mem_ready_i && !held_q) passed_q[i] <= passed_q[i] + 3'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // What memory is shown is a request, as it was asked; it is taken when memory takes it, alone.
      if (mem_valid) assert (32'(mem_addr[1:0]) < N && asks[mem_addr[1:0]] && mem_addr[2] == mark[mem_addr[1:0]] &&
                             from == mem_addr[1:0]);
      for (int unsigned i = 0; i < N; i++) begin
        assert (ready[i] == (mem_valid && mem_ready_i && mem_addr[1:0] == 2'(i)));
        assert (rvalid[i] == (mem_rvalid && owner_q == 2'(i)));
        assert (passed_q[i] < 3'(N));
      end
      if (shown_q) assert (mem_valid && mem_addr == shown_addr_q);
      // Memory is never idle while somebody may ask it.
      if (asks != '0 && !held_q && (!busy_q || mem_rvalid)) assert (mem_valid);
      if (held_q && asks[owner_q] && (!busy_q || mem_rvalid)) assert (mem_valid);
      if (held_q && mem_valid) assert (mem_addr[1:0] == owner_q);
    end
  end
endmodule
