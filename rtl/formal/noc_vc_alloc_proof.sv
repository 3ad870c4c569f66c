// Channels of an output are given to one packet at a time, of their own class, to somebody who asks for
// that output; and none stays free while somebody of its class asks. For any requests, credits and ends
// of packets. Which of those that ask: tests/noc, against the simulator.
module noc_vc_alloc_proof
  import noc_pkg::*;
#(
  parameter int unsigned PerClass = 2,
  localparam int unsigned Channels = NumClasses * PerClass,
  localparam int unsigned ChannelW = $clog2(Channels)
) (
  input logic                                   clk_i,
  input logic [NumPorts-1:0][Channels-1:0]      request_i,
  input logic [NumPorts-1:0][Channels-1:0][2:0] port_i,
  input logic [NumPorts-1:0][Channels-1:0]      credit_i,
  input logic [NumPorts-1:0][Channels-1:0]      end_i
);
  // Reset in the first cycle, and then no more.
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumPorts-1:0][Channels-1:0]               request, grant;
  logic [NumPorts-1:0][Channels-1:0][NumPorts-1:0] route;
  logic [NumPorts-1:0][Channels-1:0][ChannelW-1:0] channel;
  logic [NumPorts-1:0][Channels-1:0]               taken_q, given;  // by output: owned; given now
  logic                                            twice, unasked, strange;
  logic [NumPorts-1:0][NumClasses-1:0]             asked;           // somebody asks for one that is free

  always_comb begin
    for (int unsigned i = 0; i < NumPorts; i++) begin
      for (int unsigned c = 0; c < Channels; c++) begin
        route[i][c]   = NumPorts'(1) << port_i[i][c];
        // As routes are: to a port, by a turn that there is.
        request[i][c] = request_i[i][c] && port_i[i][c] < 3'd5 && (route[i][c] & Turns[i]) != '0;
      end
    end
  end

  noc_vc_alloc #(.PerClass(PerClass)) u_alloc (
    .clk_i, .rst_ni, .request_i(request), .route_i(route), .grant_o(grant), .grant_channel_o(channel),
    .has_credit_i(credit_i), .release_i(end_i & taken_q)
  );

  always_comb begin
    given   = '0;
    twice   = 1'b0;
    strange = 1'b0;
    unasked = (grant & ~request) != '0;
    asked   = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      for (int unsigned c = 0; c < Channels; c++) begin
        for (int unsigned o = 0; o < NumPorts; o++) begin
          if (request[i][c] && route[i][c][o] && !grant[i][c]) asked[o][c / PerClass] = 1'b1;
          if (grant[i][c] && route[i][c][o]) begin
            for (int unsigned d = 0; d < Channels; d++) begin
              if (channel[i][c] == ChannelW'(d)) begin
                twice       = twice || given[o][d] || taken_q[o][d];
                strange     = strange || d / PerClass != c / PerClass;
                given[o][d] = 1'b1;
              end
            end
          end
        end
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= '0;
    else taken_q <= (taken_q | given) & ~(end_i & taken_q);
  end
  for (genvar o = 0; o < int'(NumPorts); o++) begin : gen_output
    for (genvar k = 0; k < int'(NumClasses); k++) begin : gen_class
      // Who asks in vain does so because all of its class are owned, or given now.
      always_ff @(posedge clk_i) begin
        if (rst_ni) assert (!asked[o][k] || (taken_q[o][k*PerClass +: PerClass] | given[o][k*PerClass +: PerClass]) == '1);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!twice);
      assert (!unasked);
      assert (!strange);
    end
  end
endmodule
