// The pipeline of one core: in order, one instruction a cycle, stalled by what it needs.
//
// A scoreboard holds for each register the cycle in which its value is there. An instruction issues
// in the first cycle in which it is fetched and its registers are ready, and not before the one
// ahead of it; loads let the instructions behind them go on until one needs the value. What is
// under way to memory has no known time yet: a core that needs such a register waits for the node
// to say when. A remote operation with a result holds the core until its answer is there, but up to
// core.remote_loads loads, if that is more than 1, let it go on until a register is needed that one
// of them writes. These keep their order with later remote writes and where they meet in memory,
// and no other.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <optional>
#include <vector>

#include "sim/memory/memory_system.hpp"
#include "sim/memory/translation_buffer.hpp"
#include "sim/timing/branch_predictor.hpp"
#include "sim/timing/timing_model.hpp"

namespace isthmus::sim {

class NetworkInterface;

/// Why a core did not issue. Each lost cycle is counted once.
enum class StallCause : std::uint8_t {
    fetch,         ///< instruction cache miss
    mispredict,    ///< wrong path
    operand,       ///< result of an earlier instruction of this core (latency, cache miss)
    remote,        ///< result of a remote operation
    miss_slots,    ///< all miss registers in use
    store_buffer,  ///< all store buffer entries in use
    nic_slots,     ///< all remote operations the NIC can hold are under way
    fence,         ///< completing what is under way
    unit,          ///< divider busy, pipeline drained for a system instruction
    service,       ///< system call
    translation,   ///< first-level TLB miss: the second level, or a walk
    count,
};

struct CoreStatistics {
    std::array<std::uint64_t, static_cast<std::size_t>(TimingClass::count)> instructions{};
    std::array<std::uint64_t, static_cast<std::size_t>(StallCause::count)> stalls{};
    std::uint64_t instructions_in_all() const {
        std::uint64_t sum = 0;
        for (std::uint64_t n : instructions)
            sum += n;
        return sum;
    }
};

class CoreTiming {
  public:
    CoreTiming(const MachineDescription& machine, MemorySystem& memory, NetworkInterface& nic);

    // For the hart.

    /// The earliest cycle in which the next instruction can issue.
    Cycle now() const { return next_issue_; }
    /// A local memory access of the instruction that is being executed. At most 8 each.
    void memory_access(AccessKind kind, std::uint64_t address, std::uint32_t bytes) {
        accesses_[access_count_++] = {address, bytes, kind};
    }
    /// The same by a page table.
    void translated_access(AccessKind kind, std::uint64_t address, std::uint32_t bytes,
                           const TranslationView& view);
    /// Instructions behind the one at hand are fetched by this view; the first of all by the first.
    void set_fetch_view(const TranslationView& view) {
        next_fetch_view_ = view;
        if (stage_ == Stage::idle) take_fetch_view();
    }
    /// sfence.vma: forgets translations of an address, of an address space, or all
    /// (TranslationBuffer::kAll); the NIC's as well.
    void fence_translation(std::uint64_t address, std::uint64_t asid);
    /// The instruction that is being executed has trapped: what it reported does not count.
    void drop_accesses() {
        access_count_ = 0;
        has_remote_ = false;
    }
    /// The remote access of the instruction that is being executed; at most one. The NIC starts it
    /// when the instruction issues.
    Ticket remote_access(const RemoteOperation& operation) {
        remote_ = operation;
        has_remote_ = true;
        return next_ticket_++;
    }
    /// Starts an operation that no instruction waits for, at a cycle that has not passed: an RDMA
    /// NIC's. Nothing if the NIC is full. The caller executes nothing more before it returns to the
    /// node.
    std::optional<Ticket> post(const RemoteOperation& operation, Cycle when);
    /// When the last remote operation ended.
    Cycle last_completion() const { return last_remote_done_; }
    /// The instruction at hand, which waits `cycles` for nothing, does not end before. False: stop
    /// executing.
    bool pause(Cycle cycles);
    /// The hart asks for service: it goes on `cycles` later, but not before the end of the window.
    /// False: not yet, as the core has something under way that has to end first.
    bool wait_for_service(Cycle cycles) {
        if (stage_ != Stage::idle || blocked_) return false;
        if (!loads_.empty()) {
            awaited_ = under_way_;
            block(StallCause::remote);
            return false;
        }
        waiting_for_service_ = true;
        service_cycles_ = cycles;
        return true;
    }
    /// Something is under way that an instruction may have to wait for before it executes: holds()
    /// is to be asked.
    bool watches() const { return watches_; }
    /// True if an instruction that touches these registers, and accesses memory so (kFenceReads,
    /// kFenceWrites), must not execute yet. The core then waits, and the hart stops.
    bool holds(TimingClass kind, const std::array<RegisterId, 4>& registers,
               std::uint8_t accesses) {
        return watches_ && ((!loads_.empty() && must_wait(kind, registers)) ||
                            ((accesses & fenced_) != 0 && is_behind_fence(accesses)));
    }

