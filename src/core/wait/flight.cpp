#include "core/wait/flight.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "core/wait/wait.hpp"

::isthmus_event isthmus_event_issued{isthmus_event_words, 0, ISTHMUS_EVENT_ISSUED_SPAN, nullptr};

namespace isthmus {
namespace {

// Numbers are given modulo the slots, so that a slot is free when the get so many before has
// landed.
constexpr std::int64_t kFlights = 256;
std::array<transport::Pending, kFlights> slots;
// Of the slots that are gets: by the thread that begins, and behind Pending::finish under
// `landing`. Null: none.
std::array<Delivery*, kFlights> deliveries{};
// Of the slots that are quiets: by whoever tests (`testing`), behind the release of `quiet_on`.
std::array<transport::Completion, kFlights> quiets;
std::array<std::atomic<transport::Channel*>, kFlights> quiet_on{};  // null: no quiet
std::atomic<int> quiet_count{0};                                    // relaxed: a hint
// What a quiet raises when it is complete, and to what: a channel's own count.
struct Count {
    std::int64_t* completed = nullptr;  // null: none
    std::int64_t issued = 0;
};
std::array<Count, kFlights> counts;  // as `quiets`
std::mutex testing;
std::mutex beginning;  // guards `issued`, and event_of_issued.first
std::int64_t issued = 0;
std::mutex landing;
// All gets up to this one are complete. Events watch it: release; acquire by their tests.
std::int64_t landed = 0;
// As the narrow word of an event: a test that fails takes the slow way, which looks at the network.
const std::int32_t* const kLooks = reinterpret_cast<const std::int32_t*>(&landed);

std::size_t index_of(std::int64_t number) {
    return static_cast<std::size_t>(number % kFlights);
}
transport::Pending& slot_of(std::int64_t number) {
    return slots[index_of(number)];
}

std::int64_t last_landed() {
    return __atomic_load_n(&landed, __ATOMIC_ACQUIRE);
}

// At most kFlights numbers are not landed: the span tells them from all that are.
static_assert(kFlights < -static_cast<std::int64_t>(ISTHMUS_EVENT_ISSUED_SPAN));
::isthmus_event event_of(std::int64_t number) {
    return {&landed, number, ISTHMUS_EVENT_ISSUED_SPAN, kLooks};
}

// Other threads test for whoever issues, who may have gone on meanwhile.
void raise(const Count& count) {
    std::int64_t now = __atomic_load_n(count.completed, __ATOMIC_RELAXED);
    // Release: partner is the acquire of the event that compares with it.
    while (now < count.issued &&
           !__atomic_compare_exchange_n(count.completed, &now, count.issued, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

// Of a quiet that is complete; under `testing`.
void end_quiet(std::size_t index) {
    if (counts[index].completed) raise(counts[index]);
    counts[index] = {};
    quiet_on[index].store(nullptr, std::memory_order_relaxed);
    quiet_count.fetch_sub(1, std::memory_order_relaxed);
    slots[index].finish(1);
}

// Whether quiets are complete: nobody else finds out.
void test_quiets() {
    if (quiet_count.load(std::memory_order_relaxed) == 0) return;
    const std::unique_lock lock(testing, std::try_to_lock);
    if (!lock) return;
    for (std::size_t index = 0; index < quiets.size(); ++index) {
        // Acquire: partner is begin_quiet().
        transport::Channel* const on = quiet_on[index].load(std::memory_order_acquire);
        if (on && on->test(quiets[index])) end_quiet(index);
    }
    land();
}

transport::Pending& begin() {
    const std::lock_guard lock(beginning);
    const std::int64_t number = issued + 1;
    wait_for({Routine::native_get}, [&] {
        test_quiets();
        return last_landed() > number - kFlights;
    });
    issued = number;
    transport::Pending& pending = slot_of(number);
    pending.number = number;
    pending.left.store(1, std::memory_order_relaxed);
    __atomic_store_n(&event_of_issued.first, number, __ATOMIC_RELAXED);
    return pending;
}

}  // namespace

Flight::Flight(::isthmus_event& event)
    : event_(event), pending_(begin()), mine_(event_of(pending_.number)) {}

void Flight::keep(std::unique_ptr<Delivery> delivery) {
    deliveries[index_of(pending_.number)] = delivery.release();
}

Flight::~Flight() {
    event_ = mine_;
    pending_.finish(1);
    land();
}

void begin_quiet(transport::Channel& on, ::isthmus_event& event, std::int64_t* completed,
                 std::int64_t upto) {
    const std::int64_t number = begin().number;
    const std::size_t index = index_of(number);
    on.begin_quiet(transport::Channel::kAll, quiets[index]);
    counts[index] = {completed, upto};
    quiet_count.fetch_add(1, std::memory_order_relaxed);
    quiet_on[index].store(&on, std::memory_order_release);
    if (!completed) {
        event = event_of(number);
        return;
    }
    // Of the channel's own count: it waits for no other's.
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    event = {completed, upto, kMost - static_cast<std::uint64_t>(upto), kLooks};
}

void end_quiets_of(const std::int64_t* completed) {
    if (quiet_count.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(testing);
    for (std::size_t index = 0; index < quiets.size(); ++index) {
        if (counts[index].completed != completed) continue;
        // Relaxed: this thread has begun it.
        quiet_on[index].load(std::memory_order_relaxed)->await(quiets[index]);
        end_quiet(index);
    }
    land();
}

void land() {
    const std::lock_guard lock(landing);
    std::int64_t number = landed;
    // Acquire: partner is Pending::finish.
    while (slot_of(number + 1).reached.load(std::memory_order_acquire) == number + 1) {
        ++number;
        const std::unique_ptr<Delivery> last(std::exchange(deliveries[index_of(number)], nullptr));
        if (last) last->deliver();
    }
    if (number != landed) __atomic_store_n(&landed, number, __ATOMIC_RELEASE);
}

bool is_flight(const ::isthmus_event& event) {
    return event.narrow == kLooks;
}

bool has_landed(const ::isthmus_event& event) {
    far::progress();
    test_quiets();
    return __atomic_load_n(event.address, __ATOMIC_ACQUIRE) >= event.first;
}

void open_flights() {
    event_of_issued = event_of(issued);
}

void abandon_flights() {
    // Relaxed: nobody else tests them any more.
    for (auto& on : quiet_on)
        on.store(nullptr, std::memory_order_relaxed);
    counts.fill({});
    deliveries.fill(nullptr);
    quiet_count.store(0, std::memory_order_relaxed);
}

void end_flights() {
    for (const Count& count : counts) {
        if (count.completed) raise(count);
    }
    for (std::int64_t number = landed + 1; number <= issued; ++number) {
        const std::unique_ptr<Delivery> last(deliveries[index_of(number)]);
        // Acquire: as land(). Of data that have not come nothing is delivered.
        if (last && slot_of(number).reached.load(std::memory_order_acquire) == number)
            last->deliver();
    }
    abandon_flights();
    for (auto& quiet : quiets)
        quiet.reset();
    for (std::int64_t number = landed + 1; number <= issued; ++number) {
        slot_of(number).left.store(0, std::memory_order_relaxed);
        slot_of(number).reached.store(number, std::memory_order_release);
    }
    land();
}

}  // namespace isthmus
