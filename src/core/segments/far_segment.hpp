// Operations on segments that the window does not reach. The callers have checked bounds, rights
// and generation; addresses are `home_of(segment) + offset`.
//
// Order, as docs/ordering.md promises: an atomic comes behind the puts before it, because requests
// do (far::order_puts). A fence waits for the answers of all PEs that something went to, of other
// segments too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/copy/geometry.hpp"
#include "core/reach/far.hpp"
#include "core/segments/segment.hpp"
#include "core/wait/event.hpp"
#include "core/wait/flight.hpp"

namespace isthmus {

void put_far(const Segment& segment, std::uint64_t offset, const void* local, std::uint64_t size,
             const char* routine);
// With an event gets return when they are under way, and write it.
void get_far(void* local, const Segment& segment, std::uint64_t offset, std::uint64_t size,
             Event* event, const char* routine);

// A posted one returns at once and says nothing of the word before.
enum class Kept { posted, fetched };
std::uint64_t atomic_far(const Segment& segment, std::uint64_t offset, const far::Atomic& atomic,
                         Kept kept, const char* routine);

// Everything this PE has put or posted, to whatever PE, is visible to everyone. With an event it
// returns when that is under way, and writes it.
void fence_far(Event* event);

// Left under way on the channel.
void put_on(far::Channel& on, const Segment& segment, std::uint64_t offset, const void* local,
            std::uint64_t size, const char* routine);
void get_on(far::Channel& on, void* local, const Segment& segment, std::uint64_t offset,
            std::uint64_t size, const char* routine);
void post_on(far::Channel& on, const Segment& segment, std::uint64_t offset,
             const far::Atomic& atomic, const char* routine);

// Rows of the segment from `offset` on, and rows at `local`. Not empty.
void put_shape_far(const Segment& segment, std::uint64_t offset, const Pitch& remote_pitch,
                   const char* local, const Pitch& local_pitch, const Shape& shape,
                   const char* routine);
void get_shape_far(char* local, const Pitch& local_pitch, const Segment& segment,
                   std::uint64_t offset, const Pitch& remote_pitch, const Shape& shape,
                   Event* event, const char* routine);

}  // namespace isthmus
