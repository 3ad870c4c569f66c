// How the PEs of a job tell each other something before there is a transport: through the job file
// if all share one, else through the launcher's process manager.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace isthmus {

// A process manager's connection. Collective calls come in the same order at every PE.
class Exchange {
  public:
    virtual ~Exchange() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
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

// Collective over the job, at set-up, once it is known who is on which host: everyone's bytes at
// everyone, by PE; and those of each host's first PE, by host_number().
void gather(const void* mine, std::size_t bytes, void* all);
void gather_of_hosts(const void* mine, std::size_t bytes, void* all);
// Before that: by the process manager alone, for few bytes, by rank.
void gather_by_groups(Exchange& exchange, const void* mine, std::size_t bytes, void* all);

// Of a PE, for messages.
std::string host_of(int pe);
// The lowest PE on the host of a PE: the same number at all PEs, wherever they are.
int first_on_host(int pe);

}  // namespace isthmus
