#include "transport/packet/flow.hpp"

#include <algorithm>

namespace isthmus::transport::packet {

using ::isthmus::packet::Delivery;
using ::isthmus::packet::Verdict;

namespace {

constexpr Microseconds kLeastPatience = 1'500;  // a thread's wake-up on a busy machine
constexpr Microseconds kMostPatience = 200'000;
constexpr Microseconds kFirstPatience = 50'000;
constexpr Microseconds kLeastOvertaking = 100;
constexpr Flow::Number kOvertakers = 3;
constexpr Microseconds kLeastQueue =
    5'000;  // a queue that is taken for none: so late a thread may be
constexpr Microseconds kSpan = 5'000'000;
constexpr unsigned kManyLost = 8;
// Silences in turn that are chance on a way that loses a fifth both ways. Behind them patience
// grows.
constexpr unsigned kByChance = 4;
constexpr unsigned kMostDoublings = 6;
// Of so many peers that answer late each is asked at its own time; more share that of these. Else a
// machine with more PEs than processors has nothing to do but to repeat, and to throw away what it
// has repeated: none of them answers before it has had its turn.
constexpr unsigned kAskedAtOnce = 16;
constexpr Microseconds kLeastOfMany = 10'000;

// 0 stands for none.
std::uint32_t stamp(Microseconds now) {
    const auto low = static_cast<std::uint32_t>(now);
    return low != 0 ? low : 1;
}

}  // namespace

void Flow::begin(Microseconds round_trip, Number first_out, Number first_in) {
    first_ = next_ = after_ = round_ends_ = first_out;
    expected_ = first_in;
    smooth_ = round_trip;
    deviation_ = round_trip / 2;
}

// ---- sending

std::optional<Flow::Number> Flow::lost() const {
    if (lost_ == 0 || !may_fly()) return std::nullopt;
    for (Number number = first_; number != next_; ++number) {
        if (slot(number).is_lost) return number;
    }
    return std::nullopt;
}

Flow::Number Flow::send(Microseconds now) {
    if (is_acknowledged()) waits_since_ = now;
    const Number number = next_++;
    slot(number) = {now, false, false, false};
    ++flying_;
    was_full_ |= !may_fly() || next_ - first_ == kWindow;
    return number;
}

void Flow::repeat(Number number, Microseconds now) {
    slot(number) = {now, false, false, true};
    --lost_;
    ++flying_;
    was_full_ = true;
}

void Flow::say(Delivery& delivery, Microseconds now) {
    delivery.expected = static_cast<std::uint32_t>(expected_);
    delivery.is_timed = true;
    delivery.sent = stamp(now);
    delivery.echo = echo_;
    delivery.sack_words = 0;
    for (std::uint32_t word = 0; word < early_.size(); ++word) {
        delivery.sack[word] = early_[word];
        if (early_[word] != 0) delivery.sack_words = word + 1;
    }
    owed_ = 0;
    must_answer_ = false;
}

// ---- hearing

bool Flow::has_come(Number number) const {
    if (number < expected_) return true;
    if (number == expected_ || number - expected_ > kWindow) return false;
    const Number bit = number - expected_ - 1;
    return (early_[bit / 64] >> (bit % 64) & 1) != 0;
}

Verdict Flow::judge(const Delivery& delivery, bool has_packets) const {
    ::isthmus::packet::Connection connection;
    connection.is_known = true;
    connection.is_mac_right = true;
    connection.has_seen = has_packets && has_come(whole(delivery.number));
    connection.expected = static_cast<std::uint32_t>(expected_);
    connection.unacknowledged = static_cast<std::uint32_t>(first_);
    connection.in_flight = static_cast<std::uint32_t>(next_ - first_);
    return ::isthmus::packet::admit(delivery, has_packets, connection);
}

Flow::Arrival Flow::hear(const Delivery& delivery, bool has_packets, Microseconds now) {
    const Verdict verdict = judge(delivery, has_packets);
    if (verdict == Verdict::seen) {
        // The answer to it was lost, or is under way. A recorded one shows no later time.
        must_answer_ = true;
        const bool is_later = static_cast<std::int32_t>(delivery.sent - echo_) > 0;
        if (delivery.is_timed && is_later) echo_ = delivery.sent;
        return Arrival::refused;
    }
    if (verdict != Verdict::accepted) return Arrival::refused;
    acknowledge(delivery, now);
    if (delivery.is_timed) echo_ = delivery.sent;
    if (!has_packets) return Arrival::nothing;
    if (!owes_answer()) owed_since_ = now;
    ++owed_;
    const Number number = whole(delivery.number);
    if (number != expected_) {
        const Number bit = number - expected_ - 1;
        early_[bit / 64] |= std::uint64_t{1} << (bit % 64);
        must_answer_ = true;
        return Arrival::early;
    }
    arrive();
    must_answer_ |= owed_ >= kAckEvery;
    return Arrival::in_turn;
}

// The expected one, and what has come behind it.
void Flow::arrive() {
    for (bool goes_on = true; goes_on;) {
        ++expected_;
        goes_on = (early_[0] & 1) != 0;
        must_answer_ |= goes_on;  // a gap is filled
        for (std::size_t word = 0; word < early_.size(); ++word) {
            const std::uint64_t next = word + 1 < early_.size() ? early_[word + 1] : 0;
            early_[word] = early_[word] >> 1 | next << 63;
        }
    }
}

void Flow::acknowledge(const Delivery& delivery, Microseconds now) {
    const auto newly = delivery.expected - static_cast<std::uint32_t>(first_);
    if (newly >= std::uint32_t{1} << 31) return;  // overtaken by one that said more
    bool is_new = false;
    bool is_echoed = false;  // by the echo a new one has arrived: that is its round trip
    const auto take = [&](Number number) {
        if (!release(number)) return;
        is_new = true;
        is_echoed |= delivery.is_timed && stamp(slot(number).sent) == delivery.echo;
    };
    for (std::uint32_t i = 0; i < newly; ++i)
        take(first_++);
    for (std::uint32_t word = 0; word < delivery.sack_words; ++word) {
        for (std::uint64_t bits = delivery.sack[word]; bits != 0; bits &= bits - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(bits));
            take(first_ + 1 + Number{64} * word + bit);
        }
    }
    if (is_new) {
        waits_since_ = now;
        silences_ = 0;
    }
    if (delivery.is_timed && delivery.echo != 0) {
        const std::uint32_t passed = static_cast<std::uint32_t>(now) - delivery.echo;
        if (passed <= now && passed < std::uint32_t{1} << 31) {
            newest_ = std::max(newest_, now - passed);
            if (is_echoed) measure(passed, now);
        }
    }
    if (first_ != next_ && (is_new || delivery.sack_words != 0)) find_lost();
    if (first_ >= round_ends_) end_round();
}

