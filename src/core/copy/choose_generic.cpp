#include <cstring>

#include "core/copy/choose.hpp"

namespace isthmus {

namespace {
void copy_by_library(void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}
}  // namespace

ChosenCopy choose_long_copy() {
    return {copy_by_library, copy_by_library, copy_by_library, ~std::size_t{0},
            "memcpy of the C library"};
}

}  // namespace isthmus
