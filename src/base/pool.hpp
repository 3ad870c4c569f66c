// Objects that are taken and given back again and again, in any number.
#pragma once

#include <deque>
#include <mutex>

namespace isthmus {

// Where they are they stay, and memory is only taken. Of objects with a member `next`, which is the
// pool's while an object is in it. Any thread may call.
template <typename Object>
class Pool {
  public:
    // As it was given back, or a new one. Throws std::bad_alloc.
    Object& take() {
        const std::lock_guard lock(guard_);
        if (!unused_) return objects_.emplace_back();
        Object& object = *unused_;
        unused_ = object.next;
        return object;
    }
    void give_back(Object& object) {
        const std::lock_guard lock(guard_);
        object.next = unused_;
        unused_ = &object;
    }

  private:
    std::mutex guard_;
    std::deque<Object> objects_;
    Object* unused_ = nullptr;
};

}  // namespace isthmus
