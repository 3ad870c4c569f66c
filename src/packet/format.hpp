// Written by src/packet/generator/generate.py from src/packet/format.toml.
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "packet/field.hpp"

namespace isthmus::packet {

inline constexpr std::uint32_t kMagic = 0x5349;  // first 16 bits of a datagram
inline constexpr std::uint32_t kLargestWords = 4096;  // words of the largest packet
inline constexpr std::uint32_t kMostArguments = 32;  // 32-bit arguments of a packet
inline constexpr std::uint32_t kMostRanges = 255;  // ranges of a packet
inline constexpr std::uint32_t kMostSackWords = 4;  // words of selective acknowledgement
inline constexpr std::uint32_t kSackWindow = 256;  // datagrams behind the expected one that can be acknowledged
inline constexpr std::uint32_t kCellWords = 8;  // words of a cell: what credits count

// What a packet is.
enum class Kind : std::uint8_t {
    short_message = 1,  // Calls a handler with arguments.
    medium_message = 2,  // Calls a handler with arguments and the payload. As a reply also the answer to get_medium.
    put = 3,  // The payload goes to the place; the handler is told when all of the message is there.
    put_blocks = 4,  // The same, in blocks at equal distances. A packet has whole blocks.
    put_ranges = 5,  // The same, in ranges of one segment. A packet has whole ranges.
    put_signal = 6,  // The payload goes to the place; the signal changes when all of the message is there.
    get = 7,  // Asks for bytes. Handler and arguments come back with the data.
    get_medium = 8,  // Asks for bytes that a handler is called with; no more than one packet holds.
    get_blocks = 9,  // Asks for blocks at equal distances.
    get_ranges = 10,  // Asks for ranges of one segment.
    data = 11,  // Bytes that were asked for.
    data_blocks = 12,  // The same, in blocks at equal distances.
    data_ranges = 13,  // The same, in ranges of one segment.
    atomic = 14,  // Changes a word.
    compare_swap = 15,  // Changes a word if it holds a certain value.
    result = 16,  // What the word of an atomic held before.
    flush = 17,  // Answered when everything that the source sent before has taken effect.
    ack = 18,  // What had this token has taken effect; of a message in fragments, all of it.
    nack = 19,  // What had this token was refused. `detail` is the cause, `place` that of what was refused.
    core_request = 20,  // For the destination's library; the handler is a number of its own table, from 1.
    core_answer = 21,  // What the library answers.
    credit = 22,  // Gives credits back when nothing else does.
    heartbeat = 23,  // The source lives.
    bye = 24,  // The source sends nothing more.
    seal = 25,  // On a connection of TCP that is sealed each packet follows such one, which covers it. Nothing that is covered takes effect before the hash was found right.
};

// A stream never waits for one above it in this table.
enum class Stream : std::uint8_t {
    request = 0,  // may be answered
    reply = 1,  // answers a request; is never refused and never waits for a request
    control = 2,  // keeps the connection; is never queued
};

// Arithmetic wraps around.
enum class Operation : std::uint8_t {
    fetch = 0,  // changes nothing
    set = 1,  // the operand
    swap = 2,  // the operand
    add = 3,  // the sum
    bit_and = 4,  // bits of both
    bit_or = 5,  // bits of either
    bit_xor = 6,  // bits of one
    minimum = 7,  // the lesser, signed
    maximum = 8,  // the greater, signed
    compare_swap = 9,  // the operand, if the word is `compare`
};

// size of the word
enum class Width : std::uint8_t {
    bytes2 = 1,  // 2 bytes
    bytes4 = 2,  // 4 bytes
    bytes8 = 3,  // 8 bytes
};

// `detail` of a bye.
enum class Bye : std::uint8_t {
    finished = 0,  // the PE has ended well
    failed = 1,  // the job ends
};

// What a segment may be used for; bits.
inline constexpr std::uint8_t kReadRight = 1;  // gets
inline constexpr std::uint8_t kWriteRight = 2;  // puts
inline constexpr std::uint8_t kChangeRight = 4;  // atomics and signals

// ---- words, fields from bit 0 up

// Enough to route a packet and to find its end.
namespace route_word {
inline constexpr Field<0, 16> destination;  // PE that the packet is for
inline constexpr Field<16, 16> source;  // PE that sent it
inline constexpr Field<32, 5> kind;  // what it is
inline constexpr Field<37, 2> stream;  // stream that it travels in
inline constexpr Field<39, 1> fragment;  // 1: the packet is part of a longer message, and has the word `part`
inline constexpr Field<40, 1> acknowledge;  // 1: the sender wants an answer
inline constexpr Field<41, 1> fence;  // 1: takes effect behind everything that the source sent to the destination before
inline constexpr Field<42, 1> reserved_flag;  // 0
inline constexpr Field<43, 3> pad;  // bytes of the last word that are no payload
inline constexpr Field<46, 6> arguments;  // number of 32-bit arguments, 0 to 32
inline constexpr Field<52, 12> last_word;  // number of the packet's last word: words - 1
static_assert((destination.mask | source.mask | kind.mask | stream.mask | fragment.mask | acknowledge.mask | fence.mask | reserved_flag.mask | pad.mask | arguments.mask | last_word.mask) == ~std::uint64_t{0} &&
              destination.bits + source.bits + kind.bits + stream.bits + fragment.bits + acknowledge.bits + fence.bits + reserved_flag.bits + pad.bits + arguments.bits + last_word.bits == 64);
}  // namespace route_word

// Where the packet's bytes go, or come from. 0 for kinds without a place.
namespace place_word {
inline constexpr Field<0, 48> offset;  // byte in the segment
inline constexpr Field<48, 16> segment;  // segment of the destination, by its number in the table that was exchanged at the join
static_assert((offset.mask | segment.mask) == ~std::uint64_t{0} &&
              offset.bits + segment.bits == 64);
}  // namespace place_word

// What the destination's software or handler unit needs.
namespace meaning_word {
inline constexpr Field<0, 8> handler;  // who is told; 0: nobody
inline constexpr Field<8, 8> detail;  // by kind: number of ranges, operation and width, or a reason
inline constexpr Field<16, 16> credits;  // cells of the destination's requests that the source has freed so far, modulo 2^16
inline constexpr Field<32, 32> token;  // of the one who asks; comes back in the answer
static_assert((handler.mask | detail.mask | credits.mask | token.mask) == ~std::uint64_t{0} &&
              handler.bits + detail.bits + credits.bits + token.bits == 64);
}  // namespace meaning_word

// Only with `fragment`: where the packet's bytes lie in the message.
namespace part_word {
inline constexpr Field<0, 32> last_byte;  // number of the message's last byte: bytes - 1
inline constexpr Field<32, 32> part_offset;  // where this packet's first byte lies in the message
static_assert((last_byte.mask | part_offset.mask) == ~std::uint64_t{0} &&
              last_byte.bits + part_offset.bits == 64);
}  // namespace part_word

// The field `detail` of atomics and signals.
namespace atomic_word {
inline constexpr Field<0, 4> operation;  // what is done
inline constexpr Field<4, 2> width;  // size of the word
inline constexpr Field<6, 2> reserved_detail;  // 0
static_assert((operation.mask | width.mask | reserved_detail.mask) == 0xff &&
              operation.bits + width.bits + reserved_detail.bits == 8);
}  // namespace atomic_word

// Where the answer's bytes go at the one who asks, who alone reads it; comes back as the answer's
// `place`.
namespace own_place_word {
inline constexpr Field<0, 48> own_offset;  // byte in the segment
inline constexpr Field<48, 16> own_segment;  // segment, by a number of the asker's own
static_assert((own_offset.mask | own_segment.mask) == ~std::uint64_t{0} &&
              own_offset.bits + own_segment.bits == 64);
}  // namespace own_place_word

// How much is asked for.
namespace extent_word {
inline constexpr Field<0, 32> last_asked;  // bytes - 1
inline constexpr Field<32, 32> reserved_extent;  // 0
static_assert((last_asked.mask | reserved_extent.mask) == ~std::uint64_t{0} &&
              last_asked.bits + reserved_extent.bits == 64);
}  // namespace extent_word

// Blocks at equal distances. They are in the payload one behind the other.
namespace blocks_word {
inline constexpr SignedField<0, 32> stride;  // bytes from the start of a block to that of the next; may be 0 or negative
inline constexpr Field<32, 16> block;  // bytes of a block, from 1
inline constexpr Field<48, 16> count;  // number of blocks, from 1
static_assert((stride.mask | block.mask | count.mask) == ~std::uint64_t{0} &&
              stride.bits + block.bits + count.bits == 64);
}  // namespace blocks_word

// The same blocks at the one who asks.
namespace own_blocks_word {
inline constexpr SignedField<0, 32> own_stride;  // bytes from the start of a block to that of the next
inline constexpr Field<32, 32> reserved_own_blocks;  // 0
static_assert((own_stride.mask | reserved_own_blocks.mask) == ~std::uint64_t{0} &&
              own_stride.bits + reserved_own_blocks.bits == 64);
}  // namespace own_blocks_word

// One of `detail` ranges of the segment.
namespace range_word {
inline constexpr Field<0, 48> range_offset;  // first byte in the segment
inline constexpr Field<48, 16> range_bytes;  // length, from 1
static_assert((range_offset.mask | range_bytes.mask) == ~std::uint64_t{0} &&
              range_offset.bits + range_bytes.bits == 64);
}  // namespace range_word

// The same range at the one who asks.
namespace own_range_word {
inline constexpr Field<0, 48> own_range_offset;  // first byte in the segment of `own_place`
inline constexpr Field<48, 16> reserved_own_range;  // 0
static_assert((own_range_offset.mask | reserved_own_range.mask) == ~std::uint64_t{0} &&
              own_range_offset.bits + reserved_own_range.bits == 64);
}  // namespace own_range_word

// The word that says that the message has arrived.
namespace signal_word {
inline constexpr Field<0, 48> signal_offset;  // byte in the segment, a multiple of 8
inline constexpr Field<48, 16> signal_segment;  // segment of the destination
static_assert((signal_offset.mask | signal_segment.mask) == ~std::uint64_t{0} &&
              signal_offset.bits + signal_segment.bits == 64);
}  // namespace signal_word

// Of the atomic; its lowest bytes count.
namespace operand_word {
inline constexpr Field<0, 64> operand;  // value
static_assert((operand.mask) == ~std::uint64_t{0} &&
              operand.bits == 64);
}  // namespace operand_word

// What the word must hold, for the operand to replace it.
namespace compare_word {
inline constexpr Field<0, 64> compare;  // value
static_assert((compare.mask) == ~std::uint64_t{0} &&
              compare.bits == 64);
}  // namespace compare_word

// What the word held before; bytes above its width are 0.
namespace value_word {
inline constexpr Field<0, 64> value;  // value
static_assert((value.mask) == ~std::uint64_t{0} &&
              value.bits == 64);
}  // namespace value_word

// What the source says of itself; only its program knows what it means.
namespace state_word {
inline constexpr Field<0, 64> state;  // value
static_assert((state.mask) == ~std::uint64_t{0} &&
              state.bits == 64);
}  // namespace state_word

// What a seal covers: itself and the whole packets behind it.
namespace cover_word {
inline constexpr Field<0, 13> last_covered;  // words behind the seal, less one
inline constexpr Field<13, 19> reserved_cover;  // 0
inline constexpr Field<32, 32> record;  // number of this seal on the connection, the low half of 64 bits, from 0
static_assert((last_covered.mask | reserved_cover.mask | record.mask) == ~std::uint64_t{0} &&
              last_covered.bits + reserved_cover.bits + record.bits == 64);
}  // namespace cover_word

// The hash of a seal, of 128 bits, by the key that the join drew for this direction: AES-256-GCM
// if both sides have it, else ChaCha20-Poly1305, of no text, with all that is covered as
// additional data. These two words count as 0 in it.
namespace hash_low_word {
inline constexpr Field<0, 64> hash_low;  // its first 8 bytes
static_assert((hash_low.mask) == ~std::uint64_t{0} &&
              hash_low.bits == 64);
}  // namespace hash_low_word

// The rest of it.
namespace hash_high_word {
inline constexpr Field<0, 64> hash_high;  // its last 8 bytes
static_assert((hash_high.mask) == ~std::uint64_t{0} &&
              hash_high.bits == 64);
}  // namespace hash_high_word

// First word of a datagram.
namespace opening_word {
inline constexpr Field<0, 16> magic;  // 0x5349, the letters IS
inline constexpr Field<16, 3> sack_words;  // number of words `sack`, 0 to 4
inline constexpr Field<19, 1> timed;  // 1: the word `times` follows
inline constexpr Field<20, 12> reserved_opening;  // 0
inline constexpr Field<32, 32> connection;  // number that the receiver gave the connection at the join
static_assert((magic.mask | sack_words.mask | timed.mask | reserved_opening.mask | connection.mask) == ~std::uint64_t{0} &&
              magic.bits + sack_words.bits + timed.bits + reserved_opening.bits + connection.bits == 64);
}  // namespace opening_word

// Always there.
namespace numbers_word {
inline constexpr Field<0, 32> number;  // of this datagram, the low half of 64 bits; a repetition has the same. Without packets: of the next one
inline constexpr Field<32, 32> expected;  // lowest number that the sender has not received
static_assert((number.mask | expected.mask) == ~std::uint64_t{0} &&
              number.bits + expected.bits == 64);
}  // namespace numbers_word

// For round-trip times and congestion control. Only the one who wrote it reads `sent`.
namespace times_word {
inline constexpr Field<0, 32> sent;  // clock of the sender
inline constexpr Field<32, 32> echo;  // `sent` of the datagram that was received last
static_assert((sent.mask | echo.mask) == ~std::uint64_t{0} &&
              sent.bits + echo.bits == 64);
}  // namespace times_word

// Bit i of word j: number `expected` + 1 + 64 j + i has been received.
namespace sack_word {
inline constexpr Field<0, 64> received;  // one bit a datagram
static_assert((received.mask) == ~std::uint64_t{0} &&
              received.bits == 64);
}  // namespace sack_word

// Last word: keyed hash of all words before it, and of a last word with the upper halves of
// number (low) and expected (high), which are not sent. SipHash-2-4 unless the join agreed on
// another.
namespace mac_word {
inline constexpr Field<0, 64> mac;  // the hash
static_assert((mac.mask) == ~std::uint64_t{0} &&
              mac.bits == 64);
}  // namespace mac_word

// ---- what belongs to which kind

// Of a kind, for checks.
struct KindFacts {
    std::uint16_t known;
    std::uint16_t streams;
    std::uint16_t may_fragment;
    std::uint16_t may_acknowledge;
    std::uint16_t may_fence;
    std::uint16_t arguments;
    std::uint16_t handler;
    std::uint16_t detail;
    std::uint16_t place;
    std::uint16_t rights;
    std::uint16_t descriptor_words;
    std::uint16_t range_words;
    std::uint16_t ranges;
    std::uint16_t blocks;
    std::uint16_t extent;
    std::uint16_t atomic;
    std::uint16_t operations;
    std::uint16_t widths;
    std::uint16_t payload;
    std::uint16_t queued;
    std::uint16_t answers;
};

// By number.
inline constexpr std::array<KindFacts, 32> kKinds{{
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // none
    {1, 3, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0},  // short_message
    {1, 3, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0},  // medium_message
    {1, 3, 1, 1, 1, 1, 1, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0},  // put
    {1, 3, 1, 1, 1, 1, 1, 0, 1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0},  // put_blocks
    {1, 3, 1, 1, 1, 1, 1, 1, 1, 2, 0, 1, 1, 0, 0, 0, 0, 0, 2, 0, 0},  // put_ranges
    {1, 1, 1, 1, 1, 0, 0, 2, 1, 2, 2, 0, 0, 0, 0, 2, 10, 8, 1, 0, 0},  // put_signal
    {1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},  // get
    {1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0},  // get_medium
    {1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},  // get_blocks
    {1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0},  // get_ranges
    {1, 2, 1, 0, 0, 1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1},  // data
    {1, 2, 1, 0, 0, 1, 1, 0, 2, 0, 1, 0, 0, 1, 0, 0, 0, 0, 2, 0, 1},  // data_blocks
    {1, 2, 1, 0, 0, 1, 1, 1, 2, 0, 0, 1, 1, 0, 0, 0, 0, 0, 2, 0, 1},  // data_ranges
    {1, 1, 0, 1, 1, 0, 0, 2, 1, 4, 1, 0, 0, 0, 0, 1, 511, 14, 0, 0, 0},  // atomic
    {1, 1, 0, 1, 1, 0, 0, 2, 1, 4, 2, 0, 0, 0, 0, 1, 512, 14, 0, 0, 0},  // compare_swap
    {1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},  // result
    {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // flush
    {1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},  // ack
    {1, 2, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},  // nack
    {1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0},  // core_request
    {1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1},  // core_answer
    {1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // credit
    {1, 4, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // heartbeat
    {1, 4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // bye
    {1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // seal
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // none
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // none
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // none
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // none
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // none
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // none
}};

constexpr std::string_view name_of(Kind kind) {
    switch (kind) {
        case Kind::short_message: return "short_message";
        case Kind::medium_message: return "medium_message";
        case Kind::put: return "put";
        case Kind::put_blocks: return "put_blocks";
        case Kind::put_ranges: return "put_ranges";
        case Kind::put_signal: return "put_signal";
        case Kind::get: return "get";
        case Kind::get_medium: return "get_medium";
        case Kind::get_blocks: return "get_blocks";
        case Kind::get_ranges: return "get_ranges";
        case Kind::data: return "data";
        case Kind::data_blocks: return "data_blocks";
        case Kind::data_ranges: return "data_ranges";
        case Kind::atomic: return "atomic";
        case Kind::compare_swap: return "compare_swap";
        case Kind::result: return "result";
        case Kind::flush: return "flush";
        case Kind::ack: return "ack";
        case Kind::nack: return "nack";
        case Kind::core_request: return "core_request";
        case Kind::core_answer: return "core_answer";
        case Kind::credit: return "credit";
        case Kind::heartbeat: return "heartbeat";
        case Kind::bye: return "bye";
        case Kind::seal: return "seal";
    }
    return "unknown";
}

// ---- causes

// What a receiver does.
enum class Action : std::uint8_t {
    accept = 0,
    drop = 1,
    repeat = 2,
    refuse = 3,
    end = 4,
};

// Why. A nack carries the number.
enum class Verdict : std::uint8_t {
    accepted = 0,  // legal
    truncated = 1,
    too_few_words = 2,
    reserved_stream = 3,
    unknown_kind = 4,
    wrong_stream = 5,
    wrong_flag = 6,
    too_many_arguments = 7,
    wrong_arguments = 8,
    no_ranges = 9,
    too_short = 10,
    wrong_payload = 11,
    no_payload = 12,
    wrong_pad = 13,
    wrong_place = 14,
    wrong_offset = 15,
    wrong_handler = 16,
    wrong_detail = 17,
    unknown_operation = 18,
    unknown_width = 19,
    reserved_detail = 20,
    unknown_reason = 21,
    misaligned = 22,
    outside_message = 23,
    reserved_bits = 24,
    no_blocks = 25,
    wrong_blocks = 26,
    empty_range = 27,
    wrong_ranges = 28,
    answer_too_long = 29,
    wrong_source = 30,
    wrong_destination = 31,
    too_many_credits = 32,
    over_credit = 33,
    unknown_segment = 34,
    no_right = 35,
    out_of_bounds = 36,
    unknown_handler = 37,
    payload_too_long = 38,
    unknown_token = 39,
    not_asked = 40,
    refused_by_core = 41,
    truncated_datagram = 42,
    wrong_magic = 43,
    too_many_sack_words = 44,
    truncated_delivery = 45,
    reserved_opening = 46,
    unknown_connection = 47,
    wrong_mac = 48,
    seen = 49,
    outside_window = 50,
    wrong_expected = 51,
    wrong_sack = 52,
};

constexpr Action action_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::accepted: return Action::accept;
        case Verdict::reserved_stream:
        case Verdict::wrong_source:
        case Verdict::unknown_token:
        case Verdict::not_asked:
        case Verdict::truncated_datagram:
        case Verdict::wrong_magic:
        case Verdict::too_many_sack_words:
        case Verdict::truncated_delivery:
        case Verdict::reserved_opening:
        case Verdict::unknown_connection:
        case Verdict::wrong_mac:
        case Verdict::outside_window:
        case Verdict::wrong_expected:
        case Verdict::wrong_sack:
            return Action::drop;
        case Verdict::seen:
            return Action::repeat;
        case Verdict::unknown_kind:
        case Verdict::wrong_stream:
        case Verdict::wrong_flag:
        case Verdict::too_many_arguments:
        case Verdict::wrong_arguments:
        case Verdict::no_ranges:
        case Verdict::too_short:
        case Verdict::wrong_payload:
        case Verdict::no_payload:
        case Verdict::wrong_pad:
        case Verdict::wrong_place:
        case Verdict::wrong_offset:
        case Verdict::wrong_handler:
        case Verdict::wrong_detail:
        case Verdict::unknown_operation:
        case Verdict::unknown_width:
        case Verdict::reserved_detail:
        case Verdict::unknown_reason:
        case Verdict::misaligned:
        case Verdict::outside_message:
        case Verdict::reserved_bits:
        case Verdict::no_blocks:
        case Verdict::wrong_blocks:
        case Verdict::empty_range:
        case Verdict::wrong_ranges:
        case Verdict::answer_too_long:
        case Verdict::wrong_destination:
        case Verdict::unknown_segment:
        case Verdict::no_right:
        case Verdict::out_of_bounds:
        case Verdict::unknown_handler:
        case Verdict::payload_too_long:
        case Verdict::refused_by_core:
            return Action::refuse;
        case Verdict::truncated:
        case Verdict::too_few_words:
        case Verdict::too_many_credits:
        case Verdict::over_credit:
            return Action::end;
    }
    return Action::drop;
}

constexpr std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::accepted: return "accepted";
        case Verdict::truncated: return "truncated";
        case Verdict::too_few_words: return "too_few_words";
        case Verdict::reserved_stream: return "reserved_stream";
        case Verdict::unknown_kind: return "unknown_kind";
        case Verdict::wrong_stream: return "wrong_stream";
        case Verdict::wrong_flag: return "wrong_flag";
        case Verdict::too_many_arguments: return "too_many_arguments";
        case Verdict::wrong_arguments: return "wrong_arguments";
        case Verdict::no_ranges: return "no_ranges";
        case Verdict::too_short: return "too_short";
        case Verdict::wrong_payload: return "wrong_payload";
        case Verdict::no_payload: return "no_payload";
        case Verdict::wrong_pad: return "wrong_pad";
        case Verdict::wrong_place: return "wrong_place";
        case Verdict::wrong_offset: return "wrong_offset";
        case Verdict::wrong_handler: return "wrong_handler";
        case Verdict::wrong_detail: return "wrong_detail";
        case Verdict::unknown_operation: return "unknown_operation";
        case Verdict::unknown_width: return "unknown_width";
        case Verdict::reserved_detail: return "reserved_detail";
        case Verdict::unknown_reason: return "unknown_reason";
        case Verdict::misaligned: return "misaligned";
        case Verdict::outside_message: return "outside_message";
        case Verdict::reserved_bits: return "reserved_bits";
        case Verdict::no_blocks: return "no_blocks";
        case Verdict::wrong_blocks: return "wrong_blocks";
        case Verdict::empty_range: return "empty_range";
        case Verdict::wrong_ranges: return "wrong_ranges";
        case Verdict::answer_too_long: return "answer_too_long";
        case Verdict::wrong_source: return "wrong_source";
        case Verdict::wrong_destination: return "wrong_destination";
        case Verdict::too_many_credits: return "too_many_credits";
        case Verdict::over_credit: return "over_credit";
        case Verdict::unknown_segment: return "unknown_segment";
        case Verdict::no_right: return "no_right";
        case Verdict::out_of_bounds: return "out_of_bounds";
        case Verdict::unknown_handler: return "unknown_handler";
        case Verdict::payload_too_long: return "payload_too_long";
        case Verdict::unknown_token: return "unknown_token";
        case Verdict::not_asked: return "not_asked";
        case Verdict::refused_by_core: return "refused_by_core";
        case Verdict::truncated_datagram: return "truncated_datagram";
        case Verdict::wrong_magic: return "wrong_magic";
        case Verdict::too_many_sack_words: return "too_many_sack_words";
        case Verdict::truncated_delivery: return "truncated_delivery";
        case Verdict::reserved_opening: return "reserved_opening";
        case Verdict::unknown_connection: return "unknown_connection";
        case Verdict::wrong_mac: return "wrong_mac";
        case Verdict::seen: return "seen";
        case Verdict::outside_window: return "outside_window";
        case Verdict::wrong_expected: return "wrong_expected";
        case Verdict::wrong_sack: return "wrong_sack";
    }
    return "unknown";
}

}  // namespace isthmus::packet
