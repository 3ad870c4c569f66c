// Counts the credits of a receiver: at most Initial things are under way or stored there.
//
// Invariant: credits here, things there and credits on their way back add up to Initial.
module credit_sender #(
  /// Credits after reset.
  parameter int unsigned Initial = 16,
  localparam int unsigned CountW = $clog2(Initial + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// One is used; one comes back.
  input  logic use_i,
  input  logic return_i,
  /// There is one to use.
  output logic some_o,
  /// Credits held.
  output logic [CountW-1:0] count_o
);
  logic [CountW-1:0] count_q;

  assign some_o  = count_q != '0;
  assign count_o = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= CountW'(Initial);
    else count_q <= count_q - CountW'(use_i) + CountW'(return_i);
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!use_i || some_o);
      assert (count_q <= CountW'(Initial));
      assert (!return_i || use_i || count_q != CountW'(Initial));  // no more than were given out
    end
  end
endmodule
