// Long copies with 64-byte vectors. Compiled with -mavx512f -mavx512bw; called only where the
// processor has them.
//
// An end that straddles two pages is written with a masked store into its line: a store to two
// pages costs as much as ten others.
#include "core/copy/copy.hpp"
#include "core/copy/loops.hpp"
#include "core/copy/loops_x86.hpp"

namespace isthmus {
namespace {

struct Vector64 {
    using Register = __m512i;
    static constexpr std::size_t kWidth = 64;
    static Register load(const char* from) { return _mm512_loadu_si512(from); }
    static void store(char* to, Register value) { _mm512_store_si512(to, value); }
    static void stream(char* to, Register value) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value);
    }
};

// Up to 63 bytes. Bytes outside the mask are neither read nor written.
inline void copy_part(char* to, const char* from, std::size_t bytes) {
    const __mmask64 mask = (__mmask64{1} << bytes) - 1;
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
}

// kVectors from either end; they meet or overlap in the middle.
template <std::size_t kVectors>
inline void copy_from_both_ends(char* to, const char* from, std::size_t bytes) {
    __m512i front[kVectors];
    __m512i back[kVectors];
    char* const end = to + bytes;
    for (std::size_t i = 0; i < kVectors; ++i)
        front[i] = Vector64::load(from + i * 64);
    for (std::size_t i = 0; i < kVectors; ++i)
        back[i] = Vector64::load(from + bytes - (i + 1) * 64);
    for (std::size_t i = 0; i < kVectors; ++i)
        _mm512_storeu_si512(to + i * 64, front[i]);
    for (std::size_t i = 0; i < kVectors; ++i)
        _mm512_storeu_si512(end - (i + 1) * 64, back[i]);
}

inline constexpr std::size_t kPage = 4096;

inline bool straddles_pages(const char* line) {
    return reinterpret_cast<std::uintptr_t>(line) % kPage > kPage - kLine;
}

// The part of a line that a block of a line or more begins with, and that it ends with.
inline void copy_first_part(char* to, const char* from, std::size_t bytes) {
    if (straddles_pages(to))
        copy_part(to, from, bytes);
    else
        _mm512_storeu_si512(to, Vector64::load(from));
}
inline void copy_last_part(char* end, const char* from_end, std::size_t bytes) {
    if (straddles_pages(end - kLine))
        copy_part(end - bytes, from_end - bytes, bytes);
    else
        _mm512_storeu_si512(end - kLine, Vector64::load(from_end - kLine));
}

inline std::size_t past_line_boundary(const char* address) {
    return reinterpret_cast<std::uintptr_t>(address) % kLine;
}

// Up to the next line, leaving dest aligned.
inline void copy_head(char*& to, const char*& from, std::size_t& bytes) {
    const std::size_t head = to_line_boundary(to);
    if (head == 0) return;
    copy_first_part(to, from, head);
    to += head;
    from += head;
    bytes -= head;
}

// What is left behind `done` bytes, at least a line having been copied. The last line overlaps what
// is done already, unless it straddles two pages; if nothing is left it is not read again, for the
// source of it may straddle two pages too.
inline void copy_tail(char* to, const char* from, std::size_t bytes, std::size_t done) {
    char* const last = to + bytes - kLine;
    const std::ptrdiff_t distance = from - to;
    char* at = to + done;
    if (at == last + kLine) return;
    for (; at < last; at += kLine)
        Vector64::store(at, Vector64::load(at + distance));
    if (straddles_pages(last)) [[unlikely]]
        copy_part(at, at + distance, static_cast<std::size_t>(last + kLine - at));
    else
        _mm512_storeu_si512(last, Vector64::load(last + distance));
}

template <Stores kStores>
void copy_large_downwards(char* to, const char* from, std::size_t bytes) {
    if (const std::size_t tail = past_line_boundary(to + bytes); tail > 0) {
        copy_last_part(to + bytes, from + bytes, tail);
        bytes -= tail;
    }
    constexpr int kGroup = kStores == Stores::plain ? 4 : 2;
    std::size_t left =
        bytes - copy_downwards<Vector64, kGroup, kStores>(to + bytes, from + bytes, bytes);
    for (; left >= kLine; left -= kLine)
        Vector64::store(to + left - kLine, Vector64::load(from + left - kLine));
    if (left > 0) copy_part(to, from, left);
}

