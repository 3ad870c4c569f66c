#include "base/seen_memory.hpp"

#include <algorithm>

#include "base/os.hpp"

namespace isthmus {

SeenMemory seen_memory;
constinit thread_local const char* transferring = nullptr;
constinit thread_local AnyRoutine* transferring_routine = nullptr;

namespace {

bool is_there(std::uintptr_t begin, std::uintptr_t end) {
    return os::is_mapped(reinterpret_cast<const void*>(begin), end - begin);
}

}  // namespace

bool SeenMemory::knows_each(std::uintptr_t first, std::uintptr_t last) const {
    for (std::uintptr_t page = first >> kPage; page <= last >> kPage; ++page) {
        if (!knows(pages_, page) && !knows(chunks_, page >> (kChunk - kPage))) return false;
    }
    return last >= first;
}

bool SeenMemory::ask(std::uintptr_t first, std::uintptr_t last) {
    if (last < first) return false;
    for (std::uintptr_t chunk = first >> kChunk; chunk <= last >> kChunk; ++chunk) {
        if (knows(chunks_, chunk)) continue;
        const std::uintptr_t begin = chunk << kChunk;
        const std::uintptr_t end = begin + (std::uintptr_t{1} << kChunk);
        const std::uintptr_t from = std::max(begin, first);
        const std::uintptr_t to = std::min(end - 1, last);
        if (knows_each(from, to)) continue;
        if (is_there(begin, end)) {
            remember(chunks_, chunk);
            continue;
        }
        if (!is_there(from, to + 1)) return false;
        for (std::uintptr_t page = from >> kPage; page <= to >> kPage; ++page)
            remember(pages_, page);
    }
    return true;
}

}  // namespace isthmus
