// The processes that the process manager has started on this host for this job, as /proc tells of
// them: which PEs do not come any more because theirs have ended. Whatever they ended by: nobody
// else tells of a process that has gone without a word.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/session/handshake.hpp"

namespace isthmus {

class HostProcesses {
  public:
    // `ranks`: of the PEs that the manager says are on this host; of one that does not say, none.
    // `job`: a number that no other job has.
    HostProcesses(std::vector<int> ranks, int me, std::uint64_t job);

    // As long as that lives the others of this host know that this PE is in shmem_init. None if
    // that cannot be told now.
    static Descriptor come(int rank, std::uint64_t job);
    // These have come and cannot have returned: who has its name no longer has ended.
    void expect(std::vector<int> ranks) { expected_ = std::move(ranks); }
    // It has been told which process is that PE's.
    void know(int rank, pid_t process) { known_[rank] = process; }
    // False: no process is judged.
    bool sees_manager() const { return manager_ != 0; }
    // Of those that have come one looks at the processes, so that they do not cost in squares.
    // While that one is stopped the next one does, so that it is looked at as well.
    bool is_chosen();
    const std::vector<int>& ranks() const { return ranks_; }
    // The manager's process that has started those of this host; 0: not known.
    static pid_t find_manager(int me);
    // For names that say whose process it is: its number, and what that number is known in.
    static std::string text_of_manager(pid_t manager);
    // Another one of this host has said why the job ends, and it may be that nobody else tells of
    // that.
    static bool is_end_told(pid_t manager);
    // From now on, and as long as this lives, this PE has.
    static Descriptor tell_end(pid_t manager);
    // Those of them that have not come.
    std::vector<int> late();

    // Those whose processes have ended, and that no other process was started as. `now` in seconds,
    // from any beginning. Most managers take away at once what is left of a process, so one that
    // was never seen has ended if none has been added for some time.
    std::vector<int> ended(double now);

    // Those whose processes have been stopped, by a signal, for so many seconds of the same clock.
    // One that a debugger holds has not.
    std::vector<int> stopped(double now, double longest);
    // Their processes.
    const std::vector<pid_t>& found_stopped() const { return found_stopped_; }

  private:
    static Descriptor take_name(const std::string& name);
    static std::string name_of_end(pid_t manager);
    // The process that has it, 0 if the kernel does not say; none: nobody of this user has.
    std::optional<pid_t> holder_of(const std::string& name);
    bool is_taken(const std::string& name) { return holder_of(name).has_value(); }
    static std::string name_of(int rank, std::uint64_t job);
    std::string name_of(int rank) const { return name_of(rank, job_); }
    std::string name_of_looker(std::size_t turn) const;
    // 0: not known.
    pid_t process_of(int rank);
    bool has_gone(int rank, double now);
    // PEs that live, children of the manager's or not.
    std::set<int> find_living() const;

    const std::vector<int> ranks_;
    const int me_;
    const std::uint64_t job_;
    const pid_t child_;                // of the manager: this process, or a shell around it
    const pid_t manager_;              // as find_manager()
    std::map<pid_t, int> seen_;        // with their ranks; -1: not known
    std::map<pid_t, double> stopped_;  // since when
    std::vector<pid_t> found_stopped_;
    std::map<int, double> gone_;          // ranks, since when
    double changed_ = 0;                  // when one was added
    std::map<std::string, pid_t> taken_;  // names of which it is known, and whose they are
    std::map<int, pid_t> known_;          // told, by rank
    std::vector<int> expected_;
    Descriptor turn_;  // the name of it, once this PE has one
    std::size_t my_turn_ = 0;
};

}  // namespace isthmus
