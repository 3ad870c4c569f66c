// What executes instructions tells the core model, and what it hears back.
//
// An InstructionSource (a hart of the functional machine, a test's script) executes an instruction,
// reports its local memory accesses or its one remote access to CoreTiming, then calls retire(). It
// stops when that returns false: the core waits, or its window of simulated time is over. It is run
// again later and goes on with the next instruction.
//
// Remote operations return no value at once. The NIC answers through remote_completed(). With
// `blocking` the core waits for that right behind the instruction; without, the operation is
// *posted*: it has no result, and a fence waits for it. With core.remote_loads above 1 a load names
// the registers that it writes and does not block: the source must execute nothing that touches
// them before it has ended (CoreTiming::holds()).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine/machine.hpp"
#include "sim/network/packet.hpp"

namespace isthmus::sim {

/// What addresses are translated by: a page table (satp) and whose accesses they are.
struct TranslationView {
    std::uint64_t table = 0;  ///< 0: they are physical
    std::uint8_t rights = 0;  ///< the source's own bits
    bool operator==(const TranslationView&) const = default;
};

/// What translation buffers miss: page tables, or what stands for them. A question leaves no trace.
class TranslationSource {
  public:
    struct Walk {
        bool found = false;
        bool global = false;
        std::uint8_t page_bits = 12;
        std::uint8_t reads = 0;                  ///< of page tables
        std::array<std::uint64_t, 3> entries{};  ///< where
        std::uint64_t physical = 0;
    };
    enum class Access : std::uint8_t { fetch, load, store };

    virtual Walk walk(const TranslationView& view, std::uint64_t address, Access access) = 0;
    virtual std::uint64_t asid(const TranslationView& view) const = 0;
    /// What the addresses of others' requests are translated by.
    virtual TranslationView request_view() const = 0;
    /// Where such a request really goes, now; false: it is refused.
    virtual bool request_address(std::uint64_t address, bool writes, std::uint64_t& physical) = 0;
    /// The same for a node's own address in namespace 0.
    virtual bool own_address(const TranslationView& view, std::uint64_t address, bool writes,
                             std::uint64_t& physical) = 0;

  protected:
    ~TranslationSource() = default;
};

struct TranslationStatistics {
    std::uint64_t instruction_misses = 0, data_misses = 0;  ///< of the first level
    std::uint64_t l2_hits = 0, walks = 0, walk_reads = 0, fences = 0;
};

/// What the pipeline needs to know of an instruction.
enum class TimingClass : std::uint8_t {
    integer,
    multiply,
    divide,
    floating,
    float_divide,
    load,
    store,
    atomic,  ///< local read-modify-write, LR and SC
    branch,  ///< conditional
    jump,    ///< JAL, JALR that is neither call nor return
    call,
    return_jump,
    system,  ///< CSR access, ECALL, traps: drains the pipeline
    fence,   ///< completes what its predecessor set names
    remote,  ///< any xBGAS access
    count,
};

/// Registers: 0..31 integer, 32..63 floating point, 64..95 extended. 0 (x0) means none.
using RegisterId = std::uint8_t;
inline constexpr unsigned kRegisters = 96;

inline constexpr std::uint8_t kFullFence = 0xff;

struct RetiredInstruction {
    std::uint64_t pc = 0;
    std::uint64_t next_pc =
        0;  ///< where execution goes on: a branch is taken if this is not pc + length
    TimingClass kind = TimingClass::integer;
    std::uint8_t length = 4;
    RegisterId destination = 0, source1 = 0, source2 = 0, source3 = 0;
    std::uint8_t fence =
        kFullFence;  ///< a fence's sets, as in its word: predecessors << 4 | successors
};

/// Of a fence's sets: reads are loads and device input, writes are stores and device output.
inline constexpr std::uint8_t kFenceReads = 0xa, kFenceWrites = 0x5;

enum class AccessKind : std::uint8_t {
    load,
    store,
    atomic,  ///< needs the right to write, and the old value
};

enum class RemoteKind : std::uint8_t {
    load,
    store,
    atomic,
    bulk_get,
    bulk_put,
    nothing,  ///< completes and moves nothing, which nobody counts: of an RDMA NIC alone
};

/// Answer to a remote operation.
enum class RemoteStatus : std::uint8_t {
    done,
    unmapped,  ///< no such namespace: load or store access fault
    refused,   ///< out of the namespace's range, no right, or no memory there
};

struct MemoryPiece {
    std::uint64_t address = 0, bytes = 0;
};

struct RemoteOperation {
    RemoteKind kind = RemoteKind::load;
    AtomicOperation operation = AtomicOperation::swap;
    bool blocking = true;
    bool release = false;     ///< goes out when all that the core has under way is complete
    bool acquire = false;     ///< blocking for what follows, not for a result
    bool autonomous = false;  ///< started by an RDMA NIC from a descriptor: no fence waits for it
    std::uint32_t completion_cycles = 0;  ///< from its end to when who started it hears of that
    std::uint64_t name_space = 0;         ///< 0: this node
    std::uint64_t address = 0;            ///< at the target; physical
    std::uint64_t bytes = 8;  ///< 1..16 for loads and stores, 4 or 8 for atomics, any for bulk
    std::uint64_t local_address = 0;  ///< bulk: physical address on this node
    /// Bulk: where it lies in memory, piece after piece, if it is not all at local_address.
    std::vector<MemoryPiece> local_pieces{};
    TranslationView view{};           ///< of an address in namespace 0
    std::uint64_t value[2] = {0, 0};  ///< store: the data; atomic: operand
    std::uint64_t compare = 0;        ///< kCompareSwap
    /// A load that the core does not wait for writes these when it is done; 0: none.
    std::array<RegisterId, 2> results{};

    bool is_overlapping() const { return results[0] != 0 || results[1] != 0; }
    /// Memory of the target, or of this node, is read or written.
    bool reads() const { return kind != RemoteKind::store && kind != RemoteKind::bulk_put; }
    bool writes() const { return kind != RemoteKind::load; }
};

/// Steps of the simulator are at most so long: a service that takes as long leaves no trace of when
/// it was done. One that takes less is announced (InstructionSource::announced_service()).
inline constexpr Cycle kShortestService = 400;

/// A number for a remote operation, unique within the node for the whole run.
using Ticket = std::uint64_t;

class CoreTiming;

/// What runs on a node: a hart, or a generator of synthetic instructions. All calls for a node come
/// from one thread at a time; serve() comes while no thread runs anything.
class InstructionSource {
  public:
    virtual ~InstructionSource() = default;
    /// Executes until core.retire() returns false, the source halts or it wants service.
    virtual void run(CoreTiming& core) = 0;
    /// True once nothing more will be executed.
    virtual bool halted() const = 0;
    /// A remote operation has ended. `data` holds what was read (kLoad, kAtomic), lowest address
    /// first.
    virtual void remote_completed(Ticket ticket, RemoteStatus status,
                                  std::span<const std::byte> data) = 0;
    /// True if the source cannot go on before serve(): a system call, say, whose effects other
    /// nodes may see.
    virtual bool wants_service() const { return false; }
    /// Of a service that the source will want when its core comes to its next cycle, and that takes
    /// less than kShortestService: its cycles. 0: none.
    virtual Cycle announced_service() const { return 0; }
    /// Where its addresses lead; null: all are physical.
    virtual TranslationSource* translation() { return nullptr; }
    /// Called between two windows, node after node in order of their numbers.
    virtual void serve() {}
};

}  // namespace isthmus::sim