    /// Accounts for an executed instruction. False: stop executing.
    /// Cost: the common case is one compare for fetch, four loads from the scoreboard, no call.
    bool retire(const RetiredInstruction& i) {
        const auto kind = static_cast<std::size_t>(i.kind);
        if (i.pc - fetch_base_ < fetch_span_ && operands_ready(i) <= next_issue_) [[likely]] {
            if (latency_[kind] != 0 && access_count_ == 0) {
                ++statistics_.instructions[kind];
                ready_[i.destination] = next_issue_ + latency_[kind];
                ready_[0] = 0;
                return ++next_issue_ < limit_;
            }
            if (access_count_ == 1 && hits(i)) {
                ++statistics_.instructions[kind];
                access_count_ = 0;
                return ++next_issue_ < limit_;
            }
        }
        return retire_slow(i);
    }

    // For the node.

    /// Lets the core run up to `limit`. True if a hart may execute now.
    bool resume(Cycle limit);
    /// A remote operation was started since resume(): the node must look at its events before the
    /// core goes on.
    bool sent() const { return sent_; }
    /// True while an instruction cannot issue before something outside the core happens.
    bool blocked() const { return blocked_; }
    /// No instruction is on its way.
    bool idle() const {
        return stage_ == Stage::idle && !awaits_remote_ && awaited_ == RegisterSet{};
    }
    bool waiting_for_service() const { return waiting_for_service_; }
    /// The service asked for is done; nothing executes before `when`, nor ever if that was the end.
    void service_done(Cycle when, bool ended);
    /// A line has arrived from memory.
    void line_arrived(std::uint32_t tag, Cycle when);
    /// A remote operation has ended.
    void remote_done(const RemoteOperation& operation, Cycle when);
    /// The cycle in which the instruction at hand issues, or can at the earliest.
    Cycle next_cycle() const { return std::max(next_issue_, deferred_until_); }

    /// Where translations come from; set once, before anything runs.
    void translate_by(TranslationSource* source) { translation_ = source; }

    const CoreStatistics& statistics() const { return statistics_; }
    const TranslationStatistics& translations() const { return translations_; }
    const BranchStatistics& branches() const { return predictor_.statistics(); }

    /// Tags of memory reads: one per miss register, one for fetch. The NIC's begin at
    /// kFirstFreeTag.
    static constexpr std::uint32_t kMaxMisses = 16, kFetchTag = 16, kWalkTag = 17,
                                   kFirstFreeTag = 32;

  private:
    struct Access {
        std::uint64_t address;
        std::uint32_t bytes;
        AccessKind kind;
        TranslationView view{};  // of an address that the first-level TLB has not
    };
    /// A line under way to the data cache.
    struct Miss {
        std::uint64_t line = 0;
        Cycle ready = 0;  // kNever while unknown
        std::uint64_t waiters[2] = {0, 0};
        std::uint32_t stores = 0;    // store buffer entries that wait for it
        std::uint32_t awaiting = 0;  // answers of the memory controller
        bool loads = false;          // a load asked for it
        bool used = false;
        std::uint8_t followers = 0;  // accesses that a fence has put behind it
    };
    /// Remote operations that a fence has put before reads, or before writes, behind it: those that
    /// are older than the ticket.
    struct Predecessors {
        Ticket reads = 0, writes = 0;
    };
    enum class Stage : std::uint8_t { idle, fetch, operands, accesses, remote };

