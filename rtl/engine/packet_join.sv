// Puts a command that has been worked on back together with its data, as a stream of beats; drops
// both if told so.
//
// Invariants: takes exactly the command's beats; done_o once for each command.
module packet_join #(
  /// Bits of a command.
  parameter int unsigned CmdWidth = 96
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  /// Commands, with the number of beats that follow and what is to be done.
  input  logic                cmd_valid_i,
  output logic                cmd_ready_o,
  input  logic [CmdWidth-1:0] cmd_i,
  input  logic [3:0]          cmd_beats_i,
  input  logic                cmd_drop_i,
  input  logic                data_valid_i,
  output logic                data_ready_o,
  input  logic [63:0]         data_i,
  /// Beats; at least one for each command that is not dropped.
  output logic                valid_o,
  input  logic                ready_i,
  output logic [CmdWidth-1:0] cmd_o,
  output logic [63:0]         data_o,
  output logic                has_data_o,
  output logic                sop_o,
  output logic                last_o,
  /// A command and its data are gone.
  output logic                done_o
);
  logic [3:0] beat_q;
  logic       advance, empty;

  assign empty      = cmd_beats_i == '0;
  assign last_o     = empty || beat_q + 4'd1 == cmd_beats_i;
  assign sop_o      = beat_q == '0;
  assign has_data_o = !empty;
  assign cmd_o      = cmd_i;
  assign data_o     = data_i;
  assign valid_o    = cmd_valid_i && !cmd_drop_i && (empty || data_valid_i);
  assign advance    = cmd_valid_i && (empty || data_valid_i) && (cmd_drop_i || ready_i);
  assign data_ready_o = advance && !empty;
  assign cmd_ready_o  = advance && last_o;
  assign done_o       = cmd_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (advance) beat_q <= last_o ? '0 : beat_q + 4'd1;
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (beat_q == '0 || beat_q < cmd_beats_i);
  end
endmodule
