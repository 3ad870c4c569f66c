// libfabric as a link: messages by inject and send, writes and reads by the provider.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "transport/link.hpp"
#include "transport/ofi/belief.hpp"
#include "transport/ofi/fabric.hpp"
#include "transport/service/key_table.hpp"
#include "transport/service/wire.hpp"

namespace isthmus::transport::ofi {

inline constexpr std::size_t kReceives = 128;
// What rxm sends in one piece (FI_OFI_RXM_BUFFER_SIZE), whoever sends it.
inline constexpr std::size_t kEagerBytes = 4096;
static_assert(sizeof(service::Request) + kRequestBytes <= kEagerBytes);

class Link {
  public:
    using Scratch = fi_context2;
    using Ticket = BasicTicket<Scratch>;
    using Local = void*;  // the memory's descriptor, for providers that want one
    static constexpr long kFull = -FI_EAGAIN;
    static constexpr const char* kThreadName = "isthmus-ofi";
    // By the provider: it believes who has the address.
    static constexpr bool kPortMayBeClaimed = true;

    static bool proves(const Services&) { return false; }
    explicit Link(const Services& services);
    ~Link();

    const Limits& limits() const { return limits_; }
    std::size_t card_bytes() const { return fabric_.card_bytes(); }
    void write_card(char* card) const { fabric_.write_card(card); }
    void connect(const char* cards, std::size_t distance);
    std::vector<char> address_of(int pe) const {
        return pe == services_.me ? fabric_.address() : fabric_.address_of(pe);
    }
    void publish(std::uint32_t segment, const Segment& memory) { fabric_.publish(segment, memory); }
    void* own_memory(std::size_t bytes);
    Local own_local() const { return own_descriptor_; }
    bool find_local(const void* memory, std::size_t bytes, Local& local) const {
        return fabric_.find_descriptor(memory, bytes, local);
    }

    // One piece: what has more comes from own memory.
    long send(int pe, Pieces pieces, Order) { return send_short(pe, *pieces.begin()); }
    long send_short(int pe, Piece piece) {
        return inject_message_(endpoint_, piece.bytes, piece.count, static_cast<fi_addr_t>(pe));
    }
    long send_from(int pe, const void* source, std::size_t bytes, Ticket& ticket);
    long write_now(int pe, Place dest, const void* source, std::size_t bytes) {
        const Target& target = fabric_.target(pe, dest.segment);
        return fi_inject_write(endpoint_, source, bytes, static_cast<fi_addr_t>(pe),
                               target.base + dest.offset, target.key);
    }
    long write(int pe, Place dest, const void* source, std::size_t bytes, Local local,
               Ticket& ticket);
    long read(int pe, void* dest, Place source, std::size_t bytes, Local local, Ticket& ticket) {
        const Target& target = fabric_.target(pe, source.segment);
        return fi_read(endpoint_, dest, bytes, local, static_cast<fi_addr_t>(pe),
                       target.base + source.offset, target.key, &ticket);
    }

    template <typename Sink>
    bool poll(Sink& sink);
    int descriptor() const { return fabric_.descriptor(); }
    // Without end, by one message of a stranger's.
    bool may_be_kept_busy() const { return believes_heads_; }
    bool may_sleep() {
        fid* queue = &fabric_.queue()->fid;
        return fi_trywait(fabric_.fabric(), &queue, 1) == 0;
    }
    std::string error_text(int error) const { return fi_strerror(error); }
    std::string describe() const { return fabric_.describe(); }

    // ---- the shortest ways

    // Of the heap, where has_short_reads().
    bool has_short_reads() const {
        return fabric_.has_offsets() && heap_keys_.keys() && !fabric_.wants_descriptors();
    }
    long read_heap(int pe, void* dest, std::uint64_t offset, std::size_t bytes, Ticket& ticket) {
        return read_(endpoint_, dest, bytes, nullptr, static_cast<fi_addr_t>(pe), offset, keys_[pe],
                     &ticket);
    }
    void add_short_put(ShortCalls& calls) const;
    Address address_of(int pe, Place place) const {
        const Target& target = fabric_.target(pe, place.segment);
        return {target.base + place.offset, target.key};
    }

  private:
    struct Receive {
        Ticket ticket;
        bool aside = false;
        alignas(16) char buffer[kEagerBytes];
    };

    // By address: what is no receive may be no ticket any more.
    bool is_receive(const void* context) const {
        return reinterpret_cast<std::uintptr_t>(context) -
                   reinterpret_cast<std::uintptr_t>(receives_) <
               kReceives * sizeof(Receive);
    }
    void post_receive(Receive& receive);
    // Of one that has failed. rxm tells that once for each part of a message that it was to fetch
    // from one who has gone: offered again before the last time, a buffer is in use twice, and what
    // PEs send is lost.
    [[gnu::cold]] void set_aside(Receive& receive);
    [[gnu::cold]] void post_aside(std::size_t count);
    // All that were offered, before the end: rxm has kept none for parts of a message.
    bool gets_receives_back();
    // How many bytes of the provider's own come before the message. Two PEs that connect to each
    // other at once, over a link that loses what they say, may leave libfabric 1.17's rxm with a
    // connection whose other end it has mistaken, and messages over that come with its head of 64
    // bytes. Looked at by a pattern; whether the rest is a message of this job its seal says.
    static std::size_t foreign_head(const char* bytes, std::size_t count);
    template <typename Sink>
    void read_error(Sink& sink);

