// Events as objects: conditions on local words, and operations under way.
#ifndef ISTHMUS_CPP_EVENT_HPP
#define ISTHMUS_CPP_EVENT_HPP

#include <isthmus/cpp/result.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace isthmus::inline cpp {

enum class comparison {
    equal = ISTHMUS_EQ,
    not_equal = ISTHMUS_NE,
    greater = ISTHMUS_GT,
    greater_equal = ISTHMUS_GE,
    less = ISTHMUS_LT,
    less_equal = ISTHMUS_LE
};

// The words that events watch and that the atomics of segments work on.
template <typename T>
concept native_word = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

// A condition on a word of this PE's memory, true whenever it is asked while it holds. Plain
// memory: copied freely. The word must outlive it.
class condition {
  public:
    // True.
    condition() : event_(ISTHMUS_EVENT_TRUE) {}
    explicit condition(const isthmus_event& event) : event_(event) {}
    // "word <comparison> value"; the word is written by other PEs. Not a temporary.
    template <typename Word>
    requires native_word<std::remove_const_t<Word>> condition(Word& word, comparison how,
                                                              std::type_identity_t<Word> value) {
        const auto which = static_cast<isthmus_condition>(how);
        if constexpr (sizeof(Word) == 8)
            status(isthmus_event_arm(&event_, &word, which, value)).or_fail();
        else
            status(isthmus_event_arm32(&event_, &word, which, value)).or_fail();
    }

    bool ready() const { return isthmus_event_test(&event_) != 0; }
    void wait() const { status(isthmus_event_wait(&event_)).or_fail(); }
    // OK or TIMEOUT.
    status wait_for(double seconds) const {
        return status(isthmus_event_wait_for(&event_, seconds));
    }
    const isthmus_event& native() const { return event_; }

  private:
    isthmus_event event_;
};
static_assert(sizeof(condition) == sizeof(isthmus_event));  // wait_all, wait_any

// The completion of an operation. The destructor waits for it, so the operation's buffers, declared
// before the event, outlive the operation. An operation that could not be begun is an event as
// well: it keeps the reason, wait() returns it (text() of that stays until this thread's next
// failure or wait() that returns one); if nobody asks, the destructor ends the job with the text.
class [[nodiscard]] event {
  public:
    event() = default;
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    event(event&& other) noexcept
        : pending_(std::exchange(other.pending_, condition())),
          refused_(std::move(other.refused_)) {}
    event& operator=(event&& other) noexcept {
        if (this != &other) {
            finish();
            pending_ = std::exchange(other.pending_, condition());
            refused_ = std::move(other.refused_);
        }
        return *this;
    }
    ~event() { finish(); }

    // Issues: `operation(isthmus_event*)` returns a status of the C interface.
    template <typename Operation>
    static event of(Operation&& operation) {
        isthmus_event native = ISTHMUS_EVENT_TRUE;
        event made;
        if (const status begun(operation(&native)); !begun) [[unlikely]]
            made.keep(begun);
        else
            made.pending_ = condition(native);
        return made;
    }
    static event failed(status why) {
        event made;
        made.keep(why);
        return made;
    }

    // True if complete, or never begun.
    bool ready() const { return pending_.ready(); }
    status wait() {
        pending_.wait();
        return outcome();
    }
    // OK, TIMEOUT, or why it was never begun.
    status wait_for(double seconds) {
        if (const status waited = pending_.wait_for(seconds); !waited) return waited;
        return outcome();
    }
    const isthmus_event& native() const { return pending_.native(); }

  private:
    friend inline status wait_all(std::span<event> events, double seconds);
    // Why an operation was not begun. The text is copied: the library's is gone with the thread's
    // next failure, and an event lives on.
    struct refusal {
        int code;
        std::string text;
    };
    [[gnu::cold, gnu::noinline]] void keep(const status& why) {
        if (!why) refused_ = std::make_unique<refusal>(refusal{why.code(), why.text()});
    }
    // Once; then all is well.
    status outcome() {
        if (!refused_) [[likely]]
            return status();
        return tell(std::move(refused_));
    }
    [[gnu::cold, gnu::noinline]] static status tell(std::unique_ptr<const refusal> why) {
        static thread_local std::unique_ptr<const refusal> told;
        told = std::move(why);
        return {static_cast<isthmus_status>(told->code), told->text.c_str()};
    }
    void finish() {
        if (refused_) [[unlikely]]
            detail::give_up("%s", refused_->text.c_str());
        pending_.wait();
    }
    condition pending_{};
    std::unique_ptr<const refusal> refused_{};
};

// All of them; the first failure, if any. `seconds` for all together, negative: for ever. TIMEOUT
// leaves all events as they are: nobody has asked them.
inline status wait_all(std::span<event> events, double seconds = -1.0) {
    using clock = std::chrono::steady_clock;
    const clock::time_point begun = clock::now();
    for (event& one : events) {
        double left = seconds;
        if (seconds >= 0.0) {
            left -= std::chrono::duration<double>(clock::now() - begun).count();
            if (left < 0.0) left = 0.0;
        }
        if (const status waited = one.pending_.wait_for(left); !waited) return waited;
    }
    std::unique_ptr<const event::refusal> first;
    for (event& one : events) {
        std::unique_ptr<const event::refusal> why = std::move(one.refused_);
        if (!first) first = std::move(why);
    }
    return first ? event::tell(std::move(first)) : status();
}
inline status wait_all(std::span<const condition> conditions, double seconds = -1.0) {
    return status(isthmus_event_wait_all(reinterpret_cast<const isthmus_event*>(conditions.data()),
                                         conditions.size(), seconds));
}
// Any of them: its index, the lowest if several are true.
inline result<std::size_t> wait_any(std::span<const condition> conditions, double seconds = -1.0) {
    std::size_t index = 0;
    const status waited(
        isthmus_event_wait_any(reinterpret_cast<const isthmus_event*>(conditions.data()),
                               conditions.size(), &index, seconds));
    if (!waited) return waited;
    return index;
}

// Of operations; one that could not be begun counts as complete. wait() of the one found says what
// became of it.
inline result<std::size_t> wait_any(std::span<const event> events, double seconds = -1.0) {
    std::vector<condition> pending;
    pending.reserve(events.size());
    for (const event& one : events)
        pending.emplace_back(one.native());
    return wait_any(std::span<const condition>(pending), seconds);
}

}  // namespace isthmus::inline cpp

#endif
