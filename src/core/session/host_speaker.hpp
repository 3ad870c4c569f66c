// Who of a host's PEs says why a start does not go on, before they share anything by which one of
// them could be chosen.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

namespace isthmus {

// The manager's name for the job, from when it is known.
void note_job_name(const std::string& name);
// From it; 0: not known yet.
std::uint64_t job_number();

// At the end of a start there may be no room for the file by which one of a host's PEs is chosen:
// from its beginning, and until all have come.
void hold_parents_entry();
void let_parents_entry_go();

// As fail(), where the PEs of a host may all come to know of one reason and do not share a header
// yet, in which the first could be noted.
// `stopped`: processes that are killed, where the manager may not reach them.
[[noreturn]] void fail_once_on_host(const char* routine, const std::string& text,
                                    std::span<const pid_t> stopped = {});
// The same in front of all that: the manager has not been asked yet, and is told now if that takes
// no more than some lines. Else it, or who waits for this PE, would tell of an end without a cause.
[[noreturn]] void fail_before_manager(const char* routine, const std::string& text);

}  // namespace isthmus
