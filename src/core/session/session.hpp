// Coming into the job and leaving it, counted: every face (OpenSHMEM, the native interface) may
// initialise, in any order, and the last one to finalise closes.
#pragma once

namespace isthmus {

// Collective if it is the first. `thread_level` is SHMEM's number, 0 single to 3 multiple; the
// first caller decides.
void enter_session(int thread_level);
// Collective if it is the last.
void leave_session();

int session_count();  // calls of enter not yet matched
int session_thread_level();

}  // namespace isthmus
