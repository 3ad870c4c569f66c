#include "sim/timing/timed_machine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <optional>
#include <variant>

#include "sim/hart/rdma_nic.hpp"
#include "sim/hart/remote_access.hpp"
#include "sim/machine/check.hpp"
#include "sim/memory/sparse_memory.hpp"
#include "sim/timing/descriptor_queue.hpp"
#include "sim/timing/hart_view.hpp"

namespace isthmus::sim {

namespace {

/// Cycles a system call costs beside what it waits for: entry, the kernel's way, return. The kernel
/// is not simulated.
constexpr Cycle kServiceCycles = 400;
static_assert(kServiceCycles >= kShortestService);
/// Cycles that a core sleeps at a time, and what pause takes.
constexpr Cycle kPauseCycles = 20;

/// The page table that a kernel would have made for a program that has none: of the right shape,
/// and spread over the node's memory. No satp has this number.
constexpr std::uint64_t kEmulatedTable = 1;

class EmulatedTable {
  public:
    explicit EmulatedTable(const MachineDescription& machine)
        : there_(static_cast<EmulatedPages>(machine.mmu.emulated) == EmulatedPages::sv39),
          page_bits_(static_cast<std::uint8_t>(12 + 9 * machine.mmu.emulated_page)),
          base_(machine.memory.base),
          frames_(machine.memory_bytes() >> 12) {}

    bool there() const { return there_; }
    TranslationSource::Walk walk(std::uint64_t address) const {
        TranslationSource::Walk walk;
        walk.found = true;
        walk.page_bits = page_bits_;
        walk.physical = address;
        for (unsigned shift = 30; shift >= page_bits_; shift -= 9) {
            const std::uint64_t table = (address >> (shift + 9) << 6) + shift;
            const std::uint64_t frame = table * 0x9e3779b97f4a7c15u >> 20 & (frames_ - 1);
            walk.entries.at(walk.reads++) = base_ + (frame << 12) + (address >> shift & 511) * 8;
        }
        return walk;
    }

  private:
    bool there_;
    std::uint8_t page_bits_;
    std::uint64_t base_, frames_;
};

}  // namespace

/// The memory of a functional node. The namespace table has a store of its own, so that no program
/// can meet it.
class TimedMachine::HartMemory final : public NodeMemory {
  public:
    HartMemory(AddressSpace& space, const MachineDescription& machine)
        : space_(space),
          table_base_(machine.namespace_table_base()),
          table_bytes_(machine.nlb.table_entries * sizeof(NamespaceEntry)),
          table_(table_base_, table_bytes_) {}

    bool contains(std::uint64_t address, std::uint64_t bytes, std::uint32_t rights) const override {
        std::uint8_t wanted = 0;
        if ((rights & kMayRead) != 0) wanted |= sim::kRead;
        if ((rights & kMayWrite) != 0) wanted |= sim::kWrite;
        for (std::uint64_t at = address, left = bytes; left != 0;) {
            const Region* region = space_.find(at);
            if (region == nullptr || region->host == nullptr || (region->rights & wanted) != wanted)
                return false;
            const std::uint64_t n = std::min(left, region->end - at);
            at += n;
            left -= n;
        }
        return true;
    }
    void read(std::uint64_t address, std::span<std::byte> to) override {
        if (in_table(address)) return table_.read(address, to);
        if (!space_.read(address, to.data(), to.size(), 0)) lost(address);
    }
    void write(std::uint64_t address, std::span<const std::byte> from) override {
        if (in_table(address)) return table_.write(address, from);
        if (!space_.write(address, from.data(), from.size(), 0)) lost(address);
    }

  private:
    bool in_table(std::uint64_t address) const { return address - table_base_ < table_bytes_; }
    [[noreturn]] static void lost(std::uint64_t address) {
        model_error("timing: memory at " + std::to_string(address) +
                    " was there when asked for and is gone");
    }

    AddressSpace& space_;
    std::uint64_t table_base_, table_bytes_;
    SparseMemory table_;
};

class TimedMachine::HartSource final : public InstructionSource, private TranslationSource {
  public:
    HartSource(Machine& machine, Node& node, const MachineDescription& description)
        : machine_(machine),
          node_(node),
          hart_(*node.harts[0]),
          clock_mhz_(description.core.clock_mhz),
          overlaps_(description.core.remote_loads > 1),
          descriptors_(node, description),
          emulated_(description) {
        observer_.hart = &hart_;
        if (emulated_.there() && hart_.options().emulate_linux)
            observer_.unpaged = {kEmulatedTable, 0};
        hart_.on_translation_fence = [this](std::uint64_t address, std::uint64_t asid) {
            observer_.core->fence_translation(address, asid);
        };
        // It is over without a result; the fault comes as a posted one's.
        descriptors_.on_fault = [this](const RdmaNic::Descriptor& bad) {
            posted_faults_.emplace_back(bad);
        };
        node.clock = [this] {
            return observer_.core != nullptr ? observer_.core->now() * 1000 / clock_mhz_ : 0;
        };
        hart_.cycle_clock = [this] {
            return observer_.core != nullptr ? observer_.core->now() : 0;
        };
        hart_.remote_under_way = [this] { return !posted_.empty(); };
        // The kernel's programs have theirs; to the others the node's is shown.
        if (!hart_.clock) hart_.clock = [&node] { return node.nanoseconds(); };
    }
    ~HartSource() override {
        node_.clock = nullptr;
        hart_.cycle_clock = nullptr;
        hart_.remote_under_way = nullptr;
        hart_.on_translation_fence = nullptr;
    }
    HartSource(const HartSource&) = delete;
    HartSource& operator=(const HartSource&) = delete;

