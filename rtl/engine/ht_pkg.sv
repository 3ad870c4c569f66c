// HyperTransport packets as the host side sees them: 96 bits of command (64 of the packet, 32 of the
// address extension before it) and data in beats of 64 bits.
package ht_pkg;
  /// Virtual channels; the order is that of every vector over channels.
  localparam int unsigned NumVc = 3;
  typedef enum logic [1:0] {
    VcPosted    = 2'd0,  // writes that nobody answers
    VcNonPosted = 2'd1,  // requests that are answered
    VcResponse  = 2'd2   // answers
  } vc_e;

  /// Commands this engine names. WrSized and RdSized carry options in their low bits.
  localparam logic [5:0] CmdFlush     = 6'b000010;
  localparam logic [5:0] CmdWrNp      = 6'b001000;  // [2] dwords rather than bytes
  localparam logic [5:0] CmdWrPosted  = 6'b101000;
  localparam logic [5:0] CmdRd        = 6'b010000;  // [3] the response may pass posted, [2] dwords
  localparam logic [5:0] CmdRdResp    = 6'b110000;
  localparam logic [5:0] CmdTgtDone   = 6'b110011;
  localparam logic [5:0] CmdBroadcast = 6'b111010;
  localparam logic [5:0] CmdFence     = 6'b111100;
  localparam logic [5:0] CmdAtomic    = 6'b111101;

  /// Error of a response, {Error1, Error0}.
  typedef enum logic [1:0] {
    ErrNone         = 2'b00,
    ErrData         = 2'b01,
    ErrTargetAbort  = 2'b10,
    ErrMasterAbort  = 2'b11   // nobody claimed the address
  } err_e;

  /// A request, the address extension first.
  typedef struct packed {
    logic [23:0] addr_ext;   // address 63:40
    logic [1:0]  unused_ext;
    logic [5:0]  ext_cmd;
    logic [37:0] addr;       // address 39:2
    logic [3:0]  count;      // dwords less one; of a byte read the mask of its dword
    logic        compat;
    logic [4:0]  src_tag;    // of a posted write: [4] data error, [3] chain
    logic        pass_pw;
    logic [1:0]  seq_lo;
    logic [4:0]  unit_id;
    logic [1:0]  seq_hi;
    logic [5:0]  cmd;
  } request_t;

  /// A response.
  typedef struct packed {
    logic [63:0] unused_hi;
    logic [1:0]  rq_uid;
    logic        err1;
    logic [2:0]  unused_mid;
    logic [3:0]  count;
    logic        err0;
    logic [4:0]  src_tag;
    logic        pass_pw;
    logic        bridge;
    logic        unused_13;
    logic [4:0]  unit_id;
    logic [1:0]  unused_lo;
    logic [5:0]  cmd;
  } response_t;

  localparam int unsigned CmdW = $bits(request_t);

  function automatic logic is_write(logic [5:0] cmd);
    return cmd[4:3] == 2'b01;  // x01xxx, posted or not
  endfunction
  function automatic logic is_posted_write(logic [5:0] cmd);
    return cmd[5:3] == 3'b101;
  endfunction
  function automatic logic is_np_write(logic [5:0] cmd);
    return cmd[5:3] == 3'b001;
  endfunction
  function automatic logic is_read(logic [5:0] cmd);
    return cmd[5:4] == 2'b01;
  endfunction
  function automatic logic has_data(logic [5:0] cmd);
    return is_write(cmd) || cmd == CmdAtomic || cmd == CmdRdResp;
  endfunction
  /// Beats of 64 bits that follow a command.
  function automatic logic [3:0] data_beats(logic [5:0] cmd, logic [3:0] count);
    return has_data(cmd) ? 4'((5'(count) + 5'd2) >> 1) : 4'd0;
  endfunction
endpackage
