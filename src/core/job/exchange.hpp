// How the PEs of a job tell each other something before there is a transport: through the job file
// if all share one, else through the launcher's process manager.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace isthmus {

// A process manager's connection. Collective calls come in the same order at every PE.
class Exchange {
  public:
    virtual ~Exchange() = default;
    // First of all, what the others build on. end() works before it and amid it: a handler of a
    // signal may leave then. Throws std::runtime_error.
    virtual void begin() {}
    virtual int rank() const = 0;
    virtual int size() const = 0;
    // The manager's name for the job: the same at all its PEs, and no other job's.
    virtual std::string job_name() const = 0;
    // What a PE takes: all that a rank gives.
    struct Part {
        int rank;
        void* to;
        std::size_t bytes;
    };
    // Each gives `bytes` (0: nothing) and takes the parts it names. Throws std::runtime_error if
    // the manager fails, or a rank gives something else.
    virtual void share(const void* mine, std::size_t bytes, std::span<const Part> parts) = 0;
    // Returns when all have called it.
    virtual void meet() = 0;
    // The ranks that the manager has started on this host; of one that does not say, none.
    virtual std::vector<int> host_ranks() = 0;
    // Ends the job, every process of it.
    virtual void end(int status) = 0;
    // Whether end() is a line that allocates nothing and that all hosts hear of at once: a handler
    // of a signal may call it. Else parts of the manager pass it on, which takes seconds.
    virtual bool ends_at_once() const { return false; }
    // The process that had the other end of the connection, if that is closed; 0: it is not, or
    // nobody knows whose it was.
    virtual pid_t who_hung_up() const { return 0; }
    // What only the manager of `isthmus run` takes: whether this PE is within shmem_init, and what
    // end() is to say, which it prints if it has nothing else to print of this end. Nothing: the
    // program ends the job on purpose. False: this one takes none.
    virtual void note_start(bool /*is_in_it*/) {}
    // Likewise, that this process dies of a signal: the job ends for it, and this one is named
    // where nobody else has said anything. From the signal's handler. False: this one takes none.
    virtual bool note_death(int /*signal*/) { return false; }
    // Likewise, that this PE has left its last session: what the process does from here on is its
    // own affair, until note_start(). Nobody waits for an answer.
    virtual void note_leave() {}
    virtual bool take_last_words(const std::string& /*line*/) { return false; }
    // Whether it says itself that a PE has ended with another status than 0.
    virtual bool tells_status() const { return true; }
    // At the end of a job that ends well.
    virtual void leave() = 0;
    virtual const char* name() const = 0;
};

}  // namespace isthmus
