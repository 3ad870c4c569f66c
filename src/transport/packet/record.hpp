// Records: what a connection of TCP carries if it is sealed. A packet `seal` and the whole packets
// that it covers, so that who is on the way between two PEs can neither change, leave out, repeat
// nor invent what one of them says. Nothing is hidden.
//
// The hash is that of an AEAD of libsodium with no text: of AES-256-GCM where both sides have the
// instructions for it, of ChaCha20-Poly1305 elsewhere. Its nonce is the number of the record, which
// no key sees twice: a key is of one direction of one join.
#pragma once

#include <sodium.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "packet/admit.hpp"
#include "packet/encode.hpp"
#include "transport/packet/inbox.hpp"
#include "transport/packet/join.hpp"
#include "transport/packet/outbox.hpp"
#include "transport/packet/stream.hpp"

namespace isthmus::transport::packet {

// Of the packet `seal`; and the most that one of ours covers: the longest packet alone, or many
// short ones. It stays in a core's first cache, or near it, while it is put together and hashed;
// longer ones were not faster. A reader takes what the format has room for, twice that.
inline constexpr std::size_t kSealBytes = 48;
inline constexpr std::size_t kMostCovered = kMostPayload + 32;
static_assert(::isthmus::packet::cover_word::last_covered.fits(kMostCovered / 8 - 1));

// One direction of a connection: its key, and how many records it has had.
class RecordSeal {
  public:
    static bool has_aes() { return crypto_aead_aes256gcm_is_available() != 0; }

    void begin(const Proof& key, bool with_aes);
    // Puts the seal in front of the packets that lie behind its room.
    void close(std::span<std::byte> record, std::uint16_t source, std::uint16_t destination);
    // Whether it is the next record, and as it was closed. Its bytes are as before but for the
    // hash. A wrong one is the last of its connection.
    bool open(std::span<std::byte> record);

  private:
    using Hash = std::array<unsigned char, 16>;
    Hash hash(std::span<const std::byte> record) const;

    Proof key_{};
    crypto_aead_aes256gcm_state aes_{};  // the key's, made ready
    bool with_aes_ = false;
    std::uint64_t number_ = 0;
};

// What leaves: records of what is in an outbox, one write for several of them where there is much:
// what a write costs beside its copying is a third of what hashing a record does. A flush begins
// with one, so that the other side has something to do, and doubles up to kMostRecords.
class RecordWriter {
  public:
    void begin(const Proof& key, bool with_aes, std::uint16_t source, std::uint16_t destination) {
        seal_.begin(key, with_aes);
        source_ = source;
        destination_ = destination;
    }
    // As the outbox's flush. Sources may change as soon as their marks have ended, and before that
    // as they like: they have been copied before they are hashed.
    bool flush(Outbox& outbox, Stream& stream, std::vector<Outbox::Mark>& ended, long& error);
    // A last packet, without waiting, and without memory of its own: behind what has left. False: a
    // record has left in part.
    bool say(Stream& stream, std::span<const std::byte> packet);

  private:
    static constexpr std::size_t kMostRecords = 4;
    static constexpr std::size_t kFew = 512;  // bytes of a record that needs no memory

    bool write(Stream& stream, long& error);
    bool flush_few(Outbox& outbox, Stream& stream, std::vector<Outbox::Mark>& ended, long& error);
    // Records of what is in the outbox, at most so many; their bytes.
    std::size_t fill(std::span<std::byte> room, Outbox& outbox, std::size_t records,
                     std::vector<Outbox::Mark>& ended);

    RecordSeal seal_;
    std::uint16_t source_ = 0;
    std::uint16_t destination_ = 0;
    // The records that leave, as long as the stream has not taken them whole.
    std::unique_ptr<std::byte[]> records_;
    std::size_t room_ = 0;
    std::size_t begin_ = 0;  // what has not left
    std::size_t end_ = 0;
};

// What comes: records, whole or in pieces. Bytes come into the buffer that all streams share; the
// rest of a record that has begun to come goes behind its begin, in memory of its own.
//
// Until the hash of a record was found right nothing of it is looked at but its length.
class RecordReader {
  public:
    void begin(const Proof& key, bool with_aes) { seal_.begin(key, with_aes); }
    // Packets go to the inbox, and on to the handler.
    template <typename Handler>
    Came read(Stream& stream, Workspace& space, Inbox& inbox, Handler& handler);
    // Of an error: its number with a minus.
    long error() const { return error_; }

