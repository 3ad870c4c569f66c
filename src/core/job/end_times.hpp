// When who speaks where a job does not go on. One fault is seen by several, and each knows
// something else of it: a PE of its host, those of other hosts, the launcher. One line is to come,
// from who knows most, so each waits for those that may know more. These are the times of that
// order, in seconds; what the user sets (ISTHMUS_DETECT_SECONDS and others) comes in front of them.
// docs/start-up.md says what comes out of it.
#pragma once

#include <cstdint>

namespace isthmus::end_times {

// Looks, from which the other times follow.
inline constexpr double kSlice = 0.05;        // of the clock of a wait; a limit is met so exactly
inline constexpr double kFirstLook = 0.3;     // into a wait; most are over by then
inline constexpr double kBetweenLooks = 0.5;  // at the processes of a host, by a PE or an agent

// What is seen once may be under way: a PE that ends with all others, one that is about to go on.
inline constexpr double kStandsStill = 0.9;  // stopped, once all have come
inline constexpr double kHandedOn = 0.9;     // had come, and has ended
inline constexpr double kSettled = 2;        // was never seen, and no process has been added since
inline constexpr int kGoneFor = 2;           // as an agent tells the launcher
// As long as a start has just begun those who come and end at once are asked each slice.
inline constexpr double kEarly = 2;

// The order. A host that sees the PE itself, or its process, speaks as soon as the limit is over.
// 1. The launcher by ssh sees the process of any host, and leaves the PEs of that host this time.
inline constexpr double kPesTurn = 1;
// 2. Hosts that see none of it leave those two this time.
inline constexpr double kNamersTurn = 3;
// 3. Of these the one of PE 0 is first. The others leave it this time, and then one another, by the
// first PE of each; a manager that is slow takes longer to end a job for the one that spoke.
inline constexpr double kOthersTurn = 3;
inline constexpr double kEachHost = 0.5;
inline constexpr int kMostHosts = 6;
inline constexpr double kEachHostSlow = 2.5;
inline constexpr int kMostHostsSlow = 3;

// The part of a manager on this host that has gone is seen by its other half as well.
inline constexpr double kManagersOtherHalf = 2;

// Who has spoken keeps its name for so long, so that no other one of its host speaks.
inline constexpr double kManagersTurn = 1;  // the manager ends all
inline constexpr double kHeard = 3;         // nobody else does: those of the host look for its word
// Who may not speak waits for the one that does: that it begins, and that it is heard.
inline constexpr double kSpeakerBegins = 1;
inline constexpr double kSpeakerIsHeard = 6;
// Before a line is given up as unread, in which a reader takes nothing.
inline constexpr double kReader = 1.25;
inline constexpr double kReaderOfOutput = 0.5;
// What ends others passes it on to those of its host, in front of the manager's own end of them.
inline constexpr double kPassedOn = 0.04;
// Who ends because a manager's call has failed lets it end all first.
inline constexpr double kManagersEnd = 2.5;
inline constexpr double kSlowManagersEnd = 5;

// And the process ends in any case.
inline constexpr unsigned kManagersTime = 5;  // to take the word that the job ends
inline constexpr unsigned kFarewellTime = 6;  // that a PE has ended; PMI-1 looks at the time itself
inline constexpr unsigned kLast = 5;          // behind the decision to end

// The launcher by ssh, of its agents.
inline constexpr double kHearing = 1;  // that it has heard of the end
inline constexpr double kTidying = 8;  // behind the last PE
inline constexpr double kSweep = 5;    // of that the search for processes that are left

static_assert(kFirstLook + kSlice < kBetweenLooks && 2 * kSlice < kStandsStill);
static_assert(kBetweenLooks < kStandsStill && kStandsStill < 2 * kBetweenLooks,
              "what is seen by one look alone is not told");
static_assert(kHandedOn + kBetweenLooks < kSettled && kHandedOn + kBetweenLooks < kGoneFor,
              "who has seen the process goes first");
static_assert(kBetweenLooks < kPesTurn, "a PE looks before the launcher tells of one that stopped");
static_assert(kPesTurn + 2 * kBetweenLooks < kNamersTurn && kSettled + kBetweenLooks < kNamersTurn,
              "the launcher, and whoever sees the process, speak before hosts that do not");
static_assert(kManagersOtherHalf < kNamersTurn);
static_assert(kManagersTurn + kReader + kReaderOfOutput < kOthersTurn,
              "the job has ended before the next host speaks");
static_assert(kPassedOn < kManagersTurn);
static_assert(2 * kBetweenLooks + kFirstLook < kHeard && kHeard < kLast,
              "all of a host have looked before who has spoken ends");
static_assert(kSpeakerBegins < kManagersTurn + kReader &&
              kReader + kManagersTurn < kSpeakerIsHeard);
static_assert(kReader + kReaderOfOutput < kManagersTime && kManagersTime <= kLast &&
              kLast <= kFarewellTime);
static_assert(kManagersTurn < kManagersEnd && kManagersEnd < kSlowManagersEnd);
static_assert(kHearing < kSweep && kSweep < kTidying, "an agent that tidies up is not given up");

constexpr std::uint64_t in_nanoseconds(double seconds) {
    return static_cast<std::uint64_t>(seconds * 1e9);
}

}  // namespace isthmus::end_times
