#include "core/aggregation/aggregator.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/os.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/wait/event.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kCountsSize = 4096;
constexpr std::uint64_t kCallOffset = sizeof(AggregatorCounts);
static_assert(kCallOffset + sizeof(WaveCall) <= kCountsSize);
constexpr const char* kCreate = "isthmus_aggregator_create";
constexpr const char* kPush = "isthmus_aggregator_push";
// How long a finish() waits before it asks whether other PEs have handled anything; nanoseconds.
constexpr std::uint64_t kNewWait = 500'000'000;

std::size_t whole_items(std::size_t bytes, std::size_t item) {
    return std::max<std::size_t>(1, bytes / item) * item;
}

std::uint64_t ring_stride(std::uint64_t ring) {
    return kRingOffset + ring;
}

// The first of them; no object that would be destroyed with the thread, for an aggregator may be
// used until the end of the process.
constinit thread_local Aggregator* of_this_thread = nullptr;
// Never that of a thread which has gone, as its address may be.
std::uint64_t this_thread() {
    static std::atomic<std::uint64_t> threads = 0;
    thread_local const std::uint64_t number = threads.fetch_add(1, std::memory_order_relaxed);
    return number;
}
constinit thread_local bool in_handler = false;

}  // namespace

// Counts, rings and, in a job of several hosts, answers to waves.
std::uint64_t Aggregator::layout_size(int pes, std::uint64_t ring) {
    const std::uint64_t answer = far::present ? sizeof(WaveAnswer) : 0;
    return kCountsSize + static_cast<std::uint64_t>(pes) * (ring_stride(ring) + answer);
}

// Ring number s of a PE is where PE s sends to it.
Aggregator::Aggregator(char* memory, std::size_t size_of_item, std::size_t buffer,
                       std::size_t far_buffer, std::uint64_t ring, Handler handler, void* argument)
    : isthmus_aggregator{nullptr, size_of_item, 0, static_cast<std::uint32_t>(job.pes)},
      memory_(memory),
      message_(whole_items(buffer, size_of_item)),
      handler_(handler),
      argument_(argument),
      owner_(this_thread()),
      lanes_(static_cast<std::size_t>(job.pes)),
      outgoing_(static_cast<std::size_t>(job.pes)) {
    lanes = lanes_.data();
    Aggregator** last = &of_this_thread;
    while (*last)
        last = &(*last)->next_of_thread_;
    *last = this;
    const auto ring_of = [&](int sender) {
        return memory + kCountsSize + static_cast<std::uint64_t>(sender) * ring_stride(ring);
    };
    char* const mine = ring_of(job.me);  // at the target
    for (int pe = 0; pe < job.pes; ++pe) {
        char* const theirs = ring_of(pe);
        incoming_.push_back({{format_ring(theirs, ring), theirs + kRingOffset}, nullptr});
        if (!is_near(pe)) incoming_.back().far = std::make_unique<FarRingReturns>(theirs, mine, pe);
    }
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!is_near(pe)) {
            outgoing(pe).far = std::make_unique<FarRingProducer>(
                mine, ring_of(pe), ring, whole_items(far_buffer, size_of_item), size_of_item, pe);
            outgoing(pe).far->announce(kCreate);
            continue;
        }
        char* const there = translate(mine, pe);
        wait_for({Routine::native_aggregator_push, pe},
                 [&] { return find_ring(there) != nullptr; });
        outgoing(pe).ring = RingProducer(find_ring(there), there + kRingOffset, pe);
    }
    if (far::present)
        waves_ = std::make_unique<Waves>(reinterpret_cast<AggregatorCounts*>(memory),
                                         reinterpret_cast<WaveCall*>(memory + kCallOffset),
                                         reinterpret_cast<WaveAnswer*>(ring_of(job.pes)));
    enlist();
}

Aggregator::~Aggregator() {
    delist();
    for (Aggregator** link = &of_this_thread; *link; link = &(*link)->next_of_thread_) {
        if (*link != this) continue;
        *link = next_of_thread_;
        break;
    }
}

// Without room in any lane, inlined pushes come to push_slowly.
void Aggregator::end() {
    std::ranges::fill(lanes_, isthmus_aggregator_lane{nullptr, nullptr});
}

void Aggregator::require_usable(const char* routine) const {
    if (forked_child) [[unlikely]]
        fail(routine, "called in a forked child, which is no PE");
    if (ended()) [[unlikely]]
        fail(routine,
             "called after shmem_finalize or isthmus_finalize, with which the aggregator ended");
    // Its handlers would run in that one only, and a finish here would wait for them for ever.
    if (owner_ != this_thread()) [[unlikely]]
        fail(routine,
             "called by another thread than the one that created the aggregator, which it belongs "
             "to");
}

bool Aggregator::handling() {
    return in_handler;
}

