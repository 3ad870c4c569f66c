// A synthetic program: instructions drawn at random with given shares. It drives the timing model
// without a hart.
#pragma once

#include <array>

#include "sim/machine/random.hpp"
#include "sim/timing/core_timing.hpp"

namespace isthmus::sim {

struct TraceMix {
    std::uint64_t instructions = 100000;
    // Shares of all instructions; the rest are integer instructions.
    double load = 0.22, store = 0.10, branch = 0.15, multiply = 0.02, divide = 0.001,
           floating = 0.05;
    double remote_load = 0, remote_store = 0, remote_atomic = 0, bulk = 0, fence = 0;
    std::uint64_t code_bytes = 8192;             ///< the program is a loop of this length
    std::uint64_t data_bytes = 64 << 10;         ///< local data, half of the accesses sequential
    std::uint64_t remote_bytes_range = 1 << 20;  ///< remote addresses fall into this much memory
    std::uint64_t bulk_bytes = 4096;
    bool posted = false;  ///< atomics and bulk transfers have no result, as stores
};

class TraceSource final : public InstructionSource {
  public:
    TraceSource(const MachineDescription& machine, const TraceMix& mix, NodeId self)
        : mix_(mix),
          random_(machine.simulation.seed, self),
          self_(self),
          nodes_(machine.nodes()),
          base_(machine.memory.base) {
        double sum = 0;
        const double shares[] = {mix.load,          mix.store,    mix.branch,      mix.multiply,
                                 mix.divide,        mix.floating, mix.remote_load, mix.remote_store,
                                 mix.remote_atomic, mix.bulk,     mix.fence};
        for (std::size_t i = 0; i < std::size(shares); ++i) {
            sum += shares[i];
            limits_[i] = static_cast<std::uint32_t>(std::min(sum, 1.0) * 0xffffffffu);
        }
    }

    bool halted() const override { return done_ == mix_.instructions; }
    void run(CoreTiming& core) override {
        while (done_ != mix_.instructions) {
            const RetiredInstruction i = draw();
            report_access(core, i);
            ++done_;
            if (!core.retire(i)) return;
        }
    }
    void remote_completed(Ticket, RemoteStatus status, std::span<const std::byte> data) override {
        ++completed_;
        faults_ += status != RemoteStatus::done;
        for (std::byte b : data)
            digest_ = (digest_ ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
    }

    std::uint64_t completed() const { return completed_; }
    std::uint64_t faults() const { return faults_; }
    std::uint64_t digest() const { return digest_; }

  private:
    RetiredInstruction draw() {
        const std::uint64_t r = random_.next();
        const auto kind = static_cast<std::uint32_t>(r);
        RetiredInstruction i;
        i.pc = base_ + pc_;
        pc_ += 4;
        if (pc_ >= mix_.code_bytes) pc_ = 0;
        i.source1 = static_cast<RegisterId>(r >> 32 & 15);
        i.source2 = static_cast<RegisterId>(r >> 36 & 15);
        i.destination = static_cast<RegisterId>(r >> 40 & 15);
        std::size_t choice = 0;
        while (choice < limits_.size() && kind >= limits_[choice])
            ++choice;
        static constexpr TimingClass kClasses[] = {
            TimingClass::load,   TimingClass::store,    TimingClass::branch, TimingClass::multiply,
            TimingClass::divide, TimingClass::floating, TimingClass::remote, TimingClass::remote,
            TimingClass::remote, TimingClass::remote,   TimingClass::fence,  TimingClass::integer};
        i.kind = kClasses[choice];
        choice_ = choice;
        const bool has_result = choice != 1 && choice != 2 && choice != 7 && choice != 10 &&
                                !(mix_.posted && (choice == 8 || choice == 9));
        if (!has_result) i.destination = 0;
        if (choice == 2 && (r >> 44 & 7) == 0)
            pc_ = (pc_ + 64) % mix_.code_bytes;  // one branch in eight is taken
        i.next_pc = base_ + pc_;
        if (i.kind != TimingClass::branch) i.next_pc = i.pc + 4;
        return i;
    }
    void report_access(CoreTiming& core, const RetiredInstruction& i) {
        if (choice_ < 2) {
            const std::uint64_t r = random_.next();
            if ((r & 1) != 0) {
                cursor_ = (cursor_ + 8) % mix_.data_bytes;
            } else {
                cursor_ = (r >> 8) % mix_.data_bytes & ~std::uint64_t{7};
            }
            core.memory_access(choice_ == 0 ? AccessKind::load : AccessKind::store,
                               data_base() + cursor_, 8);
            return;
        }
        if (i.kind != TimingClass::remote) return;
        RemoteOperation op;
        static constexpr RemoteKind kKinds[] = {RemoteKind::load, RemoteKind::store,
                                                RemoteKind::atomic};
        const NodeId target =
            static_cast<NodeId>(nodes_ == 1 ? 0 : (self_ + 1 + random_.below(nodes_ - 1)) % nodes_);
        op.name_space = target + std::uint64_t{1};
        op.address = data_base() + random_.below(mix_.remote_bytes_range / 8) * 8;
        if (choice_ == 9) {
            op.kind = random_.chance(0.5) ? RemoteKind::bulk_get : RemoteKind::bulk_put;
            op.bytes = 1 + random_.below(mix_.bulk_bytes);
            op.local_address = data_base() + mix_.remote_bytes_range + random_.below(4096);
        } else {
            op.kind = kKinds[choice_ - 6];
            op.operation = AtomicOperation::add;
            op.value[0] = random_.next();
        }
        op.blocking = choice_ == 6 || (choice_ != 7 && !mix_.posted);
        core.remote_access(op);
    }
    std::uint64_t data_base() const { return base_ + (1 << 20); }

    const TraceMix mix_;
    Random random_;
    const NodeId self_;
    const std::uint64_t nodes_, base_;
    std::array<std::uint32_t, 11> limits_{};
    std::size_t choice_ = 0;
    std::uint64_t done_ = 0, pc_ = 0, cursor_ = 0, completed_ = 0, faults_ = 0,
                  digest_ = 0xcbf29ce484222325u;
};

}  // namespace isthmus::sim
