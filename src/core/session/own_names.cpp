#include "core/session/own_names.hpp"

#include <isthmus/shmem_table.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>

namespace isthmus {
namespace {

// What C++ overloads (shmem_overloads.h), without "shmem" and a type: " _p" of shmem_p. Those whose
// names never have a type stand whole.
#define ISTHMUS_NAME(result, name, parameters, arguments) " " #name
// clang-format off
constexpr std::string_view kOverloads =
    SHMEM_TABLE_ELEMENT(ISTHMUS_NAME, long, )
    SHMEM_TABLE_BLOCK(ISTHMUS_NAME, long, )
    SHMEM_TABLE_PUT_SIGNAL(ISTHMUS_NAME, long, )
    SHMEM_TABLE_AMO_EXTENDED(ISTHMUS_NAME, long, )
    SHMEM_TABLE_AMO_STANDARD(ISTHMUS_NAME, long, )
    SHMEM_TABLE_AMO_BITWISE(ISTHMUS_NAME, long, )
    SHMEM_TABLE_AMO_EXTENDED_DEPRECATED(ISTHMUS_NAME, long, )
    SHMEM_TABLE_AMO_STANDARD_DEPRECATED(ISTHMUS_NAME, long, )
    SHMEM_TABLE_COLLECTIVE_MOVE(ISTHMUS_NAME, long, )
    SHMEM_TABLE_REDUCE_BITWISE(ISTHMUS_NAME, long, )
    SHMEM_TABLE_REDUCE_ORDERED(ISTHMUS_NAME, long, )
    SHMEM_TABLE_REDUCE_ARITHMETIC(ISTHMUS_NAME, long, )
    SHMEM_TABLE_TO_ALL_ARITHMETIC(ISTHMUS_NAME, long, )
    SHMEM_TABLE_P2P(ISTHMUS_NAME, long, )
    SHMEM_TABLE_WAIT(ISTHMUS_NAME, long, )
    " _sync _signal_set _signal_add _set_lock _test_lock _clear_lock ";
// clang-format on
#undef ISTHMUS_NAME

bool is_in_overloads(std::string_view suffix) {
    if (suffix.empty()) return false;
    // Each stands between two spaces; one may be the beginning of another.
    for (std::size_t at = 0; (at = kOverloads.find(suffix, at)) != std::string_view::npos; ++at) {
        if (kOverloads[at - 1] == ' ' && kOverloads[at + suffix.size()] == ' ') return true;
    }
    return false;
}

// "shmem_p", "shmem_long_wait_until": types have no underscore in their names.
bool is_overload(std::string_view name) {
    constexpr std::string_view kBeginning = "shmem";
    if (!name.starts_with("shmem_")) return false;
    const std::string_view suffix = name.substr(kBeginning.size());
    const std::size_t behind_type = suffix.find('_', 1);
    return is_in_overloads(suffix) ||
           (behind_type != std::string_view::npos && is_in_overloads(suffix.substr(behind_type)));
}

bool has_own_beginning(std::string_view name) {
    constexpr std::array<std::string_view, 7> kBeginnings{
        "shmem_", "shmemx_", "isthmus_", "gasnet_", "gasnett_", "gex_", "xbgas_"};
    return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                       [&](std::string_view one) { return name.starts_with(one); });
}

// A program's own header may lie in a folder of that name, too.
bool is_in_own_header(std::string_view file) {
    constexpr std::string_view kHeaders = " " ISTHMUS_HEADERS " ";
    constexpr std::string_view kFolder = "/isthmus/";
    const std::size_t folder = file.rfind('/');
    const std::string_view path = file.substr(0, file.rfind(':'));
    if (folder == std::string_view::npos || !file.substr(0, folder + 1).ends_with(kFolder))
        return false;
    const std::string name = " " + std::string(path.substr(folder + 1)) + " ";
    return kHeaders.find(name) != std::string_view::npos;
}

}  // namespace

std::string_view qualified_name(std::string_view function) {
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < function.size(); ++i) {
        const char letter = function[i];
        if (letter == '(' && depth == 0) return function.substr(begin, i - begin);
        if (letter == '(' || letter == '<') ++depth;
        if (letter == ')' || letter == '>') --depth;
        if (letter == ' ' && depth == 0) begin = i + 1;
    }
    return function.substr(begin);
}

bool is_of_own_headers(std::string_view function, std::string_view file, bool is_innermost) {
    const std::string_view name = qualified_name(function);
    if (name.starts_with("isthmus::")) return true;
    // Only C++'s names have parameters behind them.
    if (function.find('(') != std::string_view::npos && is_overload(name)) return true;
    return is_in_own_header(file) && (is_innermost || has_own_beginning(name));
}

bool is_own_symbol(std::string_view symbol) {
    if (symbol.starts_with("_ZN7isthmus")) return true;
    if (!symbol.starts_with("_Z")) return false;
    std::size_t length = 0;
    const char* const end = symbol.data() + symbol.size();
    const char* const name = std::from_chars(symbol.data() + 2, end, length).ptr;
    return length <= static_cast<std::size_t>(end - name) && is_overload({name, length});
}

}  // namespace isthmus
