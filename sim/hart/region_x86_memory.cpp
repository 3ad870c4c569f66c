// Loads and stores: where host memory is that they address.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/hart/region_x86.hpp"

namespace isthmus::sim::x86_64 {

namespace {
int window_field(int windows, int number, std::size_t k) {
    return windows + number * static_cast<int>(sizeof(Tlb::Window)) +
           static_cast<int>(kWindowFields[k]);
}
}  // namespace

void learn(Hart* hart, Access* access, std::uint64_t address) {
    access->patience = access->next_patience;
    access->next_patience = std::min(access->next_patience * 4, 1u << 30);
    const int number = hart->window_of(address);
    if (number < 0 || access->fields[0] == nullptr) return;
    for (std::size_t k = 0; k < access->fields.size(); ++k) {
        const std::int32_t offset = window_field(access->windows, number, k);
        std::memcpy(access->fields[k] - sizeof offset, &offset, sizeof offset);
    }
}

void Region::place(const CodeHolder& code, std::byte* start) {
    for (const Elsewhere& elsewhere : elsewheres_) {
        for (std::size_t k = 0; k < elsewhere.fields.size(); ++k)
            elsewhere.access->fields[k] = start + code.labelOffset(elsewhere.fields[k]);
    }
}

// The address as a whole is needed only to find out whether the guess is right: the host memory is
// addressed by the guest's base and what is added to it, which is there early.
Mem Region::host_memory(const Insn& i, unsigned size, const Path& path, const Label& miss) {
    const bool has_windows = hart_.data_view().satp == 0 && !hart_.options().trap_misaligned;
    const Gp base = use(i.rs1, kA);
    const bool is_home = base != kA;
    const Mem at = is_home ? x86::ptr(base, kA, 0, i.imm) : x86::ptr(kA, i.imm);
    if (!has_windows) {
        a_.lea(kA, x86::ptr(base, i.imm));
        emit_page(a_, size, path.tlb, miss);
        if (is_home) return x86::ptr(base, kC, 0, i.imm);
        a_.add(kC, slot(i.rs1));
        return x86::ptr(kC, i.imm);
    }
    accesses_.push_back({});
    accesses_.back().windows = path.windows;
    elsewheres_.push_back(
        {a_.newLabel(),
         a_.newLabel(),
         miss,
         &i,
         stubs_.pages[static_cast<std::size_t>(std::countr_zero(size))][path.tlb == kStores.tlb],
         &accesses_.back(),
         {a_.newLabel(), a_.newLabel(), a_.newLabel()}});
    const Elsewhere& elsewhere = elsewheres_.back();
    const int number = std::max(guess_.window(i), 0);
    const auto with_field = [&](x86::Inst::Id id, const Gp& with, std::size_t k) {
        a_.emit(id, with, x86::qword_ptr(kHart, window_field(path.windows, number, k)));
        a_.bind(elsewhere.fields[k]);
    };
    a_.lea(kC, x86::ptr(base, i.imm));
    with_field(x86::Inst::kIdSub, kC, 0);
    with_field(x86::Inst::kIdCmp, kC, 1);
    a_.jae(elsewhere.entry);
    with_field(is_home ? x86::Inst::kIdMov : x86::Inst::kIdAdd, kA, 2);
    a_.bind(elsewhere.found);
    return at;
}

void Region::emit_elsewhere(const Elsewhere& access) {
    const unsigned r = access.insn->rs1;
    a_.bind(access.entry);
    a_.lea(kA, x86::ptr(use(r, kA), access.insn->imm));
    a_.mov(kC, reinterpret_cast<std::uint64_t>(access.access));
    a_.call(imm(access.pages));
    a_.jc(access.miss);
    if (r != 0 && !homed(r)) a_.add(kA, slot(r));
    a_.jmp(access.found);
}

void Region::load(const Block& block, const Insn& i, Op op, unsigned size, bool is_signed) {
    const Label back = a_.newLabel();
    Mem at = host_memory(i, size, kLoads, cold(block, i, op, back));
    at.setSize(size);
    const Gp to = target(i.rd, kA);
    if (size == 8)
        a_.mov(to, at);
    else if (size == 4 && is_signed)
        a_.movsxd(to, at);
    else if (size == 4)
        a_.mov(to.r32(), at);
    else if (is_signed)
        a_.movsx(to, at);
    else
        a_.movzx(to.r32(), at);
    set(i.rd, to);
    a_.bind(back);
}

void Region::store(const Block& block, const Insn& i, Op op, unsigned size) {
    const Label back = a_.newLabel();
    Mem at = host_memory(i, size, kStores, cold(block, i, op, back));
    at.setSize(size);
    if (i.rs2 == 0) {
        a_.mov(at, 0);
    } else {
        const Gp v = use(i.rs2, beside(at));
        switch (size) {
            case 1: a_.mov(at, v.r8()); break;
            case 2: a_.mov(at, v.r16()); break;
            case 4: a_.mov(at, v.r32()); break;
            default: a_.mov(at, v); break;
        }
    }
    a_.bind(back);
}

}  // namespace isthmus::sim::x86_64
