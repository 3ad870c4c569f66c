// The queue of fifo with its head in a register, for readers whose logic begins with what they read: what
// comes to an empty queue enters the register at once, so it takes no cycle more. Holds Depth + 1 words.
//
// Invariant: a word accepted comes out once, in order.
module fifo_head #(
  /// Bits of a word.
  parameter int unsigned Width = 8,
  /// Words behind the head; a power of two, at least 2.
  parameter int unsigned Depth = 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// Write side.
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  /// Read side.
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  localparam int unsigned LevelW = $clog2(Depth) + 1;

  logic              valid_q, free, queued_valid;
  logic [Width-1:0]  data_q, queued;
  logic [LevelW-1:0] unused_level;

  assign free    = !valid_q || ready_i;
  assign valid_o = valid_q;
  assign data_o  = data_q;

  fifo #(.Width(Width), .Depth(Depth)) u_queue (
    .clk_i, .rst_ni, .valid_i(valid_i && (queued_valid || !free)), .ready_o, .data_i,
    .valid_o(queued_valid), .ready_i(free), .data_o(queued), .level_o(unused_level)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (free) valid_q <= queued_valid || valid_i;
  end
  always_ff @(posedge clk_i) if (free) data_q <= queued_valid ? queued : data_i;

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (valid_q || !queued_valid);
  end
endmodule
