// Gets, and quiets, that are still under way when their call returns. They have numbers, in the
// order in which they were begun, and an event stands for all up to one of them: so that one event
// may be given to several operations, whatever becomes complete first.
#pragma once

#include <isthmus/event.h>

#include <cstdint>
#include <memory>

#include "transport/transport.hpp"

namespace isthmus {

// What the event of an operation becomes that is complete: true, or, while gets are under way,
// "those that were begun before it are complete".
inline constexpr ::isthmus_event& event_of_issued = ::isthmus_event_issued;

// What is still to be done with data that have come: by the thread that finds them here, before any
// event says so.
class Delivery {
  public:
    Delivery() = default;
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;
    virtual ~Delivery() = default;
    virtual void deliver() = 0;
};

// One get, of as many parts as are begun with it. Ends, and writes the event, when it goes.
class Flight {
  public:
    // Waits if too many are under way.
    explicit Flight(::isthmus_event& event);
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;
    ~Flight();
    transport::Pending& pending() { return pending_; }
    // Once.
    void keep(std::unique_ptr<Delivery> delivery);

  private:
    ::isthmus_event& event_;
    transport::Pending& pending_;
    ::isthmus_event mine_{};
};

// A quiet of the channel, as a flight: begins it, and writes the event. The channel stays until the
// road goes. `completed`: a count of the channel's own, which is raised to `upto` when it is
// complete, and which the event compares with: it then waits for no flight but this one.
void begin_quiet(transport::Channel& on, ::isthmus_event& event, std::int64_t* completed = nullptr,
                 std::int64_t upto = 0);
// Behind a quiet of the channel: the count is raised by none of its earlier ones any more.
void end_quiets_of(const std::int64_t* completed);

// Of a session with far PEs; and when its road has gone, with what was under way.
void open_flights();
void end_flights();
// In a child of fork(): the road, its channels and what is under way are the parent's. No locks.
void abandon_flights();
// After parts have come: which gets are complete.
void land();
// An event of a flight, which is not true yet: looks at the network, and again.
bool is_flight(const ::isthmus_event& event);
bool has_landed(const ::isthmus_event& event);

}  // namespace isthmus
