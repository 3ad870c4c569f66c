#include "transport/packet/record.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "packet/decode.hpp"

namespace isthmus::transport::packet {
namespace {

using ::isthmus::packet::cover_word::last_covered;

constexpr std::size_t kHashAt = 32;  // in the seal
static_assert(kHashAt + 16 == kSealBytes);
static_assert(crypto_aead_aes256gcm_ABYTES == 16);
static_assert(crypto_aead_aes256gcm_KEYBYTES == std::tuple_size_v<Proof>);
static_assert(crypto_aead_chacha20poly1305_ietf_ABYTES == 16);
static_assert(crypto_aead_chacha20poly1305_ietf_KEYBYTES == std::tuple_size_v<Proof>);
constexpr std::size_t kNonceBytes = 12;
static_assert(crypto_aead_aes256gcm_NPUBBYTES == kNonceBytes);
static_assert(crypto_aead_chacha20poly1305_ietf_NPUBBYTES == kNonceBytes);

}  // namespace

void RecordSeal::begin(const Proof& key, bool with_aes) {
    key_ = key;
    with_aes_ = with_aes;
    if (with_aes) crypto_aead_aes256gcm_beforenm(&aes_, key_.data());
    number_ = 0;
}

// With the hash's own bytes being 0.
RecordSeal::Hash RecordSeal::hash(std::span<const std::byte> record) const {
    Hash hash;
    unsigned char nonce[kNonceBytes] = {};
    std::memcpy(nonce, &number_, sizeof number_);
    const auto* const covered = reinterpret_cast<const unsigned char*>(record.data());
    if (with_aes_)
        crypto_aead_aes256gcm_encrypt_detached_afternm(hash.data(), hash.data(), nullptr, nullptr,
                                                       0, covered, record.size(), nullptr, nonce,
                                                       &aes_);
    else
        crypto_aead_chacha20poly1305_ietf_encrypt_detached(hash.data(), hash.data(), nullptr,
                                                           nullptr, 0, covered, record.size(),
                                                           nullptr, nonce, key_.data());
    return hash;
}

void RecordSeal::close(std::span<std::byte> record, std::uint16_t source,
                       std::uint16_t destination) {
    ::isthmus::packet::Head head;
    head.kind = Kind::seal;
    head.stream = ::isthmus::packet::Stream::control;
    head.source = source;
    head.destination = destination;
    const std::uint64_t words[] = {
        last_covered.in((record.size() - kSealBytes) / 8 - 1) |
            ::isthmus::packet::cover_word::record.in(number_ & ~std::uint32_t{0}),
        0, 0};
    ::isthmus::packet::encode(record.first(kSealBytes), head, words);
    const Hash made = hash(record);
    std::memcpy(record.data() + kHashAt, made.data(), made.size());
    ++number_;
}

bool RecordSeal::open(std::span<std::byte> record) {
    Hash there;
    std::memcpy(there.data(), record.data() + kHashAt, there.size());
    std::memset(record.data() + kHashAt, 0, there.size());
    const Hash right = hash(record);
    ++number_;
    return sodium_memcmp(there.data(), right.data(), right.size()) == 0;
}

bool RecordWriter::write(Stream& stream, long& error) {
    while (begin_ != end_) {
        iovec piece{records_.get() + begin_, end_ - begin_};
        const long count = stream.write(&piece, 1);
        if (count < 0) {
            if (count != Stream::kNotNow) error = count;
            return false;
        }
        begin_ += static_cast<std::size_t>(count);
    }
    return true;
}

bool RecordWriter::flush(Outbox& outbox, Stream& stream, std::vector<Outbox::Mark>& ended,
                         long& error) {
    error = 0;
    if (begin_ == end_ && kSealBytes + outbox.most_packed(kFew) <= kFew &&
        !flush_few(outbox, stream, ended, error))
        return false;
    for (std::size_t records = 1;; records = std::min(2 * records, kMostRecords)) {
        if (!write(stream, error)) return false;
        if (outbox.is_empty()) break;
        const std::size_t needed =
            records * kSealBytes + outbox.most_packed(records * kMostCovered);
        if (needed > room_) {
            records_ = std::make_unique_for_overwrite<std::byte[]>(needed);
            room_ = needed;
        }
        begin_ = 0;
        end_ = fill({records_.get(), room_}, outbox, records, ended);
    }
    // Kept only as long as something waits: there are many peers, and few of them are sent much.
    records_ = nullptr;
    room_ = begin_ = end_ = 0;
    return true;
}

// A short message and its answer would each pay for memory that is given back at once.
bool RecordWriter::flush_few(Outbox& outbox, Stream& stream, std::vector<Outbox::Mark>& ended,
                             long& error) {
    if (outbox.is_empty()) return true;
    std::byte few[kFew];
    const std::size_t bytes = fill(few, outbox, 1, ended);
    iovec piece{few, bytes};
    const long count = stream.write(&piece, 1);
    const std::size_t gone = count < 0 ? 0 : static_cast<std::size_t>(count);
    if (gone == bytes) return true;
    if (count < 0 && count != Stream::kNotNow) error = count;
    room_ = end_ = bytes - gone;
    begin_ = 0;
    records_ = std::make_unique_for_overwrite<std::byte[]>(room_);
    std::memcpy(records_.get(), few + gone, room_);
    return false;
}

std::size_t RecordWriter::fill(std::span<std::byte> room, Outbox& outbox, std::size_t records,
                               std::vector<Outbox::Mark>& ended) {
    std::size_t end = 0;
    for (; records != 0 && !outbox.is_empty() && room.size() - end > kSealBytes; --records) {
        const std::span<std::byte> record =
            room.subspan(end, std::min(room.size() - end, kSealBytes + kMostCovered));
        const std::size_t covered = outbox.pack(record.subspan(kSealBytes), ended);
        if (covered == 0) break;
        seal_.close(record.first(kSealBytes + covered), source_, destination_);
        end += kSealBytes + covered;
    }
    assert(end != 0);  // no packet is longer than a record
    return end;
}

bool RecordWriter::say(Stream& stream, std::span<const std::byte> packet) {
    std::array<std::byte, kSealBytes + 64> room;
    if (begin_ != end_ || packet.size() > room.size() - kSealBytes) return false;
    const auto record = std::span(room).first(kSealBytes + packet.size());
    std::memcpy(record.data() + kSealBytes, packet.data(), packet.size());
    seal_.close(record, source_, destination_);
    iovec piece{record.data(), record.size()};
    return stream.write(&piece, 1) == static_cast<long>(record.size());
}

std::size_t RecordReader::record_bytes(Bytes seal) {
    Packet packet;
    if (::isthmus::packet::decode(seal.first(kSealBytes), packet) != Verdict::accepted ||
        packet.kind() != Kind::seal)
        return 0;
    return kSealBytes + 8 * (static_cast<std::size_t>(last_covered.of(packet.descriptor(0))) + 1);
}

// Room for a record of so many bytes; what is kept of it stays.
void RecordReader::keep(std::size_t bytes) {
    auto room = std::make_unique_for_overwrite<std::byte[]>(bytes);
    if (kept_bytes_ != 0) std::memcpy(room.get(), kept_.get(), kept_bytes_);
    kept_ = std::move(room);
    record_bytes_ = bytes;
}

}  // namespace isthmus::transport::packet
