#include "transport/packet/join.hpp"

#include <sodium.h>

#include <algorithm>

#include "transport/service/seal.hpp"

namespace isthmus::transport::packet {

static_assert(std::tuple_size_v<Proof> == crypto_generichash_blake2b_BYTES);

Join Join::call(const Self& self, int to, const std::array<unsigned char, 32>& nonce) {
    Join join(self, true);
    join.peer_ = to;
    join.caller_ = join.greeting_for(to, nonce);
    join.say(&join.caller_, sizeof join.caller_);
    join.wanted_ = sizeof(Reply);
    return join;
}

Join Join::listen(const Self& self, const std::array<unsigned char, 32>& nonce) {
    Join join(self, false);
    join.nonce_ = nonce;
    join.wanted_ = sizeof(Greeting);
    return join;
}

JoinState Join::take(const void* bytes, std::size_t count) {
    if (state_ != JoinState::more) return state_;
    count = std::min(count, wanted());
    std::memcpy(in_.data() + had_, bytes, count);
    had_ += count;
    if (had_ < wanted_) return state_;
    had_ = 0;
    if (step_ == Step::first) {
        state_ = calls_ ? hear_reply() : hear_greeting();
        step_ = Step::second;
    } else {
        state_ = calls_ ? hear_welcome() : hear_proof();
    }
    return state_;
}

void Join::welcome() {
    say(&kWelcome, sizeof kWelcome);
    state_ = JoinState::joined;
}

Greeting Join::greeting_for(int to, const std::array<unsigned char, 32>& nonce) const {
    Greeting greeting;
    greeting.kinds = self_.kinds;
    greeting.session = self_.session;
    greeting.from = static_cast<std::uint32_t>(self_.me);
    greeting.to = static_cast<std::uint32_t>(to);
    greeting.nonce = nonce;
    return greeting;
}

// Whether it can be of this job and is for this PE. It is not proved yet.
bool Join::fits(const Greeting& greeting) const {
    return greeting.magic == kJoinMagic && greeting.session == self_.session &&
           greeting.to == static_cast<std::uint32_t>(self_.me) &&
           greeting.from < static_cast<std::uint32_t>(self_.pes) && greeting.from != greeting.to;
}

bool Join::agrees(const Greeting& greeting) const {
    return greeting.version == kJoinVersion && (self_.kinds & ~kHasAes & ~greeting.kinds) == 0 &&
           ((self_.kinds ^ greeting.kinds) & (kByDatagrams | kSealed)) == 0;
}

JoinState Join::hear_greeting() {
    std::memcpy(&caller_, in_.data(), sizeof caller_);
    if (!fits(caller_)) return JoinState::refused;
    // One of another version is answered as well: it then knows, proved, why it does not get in.
    peer_ = static_cast<int>(caller_.from);
    Reply reply;
    reply.greeting = listener_ = greeting_for(peer_, nonce_);
    reply.proof = prove(false);
    say(&reply, sizeof reply);
    wanted_ = sizeof(Proof);
    return JoinState::more;
}

JoinState Join::hear_reply() {
    Reply reply;
    std::memcpy(&reply, in_.data(), sizeof reply);
    listener_ = reply.greeting;
    if (!fits(listener_) || listener_.from != static_cast<std::uint32_t>(peer_))
        return JoinState::refused;
    const Proof right = prove(false);
    if (sodium_memcmp(right.data(), reply.proof.data(), right.size()) != 0)
        return JoinState::refused;
    if (!agrees(listener_)) return JoinState::other;
    const Proof mine = prove(true);
    say(mine.data(), mine.size());
    wanted_ = sizeof kWelcome;
    return JoinState::more;
}

JoinState Join::hear_proof() {
    const Proof right = prove(true);
    if (sodium_memcmp(right.data(), in_.data(), right.size()) != 0) return JoinState::refused;
    return agrees(caller_) ? JoinState::proved : JoinState::other;
}

JoinState Join::hear_welcome() {
    return std::memcmp(in_.data(), &kWelcome, sizeof kWelcome) == 0 ? JoinState::joined
                                                                    : JoinState::refused;
}

Proof Join::hash(Use use) const {
    std::array<unsigned char, 32> key;
    service::derive_key(*self_.secret, self_.session, service::Purpose::join,
                        static_cast<int>(caller_.from), static_cast<int>(caller_.to), key.data(),
                        key.size());
    const struct {
        Greeting caller;
        Greeting listener;
        std::uint64_t use;
    } said{caller_, listener_, use};
    static_assert(sizeof said == 2 * sizeof(Greeting) + 8, "no padding");
    Proof proof;
    crypto_generichash_blake2b(proof.data(), proof.size(),
                               reinterpret_cast<const unsigned char*>(&said), sizeof said,
                               key.data(), key.size());
    sodium_memzero(key.data(), key.size());
    return proof;
}

void Join::say(const void* bytes, std::size_t count) {
    std::memcpy(out_.data() + out_end_, bytes, count);
    out_end_ += count;
}

}  // namespace isthmus::transport::packet
