// Several that ask for one memory: the core, the walk of the namespace table, the accesses of other nodes. Each has its
// request as the core's data port has it, one under way; so does memory. The answer goes to whom the request was.
//
// Promises: a request that memory has been shown stays until it is taken; each is done once and its answer comes to
// who asked; who asks is served after at most N - 1 others.
module mem_arbiter #(
  parameter int unsigned  Xlen    = 64,
  parameter int unsigned  N       = 3,
  localparam int unsigned Bytes   = Xlen / 8,
  localparam int unsigned IdxW    = N > 1 ? $clog2(N) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [N-1:0]            valid_i,
  output logic [N-1:0]            ready_o,
  input  logic [N-1:0][Xlen-1:0]  addr_i,
  input  logic [N-1:0]            write_i,
  input  logic [N-1:0][Bytes-1:0] be_i,
  input  logic [N-1:0][Xlen-1:0]  wdata_i,
  /// While the one whose access was the last holds its own up, nobody else's is done: a read and its write.
  input  logic [N-1:0]            lock_i,
  output logic [N-1:0]            rvalid_o,
  output logic [Xlen-1:0]         rdata_o,
  output logic                    err_o,
  /// Memory, and whose request it is.
  output logic                    mem_valid_o,
  input  logic                    mem_ready_i,
  output logic [Xlen-1:0]         mem_addr_o,
  output logic                    mem_write_o,
  output logic [Bytes-1:0]        mem_be_o,
  output logic [Xlen-1:0]         mem_wdata_o,
  output logic [IdxW-1:0]         mem_from_o,
  input  logic                    mem_rvalid_i,
  input  logic [Xlen-1:0]         mem_rdata_i,
  input  logic                    mem_err_i
);
  logic            busy_q, shown_q, locked, free, take;
  logic [IdxW-1:0] owner_q, chosen, from;
  logic [N-1:0]    request, grant;

  // Memory takes the next request in the cycle of an answer.
  assign free   = !busy_q || mem_rvalid_i;
  assign locked = lock_i[owner_q];
  always_comb begin
    for (int unsigned i = 0; i < N; i++) request[i] = valid_i[i] && (!locked || owner_q == IdxW'(i));
  end

  round_robin #(.N(N)) u_choice (
    .clk_i, .rst_ni, .request_i(request), .take_i(mem_valid_o && !shown_q), .grant_o(grant), .index_o(chosen)
  );

  logic [IdxW-1:0] shown_from_q;
  assign from = shown_q ? shown_from_q : chosen;

  assign mem_valid_o = free && (shown_q || grant != '0);
  assign mem_addr_o  = addr_i[from];
  assign mem_write_o = write_i[from];
  assign mem_be_o    = be_i[from];
  assign mem_wdata_o = wdata_i[from];
  assign mem_from_o  = from;
  assign take        = mem_valid_o && mem_ready_i;

  always_comb begin
    ready_o       = '0;
    rvalid_o      = '0;
    ready_o[from] = take;
    if (mem_rvalid_i) rvalid_o[owner_q] = 1'b1;
  end
  assign rdata_o = mem_rdata_i;
  assign err_o   = mem_err_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      shown_q      <= 1'b0;
      owner_q      <= '0;
      shown_from_q <= '0;
    end else begin
      if (take) busy_q <= 1'b1;
      else if (mem_rvalid_i) busy_q <= 1'b0;
      shown_q <= mem_valid_o && !mem_ready_i;
      if (mem_valid_o) shown_from_q <= from;
      if (take) owner_q <= from;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!mem_rvalid_i || busy_q);
      assert (!shown_q || valid_i[shown_from_q]);  // requests stay until taken
      assert ((ready_o & ~valid_i) == '0);
    end
  end
endmodule
