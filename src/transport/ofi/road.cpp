#include "transport/ofi/road.hpp"

#include <cstring>

namespace isthmus::transport::ofi {

template <typename Done>
void Road::wait(int pe, Done&& done) {
    if (done()) return;
    struct State {
        Road& road;
        Done& done;
    } state{*this, done};
    services_.wait(
        pe,
        [](void* argument) {
            auto& [road, is_done] = *static_cast<State*>(argument);
            road.progress();
            return static_cast<bool>(is_done());
        },
        &state);
}

template <typename Call>
void Road::issue(int pe, Call&& call) {
    ssize_t result = call();
    if (result == -FI_EAGAIN) [[unlikely]] {
        // Connecting, or its queues are full: the provider's own progress makes room.
        wait(pe, [&] {
            result = call();
            return result != -FI_EAGAIN;
        });
    }
    if (result != 0) [[unlikely]]
        lost(pe, static_cast<int>(-result));
}

// ---- puts and gets

void Road::put(int pe, Place dest, const void* source, std::size_t bytes) {
    if (bytes > inject_) [[unlikely]]
        return put_long(pe, dest, source, bytes);
    const Target& target = fabric_.target(pe, dest.segment);
    const ssize_t result =
        fi_inject_write(fabric_.endpoint(), source, bytes, static_cast<fi_addr_t>(pe),
                        target.base + dest.offset, target.key);
    if (result != 0) [[unlikely]]
        return put_again(pe, dest, source, bytes);
    mark(pe, kWritten);
}

// The provider had no room, or refuses for good.
void Road::put_again(int pe, Place dest, const void* source, std::size_t bytes) {
    const Target& target = fabric_.target(pe, dest.segment);
    issue(pe, [&] {
        return fi_inject_write(fabric_.endpoint(), source, bytes, static_cast<fi_addr_t>(pe),
                               target.base + dest.offset, target.key);
    });
    mark(pe, kWritten);
}

void Road::write(int pe, Place dest, const void* source, std::size_t bytes, Context& context) {
    const Target& target = fabric_.target(pe, dest.segment);
    context.pe = pe;
    iovec local{const_cast<void*>(source), bytes};
    fi_rma_iov remote{target.base + dest.offset, bytes, target.key};
    fi_msg_rma message{};
    message.msg_iov = &local;
    message.iov_count = 1;
    message.addr = static_cast<fi_addr_t>(pe);
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &context;
    std::uint64_t flags = FI_COMPLETION;
    if (!fabric_.is_ordered()) {
        flags |= FI_DELIVERY_COMPLETE;
        unconfirmed_.fetch_add(1, std::memory_order_relaxed);
    }
    issue(pe, [&] { return fi_writemsg(fabric_.endpoint(), &message, flags); });
}

void Road::put_long(int pe, Place dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    if (bytes <= kBounceBytes && bytes <= longest_) {
        Bounce& bounce = take_bounce(pe);
        bounce.confirms = !fabric_.is_ordered();
        std::memcpy(bounce.buffer, source, bytes);
        write(pe, dest, bounce.buffer, bytes, bounce.context);
        return mark(pe, kWritten);
    }
    const auto* from = static_cast<const char*>(source);
    while (bytes != 0) {
        const std::size_t part = bytes < longest_ ? bytes : longest_;
        Direct direct;
        write(pe, dest, from, part, direct.context);
        // Acquire: partner is the release in complete().
        wait(pe, [&] { return direct.done.load(std::memory_order_acquire); });
        from += part;
        dest.offset += part;
        bytes -= part;
    }
    mark(pe, kWritten);
}

void Road::get(int pe, void* dest, Place source, std::size_t bytes) {
    auto* to = static_cast<char*>(dest);
    const Target& target = fabric_.target(pe, source.segment);
    while (bytes != 0) {
        const std::size_t part = bytes < longest_ ? bytes : longest_;
        Direct direct;
        direct.context.pe = pe;
        iovec local{to, part};
        fi_rma_iov remote{target.base + source.offset, part, target.key};
        fi_msg_rma message{};
        message.msg_iov = &local;
        message.iov_count = 1;
        message.addr = static_cast<fi_addr_t>(pe);
        message.rma_iov = &remote;
        message.rma_iov_count = 1;
        message.context = &direct.context;
        issue(pe, [&] { return fi_readmsg(fabric_.endpoint(), &message, FI_COMPLETION); });
        wait(pe, [&] { return direct.done.load(std::memory_order_acquire); });
        to += part;
        source.offset += part;
        bytes -= part;
    }
}

Bounce& Road::take_bounce(int pe) {
    Bounce* bounce = nullptr;
    wait(pe, [&] {
        const std::lock_guard lock(bounce_guard_);
        if (free_bounces_.empty()) return false;
        bounce = free_bounces_.back();
        free_bounces_.pop_back();
        return true;
    });
    return *bounce;
}

void Road::give_back(Bounce& bounce) {
    const std::lock_guard lock(bounce_guard_);
    free_bounces_.push_back(&bounce);
}

// ---- requests

void Road::send(int pe, Request request, const void* payload) {
    request.secret = fabric_.secret();
    request.from = static_cast<std::uint32_t>(services_.me);
    const bool long_form = has_payload(request.kind);
    const std::size_t head = long_form ? sizeof request : kShortRequest;
    const std::size_t length = head + (long_form ? request.bytes : 0);
    const auto to = static_cast<fi_addr_t>(pe);
    if (length <= fabric_.info().tx_attr->inject_size && !long_form) {
        issue(pe, [&] { return fi_inject(fabric_.endpoint(), &request, length, to); });
        return;
    }
    Bounce& bounce = take_bounce(pe);
    bounce.confirms = false;
    bounce.context.pe = pe;
    std::memcpy(bounce.buffer, &request, head);
    if (payload) std::memcpy(bounce.buffer + head, payload, request.bytes);
    iovec local{bounce.buffer, length};
    fi_msg message{};
    message.msg_iov = &local;
    message.iov_count = 1;
    message.addr = to;
    message.context = &bounce.context;
    issue(pe, [&] { return fi_sendmsg(fabric_.endpoint(), &message, FI_COMPLETION); });
}

Request Road::request_for(RequestKind kind, Place word, const Atomic& atomic) const {
    Request request;
    request.kind = kind;
    request.atomic = atomic.kind;
    request.width = atomic.width;
    request.segment = static_cast<std::uint8_t>(word.segment);
    request.offset = word.offset;
    request.operand = atomic.operand;
    request.compare = atomic.compare;
    return request;
}

std::uint64_t Road::fetch_atomic(int pe, Place word, const Atomic& atomic) {
    AnswerSlot* const slot = own_slot();
    if (!slot) services_.fail("more than 4096 threads use the transport at once");
    Request request = request_for(RequestKind::fetch_atomic, word, atomic);
    request.token = arm(*slot, 1);
    send(pe, request);
    // Acquire: partner is deliver().
    wait(pe, [&] { return slot->left.load(std::memory_order_acquire) == 0; });
    return slot->value;
}

void Road::post_atomic(int pe, Place word, const Atomic& atomic) {
    send(pe, request_for(RequestKind::post_atomic, word, atomic));
    mark(pe, kAsked);
}

void Road::put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                      const Atomic& signal) {
    if (bytes <= kRequestBytes) {
        Request request = request_for(RequestKind::put_signal, word, signal);
        request.data_segment = dest.segment;
        request.data_offset = dest.offset;
        request.bytes = static_cast<std::uint32_t>(bytes);
        send(pe, request, source);
        return mark(pe, kAsked);
    }
    put(pe, dest, source, bytes);
    if (!fabric_.is_ordered()) await_confirmations();
    post_atomic(pe, word, signal);
}

