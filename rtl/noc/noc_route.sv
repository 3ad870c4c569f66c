// Route of a packet in a router: along X, then along Y, then to the node.
module noc_route
  import noc_pkg::*;
(
  /// This router.
  input  logic [CoordW-1:0] x_i,
  input  logic [CoordW-1:0] y_i,
  input  header_t           header_i,
  output port_e             port_o
);
  always_comb begin
    if (header_i.destination_x != x_i) port_o = header_i.destination_x > x_i ? East : West;
    else if (header_i.destination_y != y_i) port_o = header_i.destination_y > y_i ? South : North;
    else port_o = Local;
  end
endmodule
