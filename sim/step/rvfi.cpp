#include "sim/step/rvfi.hpp"

#include <bit>
#include <optional>
#include <stdexcept>

namespace isthmus::sim {
namespace {

// Byte i of the data is at mem_addr + i where bit i of the mask is set. Cores that give aligned
// addresses shift mask and data; here it is one access from its first byte.
void put(isthmus_step_access& access, const isthmus_rvfi& core, unsigned mask, std::uint64_t data,
         std::uint64_t& value) {
    if (mask == 0) return;
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const auto size = static_cast<unsigned>(std::popcount(mask));
    access.address = core.mem_addr + first;
    access.size = static_cast<std::uint8_t>(size);
    value = data >> 8 * first;
    if (size < 8) value &= (std::uint64_t{1} << 8 * size) - 1;
}

isthmus_step_access access_of(const isthmus_rvfi& core) {
    isthmus_step_access access = rvfi_read(core);
    access.writes = core.mem_wmask != 0;
    put(access, core, core.mem_wmask, core.mem_wdata, access.written);
    return access;
}

/// The number of the CSR that the word accesses, if it is cycle, time or one of the event counters,
/// or a half of them. Instructions retired are the same on both sides.
std::optional<unsigned> counter_of(std::uint32_t word) {
    constexpr std::uint32_t kSystem = 0x73;
    if ((word & 0x7f) != kSystem || (word >> 12 & 3) == 0) return std::nullopt;
    const unsigned number = word >> 20, index = number & 0x1f;
    const bool counts = (number & 0xf60) == 0xb00 || (number & 0xf60) == 0xc00;
    return counts && index != 2 ? std::optional(number) : std::nullopt;
}

}  // namespace

isthmus_step_access rvfi_read(const isthmus_rvfi& core) {
    isthmus_step_access access{};
    access.reads = core.mem_rmask != 0;
    put(access, core, core.mem_rmask, core.mem_rdata, access.read);
    return access;
}

unsigned check_rvfi(SteppedHart& hart, Comparison& comparison, const isthmus_rvfi& core) {
    const bool elsewhere = core.intr != 0 && core.pc_rdata != hart.hart().pc;
    if (elsewhere && !hart.parameters().takes_interrupts)
        hart.take_interrupt(hart.hart().pending_interrupt());
    if (const auto number = counter_of(core.insn); number && hart.parameters().counters_of_core)
        hart.hart().injected_csr = Hart::InjectedCsr{*number, core.rd_wdata};
    if (hart.step() == SteppedHart::Outcome::waiting)
        throw std::runtime_error("the hart waits for what its remote access finds");
    const isthmus_step_record& own = hart.last();
    isthmus_step_record record{};
    record.pc = core.pc_rdata;
    record.next_pc = core.pc_wdata;
    record.instruction = (core.insn & 3) == 3 ? core.insn : core.insn & 0xffff;
    record.privilege = core.mode;
    record.trapped = core.trap != 0;
    // RVFI marks handlers of exceptions, too.
    record.interrupted = own.interrupted;
    const auto source = [&](std::uint8_t number, std::uint64_t value) {
        if (number != 0) record.sources[record.source_count++] = {ISTHMUS_STEP_X, number, value};
    };
    source(core.rs1_addr, core.rs1_rdata);
    source(core.rs2_addr, core.rs2_rdata);
    unsigned says = ISTHMUS_STEP_SAYS_PC | ISTHMUS_STEP_SAYS_INSTRUCTION |
                    ISTHMUS_STEP_SAYS_PRIVILEGE | ISTHMUS_STEP_SAYS_TRAP;
    if (!core.trap && !own.trapped) {
        says |= ISTHMUS_STEP_SAYS_NEXT_PC | ISTHMUS_STEP_SAYS_WRITES | ISTHMUS_STEP_SAYS_MEMORY;
        // The ports know of integer registers, and of two of them.
        bool known = own.source_count <= 2 && own.write_count <= 1;
        for (unsigned i = 0; i < own.source_count; ++i)
            known = known && own.sources[i].file == ISTHMUS_STEP_X;
        if (known) says |= ISTHMUS_STEP_SAYS_SOURCES;
        if (own.write_count > 0 && own.writes[0].file != ISTHMUS_STEP_X)
            record.writes[record.write_count++] = own.writes[0];
        else if (core.rd_addr != 0)
            record.writes[record.write_count++] = {ISTHMUS_STEP_X, core.rd_addr, core.rd_wdata};
        record.memory = access_of(core);
    }
    return comparison.compare(record, says);
}

}  // namespace isthmus::sim
