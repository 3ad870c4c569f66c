#include "transport/ofi/road.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace isthmus::transport::ofi {
namespace {

// A few cache lines to some kilobytes, for which the C library's string instructions are slow to
// start, and slower where the two sides lie badly to each other.
void copy_to_bounce(char* to, const void* source, std::size_t bytes) {
    const auto* from = static_cast<const char*>(source);
    constexpr std::size_t kLine = 64;
    for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine)
        __builtin_memcpy(to, from, kLine);
    std::memcpy(to, from, bytes);
}

}  // namespace

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
    mark_written(pe);
}

// The provider had no room, or refuses for good.
void Road::put_again(int pe, Place dest, const void* source, std::size_t bytes) {
    const Target& target = fabric_.target(pe, dest.segment);
    issue(pe, [&] {
        return fi_inject_write(fabric_.endpoint(), source, bytes, static_cast<fi_addr_t>(pe),
                               target.base + dest.offset, target.key);
    });
    mark_written(pe);
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
    issue(pe, [&] {
        return call_long([&] { return fi_writemsg(fabric_.endpoint(), &message, flags); });
    });
}

void Road::put_long(int pe, Place dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    write_long(pe, dest, source, bytes);
    mark_written(pe);
}

// More than the provider injects, and no mark.
void Road::write_long(int pe, Place dest, const void* source, std::size_t bytes) {
    if (bytes <= kBounceBytes && bytes <= longest_) {
        Bounce& bounce = take_bounce(pe);
        bounce.confirms = !fabric_.is_ordered();
        copy_to_bounce(bounce.buffer, source, bytes);
        return write(pe, dest, bounce.buffer, bytes, bounce.context);
    }
    const auto* from = static_cast<const char*>(source);
    while (bytes != 0) {
        const std::size_t part = bytes < longest_ ? bytes : longest_;
        Direct direct;
        write(pe, dest, from, part, direct.context);
        await_direct(pe, direct);
        from += part;
        dest.offset += part;
        bytes -= part;
    }
}

void Road::get(int pe, void* dest, Place source, std::size_t bytes) {
    auto* to = static_cast<char*>(dest);
    const Target& target = fabric_.target(pe, source.segment);
    std::uint64_t from = target.base + source.offset;
    do {
        const std::size_t part = bytes < longest_ ? bytes : longest_;
        Direct direct;
        direct.context.pe = pe;
        issue(pe, [&] {
            return fi_read(fabric_.endpoint(), to, part, nullptr, static_cast<fi_addr_t>(pe), from,
                           target.key, &direct.context);
        });
        await_direct(pe, direct);
        to += part;
        from += part;
        bytes -= part;
    } while (bytes != 0);
}

void Road::begin_get(int pe, void* dest, Place source, std::size_t bytes, Pending& pending) {
    if (!fabric_.has_ordered_reads()) return get(pe, dest, source, bytes);
    read_parts(pe, dest, source, bytes, &pending);
}

void Road::get_nbi(int pe, void* dest, Place source, std::size_t bytes) {
    read_parts(pe, dest, source, bytes, nullptr);
}

void Road::read_parts(int pe, void* dest, Place source, std::size_t bytes, Pending* pending) {
    auto* to = static_cast<char*>(dest);
    const Target& target = fabric_.target(pe, source.segment);
    std::uint64_t from = target.base + source.offset;
    for (std::size_t part = 0; bytes != 0; to += part, from += part, bytes -= part) {
        part = std::min(bytes, longest_);
        Transfer& read = take_transfer(pe, pending);
        issue(pe, [&] {
            return fi_read(fabric_.endpoint(), to, part, nullptr, static_cast<fi_addr_t>(pe), from,
                           target.key, &read.context);
        });
    }
}

void Road::put_nbi(int pe, Place dest, const void* source, std::size_t bytes) {
    if (bytes <= kBounceBytes) return put(pe, dest, source, bytes);
    const auto* from = static_cast<const char*>(source);
    for (std::size_t part = 0; bytes != 0; from += part, dest.offset += part, bytes -= part) {
        part = std::min(bytes, longest_);
        Transfer& transfer = take_transfer(pe, nullptr);
        transfer.confirms = !fabric_.is_ordered();
        write(pe, dest, from, part, transfer.context);
    }
    mark_written(pe);
}

