// How the PEs of a job tell each other something before there is a transport: through the job file
// if all share one, else through the launcher's process manager.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace isthmus {

// A process manager's connection. Collective calls come in the same order at every PE.
class Exchange {
  public:
    virtual ~Exchange() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    // Everyone's `bytes` at everyone, by rank. Throws std::runtime_error if the manager fails.
    virtual void gather(const void* mine, std::size_t bytes, void* all) = 0;
    // Returns when all have called it.
    virtual void meet() = 0;
    // Ends the job, every process of it.
    virtual void end(int status) = 0;
    // At the end of a job that ends well.
    virtual void leave() = 0;
    virtual const char* name() const = 0;
};

// The manager of the launcher that started this process, by its environment; null if there is none.
// `why` says so if there is one that cannot be used. launch/bootstrap defines it.
std::unique_ptr<Exchange> find_exchange(std::string& why);

// What the environment alone says, before anything is opened: the rank, or -1.
int launched_rank();
// Processes that the environment speaks of, or 0 if it does not say.
int launched_size();

// Collective over the job: by the job file or the process manager. At set-up.
void gather(const void* mine, std::size_t bytes, void* all);

// Of a PE, for messages; "?" if not known.
std::string host_of(int pe);
// The lowest PE on the host of a PE: the same number at all PEs, wherever they are.
int first_on_host(int pe);

}  // namespace isthmus
