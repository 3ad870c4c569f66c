// Joins packets of several sources into one stream, whole packets at a time, in turn.
//
// Invariants: between a packet's first and last word no other source is served; a source that offers
// a word keeps offering it until it is taken (asked of the sources, kept towards the output).
module packet_mux #(
  /// Sources.
  parameter int unsigned N = 2,
  /// Bits of a word.
  parameter int unsigned Width = 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [N-1:0]            valid_i,
  output logic [N-1:0]            ready_o,
  input  logic [N-1:0][Width-1:0] data_i,
  /// Last word of its packet.
  input  logic [N-1:0]            last_i,
  output logic                    valid_o,
  input  logic                    ready_i,
  output logic [Width-1:0]        data_o,
  output logic                    last_o
);
  localparam int unsigned IdxW = N > 1 ? $clog2(N) : 1;

  logic            held_q, held_d;  // a source was chosen and its last word has not gone
  logic [IdxW-1:0] source_q, chosen, source;
  logic [N-1:0]    grant;

  round_robin #(.N(N)) u_arbiter (
    .clk_i, .rst_ni,
    .request_i(valid_i),
    .take_i   (!held_q && valid_o),
    .grant_o  (grant),
    .index_o  (chosen)
  );

  assign source  = held_q ? source_q : chosen;
  assign valid_o = held_q ? valid_i[source_q] : grant != '0;
  assign data_o  = data_i[source];
  assign last_o  = last_i[source];
  // The choice stays while the output does not take it: the stream below must not change its mind.
  assign held_d  = valid_o ? !(ready_i && last_o) : held_q;

  always_comb begin
    ready_o         = '0;
    ready_o[source] = ready_i && valid_o;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= 1'b0;
      source_q <= '0;
    end else begin
      held_q   <= held_d;
      source_q <= source;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((ready_o & ~valid_i) == '0);
      assert ((ready_o & (ready_o - N'(1))) == '0);
      assert (int'(source) < int'(N));
    end
  end
endmodule
