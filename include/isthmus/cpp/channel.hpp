// channel: an ordered stream of operations over many segments, as an object.
#ifndef ISTHMUS_CPP_CHANNEL_HPP
#define ISTHMUS_CPP_CHANNEL_HPP

#include <isthmus/cpp/event.hpp>
#include <isthmus/cpp/segment.hpp>

#include <cstdint>
#include <span>

namespace isthmus::inline cpp {

// Operations return once issued; the destructor waits for them. Stays where it is (neither copied
// nor moved); used by one thread at a time.
class channel {
  public:
    channel() = default;
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    ~channel() { quiet(); }

    template <lasting_object_range R>
    status put(R&& local, const segment& to, std::uint64_t offset) {
        return status(isthmus_channel_put(&native_, std::ranges::data(local), &to.native(), offset,
                                          detail::bytes_of(local)));
    }
    template <writable_object_range R>
    requires lasting_object_range<R> status get(const segment& from, std::uint64_t offset,
                                                R&& local) {
        return status(isthmus_channel_get(&native_, std::ranges::data(local), &from.native(),
                                          offset, detail::bytes_of(local)));
    }
    status post_add(const segment& to, std::uint64_t offset, std::int64_t value) {
        return status(isthmus_channel_postadd(&native_, &to.native(), offset, value));
    }
    status poke(const segment& to, std::uint64_t offset, std::int64_t value) {
        return status(isthmus_channel_poke(&native_, &to.native(), offset, value));
    }
    // What came before on this channel is visible, anywhere, before what comes after.
    void fence() { status(isthmus_channel_fence(&native_)).or_fail(); }
    // All of it is complete.
    void quiet() { status(isthmus_channel_quiet(&native_)).or_fail(); }
    // Ready when all issued so far is complete.
    event completion() {
        return event::of([&](isthmus_event* e) { return isthmus_channel_event(&native_, e); });
    }
    std::int64_t issued() const { return native_.issued; }

  private:
    isthmus_channel native_ = ISTHMUS_CHANNEL_INIT;
};

}  // namespace isthmus::inline cpp

#endif
