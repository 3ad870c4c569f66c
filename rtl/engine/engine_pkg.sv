// What the engine's modules share: packets of the network, tags, outcomes, the configuration.
package engine_pkg;
  import ht_pkg::*;

  localparam int unsigned AddrW      = 48;    // physical address
  localparam int unsigned NodeW      = 16;    // node number on the wire
  localparam int unsigned NodeIdxW   = 10;    // nodes that the node table can name: 1024
  localparam int unsigned LineW      = 6;     // 64 B: no request crosses a line
  localparam int unsigned HostTagW   = 10;    // UnitID and SrcTag
  localparam int unsigned OriginTagW = 11;    // [10] set: the engine's own requests
  localparam int unsigned GenW       = 4;     // generation of an origin tag
  localparam int unsigned StampW     = 16;    // time, in ticks
  localparam int unsigned NumIntervals = 8;
  localparam int unsigned NumWindows   = 4;
  localparam int unsigned NumStreams   = 4;   // that prefetch follows
  localparam int unsigned QuotaGroupW  = 6;   // quotas are counted by the node's low bits

  /// Credits: packets of a channel on the link, commands and data packets on the host side.
  localparam int unsigned NetCredits  = 16;
  localparam int unsigned HostCredits = 32;

  /// Header of a packet of the network. Requests send four words, responses the low two.
  typedef struct packed {
    logic [15:0] addr_hi;    // word 3
    logic [11:0] unused_w3;
    logic [3:0]  seq_id;
    logic [29:0] addr_lo;    // word 2: address 31:2
    logic [1:0]  unused_w2;
    logic [GenW-1:0] gen;    // word 1
    logic        unused_w1;
    logic [OriginTagW-1:0] tag;
    logic [NodeW-1:0] src;
    logic [NodeW-1:0] dest;  // word 0
    logic [2:0]  unused_w0;
    err_e        err;
    logic        pass_pw;
    logic [3:0]  count;
    logic [5:0]  cmd;
  } net_header_t;
  localparam int unsigned NetHeaderW = $bits(net_header_t);

  function automatic logic [AddrW-1:0] net_addr(net_header_t h);
    return {h.addr_hi, h.addr_lo, 2'b00};
  endfunction

  /// A beat towards the host: the command comes with the first one.
  typedef struct packed {
    logic            sop;
    logic            has_data;
    logic [63:0]     data;
    logic [CmdW-1:0] cmd;
  } host_beat_t;
  /// A beat towards the network.
  typedef struct packed {
    logic        sop;
    logic        has_data;
    logic [63:0] data;
    net_header_t header;
  } net_beat_t;
  localparam int unsigned HostBeatW = $bits(host_beat_t);
  localparam int unsigned NetBeatW  = $bits(net_beat_t);

  /// Beats on their way; the other direction is a ready.
  typedef struct packed {
    logic       valid;
    logic       last;
    host_beat_t beat;
  } host_stream_t;
  typedef struct packed {
    logic      valid;
    logic      last;
    net_beat_t beat;
  } net_stream_t;

  /// The head of a receive queue, where its order allows it to go: a command with the number of its beats,
  /// and beats, in the order of the commands.
  typedef struct packed {
    logic        cmd_valid;
    logic [3:0]  beats;
    request_t    cmd;
    logic        data_valid;
    logic [63:0] data;
  } host_head_t;
  typedef struct packed {
    logic        cmd_valid;
    logic [3:0]  beats;
    net_header_t header;
    logic        data_valid;
    logic [63:0] data;
  } net_head_t;
  /// What its reader takes; a packet and its data are gone.
  typedef struct packed {
    logic cmd_ready;
    logic data_ready;
    logic done;
  } head_take_t;


  /// The engine's own requests, by bits [9:8] of their tag.
  typedef enum logic [1:0] {
    OwnPrefetch = 2'd0,
    OwnBulk     = 2'd1,
    OwnFlush    = 2'd2
  } own_e;

  /// Who waits at the target for the response to a tag.
  typedef enum logic [1:0] {
    ForRemote = 2'd0,  // an origin; its tag and node are in the entry
    ForAtomic = 2'd1,  // the atomic unit; the entry's tag is its slot
    ForBulk   = 2'd2   // the bulk unit; the entry's tag is its fragment
  } waiter_e;

  /// Entry of the matching store, indexed by the target's tag.
  typedef struct packed {
    logic [NodeW-1:0]      node;
    logic [OriginTagW-1:0] tag;
    logic [GenW-1:0]       gen;
    waiter_e               waiter;
    logic                  is_read;   // RdResponse is the right answer
    logic [3:0]            count;     // its dwords less one
    logic                  pass_pw;   // of the response
  } match_t;

  /// Entry of the origin table, indexed by the origin's tag.
  typedef struct packed {
    logic [NodeW-1:0] node;
    logic             is_read;
    logic [3:0]       count;
    logic             pass_pw;
  } outstanding_t;

  /// What a response says of itself.
  typedef struct packed {
    logic [3:0] beats;
    logic [3:0] count;
    logic       is_data;
    err_e       err;
    logic       pass_pw;
  } response_head_t;

  /// A response without data of its own: the error expander gives the host what it waits for.
  typedef struct packed {
    logic [HostTagW-1:0] tag;
    logic                is_read;
    logic [3:0]          count;
    logic                pass_pw;
    err_e                err;
  } answer_t;

  /// What becomes of a request of the host after translation.
  typedef enum logic [1:0] {
    OutSend  = 2'd0,
    OutDrop  = 2'd1,   // posted: counted
    OutError = 2'd2,   // non-posted: answered with `err`
    OutFlush = 2'd3
  } outcome_e;

  /// Who asked for a translation, so that the result goes back.
  typedef enum logic [1:0] {
    AskPosted    = 2'd0,
    AskNonPosted = 2'd1,
    AskBulk      = 2'd2
  } asker_e;

  typedef struct packed {
    logic             valid;
    logic             fixed;      // one node for the whole interval, not the centrifuge
    logic             prefetch;   // reads may be prefetched
    logic             read_only;
    logic [NodeW-1:0] node;
    logic [AddrW-13:0] first;     // 4 KiB pages, inclusive
    logic [AddrW-13:0] last;
  } interval_t;

  typedef struct packed {
    logic              valid;
    logic              read;
    logic              write;
    logic              atomic;
    logic [NodeW-1:0]  origin_first;
    logic [NodeW-1:0]  origin_last;
    logic [AddrW-7:0]  first;     // lines, inclusive
    logic [AddrW-7:0]  last;
  } window_t;

  typedef struct packed {
    logic                   enable;
    logic                   expire;        // every open tag counts as timed out
    logic                   compact;       // offsets by PEXT; else the paper's equation (3)
    logic [NodeW-1:0]       node_id;
    logic [AddrW-1:0]       origin_start;
    logic [AddrW-1:0]       mask;          // bits of the global address that name the node
    logic [5:0]             global_width;  // global addresses are below 2^this
    logic [StampW-1:0]      timeout;       // in ticks; 0: never
    logic [3:0]             tick_log;      // cycles of a tick: 2^this
    logic [10:0]            origin_quota;  // open requests to one target
    logic [10:0]            target_quota;  // tags of one origin
    logic                   prefetch_enable;
    logic [5:0]             prefetch_lines; // ahead of a stream
    interval_t [NumIntervals-1:0] interval;
    window_t [NumWindows-1:0]     window;
  } config_t;

  /// Events that registers count, one bit each.
  typedef struct packed {
    logic p_dropped_origin;  // posted, not claimed or illegal
    logic np_refused_origin; // non-posted, not claimed or illegal
    logic np_duplicate_tag;  // the host used a tag that is still open
    logic origin_timeout;
    logic late_response;     // of the network, after its time-out
    logic stray_response;    // of the network, nobody waits for it
    logic bad_response;      // of a kind or length that was not asked for
    logic fence;
    logic non_forwarded;     // broadcast and other packets that stay here
    logic prefetch_hit;
    logic prefetch_issue;
    logic prefetch_waste;    // a line that was thrown away unread
  } origin_events_t;
  typedef struct packed {
    logic p_dropped_target;  // outside the windows
    logic np_refused_target;
    logic np_over_quota;     // refused at the target
    logic target_timeout;
    logic late_host;         // of the own host, after the target's time-out
    logic stray_host;
    logic bad_response;
  } target_events_t;
  typedef struct packed {
    logic           rx_malformed;  // packet of the network with a wrong length or kind
    logic           rx_misrouted;  // for another node
    origin_events_t origin;
    target_events_t target;
  } events_t;
  localparam int unsigned NumEvents = $bits(events_t);

  /// Commands towards the host.
  function automatic request_t host_request(logic [5:0] cmd, logic [3:0] count, logic [AddrW-1:0] addr,
                                            logic [HostTagW-1:0] tag, logic [3:0] seq_id, logic pass_pw);
    request_t r;
    r = '0;
    r.ext_cmd  = addr[AddrW-1:40] != '0 ? 6'b111110 : '0;
    r.addr_ext = 24'(addr[AddrW-1:40]);
    r.addr     = addr[39:2];
    r.count    = count;
    {r.unit_id, r.src_tag} = tag;
    {r.seq_hi, r.seq_lo}   = seq_id;
    r.pass_pw  = pass_pw;
    r.cmd      = cmd;
    return r;
  endfunction
  function automatic response_t host_response(logic [5:0] cmd, logic [3:0] count,
                                              logic [HostTagW-1:0] tag, logic pass_pw, err_e err);
    response_t r;
    r = '0;
    {r.unit_id, r.src_tag} = tag;
    {r.err1, r.err0}       = err;
    r.count   = count;
    r.pass_pw = pass_pw;
    r.cmd     = cmd;
    return r;
  endfunction
  /// Bits 47:0 of the address: all of it, of a request that is in reach.
  function automatic logic [AddrW-1:0] request_addr(request_t r);
    return {r.addr_ext[AddrW-41:0], r.addr, 2'b00};
  endfunction
  /// Addresses of more than 48 bits are nobody's.
  function automatic logic in_reach(request_t r);
    return r.addr_ext[23:AddrW-40] == '0;
  endfunction

  /// Row of the locks that stand for a line's words, where atomics are executed.
  function automatic logic [5:0] lock_row(logic [AddrW-1:0] addr);
    return addr[11:6] ^ addr[17:12] ^ addr[23:18];
  endfunction

  /// A lock that has been given up.
  typedef struct packed {
    logic       valid;
    logic [5:0] row;
    logic [2:0] word;
  } unlock_t;

  /// What a request's response carries.
  function automatic logic [3:0] response_count(logic [5:0] cmd, logic [3:0] count);
    if (cmd == CmdAtomic) return count == 4'd5 ? 4'd3 : 4'd1;
    if (is_read(cmd) && !cmd[2]) return 4'd0;  // byte read: one dword
    return count;
  endfunction

  /// A legal request stays in its line, names as many dwords as its kind allows.
  function automatic logic is_legal(logic [5:0] cmd, logic [3:0] count, logic [5:2] addr);
    if (cmd == CmdAtomic) return !addr[2] && (count == 4'd1 || count == 4'd3 || count == 4'd5);
    if (is_write(cmd) && !cmd[2]) return count >= 4'd1 && count <= 4'd8 && 5'(addr[4:2]) + 5'(count) <= 5'd8;
    if (is_read(cmd) && !cmd[2]) return 1'b1;
    return 6'(addr) + 6'(count) <= 6'd15;
  endfunction
endpackage
