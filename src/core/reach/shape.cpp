#include "core/reach/shape.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <optional>

#include "core/reach/far.hpp"
#include "core/reach/scattered.hpp"
#include "core/wait/flight.hpp"

namespace isthmus::far {
namespace {

// Gaps are taken along, which costs less than an answer for each row, unless they are large. That
// much is one read; what is longer goes as several that are under way at once.
constexpr std::uint64_t kRead = 65536;
constexpr std::uint64_t kReadsAtOnce = 16;
// Rows that are further apart than this, start to start, are reads of their own. Measured, 8 bytes
// each: packets carry 2 KiB of gaps in twice the time of an answer, libfabric over TCP in a fifth.
constexpr std::uint64_t kNear = 2048;
// What is no longer is one read, however its rows lie: it takes as long as two.
constexpr std::uint64_t kShort = 16384;
// Of all gets that are left under way.
constexpr std::uint64_t kMostLeft = std::uint64_t{16} << 20;
std::atomic<std::uint64_t> left_bytes{0};  // relaxed: a bound, not a lock

std::uint64_t extent_of(const Shape& shape, const Pitch& pitch) {
    std::uint64_t bytes = 0;
    extent(shape, pitch, bytes);
    return bytes;
}

// What has no gaps on either side becomes one row, and a single row of each plane a row of one
// plane.
void fold(Rows& rows) {
    Shape& shape = rows.shape;
    while (shape.rows != 1 || shape.planes != 1) {
        if (shape.rows == 1) {
            shape.rows = shape.planes;
            shape.planes = 1;
            rows.to_pitch.row = rows.to_pitch.plane;
            rows.from_pitch.row = rows.from_pitch.plane;
        } else if (rows.to_pitch.row == shape.row && rows.from_pitch.row == shape.row) {
            shape.row *= shape.rows;
            shape.rows = 1;
        } else {
            return;
        }
    }
}

// How much of a shape is one read; one row: it goes to its place.
struct Division {
    std::uint64_t rows = 1;
    std::uint64_t planes = 1;
};

// How many of what is so long, and starts so far from the next, are one read.
std::uint64_t count_in_read(std::uint64_t bytes, std::uint64_t pitch, std::uint64_t count) {
    if (pitch == 0) return count;
    return std::min(count, (kRead - bytes) / pitch + 1);
}

Division divide(const Rows& rows) {
    const Shape& shape = rows.shape;
    const Pitch& pitch = rows.from_pitch;
    if (extent_of(shape, pitch) <= kShort) return {shape.rows, shape.planes};
    if (pitch.row > kNear || shape.row > kRead) return {};
    const std::uint64_t plane = extent_of({shape.row, shape.rows, 1}, pitch);
    if (plane > kRead) return {count_in_read(shape.row, pitch.row, shape.rows), 1};
    if (shape.planes == 1 || pitch.plane > plane + kNear) return {shape.rows, 1};
    return {shape.rows, count_in_read(plane, pitch.plane, shape.planes)};
}

// Calls each() for the parts, in order.
template <typename Each>
void for_each_part(const Rows& rows, const Division& division, Each&& each) {
    const Shape& shape = rows.shape;
    for (std::uint64_t plane = 0; plane < shape.planes; plane += division.planes) {
        for (std::uint64_t row = 0; row < shape.rows; row += division.rows) {
            Rows part = rows;
            part.to += plane * rows.to_pitch.plane + row * rows.to_pitch.row;
            part.from += plane * rows.from_pitch.plane + row * rows.from_pitch.row;
            part.shape.rows = std::min(division.rows, shape.rows - row);
            part.shape.planes = std::min(division.planes, shape.planes - plane);
            each(part);
        }
    }
}

bool is_one_row(const Rows& part) {
    return part.shape.rows == 1 && part.shape.planes == 1;
}

// Parts with their gaps, each behind what says where its rows go.
class Stage {
  public:
    static std::uint64_t room_for(const Rows& part) {
        return sizeof(Rows) + (extent_of(part.shape, part.from_pitch) + 7) / 8 * 8;
    }
    explicit Stage(std::uint64_t room) : room_(room), bytes_(new (std::nothrow) char[room]) {}
    bool is_open() const { return bytes_ != nullptr; }
    std::uint64_t room() const { return room_; }
    bool takes(const Rows& part) const { return room_for(part) <= room_ - used_; }
    // Where to read it to.
    char* add(const Rows& part) {
        char* const at = bytes_.get() + used_;
        new (at) Rows(part);
        used_ += room_for(part);
        return at + sizeof(Rows);
    }
    // Everything has come; it is empty then.
    void scatter() {
        for (std::uint64_t at = 0; at < used_;) {
            const Rows& part = *std::launder(reinterpret_cast<const Rows*>(bytes_.get() + at));
            copy_shape(part.to, part.to_pitch, bytes_.get() + at + sizeof(Rows), part.from_pitch,
                       part.shape);
            at += room_for(part);
        }
        used_ = 0;
    }

