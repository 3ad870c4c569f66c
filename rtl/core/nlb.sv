// The namespace lookaside buffer: which node a namespace is, and whether an access to it is allowed.
//
// A namespace that is not among its entries is looked for in the namespace table, which lies in the node's memory as
// the simulator's machine has it (sim/memory/namespace_table.hpp): a hash table with open addressing of entries of 32
// bytes, {namespace 8, node 4, rights 4, first address 8, bytes 8}, without rights empty, with the highest bit of the
// rights and no other removed. A walk reads rights, then the namespace, then the rest, and ends at the entry, at an
// empty one, behind as many as there are, or at an error of memory. Namespace 0 is the node itself and is not looked
// for.
//
// Promises: each request is answered once, the next cycle if it hits; requests of memory are stable until taken, and
// there is at most one; only what is in the table is kept.
module nlb #(
  parameter int unsigned Xlen         = 64,
  parameter int unsigned Entries      = 16,
  /// Of the table; a power of two.
  parameter int unsigned TableEntries = 4096,
  /// Bits of a node's number.
  parameter int unsigned NodeW        = 6
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// Constant: this node, how many there are, where the table is.
  input  logic [NodeW-1:0] self_i,
  input  logic [NodeW:0]   nodes_i,
  input  logic [Xlen-1:0]  table_base_i,
  /// An access: `bytes` from `addr` of a namespace, with rights: read 1, write 2, atomic 4.
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Xlen-1:0]  space_i,
  input  logic [Xlen-1:0]  addr_i,
  input  logic [4:0]       bytes_i,
  input  logic [2:0]       rights_i,
  /// Its answer, always taken.
  output logic             valid_o,
  output logic             fault_o,
  output logic [NodeW-1:0] node_o,
  /// The table has changed: what is known of a namespace, or of all, is forgotten. Taken when ready_o is up and no
  /// request comes.
  input  logic             forget_i,
  input  logic             forget_all_i,
  input  logic [Xlen-1:0]  forget_space_i,
  output logic             forget_ready_o,
  /// Reads of memory, a word each.
  output logic             mem_valid_o,
  input  logic             mem_ready_i,
  output logic [Xlen-1:0]  mem_addr_o,
  input  logic             mem_rvalid_i,
  input  logic [Xlen-1:0]  mem_rdata_i,
  input  logic             mem_err_i
);
  localparam int unsigned SlotW  = $clog2(TableEntries);
  /// Bits of a product of which the slot is the upper ones.
  localparam int unsigned HashW  = 32 + SlotW;
  localparam logic [63:0] Factor = 64'h9e37_79b9_7f4a_7c15;
  localparam int unsigned WordW  = Xlen == 64 ? 2 : 3;  // a word's place in an entry

  if (TableEntries < 2 || (TableEntries & (TableEntries - 1)) != 0) begin : gen_table_check
    $fatal(1, "nlb: TableEntries must be a power of two, and at least 2");
  end

  typedef struct packed {
    logic [NodeW-1:0] node;
    logic             there;  // the node is one
    logic [2:0]       rights;
    logic [Xlen-1:0]  base;
    logic [Xlen-1:0]  bytes;
  } entry_t;

  typedef enum logic [1:0] {
    StIdle,
    StAsk,   // a word of the table is asked for
    StWait,  // and is awaited
    StAnswer
  } state_e;

  /// Which part of an entry is read, in this order.
  typedef enum logic [1:0] {
    PartRights,  // with the node
    PartSpace,
    PartBase,
    PartBytes
  } part_e;

  state_e           state_q, state_d;
  part_e            part_q;
  logic             upper_q;  // of 32 bits: the second word of a part
  logic [SlotW-1:0] slot_q;
  logic [SlotW:0]   probes_q;  // entries that were looked at
  logic [Xlen-1:0]  space_q, addr_q;
  logic [4:0]       bytes_q;
  logic [2:0]       rights_q;

  logic   take, hit, insert, own;
  entry_t found, walked_q, walked, used;

  assign ready_o        = state_q == StIdle;
  assign take           = valid_i && ready_o;
  assign own            = space_i == '0;
  assign forget_ready_o = ready_o && !valid_i;

  nlb_ways #(.Entries(Entries), .IdW(Xlen), .Width($bits(entry_t))) u_ways (
    .clk_i, .rst_ni,
    .id_i(insert ? space_q : space_i), .use_i(take && !own), .hit_o(hit), .data_o(found),
    .insert_i(insert), .data_i(walked),
    .forget_i(forget_i && !forget_all_i && forget_ready_o), .forget_all_i(forget_all_i && forget_ready_o),
    .forget_id_i(forget_space_i)
  );

  ///////////////////
  // Walk of table //
  ///////////////////

  logic             got, removed, empty, other, last_word, ends, next_slot;
  logic [31:0]      rights_word, node_word;
  logic [HashW-1:0] product;
  logic [SlotW-1:0] first_slot;
  logic [WordW-1:0] word;

  assign product    = HashW'(space_i) * Factor[HashW-1:0];
  assign first_slot = product[32 +: SlotW];

  assign got = state_q == StWait && mem_rvalid_i;

  // Of 64 bits a part is a word, and node and rights are one; of 32 bits a part is two.
  if (Xlen == 64) begin : gen_words_64
    assign word        = part_q == PartRights ? WordW'(1) : part_q == PartSpace ? WordW'(0) : WordW'(part_q);
    assign node_word   = mem_rdata_i[31:0];
    assign rights_word = mem_rdata_i[63:32];
    assign last_word   = 1'b1;
    assign other       = mem_rdata_i != space_q;
  end else begin : gen_words_32
    logic [31:0] node_word_q;
    // Rights first, then the node.
    assign word        = part_q == PartRights ? {2'd1, !upper_q} : part_q == PartSpace ? {2'd0, upper_q}
                                                                                      : {part_q, upper_q};
    assign node_word   = mem_rdata_i;
    assign rights_word = mem_rdata_i;
    assign last_word   = upper_q;
    // A namespace of this core has no upper half.
    assign other       = mem_rdata_i != (upper_q ? '0 : space_q);
  end

  // What the part says: the entry is none, is another's, or may be the one.
  assign empty   = part_q == PartRights && (Xlen == 64 || !upper_q) && rights_word == '0;
  assign removed = part_q == PartRights && (Xlen == 64 || !upper_q) && rights_word[2:0] == '0;
  assign next_slot = got && !mem_err_i && !empty && (removed || (part_q == PartSpace && other));
  assign ends      = got && (mem_err_i || empty || (next_slot && probes_q == (SlotW + 1)'(TableEntries - 1)));
  assign insert    = got && !mem_err_i && part_q == PartBytes && last_word;

  always_comb begin
    walked = walked_q;
    if (Xlen == 64) begin
      if (part_q == PartRights) walked.rights = rights_word[2:0];
      if (part_q == PartBase) walked.base = mem_rdata_i;
      if (part_q == PartBytes) walked.bytes = mem_rdata_i;
    end else begin
      if (part_q == PartRights && !upper_q) walked.rights = rights_word[2:0];
      if (part_q == PartBase && !upper_q) walked.base = mem_rdata_i;
      if (part_q == PartBytes && !upper_q) walked.bytes = mem_rdata_i;
      // What begins behind this core's addresses has none of them; what is longer has all of them.
      if (part_q == PartBase && upper_q && mem_rdata_i != '0) walked.rights = '0;
      if (part_q == PartBytes && upper_q && mem_rdata_i != '0) walked.bytes = '1;
    end
    if (part_q == PartRights && (Xlen == 64 || upper_q)) begin
      walked.node  = node_word[NodeW-1:0];
      walked.there = node_word < 32'(nodes_i);
    end
  end

  assign mem_valid_o = state_q == StAsk;
  assign mem_addr_o  = table_base_i + Xlen'({slot_q, 5'd0}) + Xlen'({word, {(5-WordW){1'b0}}});

  always_ff @(posedge clk_i) begin
    if (take) begin
      space_q  <= space_i;
      addr_q   <= addr_i;
      bytes_q  <= bytes_i;
      rights_q <= rights_i;
      slot_q   <= first_slot;
      probes_q <= '0;
    end else if (next_slot) begin
      slot_q   <= slot_q + SlotW'(1);
      probes_q <= probes_q + (SlotW + 1)'(1);
    end
    if (got) walked_q <= walked;
    if (take || next_slot) begin
      part_q  <= PartRights;
      upper_q <= 1'b0;
    end else if (got) begin
      if (last_word) part_q <= part_e'(part_q + 2'd1);
      upper_q <= !last_word;
    end
  end

  ////////////
  // Answer //
  ////////////

  logic    none_q, own_q;
  entry_t  used_q;
  logic    allowed;

  assign used = insert ? walked : found;
  always_ff @(posedge clk_i) begin
    if (take || got) begin
      used_q <= used;
      own_q  <= take ? own : own_q;
      none_q <= ends;
    end
  end

  assign allowed = used_q.there && (used_q.rights & rights_q) == rights_q && addr_q >= used_q.base &&
                   Xlen'(bytes_q) <= used_q.bytes && addr_q - used_q.base <= used_q.bytes - Xlen'(bytes_q);
  assign valid_o = state_q == StAnswer;
  assign fault_o = !own_q && (none_q || !allowed);
  assign node_o  = own_q ? self_i : used_q.node;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:  if (take) state_d = own || hit ? StAnswer : StAsk;
      StAsk:   if (mem_ready_i) state_d = StWait;
      StWait:  if (got) state_d = ends || insert ? StAnswer : StAsk;
      default: state_d = StIdle;
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
      assert (!mem_rvalid_i || state_q == StWait);
      assert (!insert || part_q == PartBytes);
      assert (!(take && insert));
    end
  end
endmodule
