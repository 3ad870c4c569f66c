// The receiving half of the link.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/packet/datagrams.hpp"
#include "transport/packet/link.hpp"
#include "transport/packet/receipt.hpp"
#include "transport/service/attention.hpp"

namespace isthmus::transport::packet {

template <typename Sink>
bool Link::poll(Sink& sink) {
    // Not without end: there are answers to send, too.
    constexpr int kEvents = 64;
    constexpr std::uint64_t kDoorTurn = 5'000'000;  // nanoseconds
    const std::uint64_t now = now_ = sink.now();
    const bool is_overdue = flush_dirty();
    if (timed_count_.load(std::memory_order_relaxed) != 0) {
        if (const int error = udp_.send_error()) fail_call("sendmmsg", error);
        see_to_time();
    }
    bool found = sink.is_of_program() && read_talker(sink);
    see_to_dialogue(sink.is_of_program());
    const bool in_dialogue = sink.is_of_program() && is_in_dialogue();
    if (in_dialogue ? now - asked_ < kDialogueTurn : found) return found;
    epoll_event events[kEvents];
    const int count = epoll_wait(events_, events, kEvents, 0);
    if (count < 0 && errno != EINTR) fail_call("epoll_wait", errno);
    asked_ = now;
    bool at_door = false;
    bool has_datagrams = false;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t subject = number_of(events[i].data.u64);
        switch (kind_of(events[i].data.u64)) {
            case Event::port:
                door_->accept_all();
                at_door = true;
                break;
            case Event::guest:
                door_->attend(subject);
                at_door = true;
                break;
            case Event::timer: {
                std::uint64_t rings = 0;
                [[maybe_unused]] const auto bytes = ::read(timer_, &rings, sizeof rings);
                // Acquire: what was queued by those who found it set is seen below. Partner:
                // set_timer().
                is_timed_.exchange(false, std::memory_order_acq_rel);
                flush_dirty();
                // A program that goes on sending sends by itself what has waited for long: a timer
                // that has found nothing of that kind is the next time set for longer.
                const std::uint64_t length = gathers_for_.load(std::memory_order_relaxed);
                gathers_for_.store(is_overdue ? kGather : std::min(2 * length, kLongestGather),
                                   std::memory_order_relaxed);
                break;
            }
            case Event::datagrams: has_datagrams = true; break;
            case Event::clock: {
                std::uint64_t rings = 0;
                [[maybe_unused]] const auto bytes = ::read(clock_, &rings, sizeof rings);
                rings_at_.store(0, std::memory_order_relaxed);
                looked_at_.store(0, std::memory_order_relaxed);
                see_to_time();
                set_clock_for_sleep();  // others may sleep
                break;
            }
            case Event::peer: {
                const auto pe = static_cast<int>(subject);
                Peer& from = peer(pe);
                if ((events[i].events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0)
                    add_readable(from, pe);
                if ((events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
                    from.is_ending = true;
                if ((events[i].events & EPOLLOUT) == 0) break;
                const std::lock_guard lock(from.guard);
                if (from.is_blocked) flush(from, pe);
                break;
            }
        }
    }
    if ((at_door || count == 0) && now - door_seen_to_ > kDoorTurn) {
        door_seen_to_ = now;
        door_->see_to_time();
        at_door = true;
    }
    // What is left is that of a turn in which this one lies (Sink::failed).
    const bool begins = !readable_.empty() || !reading_.empty() || !failed_.empty() ||
                        !ending_.empty() || at_door || has_datagrams ||
                        ended_count_.load(std::memory_order_relaxed) != 0;
    if (!begins) return found;
    sink.begin();
    if (at_door || !failed_.empty()) found |= take_news(sink);
    // Behind those that have joined just now.
    if (has_datagrams) found |= take_datagrams(sink);
    // Edges tell of each once: a turn within this one goes on with those that are left.
    reading_.insert(reading_.end(), readable_.rbegin(), readable_.rend());
    readable_.clear();
    while (!reading_.empty()) {
        const int pe = reading_.back();
        reading_.pop_back();
        found |= read_from(pe, sink);
    }
    readable_count_.store(readable_.size(), std::memory_order_relaxed);
    // Answers to gets leave together, before what is handed over takes its time.
    flush_dirty();
    found |= hand_over_ended(sink);
    return found;
}

// Who waits for an answer looks over and over, and what comes is most often from whom something
// came last: it is read without asking the set first, which costs a short answer as much as the
// read. All others have their turn: the set is asked when there was nothing, and as soon as the
// last time is kTurn ago, so that a program that looks now and then always asks. In a dialogue,
// when nobody else has said anything for long, the set is not asked at each look that finds nothing
// either, but each kDialogueTurn, and the talker's packets do not ring in it: each would cost its
// sender an entry there, and the reader its removal. They ring again for who wants to sleep.
template <typename Sink>
bool Link::read_talker(Sink& sink) {
    constexpr std::uint64_t kSilent = 1'000'000;  // a talker no more
    if (talker_ == kNobody || !readable_.empty() || !reading_.empty() || !ending_.empty() ||
        !failed_.empty())
        return false;
    if (now_ - asked_ > kTurn && !is_apart_) return false;
    if (now_ - talked_ > kSilent) {
        talker_ = kNobody;
        return false;
    }
    sink.begin();
    const bool found = by_datagrams_ ? take_datagrams(sink) : read_from(talker_, sink, false);
    readable_count_.store(readable_.size(), std::memory_order_relaxed);
    if (!found) return false;
    flush_dirty();
    hand_over_ended(sink);
    return true;
}

// Who was taken back, by this thread or by one that wants to sleep, has a few turns to go.
inline void Link::see_to_dialogue(bool by_program) {
    const bool may_be = by_program && is_in_dialogue();
    if (may_be == is_apart_ && is_apart_ == (apart_.load(std::memory_order_relaxed) != kNobody))
        return;
    if (!is_apart_) return set_apart();
    take_back();
    is_apart_ = false;
    in_turn_ -= std::min(in_turn_, kAgain);
}

// `is_told`: by the set. Else there may be nothing.
template <typename Sink>
bool Link::read_from(int pe, Sink& sink, bool is_told) {
    constexpr int kReads = 16;
    Peer& from = peer(pe);
    from.is_readable = false;
    if (!from.stream.is_open()) return false;
    Receipt<Sink> receipt(*this, pe, from, sink, false);
    Came came = Came::more;
    bool found = false;
    for (int read = 0; read < kReads && came == Came::more; ++read) {
        came = from.records ? from.records->in.read(from.stream, workspace_, from.inbox, receipt)
                            : from.inbox.read(from.stream, workspace_, receipt);
        const bool is_some = came == Came::more || came == Came::all;
        found |= is_some || (is_told && came == Came::nothing);
        if (is_some) note_talker(pe);
        // The edge that told of the end is gone, also where data came with it.
        if (came == Came::all && from.is_ending) came = Came::more;
        if (receipt.error() != 0) came = Came::illegal;
    }
    if (receipt.has_left()) {
        const std::lock_guard lock(from.guard);
        from.tie = Tie::left;
    }
    if (receipt.has_failed()) sink.job_ended(pe, receipt.status());
    switch (came) {
        case Came::all:
        case Came::nothing: break;
        case Came::more: add_readable(from, pe); break;
        case Came::end: lose(pe, ECONNRESET, sink); break;
        case Came::error: {
            const long error = from.records ? from.records->in.error() : from.inbox.error();
            lose(pe, static_cast<int>(-error), sink);
            break;
        }
        case Came::changed: lose(pe, kChanged, sink); break;
        case Came::illegal: lose(pe, receipt.error(), sink); break;
    }
    return found;
}

// A PE that has said that it goes may go.
template <typename Sink>
void Link::lose(int pe, int error, Sink& sink) {
    Peer& from = peer(pe);
    {
        const std::lock_guard lock(from.guard);
        // What it hears is whole, and it need not take this PE for lost.
        if (error == kChanged || error >= kIllegal) say_end_to(from, pe, EXIT_FAILURE);
        from.stream.close();
        from.courier.close();
        if (from.tie == Tie::left) return;
        from.tie = Tie::broken;
        from.error = error;
    }
    sink.failed(pe, error);
}

template <typename Sink>
bool Link::take_news(Sink& sink) {
    Door::News news = door_->take_news();
    failed_.insert(failed_.end(), news.failed.begin(), news.failed.end());
    if (!news.any() && failed_.empty()) return false;
    if (news.forbidden) fail_call(news.forbidden, news.error);
    for (Door::Joined& joined : news.joined)
        join(joined);
    for (unsigned i = 0; i < news.refused; ++i)
        sink.refused();
    for (unsigned i = 0; i < news.silent; ++i)
        sink.noise();
    while (!failed_.empty()) {
        const auto [pe, error] = failed_.back();
        failed_.pop_back();
        sink.failed(pe, error);
    }
    return true;
}

template <typename Sink>
bool Link::hand_over_ended(Sink& sink) {
    if (ended_count_.load(std::memory_order_relaxed) != 0) {
        const std::lock_guard lock(ended_guard_);
        ending_.insert(ending_.end(), ended_.begin(), ended_.end());
        ended_.clear();
        ended_count_.store(0, std::memory_order_relaxed);
    }
    if (ending_.empty()) return false;
    for (Ticket* const ticket : ending_)
        sink.done(*ticket);
    ending_.clear();
    return true;
}

}  // namespace isthmus::transport::packet
