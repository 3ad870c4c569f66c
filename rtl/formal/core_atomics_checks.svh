// Part of core_retire_proof: the A extension, its two accesses on the bus, its reservation.
if (AtomicsProof) begin : gen_atomics
  typedef struct packed {
    logic       valid;
    logic [1:0] size;
    word_t      address;
    word_t      value;
  } reservation_t;

  // What memory gave last, as a register would have it; reservations as the port has led to them.
  word_t        found_q, write_due;
  reservation_t reservation_q, reservation;
  logic         of_it, of_it_on_port;
  always_ff @(posedge clk_i) begin
    if (data_rvalid && !bus_write_q) found_q <= loaded(m.size, 1'b1, 64'(data_rdata_i >> {m.address[LaneW-1:0], 3'b000}));
  end
  function automatic logic is_lr(input meaning_t meaning, input logic [31:0] insn);
    return meaning.kind == Load && insn[6:0] == 7'h2f;
  endfunction
  always_comb begin
    reservation = reservation_q;
    if (rvfi.valid && meant.here && is_lr(meant, rvfi.insn) && !rvfi.trap) begin
      reservation = '{valid: 1'b1, size: meant.size, address: meant.address,
                      value: loaded(meant.size, 1'b1, rvfi.mem_rdata)};
    end
    if (rvfi.valid && meant.here && meant.kind == Conditional && (!rvfi.trap || rvfi.cause == CauseStoreFault)) begin
      reservation.valid = 1'b0;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reservation_q <= '0;
    else reservation_q <= reservation;
  end
  function automatic logic holds(input reservation_t r, input meaning_t meaning);
    return r.valid && r.size == meaning.size && r.address == meaning.address;
  endfunction
  function automatic logic [7:0] mask(input meaning_t meaning);
    return 8'((1 << (1 << meaning.size)) - 1);
  endfunction
  // Whether what is on the port, or on its way to it, is as it should be but for what memory holds.
  function automatic logic names_rightly(input rvfi_t r, input meaning_t meaning);
    return !misaligned(meaning) && r.rs1_addr == meaning.rs1 && r.rs2_addr == meaning.rs2 &&
           r.pc_wdata == 64'(meaning.next_pc) && r.mem_addr == 64'(meaning.address) &&
           r.mem_rmask == (meaning.kind == Amo ? mask(meaning) : '0);
  endfunction

  assign of_it         = m.here && (is_atomic(m) || is_lr(m, going.insn));
  assign of_it_on_port = meant.here && is_atomic(meant);
  assign write_due     = m.kind == Amo ? left(m, found_q, asked.b) : asked.b;

  always_comb begin
    if (rst_ni) begin
      // Only what is of the extension is here.
      assert (at == 2'd0 || !going.trap);
      if (u_core.w_valid_q && !going.trap && of_it && is_atomic(m)) begin
        assert (names_rightly(going, m) && u_core.w_rd_q == m.rd);
        assert (going.mem_wmask == (m.kind == Amo || holds(reservation, m) ? mask(m) : '0));
        assert ((at != 2'd0) == (m.kind == Amo || holds(reservation, m)));
        assert (at != 2'd0 || (u_core.w_wait_q == 2'd0 && u_core.w_value == word_t'(1)));
      end
      if (at != 2'd0) begin
        assert (of_it && u_core.w_result_q == m.address && u_core.w_size_q == m.size && u_core.w_rd_q == m.rd);
        assert (u_core.w_load_q == (m.kind == Load) && u_core.w_signed_q == (m.kind != Conditional));
        assert (u_core.gen_atomic.u_atomic.reserve_q == (m.kind == Load));
        assert (u_core.gen_atomic.u_atomic.conditional_q == (m.kind == Conditional));
        assert (m.kind == Load || u_core.gen_atomic.u_atomic.operand_q == asked.b);
        assert (m.kind != Amo || u_core.gen_atomic.u_atomic.op_q == m.amo);
        assert (m.kind != Amo || (m.amo inside {AluSecond, AluAdd, AluXor, AluOr, AluAnd, AluMin, AluMax, AluMinu, AluMaxu}));
        assert (m.size == 2'd2 || (Xlen == 64 && m.size == 2'd3));
        assert (m.kind != Conditional || u_core.gen_atomic.u_atomic.op_q == AluNone);
        assert (m.kind != Conditional || (holds(reservation, m) &&
                                          u_core.gen_atomic.u_atomic.reserved_value_q == reservation.value));
        assert (at == 2'd1 || m.kind != Load);
        // The read, and then the write, on the bus.
        if (at == 2'd3) begin
          assert (bus_write_q && bus_addr_q == {m.address[Xlen-1:LaneW], LaneW'(0)} &&
                  bus_be_q == Bytes'(((1 << (1 << m.size)) - 1) << m.address[LaneW-1:0]));
          for (int unsigned i = 0; i < Bytes; i++) begin
            if (bus_be_q[i]) begin
              assert (bus_wdata_q[8*i+:8] == write_due[8*(i - 32'(m.address[LaneW-1:0]))+:8]);
            end
          end
          assert (m.kind != Conditional || found_q == reservation.value);
        end else begin
          assert (!bus_write_q && bus_addr_q == {m.address[Xlen-1:LaneW], LaneW'(0)} &&
                  bus_be_q == Bytes'(((1 << (1 << m.size)) - 1) << m.address[LaneW-1:0]));
        end
        if (at[1]) begin
          assert (loaded(m.size, 1'b1, 64'(u_core.gen_atomic.u_atomic.found_q)) == found_q);
          assert (m.kind != Amo || u_core.gen_atomic.u_atomic.found_q == found_q);
        assert (u_core.a_mem_wdata == (m.kind == Amo ? left(m, u_core.gen_atomic.u_atomic.found_q, asked.b) :
                                       m.size == 2'd2 ? of_word(asked.b[31:0]) : asked.b));
        end
        // Nobody comes between.
        lock_a : assert (m.kind == Load || at == 2'd3 || data_lock || (at == 2'd2 && m.kind == Conditional && u_core.w_done));
      end
      // The reservation, of the port and of the core.
      assert (!reservation.valid || reservation.value == loaded(reservation.size, 1'b1, 64'(reservation.value)));
      if (!(u_core.w_valid_q && m.here && m.kind == Conditional && !going.trap)) begin
        assert (u_core.gen_atomic.u_atomic.valid_q == reservation.valid);
      end else begin
        assert (!u_core.gen_atomic.u_atomic.valid_q);
      end
      if (reservation.valid) begin
        assert (u_core.gen_atomic.u_atomic.reserved_size_q == reservation.size &&
                u_core.gen_atomic.u_atomic.reserved_address_q == reservation.address &&
                u_core.gen_atomic.u_atomic.reserved_value_q == reservation.value);
      end
    end
    if (rst_ni && rvfi.valid && of_it_on_port && !rvfi.trap) begin
      amo_a : assert (names_rightly(rvfi, meant) && rvfi.rd_addr == meant.rd);
      if (meant.kind == Amo) begin
        amo_write_a : assert (rvfi.mem_wmask == mask(meant) &&
                              loaded(meant.size, 1'b1, rvfi.mem_wdata) ==
                              loaded(meant.size, 1'b1, 64'(left(meant, word_t'(rvfi.mem_rdata), word_t'(rvfi.rs2_rdata)))));
        if (meant.rd != '0) begin
          amo_value_a : assert (rvfi.rd_wdata == 64'(loaded(meant.size, 1'b1, rvfi.mem_rdata)));
        end
      end else begin
        // It stores if nothing has changed, and says so.
        sc_stores_a : assert (rvfi.mem_wmask == (holds(reservation_q, meant) && loaded(meant.size, 1'b1, rvfi.mem_rdata) ==
                                                 reservation_q.value ? mask(meant) : '0));
        if (rvfi.mem_wmask != '0) begin
          sc_data_a : assert (loaded(meant.size, 1'b1, rvfi.mem_wdata) == loaded(meant.size, 1'b1, rvfi.rs2_rdata));
        end
        if (meant.rd != '0) sc_value_a : assert (rvfi.rd_wdata == 64'(rvfi.mem_wmask == '0));
      end
    end
  end
end
