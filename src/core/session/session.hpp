// Coming into the job and leaving it, counted: every face (OpenSHMEM, the native interface) may
// initialise, in any order, and the last one to finalise closes.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/text.hpp"

namespace isthmus {

// Collective if it is the first. `thread_level` is SHMEM's number, 0 single to 3 multiple; the
// first caller decides.
void enter_session(int thread_level);
// Collective if it is the last.
void leave_session();

// This PE ends now, by a way on which no destructors run. If it has not finalised, that ends the
// job; else its process manager learns that it ends well.
void leave_at_once(const Text& how, int status);

// What is known of a quick_exit before its handlers run: its status.
void note_quick_exit(int status);

int session_count();  // calls of enter not yet matched
int session_thread_level();
// The thread that alone may call (base/this_thread.hpp); 0 if others may as well. Relaxed: changes
// with the session only.
extern std::atomic<std::uintptr_t> session_thread __attribute__((visibility("hidden")));

}  // namespace isthmus