template <Stores kStores>
void copy_large_upwards(char* to, const char* from, std::size_t bytes) {
    copy_head(to, from, bytes);
    copy_tail(to, from, bytes, copy_upwards<Vector64, 2, kStores>(to, from, bytes));
}

// More than 512 bytes. No line is written both ways: a line that is in a cache would have to leave
// it to be streamed. Parts of lines go first, to come while the rest is streamed.
template <typename Vector>
void copy_past_caches(char* to, const char* from, std::size_t bytes) {
    const std::size_t head = to_line_boundary(to);
    const std::size_t tail = past_line_boundary(to + bytes);
    if (tail > 0) copy_part(to + bytes - tail, from + bytes - tail, tail);
    if (head > 0) copy_part(to, from, head);
    char* const at = to + head;
    const std::ptrdiff_t distance = from - to;
    const std::size_t left = bytes - head - tail;
    const auto done = copy_upwards<Vector, 4, Stores::streamed>(at, at + distance, left);
    for (std::size_t line = done; line < left; line += kLine)
        Vector64::stream(at + line, Vector64::load(at + line + distance));
    order_streamed();
}

// More than 512 bytes.
[[gnu::always_inline]] inline void copy_plain(char* to, const char* from, std::size_t bytes) {
    const std::size_t head = to_line_boundary(to);
    const std::size_t tail = past_line_boundary(to + bytes);
    // Lines that are written in part go first: behind the loop they would wait for its stores.
    if (tail > 0) copy_last_part(to + bytes, from + bytes, tail);
    if (head > 0) copy_first_part(to, from, head);
    char* at = to + head;
    const std::ptrdiff_t distance = from - to;
    std::size_t left = bytes - head - tail;
    // Loads of half a line then stay within lines.
    const bool half_a_line_off = past_line_boundary(at + distance) == kLine / 2;
    const std::size_t done =
        half_a_line_off ? copy_upwards<Vector32, 8, Stores::plain>(at, at + distance, left)
                        : copy_upwards<Vector64, 4, Stores::plain>(at, at + distance, left);
    at += done;
    left -= done;
    if (left >= 2 * kLine) {
        copy_group<Vector64, 2, Stores::plain>(at, distance);
        at += 2 * kLine;
        left -= 2 * kLine;
    }
    if (left > 0) copy_group<Vector64, 1, Stores::plain>(at, distance);
}

// Of more than 512 bytes, first and foremost: 4 KB take 30 ns, and each branch before them shows.
[[gnu::always_inline]] inline void copy_long_block(char* to, const char* from, std::size_t bytes) {
    if (bytes <= 512) [[unlikely]]
        return bytes <= 256 ? copy_from_both_ends<2>(to, from, bytes)
                            : copy_from_both_ends<4>(to, from, bytes);
    if (bytes >= copy_looks_from) return copy_chosen(copy_by_avx512, bytes, to, from, bytes);
    copy_plain(to, from, bytes);
}

}  // namespace

void copy_avx512(void* dest, const void* source, std::size_t bytes) {
    copy_long_block(static_cast<char*>(dest), static_cast<const char*>(source), bytes);
}

void copy_within_avx512(std::size_t whole, void* dest, const void* source, std::size_t bytes) {
    copy_chosen(copy_by_avx512, whole, dest, source, bytes);
}

void copy_by_avx512(Road road, void* dest, const void* source, std::size_t bytes) {
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    switch (road) {
        case Road::plain: return copy_plain(to, from, bytes);
        case Road::plain_downwards: return copy_large_downwards<Stores::plain>(to, from, bytes);
        case Road::claimed: return copy_large_upwards<Stores::claimed>(to, from, bytes);
        case Road::claimed_downwards: return copy_large_downwards<Stores::claimed>(to, from, bytes);
        case Road::string: return copy_by_string(dest, source, bytes);
        case Road::streamed_narrow: return copy_past_caches<Vector32>(to, from, bytes);
        case Road::streamed: return copy_past_caches<Vector64>(to, from, bytes);
    }
}

void copy_any_avx512(void* dest, const void* source, std::size_t bytes) {
    copy_block(dest, source, bytes, copy_long_block);
}

}  // namespace isthmus
