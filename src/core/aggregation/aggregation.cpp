#include "core/aggregation/aggregation.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/heap.hpp"
#include "core/reach/far.hpp"
#include "core/teams/collective.hpp"
#include "core/wait/status.hpp"

namespace isthmus {
namespace {

constexpr std::size_t kLargestItem = 256;
constexpr std::size_t kStandardBuffer = 4096;
// What the transport sends by one copy and without waiting, with the frame's head.
constexpr std::size_t kFarBuffer = 16384 - sizeof(FrameHead);
constexpr std::uint64_t kSmallestRing = 16384;
constexpr std::uint64_t kLargestRing = std::uint64_t{1} << 30;

}  // namespace

int refuse_in_handler(const char* routine) {
    return refuse(ISTHMUS_ARGUMENT, routine, "called from a handler, which may only push");
}

int open_aggregator(isthmus_aggregator** aggregator, std::size_t item_size, std::size_t buffer,
                    Handler handler, void* argument, const char* routine) {
    *aggregator = nullptr;
    if (Aggregator::handling()) return refuse_in_handler(routine);
    const std::uint64_t wanted = size(Setting::aggregator_ring, os::memory_size());
    const std::uint64_t ring = std::bit_ceil(std::clamp(wanted, kSmallestRing, kLargestRing));
    // At least four messages a ring, so that filling, waiting and handling overlap.
    const std::size_t most = ring / 4 - kCell;
    const std::size_t far_buffer = std::min(buffer == 0 ? kFarBuffer : buffer, most);
    buffer = std::min(buffer == 0 ? kStandardBuffer : buffer, most);
    return whole(routine, [&]() -> int {
        check_agreement(routine, "item_size", item_size);
        check_agreement(routine, "ISTHMUS_AGGREGATOR_RING", ring);
        check_agreement(routine, "whether there is a handler", handler ? 1 : 0);
        // Behind the agreement: all are refused, or the job ends.
        if (!handler) return refuse(ISTHMUS_ARGUMENT, routine, "handler is null");
        if (item_size == 0 || item_size > kLargestItem)
            return refuse(ISTHMUS_ARGUMENT, routine, "item_size ", item_size,
                          " is out of range 1..", kLargestItem);
        const std::uint64_t bytes = Aggregator::layout_size(job.pes, ring);
        char* memory = nullptr;
        {
            const std::lock_guard lock(heap_guard);
            memory = static_cast<char*>(heap.allocate(bytes, 4096));
        }
        if (!memory)
            return refuse(ISTHMUS_NO_MEMORY, routine, "no room for ", bytes,
                          " bytes of rings in the symmetric heap; lower ISTHMUS_AGGREGATOR_RING or "
                          "raise SHMEM_SYMMETRIC_SIZE");
        std::memset(memory, 0, bytes);
        barrier_world();
        *aggregator =
            new Aggregator(memory, item_size, buffer, far_buffer, ring, handler, argument);
        far::quiet();
        barrier_world();
        return ISTHMUS_OK;
    });
}

int close_aggregator(isthmus_aggregator* aggregator, const char* routine) {
    if (!aggregator) return ISTHMUS_OK;
    if (Aggregator::handling()) return refuse_in_handler(routine);
    full(aggregator).finish();
    whole(routine, [] { barrier_world(); });
    {
        const std::lock_guard lock(heap_guard);
        heap.release(full(aggregator).memory());
    }
    delete static_cast<Aggregator*>(aggregator);
    return ISTHMUS_OK;
}

}  // namespace isthmus