// False if it was known.
bool Flow::release(Number number) {
    Slot& each = slot(number);
    after_ = std::max(after_, number + 1);
    if (each.is_acknowledged) return false;
    each.is_acknowledged = true;
    if (each.is_lost)
        --lost_;
    else
        --flying_;
    each.is_lost = false;
    ++came_in_round_;
    return true;
}

void Flow::find_lost() {
    const Microseconds overtaking = std::max(smooth_ / 4, kLeastOvertaking);
    for (Number number = first_; number != next_; ++number) {
        const Slot& each = slot(number);
        if (each.is_acknowledged || each.is_lost) continue;
        const bool is_late = each.sent + overtaking <= newest_;
        const bool is_overtaken = !each.is_repeated && number + kOvertakers < after_;
        if (is_late || is_overtaken)
            lose(number);
        else if (number >= after_ && each.sent > newest_)
            break;  // what follows left later
    }
}

void Flow::lose(Number number) {
    slot(number).is_lost = true;
    --flying_;
    ++lost_;
    ++lost_in_round_;
}

// ---- the way

void Flow::measure(Microseconds round_trip, Microseconds now) {
    round_trip = std::max<Microseconds>(round_trip, 1);
    if (smooth_ == 0) {
        smooth_ = round_trip;
        deviation_ = round_trip / 2;
    } else {
        const Microseconds distance =
            round_trip > smooth_ ? round_trip - smooth_ : smooth_ - round_trip;
        deviation_ = (3 * deviation_ + distance) / 4;
        smooth_ = std::max<Microseconds>((7 * smooth_ + round_trip) / 8, 1);
    }
    if (now - span_began_ > kSpan) {
        shortest_ = shortest_of_span_;
        shortest_of_span_ = kNever;
        span_began_ = now;
    }
    shortest_of_span_ = std::min(shortest_of_span_, round_trip);
    shortest_ = std::min(shortest_, round_trip);
    shortest_of_round_ = std::min(shortest_of_round_, round_trip);
}

