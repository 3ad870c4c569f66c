// What a PE that ends the job tells those of other hosts (Transport::say_end): the exit status, and
// whether somebody has read the line that says why. Where a part of the process manager has
// stopped, nobody reads what its PEs write, and another host's have to speak.
//
// The others of its host pass it on (pass_on_end): the process manager will kill them, too, and who
// has a connection to them alone must not take that for the cause.
#pragma once

#include "core/job/last_words.hpp"

namespace isthmus {

inline constexpr int kUnheard = 0x100;

constexpr int unheard(int status) {
    return (status & kExitStatus) | kUnheard;
}
constexpr bool is_unheard(int farewell) {
    return (farewell & kUnheard) != 0;
}

// Once: to whom there is a connection.
void pass_on_end(int farewell);
// Now and then, of the thread of a road.
void pass_on_end();
// In the handler of a signal that this PE dies of, behind the line that says so.
void tell_own_death(int signal);
// Likewise, to the process manager, which ends the others whatever this process was started in: at
// any time to our own, which hears nothing of it where that goes on; and within shmem_init, where
// not all have a connection yet, to whichever takes no more than a line.
void tell_manager_of_death(int signal);

}  // namespace isthmus
