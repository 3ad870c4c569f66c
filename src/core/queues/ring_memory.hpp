// Memory of the native interface's rings, in their owner's arena. An enqueue looks at nothing but
// the ring, so its control block must stay what it is while any end can still enqueue: clones are
// counted in it, and a destroyed ring's room goes back to the arena when the last of them has gone.
// Its cells' pages go at once.
#pragma once

#include "core/queues/queue.hpp"

namespace isthmus {

// Zeroed room for a ring; null if the arena has none.
char* allocate_ring(std::uint64_t capacity);
// Of a ring that has never been published.
void release_ring(char* memory);
// Of a ring that has been closed, drained and withdrawn.
void retire_ring(char* memory);

// A clone begins to use the ring behind `segment`; null if its owner has destroyed it meanwhile.
RingControl* attach_ring(const Segment& segment);
// The last thing that it does with it.
void detach_ring(const Segment& segment);

// At the end of a session, when the arena goes.
void forget_retired_rings();

}  // namespace isthmus
