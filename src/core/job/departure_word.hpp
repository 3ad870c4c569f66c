// How a PE has left its session or is leaving it, as one word that goes between PEs.
#pragma once

#include <cstdint>

#include "base/text.hpp"
#include "core/job/job_layout.hpp"

namespace isthmus {

// 0 if it is not leaving, else for departure_text(). It may be seen late, from a network, when the
// PE is there again; so it tells which departure of that PE it was.
inline std::uint64_t departure_word(const PeStatus& pe) {
    // Acquire: partner is leave_together.
    const auto how = static_cast<std::uint32_t>(pe.departure.load(std::memory_order_acquire));
    const auto round = static_cast<std::uint16_t>(pe.departures.load(std::memory_order_relaxed));
    const auto routine = static_cast<std::uint32_t>(pe.routine.load(std::memory_order_relaxed));
    return how == 0 ? 0 : std::uint64_t{routine} << 32 | std::uint64_t{round} << 16 | how;
}

// Else it says what the PE does (activity.hpp), or nothing.
inline bool is_departure(std::uint64_t word) {
    return (word & 0xffff) != 0;
}

// Whether `word` is of a departure that the PE `mine` has not begun: not of one that is over.
inline bool has_left_before(std::uint64_t word, const PeStatus& mine) {
    const std::uint64_t begun = mine.departures.load(std::memory_order_relaxed);
    return is_departure(word) &&
           static_cast<std::uint16_t>(word >> 16) != static_cast<std::uint16_t>(begun);
}

// "exited", "called shmem_finalize". The word may come from a network.
inline Text departure_text(std::uint64_t word) {
    if (static_cast<Departure>(word & 0xffff) == Departure::exit) return Text("exited");
    return Text("called ", routine_name(static_cast<Routine>(word >> 32)));
}

}  // namespace isthmus
