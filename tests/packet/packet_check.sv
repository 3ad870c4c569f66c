// Takes packets a word a cycle and says what packet_pkg has to say of them: the verdicts, and the fields
// of the words as they come. For the test of the package; it keeps no payload.
module packet_check
  import packet_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  /// A packet begins; it has so many bytes. In this cycle no word is taken.
  input  logic start_i,
  input  logic [63:0] available_i,
  /// A word of it.
  input  logic valid_i,
  input  logic [63:0] word_i,
  /// What the receiver knows.
  input  logic [63:0] source_known_i,
  input  logic [63:0] destination_here_i,
  input  logic [63:0] segment_limit_i,
  input  logic [63:0] segment_rights_i,
  input  logic [63:0] signal_limit_i,
  input  logic [63:0] signal_rights_i,
  input  logic [63:0] handler_known_i,
  input  logic [63:0] token_open_i,
  input  logic [63:0] asked_segment_i,
  input  logic [63:0] asked_first_i,
  input  logic [63:0] asked_end_i,
  input  logic [63:0] payload_limit_i,
  input  logic [63:0] room_i,
  input  logic [63:0] credits_seen_i,
  input  logic [63:0] credits_owed_i,
  /// Of the packet so far; what they say counts when all words have been taken.
  output logic [7:0] verdict_o,
  output logic [2:0] action_o,
  output logic [7:0] receiver_verdict_o,
  output logic [63:0] payload_bytes_o,
  /// The word of this cycle, read as each of the words that a packet has.
  output logic [10:0][63:0] route_o,
  output logic [1:0][63:0] place_o,
  output logic [3:0][63:0] meaning_o,
  output logic [1:0][63:0] part_o,
  output logic [1:0][63:0] own_place_o,
  output logic [2:0][63:0] blocks_o,
  output logic [1:0][63:0] range_o,
  /// A datagram: its length and first two words.
  input  logic [63:0] datagram_bytes_i,
  input  logic [1:0][63:0] delivery_i,
  input  logic [63:0] connection_known_i,
  input  logic [63:0] mac_right_i,
  input  logic [63:0] number_seen_i,
  input  logic [63:0] expected_here_i,
  input  logic [63:0] unacknowledged_i,
  input  logic [63:0] in_flight_i,
  input  logic [63:0] sack_end_i,
  output logic [7:0] datagram_verdict_o,
  output logic [7:0] connection_verdict_o
);
  // ---- the packet's words

  logic [12:0] index_q, index_d;
  logic [63:0] available_q, available_d;
  logic [3:0][63:0] head_q, head_d;
  logic [2:0][63:0] descriptor_q, descriptor_d;
  logic [63:0] range_q, range_d;   // one that waits for the word behind it
  packet_facts_t ranges_q, ranges_d;  // sums over the ranges

  route_t route;
  place_t place;
  meaning_t meaning;
  part_t part;
  // verilator lint_off UNUSEDSIGNAL
  kind_facts_t kind;  // where its words lie; the checks ask for the rest themselves
  // verilator lint_on UNUSEDSIGNAL
  assign route = head_q[0];
  assign place = head_q[1];
  assign meaning = head_q[2];
  assign part = head_q[3];
  assign kind = kind_facts(route.kind);

  // Where in the packet the word of this cycle lies.
  logic [12:0] head_words, descriptor_at, range_at;
  logic is_descriptor, is_range;
  assign head_words = route.fragment ? 13'd4 : 13'd3;
  assign descriptor_at = index_q - head_words;
  assign range_at = descriptor_at - 13'(kind.descriptor_words);
  assign is_descriptor = index_q >= head_words && descriptor_at < 13'(kind.descriptor_words);
  assign is_range = index_q >= head_words + 13'(kind.descriptor_words) &&
                    range_at < 13'(kind.range_words) * 13'(meaning.detail);

  always_comb begin
    index_d = index_q;
    available_d = available_q;
    head_d = head_q;
    descriptor_d = descriptor_q;
    range_d = range_q;
    ranges_d = ranges_q;
    if (start_i) begin
      index_d = '0;
      available_d = available_i;
      head_d = '0;
      descriptor_d = '0;
      ranges_d = '0;
    end else if (valid_i) begin
      index_d = index_q + 13'd1;
      if (index_q < 13'd3 || (index_q == 13'd3 && route.fragment)) head_d[index_q[1:0]] = word_i;
      if (is_descriptor) descriptor_d[descriptor_at[1:0]] = word_i;
      if (is_range) begin
        range_d = word_i;
        if (kind.range_words == 2'd1) ranges_d = add_range(ranges_q, word_i, '0);
        else if (range_at[0]) ranges_d = add_range(ranges_q, range_q, word_i);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= '0;
      available_q <= '0;
      head_q <= '0;
      descriptor_q <= '0;
      range_q <= '0;
      ranges_q <= '0;
    end else begin
      index_q <= index_d;
      available_q <= available_d;
      head_q <= head_d;
      descriptor_q <= descriptor_d;
      range_q <= range_d;
      ranges_q <= ranges_d;
    end
  end

  // ---- verdicts

  packet_facts_t facts;
  verdict_e head_verdict, verdict;
  always_comb begin
    facts = add_descriptor(head_facts(available_q, route, place, meaning, part), descriptor_q);
    facts.ranges_total = ranges_q.ranges_total;
    facts.ranges_empty = ranges_q.ranges_empty;
    facts.ranges_reserved = ranges_q.ranges_reserved;
    facts.ranges_end = ranges_q.ranges_end;
    facts.source_known = source_known_i;
    facts.destination_here = destination_here_i;
    facts.segment_limit = segment_limit_i;
    facts.segment_rights = segment_rights_i;
    facts.signal_limit = signal_limit_i;
    facts.signal_rights = signal_rights_i;
    facts.handler_known = handler_known_i;
    facts.token_open = token_open_i;
    facts.asked_segment = asked_segment_i;
    facts.asked_first = asked_first_i;
    facts.asked_end = asked_end_i;
    facts.payload_limit = payload_limit_i;
    facts.room = room_i;
    facts.credits_seen = credits_seen_i;
    facts.credits_owed = credits_owed_i;
  end
  assign head_verdict = check_head(facts);
  assign verdict = head_verdict == VerdictAccepted ? check_body(facts) : head_verdict;
  assign verdict_o = verdict;
  assign action_o = action_of(verdict);
  assign receiver_verdict_o = check_receiver(facts);
  assign payload_bytes_o = facts.payload_bytes;

  // ---- the word of this cycle by its fields

  route_t as_route;
  place_t as_place;
  meaning_t as_meaning;
  part_t as_part;
  own_place_t as_own_place;
  blocks_t as_blocks;
  range_t as_range;
  assign as_route = word_i;
  assign as_place = word_i;
  assign as_meaning = word_i;
  assign as_part = word_i;
  assign as_own_place = word_i;
  assign as_blocks = word_i;
  assign as_range = word_i;
  assign route_o = {64'(as_route.last_word), 64'(as_route.arguments), 64'(as_route.pad),
                    64'(as_route.reserved_flag), 64'(as_route.fence), 64'(as_route.acknowledge),
                    64'(as_route.fragment), 64'(as_route.stream), 64'(as_route.kind), 64'(as_route.source),
                    64'(as_route.destination)};
  assign place_o = {64'(as_place.segment), 64'(as_place.offset)};
  assign meaning_o = {64'(as_meaning.token), 64'(as_meaning.credits), 64'(as_meaning.detail),
                      64'(as_meaning.handler)};
  assign part_o = {64'(as_part.part_offset), 64'(as_part.last_byte)};
  assign own_place_o = {64'(as_own_place.own_segment), 64'(as_own_place.own_offset)};
  assign blocks_o = {64'(as_blocks.count), 64'(as_blocks.block), 64'(as_blocks.stride)};
  assign range_o = {64'(as_range.range_bytes), 64'(as_range.range_offset)};

  // ---- datagrams

  datagram_facts_t datagram;
  always_comb begin
    datagram = opening_facts(datagram_bytes_i, delivery_i[0], delivery_i[1]);
    datagram.connection_known = connection_known_i;
    datagram.mac_right = mac_right_i;
    datagram.number_seen = number_seen_i;
    datagram.expected_here = expected_here_i;
    datagram.unacknowledged = unacknowledged_i;
    datagram.in_flight = in_flight_i;
    datagram.sack_end = sack_end_i;
  end
  assign datagram_verdict_o = check_datagram(datagram);
  assign connection_verdict_o = check_connection(datagram);
endmodule
