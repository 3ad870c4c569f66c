// Fetch, for any memory, times, errors and ways, on addresses of 8 bits: instructions come at the pc that the one before
// has led to, by its length, its guess or a redirect, with the halves that memory has there, or as a fault of the first
// word that is not there; and as long as there is nothing to give, a request is shown or under way. One word of memory is
// looked at, which may be any.
module rv_fetch_proof #(
  parameter int unsigned Xlen = 8
) (
  input logic            clk_i,
  input logic            redirect_i,
  input logic [Xlen-2:0] redirect_half_i,
  input logic            ready_i,
  input logic            instr_ready_i,
  input logic            answer_i,
  input logic [31:0]     rdata_i,
  input logic            err_i
);
  localparam int unsigned Depth = 4;

  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // The word.
  logic [Xlen-3:0] where_q;
  logic [31:0]     data_q;
  logic            err_q;
  always_ff @(posedge clk_i) begin
    where_q <= where_q;
    data_q  <= data_q;
    err_q   <= err_q;
  end

  logic            valid, taken, fault, instr_valid, rvalid, err;
  logic [31:0]     insn, rdata;
  logic [Xlen-1:0] pc, not_there, addr, redirect_pc;

  assign redirect_pc = {redirect_half_i, 1'b0};
  rv_fetch #(.Xlen(Xlen), .ResetPc(64'd0)) u_fetch (
    .clk_i, .rst_ni, .redirect_valid_i(redirect_i), .redirect_pc_i(redirect_pc), .valid_o(valid), .ready_i, .insn_o(insn),
    .pc_o(pc), .taken_o(taken), .fault_o(fault), .not_there_o(not_there), .instr_valid_o(instr_valid), .instr_ready_i,
    .instr_addr_o(addr), .instr_rvalid_i(rvalid), .instr_rdata_i(rdata), .instr_err_i(err)
  );

  // Memory: what it has taken, in order, the oldest first.
  logic [Depth-1:0][Xlen-3:0] asked_q, asked;
  logic [2:0]                 count_q, kept;
  logic                       take;
  assign rvalid = answer_i && count_q != '0;
  assign rdata  = asked_q[0] == where_q ? data_q : rdata_i;
  assign err    = asked_q[0] == where_q ? err_q : err_i;
  assign take   = instr_valid && instr_ready_i;
  assign kept   = count_q - 3'(rvalid);
  always_comb begin
    asked = asked_q;
    if (rvalid) asked = {(Xlen-2)'(0), asked_q[Depth-1:1]};
    if (take && kept < 3'(Depth)) asked[kept[1:0]] = addr[Xlen-1:2];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= kept + 3'(take);
  end
  always_ff @(posedge clk_i) asked_q <= asked;

  // Where it should be. Behind a fault nothing means anything before the redirect that it leads to.
  logic [Xlen-1:0]    expected_q, offset;
  logic               lost_q, accept, guess;
  logic signed [20:0] distance;
  rv_predict #(.Xlen(Xlen)) u_predict (.insn_i(insn), .taken_o(guess), .offset_o(distance));
  assign accept = valid && ready_i && !redirect_i;
  assign offset = guess ? Xlen'(distance) : insn[1:0] == 2'b11 ? Xlen'(4) : Xlen'(2);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      expected_q <= '0;
      lost_q     <= 1'b0;
    end else if (redirect_i) begin
      expected_q <= redirect_pc;
      lost_q     <= 1'b0;
    end else if (accept) begin
      expected_q <= pc + offset;
      lost_q     <= lost_q || fault;
    end
  end

  // What the queue and the requests under way are of.
  logic [Xlen-3:0] first;
  logic [2:0]      level, flight, drop;
  assign first  = u_fetch.pc_q[Xlen-1:2];
  assign level  = u_fetch.level_q;
  assign flight = u_fetch.flight_q;
  assign drop   = u_fetch.drop_q;
  always_comb begin
    if (rst_ni) begin
      assert (flight == count_q + 3'(u_fetch.held_q) && count_q <= 3'(Depth) && flight <= 3'(Depth) && drop <= flight);
      assert (4'(level) + 4'(flight - drop) <= 4'(Depth));
      if (!lost_q) begin
        assert (u_fetch.pc_q == expected_q && !expected_q[0]);
        assert (u_fetch.next_q == first + (Xlen-2)'(level) + (Xlen-2)'(flight - drop));
        assert (!u_fetch.held_q || drop == flight || u_fetch.held_addr_q == u_fetch.next_q - (Xlen-2)'(1));
        for (int unsigned i = 0; i < Depth; i++) begin
          assert (3'(i) >= level || first + (Xlen-2)'(i) != where_q || u_fetch.queue_q[i] == {err_q, data_q});
          assert (3'(i) >= count_q || 3'(i) < drop || asked_q[i] == first + (Xlen-2)'(level) + (Xlen-2)'(3'(i) - drop));
        end
      end
    end
  end

  ///////////////////
  // What it gives //
  ///////////////////

  logic [Xlen-3:0] second;
  assign second = first + (Xlen-2)'(1);
  always_comb begin
    if (rst_ni && !lost_q && valid) begin
      pc_a : assert (pc == expected_q);
      if (first == where_q) begin
        first_fault_a : assert (!err_q || (fault && not_there == pc));
        first_half_a : assert (err_q || insn[15:0] == (pc[1] ? data_q[31:16] : data_q[15:0]));
        upper_half_a : assert (err_q || pc[1] || insn[31:16] == data_q[31:16]);
      end
      if (second == where_q && pc[1] && insn[1:0] == 2'b11 && !(fault && not_there == pc)) begin
        second_fault_a : assert (!err_q || (fault && not_there == {second, 2'b00}));
        second_half_a : assert (err_q || insn[31:16] == data_q[15:0]);
      end
      // No fault without one.
      good_a : assert (!fault || first != where_q || err_q || (pc[1] && insn[1:0] == 2'b11));
      guess_a : assert (taken == (guess && !fault));
    end
    if (rst_ni) moves_a : assert (valid || instr_valid || count_q != '0);
  end
endmodule
