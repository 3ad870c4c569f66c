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
    join.say(kTicket);
    join.wanted_ = sizeof(Reply);
    return join;
}

Join Join::listen(const Self& self, const std::array<unsigned char, 32>& nonce) {
    Join join(self, false);
    join.nonce_ = nonce;
    join.wanted_ = kOpeningBytes;
    return join;
}

JoinState Join::take(const void* bytes, std::size_t count) {
    if (state_ != JoinState::more) return state_;
    count = std::min(count, wanted());
    std::memcpy(in_.data() + had_, bytes, count);
    had_ += count;
    if (had_ < wanted_) return state_;
    had_ = 0;
    switch (lines_++) {
        case 0: state_ = calls_ ? hear_reply() : hear_opening(); break;
        case 1: state_ = calls_ ? hear_welcome() : hear_proof(); break;
        default: state_ = hear_thanks();
    }
    return state_;
}

void Join::welcome() {
    say(kWelcome);
    wanted_ = sizeof(Proof);
    state_ = JoinState::more;
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

JoinState Join::hear_opening() {
    Opening opening;
    std::memcpy(&opening, in_.data(), sizeof opening);
    caller_ = opening.greeting;
    if (!fits(caller_) || !has_come(kTicket, opening.ticket.data())) return JoinState::refused;
    // One of another version is answered as well: it then knows, proved, why it does not get in.
    peer_ = static_cast<int>(caller_.from);
    listener_ = greeting_for(peer_, nonce_);
    say(&listener_, sizeof listener_);
    say(proof(false));
    wanted_ = sizeof(Proof);
    return JoinState::more;
}

JoinState Join::hear_reply() {
    Reply reply;
    std::memcpy(&reply, in_.data(), sizeof reply);
    listener_ = reply.greeting;
    if (!fits(listener_) || listener_.from != static_cast<std::uint32_t>(peer_) ||
        !has_come(proof(false), reply.proof.data()))
        return JoinState::refused;
    if (!agrees(listener_)) return JoinState::other;
    say(proof(true));
    wanted_ = sizeof(Proof);
    return JoinState::more;
}

JoinState Join::hear_proof() {
    if (!has_come(proof(true), in_.data())) return JoinState::refused;
    return agrees(caller_) ? JoinState::proved : JoinState::other;
}

JoinState Join::hear_welcome() {
    if (!has_come(kWelcome, in_.data())) return JoinState::refused;
    say(kThanks);
    return JoinState::joined;
}

JoinState Join::hear_thanks() {
    return has_come(kThanks, in_.data()) ? JoinState::joined : JoinState::refused;
}

bool Join::has_come(Use use, const unsigned char* bytes) const {
    const Proof right = hash(use);
    return sodium_memcmp(right.data(), bytes, right.size()) == 0;
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

void Join::say(Use use) {
    const Proof said = hash(use);
    say(said.data(), said.size());
}

void Join::say(const void* bytes, std::size_t count) {
    std::memcpy(out_.data() + out_end_, bytes, count);
    out_end_ += count;
}

}  // namespace isthmus::transport::packet
