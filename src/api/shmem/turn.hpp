// Checked mode: the threads of a PE take turns in the collectives of a team. As long as a call has
// its turn, it stands in the team with its thread and its routine.
#pragma once

#include "api/shmem/export.hpp"
#include "core/job/job.hpp"
#include "core/job/team.hpp"

namespace isthmus::shmem {

// Ends the job with a message for a thread that may not call, or while another call has the turn:
// another thread's, or one that a handler of a signal has interrupted.
[[gnu::noinline]] void take_turn(Team& team, Routine routine);

// Nothing outside checked mode.
class Turn {
  public:
    Turn(Team& team, Routine routine) : team_(job.checked ? &team : nullptr) {
        if (team_) [[unlikely]]
            take_turn(team, routine);
    }
    // Release: partner is take_turn(), so that a program whose threads take turns is not told for
    // what the processor reorders.
    ~Turn() {
        if (team_) [[unlikely]]
            __atomic_store_n(&team_->user, 0, __ATOMIC_RELEASE);
    }
    // The team ends, and the turn with it: its place may be another's from then on.
    void end_with_team() { team_ = nullptr; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Team* team_;
};

}  // namespace isthmus::shmem