    bool halted() const override { return node_.exited; }
    /// Once the core has been told: what is asked for in serve() waits for the core's time first.
    bool wants_service() const override { return wants_service_ && core_waits_; }
    /// The end of a short sleep.
    Cycle announced_service() const override {
        return wants_service_ && !core_waits_ && service_cycles_ < kShortestService
                   ? service_cycles_
                   : 0;
    }

    void run(CoreTiming& core) override {
        observer_.core = &core;
        observer_.go_on = true;
        observer_.views_changed = true;  // an interrupt may be taken first
        while (observer_.go_on) {
            if (!wants_service_ && !posted_faults_.empty() &&
                !node_.environment->holds_faults(hart_))
                ask_for_service(Service::posted_fault, kServiceCycles);
            // A sleep that was asked for before has passed on the clock; one that is asked for now
            // passes behind its service.
            node_.slept = wants_service_ ? service_sleep_ : 0;
            if (wants_service_) return wait(core);
            if (node_.nanoseconds() >= node_.alarm) [[unlikely]] {
                ask_for_service(Service::wake, kServiceCycles);
                continue;
            }
            switch (sim::run(hart_, observer_, kBudget)) {
                case Stop::observer:
                case Stop::held: return;
                case Stop::budget: break;
                case Stop::yield:
                    // Sleeps a while; an interrupt or another node's store ends the program's loop.
                    if (!core.pause(kPauseCycles)) return;
                    break;
                case Stop::remote: start_remote(core); break;
                case Stop::host_call:
                    if (node_.environment->rdma_nic() != nullptr) {
                        descriptors_.take(core);
                        return;  // the node looks at what has been started
                    }
                    ask_for_service(Service::stop, kServiceCycles);
                    break;
                case Stop::system_call:
                case Stop::trap: ask_for_service(Service::stop, kServiceCycles); break;
                case Stop::breakpoint: model_error("timing: breakpoints are not served here");
            }
        }
        if (wants_service_) wait(core);
    }

    void remote_completed(Ticket ticket, RemoteStatus status,
                          std::span<const std::byte> data) override {
        if (descriptors_.complete(ticket, status, data)) return;
        const std::optional<RemoteRequest> posted = take_posted(ticket);
        if (status == RemoteStatus::done) {
            std::array<std::uint64_t, 2> value{};
            std::ranges::copy(data.first(std::min<std::size_t>(data.size(), sizeof value)),
                              std::as_writable_bytes(std::span(value)).begin());
            complete_remote(node_, hart_, posted.value_or(hart_.remote), value);
        } else if (posted) {
            posted_faults_.emplace_back(*posted);
        } else {
            // The functional machine finds the same fault and raises it, as it would without time.
            ask_for_service(Service::fault, kServiceCycles);
        }
    }

    void serve() override {
        const Service service = std::exchange(service_, Service::none);
        wants_service_ = core_waits_ = false;
        if (service == Service::posted_fault) {
            const PostedFault fault = posted_faults_.front();
            posted_faults_.pop_front();
            if (const auto* const request = std::get_if<RemoteRequest>(&fault)) {
                raise_late(*request);
            } else {
                std::uint64_t nothing = 0;
                RdmaNic::execute(machine_, node_, hart_, std::get<RdmaNic::Descriptor>(fault),
                                 nothing);
            }
        } else if (service == Service::fault) {
            machine_.serve_remote(node_, hart_);
        } else if (service == Service::stop) {
            machine_.serve(node_, hart_);
        }
        if (node_.exited) return;
        if (node_.harts.size() != 1) {
            throw MachineError(
                "node " + std::to_string(node_.id) +
                ": the program has started a thread; the timing model has one core per node");
        }
        node_.environment->before_round(node_);
        if (node_.runnable[0]) return;
        const std::uint64_t asleep = node_.nanoseconds();
        if (!node_.environment->wake_sleepers(node_)) {
            machine_.complain("isthmus-sim: node " + std::to_string(node_.id) +
                              ": every thread waits for another one; the program is deadlocked\n");
            machine_.complain(machine_.report(node_, hart_));
            machine_.exit_node(node_, 124);
            return;
        }
        // The sleep takes as long here as it says; by itself the functional machine skips it.
        const std::uint64_t slept = node_.nanoseconds() - asleep;
        if (slept == 0 && node_.runnable[0]) return;
        ask_for_service(Service::wake,
                        std::max((slept * clock_mhz_ + 999) / 1000, Cycle{kPauseCycles}));
        service_sleep_ = slept;
    }

