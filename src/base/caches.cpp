#include "base/caches.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "base/processors.hpp"

namespace isthmus {
namespace {

// The first line, empty if there is none. Files of the kernel's are short.
std::string first_line(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::array<char, 256> text;
    const ssize_t length = read(file, text.data(), text.size());
    close(file);
    const std::string_view all(text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    return std::string(all.substr(0, all.find('\n')));
}

// "1024K", as the kernel writes it.
std::size_t parse_cache_size(std::string_view text) {
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number > (std::size_t{1} << 30)) return 0;
    const char unit = rest == text.data() + text.size() ? '\0' : *rest;
    return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

int processors_of(const std::string& list) {
    cpu_set_t processors;
    return parse_processors(list, processors) ? std::max(1, CPU_COUNT(&processors)) : 1;
}

}  // namespace

Caches read_caches(const char* folder) {
    Caches caches;
    constexpr int kMostCaches = 8;
    for (int index = 0; index < kMostCaches; ++index) {
        const std::string at = std::string(folder) + "/index" + std::to_string(index) + "/";
        const std::string level = first_line(at + "level");
        if (level.empty()) break;
        if (first_line(at + "type") == "Instruction") continue;
        const std::size_t bytes = parse_cache_size(first_line(at + "size"));
        if (level == "1") caches.level1 = bytes;
        if (level == "2") caches.level2 = bytes;
        if (level == "3") {
            caches.sharing = processors_of(first_line(at + "shared_cpu_list"));
            caches.level3 = bytes / static_cast<std::size_t>(caches.sharing);
        }
    }
    return caches;
}

}  // namespace isthmus
