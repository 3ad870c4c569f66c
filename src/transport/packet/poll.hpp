// The receiving half of the link.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/packet/link.hpp"
#include "transport/service/attention.hpp"

namespace isthmus::transport::packet {

// Where packets of one PE go.
template <typename Sink>
class Link::Receipt {
  public:
    Receipt(Link& link, int pe, Peer& from, Sink& sink)
        : link_(link), pe_(pe), from_(from), sink_(sink) {}

    Verdict admit(const Packet& packet) {
        if ((kServedKinds >> static_cast<unsigned>(packet.kind()) & 1) == 0)
            return Verdict::unknown_kind;
        ::isthmus::packet::OpenToken token;
        if (packet.kind() == Kind::data || packet.kind() == Kind::nack)
            token = open_token(packet.token());
        const ::isthmus::packet::Peer sender{link_.number(pe_), 1, kMuchRoom, 0, 0};
        ::isthmus::packet::Receiver receiver;
        receiver.first_pe = link_.number(link_.services_.me);
        receiver.pes = 1;
        const std::lock_guard lock(link_.segments_guard_);
        receiver.segments = link_.entries_;
        base_ = packet.segment() < kSegments ? link_.bases_[packet.segment()] : nullptr;
        return ::isthmus::packet::admit(packet, receiver, sender, token);
    }

    char* place(const Packet& packet) {
        if (packet.kind() == Kind::put) return base_ + packet.offset();
        const std::lock_guard lock(from_.guard);
        return from_.gets.find(packet.token())->into + packet.offset();
    }

    void placed(const Packet& packet) {
        if (packet.kind() == Kind::put) return;
        const std::lock_guard lock(from_.guard);
        Gets::Get* const get = from_.gets.find(packet.token());
        if (!get) return;
        get->left -= std::min<std::uint64_t>(get->left, packet.payload_bytes);
        if (get->left != 0) return;
        link_.ending_.push_back(static_cast<Ticket*>(get->mark));
        from_.gets.close(*get);
    }

    void take(const Packet& packet) {
        switch (packet.kind()) {
            case Kind::get: return answer(packet);
            case Kind::core_request:
                return sink_.message(reinterpret_cast<const char*>(packet.payload),
                                     packet.payload_bytes);
            case Kind::bye: has_left_ = true; return;
            case Kind::nack: error_ = kRefused + packet.detail(); return;
            default: return;
        }
    }

    bool refused(Bytes head, Verdict verdict) {
        sink_.refused();
        const ::isthmus::packet::Action action = ::isthmus::packet::action_of(verdict);
        if (action == ::isthmus::packet::Action::end) {
            error_ = kIllegal + static_cast<int>(verdict);
            return false;
        }
        const auto nack = ::isthmus::packet::nack_for(head, verdict);
        if (!nack || nack->destination != link_.number(pe_)) return true;
        const std::lock_guard lock(from_.guard);
        // One says that something is wrong; a flood of them would take memory.
        if (from_.nacks++ < kMostNacks) from_.outbox.add(*nack, {}, nullptr, 0, true);
        link_.mark_dirty(from_, pe_);
        return true;
    }

    bool has_left() const { return has_left_; }
    // 0, or why the connection is to be given up.
    int error() const { return error_; }

  private:
    static constexpr std::uint32_t kMuchRoom = ~std::uint32_t{0};  // a stream holds back by itself
    static constexpr unsigned kMostNacks = 16;

    ::isthmus::packet::OpenToken open_token(std::uint32_t number) {
        ::isthmus::packet::OpenToken token;
        token.is_open = number == kNoToken;
        const std::lock_guard lock(from_.guard);
        if (const Gets::Get* const get = from_.gets.find(number)) {
            token.is_open = true;
            token.end = get->bytes;
        }
        return token;
    }