    Cycle operands_ready(const RetiredInstruction& i) const {
        return std::max(std::max(ready_[i.source1], ready_[i.source2]),
                        std::max(ready_[i.source3], ready_[i.destination]));
    }
    /// The one access of a plain load or store, if the first-level cache has the line and no miss
    /// is under way that it could meet: then done. False: nothing has happened.
    bool hits(const RetiredInstruction& i) {
        const Access& access = accesses_[0];
        const bool load = i.kind == TimingClass::load && access.kind == AccessKind::load;
        const bool store = i.kind == TimingClass::store && access.kind == AccessKind::store;
        const std::uint64_t mask = memory_.line_bytes() - 1;
        if (!(load || store) || next_issue_ < misses_until_ ||
            (access.address & mask) + access.bytes > mask + 1 || access.view.table != 0)
            return false;
        const std::uint64_t line = memory_.line_of(access.address);
        if (!(store ? memory_.write_hit(line) : memory_.read_hit(MemorySystem::kData, line)))
            return false;
        ready_[i.destination] = next_issue_ + (load ? l1_data_hit_ : 1);
        ready_[0] = 0;
        return true;
    }
    [[gnu::noinline]] bool retire_slow(const RetiredInstruction& i);
    bool proceed();
    bool fetch();
    /// From a virtual to a physical address, in the time that takes. False: the core waits.
    bool translate(const TranslationView& view, TranslationSource::Access access,
                   std::uint64_t& address);
    bool read_tables();
    void take_fetch_view();
    bool take_operands();
    /// Waits for what of a fence's predecessors is under way, to memory and to other nodes.
    bool complete(std::uint8_t predecessors);
    /// What a fence does. False: the core waits.
    bool order(std::uint8_t predecessors, std::uint8_t successors);
    /// Has accesses of the kind `successors` wait for what of the predecessors is under way.
    void put_behind(std::uint8_t predecessors, std::uint8_t successors);
    /// Waits for what a fence has put before such accesses.
    [[gnu::noinline]] bool is_behind_fence(std::uint8_t accesses);
    [[gnu::noinline]] bool must_wait(TimingClass kind, const std::array<RegisterId, 4>& registers);
    /// A remote operation that would overtake a load waits for it.
    bool may_overtake(const RemoteOperation& operation) const;
    bool start_accesses();
    bool start_line(std::uint64_t line, AccessKind kind);
    bool start_remote();
    void finish();
    void lose_until(Cycle cycle, StallCause cause);
    bool block(StallCause cause);
    bool defer();
    Miss* find_miss(std::uint64_t line);
    /// A miss register to use, after waiting for one if need be; null: blocked.
    Miss* take_miss();
    bool take_store_slot();
    unsigned stores_waiting() const;
    static std::uint64_t bit(RegisterId reg) { return std::uint64_t{1} << (reg & 63); }

    // What the fast path touches comes first.
    Cycle next_issue_ = 0, limit_ = 0;
    std::uint64_t fetch_base_ = 1, fetch_span_ = 0;
    unsigned access_count_ = 0;
    bool has_remote_ = false, blocked_ = false, waiting_for_service_ = false, watches_ = false;
    Stage stage_ = Stage::idle;
    std::array<Cycle, static_cast<std::size_t>(TimingClass::count)> latency_{};  // 0: slow path
    std::array<Cycle, kRegisters> ready_{};

    CoreStatistics statistics_;

    // The instruction on its way, and how far it has come.
    RetiredInstruction current_;
    Cycle issue_ = 0, deferred_until_ = 0, value_ready_ = 0;
    StallCause block_cause_ = StallCause::operand;
    bool was_blocked_ = false, value_pending_ = false, fetch_pending_ = false,
         awaits_remote_ = false;
    bool sent_ = false;
    unsigned access_index_ = 0;
    std::uint64_t line_offset_ = 0;  // lines of the current access that are done
    std::array<Access, 8> accesses_{};
    RemoteOperation remote_;
    Ticket next_ticket_ = 0;
    Cycle pause_cycles_ = 0;  // that the instruction on its way takes
    using RegisterSet = std::bitset<kRegisters>;
    std::vector<RemoteOperation> loads_;  // under way; the core has gone on
    RegisterSet under_way_, awaited_;     // registers that they write; those the core waits for
    Predecessors before_reads_, before_writes_;
    std::uint8_t fenced_ = 0;        // accesses that may have to wait for them, or for a miss
    bool was_behind_fence_ = false;  // the instruction at hand has waited

    Cycle fetch_ready_ = 0, divider_free_ = 0, float_divider_free_ = 0, service_cycles_ = 0,
          last_remote_done_ = 0;
    std::vector<Miss> misses_;
    Cycle misses_until_ = 0;  // no miss is under way from this cycle on; kNever while unknown

    const MachineDescription::Core core_;
    const Cycle l1_data_hit_, l1_instruction_hit_;
    MemorySystem& memory_;
    NetworkInterface& nic_;
    BranchPredictor predictor_;

    // Translation.
    TranslationSource* translation_ = nullptr;
    TranslationView fetch_view_, next_fetch_view_;
    TranslationBuffer instruction_tlb_, data_tlb_, second_tlb_;
    const MachineDescription::Mmu mmu_;
    TranslationSource::Walk walk_;  // under way while walk_left_
    unsigned walk_next_ = 0;
    bool walk_left_ = false, walk_pending_ = false;
    Cycle walk_ready_ = 0;
    TranslationStatistics translations_;
};

}  // namespace isthmus::sim
