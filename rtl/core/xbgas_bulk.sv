// Moves a block between local and remote memory: elements of 1 to Xlen/8 bytes, one behind the other or with strides,
// in either direction.
//
// Pieces are as large as the local address, the bus and what is left allow; remote memory takes any address. A piece is
// read where it comes from and then written where it goes, lowest bytes first, one after the other. If a piece of more
// than a byte fails, it is done once more byte by byte, so that the transfer ends at the first byte that cannot be
// moved: all before it are moved, none behind it are, and nothing else says how far it came. The instruction can
// be done again from its beginning.
//
// Promises: requests are stable until taken, and there is at most one on both ports together; done_o comes once for each
// start_i, in its cycle if there is nothing to move.
module xbgas_bulk #(
  parameter int unsigned Xlen = 64,
  localparam int unsigned LaneW = $clog2(Xlen / 8),
  localparam int unsigned LeftW = Xlen + LaneW
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// A transfer: to_local_i or from there, `count` elements of 2^size bytes, so many bytes from one to the next.
  /// The operands are those of the cycle of start_i.
  input  logic             start_i,
  input  logic             to_local_i,
  input  logic [1:0]       size_i,
  input  logic [Xlen-1:0]  count_i,
  input  logic [Xlen-1:0]  local_addr_i,
  input  logic [Xlen-1:0]  local_stride_i,
  input  logic [Xlen-1:0]  remote_addr_i,
  input  logic [Xlen-1:0]  remote_stride_i,
  /// Its end. fault_o: it ended at an error, of the local or the remote side, at this address.
  output logic             done_o,
  output logic             fault_o,
  output logic             fault_local_o,
  output logic [Xlen-1:0]  fault_addr_o,
  /// Local memory, naturally aligned; data from its lowest byte.
  output logic             mem_valid_o,
  input  logic             mem_ready_i,
  output logic [Xlen-1:0]  mem_addr_o,
  output logic             mem_write_o,
  output logic [1:0]       mem_size_o,
  output logic [Xlen-1:0]  mem_wdata_o,
  input  logic             mem_rvalid_i,
  input  logic [Xlen-1:0]  mem_rdata_i,
  input  logic             mem_err_i,
  /// Remote memory, at any address.
  output logic             remote_valid_o,
  input  logic             remote_ready_i,
  output logic [Xlen-1:0]  remote_addr_o,
  output logic             remote_write_o,
  output logic [1:0]       remote_size_o,
  output logic [Xlen-1:0]  remote_wdata_o,
  input  logic             remote_rvalid_i,
  input  logic [Xlen-1:0]  remote_rdata_i,
  input  logic             remote_err_i
);
  typedef enum logic [2:0] {
    StIdle,
    StRead,       // the piece is asked for where it comes from
    StReadWait,
    StWrite,      // and written where it goes
    StWriteWait,
    StFault
  } state_e;

  state_e           state_q, state_d;
  logic             to_local_q, careful_q, failed_local_q;
  logic [LeftW-1:0] left_q;               // bytes of the run: of all elements, if they touch, or of one
  logic [Xlen-1:0]  elements_q;           // behind the run
  logic [3:0]       element_q;            // bytes of one
  logic [Xlen-1:0]  local_q, remote_q, data_q;
  logic [Xlen-1:0]  local_gap_q, remote_gap_q;  // from the end of an element to the next

  ///////////
  // Start //
  ///////////

  logic [Xlen-1:0]  element;
  logic             touches, nothing, begins;
  logic [LeftW-1:0] total;
  assign element = Xlen'(1) << size_i;
  assign touches = local_stride_i == element && remote_stride_i == element;
  assign total   = LeftW'(count_i) << size_i;
  assign nothing = count_i == '0;
  assign begins  = start_i && !nothing;

  ///////////
  // Piece //
  ///////////

  // The largest power of two that the local address is a multiple of, that a word holds, and that is left.
  logic [1:0]      size;
  logic [3:0]      bytes;
  logic            last;
  always_comb begin
    size = 2'd0;
    for (int unsigned s = 1; s <= LaneW; s++) begin
      if ((local_q & ((Xlen'(1) << s) - Xlen'(1))) == '0 && left_q >= (LeftW'(1) << s) && !careful_q) size = 2'(s);
    end
  end
  assign bytes = 4'd1 << size;
  assign last  = left_q == LeftW'(bytes);

  logic source_local, answered, failed, moved;
  // Whose turn it is.
  assign source_local = (state_q == StRead || state_q == StReadWait) != to_local_q;

  assign mem_valid_o    = (state_q == StRead || state_q == StWrite) && source_local;
  assign mem_addr_o     = local_q;
  assign mem_write_o    = state_q == StWrite;
  assign mem_size_o     = size;
  assign mem_wdata_o    = data_q;
  assign remote_valid_o = (state_q == StRead || state_q == StWrite) && !source_local;
  assign remote_addr_o  = remote_q;
  assign remote_write_o = state_q == StWrite;
  assign remote_size_o  = size;
  assign remote_wdata_o = data_q;

  assign answered = (state_q == StReadWait || state_q == StWriteWait) && (source_local ? mem_rvalid_i : remote_rvalid_i);
  assign failed   = answered && (source_local ? mem_err_i : remote_err_i);
  assign moved    = answered && !failed && state_q == StWriteWait;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      careful_q  <= 1'b0;
    end else if (start_i) begin
      careful_q  <= 1'b0;
    end else if (failed) begin
      careful_q  <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      to_local_q   <= to_local_i;
      element_q    <= 4'd1 << size_i;
      left_q       <= touches ? total : LeftW'(element);
      elements_q   <= touches ? '0 : count_i - Xlen'(1);
      local_q      <= local_addr_i;
      remote_q     <= remote_addr_i;
      local_gap_q  <= local_stride_i - element;
      remote_gap_q <= remote_stride_i - element;
    end else if (moved) begin
      left_q   <= last ? LeftW'(element_q) : left_q - LeftW'(bytes);
      local_q  <= local_q + Xlen'(bytes) + (last ? local_gap_q : '0);
      remote_q <= remote_q + Xlen'(bytes) + (last ? remote_gap_q : '0);
      if (last) elements_q <= elements_q - Xlen'(1);
    end
    if (answered && state_q == StReadWait) data_q <= source_local ? mem_rdata_i : remote_rdata_i;
    if (failed) failed_local_q <= source_local;
  end

  logic all_moved;
  assign all_moved     = moved && last && elements_q == '0;
  assign done_o        = (start_i && nothing) || all_moved || state_q == StFault;
  assign fault_o       = state_q == StFault;
  assign fault_local_o = failed_local_q;
  assign fault_addr_o  = failed_local_q ? local_q : remote_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:      if (begins) state_d = StRead;
      StRead:      if (mem_valid_o ? mem_ready_i : remote_ready_i) state_d = StReadWait;
      StReadWait:  if (answered) state_d = failed ? (size == 2'd0 ? StFault : StRead) : StWrite;
      StWrite:     if (mem_valid_o ? mem_ready_i : remote_ready_i) state_d = StWriteWait;
      StWriteWait: if (answered) state_d = failed ? (size == 2'd0 ? StFault : StRead) : all_moved ? StIdle : StRead;
      default:     state_d = StIdle;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!start_i || state_q == StIdle);
      assert (!(mem_valid_o && remote_valid_o));
      assert (!mem_rvalid_i || ((state_q == StReadWait || state_q == StWriteWait) && source_local));
      assert (!remote_rvalid_i || ((state_q == StReadWait || state_q == StWriteWait) && !source_local));
      assert (state_q == StIdle || left_q >= LeftW'(bytes));
    end
  end
endmodule
