// An observer that counts what has been executed.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "sim/hart/machine_rounds.hpp"
#include "sim/isa/instruction.hpp"

namespace isthmus::sim::test {

/// Counts retired instructions per operation, remote accesses and traps per cause.
struct Coverage {
    static constexpr bool kObserves = true;
    std::array<std::uint64_t, kOpCount> ops{};
    std::array<std::uint64_t, 16> traps{};
    std::uint64_t remotes = 0;

    void memory(const Hart&, std::uint64_t, unsigned, MemoryKind, std::uint64_t) {}
    void remote(const Hart&, const RemoteRequest&) { ++remotes; }
    bool retire(const Hart&, const RetireEvent& event) {
        ++ops[static_cast<std::size_t>(event.op)];
        return true;
    }
    void trap(const Hart&, std::uint64_t, const Trap& trap) {
        ++traps[static_cast<unsigned>(trap.cause) & 15];
    }

    void add(const Coverage& other) {
        for (std::size_t i = 0; i < kOpCount; ++i)
            ops[i] += other.ops[i];
        for (std::size_t i = 0; i < 16; ++i)
            traps[i] += other.traps[i];
        remotes += other.remotes;
    }
    /// Prints how many operations of a selection ran and the names of those that did not; returns
    /// how many did not.
    template <class Select>
    int print(const char* title, Select select) const {
        int covered = 0, all = 0;
        std::string missing;
        for (std::size_t i = 0; i < kOpCount; ++i) {
            if (!select(static_cast<Op>(i))) continue;
            ++all;
            if (ops[i])
                ++covered;
            else
                missing.append(" ").append(info(static_cast<Op>(i)).name);
        }
        std::printf("%s: %d of %d instructions executed%s%s\n", title, covered, all,
                    missing.empty() ? "" : "; not:", missing.c_str());
        return all - covered;
    }
    void print_traps() const {
        std::printf("traps:");
        for (unsigned cause = 0; cause < 16; ++cause) {
            if (traps[cause])
                std::printf(" %s x%lu;", std::string(cause_name(static_cast<Cause>(cause))).c_str(),
                            static_cast<unsigned long>(traps[cause]));
        }
        std::printf("\n");
    }
};
static_assert(HartObserver<Coverage>);

}  // namespace isthmus::sim::test
