// How two PEs prove to each other that they are of one job, before the first packet.
//
//   caller                                        listener
//   greeting: who calls whom, nonce; ticket --->
//                                           <---  reply: nonce, proof of the listener
//   proof of the caller                     --->
//                                           <---  welcome
//   thanks                                  --->
//
// All but the nonces are keyed hashes of all that was said before, and of what it is that is said;
// their key comes from the job's secret, the session and both PEs' numbers in the direction of the
// call. So no proof fits another call, another pair, the other direction or another road of the
// job, and the secret never crosses the network. Version and features are part of what is hashed.
//
// The ticket may be one that was heard before: it keeps out who has nothing to do with the job, so
// that only its own PEs take the room for callers. The proof is what counts. A caller has joined
// when it is welcome, a listener when it is thanked: a welcome that does not arrive leaves a caller
// that knows it has not joined, and a listener that has not either.
//
// Nothing here knows sockets or clocks. Of a stranger at most kOpeningBytes are kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transport/transport.hpp"

namespace isthmus::transport::packet {

inline constexpr std::uint64_t kJoinMagic = 0x4e494f4a48545349;  // "ISTHJOIN"
inline constexpr std::uint32_t kJoinVersion = 4;

struct Greeting {
    std::uint64_t magic = kJoinMagic;
    std::uint32_t version = kJoinVersion;
    std::uint32_t kinds = 0;  // of packets that this PE serves: a bit each; and kByDatagrams
    std::uint64_t session = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::array<unsigned char, 32> nonce{};
};
static_assert(sizeof(Greeting) == 64, "no padding");

using Proof = std::array<unsigned char, 32>;
struct Opening {
    Greeting greeting;
    Proof ticket{};
};
inline constexpr std::size_t kOpeningBytes = sizeof(Opening);
static_assert(kOpeningBytes == 96, "no padding");
struct Reply {
    Greeting greeting;  // of the listener
    Proof proof{};
};
static_assert(sizeof(Reply) == 96, "no padding");

// Beside the kinds of packets. Both sides have to mean the same by how they are carried: by
// datagrams, and whether in records with a seal where TCP does it.
inline constexpr std::uint32_t kByDatagrams = std::uint32_t{1} << 31;
inline constexpr std::uint32_t kSealed = std::uint32_t{1} << 30;
// The instructions of AES, which seals by if both sides have them.
inline constexpr std::uint32_t kHasAes = std::uint32_t{1} << 29;

// What a PE knows of itself and of its job.
struct Self {
    const JobSecret* secret = nullptr;
    std::uint64_t session = 0;
    int me = 0;
    int pes = 0;
    std::uint32_t kinds = 0;  // served here, and needed of others
};

enum class JoinState : std::uint8_t {
    more,     // of the other side's is awaited
    proved,   // of a listener: the caller is who it says; welcome() lets it in
    joined,   // packets follow
    refused,  // no PE of this job, or none that was called
    other     // a PE of this job, proved, with another version or without a kind of packets
};

class Join {
  public:
    // `nonce` is of the system's random generator.
    static Join call(const Self& self, int to, const std::array<unsigned char, 32>& nonce);
    static Join listen(const Self& self, const std::array<unsigned char, 32>& nonce);

    // Bytes that the other side is to say next. No more are to be read.
    std::size_t wanted() const { return wanted_ - had_; }
    // Up to wanted() of them.
    JoinState take(const void* bytes, std::size_t count);
    // Of one that is proved.
    void welcome();

    // What is to be sent; sent() takes it off.
    const unsigned char* unsent() const { return out_.data() + out_begin_; }
    std::size_t unsent_bytes() const { return out_end_ - out_begin_; }
    void sent(std::size_t bytes) { out_begin_ += bytes; }

    // Of both that have joined: 32 bytes that nobody else knows, for what the caller sends or for
    // what the listener does. They are of this join alone, as the nonces are.
    enum class Key : std::uint8_t { datagrams, long_datagrams, records };
    Proof draw(Key key, bool of_caller) const {
        switch (key) {
            case Key::datagrams: return hash(of_caller ? kByCaller : kByListener);
            case Key::long_datagrams: return hash(of_caller ? kLongByCaller : kLongByListener);
            case Key::records: break;
        }
        return hash(of_caller ? kRecordsByCaller : kRecordsByListener);
    }
    // What both have said that they have, of kinds and beside them.
    std::uint32_t common() const { return caller_.kinds & listener_.kinds; }

    // Who is called, or whose ticket has come; -1: none has yet.
    int peer() const { return peer_; }
    // How many lines of the other side's have come, whole.
    int lines() const { return lines_; }
    // Something has come.
    bool is_spoken_to() const { return had_ != 0 || lines_ != 0; }
    JoinState state() const { return state_; }

  private:
    // What is hashed with all that was said: who proves it, or what is drawn from it.
    enum Use : std::uint64_t {
        kListenersProof,
        kCallersProof,
        kByListener,
        kByCaller,
        kLongByListener,
        kLongByCaller,
        kRecordsByListener,
        kRecordsByCaller,
        kTicket,
        kWelcome,
        kThanks
    };

    Join(const Self& self, bool calls) : self_(self), calls_(calls) {}
    JoinState hear_opening();
    JoinState hear_reply();
    JoinState hear_proof();
    JoinState hear_welcome();
    JoinState hear_thanks();
    // Whether what has come begins with this hash.
    bool has_come(Use use, const unsigned char* bytes) const;
    Greeting greeting_for(int to, const std::array<unsigned char, 32>& nonce) const;
    bool fits(const Greeting& greeting) const;
    bool agrees(const Greeting& greeting) const;
    Use proof(bool by_caller) const { return by_caller ? kCallersProof : kListenersProof; }
    void say(Use use);
    Proof hash(Use use) const;
    void say(const void* bytes, std::size_t count);

    Self self_;
    bool calls_;
    int lines_ = 0;
    JoinState state_ = JoinState::more;
    int peer_ = -1;
    std::array<unsigned char, 32> nonce_{};
    Greeting caller_;
    Greeting listener_;
    std::size_t wanted_ = 0;
    std::size_t had_ = 0;
    std::array<unsigned char, sizeof(Reply)> in_{};
    std::array<unsigned char, kOpeningBytes + 2 * sizeof(Reply)> out_{};
    std::size_t out_begin_ = 0;
    std::size_t out_end_ = 0;
};

}  // namespace isthmus::transport::packet
