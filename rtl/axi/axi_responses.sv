// Responses of the engine to the own host: by the tag's top bit, data and end of a read, or the end of
// a non-posted write. Takes what comes at once, so the response channel never waits for the master.
//
// Invariant: each response ends its request once, at its last beat; its credits go back then.
module axi_responses
  import ht_pkg::*;
  import engine_pkg::*;
#(
  /// Reads and non-posted writes under way.
  parameter int unsigned Depth = 32,
  localparam int unsigned PlaceW = $clog2(Depth)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  /// From the engine.
  input  logic              cmd_valid_i,
  input  logic [CmdW-1:0]   cmd_i,
  input  logic              data_valid_i,
  input  logic [63:0]       data_i,
  output logic              cmd_credit_o,
  output logic              data_credit_o,
  /// To the reads.
  output logic              word_valid_o,
  output logic [PlaceW-1:0] word_place_o,
  output logic [2:0]        word_index_o,
  output logic [63:0]       word_o,
  output logic              read_complete_o,
  /// To the writes.
  output logic              write_complete_o,
  output logic [PlaceW-1:0] place_o,
  output logic [1:0]        resp_o
);
  function automatic logic [1:0] resp_of(err_e err);
    unique case (err)
      ErrNone:        return 2'b00;  // OKAY
      ErrMasterAbort: return 2'b11;  // DECERR
      default:        return 2'b10;  // SLVERR
    endcase
  endfunction

  response_t         cmd;
  logic [PlaceW-1:0] place_q;
  logic [1:0]        resp_q;
  logic [3:0]        left_q, left;  // beats, this one included
  logic [2:0]        index_q;
  logic              with_data, data_end;

  assign cmd       = response_t'(cmd_i);
  assign with_data = cmd.cmd == CmdRdResp;
  assign left      = cmd_valid_i ? data_beats(cmd.cmd, cmd.count) : left_q;
  assign data_end  = data_valid_i && left == 4'd1;
  assign place_o   = cmd_valid_i ? PlaceW'({cmd.unit_id, cmd.src_tag}) : place_q;
  assign resp_o    = cmd_valid_i ? resp_of(err_e'({cmd.err1, cmd.err0})) : resp_q;

  assign cmd_credit_o     = cmd_valid_i;
  assign data_credit_o    = data_end;
  assign word_valid_o     = data_valid_i;
  assign word_place_o     = place_o;
  assign word_index_o     = cmd_valid_i ? '0 : index_q;
  assign word_o           = data_i;
  assign read_complete_o  = data_end;
  assign write_complete_o = cmd_valid_i && !with_data;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      index_q <= '0;
    end else begin
      left_q  <= left - 4'(data_valid_i);
      index_q <= word_index_o + 3'(data_valid_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (cmd_valid_i) begin
      place_q <= place_o;
      resp_q  <= resp_o;
    end
  end

  ////////////////
  // Assertions //
  ////////////////

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!cmd_valid_i || left_q == '0);
      assert (!data_valid_i || left != '0);
      assert (!cmd_valid_i || cmd.unit_id[4] == !with_data);  // reads get data, writes none
    end
  end
endmodule
