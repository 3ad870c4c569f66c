// One channel towards the host: beats go out while the host has room, in commands and in packets of
// data. A packet is begun only with both credits, so it never stops in its middle.
module host_tx
  import ht_pkg::*;
  import engine_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            valid_i,
  output logic            ready_o,
  input  host_beat_t      beat_i,
  /// To the host; credits from it.
  output logic            cmd_valid_o,
  output logic [CmdW-1:0] cmd_o,
  output logic            data_valid_o,
  output logic [63:0]     data_o,
  input  logic            cmd_credit_i,
  input  logic            data_credit_i
);
  logic some_cmd, some_data, go;
  logic [$clog2(HostCredits+1)-1:0] unused_cmds, unused_datas;

  assign go      = valid_i && (!beat_i.sop || (some_cmd && (some_data || !beat_i.has_data)));
  assign ready_o = go;

  credit_sender #(.Initial(HostCredits)) u_cmd (
    .clk_i, .rst_ni, .use_i(go && beat_i.sop), .return_i(cmd_credit_i), .some_o(some_cmd),
    .count_o(unused_cmds)
  );
  credit_sender #(.Initial(HostCredits)) u_data (
    .clk_i, .rst_ni, .use_i(go && beat_i.sop && beat_i.has_data), .return_i(data_credit_i),
    .some_o(some_data), .count_o(unused_datas)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cmd_valid_o  <= 1'b0;
      data_valid_o <= 1'b0;
    end else begin
      cmd_valid_o  <= go && beat_i.sop;
      data_valid_o <= go && beat_i.has_data;
    end
  end
  always_ff @(posedge clk_i) begin
    cmd_o  <= beat_i.cmd;
    data_o <= beat_i.data;
  end
endmodule
