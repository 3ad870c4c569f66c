// Integer or extended registers: one written, some read without a clock edge, so that they become distributed RAM.
// Number 0 reads as 0.
module rv_regfile #(
  parameter int unsigned Xlen    = 64,
  parameter int unsigned NumRead = 2
) (
  input  logic                         clk_i,
  input  logic                         write_i,
  input  logic [4:0]                   waddr_i,
  input  logic [Xlen-1:0]              wdata_i,
  input  logic [NumRead-1:0][4:0]      raddr_i,
  output logic [NumRead-1:0][Xlen-1:0] rdata_o
);
  // A copy for each read port: a RAM has one. All 0 from the start, as the reference has them.
  for (genvar p = 0; p < int'(NumRead); p++) begin : gen_port
    logic [Xlen-1:0] mem_q [32];
    initial for (int i = 0; i < 32; i++) mem_q[i] = '0;
    always_ff @(posedge clk_i) if (write_i && waddr_i != '0) mem_q[waddr_i] <= wdata_i;
    assign rdata_o[p] = mem_q[raddr_i[p]];
  end
endmodule
