// Everything between a node's core and NIC and its memory: caches, directory, controller. Turns the
// protocol's transactions into times.
//
//   second-level hit        start + l2.hit_cycles (+ directory.probe_cycles if a first-level cache
//   is asked) memory                  start + directory.lookup_cycles (+ probe) -> controller -> +
//   directory.return_cycles
// where start is when the directory is free: one request each directory.occupancy_cycles.
#pragma once

#include <algorithm>

#include "sim/memory/coherent_hierarchy.hpp"
#include "sim/memory/dram_controller.hpp"

namespace isthmus::sim {

struct CacheStatistics {
    std::uint64_t instruction_misses = 0, data_misses = 0, upgrades = 0;
    std::uint64_t l2_hits = 0, l2_misses = 0, probes = 0, writebacks = 0;
    std::uint64_t remote_reads = 0, remote_writes = 0,
                  remote_hits = 0;  ///< by line, at the directory
};

class MemorySystem {
  public:
    /// First-level caches, as the protocol numbers them.
    enum Agent : unsigned { kInstruction, kData };

    explicit MemorySystem(const MachineDescription& m)
        : line_bits_(static_cast<unsigned>(std::countr_zero(m.directory.line_bytes))),
          memory_base_(m.memory.base),
          memory_bytes_(m.memory_bytes()),
          directory_(m.directory),
          l2_hit_cycles_(m.l2.hit_cycles),
          caches_({{sets(m, m.l1_instruction), m.l1_instruction.ways, false},
                   {sets(m, m.l1_data), m.l1_data.ways, true}},
                  sets(m, m.l2), m.l2.ways),
          dram_(m) {}

    /// The line that an address lies in. Addresses outside memory (a Linux program's, which has no
    /// page tables here) are spread over it page by page by a fixed hash, as an operating system
    /// would place them: for timing only.
    std::uint64_t line_of(std::uint64_t address) const {
        if (address - memory_base_ < memory_bytes_) [[likely]]
            return address >> line_bits_;
        const std::uint64_t frame =
            (address >> 12) * 0x9e3779b97f4a7c15u >> 20 & ((memory_bytes_ >> 12) - 1);
        return (memory_base_ + (frame << 12) + (address & 4095)) >> line_bits_;
    }
    /// Calls visit(line) for each line of a range. Bytes is not 0.
    template <class Visit>
    void each_line(std::uint64_t address, std::uint64_t bytes, Visit&& visit) const {
        const std::uint64_t mask = line_bytes() - 1, end = address + bytes - 1;
        for (std::uint64_t at = address & ~mask;; at += mask + 1) {
            visit(line_of(at));
            if (at == (end & ~mask)) return;
        }
    }
    std::uint64_t line_bytes() const { return std::uint64_t{1} << line_bits_; }

    bool read_hit(Agent agent, std::uint64_t line) { return caches_.read_hit(agent, line); }
    bool write_hit(std::uint64_t line) { return caches_.write_hit(kData, line); }

    /// Serves a first-level miss at `now`. Returns when the data is there, or kNever: a completion
    /// with `tag` follows.
    Cycle fill(Agent agent, std::uint64_t line, bool write, Cycle now, std::uint32_t tag) {
        ++(agent == kInstruction ? statistics_.instruction_misses : statistics_.data_misses);
        const Cycle start = enter(now);
        const Transaction t = write ? caches_.write(agent, line) : caches_.read(agent, line);
        statistics_.upgrades += t.upgrade;
        ++(t.level == HitLevel::memory ? statistics_.l2_misses : statistics_.l2_hits);
        return finish(t, line, start, tag);
    }

    /// Reads a line for the NIC; no cache keeps it. As fill().
    Cycle remote_read(std::uint64_t line, Cycle now, std::uint32_t tag) {
        ++statistics_.remote_reads;
        const Cycle start = enter(now);
        const Transaction t = caches_.remote_read(line);
        statistics_.remote_hits += t.level != HitLevel::memory;
        return finish(t, line, start, tag);
    }

    /// Writes (part of) a line for the NIC. Returns when every later reader sees it.
    Cycle remote_write(std::uint64_t line, Cycle now) {
        ++statistics_.remote_writes;
        const Cycle start = enter(now);
        const Transaction t = caches_.remote_write(line);
        statistics_.remote_hits += t.level != HitLevel::memory;
        statistics_.probes += t.probes;
        const Cycle done =
            start + directory_.lookup_cycles + (t.probes != 0 ? directory_.probe_cycles : 0);
        dram_.write(line << line_bits_, done);
        return done;
    }

    /// From the controller's last beat to the requester.
    Cycle return_cycles() const { return directory_.return_cycles; }
    DramController<>& dram() { return dram_; }
    const DramController<>& dram() const { return dram_; }
    const CacheStatistics& statistics() const { return statistics_; }
    const CoherentHierarchy<>& caches() const { return caches_; }

  private:
    static std::uint64_t sets(const MachineDescription& m, const MachineDescription::Cache& cache) {
        return cache.bytes / m.directory.line_bytes / cache.ways;
    }
    Cycle enter(Cycle now) {
        const Cycle start = std::max(now, directory_free_);
        directory_free_ = start + directory_.occupancy_cycles;
        return start;
    }
    Cycle finish(const Transaction& t, std::uint64_t line, Cycle start, std::uint32_t tag) {
        statistics_.probes += t.probes;
        const Cycle probe = t.probes != 0 ? directory_.probe_cycles : 0;
        const Cycle memory = start + directory_.lookup_cycles + probe;
        if (t.memory_write) {
            ++statistics_.writebacks;
            dram_.write(t.written_line << line_bits_, memory);
        }
        if (t.level != HitLevel::memory) return start + l2_hit_cycles_ + probe;
        dram_.read(line << line_bits_, memory, tag);
        return kNever;
    }

    unsigned line_bits_;
    std::uint64_t memory_base_, memory_bytes_;
    MachineDescription::Directory directory_;
    Cycle l2_hit_cycles_;
    Cycle directory_free_ = 0;
    CoherentHierarchy<> caches_;
    DramController<> dram_;
    CacheStatistics statistics_;
};

}  // namespace isthmus::sim