// All that was under way when the round began has been acknowledged.
void Flow::end_round() {
    const bool is_lossy = lost_in_round_ >= kManyLost && 3 * lost_in_round_ > 2 * came_in_round_;
    if (is_lossy) {
        window_ *= 0.7;
        doubles_ = false;
    } else if (shortest_of_round_ != kNever) {
        const Microseconds most = shortest_ + std::max(shortest_ / 2, kLeastQueue);
        if (shortest_of_round_ > most) {
            window_ *= std::clamp(
                static_cast<double>(most) / static_cast<double>(shortest_of_round_), 0.5, 0.95);
            doubles_ = false;
        } else if (was_full_) {
            window_ += doubles_ ? window_ : std::max(1.0, window_ / 8);
        }
    }
    window_ = std::clamp(window_, kLeastWindow, static_cast<double>(kWindow));
    round_ends_ = next_;
    shortest_of_round_ = kNever;
    came_in_round_ = lost_in_round_ = 0;
    was_full_ = !may_fly();
}

// ---- time

Microseconds Flow::patience() const {
    const bool are_many = others_ > kAskedAtOnce;
    const Microseconds least = are_many ? kLeastOfMany : kLeastPatience;
    const Microseconds once =
        smooth_ == 0 ? kFirstPatience
                     : std::clamp(smooth_ + 4 * deviation_ + kAckDelay, least, kMostPatience);
    const unsigned by_chance = are_many ? 0 : kByChance;
    const unsigned doublings = silences_ < by_chance ? 0 : silences_ - by_chance;
    const Microseconds alone =
        std::min(once << std::min(doublings, kMostDoublings), std::max(kMostPatience, 2 * smooth_));
    return are_many ? alone * others_ / kAskedAtOnce : alone;
}

Microseconds Flow::repeats() const {
    Microseconds when = kNever;
    if (flying_ != 0) when = waits_since_ + patience();
    if (lost_ != 0 && may_fly()) when = 0;
    return when;
}

Microseconds Flow::due() const {
    Microseconds when = repeats();
    if (owes_answer()) when = std::min(when, must_answer_ ? 0 : owed_since_ + kAckDelay);
    return when;
}

void Flow::pass_time(Microseconds now) {
    if (owed_ != 0 && now >= owed_since_ + kAckDelay) must_answer_ = true;
    if (flying_ == 0 || now < waits_since_ + patience()) return;
    waits_since_ = now;
    if (++silences_ >= kByChance) {
        window_ = std::max(kLeastWindow, window_ / 2);
        doubles_ = false;
    }
    for (Number number = first_; number != next_; ++number) {
        if (slot(number).is_acknowledged || slot(number).is_lost) continue;
        lose(number);
        break;
    }
}

}  // namespace isthmus::transport::packet
