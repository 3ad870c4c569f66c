// Holds younger packets behind the posted ones that arrived before them. HyperTransport: a non-posted
// request or a response whose PassPW is clear may not pass a posted request; posted ones may pass
// everything.
//
// Each younger packet that arrives while posted ones are open attaches to the newest of them and is
// let go by a token when that one is done. Tokens are exact: nothing wraps, however long a packet
// waits. The two arrivals of one cycle count as posted first.
//
// Invariants: tokens never exceed the waiting packets; the packet at the head that waits has its
// token exactly when no posted packet that arrived before it is open.
module order_gate #(
  /// Posted packets that can be open.
  parameter int unsigned OlderDepth = 32,
  /// Younger packets that can be open.
  parameter int unsigned YoungerDepth = 32,
  localparam int unsigned YoungerW = $clog2(YoungerDepth) + 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// A posted packet arrives; one has been forwarded or dropped.
  input  logic older_push_i,
  input  logic older_done_i,
  /// A younger packet arrives; pass_i: it may pass.
  input  logic younger_push_i,
  input  logic younger_pass_i,
  /// The oldest younger packet may go, if there is one; it goes.
  output logic younger_ok_o,
  input  logic younger_pop_i
);
  localparam int unsigned OlderW = $clog2(OlderDepth) + 1;

  logic [OlderW-1:0]   open_q, open_d;      // posted packets
  logic [YoungerW-1:0] attached_q, attached_d;  // to the newest posted packet
  logic [YoungerW-1:0] tokens_q, tokens_d;
  logic                waits, head_waits, head_valid, unused_ready;
  logic                mark_push, mark_valid, mark_pop, unused_mark_ready;
  logic [YoungerW-1:0] mark;
  logic [OlderW-1:0]   unused_mark_level;
  logic [YoungerW-1:0] unused_wait_level;
  logic                attach, released_newest;
  logic [YoungerW-1:0] attached_now;

  assign waits  = !younger_pass_i && (open_q != '0 || older_push_i);
  assign attach = younger_push_i && waits;

  // One bit for each younger packet, in order.
  fifo #(.Width(1), .Depth(YoungerDepth)) u_waits (
    .clk_i, .rst_ni,
    .valid_i(younger_push_i), .ready_o(unused_ready), .data_i(waits),
    .valid_o(head_valid), .ready_i(younger_pop_i), .data_o(head_waits), .level_o(unused_wait_level)
  );
  // For each posted packet but the newest: how many attached to it.
  fifo #(.Width(YoungerW), .Depth(OlderDepth)) u_marks (
    .clk_i, .rst_ni,
    .valid_i(mark_push), .ready_o(unused_mark_ready), .data_i(attached_q),
    .valid_o(mark_valid), .ready_i(mark_pop), .data_o(mark), .level_o(unused_mark_level)
  );

  // A new posted packet closes the count of the one before it, if that is still open after this
  // cycle; the younger packet of this cycle attaches to the new one.
  assign released_newest = older_done_i && open_q == OlderW'(1);
  assign mark_push       = older_push_i && open_q != '0 && !released_newest;
  assign mark_pop        = older_done_i && mark_valid;
  assign attached_now    = older_push_i ? YoungerW'(attach) : attached_q + YoungerW'(attach);

  // Tokens that come, and one more if the younger packet of this cycle attached to what is released in it.
  logic [YoungerW-1:0] come, more, more_less_one;
  logic                one_more;
  assign come     = released_newest ? attached_q : mark_pop ? mark : '0;
  assign one_more = released_newest && !older_push_i && attach;

  always_comb begin
    open_d     = open_q + OlderW'(older_push_i) - OlderW'(older_done_i);
    attached_d = released_newest && !older_push_i ? '0 : attached_now;
    // Both sums beside each other: whether one goes is known last.
    more          = tokens_q + come + YoungerW'(one_more);
    more_less_one = (tokens_q - YoungerW'(1)) + come + YoungerW'(one_more);
    tokens_d      = younger_pop_i && head_waits ? more_less_one : more;
  end

  assign younger_ok_o = head_valid && (!head_waits || tokens_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q     <= '0;
      attached_q <= '0;
      tokens_q   <= '0;
    end else begin
      open_q     <= open_d;
      attached_q <= attached_d;
      tokens_q   <= tokens_d;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (open_q <= OlderW'(OlderDepth));
      assert (!older_done_i || open_q != '0);
      assert (!younger_pop_i || younger_ok_o);
      assert (tokens_q <= YoungerW'(YoungerDepth));
      assert (attached_q <= YoungerW'(YoungerDepth));
      assert (open_q != '0 || attached_q == '0);
    end
  end
endmodule
