// GDB's remote serial protocol: one connection, all harts of all nodes as its threads.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/debug/gdb_connection.hpp"
#include "sim/debug/watch.hpp"
#include "sim/hart/machine.hpp"

namespace isthmus::sim {

/// Attach with `target remote localhost:PORT` from gdb-multiarch. Breakpoints, single steps,
/// registers (the e-registers included), memory, threads, watchpoints and interrupting work. A
/// signal that stopped a hart is passed on if the debugger says so, to the program's handler or to
/// end it. While the debugger holds one hart, all stand still; a step moves only the chosen hart.
/// The other nodes may have run on to the end of their round when one of them hits a breakpoint.
///
/// A watchpoint watches its address on every node, and remote accesses of other nodes, too: then
/// the node that has the memory is said to have stopped, and a line tells who did it.
class GdbServer {
  public:
    explicit GdbServer(Machine& machine);
    ~GdbServer();
    GdbServer(const GdbServer&) = delete;
    GdbServer& operator=(const GdbServer&) = delete;

    /// As GdbConnection.
    int listen(int port) { return connection_.listen(port); }
    /// Waits for the debugger and does what it says until the machine has ended (true) or it
    /// detaches or closes the connection (false): the machine may run on without it then. `killed`
    /// tells whether it asked to end the machine.
    bool serve();
    bool killed() const { return killed_; }

    /// Answers one packet; for tests. An empty answer means "not supported", as the protocol has
    /// it.
    std::string answer(std::string_view packet);

  private:
    struct Place {
        Node* node = nullptr;
        Hart* hart = nullptr;
    };

    /// All nodes; the chosen hart alone, as GDB does to step in software; that one by one
    /// instruction.
    enum class Move { all, alone, step };
    std::string resume(Move how, int signal);
    /// Shows a text in the debugger.
    void print(const char* text);
    template <HartObserver Observer>
    void move(Move how, std::span<Observer> observers);
    void take_hits();
    std::string next_hit(bool retarget);
    static int signal_in(std::string_view action);
    static int signal_number(std::string_view text);
    std::string stop_reply() const;
    static std::uint32_t number_of(const Place& place);
    static std::string thread_name(const Place& place);
    bool find_thread(std::string_view text, Place& place) const;
    void choose_live();
    std::string read_registers() const;
    bool write_registers(std::string_view hex);
    std::string read_register(unsigned number) const;
    bool write_register(unsigned number, std::uint64_t value);
    std::string transfer_features(std::string_view arguments) const;
    bool set_breakpoint(std::string_view arguments, bool insert);
    bool set_watchpoint(std::string_view arguments, Watch::Kind kind, bool insert);
    unsigned word_bytes() const;

    // Answers to packets; `text` is what stands behind the packet's name.
    static std::string status(bool good);
    std::string answer_read_register(std::string_view text);
    std::string answer_write_register(std::string_view text);
    std::string answer_read_memory(std::string_view text);
    std::string answer_write_memory(std::string_view text);
    std::string answer_choose_thread(std::string_view text);
    std::string answer_break(std::string_view text, bool insert);
    std::string answer_continue(std::string_view actions);
    std::string answer_threads() const;
    std::string answer_thread_info(std::string_view thread) const;

    Machine& machine_;
    Place current_;
    std::vector<Watch> watches_;
    std::vector<WatchObserver> watchers_;  // by node, while there are watchpoints
    /// Watched accesses of the last round that are still to be told, one a resume.
    struct Told {
        WatchHit hit;
        Node* by;  // whose hart did it
    };
    std::deque<Told> hits_;
    int signal_ = 5;
    std::uint32_t told_ = 0;  // one behind the hart of the last stop
    bool stopped_ = false, killed_ = false, detached_ = false;
    GdbConnection connection_;
};

}  // namespace isthmus::sim
