#include "core/job/session_object.hpp"

#include <mutex>

namespace isthmus {
namespace {

std::mutex guard;
SessionObject* first = nullptr;  // of all threads

}  // namespace

void SessionObject::enlist() {
    const std::lock_guard lock(guard);
    next_ = first;
    if (first) first->previous_ = this;
    first = this;
}

void SessionObject::delist() {
    const std::lock_guard lock(guard);
    (previous_ ? previous_->next_ : first) = next_;
    if (next_) next_->previous_ = previous_;
}

void SessionObject::hold_all() {
    guard.lock();
}

void SessionObject::let_all_go() {
    guard.unlock();
}

void SessionObject::end_all() {
    const std::lock_guard lock(guard);
    for (SessionObject* object = first; object; object = object->next_) {
        if (object->ended_) continue;
        object->ended_ = true;
        object->end();
    }
}

}  // namespace isthmus
