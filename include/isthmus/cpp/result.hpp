// How the C++ face reports errors, and which types it moves.
#ifndef ISTHMUS_CPP_RESULT_HPP
#define ISTHMUS_CPP_RESULT_HPP

#include <isthmus.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

// The inline namespace keeps these names apart from the library's own, which a program that links
// the static library has too.
namespace isthmus::inline cpp {

namespace detail {
// Pointers in disguise.
template <typename T>
inline constexpr bool points_elsewhere = false;
template <typename C, typename Traits>
inline constexpr bool points_elsewhere<std::basic_string_view<C, Traits>> = true;
template <typename T, std::size_t count>
inline constexpr bool points_elsewhere<std::span<T, count>> = true;
template <typename T>
inline constexpr bool points_elsewhere<std::reference_wrapper<T>> = true;
}  // namespace detail

// A type whose objects may be moved to another PE as bytes. Refused: what has a constructor or
// destructor to run, what may not be copied (a mutex, an atomic), bare pointers and views (they
// mean something at one PE alone: use global_ptr), references, arrays (use spans), volatile
// objects. Pointers within a class are not seen.
template <typename T>
concept movable_as_bytes =
    std::is_object_v<T> && !std::is_array_v<T> && !std::is_volatile_v<T> && !std::is_pointer_v<T> &&
    !std::is_member_pointer_v<T> && !std::is_null_pointer_v<T> &&
    !detail::points_elsewhere<std::remove_const_t<T>> &&
    std::is_trivially_copyable_v<std::remove_const_t<T>> &&
    std::is_copy_constructible_v<std::remove_const_t<T>>;

namespace detail {
// Asked once for each type, where a pointer to it is first named; the answer stays.
template <typename T>
inline constexpr bool still_incomplete = std::is_class_v<T> || std::is_union_v<T>;
template <typename T>
requires(sizeof(T) > 0) inline constexpr bool still_incomplete<T> = false;
}  // namespace detail

// What a global pointer may point to. A class may have pointers to itself for members, as nodes of
// lists and trees do; whether an object of such a type may be moved is asked where one is.
template <typename T>
concept pointable = detail::still_incomplete<T> || movable_as_bytes<T>;

// Objects side by side that may be moved as bytes: a vector, an array, a span, a string.
template <typename R>
concept object_range = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    movable_as_bytes<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
template <typename R>
concept writable_object_range =
    object_range<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
// One that does not die with the expression, for operations that are under way when it ends.
template <typename R>
concept lasting_object_range = object_range<R> && std::ranges::borrowed_range<R>;

namespace detail {

template <object_range R>
std::size_t bytes_of(const R& objects) {
    return std::ranges::size(objects) * sizeof(std::ranges::range_value_t<R>);
}

// Ends the job with a sentence: who, what, the legal range.
[[noreturn, gnu::cold, gnu::noinline, gnu::format(printf, 1, 2)]] inline void give_up(
    const char* format, ...) {
    char text[512];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "isthmus: PE %d: %s\n", isthmus_pe(), text);
    isthmus_exit(1);
}

}  // namespace detail

// What became of a call: an isthmus_status, and why. True if all is well.
class [[nodiscard]] status {
  public:
    status() = default;
    // The result of a C function; the text is the library's.
    explicit status(int code) : code_(code) {}
    // `text` must live for ever.
    status(isthmus_status code, const char* text) : code_(code), text_(text) {}

    explicit operator bool() const { return code_ == ISTHMUS_OK; }
    bool ok() const { return code_ == ISTHMUS_OK; }
    int code() const { return code_; }
    // "ISTHMUS_BOUNDS"
    const char* name() const { return isthmus_status_name(code_); }
    // Who, what, the legal range. Valid until this thread's next failure. Empty if all is well.
    const char* text() const {
        if (ok()) return "";
        return text_ ? text_ : isthmus_error_text();
    }
    // Ends the job with the text unless all is well.
    void or_fail() const {
        if (code_ != ISTHMUS_OK) [[unlikely]]
            detail::give_up("%s", text());
    }
    friend bool operator==(const status& s, int code) { return s.code_ == code; }

  private:
    int code_ = ISTHMUS_OK;
    const char* text_ = nullptr;
};

namespace detail {
// What operations on an object without a native part return. `text` must live for ever.
[[gnu::cold, gnu::noinline]] inline status empty_object(const char* text) {
    return {ISTHMUS_STALE, text};
}
}  // namespace detail

// A value, or the status that says why there is none.
template <typename T>
class [[nodiscard]] result {
  public:
    result(T value) : value_(std::move(value)) {}
    result(status why) : why_(why) {}

    explicit operator bool() const { return value_.has_value(); }
    bool ok() const { return value_.has_value(); }
    const status& error() const { return why_; }
    int code() const { return why_.code(); }

    // Only if there is a value.
    T& operator*() & { return *value_; }
    const T& operator*() const& { return *value_; }
    T&& operator*() && { return *std::move(value_); }
    T* operator->() { return &*value_; }
    const T* operator->() const { return &*value_; }
    // The value; without one, ends the job with the text.
    T or_fail() && {
        why_.or_fail();
        return *std::move(value_);
    }

  private:
    // The braces are for -Weffc++.
    std::optional<T> value_{};
    status why_{};
};

}  // namespace isthmus::inline cpp

#endif
