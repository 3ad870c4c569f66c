#include "core/copy.hpp"

#include "core/copy/choose.hpp"
#include "isthmus/window.h"

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

const char* chosen_name = "memcpy of the C library";

[[gnu::constructor]] void choose() {
    const ChosenCopy chosen = choose_long_copy();
    copy_long = chosen.copy;
    copy_streamed = chosen.copy_streamed;
    stream_limit = chosen.stream;
    isthmus_window.copy = chosen.copy_any;
    chosen_name = chosen.name;
}

}  // namespace

void copy_before_choice(void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}
constinit LongCopy copy_long = copy_before_choice;
constinit LongCopy copy_streamed = copy_before_choice;
constinit std::size_t stream_limit = ~std::size_t{0};

void copy_medium(void* dest, const void* source, std::size_t bytes) {
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    if (bytes > 64) return copy_blocks<4>(to, from, bytes);
    if (bytes > 32) return copy_blocks<2>(to, from, bytes);
    copy_blocks<1>(to, from, bytes);
}

const char* copy_loop_name() {
    return chosen_name;
}

}  // namespace isthmus