    TranslationSource* translation() override { return this; }

  private:
    Walk walk(const TranslationView& view, std::uint64_t address, Access access) override {
        if (view.table == kEmulatedTable) return emulated_.walk(address);
        static_assert(static_cast<int>(Access::store) == static_cast<int>(AccessType::store));
        const PageWalk found =
            hart_.look(hart_view(view), address, static_cast<AccessType>(access));
        Walk walk;
        walk.found = found.end == PageWalk::End::found;
        walk.global = found.global;
        walk.page_bits = static_cast<std::uint8_t>(std::bit_width(found.page_bytes) - 1);
        walk.reads = found.reads;
        walk.entries = found.entries;
        walk.physical = found.physical;
        return walk;
    }
    std::uint64_t asid(const TranslationView& view) const override {
        return Satp::asid(hart_.options().xlen, view.table);
    }
    TranslationView request_view() const override {
        if (hart_.csr.satp == 0) return observer_.unpaged;
        return timing_view({hart_.csr.satp, {.user = true, .sum = false, .mxr = false}});
    }
    bool request_address(std::uint64_t address, bool writes, std::uint64_t& physical) override {
        return hart_.remote_address(address, writes ? AccessType::store : AccessType::load,
                                    physical);
    }
    bool own_address(const TranslationView& view, std::uint64_t address, bool writes,
                     std::uint64_t& physical) override {
        const Walk found = walk(view, address, writes ? Access::store : Access::load);
        physical = found.physical;
        return found.found;
    }
    static Hart::View hart_view(const TranslationView& view) {
        return {view.table,
                {(view.rights & 1) != 0, (view.rights & 2) != 0, (view.rights & 4) != 0}};
    }

    /// A range of the hart's own addresses, page by page. One that cannot be reached leads to no
    /// memory: the NIC refuses it, and the functional machine finds out why.
    std::vector<MemoryPiece> pieces_of(std::uint64_t address, std::uint64_t bytes,
                                       AccessType type) {
        std::vector<MemoryPiece> pieces;
        while (bytes != 0) {
            const std::uint64_t n = std::min(bytes, kPageSize - address % kPageSize);
            std::uint64_t physical = 0;
            if (!hart_.data_address(address, type, physical)) {
                pieces.push_back({kPageMask, n});
                break;
            }
            pieces.push_back({physical, n});
            address += n;
            bytes -= n;
        }
        return pieces;
    }

    enum class Service : std::uint8_t { none, stop, fault, posted_fault, wake };
    static constexpr std::int64_t kBudget = 1 << 20;

    void wait(CoreTiming& core) { core_waits_ = core.wait_for_service(service_cycles_); }
    void ask_for_service(Service service, Cycle cycles) {
        service_ = service;
        service_cycles_ = cycles;
        service_sleep_ = 0;
        wants_service_ = true;
    }

