// The machine: nodes, each with its memory and harts, and what connects them functionally.
//
// Execution goes in rounds. In a round every node runs up to one quantum of instructions. A node
// stops early where it needs something outside itself (a remote access, a system call); when all
// have stopped, those requests are served one after the other in an order that depends on the seed
// and the round alone, and the nodes go on. What happens therefore does not depend on the number of
// host threads that run the nodes.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/hart/elf.hpp"
#include "sim/hart/hart.hpp"
#include "sim/hart/observer.hpp"
#include "sim/hart/spread.hpp"

namespace isthmus::sim {

class Machine;
class RdmaNic;
struct Node;

struct MachineOptions {
    unsigned nodes = 1;  // 1..1024
    Profile profile = Profile::b;
    bool strict_e = false;
    bool translate = true;  // hot code to host code; changes nothing but speed
    std::uint64_t memory_bytes = std::uint64_t{2}
                                 << 30;  // bare metal: DRAM of a node; committed when touched
    std::uint64_t shared_bytes = std::uint64_t{64} << 20;  // the region that e12 and e13 announce
    std::uint64_t quantum = 5000;                          // instructions per round and node
    std::uint64_t seed = 0;
    unsigned threads = 1;                // host threads
    std::uint64_t max_instructions = 0;  // per node; 0: no limit
    bool host_clock = false;             // real time instead of one nanosecond per instruction
    Spread* spread = nullptr;            // other processes have the other nodes; kept by the caller
    std::vector<std::string> arguments;  // argv of a Linux program, its name first
    std::vector<std::string> environment;
};

/// Where namespaces lead. Namespace 0 is the own node, p + 1 is node p, unless told otherwise.
class NamespaceTable {
  public:
    static constexpr unsigned kUnmapped = ~0u;

    explicit NamespaceTable(unsigned own, unsigned nodes) : own_(own), nodes_(nodes) {}

    unsigned node_of(std::uint64_t name_space) const {
        if (name_space == 0) return own_;
        if (!overrides_.empty()) {
            if (const auto found = overrides_.find(name_space); found != overrides_.end())
                return found->second;
        }
        return name_space <= nodes_ ? static_cast<unsigned>(name_space - 1) : kUnmapped;
    }
    /// Maps a namespace to a node, or to nothing with kUnmapped. Namespace 0 stays what it is.
    void set(std::uint64_t name_space, unsigned node) {
        if (name_space != 0) overrides_[name_space] = node;
    }

  private:
    unsigned own_, nodes_;
    std::unordered_map<std::uint64_t, unsigned> overrides_;
};

/// What a node did, for statistics.
struct NodeCounters {
    std::uint64_t remote_loads = 0, remote_stores = 0, remote_atomics = 0, bulk_transfers = 0;
    std::uint64_t remote_bytes = 0;     // moved by any of them
    std::uint64_t local_namespace = 0;  // of those, the ones that lead to the own node
    std::uint64_t system_calls = 0, yields = 0;
};

/// The environment of the programs of a node: serves what harts cannot do themselves.
class Environment {
  public:
    virtual ~Environment() = default;
    /// After Stop::system_call or kHostCall, and after Stop::trap when traps are not delivered.
    virtual void serve(Node& node, Hart& hart) = 0;
    /// Called when no hart of the node can run; wakes what a passed time wakes. False: nothing will
    /// ever. With the host's clock it skips no time but says in Node::wakes_at when to look again.
    virtual bool wake_sleepers(Node& node) = 0;
    /// Before each round, with nothing running.
    virtual void before_round(Node&) {}
    /// A debugger sends a signal (Linux' number) to a hart's program. False: it knows no signals.
    virtual bool send_signal(Hart&, int) { return false; }
    /// A fault that comes late has to wait: the program handles another one and has it blocked.
    virtual bool holds_faults(const Hart&) const { return false; }
    /// The node's RDMA NIC, if the environment has one.
    virtual RdmaNic* rdma_nic() { return nullptr; }
};

struct Node {
    Node(unsigned number, unsigned nodes) : id(number), namespaces(number, nodes) {}