void Road::request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) {
    if (!fabric_.is_ordered()) await_confirmations();
    Request request;
    request.kind = RequestKind::core;
    request.operand = handler;
    request.bytes = static_cast<std::uint32_t>(bytes);
    send(pe, request, payload);
    mark(pe, kAsked);
}

// ---- ordering

void Road::mark_first(int pe, std::uint8_t what) {
    const std::lock_guard lock(marking_);
    const std::uint8_t before = dirty_[pe].fetch_or(what, std::memory_order_relaxed);
    if (before == 0) {
        dirty_list_.push_back(pe);
        outstanding_.fetch_add(1, std::memory_order_relaxed);
    }
    if ((what & ~before & kAsked) != 0) asked_.fetch_add(1, std::memory_order_relaxed);
}

void Road::await_confirmations() {
    // Acquire: partner is the release in complete().
    if (unconfirmed_.load(std::memory_order_acquire) != 0)
        wait(-1, [&] { return unconfirmed_.load(std::memory_order_acquire) == 0; });
}

// Asks every PE that has a mark in `which` for an answer behind all that went there.
void Road::flush(std::uint8_t which) {
    AnswerSlot* const slot = own_slot();
    if (!slot) services_.fail("more than 4096 threads use the transport at once");
    // A thread that comes while another one flushes waits for that one's answers: they may stand
    // for its own operations.
    wait(-1, [&] { return flushing_.try_lock(); });
    const std::lock_guard held(flushing_, std::adopt_lock);
    std::vector<int> pes;
    int asked = 0;
    {
        const std::lock_guard lock(marking_);
        std::vector<int> rest;
        for (const int pe : dirty_list_) {
            const std::uint8_t mark = dirty_[pe].load(std::memory_order_relaxed);
            if ((mark & which) == 0) {
                rest.push_back(pe);
                continue;
            }
            asked += (mark & kAsked) != 0 ? 1 : 0;
            dirty_[pe].store(0, std::memory_order_seq_cst);  // before the request behind it
            pes.push_back(pe);
        }
        dirty_list_.swap(rest);
    }
    if (pes.empty()) return;
    Request request;
    request.kind = RequestKind::flush;
    request.token = arm(*slot, static_cast<int>(pes.size()));
    for (const int pe : pes)
        send(pe, request);
    wait(pes.size() == 1 ? pes[0] : -1,
         [&] { return slot->left.load(std::memory_order_acquire) == 0; });
    asked_.fetch_sub(asked, std::memory_order_relaxed);
    outstanding_.fetch_sub(static_cast<int>(pes.size()), std::memory_order_release);
}

// Puts are in order with what follows them; only a request is done by a thread, after which a later
// put might be first.
void Road::fence() {
    if (!fabric_.is_ordered()) await_confirmations();
    if (asked_.load(std::memory_order_relaxed) != 0) flush(kAsked);
}

void Road::quiet() {
    if (outstanding_.load(std::memory_order_acquire) == 0) [[likely]]
        return;
    if (!fabric_.is_ordered()) await_confirmations();
    flush(kWritten | kAsked);
}

}  // namespace isthmus::transport::ofi
