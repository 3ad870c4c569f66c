#include "transport/service/seal.hpp"

#include <sodium.h>

#include <stdexcept>

namespace isthmus::transport::service {
namespace {

constexpr std::size_t kTagBytes = sizeof(Seal::tag);
static_assert(kTagBytes == crypto_shorthash_siphashx24_BYTES);
static_assert(sizeof(JobSecret) == crypto_generichash_blake2b_KEYBYTES);

// Of messages that the link has proved.
int no_hash(unsigned char* tag, const unsigned char*, unsigned long long, const unsigned char*) {
    std::memset(tag, 0, kTagBytes);
    return 0;
}

}  // namespace

void derive_key(const JobSecret& secret, std::uint64_t session, Purpose purpose, int from, int to,
                void* key, std::size_t bytes) {
    const struct {
        std::uint64_t session;
        std::uint32_t purpose;
        std::uint32_t from;
        std::uint32_t to;
        std::uint32_t bytes;
    } of{session, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(from),
         static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(bytes)};
    static_assert(sizeof of == 24, "no padding");
    crypto_generichash_blake2b(static_cast<unsigned char*>(key), bytes,
                               reinterpret_cast<const unsigned char*>(&of), sizeof of,
                               secret.data(), secret.size());
}

void cover(const JobSecret& secret, std::uint64_t session, int pe, std::uint64_t number, void* told,
           std::size_t bytes) {
    unsigned char key[crypto_stream_chacha20_KEYBYTES];
    unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    static_assert(sizeof nonce == sizeof number);
    std::memcpy(nonce, &number, sizeof nonce);
    derive_key(secret, session, Purpose::targets, pe, pe, key, sizeof key);
    auto* const text = static_cast<unsigned char*>(told);
    crypto_stream_chacha20_xor(text, text, bytes, nonce, key);
    sodium_memzero(key, sizeof key);
}

bool Numbers::take(std::uint64_t number) {
    if (number == next_) [[likely]] {
        ++next_;
        return true;
    }
    if (number > next_) {
        missing_.emplace(next_, number);
        next_ = number + 1;
        if (missing_.size() > kGaps) missing_.erase(missing_.begin());
        return true;
    }
    auto gap = missing_.upper_bound(number);
    if (gap == missing_.begin()) return false;
    --gap;
    const auto [first, end] = *gap;
    if (number >= end) return false;
    if (number + 1 < end) missing_.emplace(number + 1, end);
    if (number == first)
        missing_.erase(first);
    else
        missing_[first] = number;
    return true;
}

Seals::Seals(const JobSecret& secret, std::uint64_t session, Purpose purpose, int me, int pes,
             ProvedBy by)
    : hash_(by == ProvedBy::link ? no_hash : crypto_shorthash_siphashx24),
      me_(static_cast<std::uint32_t>(me)),
      pes_(static_cast<std::uint32_t>(pes)),
      lines_(std::make_unique<Line[]>(static_cast<std::size_t>(pes))) {
    static_assert(kKeyBytes == crypto_shorthash_siphashx24_KEYBYTES);
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
    for (int pe = 0; pe < pes; ++pe) {
        Line& line = lines_[static_cast<std::size_t>(pe)];
        derive_key(secret, session, purpose, me, pe, line.key_out, kKeyBytes);
        derive_key(secret, session, purpose, pe, me, line.key_in, kKeyBytes);
    }
}

void Seals::seal_as(const Line& line, std::uint64_t number, void* message,
                    std::size_t bytes) const {
    auto* const begin = static_cast<unsigned char*>(message);
    std::memcpy(begin + offsetof(Seal, number), &number, sizeof number);
    std::memcpy(begin + offsetof(Seal, from), &me_, sizeof me_);
    hash_(begin, begin + kTagBytes, bytes - kTagBytes, line.key_out);
}

bool Seals::open(const void* message, std::size_t bytes) {
    if (bytes < kSealBytes) return false;
    struct {
        std::uint64_t tag[2];
        std::uint64_t number;
        std::uint32_t from;
    } came;
    static_assert(offsetof(decltype(came), from) == offsetof(Seal, from));
    std::memcpy(&came, message, kSealBytes);
    if (came.from >= pes_) return false;
    Line& line = lines_[came.from];
    std::uint64_t right[2];
    hash_(reinterpret_cast<unsigned char*>(right),
          static_cast<const unsigned char*>(message) + kTagBytes, bytes - kTagBytes, line.key_in);
    // Both halves, whatever the first one says: the time tells nothing.
    if (((right[0] ^ came.tag[0]) | (right[1] ^ came.tag[1])) != 0) return false;
    return line.numbers.take(came.number);
}

}  // namespace isthmus::transport::service
