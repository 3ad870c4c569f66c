// Remote loads and stores of a checked core that go on behind their instruction.
//
// Of a core alone their effect is that of the moment of the request, as that of all remote
// accesses, so the reference does them at once. What the gates do later is compared here: the
// register that a load writes, and the trap of one that fails. Of a node the effect is that of the
// moment at which the access comes to memory (mesh.cpp), so the reference gets a load's value with
// its answer.
#include <cinttypes>
#include <cstdio>

#include "cosim/checked_core.hpp"

namespace isthmus::rtl {
namespace {

constexpr unsigned kStillEnd = 3;  // instructions behind a fault: in write back, shown, and posted

std::string hex(u64 value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

}  // namespace

// What is under way may be done in any order, so what must not be waits at the port.
bool CheckedCore::may_be_asked(const RemoteAccess& access) {
    const bool overlaps = access.kind == kRemoteLoad || access.kind == kRemoteStore;
    for (const RemoteFlight& flight : remote_) {
        if (!flight.there) continue;
        const u64 behind = access.address - flight.address, front = flight.address - access.address;
        const bool meets = access.space == flight.space &&
                           (behind < u64{1} << flight.size || front < u64{1} << access.size);
        if (overlaps && !meets && !(access.kind == kRemoteStore && flight.load)) continue;
        return differ("the remote access of " + hex(access.address) +
                      " does not wait for that of " + hex(flight.address));
    }
    return true;
}

// One of those whose time has come, in any order.
void CheckedCore::answer_remote() {
    in_.remote_rvalid = false;
    unsigned due = 0;
    for (const RemoteFlight& flight : remote_)
        due += flight.there && flight.due <= cycle_;
    if (due == 0) return;
    u64 chosen = due == 1 ? 0 : random_() % due;
    for (RemoteFlight& flight : remote_) {
        if (!flight.there || flight.due > cycle_ || chosen-- != 0) continue;
        in_.remote_rvalid = true;
        in_.remote_rid = u8(&flight - remote_.data());
        in_.remote_rdata[0] = flight.answer.value[0];
        in_.remote_rdata[1] = flight.answer.value[1];
        in_.remote_err = flight.answer.fault;
        note_answer(flight, flight.answer);
        return;
    }
}

void CheckedCore::note_answer(RemoteFlight& flight, const RemoteSide::Answer& answer) {
    flight.there = false;
    if (!flight.posted) {
        remote_answer_ = answer;
        if (kind_->table_entries && !pieces_.empty()) pieces_.back().answer = answer;
        return;
    }
    if (answer.fault && !late_fault_) {
        late_fault_ = {u8(flight.load ? 5 : 7), flight.address};
        ended_since_ = 0;
    }
    if (answer.fault || flight.rd == 0) return;
    const unsigned shift = 64 - (8u << flight.size);
    const u64 high = answer.value[0] << shift;
    late_writes_[flight.rd] = flight.with_sign
                                  ? static_cast<u64>(static_cast<std::int64_t>(high) >> shift)
                                  : high >> shift;
}

// The reference has done the access. One that is answered with a fault has no effect, and its trap
// comes later.
void CheckedCore::note_posted(const Retirement& core, const step::Record& own, u64 before) {
    RemoteFlight& flight = remote_[remote_id_];
    flight.posted = true;
    if (own.write_count == 0) return;
    if (kind_->table_entries) {
        // All ones were loaded, so whether it has a sign can be seen.
        flight.rd = own.writes[0].number;
        flight.with_sign = own.writes[0].value == kUnknown;
        hart_.set_x(flight.rd, before);
    } else if (flight.answer.fault)
        hart_.set_x(core.rvfi.insn >> 7 & 31, before);
    else
        late_writes_[own.writes[0].number] = own.writes[0].value;
}

bool CheckedCore::check_late_write() {
    if (!out_.late_valid) return true;
    const auto expected = late_writes_.find(out_.late_rd);
    if (expected == late_writes_.end())
        return differ("x" + std::to_string(out_.late_rd) + " is written, which no posted load has");
    if (expected->second != out_.late_data)
        return differ("the posted load of x" + std::to_string(out_.late_rd) + " writes " +
                      hex(out_.late_data) + ", reference " + hex(expected->second));
    if (kind_->table_entries) hart_.set_x(out_.late_rd, out_.late_data);
    late_writes_.erase(expected);
    return true;
}

// In front of the instruction that has ended.
bool CheckedCore::take_late_trap(const Retirement& core) {
    if (!core.late) {
        return !late_fault_ || ++ended_since_ <= kStillEnd ||
               differ("the fault of the posted access of " + hex(late_fault_->address) +
                      " has not come");
    }
    if (!late_fault_) return differ("a posted access is said to have failed, and none has");
    const u64 all = kind_->xlen == 64 ? ~u64{0} : 0xffffffff;
    if (core.late_cause != late_fault_->cause || core.late_tval != (late_fault_->address & all))
        return differ("the trap of a posted access: cause " + std::to_string(core.late_cause) +
                      ", mtval " + hex(core.late_tval) + "; it was " +
                      std::to_string(late_fault_->cause) + ", " + hex(late_fault_->address));
    const u64 status = hart_.csr(0x300);
    hart_.set_csr(0x341, hart_.pc());
    hart_.set_csr(0x342, late_fault_->cause);
    hart_.set_csr(0x343, late_fault_->address);
    hart_.set_csr(0x300, (status & ~u64{0x1888}) | (status & 8) << 4 |
                             static_cast<u64>(isthmus_step_get_privilege(hart_.c())) << 11);
    hart_.set_pc(hart_.csr(0x305) & ~u64{3});
    isthmus_step_set_privilege(hart_.c(), 3);
    late_fault_.reset();
    ++traps_;
    return true;
}

}  // namespace isthmus::rtl
