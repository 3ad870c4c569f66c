#include "core/flight.hpp"

#include <array>
#include <cstdint>
#include <mutex>

#include "core/far.hpp"
#include "core/wait.hpp"

namespace isthmus {

::isthmus_event event_of_issued ISTHMUS_EVENT_TRUE;

namespace {

// Numbers are given modulo the slots, so that a slot is free when the get so many before has
// landed.
constexpr std::int64_t kFlights = 256;
std::array<transport::Pending, kFlights> slots;
std::mutex beginning;  // guards `issued`, and event_of_issued.first
std::int64_t issued = 0;
std::mutex landing;
// All gets up to this one are complete. Events watch it: release; acquire by their tests.
std::int64_t landed = 0;

transport::Pending& slot_of(std::int64_t number) {
    return slots[static_cast<std::size_t>(number % kFlights)];
}

std::int64_t last_landed() {
    return __atomic_load_n(&landed, __ATOMIC_ACQUIRE);
}

// Numbers stay below 2^62.
::isthmus_event event_of(std::int64_t number) {
    // `narrow` makes a test that fails take the slow way, which looks at the network.
    return {&landed, number, std::uint64_t{1} << 62,
            reinterpret_cast<const std::int32_t*>(&landed)};
}

transport::Pending& begin() {
    const std::lock_guard lock(beginning);
    const std::int64_t number = issued + 1;
    wait_for({Routine::native_get}, [&] { return last_landed() > number - kFlights; });
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

Flight::~Flight() {
    event_ = mine_;
    pending_.finish(1);
    land();
}

void land() {
    const std::lock_guard lock(landing);
    std::int64_t number = landed;
    // Acquire: partner is Pending::finish.
    while (slot_of(number + 1).reached.load(std::memory_order_acquire) == number + 1)
        ++number;
    if (number != landed) __atomic_store_n(&landed, number, __ATOMIC_RELEASE);
}

bool is_flight(const ::isthmus_event& event) {
    return event.address == &landed;
}

bool has_landed(const ::isthmus_event& event) {
    far::progress();
    return last_landed() >= event.first;
}

void open_flights() {
    event_of_issued = event_of(issued);
}

void end_flights() {
    for (std::int64_t number = landed + 1; number <= issued; ++number) {
        slot_of(number).left.store(0, std::memory_order_relaxed);
        slot_of(number).reached.store(number, std::memory_order_release);
    }
    land();
}

}  // namespace isthmus
