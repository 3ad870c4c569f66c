#include "core/queues/far_queue.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/lasting.hpp"
#include "core/job/internal_layout.hpp"
#include "core/queues/far_queue_wire.hpp"
#include "core/reach/request.hpp"
#include "core/wait/event.hpp"

namespace isthmus {
namespace {

using Outcome = FarQueueProducer::Outcome;
using namespace queue_wire;

// Changes when somebody has made room for this PE, in whatever queue. Release by the transport or
// nudge(), acquire by insist().
std::atomic<std::uint64_t>& room_word() {
    return *internal_object<std::atomic<std::uint64_t>>(kRoomWordOffset);
}

// ---- the owner's side

struct Reservation {
    int producer;
    std::uint64_t position;
};
struct ServedRing {
    RingControl* control;
    std::uint32_t generation;           // 0: not named yet
    std::vector<Reservation> reserved;  // and not committed
};
std::mutex guard;  // held while a request uses a ring
Lasting<std::unordered_map<std::uint64_t, ServedRing>> served_rings;
constinit std::unordered_map<std::uint64_t, ServedRing>& served = *served_rings;

std::uint64_t key_of(const char* memory) {
    return reinterpret_cast<std::uint64_t>(memory);
}

// `guard` is held. Null and why, if the ring has gone or has no name yet.
ServedRing* find(const RingName& name, Outcome& why) {
    const auto found = served.find(name.memory);
    why = Outcome::destroyed;
    if (found == served.end()) return nullptr;
    if (found->second.generation == name.generation) return &found->second;
    if (found->second.generation == 0) why = Outcome::not_named;
    return nullptr;
}

RingProducer producer_of(const ServedRing& ring) {
    return {ring.control, reinterpret_cast<char*>(ring.control) + kRingOffset, job.me};
}

// If the attempt finds no room: why; or tries again, behind a mark that whoever makes room finds.
template <typename Attempt>
Outcome try_or_mark(const ServedRing& ring, const RingProducer& producer, int from, bool waits,
                    Attempt&& attempt) {
    if (attempt()) return Outcome::done;
    if (waits && !producer.closed()) {
        mark_blocked(*ring.control, from);
        if (attempt()) return Outcome::done;
    }
    return producer.destroyed() ? Outcome::destroyed
           : producer.closed()  ? Outcome::closed
                                : Outcome::full;
}

}  // namespace

void open_to_far(char* memory) {
    if (!far::present) return;
    const std::lock_guard lock(guard);
    served[key_of(memory)] = {find_ring(memory), 0, {}};
}

void name_to_far(const char* memory, std::uint32_t generation) {
    if (!far::present) return;
    const std::lock_guard lock(guard);
    served[key_of(memory)].generation = generation;
}

void close_to_far(const char* memory) {
    const std::lock_guard lock(guard);
    served.erase(key_of(memory));
}

void forget_far_rings() {
    const std::lock_guard lock(guard);
    served.clear();
}

namespace {

std::size_t serve_enqueue(int from, const void* payload, std::size_t bytes, void* answer) {
    Enqueue asked;
    if (bytes < sizeof asked) return transport::kRefused;
    std::memcpy(&asked, payload, sizeof asked);
    const char* const message = static_cast<const char*>(payload) + sizeof asked;
    const std::uint64_t size = bytes - sizeof asked;
    const std::lock_guard lock(guard);
    Outcome outcome{};
    if (const ServedRing* const ring = find(asked.ring, outcome)) {
        if (size > message_limit(ring->control->capacity)) return transport::kRefused;
        RingProducer producer = producer_of(*ring);
        outcome = try_or_mark(*ring, producer, from, asked.ring.waits != 0,
                              [&] { return producer.send(message, size); });
    }
    std::memcpy(answer, &outcome, sizeof outcome);
    return sizeof outcome;
}

Reserved serve_reserve(int from, const Reserve& asked, bool& good) {
    const std::lock_guard lock(guard);
    Outcome outcome{};
    ServedRing* const ring = find(asked.ring, outcome);
    if (!ring) return {outcome, 0};
    good = asked.size <= message_limit(ring->control->capacity);
    if (!good) return {};
    RingProducer producer = producer_of(*ring);
    void* message = nullptr;
    outcome = try_or_mark(*ring, producer, from, asked.ring.waits != 0,
                          [&] { return (message = producer.reserve(asked.size)) != nullptr; });
    if (outcome != Outcome::done) return {outcome, 0};
    // Relaxed: this thread has written it.
    const auto* const head = static_cast<const FrameHead*>(message) - 1;
    const std::uint64_t position = head->mark.load(std::memory_order_relaxed);
    ring->reserved.push_back({from, position});
    return {outcome, position};
}

struct Nothing {};

Nothing serve_commit(int from, const Commit& asked, bool& good) {
    const std::lock_guard lock(guard);
    Outcome outcome{};
    ServedRing* const ring = find(asked.ring, outcome);
    if (!ring) return {};  // the session has ended
    const auto found = std::ranges::find_if(ring->reserved, [&](const Reservation& each) {
        return each.producer == from && each.position == asked.position;
    });
    good = found != ring->reserved.end();
    if (!good) return {};
    const std::uint64_t place = asked.position & (ring->control->capacity - 1);
    auto* const head =
        reinterpret_cast<FrameHead*>(reinterpret_cast<char*>(ring->control) + kRingOffset + place);
    good = asked.size <= head->size;
    if (!good) return {};
    ring->reserved.erase(found);
    producer_of(*ring).commit(head + 1, asked.size);
    return {};
}

Closed serve_close(int, const Close& asked, bool&) {
    const std::lock_guard lock(guard);
    Outcome outcome{};
    const ServedRing* const ring = find(asked.ring, outcome);
    if (!ring) return {outcome, {}};
    if (producer_of(*ring).destroyed()) return {Outcome::destroyed, {}};
    return {Outcome::done, close_ring_here(*ring->control, job.me, kClosedByEnd)};
}

const RequestServer kServers[] = {
    {RequestId::queue_enqueue, serve_enqueue},
    {RequestId::queue_reserve, serve_sized<Reserve, Reserved, serve_reserve>},
    {RequestId::queue_commit, serve_sized<Commit, Nothing, serve_commit>},
    {RequestId::queue_close, serve_sized<Close, Closed, serve_close>},
};

}  // namespace

void nudge(const PeSet& pes) {
    for_each_pe(pes, [](int pe) {
        if (is_near(pe)) {
            translate(&room_word(), pe)->fetch_add(1, std::memory_order_release);
            wake(pe);
        } else {
            far::count_up(reinterpret_cast<std::uint64_t*>(&room_word()), pe);
        }
    });
}

// ---- the producer's

// Until the ring has its name. The question begins with that, the answer with an outcome.
template <typename Answer, typename Question>
Answer FarQueueProducer::ask_named(RequestId id, const Question& question, std::size_t bytes) {
    Waiter waiter({Routine::native_enqueue, owner_});
    for (;;) {
        Answer answer{};
        far::ask(owner_, static_cast<std::uint32_t>(id), &question, bytes, &answer, sizeof answer);
        destroyed_ |= answer.outcome == Outcome::destroyed;
        if (answer.outcome != Outcome::not_named) return answer;
        waiter.step();
    }
}

// Until there is an outcome other than `full`. The word is read before the owner is asked: a mark
// that is taken after that changes it.
template <typename Attempt>
Outcome FarQueueProducer::insist(Routine routine, Attempt&& attempt) {
    for (;;) {
        const std::uint64_t seen = room_word().load(std::memory_order_acquire);
        const Outcome outcome = attempt();
        if (outcome != Outcome::full) return outcome;
        wait_wakeable({routine, owner_}, deadline_after(-1),
                      [&] { return room_word().load(std::memory_order_acquire) != seen; });
    }
}

Outcome FarQueueProducer::append(const void* message, std::uint64_t size, bool waits) {
    if (size > kShortMessage) {
        std::uint64_t position = 0;
        const Outcome outcome = take_room(size, waits, position);
        if (outcome == Outcome::done)
            make_visible(position, message, size, routine_name(Routine::native_enqueue));
        return outcome;
    }
    struct {
        Enqueue head;
        char message[kShortMessage];
    } request;
    request.head = {{key_of(memory_), generation_, waits ? 1u : 0u}};
    if (size != 0) std::memcpy(request.message, message, size);
    return ask_named<Enqueued>(RequestId::queue_enqueue, request, sizeof request.head + size)
        .outcome;
}

Outcome FarQueueProducer::send_wait(const void* message, std::uint64_t size, Routine routine) {
    return insist(routine, [&] { return append(message, size, true); });
}

Outcome FarQueueProducer::take_room(std::uint64_t size, bool waits, std::uint64_t& position) {
    const auto reserved = ask_named<Reserved>(
        RequestId::queue_reserve, Reserve{{key_of(memory_), generation_, waits ? 1u : 0u}, size});
    position = reserved.position;
    return reserved.outcome;
}

void FarQueueProducer::make_visible(std::uint64_t position, const void* message, std::uint64_t size,
                                    const char* routine) {
    char* const place = memory_ + kRingOffset + (position & (capacity_ - 1)) + sizeof(FrameHead);
    far::put(place, message, size, owner_, routine);
    // Behind the put.
    request(owner_, RequestId::queue_commit,
            Commit{{key_of(memory_), generation_, 0}, position, size});
}

void* FarQueueProducer::reserve_wait(std::uint64_t size, Routine routine, Outcome& outcome) {
    // Memory first, for room that is taken is committed.
    auto cells = std::make_unique<Cell[]>(frame_bytes(size) / kCell);
    auto* const head = new (cells.get()) FrameHead{};
    decltype(reserved_) one;
    one.emplace(head + 1, std::move(cells));
    std::uint64_t position = 0;
    outcome = insist(routine, [&] { return take_room(size, true, position); });
    if (outcome != Outcome::done) return nullptr;
    head->mark.store(position | kVisible, std::memory_order_relaxed);
    head->size = static_cast<std::uint32_t>(size);
    reserved_.merge(one);
    return head + 1;
}

bool FarQueueProducer::is_reserved(void* message, std::uint64_t& size) const {
    if (!reserved_.contains(message)) return false;
    size = (static_cast<const FrameHead*>(message) - 1)->size;
    return true;
}

void FarQueueProducer::commit(void* message, std::uint64_t size, Routine routine) {
    const auto* const head = static_cast<const FrameHead*>(message) - 1;
    make_visible(head->mark.load(std::memory_order_relaxed) & ~kVisible, message, size,
                 routine_name(routine));
    reserved_.erase(message);
}

Outcome FarQueueProducer::close() {
    const auto closed =
        ask_named<Closed>(RequestId::queue_close, Close{{key_of(memory_), generation_, 0}});
    nudge(closed.waiting);
    return closed.outcome;
}

}  // namespace isthmus
