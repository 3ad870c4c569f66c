// A crash of the program's own: where, before the system ends the PE. The launcher's line comes
// behind it; where that cannot know the last noted call, this report names it.
#pragma once

#include <csignal>
#include <string>

namespace isthmus {

// Once, at set-up: what the report says is made ready, for in a crash there may be no memory; the
// calling thread gets a stack for handlers.
void prepare_crash_report();

// Where the calling thread's handlers run as long as this is there, unless it has a place already:
// its own stack may be what has ended.
class HandlerStack {
  public:
    HandlerStack();
    ~HandlerStack();
    HandlerStack(const HandlerStack&) = delete;
    HandlerStack& operator=(const HandlerStack&) = delete;

  private:
    void* place_ = nullptr;
};

struct Crash {
    int signal;
    const siginfo_t* info;
    void* context;            // of the handler: a ucontext_t
    const void* instruction;  // that faulted
    const char* access;       // "read of" or "write to"; null if it is not known
};

// A fault around the stack pointer, where nothing is mapped: the pages below a stack are not.
bool has_stack_ended(const Crash& crash);

// Of the program's own code, by addr2line within a second; empty: not known.
struct ProgramPlace {
    std::string inlined;  // "shmem_long_put": the library's operation that is inlined there
    std::string line;     // " (model.c:12)", where it is called
};
ProgramPlace place_in_source(const void* at);
inline std::string line_in_program(const void* at) {
    return place_in_source(at).line;
}

// The same of where the program has called the library.
std::string line_of_caller();

// In the handler of a fault: the address, and function, file and line of the top frames, by
// addr2line if that is there. Allocates nothing, and returns within seconds.
void say_crash(const Crash& crash);

// The line for a signal that somebody has sent, of which this PE dies. Likewise.
void say_sent_signal(int signal, const siginfo_t* info);

}  // namespace isthmus