// Items handled, of whichever aggregator.
std::size_t Aggregator::progress_all() {
    std::size_t handled = 0;
    for (Aggregator* each = of_this_thread; each; each = each->next_of_thread_)
        handled += each->serve();
    return handled;
}

AggregatorCounts& Aggregator::counts_of(int pe) const {
    return *translate(reinterpret_cast<AggregatorCounts*>(memory_), pe);
}

// Before anything that others may conclude from: a message sent, items handled.
void Aggregator::publish_pushed() {
    counts_of(job.me).pushed.store(pushed, std::memory_order_seq_cst);
}

bool Aggregator::open_message(int pe) {
    Outgoing& out = outgoing(pe);
    std::uint64_t room = message_;
    char* const message =
        out.far ? out.far->reserve(room, kPush) : static_cast<char*>(out.ring.reserve(message_));
    if (!message) return false;
    out.begin = lane(pe).next = message;
    lane(pe).end = message + room;
    return true;
}

void Aggregator::send(int pe) {
    Outgoing& out = outgoing(pe);
    if (!out.begin) return;
    publish_pushed();
    const auto size = static_cast<std::uint64_t>(lane(pe).next - out.begin);
    if (out.far)
        out.far->commit(size, kPush);
    else
        out.ring.commit(out.begin, size);
    out.begin = lane(pe).next = lane(pe).end = nullptr;
}

// True if nothing is left aside.
bool Aggregator::send_aside(int pe) {
    Aside& aside = outgoing(pe).aside;
    while (!aside.is_empty()) {
        if (lane(pe).next == lane(pe).end) {
            send(pe);
            if (!open_message(pe)) break;
        }
        const auto room = static_cast<std::size_t>(lane(pe).end - lane(pe).next);
        const std::span<const char> waiting = aside.waiting();
        const std::size_t bytes = std::min(room, waiting.size());
        std::memcpy(lane(pe).next, waiting.data(), bytes);
        lane(pe).next += bytes;
        aside.take(bytes);
    }
    if (aside.is_empty()) return true;
    // Keeps the order: later pushes must come here too.
    send(pe);
    return false;
}

void Aggregator::set_aside(int pe, const void* item) {
    Aside& aside = outgoing(pe).aside;
    try {
        aside.append(item, item_size);
    } catch (const std::bad_alloc&) {
        fail(kPush, "no memory for what handlers pushed to PE " + std::to_string(pe) +
                        " and its ring has no room for: " + std::to_string(aside.waiting().size()) +
                        " bytes so far; raise ISTHMUS_AGGREGATOR_RING, or push less in a handler");
    }
}

void Aggregator::push_slowly(int pe, const void* item) {
    require_usable("isthmus_aggregator_push");
    const char* const bytes = static_cast<const char*>(item);
    send(pe);
    const auto have_room = [&] {
        if (!send_aside(pe)) return false;
        if (lane(pe).next == lane(pe).end) send(pe);  // a handler has filled it meanwhile
        return outgoing(pe).begin || open_message(pe);
    };
    ++pushed;
    if (!have_room()) {
        // Before what handlers push while this push waits.
        set_aside(pe, item);
        if (in_handler) return;
        note(Routine::native_aggregator_push);  // who waits for this PE names it
        // A wait of its own after each item handled here: that is progress, and no reason to sleep.
        for (bool sent = false; !sent;) {
            wait_for({Routine::native_aggregator_push, pe}, [&] {
                const std::size_t handled = progress_all();
                sent = send_aside(pe);
                return sent || handled != 0;
            });
        }
        return;
    }
    std::memcpy(lane(pe).next, bytes, item_size);
    lane(pe).next += item_size;
}

void Aggregator::flush() {
    require_usable("isthmus_aggregator_flush");
    for (int pe = 0; pe < static_cast<int>(pes); ++pe) {
        send_aside(pe);
        if (outgoing(pe).begin && lane(pe).next != outgoing(pe).begin) send(pe);
    }
}

// What handlers push to this PE itself meanwhile is for the next time: they may do so for ever.
// What was there when it began, of a far PE a ring's length at most: a sender that is as fast as
// the handler would keep it here, away from the others.
std::size_t Aggregator::handle_from(int pe) {
    auto& [ring, far] = incoming_[static_cast<std::size_t>(pe)];
    const std::uint64_t end = far ? ring.position() + ring.capacity() : ring.end();
    std::size_t handled = 0;
    std::uint64_t bytes = 0;
    while (ring.position() < end) {
        const void* const items = ring.take(bytes);
        if (!items) break;
        const std::size_t count = bytes / item_size;
        if (count != 0) handler_(argument_, pe, items, count);
        ring.release();
        if (far) far->tell_released(kPush);
        handled += count;
    }
    return handled;
}