    unsigned id;
    AddressSpace memory;
    std::vector<std::unique_ptr<Hart>> harts;
    std::vector<bool> runnable;  // by hart
    NamespaceTable namespaces;
    NodeCounters counters;
    std::unique_ptr<Environment> environment;
    bool exited = false;
    bool in_job = false;  // its end with a code other than 0 ends all nodes
    int exit_code = 0;

    // Scheduling state of the current round.
    std::int64_t quota = 0;
    std::size_t current = 0;
    bool wants_service = false;

    std::uint64_t retired() const {
        std::uint64_t total = 0;
        for (const auto& hart : harts)
            total += hart->instret;
        return total;
    }
    std::uint64_t trapped() const {
        std::uint64_t total = 0;
        for (const auto& hart : harts)
            total = std::accumulate(hart->trap_counts.begin(), hart->trap_counts.end(), total);
        return total;
    }
    /// When the environment wants before_round() called even if the program does not stop, in
    /// nanoseconds().
    std::uint64_t alarm = ~std::uint64_t{0};

    /// The time of the node. A model may keep it; else an instruction takes a nanosecond, and harts
    /// run beside each other, so that the busiest one of a round counts.
    std::uint64_t nanoseconds() const {
        if (clock) return clock() + slept;
        std::int64_t busiest = 0;
        for (const auto& hart : harts)
            busiest =
                std::max(busiest, static_cast<std::int64_t>(hart->instret - hart->round_instret));
        return before_round + slept + static_cast<std::uint64_t>(busiest);
    }
    void begin_round_of_time() {
        before_round = nanoseconds() - slept;
        for (const auto& hart : harts)
            hart->round_instret = hart->instret;
    }
    std::function<std::uint64_t()> clock;
    std::uint64_t before_round = 0;
    std::uint64_t slept = 0;  // while no hart could run; what a clock does not have yet
    /// With the host's clock, while no hart can run: when time lets one, in nanoseconds(); 0:
    /// others have to.
    std::uint64_t wakes_at = 0;
};

/// What the simulator itself ends with. A bare-metal program's code may have more than eight bits;
/// no failure becomes success.
inline int exit_status(int code) {
    return (code & 0xff) != 0 || code == 0 ? code & 0xff : 255;
}

/// Puts the program into a node and gives it its first hart and its environment.
using Boot = std::function<void(Machine&, Node&)>;

/// Harts at the same place with the same callers: together, so that one who is elsewhere is seen.
struct Whereabouts {
    std::string place;
    std::vector<std::string> harts;
};
void add_harts(std::vector<Whereabouts>& all, const Whereabouts& more);
/// In lines, some of them if there are many.
std::string describe(const std::vector<Whereabouts>& all);

class Machine {
  public:
    /// Boots every node. Throws std::runtime_error with a text for the user.
    Machine(Program program, MachineOptions options, const Boot& boot);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Program& program() const { return program_; }
    const MachineOptions& options() const { return options_; }
    const Decoder& decoder() const { return decoder_; }
    std::vector<std::unique_ptr<Node>>& nodes() { return nodes_; }

    /// Runs until every node has exited or the instruction limit is reached; `observers` holds one
    /// per node. Returns true if all have exited. Callers include machine_rounds.hpp.
    template <HartObserver Observer>
    bool run(std::span<Observer> observers);
    /// Without observers.
    bool run();
    /// True if this process simulates the node.
    bool owns(unsigned node) const {
        return options_.spread == nullptr || options_.spread->owns(node);
    }
    /// One round; false when there is nothing left to run. For callers that want to look in
    /// between.
    template <HartObserver Observer>
    bool round(std::span<Observer> observers);

    /// Serves the remote access a hart waits for: moves the data, writes its register or makes it
    /// trap; true if the access took place. A timing model moves the data itself and calls this for
    /// an access that it has found to fault.
    bool serve_remote(Node& from, Hart& hart);
    /// Serves whatever a hart stopped for.
    void serve(Node& node, Hart& hart);