    // Short ones are copied; of long ones a note is kept, and they leave from where they lie.
    void answer(const Packet& get) {
        const std::uint64_t bytes =
            ::isthmus::packet::extent_word::last_asked.of(get.descriptor(1)) + 1;
        Head head = ::isthmus::packet::answer_to(get, Kind::data);
        const std::uint64_t own = get.descriptor(0);
        head.segment =
            static_cast<std::uint16_t>(::isthmus::packet::own_place_word::own_segment.of(own));
        head.offset = ::isthmus::packet::own_place_word::own_offset.of(own);
        const char* const source = base_ + get.offset();
        const std::lock_guard lock(from_.guard);
        if (from_.outbox.answers() >= kMostGets) {
            error_ = kIllegal + static_cast<int>(Verdict::over_credit);
            return;
        }
        if (bytes > kInject || !from_.outbox.add(head, {}, source, bytes))
            from_.outbox.add_block(head, source, bytes, nullptr, true, true);
        if (!from_.is_blocked) link_.mark_dirty(from_, pe_);
    }

    Link& link_;
    const int pe_;
    Peer& from_;
    Sink& sink_;
    char* base_ = nullptr;
    bool has_left_ = false;
    int error_ = 0;
};

template <typename Sink>
bool Link::poll(Sink& sink) {
    // Not without end: there are answers to send, too.
    constexpr int kEvents = 64;
    constexpr std::uint64_t kDoorTurn = 5'000'000;  // nanoseconds
    flush_dirty();
    epoll_event events[kEvents];
    const int count = epoll_wait(events_, events, kEvents, 0);
    bool at_door = false;
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
                break;
            }
            case Event::peer: {
                const auto pe = static_cast<int>(subject);
                Peer& from = peer(pe);
                if ((events[i].events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0)
                    add_readable(from, pe);
                if ((events[i].events & EPOLLOUT) == 0) break;
                const std::lock_guard lock(from.guard);
                if (from.is_blocked) flush(from, pe);
                break;
            }
        }
    }
    bool found = false;
    if (at_door || count == 0) {
        const std::uint64_t now = service::now_nanoseconds();
        if (now - door_seen_to_ > kDoorTurn) {
            door_seen_to_ = now;
            door_->see_to_time();
            at_door = true;
        }
    }
    const bool begins =
        !readable_.empty() || at_door || ended_count_.load(std::memory_order_relaxed) != 0;
    if (!begins) return false;
    sink.begin();
    if (at_door) found |= take_news(sink);
    if (!readable_.empty()) {
        reading_.swap(readable_);
        for (const int pe : reading_)
            found |= read_from(pe, sink);
        reading_.clear();
    }
    readable_count_.store(readable_.size(), std::memory_order_relaxed);
    // Answers to gets leave together, before what is handed over takes its time.
    flush_dirty();
    found |= hand_over_ended(sink);
    return found;
}

template <typename Sink>
bool Link::read_from(int pe, Sink& sink) {
    constexpr int kReads = 16;
    Peer& from = peer(pe);
    from.is_readable = false;
    if (!from.stream.is_open()) return false;
    Receipt<Sink> receipt(*this, pe, from, sink);
    Came came = Came::more;
    bool found = false;
    for (int read = 0; read < kReads && came == Came::more; ++read) {
        came = from.inbox.read(from.stream, workspace_, receipt);
        found |= came == Came::more || came == Came::all;
        if (receipt.error() != 0) came = Came::illegal;
    }
    if (receipt.has_left()) {
        const std::lock_guard lock(from.guard);
        from.tie = Tie::left;
    }
    switch (came) {
        case Came::all: break;
        case Came::more: add_readable(from, pe); break;
        case Came::end: lose(pe, ECONNRESET, sink); break;
        case Came::error: lose(pe, static_cast<int>(-from.inbox.error()), sink); break;
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
        from.stream.close();
        if (from.tie == Tie::left) return;
        from.tie = Tie::broken;
        from.error = error;
    }
    sink.failed(pe, error);
}

template <typename Sink>
bool Link::take_news(Sink& sink) {
    Door::News news = door_->take_news();
    if (!news.any()) return false;
    for (Door::Joined& joined : news.joined)
        join(joined.pe, std::move(joined.stream));
    for (unsigned i = 0; i < news.refused; ++i)
        sink.refused();
    for (unsigned i = 0; i < news.silent; ++i)
        sink.noise();
    for (const auto& [pe, error] : news.failed)
        sink.failed(pe, error);
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
