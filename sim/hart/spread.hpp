// One simulation in several processes: each has a range of the nodes and all of the machine's
// rules. What happens is the same as in one process: nodes run on their own in a phase anyway, and
// what they ask for in between is served in the machine's order, in which the processes take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace isthmus::sim {

class Spread {
  public:
    /// What the process whose turn it is tells the next one, and the last one all.
    struct State {
        bool active = false;   ///< a node has not used up its quantum
        bool alive = false;    ///< a node has not exited
        bool limited = false;  ///< a node has reached the limit of instructions
        bool ended = false;    ///< a node has ended the job: those that have not exited do so now
    };
    /// A turn with nodes [first, last) of this process.
    using Turn = std::function<void(unsigned first, unsigned last, State& state)>;

    virtual ~Spread() = default;
    /// The nodes of this process.
    virtual unsigned first() const = 0;
    virtual unsigned last() const = 0;
    bool owns(unsigned node) const { return node >= first() && node < last(); }
    using Read = std::function<bool(unsigned node, std::uint64_t address, void* to,
                                    std::size_t size, std::uint8_t rights)>;
    using Write = std::function<bool(unsigned node, std::uint64_t address, const void* from,
                                     std::size_t size, std::uint8_t rights)>;
    /// Called once, before anything runs: how others reach the memory of a node of this process.
    virtual void serve_memory(Read read, Write write) = 0;

    /// Goes through all nodes once, from node `start` up and round, and returns what the last turn
    /// left. All processes call it as often as all others. Serves the others while it waits.
    virtual State sweep(unsigned start, const Turn& turn) = 0;

    /// Memory of a node of another process, as AddressSpace::read and write; at most 4096 bytes.
    /// Only within a turn.
    virtual bool read(unsigned node, std::uint64_t address, void* to, std::size_t size,
                      std::uint8_t rights) = 0;
    virtual bool write(unsigned node, std::uint64_t address, const void* from, std::size_t size,
                       std::uint8_t rights) = 0;

    /// The texts of all processes, in order of their nodes, on each of them.
    virtual std::vector<std::string> gather(const std::string& text) = 0;

    /// All processes end with this code, which is no failure of theirs, once all have come here.
    [[noreturn]] virtual void end(int code) = 0;
};

}  // namespace isthmus::sim
