// Requests, their answers, and the order of what was issued.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "transport/service/road.hpp"
#include "transport/service/transfer.hpp"

namespace isthmus::transport::service {

// ---- requests

template <Link L>
void Road<L>::send(int pe, Request request, const void* payload) {
    const bool long_form = has_payload(request.kind);
    const std::size_t head = long_form ? sizeof request : kShortRequest;
    const std::size_t payload_bytes = long_form && payload ? request.bytes : 0;
    if (!long_form && head <= link_.limits().inject) {
        seals_.seal(pe, &request, head);
        return issue_sealed(pe, [&] { return link_.send(pe, {{&request, head}}, Order::strict); });
    }
    if constexpr (kOneSided) {
        Bounce& bounce = take_bounce(pe);
        bounce.of = nullptr;
        bounce.ticket.pe = pe;
        std::memcpy(bounce.buffer, &request, head);
        if (payload) std::memcpy(bounce.buffer + head, payload, payload_bytes);
        seals_.seal(pe, bounce.buffer, head + payload_bytes);
        issue_sealed(pe, [&] {
            return link_.send_from(pe, bounce.buffer, head + payload_bytes, bounce.ticket);
        });
    } else {
        Message<kRequestBytes> message(request, payload, payload_bytes);
        seals_.seal(pe, &message, message.bytes);
        issue_sealed(pe, [&] {
            return link_.send(pe, {{&message, message.bytes}}, Order::strict);
        });
    }
}

template <Link L>
Request Road<L>::request_for(RequestKind kind, Place word, const Atomic& atomic) const {
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

template <Link L>
AnswerSlot& Road<L>::needed_slot() {
    AnswerSlot* const slot = own_slot();
    if (!slot) {
        services_.fail("more than 4096 threads use the transport at once");
        std::abort();
    }
    return *slot;
}

template <Link L>
std::uint64_t Road<L>::fetch_atomic(int pe, Place word, const Atomic& atomic) {
    AnswerSlot* const slot = &needed_slot();
    Request request = request_for(RequestKind::fetch_atomic, word, atomic);
    request.token = arm(*slot, 1);
    send(pe, request);
    // Acquire: partner is deliver().
    wait(pe, kAnswer, [&] { return slot->left.load(std::memory_order_acquire) == 0; });
    return slot->value;
}

template <Link L>
void Road<L>::fetch_again(int pe, const ShortRequest& request) {
    issue_sealed(pe, [&] { return link_.send(pe, {{&request, sizeof request}}, Order::strict); });
}

template <Link L>
std::uint64_t Road<L>::await_answer(int pe, AnswerSlot& slot) {
    // Acquire: partner is deliver().
    wait(pe, kAnswer, [&] { return slot.left.load(std::memory_order_acquire) == 0; });
    return slot.value;
}

template <Link L>
[[gnu::cold, gnu::noinline]] std::uint64_t Road<L>::fetch_word_first(void* self,
                                                                     std::uint64_t operand, int pe,
                                                                     std::uint64_t offset,
                                                                     std::uint32_t code,
                                                                     std::uint64_t compare) {
    static_cast<Road*>(static_cast<Transport*>(self))->needed_slot();
    return fetch_word_here(self, operand, pe, offset, code, compare);
}

// Up to the provider's call 32 instructions, and those of the hash: what is needed behind it lies
// in the frame, so that nothing is saved and restored.
template <Link L>
std::uint64_t Road<L>::fetch_word_here(void* self, std::uint64_t operand, int pe,
                                       std::uint64_t offset, std::uint32_t code,
                                       std::uint64_t compare) {
    auto& road = *static_cast<Road*>(static_cast<Transport*>(self));
    if (!taken_slot) [[unlikely]]
        return fetch_word_first(self, operand, pe, offset, code, compare);
    struct {
        ShortRequest request;
        Road* road;
        int pe;
        AnswerSlot* slot;
    } frame;
    AnswerSlot* const slot = taken_slot;
    frame.request.code = short_code(RequestKind::fetch_atomic, code, kHeap);
    frame.request.token = arm(*slot, 1);
    frame.request.offset = offset;
    frame.request.operand = operand;
    frame.request.compare = compare;
    frame.road = &road;
    frame.pe = pe;
    frame.slot = slot;
    road.seals_.seal(pe, &frame.request, sizeof frame.request);
    if (frame.road->link_.send(frame.pe, {{&frame.request, sizeof frame.request}}, Order::strict) !=
        0) [[unlikely]]
        frame.road->fetch_again(frame.pe, frame.request);
    return frame.road->await_answer(frame.pe, *frame.slot);
}

template <Link L>
void Road<L>::post_on(Outstanding& on, int pe, Place word, const Atomic& atomic) {
    send(pe, request_for(RequestKind::post_atomic, word, atomic));
    mark_posted(on, pe);
}

template <Link L>
void Road<L>::put_signal_on(Outstanding& on, int pe, Place dest, const void* source,
                            std::size_t bytes, Place word, const Atomic& signal) {
    tell_on(on, pe, dest, source, bytes, word, signal);
    if (bytes > kRequestBytes) on.mark_written(pe);
    mark_posted(on, pe);
}

template <Link L>
void Road<L>::tell_on(Outstanding& on, int pe, Place dest, const void* source, std::size_t bytes,
                      Place word, const Atomic& signal) {
    if (told_[pe].load(std::memory_order_relaxed) == 0)
        told_[pe].store(1, std::memory_order_relaxed);
    if (bytes == 0) return send(pe, request_for(RequestKind::post_atomic, word, signal));
    if (bytes <= kRequestBytes) {
        Request request = request_for(RequestKind::put_signal, word, signal);
        request.data_segment = dest.segment;
        request.data_offset = dest.offset;
        request.bytes = static_cast<std::uint32_t>(bytes);
        return send(pe, request, source);
    }
    write_long(on, pe, dest, source, bytes);
    if (!ordered_) await_ended(on, on.latest(), pe, kWrites);
    send(pe, request_for(RequestKind::post_atomic, word, signal));
}

template <Link L>
Request Road<L>::request_for(RequestKind kind, std::uint32_t handler, std::size_t bytes) const {
    if (bytes > kRequestBytes) {
        services_.fail("a request is longer than 2048 bytes");
        std::abort();
    }
    Request request;
    request.kind = kind;
    request.operand = handler;
    request.bytes = static_cast<std::uint32_t>(bytes);
    return request;
}

template <Link L>
void Road<L>::request_on(Outstanding& on, int pe, std::uint32_t handler, const void* payload,
                         std::size_t bytes) {
    order_puts_on(on);
    send(pe, request_for(RequestKind::core, handler, bytes), payload);
    mark_posted(on, pe);
}

// Up to the provider's call 20 instructions, and the hash: what is needed behind that lies in
// memory, so that nothing is saved and restored.
template <Link L>
void Road<L>::post_here(char* frame, void* self, std::size_t bytes, std::uint64_t pe) {
    struct {
        Road* road;
        char* frame;
        std::size_t bytes;
        std::uint64_t pe;
    } kept{static_cast<Road*>(self), frame, bytes, pe};
    Seals& seals = kept.road->seals_;
    __asm__ __volatile__("" : "+m"(kept));
    seals.seal_rest(pe, frame, bytes);
    if (kept.road->send_frame(static_cast<int>(kept.pe), kept.frame, kept.bytes) != 0) [[unlikely]]
        kept.road->post_again(kept.frame, kept.bytes, static_cast<int>(kept.pe));
    kept.road->own_.mark_asked(static_cast<int>(kept.pe));
}

template <Link L>
void Road<L>::post_again(const char* frame, std::size_t bytes, int pe) {
    issue_sealed(pe, [&] { return send_frame(pe, frame, bytes); });
}

// Likewise, up to 58 where it is what most are: a short frame, a payload of half a line to a line,
// and a buffer is free. All else has a function of its own, that saves the registers it needs.
template <Link L>
void Road<L>::post_more_here(char* frame, void* self, std::size_t bytes, std::uint64_t pe,
                             const void* rest, std::size_t count) {
    constexpr std::size_t kVector = 16, kHalf = 32;
    using Vector = std::array<char, kVector>;
    if constexpr (kOneSided) {
        auto* const road = static_cast<Road*>(self);
        std::uint64_t free = road->free_bounces_.load(std::memory_order_relaxed);
        const std::uint64_t first = free;
        // Acquire: partner is give_back().
        if (bytes > kFrameWord + 2 * kVector || count - kHalf > kHalf || free == 0 ||
            !road->free_bounces_.compare_exchange_strong(
                free, first & (first - 1), std::memory_order_acquire, std::memory_order_relaxed))
            [[unlikely]]
            return post_more_otherwise(frame, self, bytes, pe, rest, count);
        struct {
            Road* road;
            Bounce* bounce;
            std::size_t bytes;
            std::uint64_t pe;
        } kept{road, road->bounces_[static_cast<unsigned>(std::countr_zero(first))], bytes + count,
               pe};
        Bounce& bounce = *kept.bounce;  // its `of` is null: no road that keeps order sets one
        bounce.ticket.pe = static_cast<int>(pe);
        const auto copy = [](char* to, const char* from) __attribute__((always_inline)) {
            Vector moved;
            std::memcpy(&moved, from, kVector);
            std::memcpy(to, &moved, kVector);
        };
        // Past number and tag: all of the frame, and perhaps more.
        copy(bounce.buffer + kFrameWord, frame + kFrameWord);
        copy(bounce.buffer + kFrameWord + kVector, frame + kFrameWord + kVector);
        const auto* const from = static_cast<const char*>(rest);
        char* const to = bounce.buffer + bytes;
        copy(to, from);
        copy(to + kVector, from + kVector);
        copy(to + count - kHalf, from + count - kHalf);
        copy(to + count - kVector, from + count - kVector);
        const std::size_t all = kept.bytes;
        __asm__ __volatile__("" : "+m"(kept));
        road->seals_.seal_rest(pe, bounce.buffer, all);
        const long result = kept.road->link_.send_from(
            static_cast<int>(kept.pe), kept.bounce->buffer, kept.bytes, kept.bounce->ticket);
        if (result != 0) [[unlikely]]
            kept.road->post_bounce_again(*kept.bounce, kept.bytes, result);
        kept.road->own_.mark_asked(static_cast<int>(kept.pe));
    } else {
        post_more_otherwise(frame, self, bytes, pe, rest, count);
    }
}

template <Link L>
void Road<L>::post_more_otherwise(char* frame, void* self, std::size_t bytes, std::uint64_t pe,
                                  const void* rest, std::size_t count) {
    auto& road = *static_cast<Road*>(self);
    const auto to = static_cast<int>(pe);
    const std::size_t all = bytes + count;
    const auto lay = [&](char* buffer) {
        std::memcpy(buffer + kFrameWord, frame + kFrameWord, bytes - kFrameWord);
        if (count != 0) std::memcpy(buffer + bytes, rest, count);
        road.seals_.seal_rest(pe, buffer, all);
    };
    if constexpr (kOneSided) {
        Bounce& bounce = road.take_bounce(to);
        bounce.of = nullptr;
        bounce.ticket.pe = to;
        lay(bounce.buffer);
        const long result = road.link_.send_from(to, bounce.buffer, all, bounce.ticket);
        if (result != 0) [[unlikely]]
            road.post_bounce_again(bounce, all, result);
    } else {
        alignas(16) char buffer[kFrameRoom + kRequestBytes];
        lay(buffer);
        road.issue_sealed(to, [&] { return road.send_frame(to, buffer, all); });
    }
    road.own_.mark_asked(to);
}

template <Link L>
void Road<L>::post_bounce_again(Bounce& bounce, std::size_t bytes, long result) {
    if constexpr (kOneSided)
        issue_held(bounce.ticket.pe, result, [&] {
            return link_.send_from(bounce.ticket.pe, bounce.buffer, bytes, bounce.ticket);
        });
}

template <Link L>
std::size_t Road<L>::ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
                         void* answer, std::size_t room) {
    order_puts();
    AnswerSlot& slot = needed_slot();
    Request request = request_for(RequestKind::ask, handler, bytes);
    slot.into = answer;
    slot.room = room;
    request.token = arm(slot, 1);
    send(pe, request, payload);
    const std::uint64_t length = await_answer(pe, slot);
    slot.into = nullptr;
    return length;
}

template <Link L>
void Road<L>::publish(std::uint32_t segment, const Segment& memory) {
    {
        // Under it requests are served.
        wait(-1, kRoom, [&] { return reading_.try_lock(); });
        const std::lock_guard lock(reading_, std::adopt_lock);
        services_.segments[segment] = memory;
    }
    link_.publish(segment, memory);
}

// ---- ordering

template <Link L>
ShortCalls Road<L>::short_calls() const {
    ShortCalls calls;
    calls.self = static_cast<Transport*>(const_cast<Road*>(this));
    if (link_.limits().inject >= kShortRequest) calls.fetch = fetch_word_here;
    // Requests come behind the puts before them: only where that is so by itself.
    if (ordered_ && link_.limits().inject >= kShortFrame) {
        calls.post = post_here;
        calls.post_more = post_more_here;
        calls.post_road = const_cast<Road*>(this);
        calls.post_word = posted_word(services_.me);
    }
    if constexpr (kOneSided) {
        if (link_.has_short_reads()) calls.get = get_word_here;
        link_.add_short_put(calls);
        calls.written = written();
    }
    return calls;
}

template <Link L>
Address Road<L>::address_of(int pe, Place place) const {
    if constexpr (kOneSided) return link_.address_of(pe, place);
    return {};
}

template <Link L>
void Road<L>::await_posted(int pe) {
    AnswerSlot& slot = needed_slot();
    Request request;
    request.kind = RequestKind::flush;
    request.token = arm(slot, 1);
    send(pe, request);
    await_answer(pe, slot);
}

// Of all that is listed up to this number.
template <Link L>
void Road<L>::await_ended(Outstanding& on, std::uint64_t until, int pe, Kinds kinds) {
    const int first = on.oldest(until, pe, kinds);
    if (first >= 0) wait(first, kQuiet, [&] { return on.oldest(until, pe, kinds) < 0; });
}

// Asks at the PE, or at every PE that such things went to, whether they are done there. Behind puts
// alone a get is enough: the link keeps it in order, and no thread of the target's answers. Where
// the link keeps no order, the writes themselves say so. Does not wait; returns the number up to
// which the channel's operations must have ended.
template <Link L>
std::uint64_t Road<L>::confirm(Outstanding& on, int pe, Behind what) {
    Transfer* first = nullptr;
    Transfer* last = nullptr;
    const std::uint64_t until =
        on.take(pe, what, [&](int marked, bool request) -> Outstanding::Entry* {
            if (!request && !ordered_) return nullptr;
            Transfer& part = take_part(request);
            part.ticket.pe = marked;
            part.pending = nullptr;
            part.of = &on;
            part.next_unsent = nullptr;
            (last ? last->next_unsent : first) = &part;
            last = &part;
            return &part.entry;
        });
    if (!first) return until;
    const std::lock_guard lock(unsent_guard_);
    (last_unsent_ ? last_unsent_->next_unsent : first_unsent_) = first;
    last_unsent_ = last;
    send_in_line();
    return until;
}

// What the link does not take now stays in line; every look tries again.
template <Link L>
void Road<L>::send_unsent() {
    const std::unique_lock lock(unsent_guard_, std::try_to_lock);
    if (lock) send_in_line();
}

template <Link L>
void Road<L>::send_in_line() {
    // Past those that the link has no room for: it may have room to other PEs.
    Transfer** at = &first_unsent_;
    last_unsent_ = nullptr;
    while (Transfer* const part = *at) {
        Transfer* const next = part->next_unsent;  // once sent it may have ended already
        if (send_one(*part)) {
            *at = next;
        } else {
            last_unsent_ = part;
            at = &part->next_unsent;
        }
    }
    has_unsent_.store(first_unsent_ != nullptr, std::memory_order_relaxed);
}

template <Link L>
bool Road<L>::send_one(Transfer& part) {
    const int pe = part.ticket.pe;
    long result = 0;
    if (part.token == 0) {
        result = link_.read(pe, &buffers_->behind, {kHeap, 0}, sizeof buffers_->behind,
                            link_.own_local(), part.ticket);
    } else {
        Request request;
        request.kind = RequestKind::flush;
        request.token = part.token;
        // What was not taken comes here again, and keeps its number: its target would miss it.
        if (part.number != 0)
            seals_.seal_again(pe, part.number, &request, kShortRequest);
        else
            seals_.seal(pe, &request, kShortRequest);
        part.number = request.number;
        result = link_.send(pe, {{&request, kShortRequest}}, Order::strict);
    }
    if (result == L::kFull) return false;
    if (result != 0 && !stopping_.load(std::memory_order_relaxed))
        lost(pe, static_cast<int>(-result));
    return true;
}

// False if nobody waits for it.
template <Link L>
bool Road<L>::answer_part(std::uint64_t token) {
    Transfer* part = nullptr;
    {
        const std::lock_guard lock(transfer_guard_);
        const std::size_t index = part_index(token);
        if (index >= transfers_.size() || transfers_[index].token != token) return false;
        part = &transfers_[index];
        part->token = 0;
    }
    finish(*part);
    return true;
}

template <Link L>
void Road<L>::order_puts_on(Outstanding& on) {
    if (!ordered_) await_ended(on, on.latest(), kEveryPe, kWrites);
}

// Puts are in order with what follows them; only a request is done by a thread, after which a later
// put might be first.
template <Link L>
void Road<L>::fence_on(Outstanding& on) {
    order_puts_on(on);
    if (on.before_fence()->load(std::memory_order_relaxed) == 0) return;
    await_ended(on, confirm(on, kEveryPe, Behind::requests), kEveryPe, kConfirmations);
    on.review();
}

template <Link L>
void Road<L>::quiet_on(Outstanding& on) {
    // Acquire: partner is the release in review().
    if (on.before_quiet()->load(std::memory_order_acquire) == 0) [[likely]]
        return;
    await_ended(on, confirm(on, kEveryPe, Behind::all), kEveryPe, kAllKinds);
    on.review();
}

template <Link L>
void Road<L>::quiet_on(Outstanding& on, const int* pes, std::size_t count) {
    if (on.before_quiet()->load(std::memory_order_acquire) == 0) return;
    std::uint64_t until = 0;
    for (std::size_t i = 0; i < count; ++i)
        until = confirm(on, pes[i], Behind::all);
    for (std::size_t i = 0; i < count; ++i)
        await_ended(on, until, pes[i], kAllKinds);
    on.review();
}

// The last of what tell() sends is a request, so what asks comes behind all of it.
template <Link L>
void Road<L>::settle() {
    told_.take([&](int pe) { own_.mark_asked(pe); });
    quiet();
    const std::lock_guard lock(sides_guard_);
    for (Outstanding* const side : sides_)
        quiet_on(*side);
}

// ---- handles

template <Link L>
void Road<L>::begin_quiet_on(Outstanding& on, int pe, Completion& handle) {
    handle.until = confirm(on, pe, Behind::all);
    handle.kinds = kAllKinds;
    handle.concern(pe);
}

template <Link L>
bool Road<L>::is_complete(Outstanding& on, Completion& handle) {
    if (!handle.is_tested) {
        handle.is_tested = true;
        if (handle.must_ask)
            handle.until = ordered_ ? confirm(on, handle.pe, Behind::puts) : on.latest();
        handle.parts.finish(1);
    }
    // Acquire: partner is the release in Pending::finish().
    if (handle.parts.reached.load(std::memory_order_acquire) != handle.parts.number) return false;
    if (handle.kinds != 0 && on.oldest(handle.until, handle.pe, handle.kinds) >= 0) return false;
    // Of single puts later: it looks at every PE's marks.
    if (handle.kinds == kAllKinds) on.review();
    handle.reset();
    return true;
}

template <Link L>
bool Road<L>::test_on(Outstanding& on, Completion& handle) {
    if (is_complete(on, handle)) return true;
    progress();
    return is_complete(on, handle);
}

template <Link L>
void Road<L>::await_on(Outstanding& on, Completion& handle) {
    if (is_complete(on, handle)) return;
    wait(std::max(handle.pe, -1), kHandle, [&] { return is_complete(on, handle); });
}

}  // namespace isthmus::transport::service
