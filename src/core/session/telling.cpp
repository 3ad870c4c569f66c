#include "core/session/telling.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace isthmus {

Telling& Telling::say(std::string_view words) {
    if (words.empty()) return *this;
    if (parts_.empty() || parts_.back().kind != Kind::words) parts_.push_back({});
    parts_.back().words += words;
    return *this;
}

Telling& Telling::add(Kind kind, std::uint64_t value) {
    parts_.push_back({kind, "", value, value});
    return *this;
}

Telling& Telling::tell_signed(std::int64_t value) {
    return add(Kind::signed_number, static_cast<std::uint64_t>(value));
}
Telling& Telling::tell_unsigned(std::uint64_t value) {
    return add(Kind::unsigned_number, value);
}
Telling& Telling::tell_address(const void* address) {
    return add(Kind::address, reinterpret_cast<std::uintptr_t>(address));
}
Telling& Telling::tell_beyond(std::uint64_t bytes) {
    return add(Kind::beyond, bytes);
}
Telling& Telling::tell_list(const std::string& values) {
    parts_.push_back({Kind::list, values, 0, 0});
    return *this;
}

bool Telling::is_like(const Telling& other) const {
    return std::equal(parts_.begin(), parts_.end(), other.parts_.begin(), other.parts_.end(),
                      [](const Part& left, const Part& right) {
                          return left.kind == right.kind &&
                                 (left.kind != Kind::words || left.words == right.words);
                      });
}

void Telling::widen_to(const Telling& other) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        Part& mine = parts_[i];
        const Part& theirs = other.parts_[i];
        if (mine.kind == Kind::list && mine.words != theirs.words)
            mine.words = "values that differ";
        const auto is_less = [&](std::uint64_t left, std::uint64_t right) {
            return mine.kind == Kind::signed_number
                       ? static_cast<std::int64_t>(left) < static_cast<std::int64_t>(right)
                       : left < right;
        };
        if (is_less(theirs.least, mine.least)) mine.least = theirs.least;
        if (is_less(mine.most, theirs.most)) mine.most = theirs.most;
    }
}

std::string Telling::text_of(Kind kind, std::uint64_t value) {
    if (kind == Kind::address) return hexadecimal(value);
    return kind == Kind::signed_number ? std::to_string(static_cast<std::int64_t>(value))
                                       : std::to_string(value);
}

std::string Telling::text_of(const Part& part) {
    if (part.kind == Kind::words || part.kind == Kind::list) return part.words;
    if (part.kind == Kind::beyond && part.most == 0) return "";
    std::string text = text_of(part.kind, part.least);
    if (part.least != part.most) text += " to " + text_of(part.kind, part.most);
    return part.kind == Kind::beyond ? "+" + text + " bytes" : text;
}

std::string Telling::text() const {
    std::string text;
    for (const Part& part : parts_)
        text += text_of(part);
    return text;
}

}  // namespace isthmus
