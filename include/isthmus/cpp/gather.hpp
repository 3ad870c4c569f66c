// gather<T>: many small reads from many segments, under way at once.
#ifndef ISTHMUS_CPP_GATHER_HPP
#define ISTHMUS_CPP_GATHER_HPP

#include <isthmus/gather.h>

#include <isthmus/cpp/aggregator.hpp>
#include <isthmus/cpp/segment.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace isthmus::inline cpp {

// Only this PE takes part; belongs to one thread at a time. The segments need not outlive it. What
// was moved from is empty: operations on it are STALE.
template <aggregable T>
class gather {
  public:
    static result<gather> create(std::span<const isthmus_segment> segments) {
        isthmus_gather* native = nullptr;
        const status born(isthmus_gather_create(
            &native, segments.data(), static_cast<std::uint32_t>(segments.size()), sizeof(T)));
        if (!born) return born;
        return gather(native);
    }
    static result<gather> create(std::span<const segment> segments) {
        std::vector<isthmus_segment> native;
        for (const segment& each : segments)
            native.push_back(each.native());
        return create(std::span<const isthmus_segment>(native));
    }

    // Reads the object at byte `offset` of segment number `source` into `into`, which must stay
    // until wait(). ARGUMENT: no such source. BOUNDS: the object is not inside it.
    [[gnu::always_inline]] status push(std::uint32_t source, std::uint64_t offset, T& into) {
        if (!native_) [[unlikely]]
            return empty();
        return status(isthmus_gather_push(native_.get(), source, offset, &into));
    }
    // Everything pushed has arrived. STALE: a segment has gone, and what came from it is worthless.
    status wait() {
        if (!native_) return empty();
        return status(isthmus_gather_wait(native_.get()));
    }
    explicit operator bool() const { return native_ != nullptr; }
    isthmus_gather* native() const { return native_.get(); }

  private:
    struct destroyer {
        void operator()(isthmus_gather* native) const {
            status(isthmus_gather_destroy(native)).or_fail();
        }
    };
    explicit gather(isthmus_gather* native) : native_(native) {}
    static status empty() { return detail::empty_object("gather: this object is empty"); }
    std::unique_ptr<isthmus_gather, destroyer> native_;
};

}  // namespace isthmus::inline cpp

#endif
