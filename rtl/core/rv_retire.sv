// The RVFI port: gathers what an instruction did on its way and shows it the cycle after its end.
//
// commit_i: an instruction leaves the execute stage, with what is known there; it ends in the same order, in end_i,
// a cycle later at the earliest. There is never more than one between the two.
module rv_retire
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
#(
  parameter int unsigned Xlen = 64
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  /// An interrupt is taken: the next instruction is its handler's first. It says which lines it saw.
  input  logic            irq_taken_i,
  input  logic [3:0]      irq_cause_i,
  /// The trap of a posted access is taken: the same.
  input  logic            late_taken_i,
  input  logic [3:0]      late_cause_i,
  input  logic [Xlen-1:0] late_tval_i,
  /// Leaves execute. Lines as it saw them; trap: it ends there.
  input  logic            commit_i,
  input  irq_t            irq_i,
  input  logic [31:0]     word_i,
  input  priv_e           privilege_i,
  input  logic [4:0]      rs1_i,
  input  logic [4:0]      rs2_i,
  input  logic [4:0]      rs3_i,
  input  logic [Xlen-1:0] rs1_value_i,
  input  logic [Xlen-1:0] rs2_value_i,
  input  logic [Xlen-1:0] rs3_value_i,
  input  logic [Xlen-1:0] pc_i,
  input  logic [Xlen-1:0] next_pc_i,
  input  logic            trap_i,
  input  logic [3:0]      cause_i,
  input  logic [Xlen-1:0] tval_i,
  input  logic            load_i,
  input  logic            store_i,
  input  logic [1:0]      size_i,
  input  logic [Xlen-1:0] address_i,
  input  logic [Xlen-1:0] wdata_i,
  /// Ends. A trap of its own here replaces what was known.
  input  logic            end_i,
  input  logic            end_trap_i,
  input  logic [3:0]      end_cause_i,
  input  logic [Xlen-1:0] end_tval_i,
  input  logic [4:0]      rd_i,
  input  logic [Xlen-1:0] rd_value_i,
  input  logic [Xlen-1:0] rdata_i,
  /// Of an atomic operation: whether it has written, and what.
  input  logic            atomic_i,
  input  logic            wrote_i,
  input  logic [Xlen-1:0] written_i,
  input  logic            offloaded_i,
  input  unit_trace_t     unit_i,
  input  csr_state_t      csr_i,
  output rvfi_t           rvfi_o
);
  rvfi_t       going_q, ending;
  logic        handler_q;      // an interrupt was taken, its handler has not begun
  logic [3:0]  handler_cause_q;
  irq_t        handler_irq_q;
  logic [63:0] order_q;
  logic        late_q;         // the same of a posted access
  logic [3:0]  late_cause_q;
  logic [Xlen-1:0] late_tval_q;

  function automatic logic [7:0] mask_of(input logic [1:0] size);
    unique case (size)
      2'd0:    return 8'h01;
      2'd1:    return 8'h03;
      2'd2:    return 8'h0f;
      default: return 8'hff;
    endcase
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      handler_q       <= 1'b0;
      handler_cause_q <= '0;
      handler_irq_q   <= '0;
    end else if (irq_taken_i) begin
      handler_q       <= 1'b1;
      handler_cause_q <= irq_cause_i;
      handler_irq_q   <= irq_i;
    end else if (commit_i) begin
      handler_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_q <= 1'b0;
    else if (late_taken_i) late_q <= 1'b1;
    else if (commit_i) late_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (late_taken_i) begin
      late_cause_q <= late_cause_i;
      late_tval_q  <= late_tval_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (commit_i) begin
      going_q           <= '0;
      going_q.late       <= late_q;
      going_q.late_cause <= late_cause_q;
      going_q.late_tval  <= 64'(late_tval_q);
      going_q.insn      <= word_i;
      going_q.trap      <= trap_i;
      going_q.intr      <= handler_q;
      going_q.irq_number <= handler_cause_q;
      going_q.irq       <= handler_q ? handler_irq_q : irq_i;
      going_q.mode      <= privilege_i;
      going_q.ixl       <= Xlen == 64 ? 2'd2 : 2'd1;
      going_q.rs1_addr  <= rs1_i;
      going_q.rs2_addr  <= rs2_i;
      going_q.rs3_addr  <= rs3_i;
      going_q.rs1_rdata <= rs1_i == '0 ? '0 : 64'(rs1_value_i);
      going_q.rs2_rdata <= rs2_i == '0 ? '0 : 64'(rs2_value_i);
      going_q.rs3_rdata <= rs3_i == '0 ? '0 : 64'(rs3_value_i);
      going_q.pc_rdata  <= 64'(pc_i);
      going_q.pc_wdata  <= 64'(next_pc_i);
      going_q.cause     <= cause_i;
      going_q.tval      <= 64'(tval_i);
      going_q.mem_addr  <= 64'(address_i);
      going_q.mem_rmask <= load_i && !trap_i ? mask_of(size_i) : '0;
      going_q.mem_wmask <= store_i && !trap_i ? mask_of(size_i) : '0;
      going_q.mem_wdata <= 64'(wdata_i);
    end
  end

  always_comb begin
    ending       = going_q;
    ending.valid = end_i;
    ending.order = order_q;
    ending.csr   = csr_i;
    if (end_trap_i) begin
      ending.trap      = 1'b1;
      ending.cause     = end_cause_i;
      ending.tval      = 64'(end_tval_i);
      ending.mem_rmask = '0;
      ending.mem_wmask = '0;
    end
    if (!ending.trap) begin
      ending.rd_addr   = rd_i;
      ending.rd_wdata  = rd_i == '0 ? '0 : 64'(rd_value_i);
      ending.mem_rdata = 64'(rdata_i);
      if (atomic_i) begin
        ending.mem_wmask = wrote_i ? going_q.mem_wmask : '0;
        ending.mem_wdata = 64'(written_i);
      end
    end
    if (offloaded_i) begin
      ending.unit = unit_i;
      if (unit_i.local_access && !ending.trap) begin
        ending.mem_addr  = unit_i.local_address;
        ending.mem_rmask = unit_i.local_write ? '0 : mask_of(unit_i.local_size);
        ending.mem_wmask = unit_i.local_write ? mask_of(unit_i.local_size) : '0;
        ending.mem_rdata = unit_i.local_data;
        ending.mem_wdata = unit_i.local_data;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rvfi_o  <= '0;
      order_q <= '0;
    end else begin
      rvfi_o  <= ending;
      order_q <= order_q + 64'(end_i);
    end
  end
endmodule
