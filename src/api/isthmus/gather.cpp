// Gather (isthmus/gather.h). On one host a read is a load, so all that is gathered is time: each
// push prefetches, and takes what the push kDepth before it has asked for. Pushes to far segments
// come here, since their sources end at 0, and leave a read under way that goes to its result.
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "api/isthmus/export.hpp"
#include "core/job/session_object.hpp"
#include "core/reach/far.hpp"
#include "core/segments/segment.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

namespace {

constexpr std::size_t kLargestItem = 256;
static_assert((ISTHMUS_GATHER_DEPTH & (ISTHMUS_GATHER_DEPTH - 1)) == 0);

// What unused slots read from and write to.
alignas(64) constexpr std::array<char, kLargestItem> kNothing{};

struct Gather final : ::isthmus_gather, private SessionObject {
    Gather() : ::isthmus_gather{} { begin_round(); }
    ~Gather() { delist(); }
    using SessionObject::enlist;
    std::vector<isthmus_gather_source> all_sources;
    std::vector<Segment> segments;
    std::array<char, kLargestItem> sink;
    far::Pending reads;  // of far segments, since the last wait; one is this gather's own
    int last_pe = -1;    // one of those that they are from

    void forget() {
        for (isthmus_gather_slot& slot : slots)
            slot = {kNothing.data(), sink.data()};
    }
    // Those of a session that has ended are lost, with their road.
    void await_reads() {
        if (last_pe >= 0 && !ended()) {
            reads.finish(1);
            far::await(reads, last_pe);
        }
        begin_round();
    }

  private:
    void begin_round() {
        last_pe = -1;
        reads.left.store(1, std::memory_order_relaxed);
        ++reads.number;
    }
    // What is under way is lost; pushes go the slow way, which says why.
    void end() override {
        for (isthmus_gather_source& source : all_sources)
            source.end = 0;
        forget();
    }
};

Gather& full(isthmus_gather* gather) {
    return *static_cast<Gather*>(gather);
}

void take_all(Gather& gather) {
    for (const isthmus_gather_slot& slot : gather.slots) {
        if (gather.item_size == 8)
            __builtin_memcpy(slot.result, slot.from, 8);
        else if (gather.item_size == 4)
            __builtin_memcpy(slot.result, slot.from, 4);
        else
            __builtin_memcpy(slot.result, slot.from, gather.item_size);
    }
    gather.forget();
}

}  // namespace

ISTHMUS_API int isthmus_gather_create(isthmus_gather** gather, const isthmus_segment* segments,
                                      uint32_t count, size_t item_size) {
    const char* routine = "isthmus_gather_create";
    require_session(routine);
    *gather = nullptr;
    if (item_size == 0 || item_size > kLargestItem)
        return refuse(ISTHMUS_ARGUMENT, routine, "item_size ", item_size, " is out of range 1..",
                      kLargestItem);
    if (count == 0) return refuse(ISTHMUS_ARGUMENT, routine, "no segments are given");
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto [way, status] =
            check_transfer(segments[i], 0, 0, ISTHMUS_READ, nullptr, routine);
        if (way == TransferWay::refused) return status;
    }
    return without_exceptions(routine, [&] {
        auto made = std::make_unique<Gather>();
        made->segments.assign(segments, segments + count);
        made->item_size = static_cast<std::uint32_t>(item_size);
        made->count = count;
        for (const Segment& segment : made->segments) {
            const std::uint64_t limit = segment.transfer_end;
            const std::uint64_t end = limit < item_size ? 0 : limit - item_size + 1;
            made->all_sources.push_back({segment.base, end});
        }
        made->sources = made->all_sources.data();
        made->forget();
        made->enlist();
        *gather = made.release();
        return ISTHMUS_OK;
    });
}

ISTHMUS_API int isthmus_gather_destroy(isthmus_gather* gather) {
    if (!gather) return ISTHMUS_OK;
    take_all(full(gather));
    full(gather).await_reads();
    delete static_cast<Gather*>(gather);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_gather_push_slow(isthmus_gather* gather, uint32_t source, uint64_t offset,
                                         void* result) {
    const char* routine = "isthmus_gather_push";
    if (source >= gather->count)
        return refuse(ISTHMUS_ARGUMENT, routine, "source ", source, " is out of range 0..",
                      gather->count - 1);
    Gather& all = full(gather);
    const Segment& segment = all.segments[source];
    if (const int status = refuse_access(segment, offset, gather->item_size, ISTHMUS_READ,
                                         ISTHMUS_TRANSFERS, 1, routine))
        return status;
    all.last_pe = segment.owner;
    far::begin_get(result, home_of(segment) + offset, gather->item_size, segment.owner, all.reads,
                   routine);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_gather_wait(isthmus_gather* gather) {
    take_all(full(gather));
    full(gather).await_reads();
    std::atomic_thread_fence(std::memory_order_acquire);
    for (const Segment& segment : full(gather).segments) {
        if (!is_stale(segment)) [[likely]]
            continue;
        // A far one always seems to be.
        if (is_gone(segment)) return refuse_access(segment, 0, 0, 0, 0, 1, "isthmus_gather_wait");
    }
    return ISTHMUS_OK;
}
