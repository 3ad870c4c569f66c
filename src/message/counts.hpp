// How many messages each handler has been given: with ISTHMUS_STATS, in programs whose calls are
// counted. Then no message goes to its handler straight away (handlers.hpp), so that it costs
// nothing without.
//
// Each PE counts in the internal part of its heap, so that one can tell for all of its host when
// the session ends.
#pragma once

#include "message/handlers.hpp"

namespace isthmus::messages {

// What a PE's counts take of that memory, behind the rings.
inline constexpr std::uint64_t kCountsSize = kHandlers * std::uint64_t{24};

// From now on; false, and nothing is counted, without the setting. Of a session.
bool begin_counts();
// Any thread.
void count(const Message& message);
// At the end of a session, where all PEs are: the first PE of a host writes a table.
void report_counts(HandlerName (*name_of)(std::uint32_t id));

}  // namespace isthmus::messages
