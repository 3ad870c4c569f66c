#include "transport/ofi/road.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace isthmus::transport::ofi {

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
    message.desc = &descriptor_;
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

AnswerSlot& Road::needed_slot() {
    AnswerSlot* const slot = own_slot();
    if (!slot) {
        services_.fail("more than 4096 threads use the transport at once");
        std::abort();
    }
    return *slot;
}

std::uint64_t Road::fetch_atomic(int pe, Place word, const Atomic& atomic) {
    AnswerSlot* const slot = &needed_slot();
    Request request = request_for(RequestKind::fetch_atomic, word, atomic);
    request.token = arm(*slot, 1);
    send(pe, request);
    // Acquire: partner is deliver().
    wait(pe, kAnswer, [&] { return slot->left.load(std::memory_order_acquire) == 0; });
    return slot->value;
}

void Road::fetch_again(int pe, std::uint32_t code, std::uint64_t token, std::uint64_t offset,
                       std::uint64_t operand, std::uint64_t compare) {
    ShortRequest request{0, 0, 0, token, offset, operand, compare};
    std::memcpy(&request, &sender_, sizeof sender_);
    request.code = code;
    issue(pe, [&] {
        return fi_inject(fabric_.endpoint(), &request, sizeof request, static_cast<fi_addr_t>(pe));
    });
}

std::uint64_t Road::await_answer(int pe, AnswerSlot& slot) {
    // Acquire: partner is deliver().
    wait(pe, kAnswer, [&] { return slot.left.load(std::memory_order_acquire) == 0; });
    return slot.value;
}

[[gnu::cold, gnu::noinline]] std::uint64_t Road::fetch_word_first(Transport& road,
                                                                  std::uint64_t operand, int pe,
                                                                  std::uint64_t offset,
                                                                  std::uint32_t code,
                                                                  std::uint64_t compare) {
    static_cast<Road&>(road).needed_slot();
    return fetch_word_here(road, operand, pe, offset, code, compare);
}

// Up to the provider's call 26 instructions: what is needed behind it lies in the frame, so that
// nothing is saved and restored.
std::uint64_t Road::fetch_word_here(Transport& transport, std::uint64_t operand, int pe,
                                    std::uint64_t offset, std::uint32_t code,
                                    std::uint64_t compare) {
    auto& road = static_cast<Road&>(transport);
    if (!taken_slot) [[unlikely]]
        return fetch_word_first(road, operand, pe, offset, code, compare);
    struct {
        ShortRequest request;
        Road* road;
        int pe;
        AnswerSlot* slot;
    } frame;
    AnswerSlot* const slot = taken_slot;
    std::memcpy(&frame.request, &road.sender_, sizeof road.sender_);
    frame.request.code = short_code(RequestKind::fetch_atomic, code, kHeap);
    frame.request.token = arm(*slot, 1);
    frame.request.offset = offset;
    frame.request.operand = operand;
    frame.request.compare = compare;
    frame.road = &road;
    frame.pe = pe;
    frame.slot = slot;
    if (road.inject_message_(road.endpoint_, &frame.request, sizeof frame.request,
                             static_cast<fi_addr_t>(pe)) != 0) [[unlikely]]
        frame.road->fetch_again(frame.pe, frame.request.code, frame.request.token,
                                frame.request.offset, frame.request.operand, frame.request.compare);
    return frame.road->await_answer(frame.pe, *frame.slot);
}

void Road::post_atomic(int pe, Place word, const Atomic& atomic) {
    send(pe, request_for(RequestKind::post_atomic, word, atomic));
    mark_posted(pe);
}

void Road::put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                      const Atomic& signal) {
    tell(pe, dest, source, bytes, word, signal);
    if (bytes > kRequestBytes) mark_written(pe);
    mark_posted(pe);
}

void Road::tell(int pe, Place dest, const void* source, std::size_t bytes, Place word,
                const Atomic& signal) {
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
    write_long(pe, dest, source, bytes);
    if (!fabric_.is_ordered()) await_confirmations();
    send(pe, request_for(RequestKind::post_atomic, word, signal));
}

Request Road::request_for(RequestKind kind, std::uint32_t handler, std::size_t bytes) const {
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

void Road::request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) {
    order_puts();
    send(pe, request_for(RequestKind::core, handler, bytes), payload);
    mark_posted(pe);
}

std::size_t Road::ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
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

void Road::publish(std::uint32_t segment, const Segment& memory) {
    {
        // Under it requests are served.
        wait(-1, kRoom, [&] { return reading_.try_lock(); });
        const std::lock_guard lock(reading_, std::adopt_lock);
        services_.segments[segment] = memory;
    }
    fabric_.publish(segment, memory);
}

// ---- ordering

