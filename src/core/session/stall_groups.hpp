// What the PEs of a job are doing, in few lines: those that do the same share one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/session/telling.hpp"

namespace isthmus {

// What one PE does, in the order in which it is told: who does not wait is what the others wait
// for, and first who is not there any more, or has left without a word and waits for the others;
// then who tests a word of its own in vain, then who waits for one, then who waits for other PEs:
// first those who wait for each other in a circle or for one of the former, then those who wait
// for these, and so on.
struct Doing {
    enum class Rank : std::uint8_t { gone, leaves, computing, tests, awaits_word, awaits_pe };
    int pe = 0;
    Rank rank = Rank::computing;
    std::string what;          // "in shmem_barrier_all", "has exited": of one PE
    std::uint64_t waited = 0;  // nanoseconds; 0: it does not wait
    int peer = -1;             // whom it waits for
    int team = 0;              // number of the team that it waits in; 0: of none
    Telling rest;              // ", watching flag (0; waits for == 1)"
};

// Lines without line ends, the cause first. More PEs than fit in a line are counted. `speaker` has
// told of itself already; -1: all are told of.
std::vector<std::string> describe_groups(std::vector<Doing> all, int speaker = -1);

// "PE 3", "PEs 0-2,5 and 60 more"
std::string name_pes(const std::vector<int>& pes);

// If each of these PEs waits or leaves and none of them can end it, or some wait for each other in
// a circle: why, for people. Else empty. They are all PEs of the job. Checked mode is no advice
// where it is on.
std::string why_nobody_ends_this(const std::vector<Doing>& all, bool is_checked = false);

// In front of that: who has gone on meanwhile, as `now` tells, or has waited for less than `least`
// nanoseconds, is no proof that nobody can end it. Such count as computing.
void doubt_what_moves(std::vector<Doing>& all, const std::vector<Doing>& now, std::uint64_t least);

// "30.0 s"
std::string seconds_text(std::uint64_t nanoseconds);

}  // namespace isthmus
