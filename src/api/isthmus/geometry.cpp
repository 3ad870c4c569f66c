// Transfers of a shape (isthmus/geometry.h).
#include "core/copy/geometry.hpp"

#include <atomic>

#include "api/isthmus/export.hpp"
#include "core/reach/scattered.hpp"
#include "core/segments/far_segment.hpp"
#include "core/segments/segment.hpp"
#include "core/wait/event.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

namespace {

enum class Direction { put, get };

// A shape on both sides; offsets are of the first byte.
struct Transfer {
    Direction direction;
    char* local;
    Pitch local_pitch;
    std::uint64_t offset;
    Pitch remote_pitch;
    Shape shape;
};

// True if a row of one side overlaps another of the other. Rows rise on both sides.
bool overlaps(const Transfer& transfer, const char* remote) {
    const Shape& shape = transfer.shape;
    const auto row = [&shape](const char* begin, const Pitch& pitch, std::uint64_t i) {
        return reinterpret_cast<std::uintptr_t>(begin) + i / shape.rows * pitch.plane +
               i % shape.rows * pitch.row;
    };
    const std::uint64_t rows = shape.rows * shape.planes;
    for (std::uint64_t i = 0, k = 0; i < rows && k < rows;) {
        const std::uintptr_t here = row(transfer.local, transfer.local_pitch, i);
        const std::uintptr_t there = row(remote, transfer.remote_pitch, k);
        if (here + shape.row <= there || (i == k && here == there))
            ++i;
        else if (there + shape.row <= here)
            ++k;
        else
            return true;
    }
    return false;
}

int too_far(const char* routine) {
    return refuse(ISTHMUS_BOUNDS, routine, "the shape reaches beyond 2^64 bytes");
}

[[gnu::cold, gnu::noinline]] int move_far(const Transfer& transfer, const Segment& segment,
                                          std::uint64_t remote_extent, Event* event,
                                          const char* routine) {
    if (remote_extent != 0 && transfer.direction == Direction::get) {
        get_shape_far(transfer.local, transfer.local_pitch, segment, transfer.offset,
                      transfer.remote_pitch, transfer.shape, event, routine);
        return ISTHMUS_OK;
    }
    if (remote_extent != 0)
        put_shape_far(segment, transfer.offset, transfer.remote_pitch, transfer.local,
                      transfer.local_pitch, transfer.shape, routine);
    complete(event);
    return ISTHMUS_OK;
}

int move(const Transfer& transfer, const Segment& segment, Event* event, const char* routine) {
    const bool put = transfer.direction == Direction::put;
    std::uint64_t remote_extent = 0;
    if (!extent(transfer.shape, transfer.remote_pitch, remote_extent)) return too_far(routine);
    const auto [way, status] = check_transfer(segment, transfer.offset, remote_extent,
                                              put ? ISTHMUS_WRITE : ISTHMUS_READ, nullptr, routine);
    if (way == TransferWay::road) return move_far(transfer, segment, remote_extent, event, routine);
    if (way == TransferWay::refused) return status;
    if (remote_extent == 0) {  // nothing in it, however many planes
        complete(event);
        return ISTHMUS_OK;
    }
    char* const remote = segment.base + transfer.offset;
    if (job.checked && overlaps(transfer, remote)) return refuse_overlap(routine);
    if (put) {
        copy_shape(remote, transfer.remote_pitch, transfer.local, transfer.local_pitch,
                   transfer.shape);
        wake_owner(segment);
    } else {
        copy_shape(transfer.local, transfer.local_pitch, remote, transfer.remote_pitch,
                   transfer.shape);
        std::atomic_thread_fence(std::memory_order_acquire);  // get before get
    }
    complete(event);
    return ISTHMUS_OK;
}

int strided(Direction direction, const void* local, std::uint64_t local_pitch,
            const Segment& segment, std::uint64_t offset, std::uint64_t remote_pitch,
            std::uint64_t size, std::uint64_t count, Event* event, const char* routine) {
    for (const std::uint64_t pitch : {local_pitch, remote_pitch}) {
        const auto as_signed = static_cast<std::int64_t>(pitch);
        if (as_signed < 0 && size != 0 && count > 1)
            return refuse(ISTHMUS_ARGUMENT, routine, "a pitch of ", as_signed,
                          " bytes; rows follow each other upwards");
    }
    const std::uint64_t written = direction == Direction::put ? remote_pitch : local_pitch;
    if (written < size && count > 1)
        return refuse(ISTHMUS_ARGUMENT, routine, "a pitch of ", written, " writes rows of ", size,
                      " bytes over each other");
    return move({direction,
                 static_cast<char*>(const_cast<void*>(local)),
                 {local_pitch, 0},
                 offset,
                 {remote_pitch, 0},
                 {size, count, 1}},
                segment, event, routine);
}

// An array of elements and a block's position in it; in 2-D zpos is 0 and zdim 1.
struct Side {
    isthmus_point3d at;
    const char* name;
};
struct Block {
    std::uint64_t element, width, height, depth;
    bool is_empty() const { return element == 0 || width == 0 || height == 0 || depth == 0; }
};

bool fits(std::uint64_t position, std::uint64_t length, std::uint64_t dimension) {
    return position <= dimension && length <= dimension - position;
}

// Where the block begins in its array and how far apart its rows and planes are, if it has several;
// false if numbers overflow.
inline bool lay_out(const Side& side, const Block& block, std::uint64_t& begin, Pitch& pitch) {
    begin = 0;
    if (block.is_empty()) return true;  // also past the last row, where there is no offset for it
    std::uint64_t rows = 0;
    std::uint64_t elements = 0;
    const bool several_planes = block.depth > 1;
    const bool several_rows = several_planes || block.height > 1;
    if (several_rows && __builtin_mul_overflow(side.at.xdim, block.element, &pitch.row))
        return false;
    if (several_planes && __builtin_mul_overflow(pitch.row, side.at.ydim, &pitch.plane))
        return false;
    return !__builtin_mul_overflow(side.at.zpos, side.at.ydim, &rows) &&
           !__builtin_add_overflow(rows, side.at.ypos, &rows) &&
           !__builtin_mul_overflow(rows, side.at.xdim, &elements) &&
           !__builtin_add_overflow(elements, side.at.xpos, &elements) &&
           !__builtin_mul_overflow(elements, block.element, &begin);
}

[[gnu::cold, gnu::noinline]] int refuse_block(const Side& side, const Block& block,
                                              const char* routine) {
    const auto triple = [](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
        return Text(x, "x", y, "x", z);
    };
    return refuse(ISTHMUS_BOUNDS, routine, "a block of ",
                  triple(block.width, block.height, block.depth), " at (", side.at.xpos, ",",
                  side.at.ypos, ",", side.at.zpos, ") does not fit into the ", side.name,
                  " array of ", triple(side.at.xdim, side.at.ydim, side.at.zdim));
}

int move_block(Direction direction, const void* local, const Side& here, const Segment& segment,
               std::uint64_t offset, const Side& there, const Block& block, Event* event,
               const char* routine) {
    for (const Side* side : {&here, &there}) {
        if (!fits(side->at.xpos, block.width, side->at.xdim) ||
            !fits(side->at.ypos, block.height, side->at.ydim) ||
            !fits(side->at.zpos, block.depth, side->at.zdim))
            return refuse_block(*side, block, routine);
    }
    Transfer transfer{direction, static_cast<char*>(const_cast<void*>(local)), {}, 0, {}, {}};
    std::uint64_t local_begin = 0;
    std::uint64_t remote_begin = 0;
    if (!lay_out(here, block, local_begin, transfer.local_pitch) ||
        !lay_out(there, block, remote_begin, transfer.remote_pitch) ||
        (!block.is_empty() &&
         __builtin_mul_overflow(block.width, block.element, &transfer.shape.row)) ||
        __builtin_add_overflow(offset, remote_begin, &transfer.offset))
        return too_far(routine);
    transfer.local += local_begin;
    transfer.shape.rows = block.height;
    transfer.shape.planes = block.depth;
    return move(transfer, segment, event, routine);
}

isthmus_point3d flat(const isthmus_point2d& point) {
    return {point.xpos, point.ypos, 0, point.xdim, point.ydim, 1};
}

[[gnu::cold, gnu::noinline]] int move_list_far(Direction direction, const isthmus_range* ranges,
                                               std::size_t count, const Segment& segment,
                                               Event* event, const char* routine) {
    char* const home = home_of(segment);
    if (direction == Direction::put) {
        note(Routine::native_put);
        ScatteredPut put(segment.owner, routine);
        for (std::size_t i = 0; i < count; ++i)
            put.add(home + ranges[i].offset, ranges[i].local, ranges[i].size);
        complete(event);
    } else {
        note(Routine::native_get);
        ScatteredGet get(segment.owner, event, routine);
        for (std::size_t i = 0; i < count; ++i)
            get.add(ranges[i].local, home + ranges[i].offset, ranges[i].size);
    }
    return ISTHMUS_OK;
}

int move_list(Direction direction, const isthmus_range* ranges, std::size_t count,
              const Segment& segment, Event* event, const char* routine) {
    const std::uint32_t right = direction == Direction::put ? ISTHMUS_WRITE : ISTHMUS_READ;
    const auto [way, status] = check_transfer(segment, 0, 0, right, nullptr, routine);
    if (way == TransferWay::refused) return status;
    for (std::size_t i = 0; i < count; ++i) {
        const Checked range = check_transfer(segment, ranges[i].offset, ranges[i].size, right,
                                             ranges[i].local, routine);
        if (range.way == TransferWay::refused) return range.status;
    }
    if (way == TransferWay::road)
        return move_list_far(direction, ranges, count, segment, event, routine);
    for (std::size_t i = 0; i < count; ++i) {
        char* const remote = segment.base + ranges[i].offset;
        if (direction == Direction::put)
            copy(remote, ranges[i].local, ranges[i].size);
        else
            copy(ranges[i].local, remote, ranges[i].size);
    }
    if (direction == Direction::put) wake_owner(segment);
    std::atomic_thread_fence(std::memory_order_acquire);
    complete(event);
    return ISTHMUS_OK;
}

}  // namespace

