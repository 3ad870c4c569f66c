#include "core/session/own_names.hpp"

#include <isthmus/shmem_table.h>

#include <algorithm>
#include <array>
#include <cctype>
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

// Those of types that the library's overloads take: a program's own overload has others.
bool are_own_parameters(std::string_view parameters) {
    constexpr std::string_view kWords =
        " void bool char signed unsigned short int long float double __int128 volatile const std "
        "__1 complex _Complex isthmus_team isthmus_context ";
    const auto is_of_word = [](char letter) {
        return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
    };
    for (auto at = parameters.begin(); at != parameters.end();) {
        const auto begin = std::find_if(at, parameters.end(), is_of_word);
        at = std::find_if_not(begin, parameters.end(), is_of_word);
        const std::string word = " " + std::string(begin, at) + " ";
        if (begin != at && kWords.find(word) == std::string_view::npos) return false;
    }
    return true;
}

// Only C++'s names have parameters behind them.
bool is_overload_with_parameters(std::string_view function, std::string_view name) {
    const auto parameters = static_cast<std::size_t>(name.data() - function.data()) + name.size();
    return parameters < function.size() && function[parameters] == '(' && is_overload(name) &&
           are_own_parameters(function.substr(parameters));
}

// Of the functions that C's headers have beside OpenSHMEM's.
bool has_native_beginning(std::string_view name) {
    constexpr std::array<std::string_view, 5> kBeginnings{"isthmus_", "gasnet_", "gasnett_", "gex_",
                                                          "xbgas_"};
    return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                       [&](std::string_view one) { return name.starts_with(one); });
}

bool has_own_beginning(std::string_view name) {
    return name.starts_with("shmem_") || name.starts_with("shmemx_") || has_native_beginning(name);
}

// A program's own header may lie in a folder of that name, too.
bool is_in_own_header(std::string_view file, Sought sought) {
    constexpr std::string_view kHeaders = " " ISTHMUS_HEADERS " ";
    constexpr std::string_view kFolder = "/isthmus/";
    const std::size_t folder = file.rfind('/');
    const std::string_view path = file.substr(0, file.rfind(':'));
    if (folder == std::string_view::npos || !file.substr(0, folder + 1).ends_with(kFolder))
        return false;
    const std::string_view name = path.substr(folder + 1);
    if (sought == Sought::openshmem && !name.starts_with("shmem_")) return false;
    return kHeaders.find(" " + std::string(name) + " ") != std::string_view::npos;
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

bool is_of_own_headers(const ToldFrame& frame, Sought sought) {
    const std::string_view name = qualified_name(frame.function);
    if (sought == Sought::all && name.starts_with("isthmus::")) return true;
    if (is_overload_with_parameters(frame.function, name)) return true;
    return is_in_own_header(frame.file, sought) && (frame.is_innermost || has_own_beginning(name));
}

bool is_own_function(std::string_view function, Sought sought) {
    const std::string_view name = qualified_name(function);
    return is_overload_with_parameters(function, name) ||
           (sought == Sought::all && (name.starts_with("isthmus::") || has_native_beginning(name)));
}

bool is_own_name(std::string_view function) {
    return has_own_beginning(function) || is_own_function(function, Sought::all);
}

bool is_own_symbol(std::string_view symbol) {
    if (symbol.starts_with("_ZN7isthmus") || symbol.starts_with("_ZNK7isthmus")) return true;
    if (!symbol.starts_with("_Z")) return false;
    std::size_t length = 0;
    const char* const end = symbol.data() + symbol.size();
    const char* const name = std::from_chars(symbol.data() + 2, end, length).ptr;
    return length <= static_cast<std::size_t>(end - name) && is_overload({name, length});
}

}  // namespace isthmus
