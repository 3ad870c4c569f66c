// The processes that the process manager has started on this host for this job, as /proc tells of
// them: which PEs do not come any more because theirs have ended. Whatever they ended by: nobody
// else tells of a process that has gone without a word.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/session/handshake.hpp"

namespace isthmus {

class HostProcesses {
  public:
    // `ranks`: of the PEs that the manager says are on this host; of one that does not say, none.
    // `job`: a number that no other job has.
    HostProcesses(std::vector<int> ranks, int me, std::uint64_t job);

    // From now on the others of this host know that this PE waits in shmem_init.
    void come();
    // Of those that have come one looks at the processes, so that they do not cost in squares.
    bool is_chosen();
    const std::vector<int>& ranks() const { return ranks_; }
    // Those of them that have not come.
    std::vector<int> late();

    // Those whose processes have ended, and that no other process was started as. `now` in seconds,
    // from any beginning. Most managers take away at once what is left of a process, so one that
    // was never seen has ended if none has been added for kSettled.
    std::vector<int> ended(double now);

    // Those whose processes have been stopped, by a signal, for so many seconds of the same clock.
    // One that a debugger holds has not, nor one within a shell if it has already come.
    std::vector<int> stopped(double now, double longest);

  private:
    static constexpr double kSettled = 2;

    Descriptor take_name(const std::string& name) const;
    bool is_taken(const std::string& name);
    std::string name_of(int rank) const;
    std::string name_of_chosen() const;
    // PEs that live, children of the manager's or not.
    std::set<int> find_living() const;

    const std::vector<int> ranks_;
    const int me_;
    const std::uint64_t job_;
    const pid_t child_;          // of the manager: this process, or a shell around it
    const pid_t manager_;        // its process that has started those of this host; 0: not known
    std::map<pid_t, int> seen_;  // with their ranks; -1: not known
    std::map<pid_t, double> stopped_;  // since when
    double changed_ = 0;               // when one was added
    std::set<std::string> taken_;      // names of which it is known
    Descriptor come_;
    Descriptor chosen_;
};

}  // namespace isthmus
