// A test bench in SystemVerilog alone: a core of one instruction, `addi`, beside the stepped hart by DPI. With
// +bug its tenth result is wrong, and the bench ends as one would: with the time and the report.
module dpi_bench
  import isthmus_step_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  output logic done_o
);
  localparam int unsigned Count = 100;
  localparam logic [31:0] Start = 32'h80000000;

  // Set up once, before the first edge.
  chandle hart;
  int unsigned bug;
  initial begin
    bug  = $test$plusargs("bug") != 0 ? 1 : 0;
    hart = isthmus_step_create("isa=rv32i_zicsr memory=0x80000000:0x1000");
    if (hart == null) $fatal(1, "%s", isthmus_step_error());
    if (isthmus_step_create("isa=rv32q") != null) $fatal(1, "an unknown extension was taken");
    if (isthmus_step_error() != "parameter isa=rv32q: isa 'rv32q': the first letter is i or g") begin
      $fatal(1, "%s", isthmus_step_error());
    end
    for (int unsigned i = 0; i < Count; i++) begin
      if (isthmus_step_write_word(hart, 64'(Start) + 64'(4 * i), word(i)) != 0) $fatal(1, "%s", isthmus_step_error());
    end
    isthmus_step_set_register(hart, FileX, 5, 64'd7);
  end

  // addi t0, t0, i
  function automatic logic [31:0] word(input int unsigned i);
    return {12'(i), 5'd5, 3'b000, 5'd5, 7'h13};
  endfunction

  int unsigned index_q;
  logic [31:0] pc_q, next_pc, x5_q, result;
  longint unsigned scratch;
  assign next_pc = pc_q + 32'd4;
  assign result  = x5_q + index_q + (index_q == 9 ? bug : 0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= 0;
      pc_q    <= Start;
      x5_q    <= 32'd7;
      done_o  <= 1'b0;
    end else if (!done_o) begin
      if (isthmus_step_check_rvfi_port(hart, 64'(index_q), word(index_q), 8'd0, 8'd0, 8'd0, 8'd3, 8'd1, 8'd5, 8'd0,
                                       64'(x5_q), 64'd0, 8'd5, 64'(result), 64'(pc_q), 64'(next_pc), 64'd0, 8'd0, 8'd0,
                                       64'd0, 64'd0) != 0) begin
        $display("%0t: %s", $time, isthmus_step_report(hart));
        $finish;
      end
      index_q <= index_q + 1;
      pc_q    <= next_pc;
      x5_q    <= result;
      if (index_q == Count - 1) begin
        if (isthmus_step_get_csr(hart, 32'hb02, scratch) != 0 || scratch != 64'(Count)) $fatal(1, "minstret is %0d", scratch);
        if (isthmus_step_get_register(hart, FileX, 5) != 64'(result)) $fatal(1, "t0 is another");
        $display("%0d instructions equal, the last one %s", Count,
                 isthmus_step_disassemble(hart, word(index_q), 64'(pc_q)));
        done_o <= 1'b1;
        isthmus_step_destroy(hart);
        $finish;
      end
    end
  end
endmodule
