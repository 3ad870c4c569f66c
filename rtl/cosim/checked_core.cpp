#include "cosim/checked_core.hpp"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "sim/hart/elf.hpp"

namespace isthmus::rtl {
namespace {

constexpr u64 kQuietCycles = 5000;  // without an instruction: it hangs

std::string hex(u64 value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

std::string parameters_of(const CoreKind& kind, unsigned node, u64 bytes) {
    return std::string("isa=") + kind.isa + " " + kind.parameters +
           " misaligned=trap mhartid=" + std::to_string(node) + " reset_pc=" + hex(kBootStart) +
           " memory=" + hex(kBootStart) + ":" + hex(kBootBytes) + " memory=" + hex(kMemoryStart) +
           ":" + hex(bytes);
}

}  // namespace

CheckedCore::CheckedCore(const CoreKind& kind, unsigned node, u64 memory_bytes,
                         const Disturbance& disturbance, RemoteSide* remote)
    : kind_(&kind),
      node_(node),
      disturbance_(disturbance),
      remote_side_(remote),
      gates_(kind.make()),
      hart_(parameters_of(kind, node, memory_bytes)),
      memory_(memory_bytes),
      boot_(kBootBytes),
      random_(disturbance.start * 1000 + node),
      lane_bytes_(kind.xlen / 8),
      remote_(kind.outstanding) {
    in_.hart_id = node;
}

bool CheckedCore::there(u64 address, u64 size) const {
    const auto inside = [&](u64 start, u64 bytes) {
        return address >= start && address - start <= bytes && bytes - (address - start) >= size;
    };
    return inside(kMemoryStart, memory_.size()) || inside(kBootStart, boot_.size());
}

void CheckedCore::write_memory(u64 address, const void* data, std::size_t size) {
    if (!there(address, size)) throw std::runtime_error("no memory at " + hex(address));
    std::memcpy(at(address), data, size);
    hart_.write_memory(address, data, size);
}

void CheckedCore::load_elf(const std::string& path, u64 nodes) {
    const sim::Program program = sim::Program::load(path);
    if ((program.xlen == sim::Xlen::k64) != (kind_->xlen == 64))
        throw std::runtime_error(path + ": it is for " +
                                 (program.xlen == sim::Xlen::k64 ? "rv64" : "rv32") +
                                 ", the core is " + kind_->name);
    for (const sim::Segment& segment : program.segments) {
        std::vector<std::byte> bytes = segment.data;
        bytes.resize(segment.memory_size);
        if (!bytes.empty()) write_memory(segment.address, bytes.data(), bytes.size());
    }
    tohost_ = program.symbol("tohost").value_or(0);
    boot(program.entry, nodes);
}

// What firmware would do: a0 is the hart's number; e10 and e11 are the node's and how many there
// are.
void CheckedCore::boot(u64 entry, u64 nodes) {
    std::vector<u32> code = {0xf1402573};  // csrr a0, mhartid
    if (kind_->xbgas) {
        const u32 eaddie = std::string(kind_->parameters).find("profile=a") == std::string::npos
                               ? 0x507bu
                               : 0x707bu;
        code.push_back(eaddie | 10 << 15 | 10 << 7);                    // eaddie e10, a0, 0
        code.push_back(0x293 | static_cast<u32>(nodes & 0x7ff) << 20);  // li t0, nodes
        code.push_back(eaddie | 5 << 15 | 11 << 7);                     // eaddie e11, t0, 0
    }
    const u32 pc = static_cast<u32>(4 * code.size());
    code.push_back(0x297);                                                        // auipc t0, 0
    code.push_back((kind_->xlen == 64 ? 0x2b283u : 0x2a283u) | (64 - pc) << 20);  // l{d,w} t0, (64)
    code.push_back(0x28067);                                                      // jr t0
    write_memory(kBootStart, code.data(), 4 * code.size());
    write_memory(kBootStart + 64, &entry, 8);
}

void CheckedCore::reset() {
    hart_.set_pc(kBootStart);
    in_.reset = true;
    for (int i = 0; i < 3; ++i) {
        gates_->set(in_);
        gates_->tick();
    }
    in_.reset = false;
}

// A cycle ----------------------------------------------------------------------------------------

bool CheckedCore::cycle() {
    drive();
    gates_->set(in_);
    out_ = gates_->outputs();
    if (kind_->table_entries) in_.remote_ready = out_.remote_taken;
    if (!stable() || !take_requests() || !check_late_write()) return false;
    gates_->tick();
    ++cycle_;
    Retirement core;
    if (gates_->retired(core)) {
        quiet_ = 0;
        return check(core);
    }
    if (++quiet_ > kQuietCycles)
        return differ("no instruction has ended for " + std::to_string(kQuietCycles) + " cycles");
    return true;
}

void CheckedCore::drive() {
    in_.time = cycle_;
    for (unsigned line = 0; line < 3; ++line) {
        // A line falls soon, or nothing but its handler would run.
        const u8 bit = u8(1u << line);
        if (chance(in_.irq & bit ? 128 : disturbance_.irq)) in_.irq ^= bit;
    }
    in_.instr_ready = !chance(disturbance_.stall);
    in_.data_ready = !chance(disturbance_.stall);
    in_.remote_ready = !chance(disturbance_.stall) && !(remote_side_ && remote_side_->locked());

    in_.instr_rvalid = !fetches_.empty() && fetches_.front().due <= cycle_;
    if (in_.instr_rvalid) {
        const u64 address = fetches_.front().address;
        fetches_.pop_front();
        const bool there_is = there(address, 4);
        const bool fails =
            there_is && address >= kMemoryStart && chance(disturbance_.code_error, 16384);
        in_.instr_err = !there_is || fails;
        if (fails) bad_code_[address] = cycle_;
        in_.instr_rdata = static_cast<u32>(random_());
        if (!in_.instr_err) std::memcpy(&in_.instr_rdata, at(address), 4);
    }
    in_.data_rvalid = data_.there && data_.due <= cycle_;
    if (in_.data_rvalid) {
        in_.data_rdata = data_.data;
        in_.data_err = data_.error;
        data_.there = false;
    } else {
        in_.data_err = true;  // of what is no answer it says nothing
    }
    answer_remote();
}

// A request that was not taken stays as it was.
bool CheckedCore::stable() {
    const bool instr = !instr_held_ || (out_.instr_valid && out_.instr_addr == held_.instr_addr);
    const bool data =
        !data_held_ || (out_.data_valid && out_.data_addr == held_.data_addr &&
                        out_.data_write == held_.data_write && out_.data_be == held_.data_be &&
                        (!out_.data_write || out_.data_wdata == held_.data_wdata));
    const RemoteAccess &now = out_.remote, &before = held_.remote;
    const bool remote =
        !remote_held_ ||
        (out_.remote_valid && now.kind == before.kind && now.space == before.space &&
         now.address == before.address && now.data[0] == before.data[0]);
    instr_held_ = out_.instr_valid && !in_.instr_ready;
    data_held_ = out_.data_valid && !in_.data_ready;
    remote_held_ = out_.remote_valid && !in_.remote_ready;
    held_ = out_;
    if (instr && data && remote) return true;
    return differ(std::string("a request changed before it was taken: ") + (!instr  ? "instruction"
                                                                            : !data ? "data"
                                                                                    : "remote"));
}

bool CheckedCore::take_requests() {
    if (out_.instr_valid && in_.instr_ready) {
        const u64 due = std::max(cycle_ + delay(), fetches_.empty() ? 0 : fetches_.back().due + 1);
        fetches_.push_back({due, out_.instr_addr});
    }
    if (out_.data_valid && in_.data_ready && out_.data_from != kFromCore) {
        if (!take_foreign()) return false;
    } else if (out_.data_valid && in_.data_ready) {
        Event event{.kind = Event::kData,
                    .address = out_.data_addr,
                    .data = {out_.data_wdata, 0},
                    .be = out_.data_be,
                    .write = out_.data_write};
        const bool there_is = there(event.address, lane_bytes_);
        event.bulk = out_.bulk_piece;
        event.lock = out_.data_lock;
        // Where a transfer ends is the reference's to say, so errors for no reason spare it.
        event.error = !there_is || (!event.bulk && chance(disturbance_.data_error, 16384));
        quiet_ = 0;
        data_ = {.due = cycle_ + delay(), .data = random_(), .there = true, .error = event.error};
        if (!event.error) {
            u8* const bytes = at(event.address);
            // Lanes that are not asked for give anything.
            for (unsigned i = 0; i < lane_bytes_; ++i) {
                if (!(event.be >> i & 1)) continue;
                if (event.write)
                    bytes[i] = u8(event.data[0] >> 8 * i);
                else
                    data_.data = (data_.data & ~(u64{0xff} << 8 * i)) | u64{bytes[i]} << 8 * i;
            }
        }
        if (!event.write) event.data[0] = data_.data;
        events_.push_back(event);
    }
    if (kind_->table_entries) return watch_remote();
    if (out_.remote_valid && in_.remote_ready) {
        if (!may_be_asked(out_.remote)) return false;
        remote_access_ = out_.remote;
        if (out_.remote.space == 0 && !out_.bulk_piece)
            events_.push_back({.kind = Event::kOwnRemote});
        remote_answer_ = remote_side_ ? remote_side_->serve(node_, out_.remote)
                                      : RemoteSide::Answer{.fault = true};
        if (out_.bulk_piece) pieces_.push_back({out_.remote, remote_answer_});
        quiet_ = 0;
        remote_id_ = out_.remote_id;
        if (remote_id_ >= remote_.size() || remote_[remote_id_].there)
            return differ("a remote access has the number " + std::to_string(remote_id_) +
                          ", which is out of range or under way");
        remote_[remote_id_] = {
            .due = cycle_ + delay() + (remote_side_ ? remote_side_->latency() : 0),
            .there = true,
            .load = out_.remote.kind == kRemoteLoad,
            .address = out_.remote.address,
            .space = out_.remote.space,
            .size = out_.remote.size,
            .answer = remote_answer_};
        ++remotes_;
    }
    return true;
}

// Memory, for a walk of the namespace table or for another node's access.
bool CheckedCore::take_foreign() {
    const u64 address = out_.data_addr;
    const bool there_is = there(address, lane_bytes_);
    data_ = {.due = cycle_ + delay(), .data = random_(), .there = true, .error = !there_is};
    if (out_.data_from == kFromWalk) {
        ++walks_;
        if (out_.data_write || address - table() >= 32u * kind_->table_entries)
            return differ("a walk of the namespace table came to " + hex(address));
        std::memcpy(&data_.data, at(address), lane_bytes_);
        return true;
    }
    const std::string wrong =
        remote_side_->arrives(node_, out_.data_source, out_.data_id,
                              {address, out_.data_wdata, out_.data_be, out_.data_write});
    if (!wrong.empty()) return differ(wrong);
    const bool own = out_.data_own && out_.data_source == node_;
    if (own && !own_word_seen_ && pieces_.empty()) events_.push_back({.kind = Event::kOwnRemote});
    if (own) own_word_seen_ = true;
    if (!there_is) return true;
    if (!out_.data_write) {
        std::memcpy(&data_.data, at(address), lane_bytes_);
        return true;
    }
    const unsigned lane = unsigned(std::countr_zero(out_.data_be));
    const u64 value = out_.data_wdata >> 8 * lane;
    remote_write(address + lane, unsigned(std::popcount(out_.data_be)), &value, own);
    return true;
}

// The remote port of a core whose network is gates as well.
bool CheckedCore::watch_remote() {
    std::string wrong;
    if (out_.remote_answered) {
        const RemoteSide::Answer answer{{out_.remote_found[0], out_.remote_found[1]},
                                        out_.remote_fault};
        wrong = remote_side_->answered(node_, out_.remote_rid, answer);
        if (wrong.empty()) note_answer(remote_[out_.remote_rid], answer);
        quiet_ = 0;
    }
    if (out_.remote_taken && wrong.empty()) {
        if (!may_be_asked(out_.remote)) return false;
        remote_access_ = out_.remote;
        own_word_seen_ = false;
        if (out_.bulk_piece) pieces_.push_back({out_.remote, {}});
        ++remotes_;
        quiet_ = 0;
        remote_id_ = out_.remote_id;
        wrong = remote_side_->taken(node_, remote_id_, out_.remote);
        if (wrong.empty())
            remote_[remote_id_] = {.there = true,
                                   .load = out_.remote.kind == kRemoteLoad,
                                   .address = out_.remote.address,
                                   .space = out_.remote.space,
                                   .size = out_.remote.size};
    }
    return wrong.empty() || differ(wrong);
}

u64 CheckedCore::read(u64 address, unsigned size) const {
    u64 value = 0;
    std::memcpy(&value, at(address), size);
    return value;
}

void CheckedCore::remote_write(u64 address, unsigned size, const u64* value, bool own) {
    std::memcpy(at(address), value, size);
    if (own) return;  // the hart does it by itself, in its order
    Event event{.kind = Event::kForeignWrite, .address = address, .size = u8(size)};
    std::memcpy(event.data, value, size);
    events_.push_back(event);
}

// Comparison -------------------------------------------------------------------------------------

// What others have written before the core's next access was taken.
void CheckedCore::follow_writes() {
    while (!events_.empty() && events_.front().kind == Event::kForeignWrite)
        follow_one_write();
}

void CheckedCore::follow_one_write() {
    const Event& event = events_.front();
    hart_.write_memory(event.address, event.data, event.size);
    events_.pop_front();
}

// Words that read what only the core can know: cycle and time.
static std::optional<unsigned> counter_of(u32 insn) {
    if ((insn & 0x7f) != 0x73 || (insn >> 12 & 3) == 0) return std::nullopt;
    const unsigned number = insn >> 20;
    const unsigned low = number & 0xf7f;
    return low == 0xb00 || low == 0xc00 || low == 0xc01 ? std::optional(number) : std::nullopt;
}

bool CheckedCore::prepare(const Retirement& core) {
    const step::Rvfi& r = core.rvfi;
    if (!take_late_trap(core)) return false;
    follow_writes();
    hart_.set_interrupts((core.irq & 1 ? 0x8u : 0u) | (core.irq & 2 ? 0x80u : 0u) |
                         (core.irq & 4 ? 0x800u : 0u));
    if (r.intr) ++interrupts_;
    if (!r.trap && (r.insn & 3) == 3) {
        if (const auto counter = counter_of(r.insn)) hart_.inject_csr(*counter, r.rd_wdata);
        // The first instruction of a handler sees the lines of its own time.
        const bool reads_mip =
            (r.insn & 0x7f) == 0x73 && (r.insn >> 12 & 3) && r.insn >> 20 == 0x344;
        if (r.intr && reads_mip) hart_.inject_csr(0x344, r.rd_wdata);
    }
    if (r.trap && core.cause == 1) {
        const auto bad = bad_code_.find(core.tval & ~u64{3});
        if (there(core.tval & ~u64{3}, 4)) {
            if (bad == bad_code_.end() || cycle_ - bad->second > kQuietCycles)
                return differ("a fetch fault at " + hex(core.tval) +
                              ", where memory gave no error");
            hart_.inject_fetch_fault();
        }
    }
    if (r.trap && (core.cause == 5 || core.cause == 7) && !core.remote && access_failed())
        hart_.inject_access_fault();
    if (is_transfer(core)) {
        prepare_transfer(core);
    } else if (core.remote && remote_access_ && remote_access_->space != 0) {
        if (core.posted && kind_->table_entries)
            hart_.inject_remote(kUnknown, kUnknown);
        else if (remote_answer_.fault && !core.posted)
            hart_.inject_remote_fault(remote_access_->address);
        else
            hart_.inject_remote(remote_answer_.value[0], remote_answer_.value[1]);
    }
    return true;
}

isthmus_step_record CheckedCore::record_of(const Retirement& core) {
    const step::Rvfi& r = core.rvfi;
    isthmus_step_record record{};
    record.pc = r.pc_rdata;
    record.next_pc = r.pc_wdata;
    record.instruction = r.insn;
    record.privilege = r.mode;
    record.trapped = r.trap;
    record.interrupted = r.intr;
    record.cause = core.cause;
    record.tval = core.tval;
    record.interrupt = core.irq_number;
    // The port has room for three: what the unit reads of the extended ones goes before what its
    // fields name and it does not.
    const auto source = [&](const isthmus_step_register& from) {
        if (record.source_count < 3) record.sources[record.source_count++] = from;
    };
    const step::Record& own = hart_.last();
    for (unsigned i = 0; i < own.source_count; ++i) {
        const isthmus_step_register& wanted = own.sources[i];
        const isthmus_step_register x[3] = {{ISTHMUS_STEP_X, r.rs1_addr, r.rs1_rdata},
                                            {ISTHMUS_STEP_X, r.rs2_addr, r.rs2_rdata},
                                            {ISTHMUS_STEP_X, core.rs3_addr, core.rs3_rdata}};
        for (const isthmus_step_register& from :
             {core.e_read[0], core.e_read[1], x[0], x[1], x[2]}) {
            if (from.file == wanted.file && from.number == wanted.number) {
                source(from);
                break;
            }
        }
    }
    if (!r.trap) {
        if (r.rd_addr != 0)
            record.writes[record.write_count++] = {ISTHMUS_STEP_X, r.rd_addr, r.rd_wdata};
        if (core.e_write.file && core.e_write.number != 0)
            record.writes[record.write_count++] = core.e_write;
        // What a posted load writes is compared when it is written.
        if (core.posted && own.write_count == 1)
            record.writes[record.write_count++] = own.writes[0];
    }
    std::copy(std::begin(core.csrs), std::end(core.csrs), record.csrs);
    record.csr_count = 8;
    const unsigned mask = r.mem_rmask | r.mem_wmask;
    if (mask) {
        record.memory = {r.mem_addr,       static_cast<u8>(std::popcount(mask)),
                         r.mem_rmask != 0, r.mem_wmask != 0,
                         r.mem_rdata,      r.mem_wdata};
        const auto cut = [&](u64 value) {
            return record.memory.size == 8 ? value
                                           : value & ((u64{1} << 8 * record.memory.size) - 1);
        };
        record.memory.read = cut(r.mem_rdata);
        record.memory.written = cut(r.mem_wdata);
    }
    record.has_remote = core.remote;
    if (core.remote && is_transfer(core)) {
        record.remote = transfer_of(core);
    } else if (core.remote && remote_access_) {
        const RemoteAccess& access = *remote_access_;
        isthmus_step_remote& remote = record.remote;
        static constexpr u8 kKinds[] = {ISTHMUS_STEP_LOAD, ISTHMUS_STEP_STORE, ISTHMUS_STEP_ATOMIC,
                                        ISTHMUS_STEP_LOAD_RESERVED, ISTHMUS_STEP_STORE_CONDITIONAL};
        remote.kind = kKinds[std::min<unsigned>(access.kind, 4)];
        remote.size = u8(1u << access.size);
        remote.name_space = access.space;
        remote.address = access.address;
        const u64 low = remote.size >= 8 ? ~u64{0} : (u64{1} << 8 * remote.size) - 1;
        const bool sends = access.kind == kRemoteStore || access.kind == kRemoteAtomic ||
                           access.kind == kRemoteStoreConditional;
        // What an atomic sends besides and a load does not is its own affair.
        remote.operand[0] = sends ? access.data[0] & low : own.remote.operand[0];
        remote.operand[1] = remote.size == 16 && sends ? access.data[1] : 0;
        remote.compare =
            access.kind == kRemoteAtomic && access.op == kAluCompareSwap ? access.compare & low : 0;
    }
    return record;
}

bool CheckedCore::check(const Retirement& core) {
    if (!prepare(core)) return false;
    const step::Rvfi& r = core.rvfi;
    const u64 before = core.posted ? hart_.x(r.insn >> 7 & 31) : 0;
    const step::Outcome outcome = hart_.step();
    if (outcome == step::Outcome::waiting)
        return differ("the core has ended " + hex(r.insn) + " at " + hex(r.pc_rdata) +
                      " without the remote access that the reference waits for");
    const step::Record& own = hart_.last();
    const isthmus_step_record record = record_of(core);
    unsigned says = ISTHMUS_STEP_SAYS_PC | ISTHMUS_STEP_SAYS_NEXT_PC |
                    ISTHMUS_STEP_SAYS_INSTRUCTION | ISTHMUS_STEP_SAYS_PRIVILEGE |
                    ISTHMUS_STEP_SAYS_WRITES | ISTHMUS_STEP_SAYS_CSRS | ISTHMUS_STEP_SAYS_TRAP |
                    ISTHMUS_STEP_SAYS_CAUSE | ISTHMUS_STEP_SAYS_TVAL | ISTHMUS_STEP_SAYS_MEMORY |
                    ISTHMUS_STEP_SAYS_REMOTE;
    if (!own.trapped) says |= ISTHMUS_STEP_SAYS_SOURCES;
    // A fault that is injected has the instruction's address on the reference; the core says which
    // half it was.
    if (own.trapped && own.cause == 1 && core.tval == own.pc + 2 && there(core.tval & ~u64{3}, 4)) {
        says &= ~unsigned(ISTHMUS_STEP_SAYS_TVAL);
        hart_.set_csr(0x343, core.tval);
    }
    if (hart_.compare(record, says) != 0) return differ(hart_.report());
    if (own.order != r.order) return differ("order " + std::to_string(r.order));
    if (!(is_transfer(core) ? check_transfer(core, own) : check_ports(core, own))) return false;
    if (core.posted) note_posted(core, own, before);
    ++retired_;
    traps_ += own.trapped;
    if (tohost_ && own.memory.writes && own.memory.address - tohost_ < 8) look_at_tohost();
    return true;
}

// As the machine serves it: odd ends with the value's half, device 1 prints.
void CheckedCore::look_at_tohost() {
    const u64 value = read(tohost_, 8);
    if (value == 0) return;
    if ((value >> 56) == 1 && (value >> 48 & 0xff) == 1)
        output_ += static_cast<char>(value);
    else if (value & 1)
        exit_ = static_cast<unsigned>((value & 0xffffffffffff) >> 1);
    const u64 zero = 0;
    remote_write(tohost_, 8, &zero, false);
}

bool CheckedCore::differ(const std::string& what) {
    report_ = "core " + std::to_string(node_) + " (" + kind_->name + "), cycle " +
              std::to_string(cycle_) + ", waveform time " + std::to_string(2 * cycle_ + 6) +
              ", instruction " + std::to_string(retired_) + ":\n" + what + "\n";
    return false;
}

bool CheckedCore::memory_equal(std::string& where) {
    // What is under way at the end, the hart has not done.
    follow_writes();
    std::vector<u8> page(4096);
    for (u64 offset = 0; offset < memory_.size(); offset += page.size()) {
        hart_.read_memory(kMemoryStart + offset, page.data(), page.size());
        const auto [own, other] = std::mismatch(
            page.begin(), page.end(), memory_.begin() + static_cast<std::ptrdiff_t>(offset));
        if (own == page.end()) continue;
        const u64 address = kMemoryStart + offset + static_cast<u64>(own - page.begin());
        const bool under_way = std::any_of(events_.begin(), events_.end(), [&](const Event& event) {
            return event.address <= address && address - event.address < 16;
        });
        if (under_way) continue;
        where = hex(address) + ": core " + hex(*other) + ", reference " + hex(*own);
        return false;
    }
    return true;
}

}  // namespace isthmus::rtl
