// Bulk transfers beside a count of bytes: for any operands, strides, delays and errors each byte is read where it comes
// from and written where it goes, once in its turn, with what was read; a transfer ends once, when all are moved or at the
// first byte that fails by itself.
module xbgas_bulk_proof (
  input logic        clk_i,
  input logic        start_i,
  input logic        to_local_i,
  input logic [1:0]  size_i,
  input logic [31:0] count_i,
  input logic [31:0] local_i,
  input logic [31:0] local_stride_i,
  input logic [31:0] remote_i,
  input logic [31:0] remote_stride_i,
  input logic        ready_i,
  input logic        answer_i,
  input logic        err_i,
  input logic [31:0] data_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic        busy_q, asked_q, start, done, fault, fault_local, rvalid;
  logic        mem_valid, mem_write, remote_valid, remote_write, mem_asked_q;
  logic [31:0] fault_addr, mem_addr, mem_wdata, remote_addr, remote_wdata;
  logic [1:0]  mem_size, remote_size, size;
  assign start  = start_i && !busy_q;
  assign size   = size_i == 2'd3 ? 2'd2 : size_i;  // 32 bits have no element of 8 bytes
  assign rvalid = asked_q && answer_i;

  xbgas_bulk #(.Xlen(32)) u_bulk (
    .clk_i, .rst_ni, .start_i(start), .to_local_i, .size_i(size), .count_i, .local_addr_i(local_i), .local_stride_i,
    .remote_addr_i(remote_i), .remote_stride_i,
    .done_o(done), .fault_o(fault), .fault_local_o(fault_local), .fault_addr_o(fault_addr),
    .mem_valid_o(mem_valid), .mem_ready_i(ready_i), .mem_addr_o(mem_addr), .mem_write_o(mem_write), .mem_size_o(mem_size),
    .mem_wdata_o(mem_wdata), .mem_rvalid_i(rvalid && mem_asked_q), .mem_rdata_i(data_i), .mem_err_i(err_i),
    .remote_valid_o(remote_valid), .remote_ready_i(ready_i), .remote_addr_o(remote_addr), .remote_write_o(remote_write),
    .remote_size_o(remote_size), .remote_wdata_o(remote_wdata), .remote_rvalid_i(rvalid && !mem_asked_q),
    .remote_rdata_i(data_i), .remote_err_i(err_i)
  );

  // The next byte: where it is on both sides, what is left of its element, and how many elements are behind it.
  typedef struct packed {
    logic [31:0] here;
    logic [31:0] there;
    logic [3:0]  left;
    logic [31:0] elements;
  } place_t;
  place_t      place_q, place_d, ahead;
  logic        to_local_q, read_q, failed_q, failed_mem_q, again_q;
  logic [1:0]  size_q;                     // of an element
  logic [31:0] here_gap_q, there_gap_q, data_q, failed_addr_q;
  logic [1:0]  piece_q;                    // size of the piece that is under way
  logic [3:0]  element;
  logic        ended;                      // behind the last byte
  assign element = 4'd1 << size_q;

  function automatic place_t next_of(input place_t p, input logic [3:0] whole, input logic [31:0] here_gap,
                                     input logic [31:0] there_gap);
    place_t n;
    n = '{here: p.here + 32'd1, there: p.there + 32'd1, left: p.left - 4'd1, elements: p.elements};
    if (p.left == 4'd1) begin
      n.here     = n.here + here_gap;
      n.there    = n.there + there_gap;
      n.left     = p.elements == '0 ? '0 : whole;
      n.elements = p.elements == '0 ? '0 : p.elements - 32'd1;
    end
    return n;
  endfunction

  // A piece's bytes are the next ones, one behind the other on both sides.
  logic together;
  always_comb begin
    ahead    = place_q;
    together = 1'b1;
    for (int unsigned i = 0; i < 4; i++) begin
      if (i < (32'd1 << piece_q)) begin
        together = together && ahead.left != '0 && ahead.here == place_q.here + 32'(i) && ahead.there == place_q.there + 32'(i);
        ahead    = next_of(ahead, element, here_gap_q, there_gap_q);
      end
    end
  end
  assign ended = ahead.left == '0;

  logic asks, writes, local_turn;
  assign asks       = mem_valid || remote_valid;
  assign writes     = mem_valid ? mem_write : remote_write;
  assign local_turn = writes == to_local_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      asked_q  <= 1'b0;
      read_q   <= 1'b0;
      failed_q <= 1'b0;
    end else begin
      if (start) busy_q <= count_i != '0;
      else if (done) busy_q <= 1'b0;
      if (asks && ready_i) asked_q <= 1'b1;
      else if (rvalid) asked_q <= 1'b0;
      if (start || done) begin
        read_q   <= 1'b0;
        failed_q <= 1'b0;
      end else if (rvalid) begin
        // A piece is read, then written; one that failed begins anew, or was a byte.
        read_q   <= !err_i && !read_q;
        failed_q <= err_i && piece_q == 2'd0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      place_q     <= '{here: local_i, there: remote_i, left: 4'd1 << size, elements: count_i - 32'd1};
      to_local_q  <= to_local_i;
      size_q      <= size;
      here_gap_q  <= local_stride_i - (32'd1 << size);
      there_gap_q <= remote_stride_i - (32'd1 << size);
    end else if (rvalid && !err_i && read_q) begin
      place_q <= ahead;
    end
    if (asks) piece_q <= mem_valid ? mem_size : remote_size;
    if (asks && ready_i) mem_asked_q <= mem_valid;
    if (start) again_q <= 1'b0;
    else if (rvalid && err_i) again_q <= 1'b1;
    if (rvalid && !read_q) data_q <= data_i;
    if (rvalid && err_i) begin
      failed_mem_q  <= mem_asked_q;
      failed_addr_q <= mem_asked_q ? place_q.here : place_q.there;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (asks) begin
        assert (busy_q && !failed_q && !asked_q && mem_valid != remote_valid);
        assert (writes == read_q && mem_valid == local_turn);
        assert (mem_valid ? mem_addr == place_q.here : remote_addr == place_q.there);
        if (writes) assert ((mem_valid ? mem_wdata : remote_wdata) == data_q);
        // Behind an error pieces are bytes, so that it comes to an end.
        if (again_q) assert ((mem_valid ? mem_size : remote_size) == 2'd0);
        // Local pieces are aligned.
        if (mem_valid) assert ((mem_addr & ((32'd1 << mem_size) - 32'd1)) == '0 && mem_size != 2'd3);
      end
      if (rvalid) assert (together);
      if (start) assert (done == (count_i == '0) && !fault);
      if (!start && busy_q) begin
        assert (done == (failed_q || (rvalid && !err_i && read_q && ended)));
        if (done) assert (fault == failed_q);
        if (fault) assert (fault_local == failed_mem_q && fault_addr == failed_addr_q);
      end
      if (!busy_q && !start) assert (!done && !asks);

      ////////////////////////////////
      // What makes it an induction //
      ////////////////////////////////

      assert (u_bulk.state_q <= 3'd5 && busy_q == (u_bulk.state_q != 3'd0));
      assert (failed_q == (u_bulk.state_q == 3'd5));
      assert (asked_q == (u_bulk.state_q == 3'd2 || u_bulk.state_q == 3'd4));
      assert (!busy_q || failed_q || read_q == (u_bulk.state_q == 3'd3 || u_bulk.state_q == 3'd4));
      if (busy_q) begin
        assert (u_bulk.to_local_q == to_local_q && u_bulk.element_q == element && size_q != 2'd3);
        assert (u_bulk.careful_q == again_q);
        assert (u_bulk.local_q == place_q.here && u_bulk.remote_q == place_q.there);
        assert (u_bulk.local_gap_q == here_gap_q && u_bulk.remote_gap_q == there_gap_q);
        assert (place_q.left != '0 && place_q.left <= element);
        // One run of all elements, or one of this one.
        assert ((u_bulk.left_q == 34'(place_q.left) && u_bulk.elements_q == place_q.elements) ||
                (u_bulk.left_q == 34'(place_q.left) + (34'(place_q.elements) << size_q) && u_bulk.elements_q == '0 &&
                 here_gap_q == '0 && there_gap_q == '0));
        if (read_q) assert (u_bulk.data_q == data_q);
        if (asked_q) assert (piece_q == u_bulk.size && mem_asked_q == u_bulk.source_local);
        if (failed_q) assert (failed_mem_q == u_bulk.failed_local_q &&
                              failed_addr_q == (failed_mem_q ? place_q.here : place_q.there));
      end
    end
  end
endmodule
