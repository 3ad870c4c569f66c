// Look-ups of namespaces beside the table: any table of four entries, which stays as it is, any requests. A request is
// answered once; the answer is what the table says of its namespace; a walk ends behind as many entries as there are;
// memory is asked only for words of the table, and less than that if the namespace is known.
module nlb_proof (
  input logic        clk_i,
  input logic        valid_i,
  input logic [1:0]  space_i,
  input logic [1:0]  addr_i,
  input logic [1:0]  bytes_i,
  input logic [2:0]  rights_i,
  input logic        mem_ready_i,
  input logic        mem_answer_i,
  input logic        mem_err_i,
  input logic        forget_i,
  input logic        forget_all_i,
  input logic [1:0]  forget_space_i,
  input logic [3:0][10:0] table_i  // of each entry: removed 1, namespace 2, node 1, rights 3, base 2, bytes 2
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [3:0][10:0] table_q;
  always_ff @(posedge clk_i) if (!rst_ni) table_q <= table_i;

  logic        ready, valid, fault, node, forget_ready, mem_valid, busy_q, mem_rvalid;
  logic [63:0] mem_addr, word, address_q;
  assign mem_rvalid = busy_q && mem_answer_i;

  nlb #(.Xlen(64), .Entries(2), .TableEntries(4), .NodeW(1)) u_nlb (
    .clk_i, .rst_ni, .self_i(1'b0), .nodes_i(2'd2), .table_base_i(64'h1000),
    .valid_i, .ready_o(ready), .space_i(64'(space_i)), .addr_i(64'(addr_i)), .bytes_i(5'(bytes_i)), .rights_i,
    .valid_o(valid), .fault_o(fault), .node_o(node),
    .forget_i, .forget_all_i, .forget_space_i(64'(forget_space_i)), .forget_ready_o(forget_ready),
    .mem_valid_o(mem_valid), .mem_ready_i, .mem_addr_o(mem_addr), .mem_rvalid_i(mem_rvalid), .mem_rdata_i(word),
    .mem_err_i(mem_rvalid && mem_err_i)
  );

  // The longest is all there is.
  function automatic logic [63:0] bytes_of(input logic [10:0] one);
    return one[1:0] == '1 ? '1 : 64'(one[1:0]);
  endfunction

  // Memory: the table, and nothing else.
  logic [10:0] row;
  assign row = table_q[address_q[6:5]];
  always_comb begin
    unique case (address_q[4:3])
      2'd0:    word = 64'(row[9:8]);
      2'd1:    word = {row[10], 28'd0, row[6:4], 31'd0, row[7]};
      2'd2:    word = 64'(row[3:2]);
      default: word = bytes_of(row);
    endcase
  end

  // What the table says of a namespace, entry after entry from its first: whether it is there, and where.
  function automatic logic [1:0] first_of(input logic [1:0] space);
    logic [63:0] product;
    product = 64'(space) * 64'h9e37_79b9_7f4a_7c15;
    return product[33:32];
  endfunction
  // It is somebody's, or was: the search goes on behind it.
  function automatic logic is_other(input logic [10:0] one, input logic [1:0] space);
    return one[6:4] == '0 ? one[10] : one[9:8] != space;
  endfunction
  function automatic logic [2:0] place_of(input logic [1:0] space, input logic [3:0][10:0] rows);
    logic       ended;
    logic [2:0] place;
    ended = 1'b0;
    place = 3'd0;
    for (int unsigned i = 0; i < 4; i++) begin
      if (!ended) begin
        ended = {rows[first_of(space) + 2'(i)][10], rows[first_of(space) + 2'(i)][6:4]} == '0;
        if (rows[first_of(space) + 2'(i)][6:4] != '0 && rows[first_of(space) + 2'(i)][9:8] == space) begin
          ended = 1'b1;
          place = {1'b1, first_of(space) + 2'(i)};
        end
      end
    end
    return place;
  endfunction

  logic       waits_q, error_q, own_q, missed, reads_q, is_there, allowed;
  logic [1:0] space_q, addr_q, bytes_q;
  logic [2:0] rights_q, place;
  logic [10:0] entry;
  assign place    = place_of(space_q, table_q);
  assign is_there = place[2];
  assign entry    = table_q[place[1:0]];
  assign allowed  = (entry[6:4] & rights_q) == rights_q && addr_q >= entry[3:2] &&
                    (entry[1:0] == '1 || 3'(addr_q - entry[3:2]) + 3'(bytes_q) <= 3'(entry[1:0]));

  logic [4:0] reads_count_q;  // of this walk
  assign missed = waits_q && reads_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q       <= 1'b0;
      busy_q        <= 1'b0;
      reads_count_q <= '0;
      error_q       <= 1'b0;
      reads_q       <= 1'b0;
    end else begin
      if (valid_i && ready) begin
        waits_q       <= 1'b1;
        reads_count_q <= '0;
        error_q       <= 1'b0;
        reads_q       <= 1'b0;
      end else if (valid) begin
        waits_q <= 1'b0;
      end
      if (mem_valid && mem_ready_i) begin
        busy_q        <= 1'b1;
        reads_q       <= 1'b1;
        reads_count_q <= reads_count_q + 5'd1;
      end else if (mem_rvalid) begin
        busy_q <= 1'b0;
      end
      if (mem_rvalid && mem_err_i) error_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && ready) begin
      space_q  <= space_i;
      addr_q   <= addr_i;
      bytes_q  <= bytes_i;
      rights_q <= rights_i;
      own_q    <= space_i == '0;
    end
    if (mem_valid && mem_ready_i) address_q <= mem_addr;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!valid || waits_q);
      assert (ready == !waits_q);
      if (valid && own_q) assert (!fault && !node && !missed);
      if (valid && !own_q && error_q) assert (fault);
      if (valid && !own_q && !error_q) begin
        assert (fault == !(is_there && allowed));
        if (!fault) assert (node == entry[7]);
      end
      if (mem_valid) assert (waits_q && !own_q && mem_addr[63:7] == 57'(64'h1000 >> 7) && mem_addr[2:0] == '0);
      // Two words of an entry that is another's, four of the one.
      assert (reads_count_q <= 5'd10);
      // It goes on: it answers, or memory is asked or has been asked.
      assert (!waits_q || valid || mem_valid || busy_q);
    end
  end

  ////////////////////////////////
  // What makes it an induction //
  ////////////////////////////////

  // An entry in the buffer is the table's.
  for (genvar i = 0; i < 2; i++) begin : gen_entry
    logic [63:0]  id;
    logic [133:0] data;  // node 1, there 1, rights 3 ... base and bytes 64 each
    logic [2:0]   its;
    logic [10:0]  its_row;
    assign id      = u_nlb.u_ways.ids_q[i];
    assign data    = 134'(u_nlb.u_ways.data_q[i]);
    assign its     = place_of(id[1:0], table_q);
    assign its_row = table_q[its[1:0]];
    always_ff @(posedge clk_i) begin
      if (rst_ni && u_nlb.u_ways.valid_q[i]) begin
        assert (id != '0 && id[63:2] == '0 && its[2]);
        assert (data == {1'b0, its_row[7], 1'b1, its_row[6:4], 62'd0, its_row[3:2], bytes_of(its_row)});
      end
    end
  end

  logic [1:0] walk_at;
  logic [10:0] walk_row;
  logic       passed;  // those before it are others'
  assign walk_at  = first_of(space_q) + u_nlb.probes_q[1:0];
  assign walk_row = table_q[u_nlb.slot_q];
  always_comb begin
    passed = 1'b1;
    for (int unsigned k = 0; k < 3; k++) begin
      if (k < 32'(u_nlb.probes_q)) begin
        passed = passed && is_other(table_q[first_of(space_q) + 2'(k)], space_q);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (u_nlb.u_ways.rank_q[0] != u_nlb.u_ways.rank_q[1]);
      assert (!(u_nlb.u_ways.valid_q == 2'b11 && u_nlb.u_ways.ids_q[0] == u_nlb.u_ways.ids_q[1]));
      assert (waits_q == (u_nlb.state_q != 2'd0));
      assert (busy_q == (u_nlb.state_q == 2'd2));
      if (waits_q) begin
        assert (u_nlb.space_q == 64'(space_q) && u_nlb.addr_q == 64'(addr_q) && u_nlb.bytes_q == 5'(bytes_q));
        assert (u_nlb.rights_q == rights_q && own_q == (space_q == '0) && u_nlb.own_q == own_q);
      end
      if (u_nlb.state_q == 2'd1 || u_nlb.state_q == 2'd2) begin
        assert (!own_q && u_nlb.probes_q < 3'd4 && u_nlb.slot_q == walk_at && passed && !error_q);
        assert (!u_nlb.u_ways.valid_q[0] || u_nlb.u_ways.ids_q[0] != 64'(space_q));
        assert (!u_nlb.u_ways.valid_q[1] || u_nlb.u_ways.ids_q[1] != 64'(space_q));
        if (u_nlb.part_q >= 2'd1) assert (walk_row[6:4] != '0 && u_nlb.walked_q.rights == walk_row[6:4] &&
                                          u_nlb.walked_q.node == walk_row[7] && u_nlb.walked_q.there);
        if (u_nlb.part_q >= 2'd2) assert (walk_row[9:8] == space_q);
        if (u_nlb.part_q >= 2'd3) assert (u_nlb.walked_q.base == 64'(walk_row[3:2]));
        assert (reads_count_q <= 5'({u_nlb.probes_q[1:0], 1'b0}) + 5'(u_nlb.part_q) + 5'(busy_q));
        assert (!busy_q || address_q == 64'h1000 + 64'({walk_at, 5'd0}) +
                64'({u_nlb.part_q == 2'd0 ? 2'd1 : u_nlb.part_q == 2'd1 ? 2'd0 : u_nlb.part_q, 3'd0}));
      end
      if (u_nlb.state_q == 2'd3) begin
        assert (!error_q || u_nlb.none_q);
        if (!own_q && !u_nlb.none_q) begin
          assert (is_there && !error_q && u_nlb.used_q == {entry[7], 1'b1, entry[6:4], 62'd0, entry[3:2], bytes_of(entry)});
        end
        if (!own_q && u_nlb.none_q) assert (error_q || !is_there);
        if (own_q) assert (!reads_q && !error_q);
      end
    end
  end
endmodule
