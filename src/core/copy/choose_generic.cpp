#include <cstring>

#include "core/copy/choose.hpp"

namespace isthmus {

ChosenCopy choose_long_copy() {
    return {
        [](void* dest, const void* source, std::size_t bytes) { std::memcpy(dest, source, bytes); },
        "memcpy of the C library"};
}

}  // namespace isthmus
