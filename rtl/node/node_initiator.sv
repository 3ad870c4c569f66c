// A node's remote accesses: looked up and sent as a packet one after the other, answered by packets in any order. The
// core numbers those that are under way; a reply brings its number back.
//
// Promises: a request is answered once; nothing is sent for a namespace that is not there or an address outside of its
// range; the flits of a packet are offered in order and stay until taken.
module node_initiator
  import rv_core_pkg::*;
  import xbgas_decode_pkg::*;
  import noc_pkg::*;
  import node_pkg::*;
#(
  parameter int unsigned Xlen         = 64,
  parameter int unsigned Entries      = 16,
  parameter int unsigned TableEntries = 4096,
  /// Accesses under way, up to 64.
  parameter int unsigned Outstanding  = 1,
  localparam int unsigned RemoteIdW   = Outstanding > 1 ? $clog2(Outstanding) : 1,
  localparam int unsigned NodeW       = 2 * CoordW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  /// Constant: this node's number, how many there are, columns of the mesh, where the namespace table is.
  input  logic [NodeW-1:0]  self_i,
  input  logic [NodeW:0]    nodes_i,
  input  logic [CoordW:0]   columns_i,
  input  logic [Xlen-1:0]   table_base_i,
  /// The table has changed.
  input  logic              forget_all_i,
  /// The core's remote port (see xbgas_unit).
  input  logic              remote_valid_i,
  output logic              remote_ready_o,
  input  remote_kind_e      remote_kind_i,
  input  alu_e              remote_op_i,
  input  logic [2:0]        remote_size_i,
  input  logic [Xlen-1:0]   remote_space_i,
  input  logic [Xlen-1:0]   remote_addr_i,
  input  logic [2*Xlen-1:0] remote_wdata_i,
  input  logic [Xlen-1:0]   remote_compare_i,
  input  logic              remote_reserved_i,
  input  logic [RemoteIdW-1:0] remote_id_i,
  output logic              remote_rvalid_o,
  output logic [RemoteIdW-1:0] remote_rid_o,
  output logic [2*Xlen-1:0] remote_rdata_o,
  output logic              remote_err_o,
  /// Memory, for walks.
  output logic              mem_valid_o,
  input  logic              mem_ready_i,
  output logic [Xlen-1:0]   mem_addr_o,
  input  logic              mem_rvalid_i,
  input  logic [Xlen-1:0]   mem_rdata_i,
  input  logic              mem_err_i,
  /// Requests into the mesh.
  output logic              send_valid_o,
  input  logic              send_ready_i,
  output flit_t             send_flit_o,
  /// Replies from it, packet by packet, always taken.
  input  logic              take_valid_i,
  input  flit_t             take_flit_i
);
  localparam int unsigned WordFlits = Xlen / 32;
  /// Header, address, 2 words.
  localparam int unsigned MostFlits = 1 + 3 * WordFlits;
  localparam int unsigned CountW    = $clog2(MostFlits + 1);

  typedef enum logic [1:0] {
    StIdle,
    StLookUp,
    StSend,
    StRefuse  // a fault that a reply keeps from being told
  } state_e;
  state_e state_q, state_d;

  logic look_up, found, fault;
  logic [NodeW-1:0] node;
  logic nlb_ready, forget_ready, forget_q;

  // A look-up begins with the request: its answer is there a cycle later if it hits.
  assign look_up        = state_q == StIdle && remote_valid_i && !forget_q;
  assign remote_ready_o = look_up;

  logic [2:0] rights;
  always_comb begin
    unique case (remote_kind_i)
      RemoteLoad, RemoteLoadReserved: rights = 3'b001;
      RemoteStore:                    rights = 3'b010;
      default:                        rights = 3'b100;
    endcase
  end

  nlb #(.Xlen(Xlen), .Entries(Entries), .TableEntries(TableEntries), .NodeW(NodeW)) u_nlb (
    .clk_i, .rst_ni, .self_i, .nodes_i, .table_base_i,
    .valid_i(look_up), .ready_o(nlb_ready), .space_i(remote_space_i), .addr_i(remote_addr_i),
    .bytes_i(5'd1 << remote_size_i), .rights_i(rights),
    .valid_o(found), .fault_o(fault), .node_o(node),
    .forget_i(1'b0), .forget_all_i(forget_q), .forget_space_i('0), .forget_ready_o(forget_ready),
    .mem_valid_o, .mem_ready_i, .mem_addr_o, .mem_rvalid_i, .mem_rdata_i, .mem_err_i
  );

  // It waits for the end of what is under way.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) forget_q <= 1'b0;
    else forget_q <= forget_all_i || (forget_q && !forget_ready);
  end

  //////////
  // Send //
  //////////

  logic [MostFlits-1:0][31:0] flits, flits_q;
  logic [CountW-1:0]          count, left_q;
  logic                       head_q, sent;
  message_t                   message_q;
  header_t                    header;
  logic [CoordW-1:0]          row, column, own_row, own_column;
  logic [2:0]                 data_flits;

  function automatic logic [2*CoordW-1:0] place_of(input logic [NodeW-1:0] number, input logic [CoordW:0] columns);
    logic [CoordW-1:0] y;
    logic [NodeW+1:0]  from, start;
    y     = '0;
    start = '0;
    from  = '0;
    for (int unsigned i = 1; i < 8; i++) begin
      from = from + (NodeW + 2)'(columns);
      if ((NodeW + 2)'(number) >= from) begin
        y     = CoordW'(i);
        start = from;
      end
    end
    return {y, CoordW'((NodeW + 2)'(number) - start)};
  endfunction
  assign {row, column}         = place_of(node, columns_i);
  assign {own_row, own_column} = place_of(self_i, columns_i);

  // Of what is stored, as many flits as it has; an atomic brings two registers.
  assign data_flits = remote_size_i <= 3'd2 ? 3'd1 : remote_size_i == 3'd3 ? 3'd2 : 3'd4;
  always_comb begin
    count = CountW'(1 + WordFlits);
    if (remote_kind_i == RemoteStore) count = CountW'(1 + WordFlits) + CountW'(data_flits);
    if (remote_kind_i == RemoteAtomic || remote_kind_i == RemoteStoreConditional) count = CountW'(MostFlits);
    flits = {remote_wdata_i, remote_addr_i, 32'd0};
    if (remote_kind_i != RemoteStore) flits = {remote_compare_i, remote_wdata_i[Xlen-1:0], remote_addr_i, 32'd0};
  end

  always_comb begin
    header               = '0;
    header.rest          = message_q;
    header.source_y      = own_row;
    header.source_x      = own_column;
    header.destination_y = row;
    header.destination_x = column;
  end

  assign send_valid_o = state_q == StSend;
  assign send_flit_o  = '{head: head_q, tail: left_q == CountW'(1), data: flits_q[0]};
  assign sent         = send_valid_o && send_ready_i;

  always_ff @(posedge clk_i) begin
    if (look_up) begin
      flits_q   <= flits;
      left_q    <= count;
      head_q    <= 1'b1;
      message_q <= '{id: 6'(remote_id_i), own: remote_space_i == '0, fault: 1'b0, reserved: remote_reserved_i,
                     kind: remote_kind_i, op: remote_op_i, size: remote_size_i};
    end else if (state_q == StLookUp && found) begin
      flits_q[0] <= header;
    end else if (sent) begin
      flits_q <= flits_q >> 32;
      left_q  <= left_q - CountW'(1);
      head_q  <= 1'b0;
    end
  end

  ///////////
  // Reply //
  ///////////

  logic [3:0][31:0] words, words_q;  // newest last
  logic [1:0]       at_q;
  logic             fault_q;
  logic [RemoteIdW-1:0] id_q;
  header_t          reply;
  message_t         replied;
  assign reply   = take_flit_i.data;
  assign replied = reply.rest;

  always_comb begin
    words = take_flit_i.head ? '0 : words_q;
    if (!take_flit_i.head) words[at_q] = take_flit_i.data;
  end
  always_ff @(posedge clk_i) begin
    if (take_valid_i) begin
      words_q <= words;
      at_q    <= take_flit_i.head ? '0 : at_q + 2'd1;
      if (take_flit_i.head) begin
        fault_q <= replied.fault;
        id_q    <= RemoteIdW'(replied.id);
      end
    end
  end

  // A reply goes before a fault of the look-up.
  logic refuses, ends;
  assign ends            = take_valid_i && take_flit_i.tail;
  assign refuses         = (state_q == StLookUp && found && fault) || state_q == StRefuse;
  assign remote_rvalid_o = ends || refuses;
  assign remote_rid_o    = !ends ? RemoteIdW'(message_q.id) : take_flit_i.head ? RemoteIdW'(replied.id) : id_q;
  assign remote_err_o    = !ends || (take_flit_i.head ? replied.fault : fault_q);
  assign remote_rdata_o  = words[2*WordFlits-1:0];

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:   if (look_up) state_d = StLookUp;
      StLookUp: if (found) state_d = !fault ? StSend : ends ? StRefuse : StIdle;
      StSend:   if (sent && send_flit_o.tail) state_d = StIdle;
      default:  if (!ends) state_d = StIdle;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  ////////////////
  // Assertions //
  ////////////////

  logic [Outstanding-1:0] asked_q;  // and not answered
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q <= '0;
    end else begin
      if (remote_rvalid_o) asked_q[remote_rid_o] <= 1'b0;
      if (look_up) asked_q[remote_id_i] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!look_up || nlb_ready);
      assert (!look_up || !asked_q[remote_id_i]);
      assert (!found || state_q == StLookUp);
      // Nobody answers what has not been asked.
      assert (!remote_rvalid_o || asked_q[remote_rid_o]);
    end
  end
endmodule
