#include "core/reach/blocks.hpp"

namespace isthmus::operation {

std::optional<CommonBlocks> find_common(const void* dest, const void* source, const Blocks& shape,
                                        std::size_t unit, std::uint64_t first) {
    const auto to = reinterpret_cast<std::uintptr_t>(dest);
    const auto from = reinterpret_cast<std::uintptr_t>(source);
    const std::uint64_t bytes = shape.block * unit;
    const std::uint64_t to_next = static_cast<std::uint64_t>(shape.dst) * unit;
    const std::uint64_t from_next = static_cast<std::uint64_t>(shape.sst) * unit;
    for (std::uint64_t i = first; i < shape.count; ++i) {
        const std::uintptr_t block = to + i * to_next;
        if (block + bytes <= from) continue;
        // The last block of the source that begins in front of the end of this one.
        const std::uint64_t before =
            std::min<std::uint64_t>((block + bytes - 1 - from) / from_next, shape.count - 1);
        if (from + before * from_next + bytes > block) return CommonBlocks{i, before};
    }
    return std::nullopt;
}

}  // namespace isthmus::operation
