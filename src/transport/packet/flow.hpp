// What one PE knows of the datagrams between it and another one, as a state machine: numbers,
// acknowledgements, what is lost and leaves again, and how much may be under way. It knows neither
// bytes nor keys, sockets nor clocks: times are given to it.
//
// Lost is what left before a datagram that is known to have arrived, by its echo, and some more for
// what is overtaken; or what three later ones have overtaken that left for the first time. When
// nothing is heard the first one leaves again, and what its echo says tells of the others.
//
// How much may be under way follows the delay, not the loss: a path that loses a fifth of all is
// full only if its queue is. A queue shows as a round trip that is longer than the shortest; of
// round trips in which most is lost half is taken as well, since queues may be short.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "packet/datagram.hpp"

namespace isthmus::transport::packet {

using Microseconds = std::uint64_t;

class Flow {
  public:
    using Number = std::uint64_t;

    // From the first one that is not acknowledged: as far as a sack reaches.
    static constexpr unsigned kWindow = 64 * ::isthmus::packet::kMostSackWords;
    static constexpr Microseconds kAckDelay = 100;
    static constexpr unsigned kAckEvery = 8;
    static constexpr Microseconds kNever = ~Microseconds{0};

    // What is known of the way, such as by the join; the first number of each direction, 0 but in
    // tests. Before anything is sent.
    void begin(Microseconds round_trip, Number first_out = 0, Number first_in = 0);
    // So many others of this PE wait for an answer as well.
    void wait_beside(unsigned others) { others_ = others; }

    // ---- sending

    // Whether a datagram may leave: a lost one, first of all, or a new one.
    std::optional<Number> lost() const;
    bool may_send() const { return may_fly() && next_ - first_ < kWindow; }
    // A new one leaves; its number.
    Number send(Microseconds now);
    // A lost one leaves again.
    void repeat(Number number, Microseconds now);
    // What a datagram that leaves now says beside its packets, all but connection and number.
    void say(::isthmus::packet::Delivery& delivery, Microseconds now);

    Number next() const { return next_; }
    Number first_unacknowledged() const { return first_; }
    bool is_acknowledged() const { return first_ == next_; }  // all that was sent

    // ---- hearing

    enum class Arrival : std::uint8_t {
        in_turn,  // and perhaps others behind it that have come before
        early,
        nothing,  // it had no packets
        refused   // seen, or what nobody says; see judge()
    };
    // Of a datagram that is proved: whether it may take effect.
    ::isthmus::packet::Verdict judge(const ::isthmus::packet::Delivery& delivery,
                                     bool has_packets) const;
    // judge(), and what follows of it.
    Arrival hear(const ::isthmus::packet::Delivery& delivery, bool has_packets, Microseconds now);
    // The lowest number that has not come.
    Number expected() const { return expected_; }
    Number whole(std::uint32_t number) const { return ::isthmus::packet::widen(number, expected_); }

    // ---- time

    // A datagram without packets is due: many have come, or one that the sender asks about.
    bool must_answer() const { return must_answer_; }
    bool owes_answer() const { return owed_ != 0 || must_answer_; }
    // When pass_time() has something to do; kNever.
    Microseconds due() const;
    // Of that, when something may have to be repeated.
    Microseconds repeats() const;
    // Repetitions and answers may be due behind it.
    void pass_time(Microseconds now);

    bool waits() const { return flying_ != 0; }
    double window() const { return window_; }
    Microseconds round_trip() const { return smooth_; }
    // How often in turn nothing was heard for a while.
    unsigned silences() const { return silences_; }

  private:
    struct Slot {
        Microseconds sent = 0;
        bool is_acknowledged = false;
        bool is_lost = false;
        bool is_repeated = false;
    };
    static constexpr double kLeastWindow = 4;
    static constexpr double kFirstWindow = 32;

    Slot& slot(Number number) { return slots_[number % kWindow]; }
    const Slot& slot(Number number) const { return slots_[number % kWindow]; }
    bool may_fly() const { return flying_ < static_cast<unsigned>(window_); }
    void acknowledge(const ::isthmus::packet::Delivery& delivery, Microseconds now);
    bool release(Number number);
    void measure(Microseconds round_trip, Microseconds now);
    void find_lost();
    void lose(Number number);
    void end_round();
    Microseconds patience() const;
    bool has_come(Number number) const;
    void arrive();

    // ---- of what is sent
    std::array<Slot, kWindow> slots_{};
    Number first_ = 0;         // lowest that is not acknowledged
    Number next_ = 0;          // that no datagram has yet
    Number after_ = 0;         // behind the highest that is acknowledged
    unsigned flying_ = 0;      // sent, not acknowledged, not known to be lost
    unsigned lost_ = 0;        // known to be lost, and not sent again
    Microseconds newest_ = 0;  // when the latest left that is known to have arrived
    Microseconds waits_since_ = 0;
    unsigned silences_ = 0;
    unsigned others_ = 0;

    // ---- of the way
    Microseconds smooth_ = 0;  // round trip; 0: not known
    Microseconds deviation_ = 0;
    Microseconds shortest_ = kNever;  // of this span and the last one
    Microseconds shortest_of_span_ = kNever;
    Microseconds span_began_ = 0;
    double window_ = kFirstWindow;
    bool doubles_ = true;
    bool was_full_ = false;  // in this round the window was used
    Number round_ends_ = 0;
    Microseconds shortest_of_round_ = kNever;
    unsigned came_in_round_ = 0;
    unsigned lost_in_round_ = 0;

    // ---- of what comes
    Number expected_ = 0;
    std::array<std::uint64_t, ::isthmus::packet::kMostSackWords> early_{};  // as a sack has them
    std::uint32_t echo_ = 0;
    unsigned owed_ = 0;  // datagrams that no answer has told of
    bool must_answer_ = false;
    Microseconds owed_since_ = 0;
};

}  // namespace isthmus::transport::packet