Transfer& Road::take_transfer(int pe, Pending* pending) {
    Transfer* transfer = nullptr;
    wait(pe, [&] {
        const std::lock_guard lock(transfer_guard_);
        if (free_transfers_.empty()) return false;
        transfer = free_transfers_.back();
        free_transfers_.pop_back();
        return true;
    });
    transfer->context.pe = pe;
    transfer->confirms = false;
    transfer->pending = pending;
    if (pending)
        pending->left.fetch_add(1, std::memory_order_relaxed);
    else
        begin_transfer(pe);
    return *transfer;
}

void Road::begin_transfer(int pe) {
    const std::lock_guard lock(marking_);
    under_way_.fetch_add(1, std::memory_order_relaxed);
    transfer_pe_.store(pe, std::memory_order_relaxed);
    outstanding_.store(1, std::memory_order_relaxed);
}

void Road::finish(Transfer& transfer) {
    Pending* const pending = transfer.pending;
    if (transfer.confirms) unconfirmed_.fetch_sub(1, std::memory_order_release);
    {
        const std::lock_guard lock(transfer_guard_);
        free_transfers_.push_back(&transfer);
    }
    if (pending) return pending->finish(1);
    under_way_.fetch_sub(1, std::memory_order_release);  // partner: await_transfers()
}

void Road::await_transfers() {
    // Acquire: partner is the release in finish().
    if (under_way_.load(std::memory_order_acquire) == 0) return;
    wait(transfer_pe_.load(std::memory_order_relaxed),
         [&] { return under_way_.load(std::memory_order_acquire) == 0; });
}

void Road::await_direct(int pe, Direct& direct) {
    // Acquire: partner is the release in complete().
    wait(pe, [&] { return direct.done.load(std::memory_order_acquire); });
}

// As fetch_word_here().
void Road::get_word_here(Transport& transport, void* dest, int pe, std::uint64_t offset,
                         std::size_t bytes) {
    auto& road = static_cast<Road&>(transport);
    struct {
        Direct direct;
        void* dest;
        std::size_t bytes;
        std::uint64_t offset;
        Road* road;
    } frame;
    frame.direct.context.pe = pe;
    frame.dest = dest;
    frame.bytes = bytes;
    frame.offset = offset;
    frame.road = &road;
    if (road.read_(road.endpoint_, dest, bytes, nullptr, static_cast<fi_addr_t>(pe), offset,
                   road.keys_[pe], &frame.direct.context) != 0) [[unlikely]]
        return frame.road->get(frame.direct.context.pe, frame.dest, {kHeap, frame.offset},
                               frame.bytes);
    frame.road->await_direct(frame.direct.context.pe, frame.direct);
}

Bounce& Road::take_bounce(int pe) {
    Bounce* bounce = nullptr;
    wait(pe, [&] { return (bounce = free_bounce()) != nullptr; });
    return *bounce;
}

Bounce* Road::free_bounce() {
    const std::lock_guard lock(bounce_guard_);
    if (free_bounces_.empty()) return nullptr;
    Bounce* const bounce = free_bounces_.back();
    free_bounces_.pop_back();
    return bounce;
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
    wait(pe, [&] { return slot->left.load(std::memory_order_acquire) == 0; });
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
    wait(pe, [&] { return slot.left.load(std::memory_order_acquire) == 0; });
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
        wait(-1, [&] { return reading_.try_lock(); });
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
        wait(-1, [&] { return unconfirmed_.load(std::memory_order_acquire) == 0; });
}

// Waits until all that went to the PEs that requests went to (`all`: anything) is done there.
// Behind puts alone a get is enough: the provider keeps it in order, and no thread of the target's
// answers.
void Road::flush(bool all) {
    AnswerSlot* const slot = &needed_slot();
    // A thread that comes while another one flushes waits for that one's answers: they may stand
    // for its own operations.
    wait(-1, [&] { return flushing_.try_lock(); });
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
    constexpr std::size_t kAtATime = 16;
    Direct reads[kAtATime];
    std::uint64_t words[kAtATime];
    for (std::size_t first = 0; first < written_pes_.size(); first += kAtATime) {
        const std::size_t count = std::min(kAtATime, written_pes_.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            const int pe = written_pes_[first + i];
            const Target& heap = fabric_.target(pe, kHeap);
            reads[i].context.pe = pe;
            reads[i].done.store(false, std::memory_order_relaxed);
            issue(pe, [&] {
                return fi_read(fabric_.endpoint(), &words[i], sizeof words[i], nullptr,
                               static_cast<fi_addr_t>(pe), heap.base, heap.key, &reads[i].context);
            });
        }
        for (std::size_t i = 0; i < count; ++i)
            await_direct(reads[i].context.pe, reads[i]);
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
