// What a hart that is stepped is like, from the words name=value.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/hart/hart.hpp"
#include "sim/isa/subset.hpp"

namespace isthmus::sim {

struct MemoryRange {
    std::uint64_t start = 0, size = 0;
};

struct StepParameters {
    Isa isa;
    HartOptions hart;  // its xlen and profile included
    std::vector<MemoryRange> memory;
    std::uint64_t reset_pc = 0x80000000, mtvec = 0, nmi_vector = 0, hart_id = 0;
    /// Enabled pending interrupts are taken at once; else when the core is said to take one.
    bool takes_interrupts = true;
    /// Over RVFI: what an instruction reads from a counter that is not instret is what the core has
    /// read.
    bool counters_of_core = false;
    /// mtval of an illegal instruction is its word, that of a breakpoint its address; else 0.
    bool illegal_tval = true, breakpoint_tval = true;

    /// Throws std::invalid_argument with what is wrong and what is legal.
    static StepParameters parse(std::string_view words);
};

}  // namespace isthmus::sim
