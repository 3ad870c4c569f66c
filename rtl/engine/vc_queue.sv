// Receive queue of one virtual channel: commands (or headers) beside their data. The sender holds a
// credit for everything it sends, so nothing here can overflow and there is no ready to it.
//
// A command is offered only when all of its data has arrived: what has been begun downstream never
// waits for its sender. Data written without commit is invisible, and abort takes it back.
//
// Invariants: levels never pass the credits given out; data offered for a command is complete.
module vc_queue #(
  /// Bits of a command.
  parameter int unsigned CmdWidth = 96,
  /// Commands, and data packets of up to eight beats.
  parameter int unsigned Depth = 32,
  localparam int unsigned LevelW = $clog2(Depth) + 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  /// Write side: a command with the number of its beats; beats.
  input  logic                cmd_valid_i,
  input  logic [CmdWidth-1:0] cmd_i,
  input  logic [3:0]          cmd_beats_i,
  input  logic                data_valid_i,
  input  logic [63:0]         data_i,
  /// What has been written so far, this cycle's beat included, becomes visible; is taken back.
  input  logic                commit_i,
  input  logic                abort_i,
  /// Read side. Data comes in the order of the commands.
  output logic                cmd_valid_o,
  input  logic                cmd_ready_i,
  output logic [CmdWidth-1:0] cmd_o,
  output logic [3:0]          cmd_beats_o,
  output logic                data_valid_o,
  input  logic                data_ready_i,
  output logic [63:0]         data_o,
  /// Commands held.
  output logic [LevelW-1:0]   level_o
);
  localparam int unsigned DataDepth = Depth * 8;
  localparam int unsigned PtrW = $clog2(DataDepth);

  //////////////
  // Commands //
  //////////////

  logic                head_valid, head_ready, unused_ready;
  logic [CmdWidth+3:0] head;

  fifo #(.Width(CmdWidth + 4), .Depth(Depth)) u_commands (
    .clk_i, .rst_ni,
    .valid_i(cmd_valid_i), .ready_o(unused_ready), .data_i({cmd_beats_i, cmd_i}),
    .valid_o(head_valid), .ready_i(head_ready), .data_o(head), .level_o(level_o)
  );

  //////////
  // Data //
  //////////

  localparam int unsigned Ahead = 4;    // beats read ahead of the reader

  logic [PtrW:0] wr_q, wr_d;            // next beat written
  logic [PtrW:0] committed_q, visible_q;  // ends of what may be read, the second a cycle later
  logic [PtrW:0] rd_q, taken_q;         // next beat read from the RAM, taken by the reader
  logic [PtrW:0] claimed_q, unclaimed;  // end of what commands offered so far own
  logic          read, read_q, data_pop, cmd_pop, unused_ahead_ready;
  logic [63:0]   ram_out;
  logic [$clog2(Ahead):0] ahead_level;

  assign wr_d     = wr_q + (PtrW+1)'(data_valid_i);
  assign data_pop = data_valid_o && data_ready_i;
  // Room for what is on its way as well.
  assign read     = visible_q != rd_q && (ahead_level < 3'd3 || (ahead_level == 3'd3 && !read_q));

  // The RAM's output goes into registers only. visible_q lags committed_q by the edge at which a word
  // written could first be read.
  ram_1r1w #(.Width(64), .Depth(DataDepth)) u_data (
    .clk_i,
    .wr_valid_i(data_valid_i), .wr_addr_i(wr_q[PtrW-1:0]), .wr_data_i(data_i),
    .rd_valid_i(1'b1), .rd_addr_i(rd_q[PtrW-1:0]), .rd_data_o(ram_out)
  );
  fifo #(.Width(64), .Depth(Ahead)) u_ahead (
    .clk_i, .rst_ni, .valid_i(read_q), .ready_o(unused_ahead_ready), .data_i(ram_out),
    .valid_o(data_valid_o), .ready_i(data_ready_i), .data_o, .level_o(ahead_level)
  );

  assign unclaimed    = committed_q - claimed_q;
  assign cmd_o        = head[CmdWidth-1:0];
  assign cmd_beats_o  = head[CmdWidth+3:CmdWidth];
  // A command has eight beats at most: one comparison of three bits.
  assign cmd_valid_o  = head_valid && (unclaimed[PtrW:3] != '0 || {1'b0, unclaimed[2:0]} >= cmd_beats_o);
  assign head_ready   = cmd_valid_o && cmd_ready_i;
  assign cmd_pop      = head_valid && head_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_q        <= '0;
      committed_q <= '0;
      visible_q   <= '0;
      rd_q        <= '0;
      taken_q     <= '0;
      read_q      <= 1'b0;
      claimed_q   <= '0;
    end else begin
      wr_q <= abort_i ? committed_q : wr_d;
      if (commit_i && !abort_i) committed_q <= wr_d;
      visible_q <= committed_q;
      rd_q      <= rd_q + (PtrW+1)'(read);
      read_q    <= read;
      taken_q   <= taken_q + (PtrW+1)'(data_pop);
      if (cmd_pop) claimed_q <= claimed_q + (PtrW+1)'(cmd_beats_o);
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  logic [PtrW:0] held, unread;
  assign held   = wr_q - taken_q;
  assign unread = claimed_q - taken_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!cmd_valid_i || unused_ready);             // the sender had a credit
      assert (held <= (PtrW+1)'(DataDepth));
      assert (unread <= held);                           // reads stay within what is claimed
      assert (!data_ready_i || data_pop == (data_valid_o));
      assert (unclaimed <= (PtrW+1)'(DataDepth));
      assert (!cmd_pop || unclaimed >= (PtrW+1)'(cmd_beats_o));
      assert (!read_q || unused_ahead_ready);
    end
  end
endmodule
