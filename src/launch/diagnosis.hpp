// What the launcher tells the user about PEs: pure functions from a PE's end to a line of text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/job_layout.hpp"

namespace isthmus::launch {

struct PeEnd {
    int pe = 0;
    int wait_status = 0;  // as waitpid gives it
    PeState state = PeState::absent;
    Routine routine = Routine::none;
    bool out_of_memory = false;             // the kernel's out-of-memory killer has been at work
    Routine leaves_by = Routine::finalize;  // what it was to call first
    bool knows_call = true;                 // false: of another host, `routine` says nothing
};

// A call that begins a session; its PE is within it, the first time or again, until it has come to
// `running` behind it. Who leaves a session no longer has such a call for its last one.
bool is_init(Routine routine);
bool is_within_init(PeState state, Routine routine);

// "isthmus: PE 2 (host b): "
std::string pe_prefix(int pe, const std::string& host);

// "; last call shmem_put", or nothing for a program that is no Isthmus program.
std::string last_call(PeState state, Routine routine);

// The line for a PE that ended and should not have, without newline.
std::string describe_end(const PeEnd& end, const std::string& host);

// The line for a PE whose process has been stopped while another one waits, without newline.
std::string describe_stopped(int pe, const std::string& host, long process, double seconds,
                             int waiting);

// Whether this end ends the job: false if the PE exited with 0 where it may. An exit with another
// status after shmem_finalize lets the others finish: they no longer need this PE.
bool ends_job(const PeEnd& end);

// The exit status that this end gives the job: 0 if nothing is wrong with it.
int job_status(const PeEnd& end);

// Where these PEs are, or were when they ended: "shmem_barrier_all at PE 0, 2 and 3; none at PE 1".
std::string list_calls(const std::map<std::string_view, std::vector<int>>& by_call);
std::string describe_last_calls(const JobHeader& header, const std::vector<int>& pes);

// "0, 2-4 and 7"
std::string list_pes(const std::vector<int>& pes);

// How many processes the kernel has killed for want of memory since it started; 0 if it does not
// say.
std::uint64_t out_of_memory_kills();

}  // namespace isthmus::launch
