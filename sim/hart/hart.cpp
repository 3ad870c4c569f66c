#include "sim/hart/hart.hpp"

#include <algorithm>

#include <bit>
#include <cstring>
#include <utility>

#include "sim/hart/paged_access.hpp"
#include "sim/hart/translator.hpp"

namespace isthmus::sim {
namespace {

constexpr std::uint64_t kMie = 1u << 3, kMpie = 1u << 7, kMpp = 3u << 11, kMprv = 1u << 17;
constexpr std::uint64_t kSupervisorInterrupts = 0x222;  // of mip: its software, timer, external

// A letter a bit; the width stands in the two highest.
std::uint64_t misa_of(const HartOptions& options, Extensions extensions) {
    const auto letter = [](char name, bool there) {
        return there ? std::uint64_t{1} << (name - 'A') : 0;
    };
    using enum Extension;
    return letter('I', extensions.has(I)) | letter('M', extensions.has(M)) |
           letter('A', extensions.has(A)) | letter('F', extensions.has(F)) |
           letter('D', extensions.has(D)) | letter('C', extensions.has(C)) |
           letter('S', options.supervisor_mode) | letter('U', options.user_mode) |
           letter('X', extensions.has_xbgas()) |
           (options.xlen == Xlen::k32 ? std::uint64_t{1} << 30 : std::uint64_t{2} << 62);
}

}  // namespace

std::string_view cause_name(Cause cause) {
    switch (cause) {
        case Cause::fetch_misaligned: return "instruction address misaligned";
        case Cause::fetch_fault: return "instruction access fault";
        case Cause::illegal: return "illegal instruction";
        case Cause::breakpoint: return "breakpoint";
        case Cause::load_misaligned: return "load address misaligned";
        case Cause::load_fault: return "load access fault";
        case Cause::store_misaligned: return "store address misaligned";
        case Cause::store_fault: return "store access fault";
        case Cause::user_call: return "environment call from user mode";
        case Cause::supervisor_call: return "environment call from supervisor mode";
        case Cause::machine_call: return "environment call from machine mode";
        case Cause::fetch_page_fault: return "instruction page fault";
        case Cause::load_page_fault: return "load page fault";
        case Cause::store_page_fault: return "store page fault";
    }
    return "unknown trap";
}

Hart::Hart(const HartOptions& options, const Decoder& decoder, AddressSpace& space)
    : memory(&space),
      options_(options),
      decoder_(&decoder),
      target_mask_(decoder.extensions().has(Extension::C) ? 0 : 2) {
    if (!options.user_mode) csr.mstatus = kMpp;
    if (options.emulate_linux) privilege = Privilege::user;
}

Hart::~Hart() = default;

void Hart::translate(Block& block, const void* handler) {
    if (!options_.translate || options_.xlen != Xlen::k64 || block.native != nullptr) return;
    if (!translator_) {
        translator_ = make_translator(rv64_fallbacks(), blocks);
        if (!translator_) {
            options_.translate = false;
            return;
        }
        translated_generation_ = blocks.generation();
    }
    if (translated_generation_ != blocks.generation()) {
        translator_->clear();
        translated_generation_ = blocks.generation();
    }
    translated_code_ = translator_->entry();
    translated_blocks_ += translator_->translate(block, *this, handler);
}

bool Hart::raise(Cause cause, std::uint64_t value) {
    trap = Trap{cause, value, 0};
    stop = Stop::trap;
    return false;
}

int Hart::window_of(std::uint64_t address) {
    const Region* const region = memory->find(address);
    if (region == nullptr || region->host == nullptr || data_view_.satp != 0) return -1;
    const auto known = std::ranges::find(window_starts_, region->start);
    const auto number = known - window_starts_.begin();
    if (known == window_starts_.end()) {
        if (window_starts_.size() == Tlb::kWindows) return -1;
        window_starts_.push_back(region->start);
        // Its pages may be in the TLB already and miss no more.
        if ((region->rights & kRead) != 0) open_window(tlb.read_windows, *region);
        if ((region->rights & kWrite) != 0) open_window(tlb.write_windows, *region);
    }
    return static_cast<int>(number);
}

// A page that gets code must not be written to past note_write(): no window where code may be.
void Hart::open_window(Tlb::Windows& windows, const Region& region) {
    const auto known = std::ranges::find(window_starts_, region.start);
    if (known == window_starts_.end() || options_.trap_misaligned) return;
    const std::uint64_t size = region.end - region.start;
    if (&windows == &tlb.write_windows &&
        ((region.rights & kExecute) != 0 || watch_page - region.start < size)) {
        return;
    }
    windows[static_cast<std::size_t>(known - window_starts_.begin())] = {
        region.start, size - 7, reinterpret_cast<std::uintptr_t>(region.host) - region.start};
}

bool Hart::load_slow(std::uint64_t address, void* value, unsigned size, MemoryKind kind) {
    const Cause fault = kind == MemoryKind::load ? Cause::load_fault : Cause::store_fault;
    if (options_.trap_misaligned && (address & (size - 1)) != 0)
        return raise(Cause::load_misaligned, address);
    if (std::exchange(access_fails, false)) return raise(fault, address);
    if (data_view_.satp != 0) [[unlikely]]
        return load_paged(*this, address, value, size, fault);
    const std::uint64_t page = address & kPageMask;
    if (((address + size - 1) & kPageMask) == page) {
        const Region* region = memory->find(address);
        if (!region || !(region->rights & kRead)) return raise(fault, address);
        if (region->device) {
            if (address & (size - 1)) return raise(fault, address);
            const std::uint64_t got = region->device->read(address - region->start, size);
            std::memcpy(value, &got, size);
            return true;
        }
        const std::byte* host = region->host + (address - region->start);
        std::memcpy(value, host, size);
        // A region may end inside the host page that starts at `page` only if it is not
        // page-aligned; it always is.
        tlb.read[(page / kPageSize) % Tlb::kEntries] = {
            page, reinterpret_cast<std::uintptr_t>(host) - address};
        open_window(tlb.read_windows, *region);
        return true;
    }
    auto* bytes = static_cast<std::byte*>(value);
    for (unsigned i = 0; i < size; ++i) {
        const std::byte* host = memory->host(address + i, kRead);
        if (!host) return raise(fault, address + i);
        bytes[i] = *host;
    }
    return true;
}

bool Hart::store_slow(std::uint64_t address, const void* value, unsigned size) {
    if (options_.trap_misaligned && (address & (size - 1)) != 0)
        return raise(Cause::store_misaligned, address);
    if (std::exchange(access_fails, false)) return raise(Cause::store_fault, address);
    if (data_view_.satp != 0) [[unlikely]]
        return store_paged(*this, address, value, size);
    const std::uint64_t page = address & kPageMask;
    if (((address + size - 1) & kPageMask) == page) {
        const Region* region = memory->find(address);
        if (!region || !(region->rights & kWrite)) return raise(Cause::store_fault, address);
        if (region->device) {
            if (address & (size - 1)) return raise(Cause::store_fault, address);
            std::uint64_t data = 0;
            std::memcpy(&data, value, size);
            region->device->write(address - region->start, size, data);
            return true;
        }
        std::byte* host = region->host + (address - region->start);
        std::memcpy(host, value, size);
        const bool code = memory->is_code(page);
        if (code) memory->note_write(address, size);
        if (page == watch_page) {
            if (address - watch_address < 8) {
                stop = Stop::host_call;
                return false;
            }
        } else if (!code) {
            tlb.write[(page / kPageSize) % Tlb::kEntries] = {
                page, reinterpret_cast<std::uintptr_t>(host) - address};
            open_window(tlb.write_windows, *region);
        }
        return true;
    }
    // Nothing is written unless all of it can be.
    for (unsigned i = 0; i < size; ++i) {
        if (!memory->host(address + i, kWrite)) return raise(Cause::store_fault, address + i);
    }
    memory->write(address, value, size);
    return true;
}

bool Hart::read_csr(unsigned number, std::uint64_t& value) {
    if (!read_csr_state(number, value)) return false;
    if (injected_csr && injected_csr->number == number) value = injected_csr->value;
    return true;
}

bool Hart::read_csr_state(unsigned number, std::uint64_t& value) const {
    if (((number >> 8) & 3) > static_cast<unsigned>(privilege)) return false;
    const bool narrow = options_.xlen == Xlen::k32;
    const auto counter = [&](std::uint64_t full, bool high) {
        value = high ? full >> 32 : full;
        return !high || narrow;
    };
    const std::uint64_t cycles = cycles_now() + csr.cycle_offset,
                        retired = instret + csr.instret_offset;
    // The user-level counters may be closed by the machine level.
    if ((number & 0xf60) == 0xc00) {
        const std::uint64_t to_user = options_.supervisor_mode ? csr.scounteren : ~std::uint64_t{0};
        const std::uint64_t open =
            csr.mcounteren & (privilege == Privilege::user ? to_user : ~std::uint64_t{0});
        if (privilege != Privilege::machine && !options_.emulate_linux &&
            (open >> (number & 31) & 1) == 0)
            return false;
    }
    value = 0;
    switch (number) {
        case 0x001: value = fflags; return fp_enabled();
        case 0x002: value = frm; return fp_enabled();
        case 0x003: value = fflags | frm << 5; return fp_enabled();
        case 0xc00:
        case 0xb00: return counter(cycles, false);
        case 0xc80:
        case 0xb80: return counter(cycles, true);
        case 0xc01: return counter(clock ? clock() : instret, false);
        case 0xc81: return counter(clock ? clock() : instret, true);
        case 0xc02:
        case 0xb02: return counter(retired, false);
        case 0xc82:
        case 0xb82: return counter(retired, true);
        case 0xca0:
            value = !remote_under_way || !remote_under_way();
            return decoder_->extensions().has_xbgas();
        case 0x300: {
            value = csr.mstatus;
            const bool dirty = (value & kMstatusFs) == kMstatusFs;
            if (!narrow) value |= std::uint64_t{options_.supervisor_mode ? 10u : 2u} << 32;
            if (dirty) value |= narrow ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
            return true;
        }
        case 0x301:
            value = options_.misa.value_or(misa_of(options_, decoder_->extensions()));
            return true;
        case 0x304: value = csr.mie; return true;
        case 0x305: value = csr.mtvec; return true;
        case 0x306: value = csr.mcounteren; return options_.user_mode;
        case 0x310: return narrow;
        case 0x30a: value = narrow ? csr.menvcfg & 0xffffffff : csr.menvcfg; return true;
        case 0x31a: value = csr.menvcfg >> 32; return narrow;
        case 0x320: return true;  // nothing can be inhibited
        case 0x340: value = csr.mscratch; return true;
        case 0x341: value = csr.mepc; return true;
        case 0x342: value = csr.mcause; return true;
        case 0x343: value = csr.mtval; return true;
        case 0x344: value = pending_lines(); return true;
        case 0xf14: value = mhartid; return true;
        case 0xf11: value = options_.mvendorid; return true;
        case 0xf12: value = options_.marchid; return true;
        case 0xf13: value = options_.mimpid; return true;
        case 0xf15:
        case 0x7a0:  // no triggers
        case 0x7a1:
        case 0x7a2:
        case 0x7a3:
        case 0x7a5: return true;
        default: break;
    }
    if ((number & 0xf00) == 0x100 || number == 0x302 || number == 0x303 || number == 0x312)
        return read_supervisor_csr(number, value);
    // Event counters that count nothing, and no physical memory protection.
    if (number >= 0xb03 && number <= 0xb1f) return true;
    if (number >= 0xb83 && number <= 0xb9f) return narrow;
    if (number >= 0xc03 && number <= 0xc1f) return true;
    if (number >= 0xc83 && number <= 0xc9f) return narrow;
    if (number >= 0x323 && number <= 0x33f) return true;
    if (number >= 0x3a0 && number <= 0x3af) return narrow || (number & 1) == 0;
    return number >= 0x3b0 && number <= 0x3ef;
}

bool Hart::write_csr(unsigned number, std::uint64_t value) {
    if ((number >> 10) == 3) return false;
    if (((number >> 8) & 3) > static_cast<unsigned>(privilege)) return false;
    const bool narrow = options_.xlen == Xlen::k32;
    const auto low = [&](std::uint64_t full) {
        return narrow ? (full & ~0xffffffffull) | (value & 0xffffffff) : value;
    };
    const auto high = [&](std::uint64_t full) { return (full & 0xffffffff) | value << 32; };
    switch (number) {
        case 0x001:
        case 0x002:
        case 0x003:
            if (!fp_enabled()) return false;
            if (number != 0x002) fflags = value & 31;
            if (number != 0x001) frm = (number == 0x003 ? value >> 5 : value) & 7;
            return true;
        case 0x300: write_mstatus(value); return true;
        case 0x304:
            csr.mie = value & options_.interrupt_bits;
            interrupts_changed = true;
            return true;
        case 0x305:
            csr.mtvec = (csr.mtvec & ~options_.mtvec_mask) | (value & options_.mtvec_mask);
            return true;
        case 0x306: csr.mcounteren = value & 0xffffffff; return options_.user_mode;
        case 0x320: return true;
        case 0x340: csr.mscratch = value; return true;
        case 0x341: csr.mepc = value & ~(std::uint64_t{1} | target_mask_); return true;
        case 0x342: csr.mcause = value; return true;
        case 0x343: csr.mtval = value; return true;
        case 0x344:  // the machine's bits are the lines'
            if (options_.supervisor_mode)
                csr.mip_written = value & kSupervisorInterrupts & options_.interrupt_bits;
            interrupts_changed = true;
            return true;
        // The instruction that writes a counter does not count itself.
        case 0xb00:
            csr.cycle_offset = low(cycles_now() + csr.cycle_offset) - cycles_now() - 1;
            return true;
        case 0xb02:
            csr.instret_offset = low(instret + csr.instret_offset) - instret - 1;
            return true;
        case 0xb80:
            if (!narrow) return false;
            csr.cycle_offset = high(cycles_now() + csr.cycle_offset) - cycles_now() - 1;
            return true;
        case 0xb82:
            if (!narrow) return false;
            csr.instret_offset = high(instret + csr.instret_offset) - instret - 1;
            return true;
        default: break;
    }
    if ((number & 0xf00) == 0x100 || number == 0x302 || number == 0x303 || number == 0x30a ||
        number == 0x31a)
        return write_supervisor_csr(number, value);
    std::uint64_t ignored;
    return read_csr(
        number, ignored);  // the rest holds no state: writes are dropped where reads are allowed
}

void Hart::synchronize() {
    if (memory->map_version() != seen_map_) {
        seen_map_ = memory->map_version();
        tlb.flush();
    }
    // A page that another hart of the node decoded must not stay writable past note_write().
    note_decoded();
    if (memory->code_version() != seen_code_ && options_.emulate_linux) flush_code();
}

void Hart::flush_code() {
    if (memory->code_version() == seen_code_) return;
    seen_code_ = memory->code_version();
    flush_pending = true;
}

}  // namespace isthmus::sim
