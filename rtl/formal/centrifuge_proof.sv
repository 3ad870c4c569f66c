// The centrifuge gathers as PEXT does and its inverse puts back, for every mask and word of Width bits,
// whatever mask was there before; the routing is ready soon after a new mask.
module centrifuge_proof #(
  parameter int unsigned Width = 8,
  localparam int unsigned Levels = $clog2(Width)
) (
  input logic             clk_i,
  input logic [Width-1:0] mask_i,
  input logic [Width-1:0] data_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [Levels-1:0][Width-1:0] move;
  logic [Width-1:0]             gathered, spread;
  logic                         ready;
  centrifuge_control #(.Width(Width)) u_control (.clk_i, .rst_ni, .mask_i, .move_o(move), .ready_o(ready));
  centrifuge #(.Width(Width)) u_gather (.clk_i, .enable_i(1'b1), .data_i, .mask_i, .move_i(move), .data_o(gathered));
  centrifuge_inverse #(.Width(Width)) u_spread (.clk_i, .data_i, .mask_i, .move_i(move), .data_o(spread));

  // Bit by bit.
  function automatic logic [Width-1:0] pext(logic [Width-1:0] data, logic [Width-1:0] mask);
    int unsigned n;
    pext = '0;
    n = 0;
    for (int unsigned i = 0; i < Width; i++) begin
      if (mask[i]) begin
        pext = pext | (Width'(data[i]) << n);
        n++;
      end
    end
  endfunction
  function automatic logic [Width-1:0] pdep(logic [Width-1:0] data, logic [Width-1:0] mask);
    int unsigned n;
    pdep = '0;
    n = 0;
    for (int unsigned i = 0; i < Width; i++) begin
      if (mask[i]) begin
        pdep[i] = 1'(data >> n);
        n++;
      end
    end
  endfunction

  localparam int unsigned Stages = (Levels + 1) / 2;  // of the way back
  localparam int unsigned Cycles = Stages > 2 ? Stages : 2;

  logic [Cycles-1:0]            good_q;   // cycles for which mask and routing belonged together
  logic [Cycles-1:0][Width-1:0] data_q;
  logic [Width-1:0] mask_q;
  logic [3:0]       waits_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      good_q <= '0; waits_q <= '0;
    end else begin
      good_q  <= {good_q[Cycles-2:0] & {(Cycles-1){mask_i == mask_q}}, ready};
      waits_q <= mask_i != mask_q || ready ? '0 : waits_q + 4'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    data_q <= {data_q[Cycles-2:0], data_i}; mask_q <= mask_i;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (good_q == '1 && mask_i == mask_q) assert (spread == pdep(data_q[Stages-1], mask_i));
      if (good_q[1:0] == 2'b11 && mask_i == mask_q) assert (gathered == pext(data_q[1], mask_i));
      assert (waits_q <= 4'(2 * Levels) + 4'd3);
    end
  end
endmodule