// Handles what has arrived and sends what handlers set aside.
std::size_t Aggregator::serve() {
    if (ended()) return 0;
    std::size_t handled = 0;
    in_handler = true;
    for (int i = 0; i < static_cast<int>(pes); ++i)
        handled += handle_from((job.me + i) % static_cast<int>(pes));
    in_handler = false;
    if (handled != 0) {
        publish_pushed();  // what the handlers pushed, before it can be seen that they have run
        AggregatorCounts& mine = counts_of(job.me);
        mine.handled.store(mine.handled.load(std::memory_order_relaxed) + handled,
                           std::memory_order_seq_cst);
    }
    for (int pe = 0; pe < static_cast<int>(pes); ++pe)
        send_aside(pe);
    return handled;
}

std::size_t Aggregator::progress() {
    require_usable("isthmus_aggregator_progress");
    if (far::present) far::progress();
    const std::size_t handled = serve();
    for (Aggregator* each = of_this_thread; each; each = each->next_of_thread_) {
        if (each != this) each->serve();
    }
    return handled;
}

std::uint64_t Aggregator::handled_everywhere() const {
    if (waves_) return waves_->handled_everywhere();
    std::uint64_t handled = 0;
    for (int pe = 0; pe < static_cast<int>(pes); ++pe)
        handled += counts_of(pe).handled.load(std::memory_order_seq_cst);
    return handled;
}

// Everything has been handled if, with all PEs in finish(), the sum of what was pushed, read after
// the sum of what was handled, equals it: both only grow, and an item is counted as pushed before
// it can be handled, so at the moment between the two readings nothing was under way.
bool Aggregator::all_done(std::uint64_t epoch) const {
    for (int pe = 0; pe < static_cast<int>(pes); ++pe) {
        if (counts_of(pe).finishing.load(std::memory_order_seq_cst) < epoch) return false;
    }
    const std::uint64_t handled = handled_everywhere();
    std::uint64_t all_pushed = 0;
    for (int pe = 0; pe < static_cast<int>(pes); ++pe)
        all_pushed += counts_of(pe).pushed.load(std::memory_order_seq_cst);
    return handled == all_pushed;
}

// A PE that has not come to this finish, as far as this one has to know: it may have left instead.
// -1: none. `step` is a count of AggregatorCounts.
int Aggregator::missing(std::uint64_t epoch, Step step) const {
    for (int pe = 0; pe < static_cast<int>(pes); ++pe) {
        if (is_near(pe) && (counts_of(pe).*step).load(std::memory_order_relaxed) < epoch) return pe;
    }
    return waves_ ? waves_->awaited(epoch) : -1;
}

bool Aggregator::over_somewhere(std::uint64_t epoch) const {
    for (int pe = 0; pe < static_cast<int>(pes); ++pe) {
        // Partner: the release in finish().
        if (counts_of(pe).over.load(std::memory_order_acquire) >= epoch) return true;
    }
    return false;
}

bool Aggregator::over_everywhere(std::uint64_t epoch) const {
    for (int pe = 0; pe < static_cast<int>(pes); ++pe) {
        // Partner: the release in finish().
        if (counts_of(pe).over.load(std::memory_order_acquire) < epoch) return false;
    }
    return true;
}

bool Aggregator::is_over(std::uint64_t epoch) {
    return waves_ ? waves_->is_over(epoch) : over_somewhere(epoch) || all_done(epoch);
}

bool Aggregator::have_all_left(std::uint64_t epoch) {
    return waves_ ? waves_->have_all_left(epoch) : over_everywhere(epoch);
}

// Two steps. First this PE serves until it sees, or any other has seen, that all is done: a verdict
// once found is adopted, because a handler of another aggregator may meanwhile push to this one and
// so hide from the slower PEs what the faster saw. Then nobody handles anything before all have the
// verdict: else a PE that leaves could push for the next phase to one that still serves this one.
void Aggregator::finish() {
    require_usable("isthmus_aggregator_finish");
    publish_pushed();
    const std::uint64_t epoch = ++epoch_;
    counts_of(job.me).finishing.store(epoch, std::memory_order_seq_cst);
    // A wait begins anew after each item handled here, and now and then when others have handled
    // some: a finish that makes progress, however long, neither falls asleep nor counts as stuck.
    for (bool over = false; !over;) {
        const std::uint64_t since = os::monotonic_nanoseconds();
        const std::uint64_t before = handled_everywhere();
        wait_for(
            {Routine::native_aggregator_finish},
            [&] { return missing(epoch, &AggregatorCounts::finishing); },
            [&] {
                flush();
                const std::size_t handled = progress_all();
                over = is_over(epoch);
                return over || handled != 0 ||
                       (os::monotonic_nanoseconds() - since > kNewWait &&
                        handled_everywhere() != before);
            });
    }
    // Release: partners are over_somewhere, over_everywhere and Waves::do_all_know.
    counts_of(job.me).over.store(epoch, std::memory_order_release);
    wait_for(
        {Routine::native_aggregator_finish},
        [&] { return missing(epoch, &AggregatorCounts::over); },
        [&] { return have_all_left(epoch); });
}

}  // namespace isthmus
