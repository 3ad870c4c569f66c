#include "sim/step/comparison.hpp"

#include <algorithm>
#include <span>

#include "sim/isa/disassemble.hpp"
#include "sim/step/text.hpp"

namespace isthmus::sim {
namespace {

RegisterFile file_of(unsigned file) {
    return file == ISTHMUS_STEP_F ? RegisterFile::f
                                  : (file == ISTHMUS_STEP_E ? RegisterFile::e : RegisterFile::x);
}

const isthmus_step_register* find(std::span<const isthmus_step_register> in,
                                  const isthmus_step_register& like) {
    const auto found = std::ranges::find_if(in, [&](const isthmus_step_register& each) {
        return each.file == like.file && each.number == like.number;
    });
    return found == in.end() ? nullptr : &*found;
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

}  // namespace

std::string Comparison::text(std::uint64_t value) const {
    return hexadecimal(value, hart_->decoder().xlen() == Xlen::k32 && value <= 0xffffffff);
}

/// What of a value a register of the hart holds.
std::uint64_t Comparison::as_register(unsigned file, std::uint64_t value) const {
    const bool narrow = file == ISTHMUS_STEP_F ? !hart_->decoder().extensions().has(Extension::D)
                                               : hart_->decoder().xlen() == Xlen::k32;
    return narrow ? value & 0xffffffff : value;
}

unsigned Comparison::compare(const isthmus_step_record& core, unsigned says) {
    const isthmus_step_record& own = hart_->last();
    found_ = 0;
    differences_.clear();
    // A step may be compared more than once: by its ports, and by a trace of what those have not.
    if (compared_ != 0 && past_[(compared_ - 1) % kHistory].order == own.order) --compared_;
    compare_number(says, ISTHMUS_STEP_SAYS_PC, "pc", core.pc, own.pc);
    if (!own.trapped)
        compare_number(says, ISTHMUS_STEP_SAYS_NEXT_PC, "next pc", core.next_pc, own.next_pc);
    if (own.length != 0)
        compare_number(says, ISTHMUS_STEP_SAYS_INSTRUCTION, "instruction", core.instruction,
                       own.instruction);
    compare_number(says, ISTHMUS_STEP_SAYS_PRIVILEGE, "privilege", core.privilege, own.privilege);
    compare_number(says, ISTHMUS_STEP_SAYS_TRAP, "trapped", core.trapped != 0, own.trapped);
    compare_number(says, ISTHMUS_STEP_SAYS_TRAP, "interrupted", core.interrupted != 0,
                   own.interrupted != 0);
    if (own.trapped) {
        compare_number(says, ISTHMUS_STEP_SAYS_CAUSE, "cause", core.cause, own.cause);
        compare_number(says, ISTHMUS_STEP_SAYS_TVAL, "tval", core.tval, own.tval);
    }
    if (own.interrupted)
        compare_number(says, ISTHMUS_STEP_SAYS_CAUSE, "interrupt", core.interrupt, own.interrupt);
    if (says & ISTHMUS_STEP_SAYS_SOURCES) compare_sources(core);
    if (says & ISTHMUS_STEP_SAYS_WRITES) compare_writes(core);
    if (says & ISTHMUS_STEP_SAYS_CSRS)
        compare_csrs(core, (says & ISTHMUS_STEP_SAYS_ALL_CSRS) == ISTHMUS_STEP_SAYS_ALL_CSRS);
    if (says & ISTHMUS_STEP_SAYS_MEMORY) compare_memory(core);
    if (says & ISTHMUS_STEP_SAYS_REMOTE) compare_remote(core);
    follow(core, says);
    if (found_ != 0)
        write_report(core, says);
    else
        report_.clear();
    past_[compared_++ % kHistory] = {own.order, own.pc, own.instruction};
    return found_;
}

// The core begins with the hart's registers; from then on it has what it says.
void Comparison::follow(const isthmus_step_record& core, unsigned says) {
    if (!follows_) {
        follows_ = true;
        for (const unsigned file : {ISTHMUS_STEP_X, ISTHMUS_STEP_F, ISTHMUS_STEP_E}) {
            for (unsigned i = 0; i < 32; ++i)
                core_.of(file)[i] = as_register(file, hart_->reg(file_of(file), i));
        }
        // The first instruction has run already; what it wrote is the core's to say.
    }
    const isthmus_step_record& from = says & ISTHMUS_STEP_SAYS_WRITES ? core : hart_->last();
    for (unsigned i = 0; i < std::min<unsigned>(from.write_count, 2); ++i) {
        const isthmus_step_register& write = from.writes[i];
        if (write.file == ISTHMUS_STEP_F || (write.number & 31) != 0)
            core_.of(write.file)[write.number & 31] = as_register(write.file, write.value);
    }
}

void Comparison::differ(unsigned bit, const std::string& what, const std::string& core,
                        const std::string& reference) {
    found_ |= bit;
    differences_ +=
        "  " + padded(what, 16) + "core " + padded(core, 18) + "  reference " + reference + "\n";
}

void Comparison::compare_number(unsigned says, unsigned bit, const char* what, std::uint64_t core,
                                std::uint64_t reference) {
    if ((says & bit) == 0 || core == reference) return;
    differ(bit, what, text(core), text(reference));
}

// A core may name more than the instruction reads.
void Comparison::compare_sources(const isthmus_step_record& core) {
    const isthmus_step_record& own = hart_->last();
    const std::span mine(own.sources, own.source_count);
    const std::span theirs(core.sources, std::min<std::size_t>(core.source_count, 3));
    for (const isthmus_step_register& source : mine) {
        const isthmus_step_register* const other = find(theirs, source);
        const std::uint64_t value = as_register(source.file, source.value);
        if (other && as_register(other->file, other->value) == value) continue;
        differ(ISTHMUS_STEP_SAYS_SOURCES,
               "read of " + register_name(file_of(source.file), source.number),
               other ? text(as_register(other->file, other->value)) : "none", text(value));
    }
}

void Comparison::compare_writes(const isthmus_step_record& core) {
    const isthmus_step_record& own = hart_->last();
    const std::span mine(own.writes, own.write_count);
    const std::span theirs(core.writes, std::min<std::size_t>(core.write_count, 2));
    const auto name = [](const isthmus_step_register& write) {
        return register_name(file_of(write.file), write.number);
    };
    for (const isthmus_step_register& write : mine) {
        const isthmus_step_register* const other = find(theirs, write);
        const std::uint64_t value = as_register(write.file, write.value);
        if (other && as_register(other->file, other->value) == value) continue;
        differ(ISTHMUS_STEP_SAYS_WRITES, name(write),
               other ? text(as_register(other->file, other->value)) : "not written", text(value));
    }
    for (const isthmus_step_register& write : theirs) {
        const bool nothing = write.file != ISTHMUS_STEP_F && write.number == 0;
        if (nothing || find(mine, write)) continue;
        differ(ISTHMUS_STEP_SAYS_WRITES, name(write), text(as_register(write.file, write.value)),
               "not written");
    }
}

void Comparison::compare_csrs(const isthmus_step_record& core, bool all) {
    const isthmus_step_record& own = hart_->last();
    const std::span theirs(core.csrs, std::min<std::size_t>(core.csr_count, 10));
    for (const isthmus_step_csr& csr : theirs) {
        std::uint64_t value = 0;
        const bool there = hart_->csr(csr.number, value);
        if (there && value == csr.value) continue;
        differ(ISTHMUS_STEP_SAYS_CSRS, csr_name(csr.number), text(csr.value),
               there ? text(value) : "no such register");
    }
    if (!all) return;
    for (const isthmus_step_csr& csr : std::span(own.csrs, own.csr_count)) {
        if (std::ranges::find(theirs, csr.number, &isthmus_step_csr::number) == theirs.end())
            differ(ISTHMUS_STEP_SAYS_CSRS, csr_name(csr.number), "not written", text(csr.value));
    }
    for (const isthmus_step_csr& csr : theirs) {
        const std::span mine(own.csrs, own.csr_count);
        if (std::ranges::find(mine, csr.number, &isthmus_step_csr::number) == mine.end())
            differ(ISTHMUS_STEP_SAYS_CSRS, csr_name(csr.number), "written", "not written");
    }
}

void Comparison::compare_memory(const isthmus_step_record& core) {
    const isthmus_step_access &own = hart_->last().memory, &other = core.memory;
    const auto bytes = [](const isthmus_step_access& access) {
        return access.size == 0
                   ? std::string("none")
                   : std::to_string(access.size) + " bytes" + (access.reads ? ", read" : "") +
                         (access.writes ? ", written" : "");
    };
    const bool both = own.size != 0 && other.size != 0;
    if (own.size != other.size ||
        (both && (own.reads != other.reads || own.writes != other.writes)))
        differ(ISTHMUS_STEP_SAYS_MEMORY, "memory access", bytes(other), bytes(own));
    if (!both) return;
    constexpr unsigned kBit = ISTHMUS_STEP_SAYS_MEMORY;
    compare_number(kBit, kBit, "memory address", other.address, own.address);
    if (own.reads && other.reads) compare_number(kBit, kBit, "memory read", other.read, own.read);
    if (own.writes && other.writes)
        compare_number(kBit, kBit, "memory written", other.written, own.written);
}

void Comparison::compare_remote(const isthmus_step_record& core) {
    const isthmus_step_record& own = hart_->last();
    constexpr unsigned kBit = ISTHMUS_STEP_SAYS_REMOTE;
    compare_number(kBit, kBit, "remote access", core.has_remote, own.has_remote);
    if (!core.has_remote || !own.has_remote) return;
    const isthmus_step_remote &mine = own.remote, &theirs = core.remote;
    compare_number(kBit, kBit, "remote kind", theirs.kind, mine.kind);
    compare_number(kBit, kBit, "remote size", theirs.size, mine.size);
    compare_number(kBit, kBit, "namespace", theirs.name_space, mine.name_space);
    compare_number(kBit, kBit, "remote address", theirs.address, mine.address);
    compare_number(kBit, kBit, "remote operand", theirs.operand[0], mine.operand[0]);
    compare_number(kBit, kBit, "operand's upper", theirs.operand[1], mine.operand[1]);
    compare_number(kBit, kBit, "remote compare", theirs.compare, mine.compare);
    compare_number(kBit, kBit, "bulk local", theirs.local, mine.local);
    compare_number(kBit, kBit, "bulk count", theirs.count, mine.count);
}

void Comparison::write_report(const isthmus_step_record& core, unsigned says) {
    const isthmus_step_record& own = hart_->last();
    const auto words = [&](std::uint32_t instruction, std::uint64_t pc) {
        return disassemble(hart_->decoder(), instruction, pc);
    };
    report_ = "mismatch at instruction " + std::to_string(own.order) + ", pc " + text(own.pc) +
              ": " + (own.length == 0 ? "(not fetched)" : words(own.instruction, own.pc)) + "\n";
    if ((says & ISTHMUS_STEP_SAYS_INSTRUCTION) && core.instruction != own.instruction)
        report_ += "  the core's instruction: " + words(core.instruction, core.pc) + "\n";
    report_ += differences_;
    report_ += "reference: " + commit_line(*hart_) + "\n";
    if (compared_ != 0) report_ += "before it:\n";
    for (std::uint64_t i = compared_ < kHistory ? 0 : compared_ - kHistory; i < compared_; ++i) {
        const Past& past = past_[i % kHistory];
        report_ += "  " + std::to_string(past.order) + "  " + text(past.pc) + "  " +
                   words(past.instruction, past.pc) + "\n";
    }
    write_state();
}

// Every integer register; of the other files those that are not zero or differ.
void Comparison::write_state() {
    report_ += "state behind it, the reference's; * where the core has something else:\n";
    for (const unsigned file : {ISTHMUS_STEP_X, ISTHMUS_STEP_F, ISTHMUS_STEP_E}) {
        unsigned shown = 0;
        for (unsigned i = file == ISTHMUS_STEP_F ? 0 : 1; i < 32; ++i) {
            const std::uint64_t own = as_register(file, hart_->reg(file_of(file), i)),
                                core = core_.of(file)[i];
            if (file != ISTHMUS_STEP_X && own == 0 && core == own) continue;
            report_ += (own == core ? "   " : "  *") + padded(register_name(file_of(file), i), 5) +
                       text(own);
            if (own != core) report_ += " core " + text(core);
            report_ += ++shown % 4 == 0 ? "\n" : "";
        }
        if (shown % 4 != 0) report_ += "\n";
    }
    report_ += "   pc " + text(hart_->hart().pc) + ", privilege " +
               std::to_string(static_cast<unsigned>(hart_->hart().privilege));
    for (const unsigned number : {0x300u, 0x304u, 0x344u, 0x305u, 0x341u, 0x342u, 0x343u, 0x003u}) {
        std::uint64_t value = 0;
        if (hart_->csr(number, value)) report_ += ", " + csr_name(number) + " " + text(value);
    }
    report_ += "\n";
}

}  // namespace isthmus::sim
