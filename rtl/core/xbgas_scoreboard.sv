// Remote loads and stores that are under way behind their instruction: up to N, answered in any order.
//
// The network may do them in any order. So a store waits for all loads in front of it, and each access for those in
// front of it that meet its bytes (of addresses the lowest 12 bits are compared, which may keep one back that need
// not be). A load's register is written once, behind its answer, in a cycle that the core has free. Of accesses
// that fail the first one answered is kept until it is taken, others that fail before then are dropped with it.
//
// Promises: an answer frees its place once; a load that does not fail writes its register once, with its own data;
// one that fails writes nothing; `busy_o` has a register from the cycle behind its begin to that of its write.
module xbgas_scoreboard #(
  parameter int unsigned  Xlen = 64,
  /// A power of two, 2 or more.
  parameter int unsigned  N    = 4,
  localparam int unsigned IdW  = $clog2(N)
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  /// An access: whether there is a place for it and nothing to wait for, the place's number, and its begin. Once
  /// allowed it stays so until it begins.
  input  logic            load_i,
  input  logic [4:0]      rd_i,
  input  logic [1:0]      size_i,
  input  logic            signed_i,
  input  logic [Xlen-1:0] address_i,
  output logic            allowed_o,
  output logic [IdW-1:0]  id_o,
  input  logic            begin_i,
  /// An answer, of any that is under way; always taken. Data from its lowest byte.
  input  logic            answer_i,
  input  logic [IdW-1:0]  answer_id_i,
  input  logic            answer_err_i,
  input  logic [Xlen-1:0] answer_data_i,
  /// The write of a load's register.
  output logic            write_o,
  input  logic            write_ready_i,
  output logic [4:0]      write_rd_o,
  output logic [Xlen-1:0] write_data_o,
  /// An access has failed.
  output logic            fault_o,
  input  logic            fault_taken_i,
  output logic            fault_store_o,
  output logic [Xlen-1:0] fault_address_o,
  /// Registers that are still to be written; nothing is under way (a fault may wait to be taken).
  output logic [31:0]     busy_o,
  output logic            empty_o
);
  localparam int unsigned NearW = 12;

  if (N < 2 || (N & (N - 1)) != 0) begin : gen_n_check
    $fatal(1, "xbgas_scoreboard: N is a power of two, 2 or more");
  end

  logic [N-1:0]           valid_q, done_q, load_q, signed_q;
  logic [N-1:0][4:0]      rd_q;
  logic [N-1:0][1:0]      size_q;
  logic [N-1:0][NearW-1:0] near_q;
  logic [Xlen-1:0]        address_q [N];
  logic [Xlen-1:0]        data_q [N];
  logic [IdW-1:0]         next_q, write_id;

  ///////////
  // Begin //
  ///////////

  logic [N-1:0] meets, loading, going;
  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      logic [NearW-1:0] ahead, behind;
      ahead    = address_i[NearW-1:0] - near_q[i];
      behind   = near_q[i] - address_i[NearW-1:0];
      meets[i] = ahead < (NearW'(1) << size_q[i]) || behind < (NearW'(1) << size_i);
    end
  end
  // Places go round, so that the number does not change while an access waits to be taken.
  assign id_o      = next_q;
  assign going     = valid_q & ~done_q;
  assign loading   = going & load_q;
  assign allowed_o = !valid_q[next_q] && (going & meets) == '0 && (load_i || loading == '0);

  ////////////
  // Answer //
  ////////////

  logic        writes;
  logic [63:0] wide, extended;
  assign writes = load_q[answer_id_i] && rd_q[answer_id_i] != '0;
  assign wide   = 64'(answer_data_i);
  always_comb begin
    unique case (size_q[answer_id_i])
      2'd0:    extended = {{56{signed_q[answer_id_i] && wide[7]}}, wide[7:0]};
      2'd1:    extended = {{48{signed_q[answer_id_i] && wide[15]}}, wide[15:0]};
      2'd2:    extended = {{32{signed_q[answer_id_i] && wide[31]}}, wide[31:0]};
      default: extended = wide;
    endcase
  end

  always_comb begin
    write_id = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (done_q[i]) write_id = IdW'(i);
    end
  end
  assign write_o      = done_q != '0;
  assign write_rd_o   = rd_q[write_id];
  assign write_data_o = data_q[write_id];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      done_q  <= '0;
      next_q  <= '0;
    end else begin
      if (begin_i) begin
        valid_q[next_q] <= 1'b1;
        next_q          <= next_q + IdW'(1);
      end
      if (answer_i) begin
        if (writes && !answer_err_i) done_q[answer_id_i] <= 1'b1;
        else valid_q[answer_id_i] <= 1'b0;
      end
      if (write_o && write_ready_i) begin
        valid_q[write_id] <= 1'b0;
        done_q[write_id]  <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (begin_i) begin
      load_q[next_q]    <= load_i;
      signed_q[next_q]  <= signed_i;
      rd_q[next_q]      <= rd_i;
      size_q[next_q]    <= size_i;
      near_q[next_q]    <= address_i[NearW-1:0];
      address_q[next_q] <= address_i;
    end
    if (answer_i) data_q[answer_id_i] <= extended[Xlen-1:0];
  end

  always_comb begin
    busy_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (valid_q[i] && load_q[i]) busy_o[rd_q[i]] = 1'b1;
    end
    busy_o[0] = 1'b0;
  end
  assign empty_o = valid_q == '0;

  ///////////
  // Fault //
  ///////////

  logic            fault_q, fault_store_q;
  logic [Xlen-1:0] fault_address_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fault_q <= 1'b0;
    else fault_q <= (fault_q && !fault_taken_i) || (answer_i && answer_err_i);
  end
  always_ff @(posedge clk_i) begin
    if (answer_i && answer_err_i && !fault_q) begin
      fault_store_q   <= !load_q[answer_id_i];
      fault_address_q <= address_q[answer_id_i];
    end
  end
  assign fault_o         = fault_q;
  assign fault_store_o   = fault_store_q;
  assign fault_address_o = fault_address_q;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!begin_i || allowed_o);
      assert (!answer_i || (valid_q[answer_id_i] && !done_q[answer_id_i]));
      assert ((done_q & ~(valid_q & load_q)) == '0);
      assert (!fault_taken_i || (fault_q && empty_o));
      // Nobody begins to load a register that is still to be written.
      assert (!(begin_i && load_i) || !busy_o[rd_i]);
    end
  end
endmodule
