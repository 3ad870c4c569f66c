#include "sim/step/stepped_hart.hpp"

namespace isthmus::sim {

namespace {

// The one list of what the architecture knows of, copied either way.
template <class To, class From>
void copy_state(To& to, const From& from) {
    to.x = from.x;
    to.e = from.e;
    to.f = from.f;
    to.pc = from.pc;
    to.instret = from.instret;
    to.fflags = from.fflags;
    to.frm = from.frm;
    to.csr = from.csr;
    to.privilege = from.privilege;
    to.reservation_address = from.reservation_address;
    to.reservation_value = from.reservation_value;
    to.reservation_size = from.reservation_size;
    to.remote_reservation_space = from.remote_reservation_space;
    to.remote_reservation_address = from.remote_reservation_address;
    to.remote_reservation_value = from.remote_reservation_value;
    to.remote_reservation_size = from.remote_reservation_size;
    to.remote = from.remote;
    to.injected_csr = from.injected_csr;
}

}  // namespace

ArchitecturalState ArchitecturalState::of(const Hart& hart) {
    ArchitecturalState state;
    copy_state(state, hart);
    return state;
}

void ArchitecturalState::give_to(Hart& hart) const {
    copy_state(hart, *this);
}

SteppedHart::Snapshot SteppedHart::save() {
    Snapshot snapshot;
    snapshot.state_ = ArchitecturalState::of(hart_);
    snapshot.pages_ = pages_.take(memory_);
    snapshot.record_ = record_;
    snapshot.order_ = order_;
    snapshot.waiting_ = waiting_;
    snapshot.world_ = world_;
    return snapshot;
}

void SteppedHart::restore(const Snapshot& snapshot) {
    snapshot.state_.give_to(hart_);
    pages_.restore(memory_, snapshot.pages_);
    record_ = snapshot.record_;
    order_ = snapshot.order_;
    waiting_ = snapshot.waiting_;
    world_ = snapshot.world_;
    forget_translations();
    if (memory_.code_version() != seen_code_) {
        seen_code_ = memory_.code_version();
        hart_.blocks.flush();
    }
    if (world_.time)
        set_time(*world_.time);
    else
        hart_.clock = nullptr;
}

}  // namespace isthmus::sim
