// The step itself: what is pending, one instruction, and the record of what it did.
#include <algorithm>
#include <stdexcept>

#include "sim/hart/remote_access.hpp"
#include "sim/step/stepped_hart.hpp"

namespace isthmus::sim {
namespace {

constexpr unsigned kMstatus = 0x300, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343, kSepc = 0x141,
                   kScause = 0x142, kStval = 0x143, kFflags = 1;

std::uint8_t file_of(FlatRegister flat) {
    return flat < 32 ? ISTHMUS_STEP_X : flat < 64 ? ISTHMUS_STEP_F : ISTHMUS_STEP_E;
}

constexpr bool is_csr(Op op) {
    return op == Op::csrrw || op == Op::csrrs || op == Op::csrrc || op == Op::csrrwi ||
           op == Op::csrrsi || op == Op::csrrci;
}

constexpr std::uint64_t low_bytes(std::uint64_t value, unsigned size) {
    return size >= 8 ? value : value & ((std::uint64_t{1} << 8 * size) - 1);
}

/// Apart, so that its walk is no part of every step's frame.
[[gnu::noinline]] std::uint64_t physical_of(const Hart& hart, std::uint64_t address) {
    return hart.look(hart.data_view(), address, AccessType::load).physical;
}

}  // namespace

// A step -----------------------------------------------------------------------------------------

SteppedHart::Outcome SteppedHart::step() {
    if (waiting_) return answer_remote();
    begin_record();
    if (hart_.pending_lines() != 0 || world_.nmi) [[unlikely]]
        take_what_is_pending();
    if (hart_.flush_pending || hart_.recheck_pending) [[unlikely]]
        hart_.settle_code();
    paged_ |= hart_.csr.satp != 0;
    record_.pc = hart_.pc;
    if (world_.fetch_fails || world_.access_fails) [[unlikely]] {
        if (world_.fetch_fails) return fetch_failed();
        hart_.tlb.flush();
        hart_.access_fails = true;
        world_.access_fails = false;
    }
    record_.privilege = static_cast<std::uint8_t>(hart_.privilege);
    const unsigned flags = hart_.fflags;
    std::uint64_t fault = 0;
    const Block* const block =
        hart_.blocks.lookup(hart_.pc, decoder_, memory_, hart_.fp_enabled(), fault);
    if (block) [[likely]] {
        note_sources(*block);
    } else {
        record_.instruction = 0;
        record_.length = 0;
    }
    observer_.begin();
    const Stop stop = step_once(hart_, observer_);
    hart_.access_fails = false;
    if (!block || observer_.trapped()) [[unlikely]] {
        if (stop == Stop::trap) hart_.deliver_trap(hart_.pc);
        return trapped();
    }
    const Insn& insn = block->insns[0];
    const InsnMeta& meta = block->meta[0];
    if (stop == Stop::remote) {
        note_remote();
        waiting_ = true;
        // Namespace 0 is the own memory; single accesses to it have not even come here.
        if (hart_.remote.name_space == 0) world_.answers.push_front(serve(*this));
        if (world_.answers.empty()) {
            record_.next_pc = record_.pc;
            return Outcome::waiting;
        }
        return answer_remote();
    }
    note_results(insn, meta);
    if (observer_.size() != 0) note_access(insn, meta);
    if (meta.klass == InstructionClass::system) [[unlikely]] {
        if (is_csr(meta.op)) {
            hart_.injected_csr.reset();
            const bool always = meta.op == Op::csrrw || meta.op == Op::csrrwi;
            if (always || insn.rs1 != 0) note_csr(static_cast<unsigned>(insn.imm) & 0xfff);
        } else if (meta.op == Op::mret || meta.op == Op::sret) {
            note_csr(kMstatus);
        }
    } else if (hart_.fflags != flags) {
        note_csr(kFflags);
    }
    return retired();
}

SteppedHart::Outcome SteppedHart::fetch_failed() {
    world_.fetch_fails = false;
    record_.privilege = static_cast<std::uint8_t>(hart_.privilege);
    record_.instruction = 0;
    record_.length = 0;
    hart_.raise(Cause::fetch_fault, hart_.pc);
    hart_.deliver_trap(hart_.pc);
    return trapped();
}

SteppedHart::Outcome SteppedHart::retired() {
    record_.next_pc = hart_.pc;
    record_.order = order_++;
    return Outcome::retired;
}

SteppedHart::Outcome SteppedHart::trapped() {
    note_trap();
    record_.next_pc = hart_.pc;
    record_.order = order_++;
    return Outcome::trapped;
}

void SteppedHart::begin_record() {
    record_.trapped = record_.interrupted = 0;
    record_.cause = record_.tval = record_.interrupt = 0;
    record_.source_count = record_.write_count = record_.csr_count = record_.has_remote = 0;
    record_.memory.size = 0;
}

void SteppedHart::take_what_is_pending() {
    if (world_.nmi) {
        hart_.trap = hart_.delivered = Trap{};
        hart_.trap_into(Privilege::machine, *world_.nmi, 0, hart_.pc);
        hart_.pc = parameters_.nmi_vector;
        record_.interrupted = 2;
        record_.interrupt = *world_.nmi;
        world_.nmi.reset();
    } else {
        const unsigned number =
            parameters_.takes_interrupts ? hart_.pending_interrupt() : world_.told_interrupt;
        world_.told_interrupt = 0;
        if (number == 0) return;
        hart_.take_interrupt(number);
        record_.interrupted = 1;
        record_.interrupt = number;
    }
    note_trap_registers();
}

void SteppedHart::note_trap_registers() {
    const bool supervisor = hart_.privilege == Privilege::supervisor;
    for (const unsigned number : {supervisor ? kSepc : kMepc, supervisor ? kScause : kMcause,
                                  supervisor ? kStval : kMtval, kMstatus})
        note_csr(number);
}

// The record -------------------------------------------------------------------------------------

void SteppedHart::note_sources(const Block& block) {
    const InsnMeta& meta = block.meta[0];
    record_.instruction = meta.length == 2 ? meta.raw & 0xffff : meta.raw;
    record_.length = meta.length;
    const auto note = [&](FlatRegister flat) {
        if (flat == 0) return;
        const std::uint8_t number = flat & 31;
        record_.sources[record_.source_count++] = {file_of(flat), number,
                                                   flat < 32   ? narrow(hart_.x[number])
                                                   : flat < 64 ? hart_.f[number]
                                                               : hart_.e[number]};
    };
    note(meta.rs1);
    note(meta.rs2);
    note(meta.rs3);
    // What a compare-and-swap compares with stands where its result goes.
    if (meta.op == Op::eamocas_w || meta.op == Op::eamocas_d) note(meta.rd);
    if (meta.klass == InstructionClass::atomic && meta.rd == 0) {
        atomic_found_ = 0;
        std::uint64_t at = narrow(hart_.x[block.insns[0].rs1]);
        if (hart_.data_view().satp != 0) at = physical_of(hart_, at);
        if (!memory_.read(at, &atomic_found_, 8)) memory_.read(at, &atomic_found_, 4);
    }
}

void SteppedHart::note_results(const Insn&, const InsnMeta& meta) {
    const FlatRegister flat = meta.rd;
    if (flat == 0) return;
    const std::uint8_t number = flat & 31;
    record_.writes[record_.write_count++] = {file_of(flat), number,
                                             flat < 32   ? narrow(hart_.x[number])
                                             : flat < 64 ? hart_.f[number]
                                                         : hart_.e[number]};
}

void SteppedHart::note_access(const Insn&, const InsnMeta& meta) {
    isthmus_step_access& access = record_.memory;
    const unsigned size = observer_.size();
    access.address = observer_.address();
    access.size = static_cast<std::uint8_t>(size);
    access.reads = observer_.kind() != MemoryKind::store;
    access.writes = observer_.kind() != MemoryKind::load;
    access.read = access.written = 0;
    if (access.writes) {
        access.written = low_bytes(observer_.value(), size);
        if (access.reads)
            access.read = low_bytes(meta.rd == 0 ? atomic_found_ : hart_.x[meta.rd & 31], size);
        if (hart_.data_view().satp == 0) pages_.touch(access.address, size);
        if (memory_.code_version() != seen_code_) drop_stale_code(access.address, size);
    } else {
        access.read = low_bytes(observer_.value(), size);
    }
}

void SteppedHart::note_csr(unsigned number) {
    std::uint64_t value = 0;
    csr(number, value);
    for (unsigned i = 0; i < record_.csr_count; ++i) {
        if (record_.csrs[i].number != number) continue;
        record_.csrs[i].value = value;
        return;
    }
    record_.csrs[record_.csr_count++] = {static_cast<std::uint16_t>(number), value};
}

void SteppedHart::note_trap() {
    const Cause cause = hart_.trap.cause;
    std::uint64_t& tval =
        hart_.privilege == Privilege::supervisor ? hart_.csr.stval : hart_.csr.mtval;
    if ((cause == Cause::illegal && !parameters_.illegal_tval) ||
        (cause == Cause::breakpoint && !parameters_.breakpoint_tval))
        tval = 0;
    record_.trapped = 1;
    record_.cause = static_cast<std::uint64_t>(cause);
    record_.tval = narrow(tval);
    note_trap_registers();
}

// Remote accesses --------------------------------------------------------------------------------

void SteppedHart::note_remote() {
    const RemoteRequest& request = hart_.remote;
    static_assert(static_cast<int>(RemoteRequest::Kind::bulk_store) == ISTHMUS_STEP_BULK_STORE);
    isthmus_step_remote& remote = record_.remote;
    remote = {};
    remote.kind = static_cast<std::uint8_t>(request.kind);
    remote.size = request.size;
    remote.name_space = request.name_space;
    remote.address = request.address;
    remote.operand[0] = low_bytes(request.value, request.size);
    remote.operand[1] = request.size == 16 ? request.value_high : 0;
    remote.compare = request.op == Op::eamocas_w || request.op == Op::eamocas_d
                         ? low_bytes(request.compare, request.size)
                         : 0;
    remote.local = request.local;
    remote.count = request.count;
    record_.has_remote = 1;
}

SteppedHart::Outcome SteppedHart::answer_remote() {
    if (world_.answers.empty()) return Outcome::waiting;
    const RemoteAnswer answer = std::move(world_.answers.front());
    world_.answers.pop_front();
    const RemoteRequest request = hart_.remote;
    using Kind = RemoteRequest::Kind;
    const auto fail = [&](const Trap& trap) {
        waiting_ = false;
        hart_.pc = request.pc;
        --hart_.instret;
        hart_.trap = trap;
        hart_.trap.name_space = request.name_space;
        hart_.deliver_trap(request.pc);
        return trapped();
    };
    const bool reads = request.kind == Kind::load || request.kind == Kind::load_reserved ||
                       request.kind == Kind::bulk_load;
    // What a transfer has read before the fault is where it was to go.
    if (answer.fault && request.kind == Kind::bulk_load && !carry_out_bulk(answer))
        return fail(bulk_trap_);
    if (answer.fault)
        return fail({answer.cause.value_or(reads ? Cause::load_fault : Cause::store_fault),
                     answer.fault_address, 0});
    if (request.kind == Kind::bulk_load || request.kind == Kind::bulk_store) {
        if (!carry_out_bulk(answer)) return fail(bulk_trap_);
    }
    waiting_ = false;
    // What is injected may have more than was asked for.
    const std::array<std::uint64_t, 2> found = {low_bytes(answer.value[0], request.size),
                                                request.size == 16 ? answer.value[1] : 0};
    record_.remote.found[0] = found[0];
    record_.remote.found[1] = found[1];
    give_result(hart_, request, found);
    const auto note = [&](std::uint8_t file, std::uint64_t value) {
        record_.writes[record_.write_count++] = {file, request.rd, narrow(value)};
    };
    if (info(request.op).rd != RegisterFile::none && request.rd != Hart::kDiscard) {
        if (request.file == RegisterFile::e)
            note(ISTHMUS_STEP_E, hart_.e[request.rd]);
        else
            note(ISTHMUS_STEP_X, hart_.x[request.rd]);
        if (request.op == Op::elq) note(ISTHMUS_STEP_E, hart_.e[request.rd]);
    }
    return retired();
}

// The local side; as the machine does it, in pieces of a page's size.
bool SteppedHart::carry_out_bulk(const RemoteAnswer& answer) {
    const RemoteRequest& request = hart_.remote;
    const bool load = request.kind == RemoteRequest::Kind::bulk_load;
    const std::uint64_t total = answer.fault ? answer.bytes.size() : request.count * request.size;
    if (load && answer.bytes.size() != total)
        throw std::invalid_argument("a bulk load of " + std::to_string(total) +
                                    " bytes is to find " + std::to_string(answer.bytes.size()));
    std::byte buffer[4096];
    bool by_bytes = false;  // behind a piece that has failed, so that it ends where it must
    for (std::uint64_t done = 0; done < total;) {
        const std::size_t piece =
            by_bytes ? 1 : std::min<std::uint64_t>(total - done, sizeof buffer);
        const std::uint64_t at = request.local + done;
        std::uint64_t failed = at;
        if (load) pages_.touch(at, piece);
        const bool moved = load ? hart_.copy_out(at, answer.bytes.data() + done, piece, failed)
                                : hart_.copy_in(at, buffer, piece, failed);
        if (load) drop_stale_code(at, piece);
        if (!moved && piece > 1) {
            by_bytes = true;
            continue;
        }
        if (!moved) {
            bulk_trap_ = hart_.trap;
            return false;
        }
        done += piece;
    }
    return true;
}

// Code that is written is fetched as it is written, with and without fence.i: nothing depends on
// when it was decoded.
void SteppedHart::drop_stale_code(std::uint64_t address, std::uint64_t size) {
    if (memory_.code_version() == seen_code_) return;
    seen_code_ = memory_.code_version();
    // Behind page tables the code that is there may stand anywhere.
    if (size > 64 || paged_) {
        hart_.blocks.flush();
        paged_ = hart_.csr.satp != 0;
        return;
    }
    for (std::uint64_t pc = (address - 2) & ~std::uint64_t{1}; pc != ((address + size + 1) & ~1ull);
         pc += 2)
        hart_.blocks.forget(pc);
}

}  // namespace isthmus::sim
