// What a step sees of its instruction while that runs.
#pragma once

#include "sim/hart/observer.hpp"
#include "sim/hart/run.hpp"

namespace isthmus::sim {

class StepObserver {
  public:
    static constexpr bool kObserves = true;
    static constexpr bool kChecksTargets = true;
    /// The step takes them, before its instruction.
    static constexpr bool kInterruptsElsewhere = true;

    void begin() {
        size_ = 0;
        trapped_ = false;
    }
    void memory(const Hart&, std::uint64_t address, unsigned size, MemoryKind kind,
                std::uint64_t value) {
        address_ = address;
        value_ = value;
        size_ = size;
        kind_ = kind;
    }
    void remote(const Hart&, const RemoteRequest&) {}
    bool retire(const Hart&, const RetireEvent&) { return true; }
    bool retire_at(const Hart&, const Block&, std::size_t, std::uint64_t) { return true; }
    void trap(const Hart&, std::uint64_t, const Trap&) { trapped_ = true; }

    /// 0: no local access.
    unsigned size() const { return size_; }
    std::uint64_t address() const { return address_; }
    /// The lowest size() bytes of it are what was read or written.
    std::uint64_t value() const { return value_; }
    MemoryKind kind() const { return kind_; }
    bool trapped() const { return trapped_; }

  private:
    std::uint64_t address_ = 0, value_ = 0;
    unsigned size_ = 0;
    MemoryKind kind_ = MemoryKind::load;
    bool trapped_ = false;
};
static_assert(HartObserver<StepObserver>);

/// One instruction, or the trap in its place, without a look at interrupts.
Stop step_once(Hart& hart, StepObserver& observer);
/// Has the hart's code decoded for step_once(), an instruction a block.
void prepare_steps(Hart& hart);

}  // namespace isthmus::sim
