// A sentence in a buffer of its own: made where there may be no memory.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace isthmus {

// A part of a text: as hexadecimal() writes it (base/error.hpp).
struct InHex {
    explicit InHex(std::uintptr_t number) : value(number) {}
    explicit InHex(const void* address) : value(reinterpret_cast<std::uintptr_t>(address)) {}
    std::uintptr_t value;
};

// Never allocates. What is too long is cut.
class Text {
  public:
    // Words, numbers, InHex, other texts, in this order.
    template <typename... Parts>
    explicit Text(const Parts&... parts) {
        bytes_[0] = '\0';
        (append(parts), ...);
    }
    void append(std::string_view words) {
        const std::size_t taken = words.size() < room() ? words.size() : room();
        std::memcpy(bytes_ + size_, words.data(), taken);
        size_ += taken;
        bytes_[size_] = '\0';
    }
    template <std::integral Number>
    void append(Number number) {
        append_number(number, 10);
    }
    void append(const InHex& number) {
        if (number.value != 0) append("0x");
        append_number(number.value, 16);
    }

    const char* c_str() const { return bytes_; }
    bool empty() const { return size_ == 0; }
    std::size_t find(std::string_view words) const { return std::string_view(*this).find(words); }
    operator std::string_view() const { return {bytes_, size_}; }
    friend bool operator==(const Text& text, std::string_view other) {
        return std::string_view(text) == other;
    }

  private:
    static constexpr std::size_t kLongest = 704;
    std::size_t room() const { return kLongest - size_; }
    template <std::integral Number>
    void append_number(Number number, int base) {
        char digits[24];
        const char* const end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
        append({digits, static_cast<std::size_t>(end - digits)});
    }
    std::size_t size_ = 0;
    char bytes_[kLongest + 1];
};

}  // namespace isthmus
