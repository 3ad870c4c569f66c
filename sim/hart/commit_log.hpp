// Observers that write what a hart does: the commit log other RISC-V simulators write too, and a
// readable trace.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "sim/hart/observer.hpp"

namespace isthmus::sim {

/// One line per retired instruction in the form of Spike's `-l --log-commits`:
///   core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000 mem 0x... 0x...
/// Stores give address and data, loads the address. E-registers are written like the others, as
/// e10. A `readable` one adds the disassembled instruction in front instead of the word, and marks
/// traps.
class CommitLog {
  public:
    static constexpr bool kObserves = true;

    /// Writes to a file of its own; "-" is the standard error output, where `who` in front of each
    /// line tells nodes apart. Throws std::runtime_error if it cannot be opened.
    explicit CommitLog(std::string path, bool readable = false, std::string who = "");
    /// At the end. Throws std::runtime_error if not everything could be written.
    void finish();

    void memory(const Hart& hart, std::uint64_t address, unsigned size, MemoryKind kind,
                std::uint64_t value);
    void remote(const Hart& hart, const RemoteRequest& request);
    bool retire(const Hart& hart, const RetireEvent& event);
    void trap(const Hart& hart, std::uint64_t pc, const Trap& trap);

  private:
    struct Touch {
        std::uint64_t address, value;
        unsigned size;
        MemoryKind kind;
    };
    struct Closer {
        void operator()(std::FILE* file) const {
            if (file != stderr) std::fclose(file);
        }
    };

    std::string path_;
    std::unique_ptr<std::FILE, Closer> file_;
    bool readable_;
    std::string who_;
    std::vector<Touch> touches_;
    Privilege privilege_ = Privilege::machine;
    bool first_ = true;
};
static_assert(HartObserver<CommitLog>);

}  // namespace isthmus::sim
