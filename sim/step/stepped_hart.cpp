#include "sim/step/stepped_hart.hpp"

#include <stdexcept>
#include <utility>

#include "sim/hart/elf.hpp"

namespace isthmus::sim {

SteppedHart::SteppedHart(StepParameters parameters)
    : parameters_(std::move(parameters)),
      decoder_(parameters_.isa.xlen, parameters_.hart.profile, parameters_.isa.extensions),
      hart_(parameters_.hart, decoder_, memory_),
      pages_(parameters_.memory),
      value_mask_(parameters_.isa.xlen == Xlen::k32 ? 0xffffffff : ~std::uint64_t{0}) {
    for (const MemoryRange& range : parameters_.memory)
        memory_.map(range.start, range.size, kRead | kWrite | kExecute, "memory");
    prepare_steps(hart_);
    hart_.on_translated_write = [this](std::uint64_t address, std::uint64_t size) {
        pages_.touch(address, size);
    };
    reset();
}

void SteppedHart::reset() {
    ArchitecturalState start;
    start.pc = parameters_.reset_pc;
    start.csr.mtvec = parameters_.mtvec;
    start.csr.mip = hart_.csr.mip;  // lines keep their levels
    if (!parameters_.hart.user_mode) start.csr.mstatus = Hart::kMstatusMpp;
    start.give_to(hart_);
    hart_.mhartid = parameters_.hart_id;
    hart_.id = static_cast<unsigned>(parameters_.hart_id);
    hart_.clock = nullptr;
    forget_translations();
    hart_.synchronize();
    hart_.blocks.flush();
    order_ = 0;
    waiting_ = false;
    world_ = {};
    record_ = {};
}

void SteppedHart::load_elf(const std::string& path) {
    const Program program = Program::load(path);
    if (program.xlen != parameters_.isa.xlen)
        throw std::runtime_error(path + ": it is for " +
                                 (program.xlen == Xlen::k32 ? "rv32" : "rv64") + ", the hart is " +
                                 isa_name(parameters_.isa));
    for (const Segment& segment : program.segments) {
        std::vector<std::byte> bytes = segment.data;
        bytes.resize(segment.memory_size);
        if (!write_memory(segment.address, bytes.data(), bytes.size()))
            throw std::runtime_error(path + ": its segment at " + std::to_string(segment.address) +
                                     " of " + std::to_string(segment.memory_size) +
                                     " bytes is outside of the hart's memory (parameter memory)");
    }
    hart_.pc = program.entry;
}

bool SteppedHart::write_memory(std::uint64_t address, const void* data, std::size_t size) {
    if (size == 0) return true;
    // Pages that a write has come to before it failed have changed, too.
    pages_.touch(address, size);
    const bool done = memory_.write(address, data, size);
    drop_stale_code(address, size);
    if (hart_.csr.satp != 0) forget_translations();
    return done;
}

void SteppedHart::map_device(std::uint64_t start, std::uint64_t size,
                             std::unique_ptr<Device> device) {
    if (start % kPageSize != 0 || size % kPageSize != 0 || size == 0 || start + (size - 1) < start)
        throw std::invalid_argument("a device needs whole pages of 4096 bytes");
    memory_.map_device(start, size, device.get(), "device");
    devices_.push_back(std::move(device));
    hart_.synchronize();
    hart_.blocks.flush();
}

std::uint64_t SteppedHart::reg(RegisterFile file, unsigned number) const {
    number &= 31;
    switch (file) {
        case RegisterFile::x: return narrow(hart_.x[number]);
        case RegisterFile::f: return hart_.f[number];
        case RegisterFile::e: return narrow(hart_.e[number]);
        case RegisterFile::none: break;
    }
    return 0;
}

void SteppedHart::set_reg(RegisterFile file, unsigned number, std::uint64_t value) {
    number &= 31;
    const bool narrows = parameters_.isa.xlen == Xlen::k32;
    switch (file) {
        case RegisterFile::x:
            // The loop keeps 32-bit values sign-extended.
            if (narrows)
                value = static_cast<std::uint64_t>(
                    static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
            if (number != 0) hart_.x[number] = value;
            break;
        case RegisterFile::f: hart_.f[number] = value; break;
        case RegisterFile::e:
            if (number != 0) hart_.e[number] = narrow(value);
            break;
        case RegisterFile::none: break;
    }
}

bool SteppedHart::csr(unsigned number, std::uint64_t& value) {
    const Privilege before = hart_.privilege;
    const auto injected = std::exchange(hart_.injected_csr, std::nullopt);
    hart_.privilege = Privilege::machine;
    const bool there = hart_.read_csr(number, value);
    value = narrow(value);
    hart_.privilege = before;
    hart_.injected_csr = injected;
    return there;
}

bool SteppedHart::set_csr(unsigned number, std::uint64_t value) {
    const Privilege before = hart_.privilege;
    hart_.privilege = Privilege::machine;
    const bool done = hart_.write_csr(number, narrow(value));
    hart_.privilege = before;
    hart_.view_changed();
    // An instruction that writes a counter does not count itself; here there is none.
    if (number == 0xb00 || number == 0xb80) ++hart_.csr.cycle_offset;
    if (number == 0xb02 || number == 0xb82) ++hart_.csr.instret_offset;
    return done;
}

bool SteppedHart::set_privilege(int privilege) {
    if (privilege != 3 && (privilege != 0 || !parameters_.hart.user_mode) &&
        (privilege != 1 || !parameters_.hart.supervisor_mode))
        return false;
    hart_.privilege = static_cast<Privilege>(privilege);
    hart_.view_changed();
    return true;
}

void SteppedHart::forget_translations() {
    hart_.tlb.flush();
    hart_.blocks.suspect_spaces();
    hart_.recheck_pending = true;
    hart_.view_changed();
}

bool SteppedHart::take_interrupt(unsigned number) {
    if (number == 0 || hart_.pending_interrupt() != number) return false;
    world_.told_interrupt = number;
    return true;
}

void SteppedHart::set_time(std::uint64_t time) {
    world_.time = time;
    hart_.clock = [time] { return time; };
}

}  // namespace isthmus::sim
