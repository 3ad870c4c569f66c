// Coming into the job and out of it: this PE's memory and its peers', mapped and compared.
#pragma once

namespace isthmus {

// Library constructor's part: reads the bootstrap variable and, for a job of several PEs, moves
// the executable's static data into the job file while the process has one thread.
void load_job();

// shmem_init's part; collective. Maps the heaps and the static data of all PEs. Ends the job with
// a message if that is impossible.
void attach_job();
void detach_job();

}  // namespace isthmus
