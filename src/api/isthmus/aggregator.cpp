// The aggregator (isthmus/aggregator.h).
#include "core/aggregator.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <string>

#include "api/isthmus/export.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/collective.hpp"
#include "core/heap.hpp"
#include "core/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

namespace {

constexpr std::size_t kLargestItem = 256;
constexpr std::size_t kStandardBuffer = 4096;
constexpr std::uint64_t kSmallestRing = 16384;
constexpr std::uint64_t kLargestRing = std::uint64_t{1} << 30;

Aggregator& full(isthmus_aggregator* aggregator) {
    return *static_cast<Aggregator*>(aggregator);
}

int refuse_in_handler(const char* routine) {
    return refuse(ISTHMUS_ARGUMENT, routine, "called from a handler, which may only push");
}

}  // namespace

ISTHMUS_API int isthmus_aggregator_create(isthmus_aggregator** aggregator, size_t item_size,
                                          size_t buffer, isthmus_handler handler, void* argument) {
    const char* routine = "isthmus_aggregator_create";
    begin(Routine::native_aggregator_finish);
    *aggregator = nullptr;
    if (item_size == 0 || item_size > kLargestItem)
        return refuse(ISTHMUS_ARGUMENT, routine,
                      "item_size " + std::to_string(item_size) + " is out of range 1.." +
                          std::to_string(kLargestItem));
    const std::uint64_t wanted = size(Setting::aggregator_ring, os::memory_size());
    const std::uint64_t ring = std::bit_ceil(std::clamp(wanted, kSmallestRing, kLargestRing));
    if (buffer == 0) buffer = kStandardBuffer;
    // At least four messages a ring, so that filling, waiting and handling overlap.
    buffer = std::min<std::size_t>(buffer, ring / 4 - kCell);
    check_agreement(routine, "item_size", item_size);
    const std::uint64_t bytes = Aggregator::layout_size(job.pes, ring);
    char* memory = nullptr;
    {
        const std::lock_guard lock(heap_guard);
        memory = static_cast<char*>(heap.allocate(bytes, 4096));
    }
    if (!memory)
        return refuse(ISTHMUS_NO_MEMORY, routine,
                      "no room for " + std::to_string(bytes) +
                          " bytes of rings in the symmetric heap; lower ISTHMUS_AGGREGATOR_RING or "
                          "raise SHMEM_SYMMETRIC_SIZE");
    std::memset(memory, 0, bytes);
    barrier_world();
    *aggregator = new Aggregator(memory, item_size, buffer, ring, handler, argument);
    barrier_world();
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_aggregator_destroy(isthmus_aggregator* aggregator) {
    if (!aggregator) return ISTHMUS_OK;
    if (Aggregator::handling()) return refuse_in_handler("isthmus_aggregator_destroy");
    begin(Routine::native_aggregator_finish);
    full(aggregator).finish();
    barrier_world();
    {
        const std::lock_guard lock(heap_guard);
        heap.release(full(aggregator).memory());
    }
    delete static_cast<Aggregator*>(aggregator);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_aggregator_push_slow(isthmus_aggregator* aggregator, int pe,
                                             const void* item) {
    if (static_cast<std::uint32_t>(pe) >= aggregator->pes)
        return refuse(ISTHMUS_ARGUMENT, "isthmus_aggregator_push",
                      "pe " + std::to_string(pe) + " is out of range 0.." +
                          std::to_string(aggregator->pes - 1));
    full(aggregator).push_slowly(pe, item);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_aggregator_flush(isthmus_aggregator* aggregator) {
    begin(Routine::native_aggregator_flush);
    full(aggregator).flush();
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_aggregator_progress(isthmus_aggregator* aggregator, size_t* handled) {
    if (Aggregator::handling()) return refuse_in_handler("isthmus_aggregator_progress");
    const std::size_t count = full(aggregator).progress();
    if (handled) *handled = count;
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_aggregator_finish(isthmus_aggregator* aggregator) {
    if (Aggregator::handling()) return refuse_in_handler("isthmus_aggregator_finish");
    begin(Routine::native_aggregator_finish);
    full(aggregator).finish();
    return ISTHMUS_OK;
}
