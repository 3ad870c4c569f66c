// Gets that are still under way when their call returns. They have numbers, in the order in which
// they were begun, and an event stands for all up to one of them: so that one event may be given to
// several operations, whatever becomes complete first.
#pragma once

#include <isthmus/event.h>

#include "transport/transport.hpp"

namespace isthmus {

// What the event of an operation becomes that is complete: true, or, while gets are under way,
// "those that were begun before it are complete".
extern ::isthmus_event event_of_issued __attribute__((visibility("hidden")));

// One get, of as many parts as are begun with it. Ends, and writes the event, when it goes.
class Flight {
  public:
    // Waits if too many are under way.
    explicit Flight(::isthmus_event& event);
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;
    ~Flight();
    transport::Pending& pending() { return pending_; }

  private:
    ::isthmus_event& event_;
    transport::Pending& pending_;
    ::isthmus_event mine_{};
};

// Of a session with far PEs; and when its road has gone, with what was under way.
void open_flights();
void end_flights();
// After parts have come: which gets are complete.
void land();
// An event of a flight, which is not true yet: looks at the network, and again.
bool is_flight(const ::isthmus_event& event);
bool has_landed(const ::isthmus_event& event);

}  // namespace isthmus
