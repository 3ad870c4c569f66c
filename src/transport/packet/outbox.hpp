// What is to be sent on one stream: short packets, copied, and long blocks, which are cut into
// packets as they leave, straight from where they lie. In the order in which they were added.
//
// By datagrams no packet is longer than one of them (narrow()): what is added longer is cut as
// well, a request of the service into several that only together are one (kMoreFollows).
//
// Bounded: a packet or a block that finds no room is not taken. Answers to gets are always taken:
// who asks has a bound on gets (kMostGets), so that no receiver has to wait for its own sending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "packet/encode.hpp"
#include "transport/packet/stream.hpp"

namespace isthmus::transport::packet {

using ::isthmus::packet::Head;

// Of one packet of a longer block. Blocks of one packet more are cut in equal parts.
inline constexpr std::size_t kMostPayload = 8 * std::size_t{::isthmus::packet::kLargestWords} - 64;
inline constexpr std::size_t kMostGets = 1024;  // of one PE at another, that are not answered yet

// The token of a core request that goes on in the next one.
inline constexpr std::uint32_t kMoreFollows = ~std::uint32_t{1};

class Outbox {
  public:
    // What ends when the last byte of a block has left: of who added it.
    using Mark = void*;
    static constexpr std::size_t kMostCopied = std::size_t{256} << 10;
    static constexpr std::size_t kMostBlocks = 256;  // that are not answers

    // Packets of at most so many bytes. Before anything is added.
    void narrow(std::size_t packet_bytes) { most_payload_ = packet_bytes - kMostHead; }

    // A packet, copied. Of answers the room is larger. False if there is none.
    bool add(const Head& head, std::span<const std::uint64_t> descriptor, const void* payload,
             std::size_t bytes, bool must = false);
    // A block: packets of the head's kind, the first of which begins at its offset. The bytes stay
    // where they are until they have left. `is_message`: the packets are fragments of one.
    bool add_block(const Head& head, const char* source, std::uint64_t bytes, Mark mark,
                   bool is_message, bool must = false);

    bool is_empty() const { return items_.empty(); }
    std::size_t copied_bytes() const { return copied_; }
    // Writes until all has left (true) or the stream takes no more (false, or its error in
    // `error`). Marks of what has left are added to `ended`.
    bool flush(Stream& stream, std::vector<Mark>& ended, long& error);
    // Moves whole packets into a datagram or a record, as many as it has room for; bytes that they
    // take. Not of an outbox that is flushed.
    std::size_t pack(std::span<std::byte> room, std::vector<Mark>& ended);
    // Of a room of so many bytes, those that it may take.
    std::size_t most_packed(std::size_t room) const {
        const std::size_t heads = blocks_ + answers_ + block_bytes_ / kMostPayload + 1;
        const std::uint64_t all = copied_ + block_bytes_ + kMostHead * heads;
        return all < room ? static_cast<std::size_t>(all) : room;
    }
    // Answers that have not left.
    std::size_t answers() const { return answers_; }

  private:
    struct Item {
        std::uint64_t left = 0;        // bytes: of copied packets, or of the block
        const char* source = nullptr;  // null: copied packets, in the ring
        Head head;                     // of the block's next packet
        Mark mark = nullptr;
        bool is_answer = false;
    };
    struct Cut {  // the next packet of a block
        std::size_t payload = 0;
        std::size_t head = 0;
        std::size_t padding = 0;
    };
    static constexpr std::size_t kPieces = 64;  // of one write
    using Heads = std::byte[kPieces][32];

    // A copied put of more bytes may be cut anywhere; a shorter one, of which the receiver stores
    // each word at once, between words.
    static constexpr std::size_t kMostWhole = 512;
    static constexpr std::size_t kMostHead = 40;  // before the payload, and what fills it up behind

    bool add_parts(const Head& head, const char* payload, std::size_t bytes, bool must);
    Cut cut(const Item& item, std::uint64_t left) const;
    static Cut make_cut(const Item& item, std::size_t payload);
    std::size_t packet_at_begin() const;
    std::size_t pack_part(std::span<std::byte> room, std::vector<Mark>& ended);
    void copy_out(std::byte* to, std::size_t bytes) const;
    std::size_t gather(iovec* pieces, Heads& heads);
    void took(std::size_t bytes, std::vector<Mark>& ended);
    static void step(Item& item, const Cut& packet);
    void took_packet(Item& item, const Cut& packet, std::vector<Mark>& ended);
    void make_room(std::size_t bytes);
    void copy_in(const void* bytes, std::size_t count);

    std::deque<Item> items_;
    std::vector<char> ring_;  // a power of two of bytes, or none
    std::size_t begin_ = 0;
    std::size_t copied_ = 0;
    std::size_t skip_ = 0;  // of the first block's next packet: what has left
    std::size_t blocks_ = 0;
    std::size_t answers_ = 0;
    std::uint64_t block_bytes_ = 0;  // left of both
    std::size_t most_payload_ = kMostPayload;
};

}  // namespace isthmus::transport::packet
