#include "core/segments/far_segment.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/copy/copy.hpp"
#include "core/reach/request.hpp"
#include "core/reach/scattered.hpp"
#include "core/reach/shape.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {
namespace {

// Calls each(index of the row's first byte here, there) for the rows of a shape, in order.
template <typename Each>
void for_each_row(const Shape& shape, const Pitch& first, const Pitch& second, Each&& each) {
    for (std::uint64_t plane = 0; plane < shape.planes; ++plane) {
        for (std::uint64_t row = 0; row < shape.rows; ++row)
            each(plane * first.plane + row * first.row, plane * second.plane + row * second.row);
    }
}

// No gaps between the rows: one range of bytes.
bool is_dense(const Shape& shape, const Pitch& pitch) {
    const bool rows = shape.rows == 1 || pitch.row == shape.row;
    return rows && (shape.planes == 1 || pitch.plane == shape.row * shape.rows);
}

// Gathered here.
constexpr std::uint64_t kStage = 16384;

}  // namespace

void put_far(const Segment& segment, std::uint64_t offset, const void* local, std::uint64_t size,
             const char* routine) {
    note(Routine::native_put);
    far::put(home_of(segment) + offset, local, size, segment.owner, routine);
}

void get_far(void* local, const Segment& segment, std::uint64_t offset, std::uint64_t size,
             Event* event, const char* routine) {
    note(Routine::native_get);
    char* const home = home_of(segment) + offset;
    if (!event) return far::get(local, home, size, segment.owner, routine);
    Flight flight(*event);
    far::begin_get(local, home, size, segment.owner, flight.pending(), routine);
}

std::uint64_t atomic_far(const Segment& segment, std::uint64_t offset, const far::Atomic& atomic,
                         Kept kept, const char* routine) {
    char* const word = home_of(segment) + offset;
    far::order_puts();
    if (kept == Kept::fetched) return far::fetch_atomic(word, segment.owner, atomic, routine);
    far::post_atomic(word, segment.owner, atomic, routine);
    return 0;
}

void fence_far(Event* event) {
    note(Routine::native_fence);
    if (far::is_quiet() || !event) {
        if (!far::is_quiet()) far::quiet();
        complete(event);
    } else {
        begin_quiet(*far::road, *event);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

void put_on(far::Channel& on, const Segment& segment, std::uint64_t offset, const void* local,
            std::uint64_t size, const char* routine) {
    far::put_nbi(home_of(segment) + offset, local, size, segment.owner, routine, &on);
}

void get_on(far::Channel& on, void* local, const Segment& segment, std::uint64_t offset,
            std::uint64_t size, const char* routine) {
    far::get_nbi(local, home_of(segment) + offset, size, segment.owner, routine, &on);
}

void post_on(far::Channel& on, const Segment& segment, std::uint64_t offset,
             const far::Atomic& atomic, const char* routine) {
    on.order_puts();
    far::post_atomic(home_of(segment) + offset, segment.owner, atomic, routine, &on);
}

// ---- shapes

void put_shape_far(const Segment& segment, std::uint64_t offset, const Pitch& remote_pitch,
                   const char* local, const Pitch& local_pitch, const Shape& shape,
                   const char* routine) {
    note(Routine::native_put);
    char* const home = home_of(segment) + offset;
    const bool dense = is_dense(shape, remote_pitch);
    if (dense && is_dense(shape, local_pitch))
        return far::put(home, local, shape.row * shape.rows * shape.planes, segment.owner, routine);
    if (dense && shape.row <= kStage / 2) {
        char stage[kStage];
        std::uint64_t used = 0;
        std::uint64_t done = 0;
        const auto send = [&] {
            far::put(home + done, stage, used, segment.owner, routine);
            done += used;
            used = 0;
        };
        for_each_row(shape, local_pitch, remote_pitch, [&](std::uint64_t here, std::uint64_t) {
            if (used + shape.row > kStage) send();
            copy(stage + used, local + here, shape.row);
            used += shape.row;
        });
        return send();
    }
    ScatteredPut put(segment.owner, routine);
    for_each_row(shape, local_pitch, remote_pitch, [&](std::uint64_t here, std::uint64_t there) {
        put.add(home + there, local + here, shape.row);
    });
}

void get_shape_far(char* local, const Pitch& local_pitch, const Segment& segment,
                   std::uint64_t offset, const Pitch& remote_pitch, const Shape& shape,
                   Event* event, const char* routine) {
    note(Routine::native_get);
    far::get_rows({local, local_pitch, home_of(segment) + offset, remote_pitch, shape},
                  segment.owner, event, routine);
}

}  // namespace isthmus
