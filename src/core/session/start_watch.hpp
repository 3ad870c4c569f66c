// Watches the waits of a job of a process manager for which there is no road yet, or none any more:
// in the manager's own calls, and for the PEs of this host. A process manager lets the others wait
// for ever for a process that has ended without a word, that was stopped, or whose host was cut
// off.
//
// The process manager has to answer what it knows by itself within twice ISTHMUS_DETECT_SECONDS.
// Until all PEs have come, a PE whose process on this host has ended is noticed after a second,
// and one whose process there was stopped after the same time as above;
// else it is by ISTHMUS_STALL_SECONDS and ISTHMUS_JOIN_SECONDS: a program may take
// its time before it calls shmem_init. From then on by ISTHMUS_DETECT_SECONDS, twice: behind a cut
// that is to be survived, TCP's next attempt may be as late as the cut was long. A PE of this host
// that has ended is noticed as before; and one that stands still when that time is over is named.
// Who sees none gives those who may see one their turn to speak (core/job/end_times.hpp), and only
// then says that somewhere else not all go on. So it is at the end of shmem_finalize, where who has
// left with all others may end before they know.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/session/handshake.hpp"
#include "core/session/host_processes.hpp"

namespace isthmus {

// As limits are told.
std::string text_of_seconds(double time);

// From its making to its end a thread looks at the clock. One at a time: of the start, of later
// exchanges by the process manager (open_arenas), of the end.
class StartWatch {
  public:
    enum class Phase {
        asking,    // the process manager, who this PE is
        joining,   // nobody knows who is there
        all_here,  // all PEs are in shmem_init; which ones are on this host the manager may tell
        together,  // all PEs are in shmem_init, and those of this host are known
        sharing,   // and share a header, as far as they go on
        leaving    // all PEs are in shmem_finalize
    };
    // `routine`: what waits. `allowance`: so many seconds more than without.
    // `is_again`: a later shmem_init, whose PEs share a header already.
    StartWatch(int rank, Phase phase, const char* routine, double allowance = 0,
               bool is_again = false);
    StartWatch(const StartWatch&) = delete;
    StartWatch& operator=(const StartWatch&) = delete;
    ~StartWatch();

    // Before phase `joining`: the ranks of this host, as far as the manager says. From here on
    // those know that this PE has come.
    void know_host_ranks(std::vector<int> ranks);
    // Once all are together it is known who is on this host. Release: partner is the acquire of the
    // watch's thread.
    void enter(Phase phase) { phase_.store(phase, std::memory_order_release); }
    void end_joining() {
        if (phase_.load(std::memory_order_relaxed) == Phase::joining) enter(Phase::all_here);
    }

  private:
    void run();
    // Times in seconds.
    void look_around(Phase phase, double waited, double detect);
    // While it is not known who is there.
    void watch_joining(double waited);
    void watch_on(Phase phase, double waited, double detect);
    // As another one of this host has.
    void end_if_told();
    void end_if_some_have(Phase phase);
    void end_if_some_stopped(Phase phase, double waited, double detect);
    void learn_processes(Phase phase);
    // Where it stands whose process is whose.
    bool shares_header(Phase phase) const {
        return is_again_ || phase == Phase::sharing || phase == Phase::leaving;
    }
    // The PEs of this host, once all have come; none, if the manager did not tell.
    std::vector<int> known_here(Phase phase) const;
    std::string name_others(Phase phase) const;
    // False: told to end before the time was over.
    bool rest();

    const int rank_;
    const char* const routine_;
    const double allowance_;
    std::atomic<Phase> phase_;
    std::vector<int> host_ranks_;
    Descriptor came_;  // what they know it by
    const bool is_again_;
    double watched_ = 0;
    std::unique_ptr<HostProcesses> processes_;  // once a wait is long
    bool has_spoken_ = false;
    double next_look_ = 0;
    double next_hearing_ = 0;
    std::optional<pid_t> manager_;  // as HostProcesses::find_manager()
    std::mutex guard_;
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread thread_;
};

// A wait of this PE's for others, which a StartWatch sees.
class WatchedWait {
  public:
    WatchedWait() { note(true); }
    WatchedWait(const WatchedWait&) = delete;
    WatchedWait& operator=(const WatchedWait&) = delete;
    ~WatchedWait() { note(false); }
    // Relaxed: the watch only looks whether it is the same wait as before. An even number: none.
    static std::atomic<std::uint64_t>& count();

  private:
    static void note(bool waits);
};

// The watch of the start: from the first word with the process manager, or from the beginning of a
// later shmem_init, to the end of it.
void begin_start_watch(int rank, StartWatch::Phase phase, bool is_again);
void note_host_ranks(std::vector<int> ranks);
void note_start_phase(StartWatch::Phase phase);
// PMIx ends the first exchange where one that had come has died: then all had.
void note_failed_exchange();
void end_start_watch();

}  // namespace isthmus