    void start_remote(CoreTiming& core) {
        using Kind = RemoteRequest::Kind;
        const RemoteRequest& request = hart_.remote;
        const RetiredInstruction view = timing_view(hart_.deferred);
        hart_.has_deferred = false;
        RemoteOperation op;
        op.name_space = request.name_space;
        op.address = request.address;
        op.bytes = request.size;
        op.value[0] = request.value;
        op.value[1] = request.value_high;
        switch (request.kind) {
            case Kind::load:
            case Kind::load_reserved: op.kind = RemoteKind::load; break;
            case Kind::store: op.kind = RemoteKind::store; break;
            case Kind::atomic:
                op.kind = RemoteKind::atomic;
                op.operation = atomic_operation(request.op);
                op.compare = request.compare;
                break;
            case Kind::store_conditional:
                // Without a reservation nothing is written, but the access is made: it may fault.
                op.kind = RemoteKind::atomic;
                op.operation = AtomicOperation::compare_swap;
                op.compare = hart_.remote_reservation_value;
                if (!is_reserved(hart_, request)) {
                    op.operation = AtomicOperation::bit_or;
                    op.value[0] = 0;
                }
                break;
            case Kind::bulk_load:
            case Kind::bulk_store:
                op.kind =
                    request.kind == Kind::bulk_load ? RemoteKind::bulk_get : RemoteKind::bulk_put;
                op.local_address = request.local;
                // A count that no memory can hold is refused by the range check.
                op.bytes = request.count > ~std::uint64_t{0} / request.size
                               ? ~std::uint64_t{0}
                               : request.count * request.size;
                break;
        }
        if (hart_.data_view().satp != 0) {
            if (op.kind == RemoteKind::bulk_get || op.kind == RemoteKind::bulk_put)
                op.local_pieces = pieces_of(
                    op.local_address, op.bytes,
                    op.kind == RemoteKind::bulk_get ? AccessType::store : AccessType::load);
            // Namespace 0 is the own memory as the core sees it; A and D are set now.
            if (op.name_space == 0)
                pieces_of(op.address, op.bytes,
                          op.kind == RemoteKind::load || op.kind == RemoteKind::bulk_get
                              ? AccessType::load
                              : AccessType::store);
        }
        if (op.name_space == 0) op.view = observer_.data;
        // What has no result is posted: the core goes on, and a fence waits for it. Its fault comes
        // late.
        const bool has_result =
            request.kind != Kind::store &&
            (request.rd != Hart::kDiscard || request.kind == Kind::load ||
             request.kind == Kind::load_reserved || request.kind == Kind::store_conditional);
        op.blocking = has_result || request.acquire;
        if (request.kind == Kind::load && request.rd != Hart::kDiscard && overlaps_) {
            op.blocking = false;
            op.results[0] = flat_register(request.file, request.rd);
            if (request.size == 16) op.results[1] = flat_register(RegisterFile::e, request.rd);
        }
        op.acquire = request.acquire && !has_result;
        op.release = request.release;
        const Ticket ticket = core.remote_access(op);
        if (!op.blocking) posted_.emplace_back(ticket, request);
        observer_.go_on = core.retire(view);
    }

    /// The program has gone on and has other values in its registers: a handler comes back to where
    /// it is now. If it has none, its end tells where the operation was.
    void raise_late(const RemoteRequest& request) {
        hart_.remote = request;
        hart_.remote.pc = hart_.pc;
        ++hart_.instret;  // the machine takes one back
        machine_.serve_remote(node_, hart_);
        if (!node_.exited) return;
        const std::string place = machine_.program().describe(request.pc);
        machine_.complain("  of an operation that was posted" +
                          (place.empty() ? std::string() : " at <" + place + ">") + " before\n");
    }

    /// The operation that was posted under this ticket, if there is one.
    std::optional<RemoteRequest> take_posted(Ticket ticket) {
        const auto found = std::find_if(posted_.begin(), posted_.end(),
                                        [&](const auto& one) { return one.first == ticket; });
        if (found == posted_.end()) return {};
        const RemoteRequest request = found->second;
        posted_.erase(found);
        return request;
    }

    Machine& machine_;
    Node& node_;
    Hart& hart_;
    const std::uint64_t clock_mhz_;
    const bool overlaps_;  // loads do not hold the core
    std::vector<std::pair<Ticket, RemoteRequest>> posted_;
    /// Raised one by one between instructions: hart_.remote is that of an access under way before.
    using PostedFault = std::variant<RemoteRequest, RdmaNic::Descriptor>;
    std::deque<PostedFault> posted_faults_;
    DescriptorQueue descriptors_;
    EmulatedTable emulated_;
    TimingObserver observer_;
    Service service_ = Service::none;
    std::uint64_t service_sleep_ = 0;  // nanoseconds of its cycles that the program slept
    Cycle service_cycles_ = 0;
    bool wants_service_ = false, core_waits_ = false;
};

TimedMachine::TimedMachine(Machine& functional, const MachineDescription& machine,
                           unsigned threads) {
    if (functional.nodes().size() != machine.nodes()) {
        throw MachineError("the program runs on " + std::to_string(functional.nodes().size()) +
                           " nodes, the machine has " + std::to_string(machine.nodes()) +
                           "; change mesh.width and mesh.height");
    }
    std::vector<NodeParts> parts;
    for (auto& node : functional.nodes()) {
        if (node->harts.size() != 1) throw MachineError("the timing model has one core per node");
        memories_.push_back(std::make_unique<HartMemory>(node->memory, machine));
        const std::uint64_t mapped = node->memory.mapped_bytes();
        if (mapped > machine.memory.mebibytes << 20)
            throw MachineError("the program needs " + std::to_string(mapped >> 20) +
                               " MiB a node (shared region, stack, program), the machine has " +
                               std::to_string(machine.memory.mebibytes) +
                               " (memory.mebibytes, --shared)");
        sources_.push_back(std::make_unique<HartSource>(functional, *node, machine));
        parts.push_back({memories_.back().get(), sources_.back().get()});
    }
    simulator_ = std::make_unique<TimingSimulator>(machine, parts, threads);
}

TimedMachine::~TimedMachine() = default;

}  // namespace isthmus::sim
