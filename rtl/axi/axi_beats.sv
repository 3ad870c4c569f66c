// Follows an AXI4 burst: from its address to the address of each beat, and whether the beat is the last
// one in its line of 64 B. Beats of a wrapping burst that stay in one line count as one run, though
// they go back in it.
//
// A reserved burst kind counts as incrementing.
//
// Invariants: as many beats as the burst's length says; the beats of a run share a line; each burst's
// last beat ends its run.
module axi_beats #(
  /// Bits of an address, and of what goes along with the burst.
  parameter int unsigned AddrW = 48,
  parameter int unsigned UserW = 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// An address channel.
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [AddrW-1:0] addr_i,
  input  logic [7:0]       len_i,
  input  logic [2:0]       size_i,
  input  logic [1:0]       burst_i,
  input  logic [UserW-1:0] user_i,
  /// Beats.
  output logic             valid_o,
  input  logic             ready_i,
  output logic [AddrW-1:0] addr_o,
  output logic [UserW-1:0] user_o,
  /// The run ends; the burst ends.
  output logic             run_last_o,
  output logic             last_o
);
  localparam logic [1:0] BurstFixed = 2'd0;
  localparam logic [1:0] BurstWrap  = 2'd2;

  logic             active_q;
  logic [AddrW-1:0] addr_q, next, step, aligned;
  logic [7:0]       left_q;
  logic [2:0]       size_q;
  logic [1:0]       burst_q;
  logic [11:0]      wrap_q;  // bytes of a wrapping burst less one
  logic [UserW-1:0] user_q;
  logic             accept, advance;

  assign valid_o = active_q;
  assign addr_o  = addr_q;
  assign user_o  = user_q;
  assign last_o  = left_q == '0;
  assign advance = valid_o && ready_i;
  assign ready_o = !active_q || (advance && last_o);
  assign accept  = valid_i && ready_o;

  assign step    = AddrW'(1) << size_q;
  assign aligned = addr_q & ~(step - AddrW'(1));
  always_comb begin
    unique case (burst_q)
      BurstFixed: next = addr_q;
      BurstWrap:  next = {addr_q[AddrW-1:12], (addr_q[11:0] & ~wrap_q) | ((addr_q[11:0] + step[11:0]) & wrap_q)};
      default:    next = aligned + step;
    endcase
  end
  assign run_last_o = last_o || burst_q == BurstFixed || next[AddrW-1:6] != addr_q[AddrW-1:6];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (ready_o) active_q <= valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (accept) begin
      addr_q  <= addr_i;
      left_q  <= len_i;
      size_q  <= size_i;
      burst_q <= burst_i;
      wrap_q  <= (12'(len_i) << size_i) | ((12'd1 << size_i) - 12'd1);
      user_q  <= user_i;
    end else if (advance) begin
      addr_q  <= next;
      left_q  <= left_q - 8'd1;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  // AXI: what is offered stays until it is taken.
  logic             held_q;
  logic [AddrW-1:0] held_addr_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else held_q <= valid_o && !ready_i;
  end
  always_ff @(posedge clk_i) held_addr_q <= addr_o;
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!held_q || (valid_o && addr_o == held_addr_q));
      assert (!last_o || run_last_o);
      assert (!accept || size_i <= 3'd3);
    end
  end
endmodule
