#include "core/copy/copy.hpp"

namespace isthmus {
namespace {

struct Block16 {
    std::uint64_t words[2];
};

// kBlocks from either end; they meet or overlap in the middle. All are loaded before any is stored.
template <int kBlocks>
inline void copy_blocks(char* to, const char* from, std::size_t bytes) {
    Block16 front[kBlocks];
    Block16 back[kBlocks];
    constexpr std::size_t kHalf = kBlocks * sizeof(Block16);
    std::memcpy(front, from, kHalf);
    std::memcpy(back, from + bytes - kHalf, kHalf);
    std::memcpy(to, front, kHalf);
    std::memcpy(to + bytes - kHalf, back, kHalf);
}

}  // namespace

void copy_medium(void* dest, const void* source, std::size_t bytes) {
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    if (bytes > 64) return copy_blocks<4>(to, from, bytes);
    if (bytes > 32) return copy_blocks<2>(to, from, bytes);
    copy_blocks<1>(to, from, bytes);
}

}  // namespace isthmus
