// What comes on one stream: packets, whole or in pieces. Bytes come into a buffer that all streams
// share, but for the long rest of a put or of data, which is read straight into its place.
//
// Nothing is placed of a packet whose head and descriptor have not been found legal and admitted.
// Of a packet that is not whole at most 32 KiB are kept.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "packet/admit.hpp"
#include "packet/decode.hpp"
#include "transport/packet/stream.hpp"
#include "transport/perform.hpp"

namespace isthmus::transport::packet {

using ::isthmus::packet::Bytes;
using ::isthmus::packet::Kind;
using ::isthmus::packet::Packet;
using ::isthmus::packet::Verdict;

inline constexpr std::size_t kLargestPacket = 8 * std::size_t{::isthmus::packet::kLargestWords};

// The buffer of all streams: what one read takes, behind what was kept of a packet; and room behind
// it, so that a packet whose payload has not come yet lies in memory of ours.
class Workspace {
  public:
    static constexpr std::size_t kRead = std::size_t{64} << 10;
    static constexpr std::size_t kReadInLongBlocks = 4096;
    char* bytes() { return bytes_.data(); }

  private:
    std::vector<char> bytes_ = std::vector<char>(kLargestPacket + kRead + kLargestPacket);
};

enum class Came : std::uint8_t {
    all,      // that there was, for now; not its end, which may lie behind it
    nothing,  // there was none
    more,     // there may be more
    end,      // the other side has ended the stream
    error,
    changed,  // by somebody else, on its way
    illegal   // the stream is to be ended
};

// What packets are handed over to.
//   Verdict admit(const Packet&)             whether it may take effect here
//   char* place(const Packet&)               of put and data: where the payload goes
//   void placed(const Packet&)               it is there; the packet's bytes may be gone
//   void take(const Packet&)                 of all other kinds
//   bool refused(Bytes head, Verdict)        false: the stream ends. The first words alone are
//   there
class Inbox {
  public:
    template <typename Handler>
    Came read(Stream& stream, Workspace& space, Handler& handler);
    // Whole packets. False: the stream is to be ended.
    template <typename Handler>
    bool take(Bytes packets, Handler& handler);
    // Of an error: its number with a minus.
    long error() const { return error_; }
    // Bytes that wait for the rest of their packet.
    std::size_t kept() const { return kept_.size(); }

  private:
    static constexpr std::size_t kStraight = 4096;  // bytes that are worth a place of their own
    static constexpr std::size_t kByWords = 512;    // bytes that the program may be polling

    static bool has_place(const Packet& packet) {
        return packet.kind() == Kind::put || packet.kind() == Kind::data;
    }
    static void copy(char* to, const std::byte* from, std::size_t bytes) {
        // Release: who sees what comes later sees this as well. Partner: acquire of the program.
        std::atomic_thread_fence(std::memory_order_release);
        if (bytes <= kByWords)
            store_words(to, reinterpret_cast<const char*>(from), bytes);
        else
            std::memcpy(to, from, bytes);
    }
    template <typename Handler>
    bool parse(char* bytes, std::size_t count, Handler& handler);
    // Of a packet of which `available` bytes are there, those in front of the payload among them.
    // False: the stream ends.
    template <typename Handler>
    bool handle(Bytes packet_bytes, std::size_t available, Handler& handler);

