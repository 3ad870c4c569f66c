// How a PE has left its session or is leaving it, as one word that goes between PEs.
#pragma once

#include <cstdint>

#include "base/text.hpp"
#include "core/job/job_layout.hpp"

namespace isthmus {

// 0 if it is not leaving, else for departure_text(). It may be seen late, from a network, when the
// PE is there again; so it tells which departure of that PE it was.
//     63..48 allocations, the low bits   47..32 routine   31..16 departures   15..0 how
inline std::uint64_t departure_word(const PeStatus& pe) {
    // Acquire: partner is leave_together.
    const auto how = static_cast<std::uint32_t>(pe.departure.load(std::memory_order_acquire));
    const auto round = static_cast<std::uint16_t>(pe.departures.load(std::memory_order_relaxed));
    const auto routine = static_cast<std::uint32_t>(pe.routine.load(std::memory_order_relaxed));
    const std::uint64_t allocations = pe.allocations.load(std::memory_order_relaxed);
    static_assert(static_cast<std::uint32_t>(Routine::count) < 1u << 16);
    // What it is about to end by is not its leave. Relaxed: a report takes its time.
    const bool tells_end = pe.has_told_end.load(std::memory_order_relaxed) != 0;
    return how == 0 || tells_end ? 0
                                 : allocations << 48 | std::uint64_t{routine & 0xffff} << 32 |
                                       std::uint64_t{round} << 16 | how;
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

// A count of another PE's of which only the `bits` lowest bits of `low` are known: the one nearest
// to `mine`, this PE's, that ends so.
constexpr std::uint64_t nearest_count(std::uint64_t mine, std::uint64_t low, unsigned bits) {
    const std::uint64_t round = std::uint64_t{1} << bits;
    const std::uint64_t ahead = (low - mine) & (round - 1);
    const bool is_behind = ahead >= round / 2 && mine >= round - ahead;
    return mine + ahead - (is_behind ? round : 0);
}

// "exited", "called shmem_finalize". The word may come from a network.
inline Text departure_text(std::uint64_t word) {
    if (static_cast<Departure>(word & 0xffff) == Departure::exit) return Text("exited");
    return Text("called ", routine_name(static_cast<Routine>(word >> 32 & 0xffff)));
}

}  // namespace isthmus
