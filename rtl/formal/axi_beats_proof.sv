// Beats of a burst, against AXI's own formulas: the address of beat n is worked out from the burst's
// first one, not from the beat before.
module axi_beats_proof (
  input logic        clk_i,
  input logic        valid_i,
  input logic [12:0] addr_i,
  input logic [3:0]  len_i,
  input logic [1:0]  size_i,
  input logic [1:0]  burst_i,
  input logic        ready_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic        ready, valid, run_last, last;
  logic [12:0] addr;
  logic        unused_user;
  axi_beats #(.AddrW(13), .UserW(1)) u_beats (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .addr_i, .len_i({4'd0, len_i}), .size_i({1'b0, size_i}),
    .burst_i, .user_i(1'b0), .valid_o(valid), .ready_i, .addr_o(addr), .user_o(unused_user),
    .run_last_o(run_last), .last_o(last)
  );
  // A wrapping burst has 2, 4, 8 or 16 beats and begins at a multiple of their size.
  logic [12:0] aligned;
  assign aligned = addr_i & ~((13'd1 << size_i) - 13'd1);
  always_comb begin
    if (burst_i == 2'd2) assume (addr_i == aligned && (len_i == 4'd1 || len_i == 4'd3 || len_i == 4'd7 || len_i == 4'd15));
  end

  logic        open_q;
  logic [3:0]  len_q;
  logic [4:0]  n_q;
  logic [1:0]  size_q, burst_q;
  logic [12:0] start_q, bytes, whole, expected, following;
  assign bytes = 13'd1 << size_q;
  assign whole = (13'(len_q) + 13'd1) << size_q;
  function automatic logic [12:0] address(logic [12:0] n);
    logic [12:0] low;
    low = start_q & ~(whole - 13'd1);
    unique case (burst_q)
      2'd0:    return start_q;
      // AXI: at the upper boundary of the container it goes on at the lower one.
      2'd2:    return start_q + (n << size_q) >= low + whole ? start_q + (n << size_q) - whole : start_q + (n << size_q);
      default: return n == '0 ? start_q : (start_q & ~(bytes - 13'd1)) + (n << size_q);
    endcase
  endfunction
  assign expected  = address(13'(n_q));
  assign following = address(13'(n_q) + 13'd1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) open_q <= 1'b0;
    else if (valid_i && ready) open_q <= 1'b1;
    else if (valid && ready_i && last) open_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && ready) begin
      start_q <= addr_i; len_q <= len_i; size_q <= size_i; burst_q <= burst_i; n_q <= '0;
    end else if (valid && ready_i) n_q <= n_q + 5'd1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (valid == open_q);
      if (valid) begin
        // Addresses near the end of the space wrap in the formulas; bursts do not get there.
        if (start_q[12:8] != '1) assert (addr == expected);
        assert (last == (n_q == 5'(len_q)));
        if (start_q[12:8] != '1) assert (run_last == (last || burst_q == 2'd0 || following[12:6] != addr[12:6]));
      end
    end
  end
endmodule
