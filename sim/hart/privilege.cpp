// Privilege levels: traps and interrupts to the level that handles them and back, the registers of
// supervisor mode, and address translation.
#include <algorithm>
#include <bit>
#include <utility>

#include "sim/hart/hart.hpp"

namespace isthmus::sim {
namespace {

constexpr std::uint64_t bit(unsigned n) {
    return std::uint64_t{1} << n;
}
constexpr std::uint64_t kSie = bit(1), kMie = bit(3), kSpie = bit(5), kMpie = bit(7), kSpp = bit(8),
                        kMpp = bit(11) | bit(12), kMprv = bit(17), kSum = bit(18), kMxr = bit(19),
                        kTvm = bit(20), kTw = bit(21), kTsr = bit(22);
constexpr std::uint64_t kOfSupervisor = kSie | kSpie | kSpp | kSum | kMxr;
/// What can be delegated: everything that supervisor and user mode raise.
constexpr std::uint64_t kExceptions = 0xb3ff;
constexpr std::uint64_t kInterrupts = 0x222;
constexpr std::uint64_t kFiom = 1, kAdue = bit(61);

Privilege previous(std::uint64_t mstatus) {
    return static_cast<Privilege>(mstatus >> 11 & 3);
}

}  // namespace

// Traps ------------------------------------------------------------------------------------------

bool Hart::enter_trap(std::uint64_t at) {
    const Privilege level = handler_of(trap.cause);
    const std::uint64_t base =
        (level == Privilege::supervisor ? csr.stvec : csr.mtvec) & ~std::uint64_t{3};
    const bool no_fetch = trap.cause == Cause::fetch_fault || trap.cause == Cause::fetch_page_fault;
    if (no_fetch && at == base && level == privilege) return false;
    deliver_trap(at);
    return true;
}

void Hart::deliver_trap(std::uint64_t at) {
    delivered = trap;
    trap_into(handler_of(trap.cause), static_cast<std::uint64_t>(trap.cause), trap.value, at);
}

void Hart::trap_into(Privilege level, std::uint64_t cause, std::uint64_t value, std::uint64_t at) {
    if (level == Privilege::supervisor) {
        csr.sepc = at;
        csr.scause = cause;
        csr.stval = value;
        std::uint64_t status = csr.mstatus & ~(kSpp | kSpie | kSie);
        if (csr.mstatus & kSie) status |= kSpie;
        if (privilege == Privilege::supervisor) status |= kSpp;
        csr.mstatus = status;
        pc = csr.stvec & ~std::uint64_t{3};
    } else {
        csr.mepc = at;
        csr.mcause = cause;
        csr.mtval = value;
        std::uint64_t status = csr.mstatus & ~(kMpp | kMpie | kMie);
        if (csr.mstatus & kMie) status |= kMpie;
        csr.mstatus = status | static_cast<std::uint64_t>(privilege) << 11;
        pc = csr.mtvec & ~std::uint64_t{3};
    }
    privilege = level;
    view_changed();
}

void Hart::leave_trap(Privilege to) {
    if (to != Privilege::machine) csr.mstatus &= ~kMprv;
    privilege = to;
    interrupts_changed = true;
    view_changed();
}

void Hart::return_from_trap() {
    const Privilege to = previous(csr.mstatus);
    std::uint64_t status = csr.mstatus & ~((options_.user_mode ? kMpp : 0) | kMie);
    if (csr.mstatus & kMpie) status |= kMie;
    csr.mstatus = status | kMpie;
    leave_trap(to);
}

void Hart::return_from_supervisor_trap() {
    const Privilege to = (csr.mstatus & kSpp) != 0 ? Privilege::supervisor : Privilege::user;
    std::uint64_t status = csr.mstatus & ~(kSpp | kSie);
    if (csr.mstatus & kSpie) status |= kSie;
    csr.mstatus = status | kSpie;
    leave_trap(to);
}

// Interrupts -------------------------------------------------------------------------------------

void Hart::poll_interrupts() {
    interrupts_changed = false;
    if (const unsigned number = pending_interrupt()) take_interrupt(number);
}

unsigned Hart::pending_interrupt() const {
    const std::uint64_t all = pending_lines() & csr.mie;
    if (all == 0) return 0;
    const bool to_machine = privilege != Privilege::machine || (csr.mstatus & kMie) != 0;
    const bool to_supervisor = privilege == Privilege::user ||
                               (privilege == Privilege::supervisor && (csr.mstatus & kSie) != 0);
    std::uint64_t pending = to_machine ? all & ~csr.mideleg : 0;
    if (pending == 0 && to_supervisor) pending = all & csr.mideleg;
    if (pending == 0) return 0;
    // A platform's own go first, the lowest of them before the others.
    if ((pending >> 16) != 0) return 16 + static_cast<unsigned>(std::countr_zero(pending >> 16));
    if ((pending & 0x888) == 0) return (pending & 0x200) ? 9 : (pending & 2) ? 1 : 5;
    return (pending & 0x800) ? 11 : (pending & 8) ? 3 : 7;
}

void Hart::take_interrupt(unsigned number) {
    const std::uint64_t interrupt =
        options_.xlen == Xlen::k32 ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    trap = delivered = Trap{Cause::illegal, 0};
    const bool to_supervisor = privilege != Privilege::machine && (csr.mideleg >> number & 1) != 0;
    trap_into(to_supervisor ? Privilege::supervisor : Privilege::machine, interrupt | number, 0,
              pc);
    const std::uint64_t vector = to_supervisor ? csr.stvec : csr.mtvec;
    if (vector & 1) pc = (vector & ~std::uint64_t{3}) + std::uint64_t{4} * number;
}

// Registers --------------------------------------------------------------------------------------

void Hart::write_mstatus(std::uint64_t value) {
    std::uint64_t next = value & (kMie | kMpie);
    if (options_.user_mode) next |= value & kMprv;
    if (options_.supervisor_mode) next |= value & (kOfSupervisor | kTvm | kTw | kTsr);
    const Privilege wanted = previous(value);
    if (wanted == Privilege::machine || !options_.user_mode)
        next |= kMpp;
    else if (wanted == Privilege::supervisor && options_.supervisor_mode)
        next |= bit(11);
    if ((value & kMstatusFs) && decoder_->extensions().has(Extension::F))
        next |= kMstatusFs;  // off or dirty, nothing between
    csr.mstatus = next;
    interrupts_changed = true;
    view_changed();
}

bool Hart::read_supervisor_csr(unsigned number, std::uint64_t& value) const {
    if (!options_.supervisor_mode) return false;
    const bool narrow = options_.xlen == Xlen::k32;
    switch (number) {
        case 0x100:
            value = csr.mstatus & (kOfSupervisor | kMstatusFs);
            if (!narrow) value |= std::uint64_t{2} << 32;
            if ((value & kMstatusFs) == kMstatusFs) value |= bit(narrow ? 31 : 63);
            return true;
        case 0x104: value = csr.mie & csr.mideleg; return true;
        case 0x105: value = csr.stvec; return true;
        case 0x106: value = csr.scounteren; return true;
        case 0x10a: value = csr.senvcfg; return true;
        case 0x140: value = csr.sscratch; return true;
        case 0x141: value = csr.sepc; return true;
        case 0x142: value = csr.scause; return true;
        case 0x143: value = csr.stval; return true;
        case 0x144: value = pending_lines() & csr.mideleg; return true;
        case 0x180:
            value = csr.satp;
            return privilege != Privilege::supervisor || (csr.mstatus & kTvm) == 0;
        case 0x302: value = csr.medeleg; return true;
        case 0x303: value = csr.mideleg; return true;
        case 0x312: return narrow;
        default: return false;
    }
}

bool Hart::write_supervisor_csr(unsigned number, std::uint64_t value) {
    const bool narrow = options_.xlen == Xlen::k32;
    const std::uint64_t adue =
        options_.sets_accessed == HartOptions::SetsAccessed::svadu ? kAdue : 0;
    std::uint64_t ignored = 0;
    // Without supervisor mode there is nothing to write in menvcfg.
    if (number == 0x30a || number == 0x31a) {
        if (!options_.supervisor_mode) return number == 0x30a || narrow;
    } else if (!read_supervisor_csr(number, ignored)) {
        return false;
    }
    interrupts_changed = true;
    switch (number) {
        case 0x100: {
            const std::uint64_t mine = kOfSupervisor | kMstatusFs;
            write_mstatus((csr.mstatus & ~mine) | (value & mine));
            break;
        }
        case 0x104: csr.mie = (csr.mie & ~csr.mideleg) | (value & csr.mideleg); break;
        case 0x105: csr.stvec = value & ~std::uint64_t{2}; break;
        case 0x106: csr.scounteren = value & 0xffffffff; break;
        case 0x10a: csr.senvcfg = value & kFiom; break;
        case 0x140: csr.sscratch = value; break;
        case 0x141: csr.sepc = value & ~(std::uint64_t{1} | target_mask_); break;
        case 0x142: csr.scause = value; break;
        case 0x143: csr.stval = value; break;
        case 0x144: {
            // Of its own, software may only raise and clear the software interrupt.
            const std::uint64_t mine = csr.mideleg & 2;
            csr.mip_written = (csr.mip_written & ~mine) | (value & mine);
            break;
        }
        case 0x180:
            if (!Satp::is_legal(options_.xlen, value)) break;
            // A bare satp has no root.
            csr.satp = Satp::mode(options_.xlen, value) == 0 ? 0 : value;
            // What is at the reserved address may be something else now.
            reservation_size = 0;
            view_changed();
            break;
        case 0x302: csr.medeleg = value & kExceptions; break;
        case 0x303:
            csr.mideleg = value & options_.interrupt_bits & (kInterrupts | ~std::uint64_t{0xffff});
            break;
        case 0x30a:
            csr.menvcfg = narrow ? (csr.menvcfg & adue) | (value & kFiom) : value & (kFiom | adue);
            break;
        case 0x31a: csr.menvcfg = (csr.menvcfg & kFiom) | (value << 32 & adue); return narrow;
        default: break;
    }
    return true;
}

// Address translation ----------------------------------------------------------------------------

void Hart::view_changed() {
    const bool paged = Satp::mode(options_.xlen, csr.satp) != 0;
    const auto view = [&](Privilege of) {
        View out;
        if (!paged || of == Privilege::machine) return out;
        out.satp = csr.satp;
        out.rights = {of == Privilege::user, (csr.mstatus & kSum) != 0, (csr.mstatus & kMxr) != 0};
        return out;
    };
    const View data = view((csr.mstatus & kMprv) != 0 ? previous(csr.mstatus) : privilege);
    if (!(data == data_view_)) {
        data_view_ = data;
        tlb.flush();
    }
    fetch_view_ = view(privilege);
    recheck_pending |=
        blocks.set_space({fetch_view_.satp, fetch_view_.rights.user, fp_enabled()}, *this);
}

AccessedDirty Hart::accessed_dirty() const {
    using enum HartOptions::SetsAccessed;
    const bool updates = options_.sets_accessed == hardware ||
                         (options_.sets_accessed == svadu && (csr.menvcfg & kAdue) != 0);
    return updates ? AccessedDirty::update : AccessedDirty::fault;
}

PageWalk Hart::walk(const View& view, std::uint64_t address, AccessType type) {
    const PageWalk found = walk_page_table(*memory, options_.xlen, view.satp, address, type,
                                           view.rights, accessed_dirty());
    if (found.updated && on_translated_write)
        on_translated_write(found.entries[found.reads - 1u], 8);
    return found;
}

bool Hart::translate(const View& view, std::uint64_t address, AccessType type,
                     std::uint64_t& physical) {
    constexpr Cause kPage[] = {Cause::fetch_page_fault, Cause::load_page_fault,
                               Cause::store_page_fault};
    constexpr Cause kAccess[] = {Cause::fetch_fault, Cause::load_fault, Cause::store_fault};
    const PageWalk found = walk(view, address, type);
    if (found.end == PageWalk::End::found) {
        physical = found.physical;
        return true;
    }
    const auto which = static_cast<std::size_t>(type);
    trap = Trap{found.end == PageWalk::End::page_fault ? kPage[which] : kAccess[which], address, 0};
    return false;
}

bool Hart::remote_address(std::uint64_t address, AccessType type, std::uint64_t& physical) {
    physical = address;
    if (Satp::mode(options_.xlen, csr.satp) == 0) return true;
    const PageWalk found =
        walk({csr.satp, {.user = true, .sum = false, .mxr = false}}, address, type);
    physical = found.physical;
    return found.end == PageWalk::End::found;
}

bool Hart::to_physical(std::uint64_t address, std::uint64_t& physical) {
    const Trap before = trap;
    const bool found = translate(fetch_view_, address, AccessType::fetch, physical);
    if (!found) fetch_cause_ = trap.cause;
    trap = before;
    return found;
}

bool Hart::still_leads_to(std::uint64_t address, std::uint64_t physical) const {
    const PageWalk walk =
        walk_page_table(*memory, options_.xlen, fetch_view_.satp, address, AccessType::fetch,
                        fetch_view_.rights, AccessedDirty::fault);
    return walk.end == PageWalk::End::found && walk.physical == physical;
}

void Hart::fence_translation(std::uint64_t address, std::uint64_t asid) {
    tlb.flush();
    blocks.suspect_spaces();
    recheck_pending = true;
    if (on_translation_fence) on_translation_fence(address, asid);
}

void Hart::settle_code() {
    if (std::exchange(flush_pending, false)) blocks.flush();
    if (std::exchange(recheck_pending, false)) blocks.recheck();
}

bool Hart::copy_in(std::uint64_t address, void* to, std::size_t size, std::uint64_t& failed) {
    auto* out = static_cast<std::byte*>(to);
    while (size != 0) {
        const std::size_t n = data_view_.satp == 0
                                  ? size
                                  : std::min<std::uint64_t>(size, kPageSize - address % kPageSize);
        std::uint64_t at = 0;
        failed = address;
        if (!data_address(address, AccessType::load, at)) return false;
        if (!memory->read(at, out, n)) {
            trap = Trap{Cause::load_fault, address, 0};
            return false;
        }
        out += n;
        address += n;
        size -= n;
    }
    return true;
}

bool Hart::copy_out(std::uint64_t address, const void* from, std::size_t size,
                    std::uint64_t& failed) {
    const auto* in = static_cast<const std::byte*>(from);
    while (size != 0) {
        const std::size_t n = data_view_.satp == 0
                                  ? size
                                  : std::min<std::uint64_t>(size, kPageSize - address % kPageSize);
        std::uint64_t at = 0;
        failed = address;
        if (!data_address(address, AccessType::store, at)) return false;
        note_translated_write(at, n);
        if (!memory->write(at, in, n)) {
            trap = Trap{Cause::store_fault, address, 0};
            return false;
        }
        in += n;
        address += n;
        size -= n;
    }
    return true;
}

}  // namespace isthmus::sim
