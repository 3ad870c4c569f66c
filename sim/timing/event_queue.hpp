// What a node will do at known times, earliest first, equal times in the order in which they were
// entered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/network/packet.hpp"

namespace isthmus::sim {

enum class EventKind : std::uint8_t {
    arrive,     ///< a packet has passed the NIC's receive side
    walk,       ///< an operation reads the next entry of the namespace table
    entry,      ///< that entry has been read
    segment,    ///< (part of) a bulk transfer is in local memory
    complete,   ///< an operation ends
    translate,  ///< a request's address is translated further, at the target
};

struct Event {
    Cycle when;
    std::uint64_t order;
    EventKind kind;
    std::uint32_t index;  ///< of the operation
    Packet* packet;
};

class EventQueue {
  public:
    void push(Cycle when, EventKind kind, std::uint32_t index, Packet* packet = nullptr) {
        heap_.push_back({when, next_order_++, kind, index, packet});
        std::ranges::push_heap(heap_, later);
    }
    Event pop() {
        std::ranges::pop_heap(heap_, later);
        const Event event = heap_.back();
        heap_.pop_back();
        return event;
    }
    Cycle next() const { return heap_.empty() ? kNever : heap_.front().when; }
    bool empty() const { return heap_.empty(); }
    const std::vector<Event>& all() const { return heap_; }

  private:
    static bool later(const Event& a, const Event& b) {
        return a.when != b.when ? a.when > b.when : a.order > b.order;
    }
    std::vector<Event> heap_;
    std::uint64_t next_order_ = 0;
};

}  // namespace isthmus::sim
