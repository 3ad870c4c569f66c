// The keys of a job, and the hash that each of its messages bears.
//
// Every key comes from the job's secret, which travels by the process manager alone, sealed. There
// is one for each purpose and each direction between two PEs, so the hash of a message says who
// sent it and for whom it is. It covers all of the message: the number as well, by which a message
// that comes once more is known.
//
// A link whose own keyed hash covers all that it hands over (Link::proves) leaves nothing to prove:
// the tag is 0 then, and the number and the sender stay.
//
// SipHash-2-4 with 128 bits, of libsodium: a keyed hash made for short messages. It takes 383
// instructions for the 48 bytes of a request, where keyed BLAKE2b takes 1851. Keys are made by
// BLAKE2b, which takes a secret of 256 bits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>

#include "transport/transport.hpp"

namespace isthmus::transport::service {

enum class Purpose : std::uint32_t { request, beat, memory, join, targets };

// `bytes` (16 to 64) of a key of this session, of what `from` does to `to`.
void derive_key(const JobSecret& secret, std::uint64_t session, Purpose purpose, int from, int to,
                void* key, std::size_t bytes);

// What a PE tells all others through a process manager to whose talk others may listen: unreadable
// but for who has the secret; done once more, it is as before. `number`: another one each time.
void cover(const JobSecret& secret, std::uint64_t session, int pe, std::uint64_t number, void* told,
           std::size_t bytes);

// How every message begins. The tag is the hash of all that follows it.
struct Seal {
    std::uint64_t tag[2] = {};
    std::uint64_t number = 0;  // of the messages of this sender to this target, from 1 on
    std::uint32_t from = 0;
};
inline constexpr std::size_t kSealBytes = offsetof(Seal, from) + sizeof(std::uint32_t);
static_assert(kSealBytes == 28);

// The numbers that have come from one PE. Several threads of a sender, and a network that reorders,
// leave gaps for a while, so the gaps are what is kept: nobody but the sender can make them.
class Numbers {
  public:
    // False if it has come before, or too many others have been missing for longer.
    bool take(std::uint64_t number);
    // Up to which all have come.
    std::uint64_t whole() const { return (missing_.empty() ? next_ : missing_.begin()->first) - 1; }

    static constexpr std::size_t kGaps = 65536;

  private:
    std::uint64_t next_ = 1;
    std::map<std::uint64_t, std::uint64_t> missing_;  // the first of a gap; one behind its last
};

// What makes sure that a message is of the PE that it names.
enum class ProvedBy : bool { seal, link };

// What this PE sends to the others and takes from them, for one purpose. Any thread may seal; one
// at a time opens.
class Seals {
  public:
    // Throws std::runtime_error if the library of hashes cannot be used.
    Seals(const JobSecret& secret, std::uint64_t session, Purpose purpose, int me, int pes,
          ProvedBy by = ProvedBy::seal);

    // Of a whole message that begins with a Seal. Once per message, behind all that is in it.
    void seal(int pe, void* message, std::size_t bytes) {
        Line& line = lines_[static_cast<std::size_t>(pe)];
        // Relaxed: only that nobody else has it.
        seal_as(line, line.next.fetch_add(1, std::memory_order_relaxed), message, bytes);
    }
    // The same of one of `bytes` that has all of the seal but number and tag.
    [[gnu::always_inline]] void seal_rest(std::uint64_t pe, char* message, std::size_t bytes) {
        Line& line = lines_[pe];
        const std::uint64_t number = line.next.fetch_add(1, std::memory_order_relaxed);
        std::memcpy(message + offsetof(Seal, number), &number, sizeof number);
        auto* const begin = reinterpret_cast<unsigned char*>(message);
        hash_(begin, begin + sizeof(Seal::tag), bytes - sizeof(Seal::tag), line.key_out);
    }
    // Once more, with the number that it has, since it did not leave the first time.
    void seal_again(int pe, std::uint64_t number, void* message, std::size_t bytes) const {
        seal_as(lines_[static_cast<std::size_t>(pe)], number, message, bytes);
    }
    // It did not leave. Its number is given to the next one, unless that has one already.
    void take_back(int pe, std::uint64_t number) {
        std::uint64_t next = number + 1;
        lines_[static_cast<std::size_t>(pe)].next.compare_exchange_strong(
            next, number, std::memory_order_relaxed);
    }
    // False if who sent it does not know the key, if it is meant for somebody else, or if it has
    // come before.
    bool open(const void* message, std::size_t bytes);
    // The sender of a message that open() has taken.
    static int sender_of(const void* message) {
        std::uint32_t from = 0;
        std::memcpy(&from, static_cast<const char*>(message) + offsetof(Seal, from), sizeof from);
        return static_cast<int>(from);
    }

    // The number up to which all have come from a PE. For who opens.
    std::uint64_t whole(int pe) const {
        return lines_[static_cast<std::size_t>(pe)].numbers.whole();
    }

  private:
    static constexpr std::size_t kKeyBytes = 16;
    struct alignas(64) Line {
        unsigned char key_out[kKeyBytes];
        std::atomic<std::uint64_t> next{1};  // the number of the next message
        unsigned char key_in[kKeyBytes];
        Numbers numbers;
    };
    void seal_as(const Line& line, std::uint64_t number, void* message, std::size_t bytes) const;

    // libsodium's, or none; here: a call of it then goes there straight away.
    using Hash = int(unsigned char* tag, const unsigned char* message, unsigned long long bytes,
                     const unsigned char* key);
    Hash* const hash_;
    const std::uint32_t me_;
    const std::uint32_t pes_;
    std::unique_ptr<Line[]> lines_;  // by PE
};

}  // namespace isthmus::transport::service
