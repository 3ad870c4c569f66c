// A process ends when its last thread does: a program may end main's by pthread_exit and leave the
// rest to others. Threads of roads would keep it for ever, and who waits for this PE with it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace isthmus {

// While it lives, threads that come up are a process manager's library's (PMIx has one), and keep
// the process no more than those of roads. One at a time, before there are roads.
class HelperThreads {
  public:
    HelperThreads();
    HelperThreads(const HelperThreads&) = delete;
    HelperThreads& operator=(const HelperThreads&) = delete;
    ~HelperThreads();

  private:
    std::vector<pid_t> before_;
};

// The calling thread is one of the library's own.
void note_helper_thread();

// Whether the program has another thread than the calling one. One that a library below a road has
// made counts as the program's.
bool has_other_threads();

// Asked by one of the library's threads: whether all others sleep in calls of the system. If one of
// the program's asks it does not.
bool does_program_sleep();

// Whether such threads of the program's cannot go on while the calling one stays where it is: each
// waits without an end for another thread of this process, as those of OpenMP do that have nothing
// to do. To be asked again and again: twice in turn has to find them so, without a turn between.
// Where the system does not tell, they may go on; so may they where the program catches signals,
// since a handler may wake one.
bool do_others_wait_for_this_one();

// How often a thread has had a processor, of what the system writes in its schedstat. Empty: not
// known; a system that does not count it writes zeros.
std::string turns_in(const std::string& schedstat);

// From the thread of a road, again and again, or of one that begins behind main's where there are
// helpers; looks about once a second. If main's thread has ended
// and two looks find the same threads, all of roads or helpers, the process exits as it would
// without them. Threads that a library below a road has made for itself (some providers of
// libfabric's) count as the program's.
void look_for_program();

}  // namespace isthmus
