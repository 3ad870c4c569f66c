// What the packets of the nodes look like: flits of 32 bits behind the mesh's header.
//
//   request  header, address low and high, what is stored or computed with, and of atomics what is compared with
//   reply    header, what was there
//
// Addresses and words have as many flits as a register has (Xlen / 32); what is stored or was there has those of its
// size, at least one, none in the reply of a store or a fault.
package node_pkg;
  /// noc_pkg::header_t.rest of a request and of its reply, which takes it over but for the fault.
  typedef struct packed {
    logic [5:0] id;         // of the request among those of its source that are under way
    logic       own;        // namespace 0: the node's own memory
    logic       fault;      // of a reply
    logic       reserved;   // a store-conditional's reservation holds
    logic [2:0] kind;       // rv_core_pkg::remote_kind_e
    logic [4:0] op;         // xbgas_decode_pkg::alu_e
    logic [2:0] size;       // log2 of bytes
  } message_t;
endpackage
