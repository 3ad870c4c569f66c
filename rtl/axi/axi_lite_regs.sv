// Registers as an AXI4-Lite subordinate: one access at a time, a write before a read. A write of less
// than a word is refused with SLVERR and has no effect.
//
// Invariant: each address gets one answer.
module axi_lite_regs (
  input  logic        clk_i,
  input  logic        rst_ni,
  /// AXI4-Lite.
  input  logic        aw_valid_i,
  output logic        aw_ready_o,
  input  logic [8:0]  aw_addr_i,
  input  logic        w_valid_i,
  output logic        w_ready_o,
  input  logic [31:0] w_data_i,
  input  logic [3:0]  w_strb_i,
  output logic        b_valid_o,
  input  logic        b_ready_i,
  output logic [1:0]  b_resp_o,
  input  logic        ar_valid_i,
  output logic        ar_ready_o,
  input  logic [8:0]  ar_addr_i,
  output logic        r_valid_o,
  input  logic        r_ready_i,
  output logic [31:0] r_data_o,
  output logic [1:0]  r_resp_o,
  /// The register file: a read takes a cycle.
  output logic        reg_write_o,
  output logic [8:0]  reg_addr_o,
  output logic [31:0] reg_wdata_o,
  input  logic [31:0] reg_rdata_i
);
  typedef enum logic [1:0] {StIdle, StWritten, StReading, StRead} state_e;
  state_e      state_q, state_d;
  logic        write, refused_q;
  logic [31:0] data_q;

  assign write       = state_q == StIdle && aw_valid_i && w_valid_i;
  assign aw_ready_o  = write;
  assign w_ready_o   = write;
  assign ar_ready_o  = state_q == StIdle && !write;
  assign reg_write_o = write && w_strb_i == '1;
  assign reg_addr_o  = write ? aw_addr_i : ar_addr_i;
  assign reg_wdata_o = w_data_i;
  assign b_valid_o   = state_q == StWritten;
  assign b_resp_o    = refused_q ? 2'b10 : 2'b00;
  assign r_valid_o   = state_q == StRead;
  assign r_data_o    = data_q;
  assign r_resp_o    = 2'b00;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:    if (write) state_d = StWritten;
                 else if (ar_valid_i) state_d = StReading;
      StWritten: if (b_ready_i) state_d = StIdle;
      StReading: state_d = StRead;
      StRead:    if (r_ready_i) state_d = StIdle;
      default:   state_d = StIdle;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      refused_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (write) refused_q <= w_strb_i != '1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StReading) data_q <= reg_rdata_i;
  end

  ////////////////
  // Assertions //
  ////////////////

  logic b_held_q, r_held_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_held_q <= 1'b0;
      r_held_q <= 1'b0;
    end else begin
      b_held_q <= b_valid_o && !b_ready_i;
      r_held_q <= r_valid_o && !r_ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(b_valid_o && r_valid_o));
      assert (!b_held_q || b_valid_o);
      assert (!r_held_q || r_valid_o);
    end
  end
endmodule
