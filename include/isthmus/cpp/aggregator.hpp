// aggregator<T>: many small objects to many PEs, gathered, and handed to a function there.
#ifndef ISTHMUS_CPP_AGGREGATOR_HPP
#define ISTHMUS_CPP_AGGREGATOR_HPP

#include <isthmus/cpp/result.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace isthmus::inline cpp {

inline constexpr std::size_t largest_item = 256;  // bytes
// What an aggregator takes: rings hold items one behind the other, aligned to 16 bytes at most.
template <typename T>
concept aggregable =
    movable_as_bytes<T> && !std::is_const_v<T> && sizeof(T) <= largest_item && (alignof(T) < 32);

// Collective to make, finish and destroy; belongs to the thread that made it.
//
// `Handler` is called as handler(source_pe, std::span<const T>), by this PE's own thread, inside
// push, progress or finish, here or of another aggregator of the thread, or when this object is
// destroyed or moved onto; flush runs none. It is part of the type, so its code is inlined into the
// loop over the items; it must not throw. aggregator<T> alone takes any handler at the cost of a
// call. An object that was moved from is empty: operations on it are STALE.
template <aggregable T, typename Handler = std::function<void(int, std::span<const T>)>>
requires std::invocable<Handler&, int, std::span<const T>>
class aggregator {
  public:
    // `buffer`: bytes gathered for each PE before they are sent; 0: the library's choice.
    static result<aggregator> create(Handler handler, std::size_t buffer = 0) {
        aggregator made;
        made.handler_ = std::make_unique<Handler>(std::move(handler));
        isthmus_aggregator* native = nullptr;
        const status born(
            isthmus_aggregator_create(&native, sizeof(T), buffer, &handle, made.handler_.get()));
        if (!born) return born;
        made.native_.reset(native);
        return made;
    }
    // Ends the job if there is no room.
    explicit aggregator(Handler handler, std::size_t buffer = 0)
        : aggregator(create(std::move(handler), buffer).or_fail()) {}
    aggregator(aggregator&&) noexcept = default;
    // Collective if this object is not empty: what it was is destroyed as by its destructor.
    aggregator& operator=(aggregator&& other) noexcept {
        if (this != &other) {
            // First, and while this object still is what it was: its handlers run once more.
            if (native_) destroyer()(native_.get());
            (void)native_.release();
            handler_ = std::move(other.handler_);
            native_ = std::move(other.native_);
        }
        return *this;
    }

    // ARGUMENT: no such PE.
    [[gnu::always_inline]] status push(int pe, const T& item) const {
        if (!native_) [[unlikely]]
            return empty();
        return status(isthmus_aggregator_push(native_.get(), pe, &item));
    }
    status flush() const {
        if (!native_) return empty();
        return status(isthmus_aggregator_flush(native_.get()));
    }
    // How many items were handled.
    result<std::size_t> progress() const {
        if (!native_) return empty();
        std::size_t handled = 0;
        if (const status done(isthmus_aggregator_progress(native_.get(), &handled)); !done)
            return done;
        return handled;
    }
    // Collective: every item that any PE pushed has been handled.
    status finish() const {
        if (!native_) return empty();
        return status(isthmus_aggregator_finish(native_.get()));
    }
    explicit operator bool() const { return native_ != nullptr; }
    isthmus_aggregator* native() const { return native_.get(); }

  private:
    struct destroyer {
        void operator()(isthmus_aggregator* native) const {
            status(isthmus_aggregator_destroy(native)).or_fail();
        }
    };
    aggregator() = default;
    static status empty() { return detail::empty_object("aggregator: this object is empty"); }
    // The border to C: nothing is thrown across it.
    static void handle(void* argument, int source_pe, const void* items,
                       std::size_t count) noexcept {
        (*static_cast<Handler*>(argument))(source_pe,
                                           std::span<const T>(static_cast<const T*>(items), count));
    }
    std::unique_ptr<Handler>
        handler_;  // stays where it is when this object moves; outlives native_
    std::unique_ptr<isthmus_aggregator, destroyer> native_;
};

// aggregator_of<T>(handler): with the handler's own type.
template <aggregable T, typename Handler>
auto aggregator_of(Handler handler, std::size_t buffer = 0) {
    return aggregator<T, Handler>(std::move(handler), buffer);
}

}  // namespace isthmus::inline cpp

#endif
