#include "core/session_object.hpp"

#include <mutex>
#include <unordered_set>

namespace isthmus {
namespace {

std::mutex guard;
std::unordered_set<SessionObject*> live;  // of all threads

}  // namespace

SessionObject::SessionObject() {
    const std::lock_guard lock(guard);
    live.insert(this);
}

SessionObject::~SessionObject() {
    const std::lock_guard lock(guard);
    live.erase(this);
}

void SessionObject::hold_all() {
    guard.lock();
}

void SessionObject::let_all_go() {
    guard.unlock();
}

void SessionObject::end_all() {
    const std::lock_guard lock(guard);
    for (SessionObject* object : live) {
        object->ended_ = true;
        object->end();
    }
    live.clear();
}

}  // namespace isthmus
