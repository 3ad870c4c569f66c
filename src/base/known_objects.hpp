// Objects that are in the program's hands, by address: what checked mode compares a handle with.
// Any thread.
#pragma once

#include <mutex>
#include <unordered_set>

namespace isthmus {

class KnownObjects {
  public:
    void add(const void* object) {
        const std::lock_guard lock(guard_);
        objects_.insert(object);
    }
    void remove(const void* object) {
        const std::lock_guard lock(guard_);
        objects_.erase(object);
    }
    bool contains(const void* object) {
        const std::lock_guard lock(guard_);
        return objects_.contains(object);
    }

  private:
    std::mutex guard_;
    std::unordered_set<const void*> objects_;
};

}  // namespace isthmus
