// Signals are the program's: a thread that the library starts inherits that all are blocked. But
// for those by which the processor stops an instruction of the thread's own: where they are blocked
// the system ends the process without asking its handlers, and nobody says what has crashed.
#pragma once

#include <pthread.h>

#include <csignal>

namespace isthmus {

// Of the calling thread, from its making to its end.
class BlockedSignals {
  public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
            sigdelset(&all, own);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace isthmus
