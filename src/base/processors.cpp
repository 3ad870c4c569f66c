#include "base/processors.hpp"

#include <charconv>

namespace isthmus {
namespace {

bool take_number(std::string_view& text, int& number) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0 || number >= CPU_SETSIZE) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return true;
}

bool take(std::string_view& text, char expected) {
    if (text.empty() || text.front() != expected) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

bool parse_processors(std::string_view text, cpu_set_t& processors) {
    CPU_ZERO(&processors);
    do {
        int first = 0;
        if (!take_number(text, first)) return false;
        int last = first;
        if (take(text, '-') && (!take_number(text, last) || last < first)) return false;
        for (int processor = first; processor <= last; ++processor)
            CPU_SET(processor, &processors);
    } while (take(text, ','));
    return text.empty();
}

}  // namespace isthmus
