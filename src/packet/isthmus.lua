-- Written by src/packet/generator/generate.py from src/packet/format.toml.
--
-- Wireshark's dissector for the packets of Isthmus: datagrams over UDP, bare packets over TCP.
--     wireshark -X lua_script:isthmus.lua          datagrams are known by their first two bytes
--     tshark -X lua_script:isthmus.lua -d tcp.port==PORT,isthmus_stream -r FILE
-- It says of each packet what a receiver does with it, as far as the bytes alone tell (isthmus.cause).

local datagrams = Proto("isthmus", "Isthmus datagram")
local stream = Proto("isthmus_stream", "Isthmus packets on a stream")

local KINDS = {
    [1] = "short_message",
    [2] = "medium_message",
    [3] = "put",
    [4] = "put_blocks",
    [5] = "put_ranges",
    [6] = "put_signal",
    [7] = "get",
    [8] = "get_medium",
    [9] = "get_blocks",
    [10] = "get_ranges",
    [11] = "data",
    [12] = "data_blocks",
    [13] = "data_ranges",
    [14] = "atomic",
    [15] = "compare_swap",
    [16] = "result",
    [17] = "flush",
    [18] = "ack",
    [19] = "nack",
    [20] = "core_request",
    [21] = "core_answer",
    [22] = "credit",
    [23] = "heartbeat",
    [24] = "bye",
    [25] = "seal",
}
local STREAMS = {
    [0] = "request",
    [1] = "reply",
    [2] = "control",
}
local OPERATIONS = {
    [0] = "fetch",
    [1] = "set",
    [2] = "swap",
    [3] = "add",
    [4] = "bit_and",
    [5] = "bit_or",
    [6] = "bit_xor",
    [7] = "minimum",
    [8] = "maximum",
    [9] = "compare_swap",
}
local WIDTHS = {
    [1] = "bytes2",
    [2] = "bytes4",
    [3] = "bytes8",
}
local BYES = {
    [0] = "finished",
    [1] = "failed",
}
-- Number, action and meaning of each cause.
local CAUSES = {
    truncated = {1, "end", "Fewer bytes than the packet has words. On a stream: wait for the others; only a stream that ends here is at fault."},
    too_few_words = {2, "end", "No packet is shorter than its head."},
    reserved_stream = {3, "drop", "Whether it is a request is not known, so that it is not answered."},
    unknown_kind = {4, "refuse", "A number that no kind has."},
    wrong_stream = {5, "refuse", "The kind does not travel in this stream."},
    wrong_flag = {6, "refuse", "A flag that the kind does not have, or the reserved one; or a reply that wants an answer or waits."},
    too_many_arguments = {7, "refuse", "More than 32 arguments."},
    wrong_arguments = {8, "refuse", "The kind has no arguments."},
    no_ranges = {9, "refuse", "A kind with ranges has none."},
    too_short = {10, "refuse", "Head, descriptor and arguments do not fit into the packet."},
    wrong_payload = {11, "refuse", "The kind has no payload."},
    no_payload = {12, "refuse", "The kind, or a fragment, has at least a byte of payload."},
    wrong_pad = {13, "refuse", "Padding of a payload that is not there."},
    wrong_place = {14, "refuse", "The kind has no place."},
    wrong_offset = {15, "refuse", "Ranges say their offsets themselves."},
    wrong_handler = {16, "refuse", "The kind has no handler."},
    wrong_detail = {17, "refuse", "The kind has no detail."},
    unknown_operation = {18, "refuse", "Not an operation of this kind."},
    unknown_width = {19, "refuse", "Words of atomics have 2, 4 or 8 bytes; signals have 8."},
    reserved_detail = {20, "refuse", "Reserved bits of `detail` are set."},
    unknown_reason = {21, "refuse", "A reason that nobody gives: of a nack one that is not the number of a cause that refuses."},
    misaligned = {22, "refuse", "The word of an atomic or signal lies at a multiple of its size."},
    outside_message = {23, "refuse", "The fragment reaches behind its message's end."},
    reserved_bits = {24, "refuse", "Reserved bits of a descriptor are set."},
    no_blocks = {25, "refuse", "No blocks, or blocks of no bytes."},
    wrong_blocks = {26, "refuse", "The blocks are not as long as the payload."},
    empty_range = {27, "refuse", "A range has no bytes."},
    wrong_ranges = {28, "refuse", "The ranges are not as long as the payload."},
    answer_too_long = {29, "refuse", "More than a medium packet holds."},
    wrong_source = {30, "drop", "The source is not a PE behind this connection."},
    wrong_destination = {31, "refuse", "The destination is not a PE of this node."},
    too_many_credits = {32, "end", "More cells are freed than are in use. A packet that was overtaken has an older number; that says nothing new."},
    over_credit = {33, "end", "A request takes more cells than its source was given."},
    unknown_segment = {34, "refuse", "No such segment."},
    no_right = {35, "refuse", "The segment may not be used for this."},
    out_of_bounds = {36, "refuse", "The place does not lie in the segment."},
    unknown_handler = {37, "refuse", "Nobody has registered the handler."},
    payload_too_long = {38, "refuse", "The destination's queue does not take so long a payload."},
    unknown_token = {39, "drop", "Nobody waits for this answer."},
    not_asked = {40, "drop", "The data would go where the open get did not ask for any."},
    refused_by_core = {41, "refuse", "The library refuses the request; no packet is wrong by itself."},
    truncated_datagram = {42, "drop", "Not whole words, or fewer than three."},
    wrong_magic = {43, "drop", "Not one of ours, or one of the join."},
    too_many_sack_words = {44, "drop", "More than four words `sack`."},
    truncated_delivery = {45, "drop", "The words of delivery do not fit."},
    reserved_opening = {46, "drop", "Reserved bits are set."},
    unknown_connection = {47, "drop", "No such connection, or not from this address."},
    wrong_mac = {48, "drop", "A stranger's, or changed on its way."},
    seen = {49, "repeat", "Repeated or replayed. The sender may not know that it has arrived."},
    outside_window = {50, "drop", "Too far ahead to be acknowledged, or old."},
    wrong_expected = {51, "drop", "Acknowledges what was never sent. Numbers from the past say nothing new and are not looked at."},
    wrong_sack = {52, "drop", "The same, by the words `sack`."},
}
local MAGIC = 21321

