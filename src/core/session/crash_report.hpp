// A crash of the program's own: where, before the system ends the PE. The launcher's line comes
// behind it; where that cannot know the last noted call, this report names it.
#pragma once

#include <csignal>

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

// In the handler of a fault: the address, and function, file and line of the top frames, by
// addr2line if that is there. Allocates nothing, and returns within seconds.
void say_crash(const Crash& crash);

// The line for a signal that somebody has sent, of which this PE dies. Likewise.
void say_sent_signal(int signal, const siginfo_t* info);

}  // namespace isthmus
