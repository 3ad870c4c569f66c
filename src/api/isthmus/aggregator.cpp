// The aggregator (isthmus/aggregator.h).

#include "api/isthmus/export.hpp"
#include "core/aggregation/aggregation.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

ISTHMUS_API int isthmus_aggregator_create(isthmus_aggregator** aggregator, size_t item_size,
                                          size_t buffer, isthmus_handler handler, void* argument) {
    begin(Routine::native_aggregator_create);
    return open_aggregator(aggregator, item_size, buffer, handler, argument,
                           routine_name(Routine::native_aggregator_create));
}

ISTHMUS_API int isthmus_aggregator_destroy(isthmus_aggregator* aggregator) {
    if (aggregator) begin(Routine::native_aggregator_destroy);
    return close_aggregator(aggregator, routine_name(Routine::native_aggregator_destroy));
}

ISTHMUS_API int isthmus_aggregator_push_slow(isthmus_aggregator* aggregator, int pe,
                                             const void* item) {
    if (static_cast<std::uint32_t>(pe) >= aggregator->pes)
        return refuse(ISTHMUS_ARGUMENT, "isthmus_aggregator_push", "pe ", pe,
                      " is out of range 0..", aggregator->pes - 1);
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