    /// Adds a hart to a node. Its xBGAS registers follow the conventions at reset: e10 the node,
    /// e11 the number of nodes, e12 and e13 size and base of the shared region, e14 the base of the
    /// barrier area. Not while others run.
    Hart& add_hart(Node& node, bool emulate_linux);
    /// The shared region, the same on every node; the 256 bytes behind it are for a barrier.
    void set_shared_region(std::uint64_t base, std::uint64_t size) {
        shared_base_ = base;
        shared_size_ = size;
    }

    /// Ends a node; all of them if it is part of a job and the code is not 0.
    void exit_node(Node& node, int code);
    /// Ends those that have not ended.
    void exit_nodes(int code);
    /// Ends all nodes on behalf of one, with its code.
    void end_job(Node& node, int code);
    /// Why a hart of the node trapped, in words, the place of a remote access included.
    static std::string describe_trap(const Node& node, const Trap& trap);
    /// Where a hart is; for the first node that is asked about registers and back trace, too.
    std::string report(const Node& node, const Hart& hart);
    /// Where the nodes of this process are that have not ended, for a run that is cut off.
    std::vector<Whereabouts> running() const;

    /// Exit code of the machine: that of the lowest node with a code other than 0.
    int exit_code() const;
    std::uint64_t retired() const;
    bool limit_reached() const { return limit_reached_; }
    /// Where error and crash texts go; stderr by default.
    std::function<void(const std::string&)> complain;
    /// Asked first when a hart stops at a breakpoint or with a trap nobody in the machine handles;
    /// true if it has taken care of it. Told when an observer stops one. A debugger sits here.
    std::function<bool(Node&, Hart&)> on_stop;
    /// Called about every 50 ms of host time from run(), with nothing running.
    std::function<void()> on_progress;

  private:
    /// The address and what it belongs to.
    std::string place(std::uint64_t address) const;
    /// pc and ra, then what on the stack looks like a return address.
    std::vector<std::uint64_t> back_trace(const Node& node, const Hart& hart,
                                          std::size_t most) const;
    template <HartObserver Observer>
    void advance(Node& node, Observer& observer);
    void begin_round();
    void begin_round(Node& node);
    std::size_t first_of_round() const;
    bool end_phase();
    void rest() const;
    void tick_progress();
    template <HartObserver Observer>
    bool run_spread(std::span<Observer> observers);
    Spread::State begin_spread_round();
    Spread::State end_spread_phase();
    void note_spread(unsigned first, unsigned last, Spread::State& state) const;
    Spread::State agree(Spread::State state);
    void end_job_elsewhere();
    template <class Act>
    static bool at_node(Node& node, std::uint64_t address, std::size_t size, AccessType type,
                        Act&& act);
    /// Of a node of this process.
    bool read_here(unsigned node, std::uint64_t address, void* to, std::size_t size,
                   std::uint8_t rights);
    bool write_here(unsigned node, std::uint64_t address, const void* from, std::size_t size,
                    std::uint8_t rights);
    bool read_node(unsigned node, std::uint64_t address, void* to, std::size_t size,
                   std::uint8_t rights);
    bool write_node(unsigned node, std::uint64_t address, const void* from, std::size_t size,
                    std::uint8_t rights);

    Program program_;
    MachineOptions options_;
    Decoder decoder_;
    std::uint64_t shared_base_ = 0, shared_size_ = 0;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<Node*> active_;
    std::uint64_t rounds_ = 0;
    bool limit_reached_ = false, job_ended_ = false;
    std::optional<unsigned> reported_;  // the first node that report() was asked about
    bool shortened_ = false;
    std::uint64_t next_progress_ = 0;
    /// Tells the observer of a trap that the hart did not see itself.
    std::function<void(const Node&, const Hart&, std::uint64_t)> tell_trap_;
};

}  // namespace isthmus::sim