  private:
    std::uint64_t room_;
    std::uint64_t used_ = 0;
    std::unique_ptr<char[]> bytes_;
};

class LeftStage final : public Delivery {
  public:
    explicit LeftStage(std::uint64_t room) : stage_(room) {
        left_bytes.fetch_add(room, std::memory_order_relaxed);
    }
    LeftStage(const LeftStage&) = delete;
    LeftStage& operator=(const LeftStage&) = delete;
    ~LeftStage() override { left_bytes.fetch_sub(stage_.room(), std::memory_order_relaxed); }
    Stage& stage() { return stage_; }
    void deliver() override { stage_.scatter(); }

  private:
    Stage stage_;
};

void add_row(ScatteredGet& reads, const Rows& part) {
    reads.add(part.to, part.from, part.shape.row);
}

// False: there is no room for so much.
bool leave_under_way(const Rows& rows, const Division& division, std::uint64_t room, int pe,
                     Event* event, const char* routine) {
    if (room > kRead * kReadsAtOnce ||
        left_bytes.load(std::memory_order_relaxed) > kMostLeft - room)
        return false;
    std::unique_ptr<LeftStage> left;
    if (room != 0) {
        left.reset(new (std::nothrow) LeftStage(room));
        if (!left || !left->stage().is_open()) return false;
    }
    Stage* const stage = left ? &left->stage() : nullptr;
    ScatteredGet reads(pe, event, routine);
    if (left) reads.keep(std::move(left));
    for_each_part(rows, division, [&](const Rows& part) {
        if (is_one_row(part)) return add_row(reads, part);
        const std::uint64_t bytes = extent_of(part.shape, part.from_pitch);
        reads.add(stage->add(part), part.from, bytes);
    });
    return true;
}

// As much as the stage holds at a time.
void get_in_turns(const Rows& rows, const Division& division, Stage& stage, int pe,
                  const char* routine) {
    std::optional<ScatteredGet> reads;
    reads.emplace(pe, nullptr, routine);
    for_each_part(rows, division, [&](const Rows& part) {
        if (is_one_row(part)) return add_row(*reads, part);
        if (!stage.takes(part)) {
            reads.reset();
            stage.scatter();
            reads.emplace(pe, nullptr, routine);
        }
        const std::uint64_t bytes = extent_of(part.shape, part.from_pitch);
        reads->add(stage.add(part), part.from, bytes);
    });
    reads.reset();
    stage.scatter();
}

}  // namespace

void get_rows(Rows rows, int pe, Event* event, const char* routine) {
    fold(rows);
    const Shape& shape = rows.shape;
    if (is_one_row(rows) && !event) return far::get(rows.to, rows.from, shape.row, pe, routine);
    const std::uint64_t whole = extent_of(shape, rows.from_pitch);
    if (whole <= kShort && !event) {
        char stage[kShort];
        far::get(stage, rows.from, whole, pe, routine);
        return copy_shape(rows.to, rows.to_pitch, stage, rows.from_pitch, shape);
    }
    const Division division = divide(rows);
    std::uint64_t room = 0;
    std::uint64_t longest = 0;
    for_each_part(rows, division, [&](const Rows& part) {
        if (is_one_row(part)) return;
        room += Stage::room_for(part);
        longest = std::max(longest, Stage::room_for(part));
    });
    if (event && leave_under_way(rows, division, room, pe, event, routine)) return;
    room = std::min(room, std::max(longest, kRead * kReadsAtOnce));
    if (Stage stage(room); stage.is_open()) {
        get_in_turns(rows, division, stage, pe, routine);
        return complete(event);
    }
    // There is no memory to share reads in.
    ScatteredGet reads(pe, event, routine);
    for_each_part(rows, {}, [&](const Rows& row) { add_row(reads, row); });
}

}  // namespace isthmus::far