  private:
    // Of the record that begins with these kSealBytes; 0: none does.
    static std::size_t record_bytes(Bytes seal);
    // All of it: `all`, or why the stream is to be ended.
    template <typename Handler>
    Came feed(std::span<std::byte> bytes, Inbox& inbox, Handler& handler);
    template <typename Handler>
    Came go_on(Inbox& inbox, Handler& handler);
    template <typename Handler>
    Came take(std::span<std::byte> record, Inbox& inbox, Handler& handler);
    void keep(std::size_t bytes);

    RecordSeal seal_;
    std::unique_ptr<std::byte[]> kept_;  // the begin of a record
    std::size_t kept_bytes_ = 0;
    std::size_t record_bytes_ = 0;  // kSealBytes: it is not known yet; 0: nothing is kept
    long error_ = 0;
};

template <typename Handler>
Came RecordReader::read(Stream& stream, Workspace& space, Inbox& inbox, Handler& handler) {
    iovec pieces[2];
    std::size_t count = 0;
    const std::size_t missing = record_bytes_ - kept_bytes_;
    if (missing != 0) pieces[count++] = {kept_.get() + kept_bytes_, missing};
    const std::size_t room =
        missing > Workspace::kReadInLongBlocks ? Workspace::kReadInLongBlocks : Workspace::kRead;
    pieces[count++] = {space.bytes(), room};
    const long came = stream.read(pieces, count);
    if (came == Stream::kNotNow) return Came::nothing;
    if (came == 0) return Came::end;
    if (came < 0) {
        error_ = came;
        return Came::error;
    }
    const auto bytes = static_cast<std::size_t>(came);
    const std::size_t here = std::min(bytes, missing);
    kept_bytes_ += here;
    Came found = Came::all;
    if (here != 0 && kept_bytes_ == record_bytes_) found = go_on(inbox, handler);
    const std::span<std::byte> others(reinterpret_cast<std::byte*>(space.bytes()), bytes - here);
    if (found == Came::all) found = feed(others, inbox, handler);
    return found == Came::all && bytes == missing + room ? Came::more : found;
}

template <typename Handler>
Came RecordReader::feed(std::span<std::byte> bytes, Inbox& inbox, Handler& handler) {
    while (!bytes.empty()) {
        if (kept_bytes_ == 0 && bytes.size() >= kSealBytes) {
            const std::size_t size = record_bytes(bytes);
            if (size == 0) return Came::changed;
            if (bytes.size() >= size) {
                const Came found = take(bytes.first(size), inbox, handler);
                if (found != Came::all) return found;
                bytes = bytes.subspan(size);
                continue;
            }
            keep(size);
        }
        if (record_bytes_ == 0) keep(kSealBytes);
        const std::size_t part = std::min(bytes.size(), record_bytes_ - kept_bytes_);
        std::memcpy(kept_.get() + kept_bytes_, bytes.data(), part);
        kept_bytes_ += part;
        bytes = bytes.subspan(part);
        if (kept_bytes_ != record_bytes_) continue;
        const Came found = go_on(inbox, handler);
        if (found != Came::all) return found;
    }
    return Came::all;
}

// All that was known to be missing is there.
template <typename Handler>
Came RecordReader::go_on(Inbox& inbox, Handler& handler) {
    if (record_bytes_ == kSealBytes) {
        const std::size_t size = record_bytes({kept_.get(), kSealBytes});
        if (size == 0) return Came::changed;
        keep(size);
        return Came::all;
    }
    const std::unique_ptr<std::byte[]> record = std::move(kept_);
    const std::size_t size = record_bytes_;
    kept_bytes_ = record_bytes_ = 0;
    return take({record.get(), size}, inbox, handler);
}

template <typename Handler>
Came RecordReader::take(std::span<std::byte> record, Inbox& inbox, Handler& handler) {
    if (!seal_.open(record)) return Came::changed;
    return inbox.take(record.subspan(kSealBytes), handler) ? Came::all : Came::illegal;
}

}  // namespace isthmus::transport::packet