ISTHMUS_API int isthmus_put_strided(const void* local, uint64_t local_pitch,
                                    const isthmus_segment* segment, uint64_t offset,
                                    uint64_t remote_pitch, uint64_t size, uint64_t count,
                                    isthmus_event* event) {
    return strided(Direction::put, local, local_pitch, *segment, offset, remote_pitch, size, count,
                   event, "isthmus_put_strided");
}

ISTHMUS_API int isthmus_get_strided(void* local, uint64_t local_pitch,
                                    const isthmus_segment* segment, uint64_t offset,
                                    uint64_t remote_pitch, uint64_t size, uint64_t count,
                                    isthmus_event* event) {
    return strided(Direction::get, local, local_pitch, *segment, offset, remote_pitch, size, count,
                   event, "isthmus_get_strided");
}

ISTHMUS_API int isthmus_put_block2d(const void* local, const isthmus_point2d* at,
                                    const isthmus_segment* segment, uint64_t offset,
                                    const isthmus_point2d* there, uint64_t element, uint64_t width,
                                    uint64_t height, isthmus_event* event) {
    return move_block(Direction::put, local, {flat(*at), "local"}, *segment, offset,
                      {flat(*there), "remote"}, {element, width, height, 1}, event,
                      "isthmus_put_block2d");
}

