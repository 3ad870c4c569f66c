// Making and ending aggregators, for whichever face asks.
#pragma once

#include <cstddef>

#include "core/aggregation/aggregator.hpp"

namespace isthmus {

// Collective over all PEs. 0, or a refusal in the name of `routine`.
int open_aggregator(isthmus_aggregator** aggregator, std::size_t item_size, std::size_t buffer,
                    Handler handler, void* argument, const char* routine);
// Collective: everything pushed has been handled. Null: nothing happens.
int close_aggregator(isthmus_aggregator* aggregator, const char* routine);

// The library's own part behind what programs see.
inline Aggregator& full(isthmus_aggregator* aggregator) {
    return *static_cast<Aggregator*>(aggregator);
}

// Says that a handler may only push.
int refuse_in_handler(const char* routine);

}  // namespace isthmus
