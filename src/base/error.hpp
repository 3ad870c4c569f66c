// Messages to the person who runs the job. One line each:
//     isthmus: PE 3 (host b): shmem_putmem: pe 9 is out of range 0..3
// printed once, where the cause is first known. docs/errors.md lists the texts; golden tests hold
// them.
#pragma once

#include <string>

namespace isthmus {

// Who speaks: set once the process knows its PE. Before that, messages have no "PE" part.
void set_speaker(int pe);

// "isthmus: PE 3 (host b): "
std::string speaker_prefix();

// One line on standard error, written by a single system call so that lines of several PEs do not
// mix. Safe from a signal handler if `text` is at hand.
void say(const char* text);
void say_from(const std::string& where, const std::string& what);

// Prints and ends the job with exit status 1 (every PE, by way of the launcher).
[[noreturn]] void fail(const std::string& where, const std::string& what);

// What fail() and shmem_global_exit do after the line is out; the job installs it.
using EndJob = void (*)(int status);
void set_end_job(EndJob end_job);

std::string host_name();

}  // namespace isthmus
