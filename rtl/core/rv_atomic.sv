// The A extension at the core's data port: a read and then its write, between which the port is locked.
//
// Execute shows the read, here is what comes behind it, while the instruction is in write back. A reservation is address,
// size and value: a store-conditional reads again and stores if it finds that value, as the simulator's does and as esc.w
// does on other nodes. One that has no reservation reads nothing.
//
// Promises: a request of a write is stable until taken; a store-conditional ends the reservation, whatever becomes of it.
module rv_atomic
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen = 64
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  /// In execute: whether there is a reservation of this address and size.
  input  logic [Xlen-1:0] x_address_i,
  input  logic [1:0]      x_size_i,
  output logic            x_reserved_o,
  /// An instruction of the extension leaves execute, its read is taken (reads_i) or it has none.
  input  logic            begin_i,
  input  logic            reads_i,
  input  logic            reserve_i,
  input  logic            conditional_i,
  input  alu_e            op_i,
  input  logic [Xlen-1:0] operand_i,
  /// In write back, its address and size; the answers of memory, extended.
  input  logic [Xlen-1:0] address_i,
  input  logic [1:0]      size_i,
  input  logic            rvalid_i,
  input  logic            err_i,
  input  logic [Xlen-1:0] rdata_i,
  /// The write; the read before it is locked as well, from when execute shows it.
  output logic            mem_valid_o,
  input  logic            mem_ready_i,
  output logic [Xlen-1:0] mem_wdata_o,
  output logic            lock_o,
  /// It is here; it ends; what its register gets; for the trace what it has found and whether it has written.
  output logic            busy_o,
  output logic            done_o,
  output logic [Xlen-1:0] value_o,
  output logic [Xlen-1:0] found_o,
  output logic            wrote_o
);
  typedef enum logic [1:0] {
    StIdle,
    StRead,    // its answer is to come
    StWrite,   // is shown, if there is one
    StWritten  // its answer is to come
  } state_e;

  state_e          state_q, state_d;
  logic            reserve_q, conditional_q;
  alu_e            op_q;
  logic [Xlen-1:0] operand_q, found_q;

  logic            valid_q;
  logic [1:0]      reserved_size_q;
  logic [Xlen-1:0] reserved_address_q, reserved_value_q;

  logic            answered, equal, writes;
  logic [Xlen-1:0] next_value;

  assign x_reserved_o = valid_q && reserved_size_q == x_size_i && reserved_address_q == x_address_i;
  assign answered     = state_q == StRead && rvalid_i;

  rv_amo_alu #(.Xlen(Xlen)) u_alu (
    .op_i(op_q), .narrow_i(size_i == 2'd2), .old_i(found_q), .operand_i(operand_q), .compare_i(reserved_value_q),
    .equal_o(equal), .next_o(next_value)
  );
  assign writes      = !conditional_q || equal;
  assign mem_valid_o = state_q == StWrite && writes;
  assign mem_wdata_o = next_value;
  assign lock_o      = (state_q == StRead && !reserve_q) || mem_valid_o;

  assign busy_o  = state_q != StIdle;
  assign done_o  = (answered && (err_i || reserve_q)) || (state_q == StWrite && !writes) || (state_q == StWritten && rvalid_i);
  assign wrote_o = state_q == StWritten;
  assign found_o = state_q == StRead ? rdata_i : found_q;
  assign value_o = conditional_q ? Xlen'(!wrote_o) : found_o;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:  if (begin_i && reads_i) state_d = StRead;
      StRead:  if (answered) state_d = StWrite;
      StWrite: if (mem_ready_i) state_d = StWritten;
      default: ;
    endcase
    if (done_o) state_d = StIdle;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      valid_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (begin_i && conditional_i) valid_q <= 1'b0;
      else if (answered && reserve_q && !err_i) valid_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (begin_i) begin
      reserve_q     <= reserve_i;
      conditional_q <= conditional_i;
      op_q          <= op_i;
      operand_q     <= operand_i;
    end
    if (answered) begin
      found_q <= rdata_i;
      if (reserve_q && !err_i) begin
        reserved_size_q    <= size_i;
        reserved_address_q <= address_i;
        reserved_value_q   <= rdata_i;
      end
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!begin_i || state_q == StIdle);
      assert (!(busy_o && rvalid_i) || state_q != StWrite);
    end
  end
endmodule
