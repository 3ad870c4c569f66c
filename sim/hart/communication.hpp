// Counts the instructions of a program by what they are for.
//
// Which function an instruction belongs to says it: the runtime's functions are communication, its
// spinning functions are waiting, and copying is what its caller is. xBGAS instructions and fences
// count as communication wherever the compiler has inlined them. A program with functions
// benchmark_begin and benchmark_end is counted between them only, each node by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/hart/elf.hpp"
#include "sim/hart/observer.hpp"

namespace isthmus::sim {

/// Shared by the counters of all nodes.
class CommunicationMap {
  public:
    enum Category : std::uint8_t { kProgram, kCommunication, kWaiting, kBegin, kEnd, kCallers };

    explicit CommunicationMap(const Program& program);

    Category category(std::uint64_t pc) const {
        const std::uint64_t index = (pc - base_) / 2;
        return index < categories_.size() ? static_cast<Category>(categories_[index]) : kProgram;
    }
    bool has_region() const { return has_region_; }

  private:
    std::uint64_t base_ = 0;
    std::vector<std::uint8_t> categories_;  // by half-word of the text
    bool has_region_ = false;
};

class CommunicationCounter {
  public:
    static constexpr bool kObserves = true;

    explicit CommunicationCounter(const CommunicationMap& map)
        : map_(&map), active_(!map.has_region()) {}

    void memory(const Hart&, std::uint64_t, unsigned, MemoryKind, std::uint64_t) {}
    void remote(const Hart&, const RemoteRequest&) {}
    void trap(const Hart&, std::uint64_t, const Trap&) {}
    bool retire(const Hart&, const RetireEvent& event) {
        using enum InstructionClass;
        CommunicationMap::Category category = map_->category(event.pc);
        if (category == CommunicationMap::kCallers)
            category = caller_;
        else
            caller_ = category;
        if (category == CommunicationMap::kBegin) {
            active_ = true;
            return true;
        }
        if (category == CommunicationMap::kEnd) active_ = false;
        if (!active_) return true;
        if (category == CommunicationMap::kWaiting) {
            ++waiting;
        } else if (category == CommunicationMap::kCommunication || event.klass == remote_load ||
                   event.klass == remote_store || event.klass == remote_atomic ||
                   event.klass == bulk || event.klass == address || event.klass == fence) {
            ++communication;
        } else {
            ++program;
        }
        return true;
    }

    std::uint64_t program = 0, communication = 0, waiting = 0;

  private:
    const CommunicationMap* map_;
    CommunicationMap::Category caller_ = CommunicationMap::kProgram;  // of memcpy and the like
    bool active_;
};
static_assert(HartObserver<CommunicationCounter>);

}  // namespace isthmus::sim
