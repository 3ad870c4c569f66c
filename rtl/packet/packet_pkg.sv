// Written by src/packet/generator/generate.py from src/packet/format.toml.
//
// The packets of Isthmus: layouts, values, and what a receiver does with each of them. Words have 64
// bits; the first byte on the wire is the lowest one. docs/packet-format.md is the page.
//
// Facts have 64 bits and a sign, so that sums and differences are what they seem; what is not used of
// them is left out by synthesis.

// A package has what all its users need; each leaves some of it unused.
// verilator lint_off UNUSEDPARAM
// verilator lint_off UNUSEDSIGNAL
package packet_pkg;
  localparam int unsigned Magic = 'h5349;  // first 16 bits of a datagram
  localparam int unsigned LargestWords = 4096;  // words of the largest packet
  localparam int unsigned MostArguments = 32;  // 32-bit arguments of a packet
  localparam int unsigned MostRanges = 255;  // ranges of a packet
  localparam int unsigned MostSackWords = 4;  // words of selective acknowledgement
  localparam int unsigned SackWindow = 256;  // datagrams behind the expected one that can be acknowledged
  localparam int unsigned CellWords = 8;  // words of a cell: what credits count

  typedef enum logic [4:0] {
    KindNone          = 5'd0,
    KindShortMessage  = 5'd1,
    KindMediumMessage = 5'd2,
    KindPut           = 5'd3,
    KindPutBlocks     = 5'd4,
    KindPutRanges     = 5'd5,
    KindPutSignal     = 5'd6,
    KindGet           = 5'd7,
    KindGetMedium     = 5'd8,
    KindGetBlocks     = 5'd9,
    KindGetRanges     = 5'd10,
    KindData          = 5'd11,
    KindDataBlocks    = 5'd12,
    KindDataRanges    = 5'd13,
    KindAtomic        = 5'd14,
    KindCompareSwap   = 5'd15,
    KindResult        = 5'd16,
    KindFlush         = 5'd17,
    KindAck           = 5'd18,
    KindNack          = 5'd19,
    KindCoreRequest   = 5'd20,
    KindCoreAnswer    = 5'd21,
    KindCredit        = 5'd22,
    KindHeartbeat     = 5'd23,
    KindBye           = 5'd24,
    KindSeal          = 5'd25
  } kind_e;

  typedef enum logic [1:0] {
    StreamRequest = 2'd0,  // may be answered
    StreamReply   = 2'd1,  // answers a request; is never refused and never waits for a request
    StreamControl = 2'd2  // keeps the connection; is never queued
  } stream_e;

  typedef enum logic [3:0] {
    OperationFetch       = 4'd0,  // changes nothing
    OperationSet         = 4'd1,  // the operand
    OperationSwap        = 4'd2,  // the operand
    OperationAdd         = 4'd3,  // the sum
    OperationBitAnd      = 4'd4,  // bits of both
    OperationBitOr       = 4'd5,  // bits of either
    OperationBitXor      = 4'd6,  // bits of one
    OperationMinimum     = 4'd7,  // the lesser, signed
    OperationMaximum     = 4'd8,  // the greater, signed
    OperationCompareSwap = 4'd9  // the operand, if the word is `compare`
  } operation_e;

  typedef enum logic [1:0] {
    WidthBytes2 = 2'd1,  // 2 bytes
    WidthBytes4 = 2'd2,  // 4 bytes
    WidthBytes8 = 2'd3  // 8 bytes
  } width_e;

  typedef enum logic [7:0] {
    ByeFinished = 8'd0,  // the PE has ended well
    ByeFailed   = 8'd1  // the job ends
  } bye_e;

  typedef enum logic [2:0] {
    RightRead   = 3'd1,  // gets
    RightWrite  = 3'd2,  // puts
    RightChange = 3'd4  // atomics and signals
  } right_e;

  /// Enough to route a packet and to find its end.
  typedef struct packed {
    /// number of the packet's last word: words - 1
    logic [11:0] last_word;
    /// number of 32-bit arguments, 0 to 32
    logic [5:0] arguments;
    /// bytes of the last word that are no payload
    logic [2:0] pad;
    /// 0
    logic reserved_flag;
    /// 1: takes effect behind everything that the source sent to the destination before
    logic fence;
    /// 1: the sender wants an answer
    logic acknowledge;
    /// 1: the packet is part of a longer message, and has the word `part`
    logic fragment;
    /// stream that it travels in
    logic [1:0] stream;
    /// what it is
    logic [4:0] kind;
    /// PE that sent it
    logic [15:0] source;
    /// PE that the packet is for
    logic [15:0] destination;
  } route_t;

  /// Where the packet's bytes go, or come from. 0 for kinds without a place.
  typedef struct packed {
    /// segment of the destination, by its number in the table that was exchanged at the join
    logic [15:0] segment;
    /// byte in the segment
    logic [47:0] offset;
  } place_t;

  /// What the destination's software or handler unit needs.
  typedef struct packed {
    /// of the one who asks; comes back in the answer
    logic [31:0] token;
    /// cells of the destination's requests that the source has freed so far, modulo 2^16
    logic [15:0] credits;
    /// by kind: number of ranges, operation and width, or a reason
    logic [7:0] detail;
    /// who is told; 0: nobody
    logic [7:0] handler;
  } meaning_t;

  /// Only with `fragment`: where the packet's bytes lie in the message.
  typedef struct packed {
    /// where this packet's first byte lies in the message
    logic [31:0] part_offset;
    /// number of the message's last byte: bytes - 1
    logic [31:0] last_byte;
  } part_t;

  /// The field `detail` of atomics and signals.
  typedef struct packed {
    /// 0
    logic [1:0] reserved_detail;
    /// size of the word
    logic [1:0] width;
    /// what is done
    logic [3:0] operation;
  } atomic_t;

  /// Where the answer's bytes go at the one who asks, who alone reads it; comes back as the answer's `place`.
  typedef struct packed {
    /// segment, by a number of the asker's own
    logic [15:0] own_segment;
    /// byte in the segment
    logic [47:0] own_offset;
  } own_place_t;

  /// How much is asked for.
  typedef struct packed {
    /// 0
    logic [31:0] reserved_extent;
    /// bytes - 1
    logic [31:0] last_asked;
  } extent_t;

  /// Blocks at equal distances. They are in the payload one behind the other.
  typedef struct packed {
    /// number of blocks, from 1
    logic [15:0] count;
    /// bytes of a block, from 1
    logic [15:0] block;
    /// bytes from the start of a block to that of the next; may be 0 or negative
    logic signed [31:0] stride;
  } blocks_t;

  /// The same blocks at the one who asks.
  typedef struct packed {
    /// 0
    logic [31:0] reserved_own_blocks;
    /// bytes from the start of a block to that of the next
    logic signed [31:0] own_stride;
  } own_blocks_t;

  /// One of `detail` ranges of the segment.
  typedef struct packed {
    /// length, from 1
    logic [15:0] range_bytes;
    /// first byte in the segment
    logic [47:0] range_offset;
  } range_t;

  /// The same range at the one who asks.
  typedef struct packed {
    /// 0
    logic [15:0] reserved_own_range;
    /// first byte in the segment of `own_place`
    logic [47:0] own_range_offset;
  } own_range_t;

  /// The word that says that the message has arrived.
  typedef struct packed {
    /// segment of the destination
    logic [15:0] signal_segment;
    /// byte in the segment, a multiple of 8
    logic [47:0] signal_offset;
  } signal_t;

  /// Of the atomic; its lowest bytes count.
  typedef struct packed {
    /// value
    logic [63:0] operand;
  } operand_t;

  /// What the word must hold, for the operand to replace it.
  typedef struct packed {
    /// value
    logic [63:0] compare;
  } compare_t;

  /// What the word held before; bytes above its width are 0.
  typedef struct packed {
    /// value
    logic [63:0] value;
  } value_t;

  /// What the source says of itself; only its program knows what it means.
  typedef struct packed {
    /// value
    logic [63:0] state;
  } state_t;

  /// What a seal covers: itself and the whole packets behind it.
  typedef struct packed {
    /// number of this seal on the connection, the low half of 64 bits, from 0
    logic [31:0] record;
    /// 0
    logic [18:0] reserved_cover;
    /// words behind the seal, less one
    logic [12:0] last_covered;
  } cover_t;

  /// The hash of a seal, of 128 bits, by the key that the join drew for this direction: AES-256-GCM if both
  /// sides have it, else ChaCha20-Poly1305, of no text, with all that is covered as additional data. These
  /// two words count as 0 in it.
  typedef struct packed {
    /// its first 8 bytes
    logic [63:0] hash_low;
  } hash_low_t;

  /// The rest of it.
  typedef struct packed {
    /// its last 8 bytes
    logic [63:0] hash_high;
  } hash_high_t;

  /// First word of a datagram.
  typedef struct packed {
    /// number that the receiver gave the connection at the join
    logic [31:0] connection;
    /// 0
    logic [11:0] reserved_opening;
    /// 1: the word `times` follows
    logic timed;
    /// number of words `sack`, 0 to 4
    logic [2:0] sack_words;
    /// 0x5349, the letters IS
    logic [15:0] magic;
  } opening_t;

  /// Always there.
  typedef struct packed {
    /// lowest number that the sender has not received
    logic [31:0] expected;
    /// of this datagram, the low half of 64 bits; a repetition has the same. Without packets: of the next one
    logic [31:0] number;
  } numbers_t;

  /// For round-trip times and congestion control. Only the one who wrote it reads `sent`.
  typedef struct packed {
    /// `sent` of the datagram that was received last
    logic [31:0] echo;
    /// clock of the sender
    logic [31:0] sent;
  } times_t;

  /// Bit i of word j: number `expected` + 1 + 64 j + i has been received.
  typedef struct packed {
    /// one bit a datagram
    logic [63:0] received;
  } sack_t;

  /// Last word: keyed hash of all words before it, and of a last word with the upper halves of number (low)
  /// and expected (high), which are not sent. SipHash-2-4 unless the join agreed on another.
  typedef struct packed {
    /// the hash
    logic [63:0] mac;
  } mac_t;

  /// Of a kind, for checks.
  typedef struct packed {
    logic known;
    logic [2:0] streams;
    logic may_fragment;
    logic may_acknowledge;
    logic may_fence;
    logic arguments;
    logic handler;
    logic [2:0] detail;
    logic [1:0] place;
    logic [2:0] rights;
    logic [1:0] descriptor_words;
    logic [1:0] range_words;
    logic ranges;
    logic blocks;
    logic [1:0] extent;
    logic [1:0] atomic;
    logic [9:0] operations;
    logic [3:0] widths;
    logic [1:0] payload;
    logic queued;
    logic answers;
  } kind_facts_t;

  function automatic kind_facts_t kind_facts(logic [4:0] kind);
    unique case (kind)
      KindShortMessage: return '{1'd1, 3'd3, 1'd0, 1'd1, 1'd1, 1'd1, 1'd1, 3'd0, 2'd0, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0,
          2'd0, 2'd0, 10'd0, 4'd0, 2'd0, 1'd1, 1'd0};
      KindMediumMessage: return '{1'd1, 3'd3, 1'd0, 1'd1, 1'd1, 1'd1, 1'd1, 3'd0, 2'd0, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0,
          2'd0, 2'd0, 10'd0, 4'd0, 2'd1, 1'd1, 1'd0};
      KindPut: return '{1'd1, 3'd3, 1'd1, 1'd1, 1'd1, 1'd1, 1'd1, 3'd0, 2'd1, 3'd2, 2'd0, 2'd0, 1'd0, 1'd0, 2'd0, 2'd0,
          10'd0, 4'd0, 2'd1, 1'd0, 1'd0};
      KindPutBlocks: return '{1'd1, 3'd3, 1'd1, 1'd1, 1'd1, 1'd1, 1'd1, 3'd0, 2'd1, 3'd2, 2'd1, 2'd0, 1'd0, 1'd1, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd2, 1'd0, 1'd0};
      KindPutRanges: return '{1'd1, 3'd3, 1'd1, 1'd1, 1'd1, 1'd1, 1'd1, 3'd1, 2'd1, 3'd2, 2'd0, 2'd1, 1'd1, 1'd0, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd2, 1'd0, 1'd0};
      KindPutSignal: return '{1'd1, 3'd1, 1'd1, 1'd1, 1'd1, 1'd0, 1'd0, 3'd2, 2'd1, 3'd2, 2'd2, 2'd0, 1'd0, 1'd0, 2'd0,
          2'd2, 10'd10, 4'd8, 2'd1, 1'd0, 1'd0};
      KindGet: return '{1'd1, 3'd1, 1'd0, 1'd0, 1'd1, 1'd1, 1'd1, 3'd0, 2'd1, 3'd1, 2'd2, 2'd0, 1'd0, 1'd0, 2'd1, 2'd0,
          10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      KindGetMedium: return '{1'd1, 3'd1, 1'd0, 1'd0, 1'd1, 1'd1, 1'd1, 3'd0, 2'd1, 3'd1, 2'd1, 2'd0, 1'd0, 1'd0, 2'd2,
          2'd0, 10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      KindGetBlocks: return '{1'd1, 3'd1, 1'd0, 1'd0, 1'd1, 1'd1, 1'd1, 3'd0, 2'd1, 3'd1, 2'd3, 2'd0, 1'd0, 1'd1, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      KindGetRanges: return '{1'd1, 3'd1, 1'd0, 1'd0, 1'd1, 1'd1, 1'd1, 3'd1, 2'd1, 3'd1, 2'd1, 2'd2, 1'd1, 1'd0, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      KindData: return '{1'd1, 3'd2, 1'd1, 1'd0, 1'd0, 1'd1, 1'd1, 3'd0, 2'd2, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0, 2'd0, 2'd0,
          10'd0, 4'd0, 2'd2, 1'd0, 1'd1};
      KindDataBlocks: return '{1'd1, 3'd2, 1'd1, 1'd0, 1'd0, 1'd1, 1'd1, 3'd0, 2'd2, 3'd0, 2'd1, 2'd0, 1'd0, 1'd1, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd2, 1'd0, 1'd1};
      KindDataRanges: return '{1'd1, 3'd2, 1'd1, 1'd0, 1'd0, 1'd1, 1'd1, 3'd1, 2'd2, 3'd0, 2'd0, 2'd1, 1'd1, 1'd0, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd2, 1'd0, 1'd1};
      KindAtomic: return '{1'd1, 3'd1, 1'd0, 1'd1, 1'd1, 1'd0, 1'd0, 3'd2, 2'd1, 3'd4, 2'd1, 2'd0, 1'd0, 1'd0, 2'd0,
          2'd1, 10'd511, 4'd14, 2'd0, 1'd0, 1'd0};
      KindCompareSwap: return '{1'd1, 3'd1, 1'd0, 1'd1, 1'd1, 1'd0, 1'd0, 3'd2, 2'd1, 3'd4, 2'd2, 2'd0, 1'd0, 1'd0,
          2'd0, 2'd1, 10'd512, 4'd14, 2'd0, 1'd0, 1'd0};
      KindResult: return '{1'd1, 3'd2, 1'd0, 1'd0, 1'd0, 1'd0, 1'd0, 3'd0, 2'd0, 3'd0, 2'd1, 2'd0, 1'd0, 1'd0, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd0, 1'd0, 1'd1};
      KindFlush: return '{1'd1, 3'd1, 1'd0, 1'd0, 1'd0, 1'd0, 1'd0, 3'd0, 2'd0, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      KindAck: return '{1'd1, 3'd2, 1'd0, 1'd0, 1'd0, 1'd0, 1'd0, 3'd0, 2'd0, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0, 2'd0, 2'd0,
          10'd0, 4'd0, 2'd0, 1'd0, 1'd1};
      KindNack: return '{1'd1, 3'd2, 1'd0, 1'd0, 1'd0, 1'd0, 1'd0, 3'd3, 2'd3, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0, 2'd0, 2'd0,
          10'd0, 4'd0, 2'd0, 1'd0, 1'd1};
      KindCoreRequest: return '{1'd1, 3'd1, 1'd0, 1'd1, 1'd1, 1'd0, 1'd1, 3'd0, 2'd0, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0,
          2'd0, 2'd0, 10'd0, 4'd0, 2'd1, 1'd1, 1'd0};
      KindCoreAnswer: return '{1'd1, 3'd2, 1'd0, 1'd0, 1'd0, 1'd0, 1'd0, 3'd0, 2'd0, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd1, 1'd0, 1'd1};
      KindCredit: return '{1'd1, 3'd4, 1'd0, 1'd0, 1'd0, 1'd0, 1'd0, 3'd0, 2'd0, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      KindHeartbeat: return '{1'd1, 3'd4, 1'd0, 1'd1, 1'd0, 1'd0, 1'd0, 3'd0, 2'd0, 3'd0, 2'd1, 2'd0, 1'd0, 1'd0, 2'd0,
          2'd0, 10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      KindBye: return '{1'd1, 3'd4, 1'd0, 1'd0, 1'd0, 1'd0, 1'd0, 3'd4, 2'd0, 3'd0, 2'd0, 2'd0, 1'd0, 1'd0, 2'd0, 2'd0,
          10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      KindSeal: return '{1'd1, 3'd4, 1'd0, 1'd0, 1'd0, 1'd0, 1'd0, 3'd0, 2'd0, 3'd0, 2'd3, 2'd0, 1'd0, 1'd0, 2'd0, 2'd0,
          10'd0, 4'd0, 2'd0, 1'd0, 1'd0};
      default: return '0;
    endcase
  endfunction

  typedef enum logic [2:0] {
    ActionAccept = 3'd0,
    ActionDrop   = 3'd1,
    ActionRepeat = 3'd2,
    ActionRefuse = 3'd3,
    ActionEnd    = 3'd4
  } action_e;

  /// Why. A nack carries the number.
  typedef enum logic [7:0] {
    VerdictAccepted          = 8'd0,
    VerdictTruncated         = 8'd1,
    VerdictTooFewWords       = 8'd2,
    VerdictReservedStream    = 8'd3,
    VerdictUnknownKind       = 8'd4,
    VerdictWrongStream       = 8'd5,
    VerdictWrongFlag         = 8'd6,
    VerdictTooManyArguments  = 8'd7,
    VerdictWrongArguments    = 8'd8,
    VerdictNoRanges          = 8'd9,
    VerdictTooShort          = 8'd10,
    VerdictWrongPayload      = 8'd11,
    VerdictNoPayload         = 8'd12,
    VerdictWrongPad          = 8'd13,
    VerdictWrongPlace        = 8'd14,
    VerdictWrongOffset       = 8'd15,
    VerdictWrongHandler      = 8'd16,
    VerdictWrongDetail       = 8'd17,
    VerdictUnknownOperation  = 8'd18,
    VerdictUnknownWidth      = 8'd19,
    VerdictReservedDetail    = 8'd20,
    VerdictUnknownReason     = 8'd21,
    VerdictMisaligned        = 8'd22,
    VerdictOutsideMessage    = 8'd23,
    VerdictReservedBits      = 8'd24,
    VerdictNoBlocks          = 8'd25,
    VerdictWrongBlocks       = 8'd26,
    VerdictEmptyRange        = 8'd27,
    VerdictWrongRanges       = 8'd28,
    VerdictAnswerTooLong     = 8'd29,
    VerdictWrongSource       = 8'd30,
    VerdictWrongDestination  = 8'd31,
    VerdictTooManyCredits    = 8'd32,
    VerdictOverCredit        = 8'd33,
    VerdictUnknownSegment    = 8'd34,
    VerdictNoRight           = 8'd35,
    VerdictOutOfBounds       = 8'd36,
    VerdictUnknownHandler    = 8'd37,
    VerdictPayloadTooLong    = 8'd38,
    VerdictUnknownToken      = 8'd39,
    VerdictNotAsked          = 8'd40,
    VerdictRefusedByCore     = 8'd41,
    VerdictTruncatedDatagram = 8'd42,
    VerdictWrongMagic        = 8'd43,
    VerdictTooManySackWords  = 8'd44,
    VerdictTruncatedDelivery = 8'd45,
    VerdictReservedOpening   = 8'd46,
    VerdictUnknownConnection = 8'd47,
    VerdictWrongMac          = 8'd48,
    VerdictSeen              = 8'd49,
    VerdictOutsideWindow     = 8'd50,
    VerdictWrongExpected     = 8'd51,
    VerdictWrongSack         = 8'd52
  } verdict_e;

  function automatic action_e action_of(verdict_e verdict);
    unique case (verdict)
      VerdictAccepted: return ActionAccept;
      VerdictSeen: return ActionRepeat;
      VerdictUnknownKind, VerdictWrongStream, VerdictWrongFlag, VerdictTooManyArguments, VerdictWrongArguments,
          VerdictNoRanges, VerdictTooShort, VerdictWrongPayload, VerdictNoPayload, VerdictWrongPad, VerdictWrongPlace,
          VerdictWrongOffset, VerdictWrongHandler, VerdictWrongDetail, VerdictUnknownOperation, VerdictUnknownWidth,
          VerdictReservedDetail, VerdictUnknownReason, VerdictMisaligned, VerdictOutsideMessage, VerdictReservedBits,
          VerdictNoBlocks, VerdictWrongBlocks, VerdictEmptyRange, VerdictWrongRanges, VerdictAnswerTooLong,
          VerdictWrongDestination, VerdictUnknownSegment, VerdictNoRight, VerdictOutOfBounds, VerdictUnknownHandler,
          VerdictPayloadTooLong, VerdictRefusedByCore: return ActionRefuse;
      VerdictTruncated, VerdictTooFewWords, VerdictTooManyCredits, VerdictOverCredit: return ActionEnd;
      default: return ActionDrop;
    endcase
  endfunction

  function automatic logic has(logic signed [63:0] mask, logic signed [63:0] number);
    return mask[number[5:0]];
  endfunction
  function automatic logic has_all(logic signed [63:0] mask, logic signed [63:0] bits);
    return (mask & bits) == bits;
  endfunction
  function automatic logic signed [63:0] power(logic signed [63:0] number);
    return 64'sd1 << number[5:0];
  endfunction
  function automatic logic signed [63:0] low_bits(logic signed [63:0] value, logic signed [63:0] count);
    return value & (power(count) - 64'sd1);
  endfunction
  /// A bit for each cause that refuses.
  localparam logic [63:0] Refusals = 64'h27cbffffff0;
  function automatic logic is_refusal(logic signed [63:0] number);
    return number < 64'sd64 && Refusals[number[5:0]];
  endfunction

  /// What the checks of a packet look at; 0: the packet has no such field.
  typedef struct packed {
    logic signed [63:0] kind;
    logic signed [63:0] stream;
    logic signed [63:0] fragment;
    logic signed [63:0] acknowledge;
    logic signed [63:0] fence;
    logic signed [63:0] reserved_flag;
    logic signed [63:0] pad;
    logic signed [63:0] arguments;
    logic signed [63:0] last_word;
    logic signed [63:0] offset;
    logic signed [63:0] segment;
    logic signed [63:0] handler;
    logic signed [63:0] detail;
    logic signed [63:0] credits;
    logic signed [63:0] last_byte;
    logic signed [63:0] part_offset;
    logic signed [63:0] operation;
    logic signed [63:0] width;
    logic signed [63:0] reserved_detail;
    logic signed [63:0] own_offset;
    logic signed [63:0] last_asked;
    logic signed [63:0] reserved_extent;
    logic signed [63:0] stride;
    logic signed [63:0] block;
    logic signed [63:0] count;
    logic signed [63:0] reserved_own_blocks;
    logic signed [63:0] range_offset;
    logic signed [63:0] range_bytes;
    logic signed [63:0] reserved_own_range;
    logic signed [63:0] signal_offset;
    logic signed [63:0] reserved_cover;
    logic signed [63:0] available;
    logic signed [63:0] source_known;
    logic signed [63:0] destination_here;
    logic signed [63:0] segment_limit;
    logic signed [63:0] segment_rights;
    logic signed [63:0] signal_limit;
    logic signed [63:0] signal_rights;
    logic signed [63:0] handler_known;
    logic signed [63:0] token_open;
    logic signed [63:0] asked_segment;
    logic signed [63:0] asked_first;
    logic signed [63:0] asked_end;
    logic signed [63:0] payload_limit;
    logic signed [63:0] room;
    logic signed [63:0] credits_seen;
    logic signed [63:0] credits_owed;
    logic signed [63:0] ranges_total;
    logic signed [63:0] ranges_empty;
    logic signed [63:0] ranges_reserved;
    logic signed [63:0] ranges_end;
    logic signed [63:0] words;
    logic signed [63:0] head_words;
    logic signed [63:0] argument_words;
    logic signed [63:0] descriptor_words;
    logic signed [63:0] payload_words;
    logic signed [63:0] payload_bytes;
    logic signed [63:0] width_bytes;
    logic signed [63:0] block_bytes;
    logic signed [63:0] most_answered;
    logic signed [63:0] span;
    logic signed [63:0] place_first;
    logic signed [63:0] place_bytes;
    logic signed [63:0] place_end;
    logic signed [63:0] cells;
    logic signed [63:0] returned;
  } packet_facts_t;

  function automatic packet_facts_t derive_head(packet_facts_t facts, kind_facts_t k);
    packet_facts_t f;
    f = facts;
    f.words = f.last_word + 64'sd1;
    f.head_words = 64'sd3 + f.fragment;
    f.argument_words = (f.arguments + 64'sd1) >> 1;
    f.descriptor_words = 64'(k.descriptor_words) + (64'(k.range_words) * f.detail);
    f.payload_words = ((f.words - f.head_words) - f.descriptor_words) - f.argument_words;
    f.payload_bytes = (64'sd8 * f.payload_words) - f.pad;
    return f;
  endfunction

  /// Of the first three words, and the fourth if the packet is a fragment, and of its length in bytes.
  function automatic packet_facts_t head_facts(logic [63:0] available, route_t route, place_t place,
                                               meaning_t meaning, part_t part);
    packet_facts_t f;
    atomic_t atomic;
    f = '0;
    atomic = meaning.detail;
    f.available = available;
    f.kind = 64'(route.kind);
    f.stream = 64'(route.stream);
    f.fragment = 64'(route.fragment);
    f.acknowledge = 64'(route.acknowledge);
    f.fence = 64'(route.fence);
    f.reserved_flag = 64'(route.reserved_flag);
    f.pad = 64'(route.pad);
    f.arguments = 64'(route.arguments);
    f.last_word = 64'(route.last_word);
    f.offset = 64'(place.offset);
    f.segment = 64'(place.segment);
    f.handler = 64'(meaning.handler);
    f.detail = 64'(meaning.detail);
    f.credits = 64'(meaning.credits);
    f.operation = 64'(atomic.operation);
    f.width = 64'(atomic.width);
    f.reserved_detail = 64'(atomic.reserved_detail);
    if (route.fragment) begin
      f.last_byte = 64'(part.last_byte);
      f.part_offset = 64'(part.part_offset);
    end
    return derive_head(f, kind_facts(route.kind));
  endfunction

  /// With the words of the descriptor that are no ranges; the first one is number 0.
  function automatic packet_facts_t add_descriptor(packet_facts_t facts, logic [2:0][63:0] descriptor);
    packet_facts_t f;
    blocks_t blocks_v0;
    signal_t signal_v0;
    own_place_t own_place_v0;
    extent_t extent_v1;
    extent_t extent_v0;
    blocks_t blocks_v1;
    own_blocks_t own_blocks_v2;
    cover_t cover_v0;
    f = facts;
    blocks_v0 = descriptor[0];
    signal_v0 = descriptor[0];
    own_place_v0 = descriptor[0];
    extent_v1 = descriptor[1];
    extent_v0 = descriptor[0];
    blocks_v1 = descriptor[1];
    own_blocks_v2 = descriptor[2];
    cover_v0 = descriptor[0];
    unique case (f.kind[4:0])
      KindPutBlocks, KindDataBlocks: begin
        f.stride = 64'(blocks_v0.stride);
        f.block = 64'(blocks_v0.block);
        f.count = 64'(blocks_v0.count);
      end
      KindPutSignal: begin
        f.signal_offset = 64'(signal_v0.signal_offset);
      end
      KindGet: begin
        f.own_offset = 64'(own_place_v0.own_offset);
        f.last_asked = 64'(extent_v1.last_asked);
        f.reserved_extent = 64'(extent_v1.reserved_extent);
      end
      KindGetMedium: begin
        f.last_asked = 64'(extent_v0.last_asked);
        f.reserved_extent = 64'(extent_v0.reserved_extent);
      end
      KindGetBlocks: begin
        f.own_offset = 64'(own_place_v0.own_offset);
        f.stride = 64'(blocks_v1.stride);
        f.block = 64'(blocks_v1.block);
        f.count = 64'(blocks_v1.count);
        f.reserved_own_blocks = 64'(own_blocks_v2.reserved_own_blocks);
      end
      KindGetRanges: begin
        f.own_offset = 64'(own_place_v0.own_offset);
      end
      KindSeal: begin
        f.reserved_cover = 64'(cover_v0.reserved_cover);
      end
      default: ;
    endcase
    return f;
  endfunction

  /// With one range more; `own` is 0 for kinds that have none.
  function automatic packet_facts_t add_range(packet_facts_t facts, range_t one, own_range_t own);
    packet_facts_t f;
    f = facts;
    f.range_offset = 64'(one.range_offset);
    f.range_bytes = 64'(one.range_bytes);
    f.reserved_own_range = 64'(own.reserved_own_range);
    f.ranges_total = f.ranges_total + f.range_bytes;
    f.ranges_empty = (f.range_bytes == 64'sd0) ? 64'sd1 : f.ranges_empty;
    f.ranges_reserved = (f.reserved_own_range != 64'sd0) ? 64'sd1 : f.ranges_reserved;
    f.ranges_end = ((f.range_offset + f.range_bytes) > f.ranges_end) ? (f.range_offset + f.range_bytes) : f.ranges_end;
    return f;
  endfunction

  /// The first check that fails, of the head alone: may be asked before the descriptor is there.
  function automatic verdict_e check_head(packet_facts_t f);
    kind_facts_t k;
    k = kind_facts(f.kind[4:0]);
    if ((f.available < 64'sd24) || (f.available < (64'sd8 * f.words))) return VerdictTruncated;
    if (f.words < 64'sd3) return VerdictTooFewWords;
    if (f.stream == 64'sd3) return VerdictReservedStream;
    if (64'(k.known) == 64'sd0) return VerdictUnknownKind;
    if (!has(64'(k.streams), f.stream)) return VerdictWrongStream;
    if (((f.fragment == 64'sd1) && (64'(k.may_fragment) == 64'sd0)) || ((f.acknowledge == 64'sd1)
        && (64'(k.may_acknowledge) == 64'sd0)) || ((f.fence == 64'sd1) && (64'(k.may_fence) == 64'sd0))
        || ((f.stream == 64'sd1) && ((f.acknowledge == 64'sd1) || (f.fence == 64'sd1))) || (f.reserved_flag == 64'sd1))
        return VerdictWrongFlag;
    if (f.arguments > 64'sd32) return VerdictTooManyArguments;
    if ((f.arguments != 64'sd0) && (64'(k.arguments) == 64'sd0)) return VerdictWrongArguments;
    if ((64'(k.range_words) != 64'sd0) && (f.detail == 64'sd0)) return VerdictNoRanges;
    if (f.payload_words < 64'sd0) return VerdictTooShort;
    if ((f.payload_words > 64'sd0) && (64'(k.payload) == 64'sd0)) return VerdictWrongPayload;
    if ((f.payload_words == 64'sd0) && ((64'(k.payload) == 64'sd2) || (f.fragment == 64'sd1))) return VerdictNoPayload;
    if ((f.payload_words == 64'sd0) && (f.pad != 64'sd0)) return VerdictWrongPad;
    if ((64'(k.place) == 64'sd0) && ((f.offset != 64'sd0) || (f.segment != 64'sd0))) return VerdictWrongPlace;
    if ((64'(k.ranges) == 64'sd1) && (f.offset != 64'sd0)) return VerdictWrongOffset;
    if ((f.handler != 64'sd0) && (64'(k.handler) == 64'sd0)) return VerdictWrongHandler;
    if ((f.detail != 64'sd0) && (64'(k.detail) == 64'sd0)) return VerdictWrongDetail;
    if ((64'(k.atomic) != 64'sd0) && !has(64'(k.operations), f.operation)) return VerdictUnknownOperation;
    if ((64'(k.atomic) != 64'sd0) && !has(64'(k.widths), f.width)) return VerdictUnknownWidth;
    if ((64'(k.atomic) != 64'sd0) && (f.reserved_detail != 64'sd0)) return VerdictReservedDetail;
    if (((64'(k.detail) == 64'sd3) && !is_refusal(f.detail)) || ((64'(k.detail) == 64'sd4) && (f.detail > 64'sd1)))
        return VerdictUnknownReason;
    return VerdictAccepted;
  endfunction

  /// Of the whole packet; its head has passed.
  function automatic verdict_e check_body(packet_facts_t facts);
    packet_facts_t f;
    kind_facts_t k;
    f = facts;
    k = kind_facts(f.kind[4:0]);
    f.width_bytes = power(f.width);
    f.block_bytes = f.block * f.count;
    f.most_answered = 64'sd8 * ((64'sd4096 - 64'sd3) - f.argument_words);
    if (((64'(k.atomic) == 64'sd1) && (low_bits(f.offset, f.width) != 64'sd0)) || ((64'(k.atomic) == 64'sd2)
        && (low_bits(f.signal_offset, 64'sd3) != 64'sd0))) return VerdictMisaligned;
    if ((f.fragment == 64'sd1) && ((f.part_offset + f.payload_bytes) > (f.last_byte + 64'sd1)))
        return VerdictOutsideMessage;
    if ((f.reserved_extent != 64'sd0) || (f.reserved_cover != 64'sd0) || (f.reserved_own_blocks != 64'sd0)
        || (f.ranges_reserved != 64'sd0) || ((64'(k.range_words) == 64'sd2) && (f.own_offset != 64'sd0)))
        return VerdictReservedBits;
    if ((64'(k.blocks) == 64'sd1) && (f.block_bytes == 64'sd0)) return VerdictNoBlocks;
    if ((64'(k.blocks) == 64'sd1) && (64'(k.payload) == 64'sd2) && (f.block_bytes != f.payload_bytes))
        return VerdictWrongBlocks;
    if (f.ranges_empty == 64'sd1) return VerdictEmptyRange;
    if ((64'(k.ranges) == 64'sd1) && (64'(k.payload) == 64'sd2) && (f.ranges_total != f.payload_bytes))
        return VerdictWrongRanges;
    if ((64'(k.extent) == 64'sd2) && ((f.last_asked + 64'sd1) > f.most_answered)) return VerdictAnswerTooLong;
    return VerdictAccepted;
  endfunction

  /// Of a packet that is legal by itself; what the receiver knows has been added.
  function automatic verdict_e check_receiver(packet_facts_t facts);
    packet_facts_t f;
    kind_facts_t k;
    f = facts;
    k = kind_facts(f.kind[4:0]);
    f.width_bytes = power(f.width);
    f.span = (64'(k.blocks) == 64'sd1) ? ((f.count - 64'sd1) * f.stride) : 64'sd0;
    f.place_first = f.offset + ((f.span < 64'sd0) ? f.span : 64'sd0);
    f.place_bytes = (64'(k.blocks) == 64'sd1) ? f.block : ((64'(k.extent) != 64'sd0) ? (f.last_asked + 64'sd1)
        : ((64'(k.atomic) == 64'sd1) ? f.width_bytes : f.payload_bytes));
    f.place_end = (64'(k.ranges) == 64'sd1) ? f.ranges_end : ((f.offset + f.place_bytes) + ((f.span > 64'sd0) ? f.span
        : 64'sd0));
    f.cells = (64'(k.queued) == 64'sd1) ? ((f.words + 64'sd7) >> 3) : 64'sd0;
    f.returned = ((f.credits + 64'sd65536) - f.credits_seen) & 64'sd65535;
    if (f.source_known == 64'sd0) return VerdictWrongSource;
    if (f.destination_here == 64'sd0) return VerdictWrongDestination;
    if ((f.returned > f.credits_owed) && (f.returned < 64'sd32768)) return VerdictTooManyCredits;
    if ((f.stream == 64'sd0) && (f.cells > f.room)) return VerdictOverCredit;
    if (((64'(k.place) == 64'sd1) && (f.segment_limit == 64'sd0)) || ((64'(k.atomic) == 64'sd2)
        && (f.signal_limit == 64'sd0))) return VerdictUnknownSegment;
    if (((64'(k.place) == 64'sd1) && !has_all(f.segment_rights, 64'(k.rights))) || ((64'(k.atomic) == 64'sd2)
        && !has_all(f.signal_rights, 64'sd4))) return VerdictNoRight;
    if (((64'(k.place) == 64'sd1) && ((f.place_first < 64'sd0) || (f.place_end > f.segment_limit)))
        || ((64'(k.atomic) == 64'sd2) && ((f.signal_offset + 64'sd8) > f.signal_limit))) return VerdictOutOfBounds;
    if ((f.handler != 64'sd0) && (f.handler_known == 64'sd0)) return VerdictUnknownHandler;
    if ((64'(k.queued) == 64'sd1) && (f.payload_bytes > f.payload_limit)) return VerdictPayloadTooLong;
    if ((64'(k.answers) == 64'sd1) && (f.token_open == 64'sd0)) return VerdictUnknownToken;
    if ((64'(k.place) == 64'sd2) && ((f.segment != f.asked_segment) || (f.place_first < f.asked_first)
        || (f.place_end > f.asked_end))) return VerdictNotAsked;
    return VerdictAccepted;
  endfunction

  /// What the checks of a datagram look at.
  typedef struct packed {
    logic signed [63:0] magic;
    logic signed [63:0] sack_words;
    logic signed [63:0] timed;
    logic signed [63:0] reserved_opening;
    logic signed [63:0] number;
    logic signed [63:0] expected;
    logic signed [63:0] datagram_bytes;
    logic signed [63:0] connection_known;
    logic signed [63:0] mac_right;
    logic signed [63:0] number_seen;
    logic signed [63:0] expected_here;
    logic signed [63:0] unacknowledged;
    logic signed [63:0] in_flight;
    logic signed [63:0] sack_end;
    logic signed [63:0] datagram_words;
    logic signed [63:0] delivery_words;
    logic signed [63:0] packet_words;
    logic signed [63:0] ahead;
    logic signed [63:0] newly;
  } datagram_facts_t;

  function automatic datagram_facts_t opening_facts(logic [63:0] datagram_bytes, opening_t opening,
                                                    numbers_t numbers);
    datagram_facts_t f;
    f = '0;
    f.datagram_bytes = datagram_bytes;
    f.magic = 64'(opening.magic);
    f.sack_words = 64'(opening.sack_words);
    f.timed = 64'(opening.timed);
    f.reserved_opening = 64'(opening.reserved_opening);
    f.number = 64'(numbers.number);
    f.expected = 64'(numbers.expected);
    f.datagram_words = f.datagram_bytes >> 3;
    f.delivery_words = (64'sd3 + f.timed) + f.sack_words;
    f.packet_words = f.datagram_words - f.delivery_words;
    return f;
  endfunction

  function automatic verdict_e check_datagram(datagram_facts_t f);
    if ((f.datagram_bytes < 64'sd24) || ((f.datagram_bytes & 64'sd7) != 64'sd0)) return VerdictTruncatedDatagram;
    if (f.magic != 64'sd21321) return VerdictWrongMagic;
    if (f.sack_words > 64'sd4) return VerdictTooManySackWords;
    if (f.datagram_words < f.delivery_words) return VerdictTruncatedDelivery;
    if (f.reserved_opening != 64'sd0) return VerdictReservedOpening;
    return VerdictAccepted;
  endfunction

  /// Of a datagram that is legal by itself; what the receiver knows has been added.
  function automatic verdict_e check_connection(datagram_facts_t facts);
    datagram_facts_t f;
    f = facts;
    f.ahead = ((f.number + 64'sd4294967296) - f.expected_here) & 64'sd4294967295;
    f.newly = ((f.expected + 64'sd4294967296) - f.unacknowledged) & 64'sd4294967295;
    if (f.connection_known == 64'sd0) return VerdictUnknownConnection;
    if (f.mac_right == 64'sd0) return VerdictWrongMac;
    if ((f.packet_words > 64'sd0) && (f.number_seen == 64'sd1)) return VerdictSeen;
    if ((f.packet_words > 64'sd0) && (f.ahead > 64'sd256)) return VerdictOutsideWindow;
    if ((f.newly > f.in_flight) && (f.newly < 64'sd2147483648)) return VerdictWrongExpected;
    if ((f.newly < 64'sd2147483648) && ((f.newly + f.sack_end) > f.in_flight)) return VerdictWrongSack;
    return VerdictAccepted;
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
// verilator lint_on UNUSEDSIGNAL
