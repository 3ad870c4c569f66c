// Chooses among requests, the one after the last chosen first. Combinational but for the memory of
// whom it chose; the choice may change until `take_i`.
//
// Invariants: at most one grant, only to a request, and one whenever there is a request.
module round_robin #(
  /// Requests.
  parameter int unsigned N = 2,
  localparam int unsigned IdxW = N > 1 ? $clog2(N) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [N-1:0]    request_i,
  /// The grant is used in this cycle; the next one begins behind it.
  input  logic            take_i,
  output logic [N-1:0]    grant_o,
  output logic [IdxW-1:0] index_o
);
  logic [N-1:0] mask_q;  // requests behind the last one taken
  logic [N-1:0] behind, first_behind, first_any;

  assign behind       = request_i & mask_q;
  assign first_behind = behind & (~behind + N'(1));
  assign first_any    = request_i & (~request_i + N'(1));
  assign grant_o      = behind != '0 ? first_behind : first_any;

  always_comb begin
    index_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (grant_o[i]) index_o = IdxW'(i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mask_q <= '0;
    else if (take_i && grant_o != '0) mask_q <= ~(grant_o | (grant_o - N'(1)));
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((grant_o & (grant_o - N'(1))) == '0);
      assert ((grant_o & ~request_i) == '0);
      assert ((grant_o != '0) == (request_i != '0));
    end
  end
endmodule