local fields = {}
fields.destination = ProtoField.uint32("isthmus.destination", "destination", base.DEC, nil, nil, "PE that the packet is for")
fields.source = ProtoField.uint32("isthmus.source", "source", base.DEC, nil, nil, "PE that sent it")
fields.kind = ProtoField.uint8("isthmus.kind", "kind", base.DEC, KINDS, nil, "what it is")
fields.stream = ProtoField.uint8("isthmus.stream", "stream", base.DEC, STREAMS, nil, "stream that it travels in")
fields.fragment = ProtoField.bool("isthmus.fragment", "fragment", base.NONE, nil, nil, "1: the packet is part of a longer message, and has the word `part`")
fields.acknowledge = ProtoField.bool("isthmus.acknowledge", "acknowledge", base.NONE, nil, nil, "1: the sender wants an answer")
fields.fence = ProtoField.bool("isthmus.fence", "fence", base.NONE, nil, nil, "1: takes effect behind everything that the source sent to the destination before")
fields.reserved_flag = ProtoField.bool("isthmus.reserved_flag", "reserved_flag", base.NONE, nil, nil, "0")
fields.pad = ProtoField.uint32("isthmus.pad", "pad", base.DEC, nil, nil, "bytes of the last word that are no payload")
fields.arguments = ProtoField.uint32("isthmus.arguments", "arguments", base.DEC, nil, nil, "number of 32-bit arguments, 0 to 32")
fields.last_word = ProtoField.uint32("isthmus.last_word", "last_word", base.DEC, nil, nil, "number of the packet's last word: words - 1")
fields.offset = ProtoField.uint64("isthmus.offset", "offset", base.DEC, nil, nil, "byte in the segment")
fields.segment = ProtoField.uint32("isthmus.segment", "segment", base.DEC, nil, nil, "segment of the destination, by its number in the table that was exchanged at the join")
fields.handler = ProtoField.uint32("isthmus.handler", "handler", base.DEC, nil, nil, "who is told; 0: nobody")
fields.detail = ProtoField.uint32("isthmus.detail", "detail", base.DEC, nil, nil, "by kind: number of ranges, operation and width, or a reason")
fields.credits = ProtoField.uint32("isthmus.credits", "credits", base.DEC, nil, nil, "cells of the destination's requests that the source has freed so far, modulo 2^16")
fields.token = ProtoField.uint32("isthmus.token", "token", base.DEC, nil, nil, "of the one who asks; comes back in the answer")
fields.last_byte = ProtoField.uint32("isthmus.last_byte", "last_byte", base.DEC, nil, nil, "number of the message's last byte: bytes - 1")
fields.part_offset = ProtoField.uint32("isthmus.part_offset", "part_offset", base.DEC, nil, nil, "where this packet's first byte lies in the message")
fields.operation = ProtoField.uint8("isthmus.operation", "operation", base.DEC, OPERATIONS, nil, "what is done")
fields.width = ProtoField.uint8("isthmus.width", "width", base.DEC, WIDTHS, nil, "size of the word")
fields.reserved_detail = ProtoField.uint32("isthmus.reserved_detail", "reserved_detail", base.DEC, nil, nil, "0")
fields.own_offset = ProtoField.uint64("isthmus.own_offset", "own_offset", base.DEC, nil, nil, "byte in the segment")
fields.own_segment = ProtoField.uint32("isthmus.own_segment", "own_segment", base.DEC, nil, nil, "segment, by a number of the asker's own")
fields.last_asked = ProtoField.uint32("isthmus.last_asked", "last_asked", base.DEC, nil, nil, "bytes - 1")
fields.reserved_extent = ProtoField.uint32("isthmus.reserved_extent", "reserved_extent", base.DEC, nil, nil, "0")
fields.stride = ProtoField.int32("isthmus.stride", "stride", base.DEC, nil, nil, "bytes from the start of a block to that of the next; may be 0 or negative")
fields.block = ProtoField.uint32("isthmus.block", "block", base.DEC, nil, nil, "bytes of a block, from 1")
fields.count = ProtoField.uint32("isthmus.count", "count", base.DEC, nil, nil, "number of blocks, from 1")
fields.own_stride = ProtoField.int32("isthmus.own_stride", "own_stride", base.DEC, nil, nil, "bytes from the start of a block to that of the next")
fields.reserved_own_blocks = ProtoField.uint32("isthmus.reserved_own_blocks", "reserved_own_blocks", base.DEC, nil, nil, "0")
fields.range_offset = ProtoField.uint64("isthmus.range_offset", "range_offset", base.DEC, nil, nil, "first byte in the segment")
fields.range_bytes = ProtoField.uint32("isthmus.range_bytes", "range_bytes", base.DEC, nil, nil, "length, from 1")
fields.own_range_offset = ProtoField.uint64("isthmus.own_range_offset", "own_range_offset", base.DEC, nil, nil, "first byte in the segment of `own_place`")
fields.reserved_own_range = ProtoField.uint32("isthmus.reserved_own_range", "reserved_own_range", base.DEC, nil, nil, "0")
fields.signal_offset = ProtoField.uint64("isthmus.signal_offset", "signal_offset", base.DEC, nil, nil, "byte in the segment, a multiple of 8")
fields.signal_segment = ProtoField.uint32("isthmus.signal_segment", "signal_segment", base.DEC, nil, nil, "segment of the destination")
fields.operand = ProtoField.uint64("isthmus.operand", "operand", base.DEC, nil, nil, "value")
fields.compare = ProtoField.uint64("isthmus.compare", "compare", base.DEC, nil, nil, "value")
fields.value = ProtoField.uint64("isthmus.value", "value", base.DEC, nil, nil, "value")
fields.state = ProtoField.uint64("isthmus.state", "state", base.DEC, nil, nil, "value")
fields.last_covered = ProtoField.uint32("isthmus.last_covered", "last_covered", base.DEC, nil, nil, "words behind the seal, less one")
fields.reserved_cover = ProtoField.uint32("isthmus.reserved_cover", "reserved_cover", base.DEC, nil, nil, "0")
fields.record = ProtoField.uint32("isthmus.record", "record", base.DEC, nil, nil, "number of this seal on the connection, the low half of 64 bits, from 0")
fields.hash_low = ProtoField.uint64("isthmus.hash_low", "hash_low", base.DEC, nil, nil, "its first 8 bytes")
fields.hash_high = ProtoField.uint64("isthmus.hash_high", "hash_high", base.DEC, nil, nil, "its last 8 bytes")
fields.magic = ProtoField.uint32("isthmus.magic", "magic", base.HEX, nil, nil, "0x5349, the letters IS")
fields.sack_words = ProtoField.uint32("isthmus.sack_words", "sack_words", base.DEC, nil, nil, "number of words `sack`, 0 to 4")
fields.timed = ProtoField.bool("isthmus.timed", "timed", base.NONE, nil, nil, "1: the word `times` follows")
fields.reserved_opening = ProtoField.uint32("isthmus.reserved_opening", "reserved_opening", base.DEC, nil, nil, "0")
fields.connection = ProtoField.uint32("isthmus.connection", "connection", base.DEC, nil, nil, "number that the receiver gave the connection at the join")
fields.number = ProtoField.uint32("isthmus.number", "number", base.DEC, nil, nil, "of this datagram, the low half of 64 bits; a repetition has the same. Without packets: of the next one")
fields.expected = ProtoField.uint32("isthmus.expected", "expected", base.DEC, nil, nil, "lowest number that the sender has not received")
fields.sent = ProtoField.uint32("isthmus.sent", "sent", base.DEC, nil, nil, "clock of the sender")
fields.echo = ProtoField.uint32("isthmus.echo", "echo", base.DEC, nil, nil, "`sent` of the datagram that was received last")
fields.received = ProtoField.uint64("isthmus.received", "received", base.HEX, nil, nil, "one bit a datagram")
fields.mac = ProtoField.uint64("isthmus.mac", "mac", base.HEX, nil, nil, "the hash")
fields.cause = ProtoField.string("isthmus.cause", "cause")
fields.action = ProtoField.string("isthmus.action", "action")
fields.packet = ProtoField.none("isthmus.packet", "packet")
fields.words = ProtoField.uint32("isthmus.words", "words")
fields.argument = ProtoField.uint32("isthmus.argument", "argument", base.HEX_DEC)
fields.payload = ProtoField.bytes("isthmus.payload", "payload")
fields.payload_bytes = ProtoField.uint32("isthmus.payload_bytes", "payload bytes")
local illegal = ProtoExpert.new("isthmus.illegal", "Not legal", expert.group.MALFORMED, expert.severity.ERROR)
local list = {}
for _, field in pairs(fields) do list[#list + 1] = field end
datagrams.fields = list
datagrams.experts = {illegal}

-- ---- layouts: name, lowest bit, bits, sign

local WORDS = {
    route = {{"destination", 0, 16, false}, {"source", 16, 16, false}, {"kind", 32, 5, false}, {"stream", 37, 2, false}, {"fragment", 39, 1, false}, {"acknowledge", 40, 1, false}, {"fence", 41, 1, false}, {"reserved_flag", 42, 1, false}, {"pad", 43, 3, false}, {"arguments", 46, 6, false}, {"last_word", 52, 12, false}},
    place = {{"offset", 0, 48, false}, {"segment", 48, 16, false}},
    meaning = {{"handler", 0, 8, false}, {"detail", 8, 8, false}, {"credits", 16, 16, false}, {"token", 32, 32, false}},
    part = {{"last_byte", 0, 32, false}, {"part_offset", 32, 32, false}},
    atomic = {{"operation", 0, 4, false}, {"width", 4, 2, false}, {"reserved_detail", 6, 2, false}},
    own_place = {{"own_offset", 0, 48, false}, {"own_segment", 48, 16, false}},
    extent = {{"last_asked", 0, 32, false}, {"reserved_extent", 32, 32, false}},
    blocks = {{"stride", 0, 32, true}, {"block", 32, 16, false}, {"count", 48, 16, false}},
    own_blocks = {{"own_stride", 0, 32, true}, {"reserved_own_blocks", 32, 32, false}},
    range = {{"range_offset", 0, 48, false}, {"range_bytes", 48, 16, false}},
    own_range = {{"own_range_offset", 0, 48, false}, {"reserved_own_range", 48, 16, false}},
    signal = {{"signal_offset", 0, 48, false}, {"signal_segment", 48, 16, false}},
    operand = {{"operand", 0, 64, false}},
    compare = {{"compare", 0, 64, false}},
    value = {{"value", 0, 64, false}},
    state = {{"state", 0, 64, false}},
    cover = {{"last_covered", 0, 13, false}, {"reserved_cover", 13, 19, false}, {"record", 32, 32, false}},
    hash_low = {{"hash_low", 0, 64, false}},
    hash_high = {{"hash_high", 0, 64, false}},
    opening = {{"magic", 0, 16, false}, {"sack_words", 16, 3, false}, {"timed", 19, 1, false}, {"reserved_opening", 20, 12, false}, {"connection", 32, 32, false}},
    numbers = {{"number", 0, 32, false}, {"expected", 32, 32, false}},
    times = {{"sent", 0, 32, false}, {"echo", 32, 32, false}},
    sack = {{"received", 0, 64, false}},
    mac = {{"mac", 0, 64, false}},
}

local NO_KIND = {known = 0, streams = 0, may_fragment = 0, may_acknowledge = 0, may_fence = 0, arguments = 0, handler = 0, detail = 0, place = 0, rights = 0, descriptor_words = 0, range_words = 0, ranges = 0, blocks = 0, extent = 0, atomic = 0, operations = 0, widths = 0, payload = 0, queued = 0, answers = 0}
local KIND_FACTS = {
    [1] = {known = 1, streams = 3, may_acknowledge = 1, may_fence = 1, arguments = 1, handler = 1, queued = 1},
    [2] = {known = 1, streams = 3, may_acknowledge = 1, may_fence = 1, arguments = 1, handler = 1, payload = 1, queued = 1},
    [3] = {known = 1, streams = 3, may_fragment = 1, may_acknowledge = 1, may_fence = 1, arguments = 1, handler = 1, place = 1, rights = 2, payload = 1},
    [4] = {known = 1, streams = 3, may_fragment = 1, may_acknowledge = 1, may_fence = 1, arguments = 1, handler = 1, place = 1, rights = 2, descriptor_words = 1, blocks = 1, payload = 2},
    [5] = {known = 1, streams = 3, may_fragment = 1, may_acknowledge = 1, may_fence = 1, arguments = 1, handler = 1, detail = 1, place = 1, rights = 2, range_words = 1, ranges = 1, payload = 2},
    [6] = {known = 1, streams = 1, may_fragment = 1, may_acknowledge = 1, may_fence = 1, detail = 2, place = 1, rights = 2, descriptor_words = 2, atomic = 2, operations = 10, widths = 8, payload = 1},
    [7] = {known = 1, streams = 1, may_fence = 1, arguments = 1, handler = 1, place = 1, rights = 1, descriptor_words = 2, extent = 1},
    [8] = {known = 1, streams = 1, may_fence = 1, arguments = 1, handler = 1, place = 1, rights = 1, descriptor_words = 1, extent = 2},
    [9] = {known = 1, streams = 1, may_fence = 1, arguments = 1, handler = 1, place = 1, rights = 1, descriptor_words = 3, blocks = 1},
    [10] = {known = 1, streams = 1, may_fence = 1, arguments = 1, handler = 1, detail = 1, place = 1, rights = 1, descriptor_words = 1, range_words = 2, ranges = 1},
    [11] = {known = 1, streams = 2, may_fragment = 1, arguments = 1, handler = 1, place = 2, payload = 2, answers = 1},
    [12] = {known = 1, streams = 2, may_fragment = 1, arguments = 1, handler = 1, place = 2, descriptor_words = 1, blocks = 1, payload = 2, answers = 1},
    [13] = {known = 1, streams = 2, may_fragment = 1, arguments = 1, handler = 1, detail = 1, place = 2, range_words = 1, ranges = 1, payload = 2, answers = 1},
    [14] = {known = 1, streams = 1, may_acknowledge = 1, may_fence = 1, detail = 2, place = 1, rights = 4, descriptor_words = 1, atomic = 1, operations = 511, widths = 14},
    [15] = {known = 1, streams = 1, may_acknowledge = 1, may_fence = 1, detail = 2, place = 1, rights = 4, descriptor_words = 2, atomic = 1, operations = 512, widths = 14},
    [16] = {known = 1, streams = 2, descriptor_words = 1, answers = 1},
    [17] = {known = 1, streams = 1},
    [18] = {known = 1, streams = 2, answers = 1},
    [19] = {known = 1, streams = 2, detail = 3, place = 3, answers = 1},
    [20] = {known = 1, streams = 1, may_acknowledge = 1, may_fence = 1, handler = 1, payload = 1, queued = 1},
    [21] = {known = 1, streams = 2, payload = 1, answers = 1},
    [22] = {known = 1, streams = 4},
    [23] = {known = 1, streams = 4, may_acknowledge = 1, descriptor_words = 1},
    [24] = {known = 1, streams = 4, detail = 4},
    [25] = {known = 1, streams = 4, descriptor_words = 3},
}
for _, facts in pairs(KIND_FACTS) do setmetatable(facts, {__index = NO_KIND}) end
-- Words of descriptors, by kind; of a range, by kind.
local DESCRIPTORS = {
    [4] = {"blocks"},
    [6] = {"signal", "operand"},
    [7] = {"own_place", "extent"},
    [8] = {"extent"},
    [9] = {"own_place", "blocks", "own_blocks"},
    [10] = {"own_place"},
    [12] = {"blocks"},
    [14] = {"operand"},
    [15] = {"operand", "compare"},
    [16] = {"value"},
    [23] = {"state"},
    [25] = {"cover", "hash_low", "hash_high"},
}
local RANGES = {
    [5] = {"range"},
    [10] = {"range", "own_range"},
    [13] = {"range"},
}

-- ---- functions of the table's expressions; numbers are exact up to 2^53

local function power(number) return 2 ^ number end
local function has(mask, number) return math.floor(mask / 2 ^ number) % 2 == 1 end
local function low_bits(value, count) return value % 2 ^ count end
local function choose(condition, one, other) if condition then return one end return other end
local REFUSALS = {}
for _, cause in pairs(CAUSES) do
    if cause[2] == "refuse" then REFUSALS[cause[1]] = true end
end
local function is_refusal(number) return REFUSALS[number] == true end

-- ---- checks

local function check_frame(f, k)
    f.words = f.last_word + 1
    if (f.available < 24) or (f.available < (8 * f.words)) then return "truncated" end
    if f.words < 3 then return "too_few_words" end
end

local function check_head(f, k)
    f.head_words = 3 + f.fragment
    f.argument_words = math.floor((f.arguments + 1) / 2)
    f.descriptor_words = k.descriptor_words + (k.range_words * f.detail)
    f.payload_words = ((f.words - f.head_words) - f.descriptor_words) - f.argument_words
    f.payload_bytes = (8 * f.payload_words) - f.pad
    if f.stream == 3 then return "reserved_stream" end
    if k.known == 0 then return "unknown_kind" end
    if not has(k.streams, f.stream) then return "wrong_stream" end
    if ((f.fragment == 1) and (k.may_fragment == 0)) or ((f.acknowledge == 1) and (k.may_acknowledge == 0)) or ((f.fence == 1) and (k.may_fence == 0)) or ((f.stream == 1) and ((f.acknowledge == 1) or (f.fence == 1))) or (f.reserved_flag == 1) then return "wrong_flag" end
    if f.arguments > 32 then return "too_many_arguments" end
    if (f.arguments ~= 0) and (k.arguments == 0) then return "wrong_arguments" end
    if (k.range_words ~= 0) and (f.detail == 0) then return "no_ranges" end
    if f.payload_words < 0 then return "too_short" end
    if (f.payload_words > 0) and (k.payload == 0) then return "wrong_payload" end
    if (f.payload_words == 0) and ((k.payload == 2) or (f.fragment == 1)) then return "no_payload" end
    if (f.payload_words == 0) and (f.pad ~= 0) then return "wrong_pad" end
    if (k.place == 0) and ((f.offset ~= 0) or (f.segment ~= 0)) then return "wrong_place" end
    if (k.ranges == 1) and (f.offset ~= 0) then return "wrong_offset" end
    if (f.handler ~= 0) and (k.handler == 0) then return "wrong_handler" end
    if (f.detail ~= 0) and (k.detail == 0) then return "wrong_detail" end
    if (k.atomic ~= 0) and not has(k.operations, f.operation) then return "unknown_operation" end
    if (k.atomic ~= 0) and not has(k.widths, f.width) then return "unknown_width" end
    if (k.atomic ~= 0) and (f.reserved_detail ~= 0) then return "reserved_detail" end
    if ((k.detail == 3) and not is_refusal(f.detail)) or ((k.detail == 4) and (f.detail > 1)) then return "unknown_reason" end
end

local function add_range(f, k)
    f.ranges_total = f.ranges_total + f.range_bytes
    f.ranges_empty = choose((f.range_bytes == 0), 1, f.ranges_empty)
    f.ranges_reserved = choose((f.reserved_own_range ~= 0), 1, f.ranges_reserved)
    f.ranges_end = choose(((f.range_offset + f.range_bytes) > f.ranges_end), (f.range_offset + f.range_bytes), f.ranges_end)
end

local function check_body(f, k)
    f.block_bytes = f.block * f.count
    f.most_answered = 8 * ((4096 - 3) - f.argument_words)
    if ((k.atomic == 1) and (low_bits(f.offset, f.width) ~= 0)) or ((k.atomic == 2) and (low_bits(f.signal_offset, 3) ~= 0)) then return "misaligned" end
    if (f.fragment == 1) and ((f.part_offset + f.payload_bytes) > (f.last_byte + 1)) then return "outside_message" end
    if (f.reserved_extent ~= 0) or (f.reserved_cover ~= 0) or (f.reserved_own_blocks ~= 0) or (f.ranges_reserved ~= 0) or ((k.range_words == 2) and (f.own_offset ~= 0)) then return "reserved_bits" end
    if (k.blocks == 1) and (f.block_bytes == 0) then return "no_blocks" end
    if (k.blocks == 1) and (k.payload == 2) and (f.block_bytes ~= f.payload_bytes) then return "wrong_blocks" end
    if f.ranges_empty == 1 then return "empty_range" end
    if (k.ranges == 1) and (k.payload == 2) and (f.ranges_total ~= f.payload_bytes) then return "wrong_ranges" end
    if (k.extent == 2) and ((f.last_asked + 1) > f.most_answered) then return "answer_too_long" end
end

local function check_datagram(f, k)
    f.datagram_words = math.floor(f.datagram_bytes / 8)
    f.delivery_words = (3 + f.timed) + f.sack_words
    f.packet_words = f.datagram_words - f.delivery_words
    if (f.datagram_bytes < 24) or ((f.datagram_bytes % 8) ~= 0) then return "truncated_datagram" end
    if f.magic ~= 21321 then return "wrong_magic" end
    if f.sack_words > 4 then return "too_many_sack_words" end
    if f.datagram_words < f.delivery_words then return "truncated_delivery" end
    if f.reserved_opening ~= 0 then return "reserved_opening" end
end

-- ---- reading

-- A field of the word at byte `at`. Fields of 64 bits are shown, and not reckoned with.
local function value_of(buffer, at, low, bits, is_signed)
    local value
    if bits == 64 then return buffer(at, 8):le_uint64() end
    if bits > 32 then
        value = buffer(at, 4):le_uint() + 2 ^ 32 * buffer(at + 4, 2):le_uint()
    else
        local half = buffer(at + 4 * math.floor(low / 32), 4):le_uint()
        value = math.floor(half / 2 ^ (low % 32)) % 2 ^ bits
    end
    if is_signed and value >= 2 ^ (bits - 1) then value = value - 2 ^ bits end
    return value
end

-- All fields of a word, into the facts and the tree.
local function read(name, buffer, at, f, tree)
    local word = tree:add(buffer(at, 8), name)
    for _, layout in ipairs(WORDS[name]) do
        local value = value_of(buffer, at, layout[2], layout[3], layout[4])
        f[layout[1]] = value
        local shown = value
        if layout[3] == 1 then shown = value == 1 end
        if layout[3] > 32 and layout[3] < 64 then
            shown = UInt64.new(value % 2 ^ 32, math.floor(value / 2 ^ 32))
        end
        word:add(fields[layout[1]], buffer(at, 8), shown)
    end
end

local function tell(tree, range, cause)
    if cause == nil then
        tree:add(fields.cause, range, "accepted"):set_generated()
        tree:add(fields.action, range, "accept"):set_generated()
        return
    end
    tree:add(fields.cause, range, cause):set_generated()
    tree:add(fields.action, range, CAUSES[cause][2]):set_generated()
    tree:add_proto_expert_info(illegal, cause .. ": " .. CAUSES[cause][3])
end

-- The descriptor, ranges included; false if the bytes end in it.
local function read_descriptor(buffer, at, f, k, tree)
    for _, name in ipairs(DESCRIPTORS[f.kind] or {}) do
        read(name, buffer, at, f, tree)
        at = at + 8
    end
    if k.ranges == 1 then
        for _ = 1, f.detail do
            for _, name in ipairs(RANGES[f.kind]) do
                read(name, buffer, at, f, tree)
                at = at + 8
            end
            add_range(f, k)
        end
    end
    return at
end

local function read_rest(buffer, at, f, tree)
    for number = 0, f.arguments - 1 do
        tree:add_le(fields.argument, buffer(at + 4 * number, 4))
    end
    at = at + 8 * f.argument_words
    if f.payload_bytes > 0 then tree:add(fields.payload, buffer(at, f.payload_bytes)) end
    tree:add(fields.payload_bytes, f.payload_bytes):set_generated()
end

-- One packet. Returns its bytes, nil if where the next one begins is not known.
local function read_packet(buffer, tree, info)
    local f = {available = buffer:len(), kind = 0, fragment = 0, arguments = 0, detail = 0, last_word = 0,
               ranges_empty = 0, ranges_end = 0, ranges_reserved = 0, ranges_total = 0, own_offset = 0, reserved_extent = 0, reserved_cover = 0,
               reserved_own_blocks = 0, reserved_own_range = 0, block = 0, count = 0, last_asked = 0,
               last_byte = 0, part_offset = 0, signal_offset = 0}
    local item = tree:add(fields.packet, buffer())
    if f.available >= 8 then read("route", buffer, 0, f, item) end
    local cause = check_frame(f, NO_KIND)
    if cause then
        tell(item, buffer(), cause)
        return nil
    end
    local bytes = 8 * f.words
    local packet = buffer(0, bytes):tvb()
    item:set_len(bytes)
    item:add(fields.words, f.words):set_generated()
    read("place", packet, 8, f, item)
    read("meaning", packet, 16, f, item)
    -- `detail` as an atomic's.
    f.operation, f.width = f.detail % 16, math.floor(f.detail / 16) % 4
    f.reserved_detail = math.floor(f.detail / 64)
    if f.fragment == 1 and f.words > 3 then read("part", packet, 24, f, item) end
    local k = KIND_FACTS[f.kind] or NO_KIND
    if k.atomic ~= 0 then
        item:add(fields.operation, packet(17, 1), f.operation)
        item:add(fields.width, packet(17, 1), f.width)
        item:add(fields.reserved_detail, packet(17, 1), f.reserved_detail)
    end
    cause = check_head(f, k)
    if not cause then
        local at = read_descriptor(packet, 8 * f.head_words, f, k, item)
        cause = check_body(f, k)
        read_rest(packet, at, f, item)
    end
    tell(item, packet(), cause)
    local name = KINDS[f.kind] or "unknown"
    local text = string.format("%s %d > %d", name, f.source, f.destination)
    if k.detail == 3 and not cause then
        for refusal, about in pairs(CAUSES) do
            if about[1] == f.detail then text = text .. " " .. refusal end
        end
    elseif k.detail == 4 and not cause then
        text = text .. " " .. BYES[f.detail]
    end
    if cause then text = text .. " (" .. cause .. ")" end
    item:append_text(": " .. text)
    info[#info + 1] = text
    return bytes
end

local function read_datagram(buffer, tree, info)
    local f = {datagram_bytes = buffer:len(), sack_words = 0, timed = 0}
    if f.datagram_bytes >= 16 then
        read("opening", buffer, 0, f, tree)
        read("numbers", buffer, 8, f, tree)
    end
    local cause = check_datagram(f, NO_KIND)
    tell(tree, buffer(), cause)
    if cause then return end
    local at = 16
    if f.timed == 1 then
        read("times", buffer, at, f, tree)
        at = at + 8
    end
    for _ = 1, f.sack_words do
        read("sack", buffer, at, f, tree)
        at = at + 8
    end
    read("mac", buffer, buffer:len() - 8, f, tree)
    local last = buffer:len() - 8
    while at < last do
        local bytes = read_packet(buffer(at, last - at):tvb(), tree, info)
        if not bytes then return end
        at = at + bytes
    end
end

function datagrams.dissector(buffer, pinfo, tree)
    local info = {}
    pinfo.cols.protocol = "Isthmus"
    read_datagram(buffer, tree:add(datagrams, buffer()), info)
    pinfo.cols.info = table.concat(info, ", ")
    return buffer:len()
end

function stream.dissector(buffer, pinfo, tree)
    pinfo.cols.protocol = "Isthmus"
    local info, at = {}, 0
    while at < buffer:len() do
        local left = buffer:len() - at
        local words = left >= 8 and math.floor(buffer(at + 4, 4):le_uint() / 2 ^ 20) + 1 or 1
        if left < 24 or left < 8 * words then
            -- The rest of the packet has yet to come.
            pinfo.desegment_offset = at
            pinfo.desegment_len = left < 24 and DESEGMENT_ONE_MORE_SEGMENT or 8 * words - left
            break
        end
        local bytes = read_packet(buffer(at):tvb(), tree:add(stream, buffer(at)), info)
        if not bytes then break end
        at = at + bytes
    end
    pinfo.cols.info = table.concat(info, ", ")
    return buffer:len()
end

datagrams:register_heuristic("udp", function(buffer, pinfo, tree)
    if buffer:len() < 24 or buffer(0, 2):le_uint() ~= MAGIC then return false end
    datagrams.dissector(buffer, pinfo, tree)
    return true
end)
DissectorTable.get("udp.port"):add_for_decode_as(datagrams)
DissectorTable.get("tcp.port"):add_for_decode_as(stream)