    const Services& services_;
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> own_;  // receives, then the service's
    // Closed before that is freed: until then it takes in what comes.
    Fabric fabric_;
    Limits limits_;
    // What the shortest ways need, laid ready.
    fid_ep* endpoint_ = nullptr;
    const std::uint64_t* keys_ = nullptr;  // of heaps, by PE
    ssize_t (*read_)(fid_ep*, void*, std::size_t, void*, fi_addr_t, std::uint64_t, std::uint64_t,
                     void*) = nullptr;
    ssize_t (*inject_message_)(fid_ep*, const void*, std::size_t, fi_addr_t) = nullptr;
    ssize_t (*send_)(fid_ep*, const void*, std::size_t, void*, fi_addr_t, void*) = nullptr;
    service::KeyTable heap_keys_;

    Receive* receives_ = nullptr;
    void* own_descriptor_ = nullptr;
    std::deque<Receive*> unposted_;  // those that the provider had no room for; of poll()
    std::deque<Receive*> aside_;
    Belief belief_;  // of poll()
    bool believes_heads_ = false;
};

// Inline: these lie on the way of every put and request.
inline long Link::send_from(int pe, const void* source, std::size_t bytes, Ticket& ticket) {
    // Of operations of this endpoint, those that are not injected leave a completion.
    return send_(endpoint_, source, bytes, own_descriptor_, static_cast<fi_addr_t>(pe), &ticket);
}

inline long Link::write(int pe, Place dest, const void* source, std::size_t bytes, Local descriptor,
                        Ticket& ticket) {
    const Target& target = fabric_.target(pe, dest.segment);
    iovec local{const_cast<void*>(source), bytes};
    fi_rma_iov remote{target.base + dest.offset, bytes, target.key};
    fi_msg_rma message{};
    message.msg_iov = &local;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = static_cast<fi_addr_t>(pe);
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &ticket;
    return fi_writemsg(endpoint_, &message,
                       limits_.ordered ? FI_COMPLETION : FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

inline std::size_t Link::foreign_head(const char* bytes, std::size_t count) {
    constexpr std::size_t kHead = 64, kSize = 40;  // the length of what follows
    constexpr std::uint64_t kBegin = 4;            // version 4, a message of one part
    std::uint64_t begin = 0, size = 0;
    if (count <= kHead) return 0;
    std::memcpy(&begin, bytes, sizeof begin);
    if (begin != kBegin) [[likely]]
        return 0;  // ours begin with a hash
    std::memcpy(&size, bytes + kSize, sizeof size);
    return size == count - kHead ? kHead : 0;
}

template <typename Sink>
bool Link::poll(Sink& sink) {
    for (std::size_t left = unposted_.size(); left != 0; --left) {
        Receive* const receive = unposted_.front();
        unposted_.pop_front();
        post_receive(*receive);
    }
    constexpr std::size_t kEntries = 16;
    fi_cq_msg_entry entries[kEntries];
    bool found = false;
    // Not without end: there are answers to send, too.
    for (int round = 0; round < 64; ++round) {
        const ssize_t count = fi_cq_read(fabric_.queue(), entries, kEntries);
        if (count == -FI_EAVAIL) {
            read_error(sink);
            continue;
        }
        if (count <= 0) {
            if (!belief_.holds() && believes_heads_) [[unlikely]]
                sink.confused();
            // Nothing more is told of them.
            if (round == 0 && !aside_.empty()) [[unlikely]]
                post_aside(aside_.size());
            break;
        }
        if (!found) sink.begin();
        found = true;
        for (ssize_t i = 0; i < count; ++i) {
            auto* const ticket = static_cast<Ticket*>(entries[i].op_context);
            if (!ticket) continue;
            // Of what is received it is the head that says what it is.
            if (!Belief::may_be_done(entries[i].flags) && believes_heads_ && !is_receive(ticket))
                [[unlikely]]
                return sink.confused(), found;
            if (ticket->kind != Ticket::Kind::own) {
                sink.done(*ticket);
                continue;
            }
            auto& receive = *reinterpret_cast<Receive*>(ticket);
            // rxm takes the length from a head that anybody may have written.
            if (entries[i].len > sizeof receive.buffer) {
                sink.refused();
                post_receive(receive);
                continue;
            }
            const std::size_t head = foreign_head(receive.buffer, entries[i].len);
            sink.message(receive.buffer + head, entries[i].len - head);
            post_receive(receive);
        }
        // There is hardly more, and to find that out takes a system call.
        if (count < static_cast<ssize_t>(kEntries)) break;
    }
    return found;
}

template <typename Sink>
void Link::read_error(Sink& sink) {
    fi_cq_err_entry error{};
    if (fi_cq_readerr(fabric_.queue(), &error, 0) <= 0) return;
    if (believes_heads_ && !belief_.may_have_failed(error, is_receive(error.op_context)))
        return sink.confused();
    if (is_receive(error.op_context)) {
        // Longer than any request of ours, or cut off.
        auto& receive = *static_cast<Receive*>(error.op_context);
        if (receive.aside || sink.is_stopping()) return;
        sink.refused();
        return set_aside(receive);
    }
    // Of no operation that this PE waits for: rxm reports in this way that a connection went wrong,
    // and anybody may make one that does. A PE that is gone is found out by what waits for it.
    auto* const ticket = static_cast<Ticket*>(error.op_context);
    constexpr std::uint64_t kOfOthers = FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE;
    constexpr std::uint64_t kOwn = FI_SEND | FI_READ | FI_WRITE;
    const bool own = ticket || ((error.flags & kOwn) != 0 && (error.flags & kOfOthers) == 0);
    if (!own) return sink.noise();
    sink.failed(ticket ? ticket->pe : -1, error.err);
}

}  // namespace isthmus::transport::ofi