    std::vector<char> kept_;
    // Of the packet under way: what is still to be placed, then what is to be thrown away.
    Packet packet_;
    char* into_ = nullptr;
    std::size_t into_left_ = 0;
    std::size_t drop_left_ = 0;
    long error_ = 0;
};

template <typename Handler>
Came Inbox::read(Stream& stream, Workspace& space, Handler& handler) {
    char* const buffer = space.bytes();
    const std::size_t kept = kept_.size();
    const std::size_t straight = into_left_;
    if (kept != 0) std::memcpy(buffer, kept_.data(), kept);
    iovec pieces[2];
    std::size_t count = 0;
    if (straight != 0) pieces[count++] = {into_, straight};
    const std::size_t room = straight != 0 ? Workspace::kReadInLongBlocks : Workspace::kRead;
    pieces[count++] = {buffer + kept, room};
    const long came = stream.read(pieces, count);
    if (came == Stream::kNotNow) return Came::nothing;
    if (came == 0) return Came::end;
    if (came < 0) {
        error_ = came;
        return Came::error;
    }
    auto bytes = static_cast<std::size_t>(came);
    const bool is_full = bytes == straight + room;
    kept_.clear();
    if (straight != 0) {
        const std::size_t placed = std::min(bytes, straight);
        into_ += placed;
        into_left_ -= placed;
        bytes -= placed;
        if (into_left_ == 0) handler.placed(packet_);
    }
    if (bytes + kept != 0 && !parse(buffer, kept + bytes, handler)) return Came::illegal;
    return is_full ? Came::more : Came::all;
}

template <typename Handler>
bool Inbox::take(Bytes packets, Handler& handler) {
    while (!packets.empty()) {
        const std::size_t size = ::isthmus::packet::packet_bytes(packets);
        if (size == 0 || size > packets.size()) {
            const Verdict verdict = size == 0 ? Verdict::too_few_words : Verdict::truncated;
            handler.refused(packets, verdict);
            return false;
        }
        if (!handle(packets.first(size), size, handler)) return false;
        packets = packets.subspan(size);
    }
    return true;
}

template <typename Handler>
bool Inbox::parse(char* bytes, std::size_t count, Handler& handler) {
    std::size_t at = 0;
    while (at != count) {
        if (drop_left_ != 0) {
            const std::size_t dropped = std::min(drop_left_, count - at);
            drop_left_ -= dropped;
            at += dropped;
            continue;
        }
        const std::size_t available = count - at;
        if (available < 24) break;
        const auto* const begin = reinterpret_cast<const std::byte*>(bytes + at);
        const std::uint64_t route = ::isthmus::packet::load_word(begin);
        using namespace ::isthmus::packet::route_word;
        const std::size_t size = 8 * (static_cast<std::size_t>(last_word.of(route)) + 1);
        if (size < 24) {
            handler.refused({begin, 24}, Verdict::too_few_words);
            return false;
        }
        if (available < size) {
            const auto packet_kind = static_cast<Kind>(kind.of(route));
            const bool may_be_placed =
                (packet_kind == Kind::put || packet_kind == Kind::data) && arguments.of(route) == 0;
            if (!may_be_placed || available < 32 || size - available < kStraight) break;
        }
        if (!handle({begin, size}, std::min(size, available), handler)) return false;
        if (available < size) return true;
        at += size;
    }
    kept_.assign(bytes + at, bytes + count);
    return true;
}

template <typename Handler>
bool Inbox::handle(Bytes packet_bytes, std::size_t available, Handler& handler) {
    const std::size_t missing = packet_bytes.size() - available;
    Verdict verdict = ::isthmus::packet::decode(packet_bytes, packet_);
    if (verdict == Verdict::accepted) verdict = handler.admit(packet_);
    if (verdict != Verdict::accepted) {
        drop_left_ = missing;
        return handler.refused(packet_bytes, verdict);
    }
    if (!has_place(packet_)) {
        handler.take(packet_);
        return true;
    }
    char* const to = handler.place(packet_);
    const std::size_t front = static_cast<std::size_t>(packet_.payload - packet_.begin);
    const std::size_t here = std::min(available - front, packet_.payload_bytes);
    copy(to, packet_.payload, here);
    if (here == packet_.payload_bytes) {
        drop_left_ = missing;
        handler.placed(packet_);
        return true;
    }
    into_ = to + here;
    into_left_ = packet_.payload_bytes - here;
    drop_left_ = missing - into_left_;
    return true;
}

}  // namespace isthmus::transport::packet
