// What becomes of the packets of one PE.
#pragma once

#include <algorithm>
#include <mutex>

#include "transport/packet/link.hpp"

namespace isthmus::transport::packet {

// Where packets of one PE go.
template <typename Sink>
class Link::Receipt {
  public:
    // `by_datagrams`: what comes is; on the stream beside them nothing but a farewell does.
    Receipt(Link& link, int pe, Peer& from, Sink& sink, bool by_datagrams)
        : link_(link), pe_(pe), from_(from), sink_(sink), by_datagrams_(by_datagrams) {}

    Verdict admit(const Packet& packet) {
        const bool is_served = (kServedKinds >> static_cast<unsigned>(packet.kind()) & 1) != 0 &&
                               (packet.kind() == Kind::bye || by_datagrams_ == link_.by_datagrams_);
        if (!is_served) return Verdict::unknown_kind;
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
        const Verdict verdict = ::isthmus::packet::admit(packet, receiver, sender, token);
        const bool is_answer = verdict == Verdict::accepted && packet.kind() == Kind::data;
        return is_answer && !is_piece_of_answer(packet) ? Verdict::wrong_payload : verdict;
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
            case Kind::core_request: return request(packet);
            case Kind::bye:
                has_left_ = true;
                status_ = static_cast<int>(packet.token());
                has_failed_ =
                    packet.detail() == static_cast<std::uint8_t>(::isthmus::packet::Bye::failed);
                return;
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
        // Nobody is told of an answer that is lost, who would then wait for it without end.
        if (!nack || nack->destination != link_.number(pe_)) {
            error_ = kIllegal + static_cast<int>(verdict);
            return false;
        }
        const std::lock_guard lock(from_.guard);
        // One says that something is wrong; a flood of them would take memory.
        if (from_.nacks++ < kMostNacks) from_.outbox.add(*nack, {}, nullptr, 0, true);
        link_.mark_dirty(from_, pe_);
        return true;
    }

    bool has_left() const { return has_left_; }
    // It has left because the job ends by it.
    bool has_failed() const { return has_failed_; }
    int status() const { return status_; }  // of the job, then
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

    // One that was shortened on its way, or whose question was, would be waited for without end,
    // and on a stream without hashes nothing else tells of that. Its pieces come in order, and all
    // but the last are of whole lines (Outbox::cut); records and datagrams are filled, and cut
    // anywhere.
    bool is_piece_of_answer(const Packet& packet) {
        constexpr std::size_t kLine = 64;
        if (by_datagrams_ || from_.records) return true;
        const std::lock_guard lock(from_.guard);
        const Gets::Get* const get = from_.gets.find(packet.token());
        if (!get || !packet.is_fragment()) return get && packet.payload_bytes == get->bytes;
        const std::uint64_t end = packet.part_offset() + std::uint64_t{packet.payload_bytes};
        return packet.message_bytes() == get->bytes &&
               packet.part_offset() == get->bytes - get->left &&
               (end == get->bytes || packet.payload_bytes % kLine == 0);
    }

    // In a datagram there may be room for a part of one alone. The next ones follow.
    void request(const Packet& packet) {
        std::vector<std::byte>& parts = from_.request;
        const bool goes_on = packet.token() == kMoreFollows;
        if (!goes_on && parts.empty())
            return sink_.message(reinterpret_cast<const char*>(packet.payload),
                                 packet.payload_bytes);
        if (parts.size() + packet.payload_bytes > kMessage) {
            error_ = kIllegal + static_cast<int>(Verdict::payload_too_long);
            return;
        }
        parts.insert(parts.end(), packet.payload, packet.payload + packet.payload_bytes);
        if (goes_on) return;
        sink_.message(reinterpret_cast<const char*>(parts.data()), parts.size());
        parts.clear();
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
    const bool by_datagrams_;
    char* base_ = nullptr;
    bool has_left_ = false;
    bool has_failed_ = false;
    int status_ = 0;
    int error_ = 0;
};

}  // namespace isthmus::transport::packet
