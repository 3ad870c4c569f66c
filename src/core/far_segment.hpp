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

#include "core/event.hpp"
#include "core/far.hpp"
#include "core/flight.hpp"
#include "core/geometry.hpp"
#include "core/segment.hpp"

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

// Everything this PE has put or posted, to whatever PE, is visible to everyone.
void fence_far();

// Rows of the segment from `offset` on, and rows at `local`. Not empty.
void put_shape_far(const Segment& segment, std::uint64_t offset, const Pitch& remote_pitch,
                   const char* local, const Pitch& local_pitch, const Shape& shape,
                   const char* routine);
void get_shape_far(char* local, const Pitch& local_pitch, const Segment& segment,
                   std::uint64_t offset, const Pitch& remote_pitch, const Shape& shape,
                   Event* event, const char* routine);

// Puts to places of one PE, gathered: short ones share a request, with which the target's progress
// thread does them.
class ScatteredPut {
  public:
    ScatteredPut(int pe, const char* routine) : pe_(pe), routine_(routine) {}
    ScatteredPut(const ScatteredPut&) = delete;
    ScatteredPut& operator=(const ScatteredPut&) = delete;
    ~ScatteredPut() { send(); }
    // `dest` as an address of this PE.
    void add(char* dest, const void* source, std::uint64_t bytes);

  private:
    void send();
    int pe_;
    const char* routine_;
    std::size_t used_ = 0;
    alignas(8) char request_[transport::kRequestBytes];
};

// Reads from places of one PE, all under way at once.
class ScatteredGet {
  public:
    // Waits for them when it goes; or, with an event, writes that.
    ScatteredGet(int pe, Event* event, const char* routine);
    ScatteredGet(const ScatteredGet&) = delete;
    ScatteredGet& operator=(const ScatteredGet&) = delete;
    ~ScatteredGet();
    void add(void* dest, const char* source, std::uint64_t bytes);

  private:
    int pe_;
    const char* routine_;
    far::Pending pending_;
    std::optional<Flight> flight_;
};

}  // namespace isthmus
