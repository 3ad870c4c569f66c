// Extension: aggregation (shmemx.h). The push is inlined from the header.
#include <shmemx.h>

#include "api/shmem/export.hpp"
#include "api/shmem/turn.hpp"
#include "core/aggregation/aggregation.hpp"
#include "core/wait/wait.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

ISTHMUS_API int shmemx_aggregate_create(size_t item_size, size_t buffer, shmemx_handler_t handler,
                                        void* argument, shmemx_aggregate_t* aggregate) {
    const char* routine = begin(Routine::extension_aggregate_create);
    const Turn turn(isthmus_team_world, Routine::extension_aggregate_create);
    return open_aggregator(aggregate, item_size, buffer, handler, argument, routine);
}

ISTHMUS_API int shmemx_aggregate_destroy(shmemx_aggregate_t aggregate) {
    const char* routine = begin(Routine::extension_aggregate_destroy);
    const Turn turn(isthmus_team_world, Routine::extension_aggregate_destroy);
    return close_aggregator(aggregate, routine);
}

ISTHMUS_API int shmemx_aggregate_flush(shmemx_aggregate_t aggregate) {
    begin(Routine::extension_aggregate_flush);
    full(aggregate).flush();
    return ISTHMUS_OK;
}

ISTHMUS_API int shmemx_aggregate_progress(shmemx_aggregate_t aggregate, size_t* handled) {
    const char* routine = "shmemx_aggregate_progress";
    require_open(routine);
    if (Aggregator::handling()) return refuse_in_handler(routine);
    const std::size_t count = full(aggregate).progress();
    if (handled) *handled = count;
    return ISTHMUS_OK;
}

ISTHMUS_API int shmemx_aggregate_finish(shmemx_aggregate_t aggregate) {
    if (Aggregator::handling()) return refuse_in_handler("shmemx_aggregate_finish");
    begin(Routine::extension_aggregate_finish);
    full(aggregate).finish();
    return ISTHMUS_OK;
}
