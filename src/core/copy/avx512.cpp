// Long copies with 64-byte vectors. Compiled with -mavx512f -mavx512bw; called only where the
// processor has them.
//
// An end that straddles two pages is written with a masked store into its line: a store to two
// pages costs as much as ten others.
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

// Where the source is half a line off, loads of half a line stay within lines.
struct Vector32 {
    using Register = __m256i;
    static constexpr std::size_t kWidth = 32;
    static Register load(const char* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static void store(char* to, Register value) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to), value);
    }
    static void stream(char* to, Register value) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
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

// Up to the next line, leaving dest aligned.
inline void copy_head(char*& to, const char*& from, std::size_t& bytes) {
    const std::size_t head = to_line_boundary(to);
    if (head == 0) return;
    if (straddles_pages(to))
        copy_part(to, from, head);
    else
        _mm512_storeu_si512(to, Vector64::load(from));
    to += head;
    from += head;
    bytes -= head;
}

// What is left behind `done` bytes, at least a line having been copied.
inline void copy_tail(char* to, const char* from, std::size_t bytes, std::size_t done) {
    for (; bytes - done >= kLine; done += kLine)
        Vector64::store(to + done, Vector64::load(from + done));
    if (bytes == done) return;
    char* const last = to + bytes - kLine;
    if (straddles_pages(last))
        copy_part(to + done, from + done, bytes - done);
    else
        _mm512_storeu_si512(last, Vector64::load(from + bytes - kLine));
}

[[gnu::noinline]] void copy_large(char* to, const char* from, std::size_t bytes) {
    if (bytes >= copy_limits.string && bytes < copy_limits.stream)
        return copy_by_string_move(to, from, bytes);
    copy_head(to, from, bytes);
    std::size_t done = 0;
    if (bytes >= copy_limits.stream)
        done = copy_upwards<Vector64, 4, Stores::streamed>(to, from, bytes);
    else if (bytes >= copy_limits.claim_narrow && bytes < copy_limits.claim_wide)
        done = copy_upwards<Vector32, 2, Stores::claimed>(to, from, bytes);
    else
        done = copy_upwards<Vector64, 4, Stores::claimed>(to, from, bytes);
    copy_tail(to, from, bytes, done);
}

}  // namespace

void copy_avx512(void* dest, const void* source, std::size_t bytes) {
    char* to = static_cast<char*>(dest);
    const char* from = static_cast<const char*>(source);
    if (bytes <= 256) return copy_from_both_ends<2>(to, from, bytes);
    if (bytes <= 512) return copy_from_both_ends<4>(to, from, bytes);
    if (bytes >= copy_limits.claim) return copy_large(to, from, bytes);
    copy_head(to, from, bytes);
    const bool half_a_line_off = reinterpret_cast<std::uintptr_t>(from) % kLine == kLine / 2;
    const std::size_t done = half_a_line_off
                                 ? copy_upwards<Vector32, 4, Stores::plain>(to, from, bytes)
                                 : copy_upwards<Vector64, 4, Stores::plain>(to, from, bytes);
    copy_tail(to, from, bytes, done);
}

}  // namespace isthmus
