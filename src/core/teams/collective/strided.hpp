// Copying elements that lie apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/copy/copy.hpp"

namespace isthmus::collective {

template <typename Element>
void copy_elements(char* dest, std::size_t dest_stride, const char* source,
                   std::size_t source_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        std::memcpy(dest + i * dest_stride * sizeof(Element),
                    source + i * source_stride * sizeof(Element), sizeof(Element));
}

struct Sixteen {
    char bytes[16];
};

// Strides in elements.
inline void copy_strided(char* dest, std::size_t dest_stride, const char* source,
                         std::size_t source_stride, std::size_t count, std::size_t element_bytes) {
    if (dest_stride == 1 && source_stride == 1) return copy(dest, source, count * element_bytes);
    switch (element_bytes) {
        case 1: return copy_elements<char>(dest, dest_stride, source, source_stride, count);
        case 2:
            return copy_elements<std::uint16_t>(dest, dest_stride, source, source_stride, count);
        case 4:
            return copy_elements<std::uint32_t>(dest, dest_stride, source, source_stride, count);
        case 8:
            return copy_elements<std::uint64_t>(dest, dest_stride, source, source_stride, count);
        default: return copy_elements<Sixteen>(dest, dest_stride, source, source_stride, count);
    }
}

}  // namespace isthmus::collective
