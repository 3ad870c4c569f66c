// What a face whose programs end as one (GASNet's) does at the end of the job. It sets this when
// its session begins; without such a face nothing is done.
#pragma once

namespace isthmus {

struct EndOfProgram {
    // This PE learns that another one ends the job: in its waits, where it may write its output or
    // end by itself. May not return.
    void (*is_told)() = [] {};
    // This PE ends now since the job does; by any of its threads, the transport's too. What it has
    // to say of that. Returns.
    void (*is_over)() = [] {};
    // This PE exits within its session with this status, and is about to leave with the others (0)
    // or to end the job. May not return.
    void (*before_exit)(int status) = [](int) {};
};
extern EndOfProgram end_of_program __attribute__((visibility("hidden")));

}  // namespace isthmus
