// The connection to the process manager that started this job, if one did.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "core/job/exchange.hpp"

namespace isthmus {

// Looks for it. False, and perhaps why, if there is none.
bool find_manager(std::string& why);
// Null if our own launcher has started the job, or nobody.
Exchange* process_manager();
// It is the one that `isthmus run` starts on other hosts, which tells how every PE ends.
bool has_own_manager();
// It takes some seconds to end a job, in which the others are not to speak.
bool is_manager_slow();

// It says nothing of a PE that returns another status than 0.
bool is_manager_silent();

// Behind one of its calls that has failed: it may be about to end this process for what it has said
// itself, or a mate has ended, which a watch of this wait will name.
void await_managers_end();

// The part of a barrier that goes beyond the header; nothing if all PEs share it.
void meet_other_hosts();

// To our own: from here on this PE is within shmem_init, or no longer.
void tell_manager_of_start(bool is_in_it);
// Likewise: it has left its last session, and may become another program.
void tell_manager_of_leave();

// The last word to the process manager of a PE that exits with this status; nothing without one.
void leave_manager(int status);
// The same where nothing may follow but the end: also from a handler of a signal.
void leave_manager_at_once(int status);

// Tells the process manager that the job ends badly; nothing without one.
void end_managed_job(int status);
// The same for a program that leaves before its time: others of this host write their output first.
void end_managed_job_of_leaver(int status);
// The same, and kills these processes once what was said of them has been read.
void end_managed_job(int status, std::span<const pid_t> stopped);

}  // namespace isthmus