ISTHMUS_API int isthmus_get_block2d(void* local, const isthmus_point2d* at,
                                    const isthmus_segment* segment, uint64_t offset,
                                    const isthmus_point2d* there, uint64_t element, uint64_t width,
                                    uint64_t height, isthmus_event* event) {
    return move_block(Direction::get, local, {flat(*at), "local"}, *segment, offset,
                      {flat(*there), "remote"}, {element, width, height, 1}, event,
                      "isthmus_get_block2d");
}

ISTHMUS_API int isthmus_put_block3d(const void* local, const isthmus_point3d* at,
                                    const isthmus_segment* segment, uint64_t offset,
                                    const isthmus_point3d* there, uint64_t element, uint64_t width,
                                    uint64_t height, uint64_t depth, isthmus_event* event) {
    return move_block(Direction::put, local, {*at, "local"}, *segment, offset, {*there, "remote"},
                      {element, width, height, depth}, event, "isthmus_put_block3d");
}

ISTHMUS_API int isthmus_get_block3d(void* local, const isthmus_point3d* at,
                                    const isthmus_segment* segment, uint64_t offset,
                                    const isthmus_point3d* there, uint64_t element, uint64_t width,
                                    uint64_t height, uint64_t depth, isthmus_event* event) {
    return move_block(Direction::get, local, {*at, "local"}, *segment, offset, {*there, "remote"},
                      {element, width, height, depth}, event, "isthmus_get_block3d");
}

ISTHMUS_API int isthmus_put_list(const isthmus_range* ranges, size_t count,
                                 const isthmus_segment* segment, isthmus_event* event) {
    return move_list(Direction::put, ranges, count, *segment, event, "isthmus_put_list");
}

ISTHMUS_API int isthmus_get_list(const isthmus_range* ranges, size_t count,
                                 const isthmus_segment* segment, isthmus_event* event) {
    return move_list(Direction::get, ranges, count, *segment, event, "isthmus_get_list");
}