void Road::mark_first(int pe, Marks& marks) {
    const std::lock_guard lock(marking_);
    marks[pe].store(1, std::memory_order_relaxed);
    if (&marks == &asked_of_) asked_.store(1, std::memory_order_relaxed);
    outstanding_.store(1, std::memory_order_relaxed);
}

Express Road::express() const {
    if (inject_ < sizeof(long double) || !fabric_.has_offsets() || !heap_keys_.keys()) return {};
    // The same call but for the type of the pointer to the endpoint, which is the network's secret.
    return {reinterpret_cast<Express::Inject*>(fabric_.endpoint()->rma->inject), fabric_.endpoint(),
            inject_, heap_keys_.keys(), written_.bytes()};
}

Address Road::address_of(int pe, Place place) const {
    const Target& target = fabric_.target(pe, place.segment);
    return {target.base + place.offset, target.key};
}

void Road::await_posted(int pe) {
    AnswerSlot& slot = needed_slot();
    Request request;
    request.kind = RequestKind::flush;
    request.token = arm(slot, 1);
    send(pe, request);
    await_answer(pe, slot);
}

void Road::await_confirmations() {
    // Acquire: partner is the release in complete().
    if (unconfirmed_.load(std::memory_order_acquire) != 0)
        wait(-1, kQuiet, [&] { return unconfirmed_.load(std::memory_order_acquire) == 0; });
}

// Waits until all that went to the PEs that requests went to (`all`: anything) is done there.
// Behind puts alone a get is enough: the provider keeps it in order, and no thread of the target's
// answers.
void Road::flush(bool all) {
    AnswerSlot* const slot = &needed_slot();
    // A thread that comes while another one flushes waits for that one's answers: they may stand
    // for its own operations.
    wait(-1, kQuiet, [&] { return flushing_.try_lock(); });
    const std::lock_guard held(flushing_, std::adopt_lock);
    asked_pes_.clear();
    written_pes_.clear();
    {
        const std::lock_guard lock(marking_);
        asked_of_.take([&](int pe) {
            written_[pe].store(0, std::memory_order_relaxed);
            asked_pes_.push_back(pe);
        });
        if (all) {
            const bool by_get = fabric_.is_ordered();
            written_.take([&](int pe) { (by_get ? written_pes_ : asked_pes_).push_back(pe); });
        }
    }
    // The marks are off before the requests leave.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!asked_pes_.empty()) ask(*slot);
    if (!written_pes_.empty()) read_behind();
    if (!asked_pes_.empty()) await_answer(asked_pes_.size() == 1 ? asked_pes_[0] : -1, *slot);
    const std::lock_guard lock(marking_);
    const bool asked = asked_of_.any();
    asked_.store(asked ? 1 : 0, std::memory_order_release);
    const bool more = written_.any() || under_way_.load(std::memory_order_relaxed) != 0;
    outstanding_.store(asked || more ? 1 : 0, std::memory_order_release);
}

void Road::ask(AnswerSlot& slot) {
    Request request;
    request.kind = RequestKind::flush;
    request.token = arm(slot, static_cast<int>(asked_pes_.size()));
    for (const int pe : asked_pes_)
        send(pe, request);
}

// A word of the heap from each, some at a time.
void Road::read_behind() {
    Direct reads[kReadsBehind];
    for (std::size_t first = 0; first < written_pes_.size(); first += kReadsBehind) {
        const std::size_t count = std::min(kReadsBehind, written_pes_.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            const int pe = written_pes_[first + i];
            const Target& heap = fabric_.target(pe, kHeap);
            reads[i].context.pe = pe;
            reads[i].done.store(false, std::memory_order_relaxed);
            issue(pe, [&] {
                return fi_read(fabric_.endpoint(), &buffers_->behind[i], sizeof(std::uint64_t),
                               descriptor_, static_cast<fi_addr_t>(pe), heap.base, heap.key,
                               &reads[i].context);
            });
        }
        for (std::size_t i = 0; i < count; ++i)
            await_direct(reads[i].context.pe, reads[i], kQuiet);
    }
}

void Road::order_puts() {
    if (!fabric_.is_ordered()) await_confirmations();
}

// Puts are in order with what follows them; only a request is done by a thread, after which a later
// put might be first.
void Road::fence() {
    if (!fabric_.is_ordered()) await_confirmations();
    if (asked_.load(std::memory_order_relaxed) != 0) flush(false);
}

void Road::quiet() {
    if (outstanding_.load(std::memory_order_acquire) == 0) [[likely]]
        return;
    if (!fabric_.is_ordered()) await_confirmations();
    await_transfers();
    flush(true);
}

// The last of what tell() sends is a request, so a flush comes behind all of it.
void Road::settle() {
    told_.take([&](int pe) { mark_asked(pe); });
    quiet();
}

}  // namespace isthmus::transport::ofi
