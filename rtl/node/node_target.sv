// Serves other nodes' requests at this node's memory, one after the other, without its core.
//
// What lies in several words of memory is read or written word by word, lowest first; nobody else's access comes between
// the first and the last of them, nor between what an atomic operation reads and what it writes. An error of memory is
// a fault of the access.
//
// Promises: a request gets one reply, of the same source; flits are offered in order and stay until taken; requests of
// memory are stable until taken.
module node_target
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
  import noc_pkg::*;
  import node_pkg::*;
#(
  parameter int unsigned  Xlen  = 64,
  localparam int unsigned Bytes = Xlen / 8,
  localparam int unsigned LaneW = $clog2(Bytes)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  /// Requests from the mesh, whole packets.
  input  logic               take_valid_i,
  output logic               take_ready_o,
  input  flit_t              take_flit_i,
  /// Replies into it.
  output logic               send_valid_o,
  input  logic               send_ready_i,
  output flit_t              send_flit_o,
  /// Memory; lock_o: others wait.
  output logic               mem_valid_o,
  input  logic               mem_ready_i,
  output logic [Xlen-1:0]    mem_addr_o,
  output logic               mem_write_o,
  output logic [Bytes-1:0]   mem_be_o,
  output logic [Xlen-1:0]    mem_wdata_o,
  output logic               lock_o,
  input  logic               mem_rvalid_i,
  input  logic [Xlen-1:0]    mem_rdata_i,
  input  logic               mem_err_i,
  /// Of the request that is served: its source and number, whether it is this node's own memory by namespace 0.
  output logic [2*CoordW-1:0] source_o,
  output logic [5:0]         id_o,
  output logic                own_o
);
  localparam int unsigned WordFlits = Xlen / 32;
  localparam int unsigned DataFlits = 2 * WordFlits;

  typedef enum logic [2:0] {
    StHeader,  // a request begins
    StFlits,   // the rest of it
    StAsk,     // a word of memory
    StWait,
    StReply    // header and what was there
  } state_e;

  state_e                     state_q, state_d;
  header_t                    header_q, header, reply;
  message_t                   message, sent_message;
  logic [3*WordFlits-1:0][31:0] flits_q;       // of the request behind the header
  logic [3:0]                 flit_q;          // the next of them
  logic [4:0]                 done_q;          // bytes of the access
  logic                       writing_q, fault_q;
  logic [2*Xlen-1:0]          found_q;

  assign header  = take_flit_i.data;
  assign message = header_q.rest;

  logic [Xlen-1:0]   address, compare;
  logic [2*Xlen-1:0] data;
  assign address = flits_q[WordFlits-1:0];
  assign data    = flits_q[3*WordFlits-1:WordFlits];
  assign compare = flits_q[3*WordFlits-1:2*WordFlits];

  assign take_ready_o = state_q == StHeader || state_q == StFlits;
  logic take;
  assign take = take_valid_i && take_ready_o;

  always_ff @(posedge clk_i) begin
    if (take && take_flit_i.head) begin
      header_q <= header;
      flit_q   <= '0;
    end else if (take) begin
      for (int unsigned i = 0; i < 3 * WordFlits; i++) begin
        if (flit_q == 4'(i)) flits_q[i] <= take_flit_i.data;
      end
      flit_q <= flit_q + 4'd1;
    end
  end

  ////////////
  // Access //
  ////////////

  logic             is_store, is_load, may_write, answered, last, writes_now;
  logic [4:0]       bytes, left, piece;
  logic [Xlen-1:0]  at, next_value;
  logic [LaneW-1:0] lane;
  logic [2*Xlen-1:0] written, found;

  assign is_store = message.kind == RemoteStore;
  assign is_load  = message.kind == RemoteLoad || message.kind == RemoteLoadReserved;
  assign bytes    = 5'd1 << message.size;
  assign left     = bytes - done_q;
  assign at       = address + Xlen'(done_q);
  assign lane     = at[LaneW-1:0];
  always_comb begin
    piece = 5'(Bytes) - 5'(lane);
    if (piece > left) piece = left;
  end
  assign last       = piece == left;
  assign writes_now = is_store || writing_q;
  assign answered   = state_q == StWait && mem_rvalid_i;

  // What an atomic operation leaves.
  logic            equal;
  logic [Xlen-1:0] next_value_q;
  rv_amo_alu #(.Xlen(Xlen)) u_alu (
    .op_i(alu_e'(message.op)), .narrow_i(message.size == 3'd2), .old_i(found[Xlen-1:0]), .operand_i(data[Xlen-1:0]),
    .compare_i(compare), .equal_o(equal), .next_o(next_value)
  );
  assign may_write = message.kind == RemoteAtomic ||
                     (message.kind == RemoteStoreConditional && message.reserved && equal);

  assign written     = is_store ? data : (2*Xlen)'(next_value_q);
  assign mem_valid_o = state_q == StAsk;
  assign mem_addr_o  = {at[Xlen-1:LaneW], LaneW'(0)};
  assign mem_write_o = writes_now;
  assign mem_be_o    = ((Bytes'(1) << piece) - Bytes'(1)) << lane;
  assign mem_wdata_o = Xlen'(written >> {done_q, 3'b000}) << {lane, 3'b000};
  assign lock_o      = state_q == StAsk || state_q == StWait;

  logic [2*Xlen-1:0] piece_mask;
  assign piece_mask = ((2*Xlen)'(1) << {piece, 3'b000}) - (2*Xlen)'(1);
  always_comb begin
    found = found_q;
    if (answered && !writes_now) begin
      found = found_q | ((((2*Xlen)'(mem_rdata_i) >> {lane, 3'b000}) & piece_mask) << {done_q, 3'b000});
    end
  end

  logic ends, turns;
  assign turns = answered && !mem_err_i && last && !writes_now && may_write;  // from reading to writing
  assign ends  = answered && (mem_err_i || (last && !turns));

  always_ff @(posedge clk_i) begin
    if (take && take_flit_i.head) begin
      done_q    <= '0;
      writing_q <= 1'b0;
      fault_q   <= 1'b0;
      found_q   <= '0;
    end else if (answered) begin
      done_q    <= turns ? '0 : done_q + piece;
      writing_q <= writing_q || turns;
      fault_q   <= mem_err_i;
      found_q   <= found;
      if (turns) next_value_q <= next_value;
    end
  end

  ///////////
  // Reply //
  ///////////

  logic [2:0]                 reply_left_q;
  logic [DataFlits-1:0][31:0] reply_q;
  logic                       head_q, sent;
  logic [2:0]                 data_flits;
  assign data_flits = message.size <= 3'd2 ? 3'd1 : message.size == 3'd3 ? 3'd2 : 3'd4;
  always_comb begin
    sent_message        = message;
    sent_message.fault  = fault_q;
    reply               = header_q;
    reply.rest          = sent_message;
    reply.source_y      = header_q.destination_y;
    reply.source_x      = header_q.destination_x;
    reply.destination_y = header_q.source_y;
    reply.destination_x = header_q.source_x;
  end
  assign send_valid_o = state_q == StReply;
  assign send_flit_o  = '{head: head_q, tail: reply_left_q == '0, data: head_q ? reply : reply_q[0]};
  assign sent         = send_valid_o && send_ready_i;

  always_ff @(posedge clk_i) begin
    if (ends) begin
      head_q       <= 1'b1;
      reply_q      <= found;
      reply_left_q <= is_store || mem_err_i ? '0 : data_flits;
    end else if (sent) begin
      head_q       <= 1'b0;
      reply_left_q <= reply_left_q - 3'd1;
      if (!head_q) reply_q <= reply_q >> 32;
    end
  end

  assign source_o = {header_q.source_y, header_q.source_x};
  assign id_o     = message.id;
  assign own_o    = message.own;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StHeader: if (take) state_d = StFlits;
      StFlits:  if (take && take_flit_i.tail) state_d = StAsk;
      StAsk:    if (mem_ready_i) state_d = StWait;
      StWait:   if (answered) state_d = ends ? StReply : StAsk;
      default:  if (sent && send_flit_o.tail) state_d = StHeader;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StHeader;
    else state_q <= state_d;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!take || take_flit_i.head == (state_q == StHeader));
      assert (!mem_rvalid_i || state_q == StWait);
      assert (!is_load || !writing_q);
      assert (state_q != StAsk || piece != '0);
    end
  end
endmodule
