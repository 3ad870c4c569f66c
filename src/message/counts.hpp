// How many messages each handler has been given: with ISTHMUS_STATS, in programs whose calls are
// counted. Then no message goes to its handler straight away (handlers.hpp), so that it costs
// nothing without.
//
// Each PE counts in the internal part of its heap, so that one can tell for all of its host when
// the session ends, or the job ends otherwise.
#pragma once

#include "message/handlers.hpp"

namespace isthmus::messages {

// What a PE's counts take of that memory, behind the rings: and a line in front of them.
inline constexpr std::uint64_t kCountsSize = 64 + kHandlers * std::uint64_t{24};

// From now on; false, and nothing is counted, without the setting. Of a session.
bool begin_counts();
// Any thread.
void count(const Message& message);
// Writes a table for the PEs of this host, once: by its first PE where all are at the end of the
// session, else by whoever comes first. Also in handlers of signals: false in one that has
// interrupted the telling, which goes on when it returns.
bool report_counts(HandlerName (*name_of)(std::uint32_t id), AtEnd at_end);

}  // namespace isthmus::messages
