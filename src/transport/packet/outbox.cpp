#include "transport/packet/outbox.hpp"

#include <algorithm>
#include <span>

#include "packet/decode.hpp"

namespace isthmus::transport::packet {
namespace {

constexpr char kZeroes[8] = {};

}  // namespace

bool Outbox::add(const Head& head, std::span<const std::uint64_t> descriptor, const void* payload,
                 std::size_t bytes, bool must) {
    if (bytes > most_payload_)
        return add_parts(head, static_cast<const char*>(payload), bytes, must);
    std::byte front[64];
    std::size_t padding = 0;
    const std::size_t front_bytes = encode_head(front, head, descriptor, {}, bytes, padding);
    const std::size_t all = front_bytes + bytes + padding;
    if (front_bytes == 0 || (copied_ + all > kMostCopied && !must)) return false;
    make_room(all);
    copy_in(front, front_bytes);
    copy_in(payload, bytes);
    copy_in(kZeroes, padding);
    if (items_.empty() || items_.back().source) items_.emplace_back();
    items_.back().left += all;
    return true;
}

// All of them, or none.
bool Outbox::add_parts(const Head& head, const char* payload, std::size_t bytes, bool must) {
    const std::size_t parts = (bytes + most_payload_ - 1) / most_payload_;
    if (copied_ + bytes + parts * kMostHead > kMostCopied && !must) return false;
    Head part = head;
    if (head.kind == ::isthmus::packet::Kind::data) part.message_bytes = bytes;
    for (std::size_t at = 0; at != bytes;) {
        const std::size_t size = std::min(most_payload_, bytes - at);
        const bool is_last = at + size == bytes;
        if (head.kind == ::isthmus::packet::Kind::core_request)
            part.token = is_last ? head.token : kMoreFollows;
        if (!add(part, {}, payload + at, size, true)) return false;
        at += size;
        if (head.kind == ::isthmus::packet::Kind::core_request) continue;
        part.offset += size;
        if (part.message_bytes != 0) part.part_offset += static_cast<std::uint32_t>(size);
    }
    return true;
}

bool Outbox::add_block(const Head& head, const char* source, std::uint64_t bytes, Mark mark,
                       bool is_message, bool must) {
    if (!must && blocks_ >= kMostBlocks) return false;
    Item& item = items_.emplace_back();
    item.left = bytes;
    item.source = source;
    item.head = head;
    block_bytes_ += bytes;
    // A block of one packet is no fragment.
    item.head.message_bytes = is_message && bytes > most_payload_ ? bytes : 0;
    item.mark = mark;
    item.is_answer = must;
    ++(must ? answers_ : blocks_);
    return true;
}

Outbox::Cut Outbox::cut(const Item& item, std::uint64_t left) const {
    const std::uint64_t packets = (left + most_payload_ - 1) / most_payload_;
    // Multiples of a cache line, so that all but the last are as the first.
    return make_cut(item, static_cast<std::size_t>(
                              packets == 1 ? left
                                           : std::min<std::uint64_t>(
                                                 (left / packets + 63) / 64 * 64, most_payload_)));
}

Outbox::Cut Outbox::make_cut(const Item& item, std::size_t payload) {
    Cut packet;
    packet.payload = payload;
    packet.head = item.head.message_bytes != 0 ? 32 : 24;
    packet.padding = (8 - packet.payload % 8) % 8;
    return packet;
}

bool Outbox::flush(Stream& stream, std::vector<Mark>& ended, long& error) {
    error = 0;
    while (!items_.empty()) {
        iovec pieces[kPieces];
        Heads heads;
        const std::size_t count = gather(pieces, heads);
        const long written = stream.write(pieces, count);
        if (written < 0) {
            if (written != Stream::kNotNow) error = written;
            return false;
        }
        took(static_cast<std::size_t>(written), ended);
    }
    return true;
}

std::size_t Outbox::gather(iovec* pieces, Heads& heads) {
    std::size_t count = 0;
    std::size_t used = 0;
    std::size_t at = begin_;
    std::size_t skip = skip_;
    const auto add_piece = [&](const void* bytes, std::size_t length) {
        const std::size_t skipped = std::min(skip, length);
        skip -= skipped;
        if (length == skipped) return;
        pieces[count++] = {static_cast<char*>(const_cast<void*>(bytes)) + skipped,
                           length - skipped};
    };
    for (const Item& item : items_) {
        if (!item.source) {
            if (count + 2 > kPieces) return count;
            const std::size_t first = std::min<std::size_t>(item.left, ring_.size() - at);
            add_piece(ring_.data() + at, first);
            add_piece(ring_.data(), item.left - first);
            at = (at + item.left) & (ring_.size() - 1);
            continue;
        }
        Item next = item;
        while (next.left != 0) {
            if (count + 3 > kPieces) return count;
            const Cut packet = cut(next, next.left);
            std::size_t padding = 0;
            encode_head(heads[used], next.head, {}, {}, packet.payload, padding);
            add_piece(heads[used++], packet.head);
            add_piece(next.source, packet.payload);
            add_piece(kZeroes, packet.padding);
            step(next, packet);
        }
    }
    return count;
}

// Behind a packet of a block.
void Outbox::step(Item& item, const Cut& packet) {
    item.source += packet.payload;
    item.left -= packet.payload;
    item.head.offset += packet.payload;
    if (item.head.message_bytes != 0)
        item.head.part_offset += static_cast<std::uint32_t>(packet.payload);
}

void Outbox::took(std::size_t bytes, std::vector<Mark>& ended) {
    while (bytes != 0) {
        Item& item = items_.front();
        if (!item.source) {
            const std::size_t part = std::min<std::size_t>(bytes, item.left);
            bytes -= part;
            item.left -= part;
            copied_ -= part;
            begin_ = ring_.empty() ? 0 : (begin_ + part) & (ring_.size() - 1);
            if (item.left == 0) items_.pop_front();
            continue;
        }
        const Cut packet = cut(item, item.left);
        const std::size_t all = packet.head + packet.payload + packet.padding;
        if (skip_ + bytes < all) {
            skip_ += bytes;
            return;
        }
        bytes -= all - skip_;
        skip_ = 0;
        took_packet(item, packet, ended);
    }
}

// Of the first item, a block.
void Outbox::took_packet(Item& item, const Cut& packet, std::vector<Mark>& ended) {
    step(item, packet);
    block_bytes_ -= packet.payload;
    if (item.left != 0) return;
    if (item.mark) ended.push_back(item.mark);
    --(item.is_answer ? answers_ : blocks_);
    items_.pop_front();
}

std::size_t Outbox::pack(std::span<std::byte> room, std::vector<Mark>& ended) {
    std::size_t used = 0;
    while (!items_.empty()) {
        Item& item = items_.front();
        const std::size_t left = room.size() - used;
        if (!item.source) {
            const std::size_t bytes = packet_at_begin();
            if (bytes > left) {
                used += pack_part(room.subspan(used), ended);
                break;
            }
            copy_out(room.data() + used, bytes);
            used += bytes;
            took(bytes, ended);
            continue;
        }
        // Datagrams are filled, so that all have one length and the system can send them as one.
        const std::size_t head = make_cut(item, 0).head;
        if (left < head + 8) break;
        const Cut packet = make_cut(item, static_cast<std::size_t>(std::min<std::uint64_t>(
                                              item.left, std::min(left - head, kMostPayload))));
        std::byte* const to = room.data() + used;
        std::size_t padding = 0;
        encode_head({to, packet.head}, item.head, {}, {}, packet.payload, padding);
        std::memcpy(to + packet.head, item.source, packet.payload);
        std::memset(to + packet.head + packet.payload, 0, packet.padding);
        used += packet.head + packet.payload + packet.padding;
        took_packet(item, packet, ended);
    }
    return used;
}

// Of the first of the copied packets, a put that this datagram has no room for: as much as there is
// room for, as a put of its own. So datagrams are filled, as by blocks. Bytes of it; 0: it stays
// whole, as what is no put does.
std::size_t Outbox::pack_part(std::span<std::byte> room, std::vector<Mark>& ended) {
    using namespace ::isthmus::packet::route_word;
    constexpr std::size_t kHead = 24;
    if (most_payload_ == kMostPayload || room.size() < kHead + 8) return 0;
    std::byte head[kHead];
    copy_out(head, sizeof head);
    const std::uint64_t route = ::isthmus::packet::load_word(head);
    const std::uint64_t place = ::isthmus::packet::load_word(head + 8);
    const std::size_t words = static_cast<std::size_t>(last_word.of(route)) + 1;
    const bool is_plain =
        kind.of(route) == static_cast<std::uint64_t>(::isthmus::packet::Kind::put) &&
        (route & (fragment.mask | acknowledge.mask | fence.mask | arguments.mask)) == 0;
    if (!is_plain || (8 * words - kHead <= kMostWhole && place % 8 != 0)) return 0;
    const std::size_t part = (room.size() - kHead) / 8 * 8;  // less than its payload
    copy_out(room.data(), kHead + part);
    const std::uint64_t first =
        (route & ~(last_word.mask | pad.mask)) | last_word.in((kHead + part) / 8 - 1);
    std::memcpy(room.data(), &first, sizeof first);
    // The head of the rest lies where the end of the part was.
    const std::uint64_t rest[] = {(route & ~last_word.mask) | last_word.in(words - part / 8 - 1),
                                  place + part, ::isthmus::packet::load_word(head + 16)};
    for (std::size_t word = 0; word < std::size(rest); ++word)
        std::memcpy(ring_.data() + ((begin_ + part + 8 * word) & (ring_.size() - 1)), &rest[word],
                    sizeof rest[word]);
    took(part, ended);
    return kHead + part;
}

// Bytes of the first of the copied packets.
std::size_t Outbox::packet_at_begin() const {
    std::byte route[8];
    copy_out(route, sizeof route);
    return ::isthmus::packet::packet_bytes(route);
}

void Outbox::copy_out(std::byte* to, std::size_t bytes) const {
    const std::size_t first = std::min(bytes, ring_.size() - begin_);
    std::memcpy(to, ring_.data() + begin_, first);
    if (first != bytes) std::memcpy(to + first, ring_.data(), bytes - first);
}

// The ring grows to what is needed, and what is in it then begins at its begin.
void Outbox::make_room(std::size_t bytes) {
    if (copied_ + bytes <= ring_.size()) return;
    std::size_t size = std::max<std::size_t>(ring_.size(), 4096);
    while (size < copied_ + bytes)
        size *= 2;
    std::vector<char> larger(size);
    const std::size_t first = std::min(copied_, ring_.size() - begin_);
    if (copied_ != 0) {
        std::memcpy(larger.data(), ring_.data() + begin_, first);
        std::memcpy(larger.data() + first, ring_.data(), copied_ - first);
    }
    ring_.swap(larger);
    begin_ = 0;
}

void Outbox::copy_in(const void* bytes, std::size_t count) {
    if (count == 0) return;
    const std::size_t at = (begin_ + copied_) & (ring_.size() - 1);
    const std::size_t first = std::min(count, ring_.size() - at);
    std::memcpy(ring_.data() + at, bytes, first);
    if (first != count)
        std::memcpy(ring_.data(), static_cast<const char*>(bytes) + first, count - first);
    copied_ += count;
}

}  // namespace isthmus::transport::packet
