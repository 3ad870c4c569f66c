// Handles over several roads: a Completion counts what one road does, so what stands for operations
// on several roads has one of each behind it.
#pragma once

#include <cstdint>

#include "base/pool.hpp"
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
        Part& part = parts_.take();
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
                parts_.give_back(*part);
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

    Pool<Part> parts_;
};

}  // namespace isthmus::transport::several
