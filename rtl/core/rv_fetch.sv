// Fetch: words of 32 bits in, one instruction a cycle out, on the way that is guessed (rv_predict).
//
// A word is on its way out in the cycle in which memory gives it; what the stage behind does not take waits in a
// queue of words. Requests are issued as long as there is room for all that is under way, one a cycle. A request that
// memory has not taken stays as it is; if the way has changed meanwhile, what it gives is thrown away, like that of
// the others under way then.
//
// Promises: instructions come in the order of the way; pc_o of each is the end of the one before, its guessed target,
// or where redirect_pc_i led. Nothing of the old way comes in the cycle behind a redirect or later.
module rv_fetch #(
  /// 32 or 64.
  parameter int unsigned     Xlen    = 64,
  parameter logic [63:0]     ResetPc = 64'h8000_0000
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  /// Another way, from the execute stage. What comes out in this cycle is void.
  input  logic            redirect_valid_i,
  input  logic [Xlen-1:0] redirect_pc_i,
  /// An instruction, its pc, whether the way behind it is a guessed target.
  output logic            valid_o,
  input  logic            ready_i,
  output logic [31:0]     insn_o,
  output logic [Xlen-1:0] pc_o,
  output logic            taken_o,
  /// It could not be fetched: the instruction has no meaning, not_there_o is the first address that failed.
  output logic            fault_o,
  output logic [Xlen-1:0] not_there_o,
  /// Memory: requests that are stable until taken; answers in their order, taken at once, the next cycle at the
  /// earliest.
  output logic            instr_valid_o,
  input  logic            instr_ready_i,
  output logic [Xlen-1:0] instr_addr_o,
  input  logic            instr_rvalid_i,
  input  logic [31:0]     instr_rdata_i,
  input  logic            instr_err_i
);
  /// Words in the queue, and the most that may be under way.
  localparam int unsigned Depth  = 4;
  localparam int unsigned LevelW = $clog2(Depth) + 1;

  typedef struct packed {
    logic        err;
    logic [31:0] data;
  } word_t;

  word_t [Depth-1:0]  queue_q, queue_d;
  logic [LevelW-1:0]  level_q, level_d;    // words in the queue
  logic [LevelW-1:0]  flight_q, flight_d;  // requests shown and not answered
  logic [LevelW-1:0]  drop_q, drop_d;      // of those, the first ones, that are not wanted any more
  logic [Xlen-1:0]    pc_q, pc_d;          // of the instruction at the head
  logic [Xlen-3:0]    next_q, next_d;      // word to be asked for next
  logic               held_q;              // the request of the last cycle was not taken
  logic [Xlen-3:0]    held_addr_q;

  ///////////////////////////
  // The head of the queue //
  ///////////////////////////

  word_t             arriving, first, second;
  logic              arrives, has_first, has_second;
  logic [15:0]       head_half;
  logic              wide, pop;
  logic [LevelW-1:0] kept;

  assign arrives    = instr_rvalid_i && drop_q == '0;
  assign arriving   = '{err: instr_err_i, data: instr_rdata_i};
  assign first      = level_q != '0 ? queue_q[0] : arriving;
  assign second     = level_q > LevelW'(1) ? queue_q[1] : arriving;
  assign has_first  = level_q != '0 || arrives;
  assign has_second = level_q > LevelW'(1) || (level_q == LevelW'(1) && arrives);

  assign head_half = pc_q[1] ? first.data[31:16] : first.data[15:0];
  assign wide      = head_half[1:0] == 2'b11;
  assign insn_o    = {pc_q[1] ? second.data[15:0] : first.data[31:16], head_half};
  assign pc_o      = pc_q;
  // A half that is not there has no length; the instruction ends with it.
  assign fault_o     = first.err || (wide && pc_q[1] && second.err);
  assign not_there_o = first.err ? pc_q : {pc_q[Xlen-1:2] + (Xlen-2)'(1), 2'b00};
  assign valid_o     = has_first && (first.err || !wide || !pc_q[1] || has_second);

  ///////////
  // Guess //
  ///////////

  logic               guess, accept, turn;
  logic signed [20:0] offset;
  logic [Xlen-1:0]    target, behind, way;

  rv_predict #(.Xlen(Xlen)) u_predict (.insn_i(insn_o), .taken_o(guess), .offset_o(offset));
  assign taken_o = guess && !fault_o;
  assign target  = pc_q + Xlen'(offset);
  assign behind  = pc_q + (wide ? Xlen'(4) : Xlen'(2));

  assign accept = valid_o && ready_i && !redirect_valid_i;
  assign turn   = redirect_valid_i || (accept && taken_o);  // what is in the queue is not wanted
  assign way    = redirect_valid_i ? redirect_pc_i : target;

  always_comb begin
    pc_d = pc_q;
    if (accept) pc_d = behind;
    if (turn) pc_d = way;
  end

  // The word is used up if the instruction reaches its end.
  assign pop  = accept && (pc_q[1] || wide || fault_o);
  assign kept = level_q - LevelW'(pop && level_q != '0);

  always_comb begin
    queue_d = queue_q;
    if (pop && level_q != '0) queue_d = {word_t'('0), queue_q[Depth-1:1]};
    level_d = kept;
    // A word that is popped as it arrives does not enter.
    if (arrives && !(pop && level_q == '0)) begin
      queue_d[kept[LevelW-2:0]] = arriving;
      level_d                   = kept + LevelW'(1);
    end
    if (turn) level_d = '0;
  end

  //////////////
  // Requests //
  //////////////

  logic issue;

  // Without a turn there is room if all that is under way and wanted finds a place.
  assign issue = !held_q && flight_q != LevelW'(Depth) && (turn || level_q + (flight_q - drop_q) < LevelW'(Depth));
  assign instr_valid_o = held_q || issue;
  assign instr_addr_o  = {held_q ? held_addr_q : turn ? way[Xlen-1:2] : next_q, 2'b00};

  always_comb begin
    next_d = turn ? way[Xlen-1:2] : next_q;
    if (issue) next_d = next_d + (Xlen-2)'(1);
    flight_d = flight_q + LevelW'(issue) - LevelW'(instr_rvalid_i);
    drop_d   = drop_q - LevelW'(instr_rvalid_i && drop_q != '0);
    if (turn) drop_d = flight_q - LevelW'(instr_rvalid_i);
  end

  ///////////////
  // Registers //
  ///////////////

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q  <= '0;
      flight_q <= '0;
      drop_q   <= '0;
      pc_q     <= ResetPc[Xlen-1:0];
      next_q   <= ResetPc[Xlen-1:2];
      held_q   <= 1'b0;
    end else begin
      level_q  <= level_d;
      flight_q <= flight_d;
      drop_q   <= drop_d;
      pc_q     <= pc_d;
      next_q   <= next_d;
      held_q   <= instr_valid_o && !instr_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    queue_q     <= queue_d;
    held_addr_q <= instr_addr_o[Xlen-1:2];
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (level_q <= LevelW'(Depth));
      assert (drop_q <= flight_q);
      assert (level_q + (flight_q - drop_q) <= LevelW'(Depth));
      // Memory answers what was asked.
      assert (!instr_rvalid_i || flight_q != '0);
      assert (!redirect_valid_i || !redirect_pc_i[0]);
    end
  end
endmodule
