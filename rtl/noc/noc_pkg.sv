// What the modules of the mesh share: ports, flits, and which turns there are.
package noc_pkg;
  /// Ports of a router, in the order in which they are asked.
  localparam int unsigned NumPorts = 5;
  typedef enum logic [2:0] {
    North = 3'd0,  // towards row 0
    East  = 3'd1,
    South = 3'd2,
    West  = 3'd3,  // towards column 0
    Local = 3'd4   // the node
  } port_e;

  /// Message classes: requests, and replies, which must never wait for requests.
  localparam int unsigned NumClasses = 2;

  /// Columns and rows count up to eight.
  localparam int unsigned CoordW = 3;

  /// First flit of a packet. The mesh reads the destination and carries the rest.
  typedef struct packed {
    logic [19:0]       rest;           // type and length, for the network interfaces
    logic [CoordW-1:0] source_y;
    logic [CoordW-1:0] source_x;
    logic [CoordW-1:0] destination_y;
    logic [CoordW-1:0] destination_x;
  } header_t;

  /// A packet of one flit has both marks.
  typedef struct packed {
    logic        head;
    logic        tail;
    logic [31:0] data;
  } flit_t;

  /// Turns of XY routing: X first, never back, never from Y to X. Rows are inputs, Local first; in a row
  /// outputs, Local first.
  localparam bit [NumPorts-1:0][NumPorts-1:0] Turns = {
    5'b11111,  // Local
    5'b10111,  // West
    5'b10001,  // South
    5'b11101,  // East
    5'b10100   // North
  };
endpackage
