// Lanes of memory: an access at a byte address becomes one of the bus's width, what comes back is put in place and
// extended. Combinational; the request and the answer are of different cycles.
module rv_lsu #(
  parameter int unsigned  Xlen  = 64,
  localparam int unsigned Bytes = Xlen / 8,
  localparam int unsigned LaneW = $clog2(Bytes)
) (
  /// Request: size is a power of two.
  input  logic [Xlen-1:0]  address_i,
  input  logic [1:0]       size_i,
  input  logic [Xlen-1:0]  wdata_i,
  output logic             misaligned_o,
  output logic [Xlen-1:0]  addr_o,
  output logic [Bytes-1:0] be_o,
  output logic [Xlen-1:0]  wdata_o,
  /// Answer, to a request of this lane and size.
  input  logic [LaneW-1:0] lane_i,
  input  logic [1:0]       rsize_i,
  input  logic             signed_i,
  input  logic [Xlen-1:0]  rdata_i,
  /// As a register has it, and as memory has it, from its lowest byte.
  output logic [Xlen-1:0]  value_o,
  output logic [Xlen-1:0]  raw_o
);
  logic [LaneW-1:0] lane;
  logic [7:0]       whole;

  assign lane = address_i[LaneW-1:0];

  always_comb begin
    unique case (size_i)
      2'd0:    {whole, misaligned_o} = {8'h01, 1'b0};
      2'd1:    {whole, misaligned_o} = {8'h03, address_i[0]};
      2'd2:    {whole, misaligned_o} = {8'h0f, address_i[1:0] != '0};
      default: {whole, misaligned_o} = {8'hff, address_i[2:0] != '0};
    endcase
  end

  assign addr_o  = {address_i[Xlen-1:LaneW], LaneW'(0)};
  assign be_o    = Bytes'(whole << lane);
  assign wdata_o = wdata_i << {lane, 3'b000};

  logic [63:0] moved;
  assign moved = 64'(rdata_i) >> {lane_i, 3'b000};

  logic [63:0] wide, extended;
  always_comb begin
    unique case (rsize_i)
      2'd0:    {wide, extended} = {64'(moved[7:0]), {56{signed_i && moved[7]}}, moved[7:0]};
      2'd1:    {wide, extended} = {64'(moved[15:0]), {48{signed_i && moved[15]}}, moved[15:0]};
      2'd2:    {wide, extended} = {64'(moved[31:0]), {32{signed_i && moved[31]}}, moved[31:0]};
      default: {wide, extended} = {moved, moved};
    endcase
  end
  assign value_o = extended[Xlen-1:0];
  assign raw_o   = wide[Xlen-1:0];
endmodule
