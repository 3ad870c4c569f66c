#include "sim/isa/subset.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace isthmus::sim {
namespace {

using enum Extension;

constexpr std::array<std::pair<char, Extension>, 6> kLetters = {
    {{'i', I}, {'m', M}, {'a', A}, {'f', F}, {'d', D}, {'c', C}}};
constexpr std::array<std::pair<std::string_view, Extension>, 5> kWords = {
    {{"zicsr", Zicsr},
     {"zifencei", Zifencei},
     {"xbgas", Xbgas},
     {"xbgasamo", Xbgasamo},
     {"xbgasbulk", Xbgasbulk}}};

Extensions with_foundations(Extensions extensions) {
    if (extensions.has(D)) extensions.add(F);
    if (extensions.has(F)) extensions.add(Zicsr);
    if (extensions.has(Zicsr)) extensions.add(Privileged);
    if (extensions.has_xbgas()) extensions.add(Xbgas);
    return extensions;
}

}  // namespace

Isa parse_isa(std::string_view name) {
    std::string text(name);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto fail = [&](const std::string& why) {
        throw std::invalid_argument("isa '" + std::string(name) + "': " + why);
    };
    std::string_view rest = text;
    Isa isa;
    isa.extensions = {};
    if (!rest.starts_with("rv32") && !rest.starts_with("rv64"))
        fail("it begins with neither rv32 nor rv64");
    isa.xlen = rest[2] == '3' ? Xlen::k32 : Xlen::k64;
    rest.remove_prefix(4);
    const std::string_view letters = rest.substr(0, rest.find('_'));
    rest.remove_prefix(letters.size());
    if (letters.empty() || (letters[0] != 'i' && letters[0] != 'g'))
        fail("the first letter is i or g");
    for (const char letter : letters) {
        if (letter == 'g') {
            for (const Extension each : {I, M, A, F, D, Zicsr, Zifencei})
                isa.extensions.add(each);
            continue;
        }
        const auto* const found =
            std::ranges::find(kLetters, letter, &std::pair<char, Extension>::first);
        if (found == kLetters.end())
            fail(std::string("no extension '") + letter + "' is known; letters are i m a f d c g");
        isa.extensions.add(found->second);
    }
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::string_view word = rest.substr(0, rest.find('_'));
        rest.remove_prefix(word.size());
        const auto* const found =
            std::ranges::find(kWords, word, &std::pair<std::string_view, Extension>::first);
        if (found == kWords.end())
            fail("no extension '" + std::string(word) +
                 "' is known; words are zicsr zifencei xbgas xbgasamo xbgasbulk");
        isa.extensions.add(found->second);
    }
    isa.extensions = with_foundations(isa.extensions);
    return isa;
}

std::string isa_name(const Isa& isa) {
    std::string name = isa.xlen == Xlen::k32 ? "rv32" : "rv64";
    for (const auto& [letter, extension] : kLetters) {
        if (isa.extensions.has(extension)) name += letter;
    }
    for (const auto& [word, extension] : kWords) {
        if (isa.extensions.has(extension)) name.append("_").append(word);
    }
    return name;
}

}  // namespace isthmus::sim
