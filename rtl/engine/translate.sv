// From an address of the own host to node and address there: equations (1) to (3) of the paper with a
// mask anywhere, an interval table before it and a base for each node behind it. One translation a
// cycle, six cycles each, no stalls: who asks has room for the answer.
//
//   cycle 1  global address, intervals compared       cycle 2     the interval, legality
//   cycle 2, 3  centrifuges                           cycle 4, 5  node table
//   cycle 6  sum and verdict
module translate
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  config_t            config_i,
  /// Nothing may be asked while the routing of a new mask is worked out: low from the cycle after the
  /// change on. For software: low from the change on.
  output logic               ready_o,
  output logic               settled_o,
  /// Question.
  input  logic               valid_i,
  input  asker_e             asker_i,
  input  logic [AddrW-1:0]   addr_i,
  input  logic               write_i,
  /// Answer, six cycles later.
  output logic               valid_o,
  output asker_e             asker_o,
  output logic               ok_o,
  output logic               prefetch_o,
  output logic [NodeW-1:0]   node_o,
  output logic [AddrW-1:0]   addr_o,
  /// Writes to the node table.
  input  logic               table_wr_i,
  input  logic [NodeIdxW-1:0] table_node_i,
  input  logic               table_routable_i,
  input  logic [AddrW-7:0]   table_base_i,
  /// Global address of an offset on a node: the way back, for software. Five cycles later.
  input  logic [NodeW-1:0]   inverse_node_i,
  input  logic [AddrW-1:0]   inverse_offset_i,
  output logic [AddrW-1:0]   inverse_addr_o
);
  localparam int unsigned Levels = $clog2(AddrW);

  //////////////////////
  // Routing of masks //
  //////////////////////

  logic [AddrW-1:0]             mask, rest_mask, width_mask, config_mask_q;
  logic [5:0]                   config_width_q;
  logic [1:0]                   change_q;
  logic                         changed, steady_q;
  logic [Levels-1:0][AddrW-1:0] node_move, offset_move;
  logic                         node_ready, offset_ready, table_ready;

  // A mask bit inside a line would split requests between nodes: those bits are not used. The masks are
  // registers, worked out of the configuration in two cycles.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      config_mask_q  <= '0;
      config_width_q <= '0;
      width_mask     <= '0;
      mask           <= '0;
      rest_mask      <= '0;
      change_q       <= '1;
      steady_q       <= 1'b0;
    end else begin
      config_mask_q  <= config_i.mask;
      config_width_q <= config_i.global_width;
      for (int unsigned i = 0; i < AddrW; i++) width_mask[i] <= 6'(i) < config_i.global_width;
      mask      <= config_mask_q & width_mask & ~AddrW'(63);
      rest_mask <= ~config_mask_q & width_mask | AddrW'(63);
      change_q  <= {change_q[0], changed};
      steady_q  <= !changed && change_q == '0 && node_ready && offset_ready && table_ready;
    end
  end
  assign changed   = config_mask_q != config_i.mask || config_width_q != config_i.global_width;
  assign ready_o   = steady_q;
  assign settled_o = steady_q && !changed;

  centrifuge_control #(.Width(AddrW)) u_node_control (
    .clk_i, .rst_ni, .mask_i(mask), .move_o(node_move), .ready_o(node_ready)
  );
  centrifuge_control #(.Width(AddrW)) u_offset_control (
    .clk_i, .rst_ni, .mask_i(rest_mask), .move_o(offset_move), .ready_o(offset_ready)
  );

  ////////////////////
  // Cycles 1 and 2 //
  ////////////////////

  typedef struct packed {
    logic             valid;
    asker_e           asker;
    logic             ok;
    logic             fixed;
    logic             prefetch;
    logic [NodeW-1:0] node;
  } pipe_t;

  logic [AddrW:0]          global_d;
  logic [AddrW:0]          global_q;      // the top bit: below the first global address
  logic [NumIntervals-1:0] inside_d, inside_q;
  logic                    in_range, hit, write_1_q;
  interval_t               interval;

  assign global_d = {1'b0, addr_i} - {1'b0, config_i.origin_start};
  always_comb begin
    for (int unsigned i = 0; i < NumIntervals; i++) begin
      inside_d[i] = config_i.interval[i].valid && addr_i[AddrW-1:12] >= config_i.interval[i].first &&
                    addr_i[AddrW-1:12] <= config_i.interval[i].last;
    end
  end

  assign in_range = !global_q[AddrW] && (global_q[AddrW-1:0] & ~width_mask) == '0;
  always_comb begin
    interval = '0;
    // The lowest interval that holds the address counts.
    for (int i = int'(NumIntervals) - 1; i >= 0; i--) if (inside_q[i]) interval = config_i.interval[i];
  end
  assign hit = inside_q != '0;

  pipe_t pipe_q [6];
  logic [AddrW-1:0] uncompacted_q [2];
  logic [AddrW-1:0] node_bits, offset, compacted;
  logic [NodeW-1:0] node_d;
  logic             node_named_d;

  centrifuge #(.Width(AddrW)) u_node (
    .clk_i, .enable_i(1'b1), .data_i(global_q[AddrW-1:0]), .mask_i(mask), .move_i(node_move), .data_o(node_bits)
  );
  centrifuge #(.Width(AddrW)) u_offset (
    .clk_i, .enable_i(1'b1), .data_i(global_q[AddrW-1:0]), .mask_i(rest_mask), .move_i(offset_move), .data_o(compacted)
  );

  /////////////////
  // Cycles 4 to 6 //
  /////////////////

  logic                routable, routable_q;
  logic [AddrW-7:0]    base, base_q;
  logic [AddrW-1:0]    offset_q [2];
  logic [AddrW:0]      sum;
  logic [NodeIdxW:0]   sweep_q;

  assign node_d       = pipe_q[2].fixed ? pipe_q[2].node : node_bits[NodeW-1:0];
  assign node_named_d = pipe_q[2].fixed ? pipe_q[2].node < NodeW'(1 << NodeIdxW)
                                        : node_bits[AddrW-1:NodeIdxW] == '0;
  // In an interval of one node the mask does not count: its addresses follow each other there.
  assign offset       = pipe_q[2].fixed ? uncompacted_q[1]
                                        : config_i.compact ? compacted : uncompacted_q[1] & ~mask;
  assign sum          = {1'b0, offset_q[1]} + {1'b0, base_q, 6'd0};

  ram_1r1w #(.Width(AddrW - 5), .Depth(1 << NodeIdxW)) u_table (
    .clk_i,
    .wr_valid_i(!table_ready || table_wr_i),
    .wr_addr_i(!table_ready ? sweep_q[NodeIdxW-1:0] : table_node_i),
    .wr_data_i(!table_ready ? '0 : {table_routable_i, table_base_i}),
    .rd_valid_i(1'b1), .rd_addr_i(node_d[NodeIdxW-1:0]), .rd_data_o({routable, base})
  );
  assign table_ready = sweep_q[NodeIdxW];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweep_q <= '0;
      for (int i = 0; i < 6; i++) pipe_q[i] <= '0;
    end else begin
      if (!table_ready) sweep_q <= sweep_q + (NodeIdxW+1)'(1);
      pipe_q[0] <= '{valid: valid_i, asker: asker_i, ok: 1'b0, fixed: 1'b0, prefetch: 1'b0, node: '0};
      pipe_q[1] <= '{valid: pipe_q[0].valid, asker: pipe_q[0].asker,
                     ok: hit && in_range && !(write_1_q && interval.read_only),
                     fixed: interval.fixed, prefetch: interval.prefetch, node: interval.node};
      pipe_q[2] <= pipe_q[1];
      pipe_q[3] <= pipe_q[2];
      pipe_q[3].node <= node_d;
      pipe_q[3].ok   <= pipe_q[2].ok && node_named_d;
      pipe_q[4] <= pipe_q[3];
      pipe_q[4].ok   <= pipe_q[3].ok && pipe_q[3].node != config_i.node_id;
      pipe_q[5] <= pipe_q[4];
      pipe_q[5].ok   <= pipe_q[4].ok && routable_q && !sum[AddrW];
    end
  end
  always_ff @(posedge clk_i) begin
    global_q         <= global_d;
    inside_q         <= inside_d;
    write_1_q        <= write_i;
    uncompacted_q[0] <= global_q[AddrW-1:0];
    uncompacted_q[1] <= uncompacted_q[0];
    offset_q[0]      <= offset;
    offset_q[1]      <= offset_q[0];
    routable_q       <= routable;
    base_q           <= base;
    addr_o           <= sum[AddrW-1:0];
  end

  assign valid_o    = pipe_q[5].valid;
  assign asker_o    = pipe_q[5].asker;
  assign ok_o       = pipe_q[5].ok;
  assign prefetch_o = pipe_q[5].prefetch;
  assign node_o     = pipe_q[5].node;

  //////////////
  // Way back //
  //////////////

  // Three cycles for the network, one for the choice, one for the sum.
  logic [AddrW-1:0] spread_node, spread_offset, inverse_global_q, inverse_q;
  centrifuge_inverse #(.Width(AddrW)) u_inverse_node (
    .clk_i, .data_i(AddrW'(inverse_node_i)), .mask_i(mask), .move_i(node_move), .data_o(spread_node)
  );
  centrifuge_inverse #(.Width(AddrW)) u_inverse_offset (
    .clk_i, .data_i(inverse_offset_i), .mask_i(rest_mask), .move_i(offset_move), .data_o(spread_offset)
  );
  always_ff @(posedge clk_i) begin
    inverse_global_q <= spread_node | (config_i.compact ? spread_offset : inverse_offset_i);
    inverse_q        <= inverse_global_q + config_i.origin_start;
  end
  assign inverse_addr_o = inverse_q;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!valid_i || ready_o);
  end
endmodule
