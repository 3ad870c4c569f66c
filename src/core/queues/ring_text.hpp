// What a stall report says of the ring in which a PE waits for a message.
#pragma once

#include <cstdint>

#include "base/text.hpp"
#include "core/queues/queue.hpp"

namespace isthmus {

// "; the queue is empty". What is taken is not there for who dequeues: else it would not wait.
inline Text ring_text(const RingControl& control) {
    // Relaxed, both: plain information.
    const std::uint64_t tail = control.tail.load(std::memory_order_relaxed) & ~kClosed;
    const std::uint64_t taken = tail - control.head.load(std::memory_order_relaxed);
    if (taken == 0) return Text("; the queue is empty");
    return Text("; of the queue's ", control.capacity, " bytes ", taken,
                " are taken, by messages that are reserved and not committed, or dequeued and not "
                "released");
}

}  // namespace isthmus
