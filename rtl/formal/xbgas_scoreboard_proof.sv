// Remote accesses under way, beside a record of each by its number: an answer is not lost, a load's register is written
// once, with what was answered to it, extended, or never if it failed; a register is busy as long as that is still to
// come; the first that fails is told, with its address; no store begins behind a load that has no answer, no load
// behind one of the same bytes. For any accesses, answers in any order, and any core that does not begin to load a
// register that is busy and takes a fault when nothing is under way.
module xbgas_scoreboard_proof #(
  parameter int unsigned  N    = 2,
  parameter int unsigned  Xlen = 16,
  localparam int unsigned IdW  = $clog2(N)
) (
  input logic            clk_i,
  input logic            want_i,
  input logic            load_i,
  input logic [1:0]      rd_i,
  input logic            size_i,
  input logic            signed_i,
  input logic [3:0]      address_i,
  input logic            answer_i,
  input logic [IdW-1:0]  answer_id_i,
  input logic            answer_err_i,
  input logic [Xlen-1:0] answer_data_i,
  input logic            write_ready_i,
  input logic            fault_taken_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic            allowed, begins, answers, write, fault, fault_taken, fault_store, empty;
  logic [IdW-1:0]  id;
  logic [4:0]      write_rd;
  logic [Xlen-1:0] write_data, fault_address;
  logic [31:0]     busy;

  // Of each: it has no answer; it has, and its register is not written.
  logic [N-1:0]           open_q, owed_q, load_q, signed_q, size_q;
  logic [N-1:0][1:0]      rd_q;
  logic [N-1:0][3:0]      address_q;
  logic [N-1:0][Xlen-1:0] data_q;
  logic                   fault_q, fault_store_q;
  logic [3:0]             fault_address_q;

  // What is wanted stays until it begins.
  logic       wants_q, wants, load, is_signed, size;
  logic [1:0] rd;
  logic [3:0] address;
  logic       held_load_q, held_signed_q, held_size_q;
  logic [1:0] held_rd_q;
  logic [3:0] held_address_q;
  assign load      = wants_q ? held_load_q : load_i;
  assign is_signed = wants_q ? held_signed_q : signed_i;
  assign size      = wants_q ? held_size_q : size_i;
  assign rd        = wants_q ? held_rd_q : rd_i;
  assign address   = wants_q ? held_address_q : address_i;
  assign wants     = rst_ni && (wants_q || (want_i && !(load_i && busy[rd_i])));
  assign begins    = wants && allowed && want_i;
  assign answers   = answer_i && open_q[answer_id_i];
  assign fault_taken = fault_taken_i && fault && empty && !begins;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wants_q <= 1'b0;
    else wants_q <= wants && !begins;
  end
  always_ff @(posedge clk_i) begin
    held_load_q    <= load;
    held_signed_q  <= is_signed;
    held_size_q    <= size;
    held_rd_q      <= rd;
    held_address_q <= address;
  end

  xbgas_scoreboard #(.Xlen(Xlen), .N(N)) u_scoreboard (
    .clk_i, .rst_ni, .load_i(load), .rd_i(5'(rd)), .size_i({1'b0, size}), .signed_i(is_signed), .address_i(Xlen'(address)),
    .allowed_o(allowed), .id_o(id), .begin_i(begins),
    .answer_i(answers), .answer_id_i, .answer_err_i, .answer_data_i,
    .write_o(write), .write_ready_i, .write_rd_o(write_rd), .write_data_o(write_data),
    .fault_o(fault), .fault_taken_i(fault_taken), .fault_store_o(fault_store), .fault_address_o(fault_address),
    .busy_o(busy), .empty_o(empty)
  );

  logic [Xlen-1:0] extended;
  assign extended = size_q[answer_id_i] ? answer_data_i : {{8{signed_q[answer_id_i] && answer_data_i[7]}}, answer_data_i[7:0]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q  <= '0;
      owed_q  <= '0;
      fault_q <= 1'b0;
    end else begin
      if (begins) open_q[id] <= 1'b1;
      if (answers) begin
        open_q[answer_id_i] <= 1'b0;
        owed_q[answer_id_i] <= load_q[answer_id_i] && rd_q[answer_id_i] != '0 && !answer_err_i;
      end
      for (int unsigned i = 0; i < N; i++) begin
        if (write && write_ready_i && owed_q[i] && 5'(rd_q[i]) == write_rd) owed_q[i] <= 1'b0;
      end
      fault_q <= (fault_q && !fault_taken) || (answers && answer_err_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (begins) begin
      load_q[id]    <= load;
      signed_q[id]  <= is_signed;
      size_q[id]    <= size;
      rd_q[id]      <= rd;
      address_q[id] <= address;
    end
    if (answers) data_q[answer_id_i] <= extended;
    if (answers && answer_err_i && !fault_q) begin
      fault_store_q   <= !load_q[answer_id_i];
      fault_address_q <= address_q[answer_id_i];
    end
  end

  logic [3:0] to_be_written;
  logic [N-1:0] meets, same;
  always_comb begin
    to_be_written = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if ((open_q[i] && load_q[i]) || owed_q[i]) to_be_written[rd_q[i]] = 1'b1;
      // Bytes that both have, of addresses that do not wrap: of one or two bytes each.
      meets[i] = address == address_q[i] || (size && address + 4'd1 == address_q[i]) ||
                 (size_q[i] && address_q[i] + 4'd1 == address && address != '0);
      if (size && address == '1 && address_q[i] == '0) meets[i] = 1'b0;
      same[i] = owed_q[i] && 5'(rd_q[i]) == write_rd && data_q[i] == write_data;
    end
    to_be_written[0] = 1'b0;
  end

  logic allowed_q;
  always_ff @(posedge clk_i) allowed_q <= rst_ni && wants && allowed && !begins;
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (busy == 32'(to_be_written));
      assert (empty == ((open_q | owed_q) == '0));
      assert (write == (owed_q != '0));
      if (write) assert (same != '0);
      assert (fault == fault_q);
      if (fault) assert (fault_store == fault_store_q && fault_address == Xlen'(fault_address_q));
      // What was allowed stays so; with nothing under way everything is.
      if (allowed_q) assert (allowed);
      if (empty && wants) assert (allowed);
      if (begins) begin
        assert (!open_q[id] && !owed_q[id]);
        if (!load) assert ((open_q & load_q) == '0);
        assert ((open_q & meets) == '0);
      end
    end
  end
endmodule
