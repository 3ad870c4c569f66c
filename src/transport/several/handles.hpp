// Handles over several roads: a Completion counts what one road does, so what stands for operations
// on several roads has one of each behind it.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "transport/transport.hpp"

namespace isthmus::transport::several {

// Any thread may call, for handles of its own.
class Handles {
  public:
    // What stands for the handle on this road; it joins the handle's others.
    Completion& of(Completion& handle, std::uint8_t road) {
        for (Part* part = first(handle); part; part = part->next) {
            if (part->road == road) return part->handle;
        }
        Part& part = take();
        part.road = road;
        part.next = first(handle);
        handle.others = &part;
        return part.handle;
    }

    // Goes through them, and drops those for which is_complete(road, handle) is true. True if none
    // is left; the handle is then as at first.
    template <typename IsComplete>
    bool drop(Completion& handle, IsComplete&& is_complete) {
        Part* left = nullptr;
        for (Part* part = first(handle); part;) {
            Part* const next = part->next;
            if (is_complete(part->road, part->handle)) {
                give_back(*part);
            } else {
                part->next = left;
                left = part;
            }
            part = next;
        }
        handle.others = left;
        if (left) return false;
        handle.reset();
        return true;
    }

  private:
    struct Part {
        Completion handle;
        Part* next = nullptr;  // of the same handle's, or free
        std::uint8_t road = 0;
    };
    static Part* first(const Completion& handle) { return static_cast<Part*>(handle.others); }

    Part& take() {
        const std::lock_guard lock(guard_);
        if (!free_) return parts_.emplace_back();
        Part& part = *free_;
        free_ = part.next;
        return part;
    }
    void give_back(Part& part) {
        const std::lock_guard lock(guard_);
        part.next = free_;
        free_ = &part;
    }

    std::mutex guard_;
    std::deque<Part> parts_;
    Part* free_ = nullptr;
};

}  // namespace isthmus::transport::several
