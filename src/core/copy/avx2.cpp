// Long copies with 32-byte vectors. Compiled with -mavx2; called only where the processor has it.
#include "core/copy/copy.hpp"
#include "core/copy/loops.hpp"
#include "core/copy/loops_x86.hpp"

namespace isthmus {
namespace {

// Exactly one line, unaligned.
inline void copy_line(char* to, const char* from) {
    const __m256i low = Vector32::load(from);
    const __m256i high = Vector32::load(from + 32);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), high);
}

// 64 to 192 bytes at `to`, as whole lines of which the last may overlap the one before.
inline void copy_lines(char* to, const char* from, std::size_t bytes) {
    for (std::size_t at = 0; at + kLine < bytes; at += kLine)
        copy_line(to + at, from + at);
    copy_line(to + bytes - kLine, from + bytes - kLine);
}

template <Stores kStores>
void copy_avx2_downwards(char* to, const char* from, std::size_t bytes) {
    copy_line(to + bytes - kLine, from + bytes - kLine);
    const std::size_t tail = reinterpret_cast<std::uintptr_t>(to + bytes) & (kLine - 1);
    const std::size_t body = bytes - tail;
    const std::size_t done = copy_downwards<Vector32, 4, kStores>(to + body, from + body, body);
    const std::size_t left = body - done;
    if (left > kLine) copy_line(to + left - kLine, from + left - kLine);
    copy_line(to, from);
}

template <Stores kStores>
void copy_avx2_upwards(char* to, const char* from, std::size_t bytes) {
    copy_line(to, from);
    const std::size_t head = to_line_boundary(to);
    to += head;
    from += head;
    bytes -= head;
    const std::size_t done = copy_upwards<Vector32, 4, kStores>(to, from, bytes);
    if constexpr (kStores == Stores::streamed) order_streamed();
    copy_lines(to + done, from + done, bytes - done);
}

}  // namespace

void copy_avx2(void* dest, const void* source, std::size_t bytes) {
    if (bytes >= copy_looks_from) return copy_chosen(copy_by_avx2, bytes, dest, source, bytes);
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    if (bytes > kAliasBytes && is_alias(dest, source))
        return copy_avx2_downwards<Stores::plain>(to, from, bytes);
    copy_avx2_upwards<Stores::plain>(to, from, bytes);
}

void copy_within_avx2(std::size_t whole, void* dest, const void* source, std::size_t bytes) {
    copy_chosen(copy_by_avx2, whole, dest, source, bytes);
}

void copy_by_avx2(Road road, void* dest, const void* source, std::size_t bytes) {
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    switch (road) {
        case Road::plain: return copy_avx2_upwards<Stores::plain>(to, from, bytes);
        case Road::plain_downwards: return copy_avx2_downwards<Stores::plain>(to, from, bytes);
        case Road::claimed: return copy_avx2_upwards<Stores::claimed>(to, from, bytes);
        case Road::claimed_downwards: return copy_avx2_downwards<Stores::claimed>(to, from, bytes);
        case Road::string: return copy_by_string(dest, source, bytes);
        case Road::streamed_narrow:  // the loop's vectors are as wide
        case Road::streamed: return copy_avx2_upwards<Stores::streamed>(to, from, bytes);
    }
}

void copy_any_avx2(void* dest, const void* source, std::size_t bytes) {
    copy_block(dest, source, bytes, copy_avx2);
}

}  // namespace isthmus
